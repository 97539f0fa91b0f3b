"""Recurrent layers in the style of course homework: pure functions, and a cache for each backward pass.

Everything is batch-major: a minibatch of vectors is (N, D), a minibatch of sequences (N, T, D). A step function takes
one time step; the function without `step` in its name runs the whole sequence and returns all hidden states (N, T, H).
Backward functions return the gradients in the order of the arguments of the forward function.
"""

import numpy as np


def sigmoid(x):
    """The logistic function, without overflow at either end."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    """One step with a tanh: x (N, D), prev_h (N, H), Wx (D, H), Wh (H, H), b (H,) -> next_h (N, H), cache."""
    next_h = np.tanh(x.dot(Wx) + prev_h.dot(Wh) + b)
    return next_h, (x, prev_h, Wx, Wh, next_h)


def rnn_step_backward(dnext_h, cache):
    """dnext_h (N, H) -> dx, dprev_h, dWx, dWh, db."""
    x, prev_h, Wx, Wh, next_h = cache
    da = dnext_h * (1 - next_h**2)
    dx = da.dot(Wx.T)
    dprev_h = da.dot(Wh.T)
    dWx = x.T.dot(da)
    dWh = prev_h.T.dot(da)
    db = da.sum(axis=0)
    return dx, dprev_h, dWx, dWh, db


def rnn_forward(x, h0, Wx, Wh, b):
    """x (N, T, D), h0 (N, H) -> h (N, T, H), cache."""
    N, T, _ = x.shape
    h = np.zeros((N, T, h0.shape[1]))
    cache = []
    prev_h = h0
    for t in range(T):
        next_h, step_cache = rnn_step_forward(x[:, t, :], prev_h, Wx, Wh, b)
        h[:, t, :] = next_h
        cache.append(step_cache)
        prev_h = next_h
    return h, cache


def rnn_backward(dh, cache):
    """dh (N, T, H), the gradient from above for each step on its own -> dx, dh0, dWx, dWh, db."""
    N, T, H = dh.shape
    D = cache[0][0].shape[1]
    dx = np.zeros((N, T, D))
    dWx = np.zeros((D, H))
    dWh = np.zeros((H, H))
    db = np.zeros(H)
    dprev_h = np.zeros((N, H))
    for t in reversed(range(T)):
        dnext_h = dh[:, t, :] + dprev_h
        dx[:, t, :], dprev_h, dWx_t, dWh_t, db_t = rnn_step_backward(dnext_h, cache[t])
        dWx += dWx_t
        dWh += dWh_t
        db += db_t
    dh0 = dprev_h
    return dx, dh0, dWx, dWh, db


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    """One step: Wx (D, 4H), Wh (H, 4H), b (4H,), gates in the order i, f, o, g -> next_h, next_c, cache."""
    a = x.dot(Wx) + prev_h.dot(Wh) + b
    ai, af, ao, ag = np.split(a, 4, axis=1)
    i, f, o = sigmoid(ai), sigmoid(af), sigmoid(ao)
    g = np.tanh(ag)
    next_c = f * prev_c + i * g
    next_h = o * np.tanh(next_c)
    return next_h, next_c, (x, prev_h, prev_c, Wx, Wh, i, f, o, g, next_c)


def lstm_step_backward(dnext_h, dnext_c, cache):
    """dnext_h (N, H), dnext_c (N, H) -> dx, dprev_h, dprev_c, dWx, dWh, db."""
    x, prev_h, prev_c, Wx, Wh, i, f, o, g, next_c = cache
    tanh_c = np.tanh(next_c)
    do = dnext_h * tanh_c
    dnext_c = dnext_c + dnext_h * o * (1 - tanh_c**2)  # next_c also reaches the loss through next_h
    df = dnext_c * prev_c
    dprev_c = dnext_c * f
    di = dnext_c * g
    dg = dnext_c * i

    dai = di * i * (1 - i)
    daf = df * f * (1 - f)
    dao = do * o * (1 - o)
    dag = dg * (1 - g**2)
    da = np.hstack((dai, daf, dao, dag))

    dx = da.dot(Wx.T)
    dWx = x.T.dot(da)
    dprev_h = da.dot(Wh.T)
    dWh = prev_h.T.dot(da)
    db = np.sum(da, axis=0)
    return dx, dprev_h, dprev_c, dWx, dWh, db


def lstm_forward(x, h0, Wx, Wh, b):
    """x (N, T, D), h0 (N, H) -> h (N, T, H), cache. The cell state is internal and starts at zero."""
    N, T, D = x.shape
    h = np.zeros((N, T, h0.shape[1]))
    caches = []
    prev_h, prev_c = h0, np.zeros_like(h0)
    for t in range(T):
        prev_h, prev_c, step_cache = lstm_step_forward(x[:, t], prev_h, prev_c, Wx, Wh, b)
        h[:, t] = prev_h
        caches.append(step_cache)
    return h, (D, caches)


def lstm_backward(dh, cache):
    """dh (N, T, H) -> dx, dh0, dWx, dWh, db."""
    D, caches = cache
    N, T, H = dh.shape
    dx = np.zeros((N, T, D))
    dWx, dWh, db = np.zeros((D, 4 * H)), np.zeros((H, 4 * H)), np.zeros(4 * H)
    dprev_h, dprev_c = np.zeros((N, H)), np.zeros((N, H))
    for t in range(T - 1, -1, -1):
        dx_t, dprev_h, dprev_c, dWx_t, dWh_t, db_t = lstm_step_backward(dh[:, t] + dprev_h, dprev_c, caches[t])
        dx[:, t] = dx_t
        dWx += dWx_t
        dWh += dWh_t
        db += db_t
    return dx, dprev_h, dWx, dWh, db


def gru_step_forward(x, prev_h, Wx, Wh, b):
    """One step: Wx (D, 3H), Wh (H, 3H), b (3H,), blocks in the order r, z, n -> next_h, cache.

    The reset gate is applied after the product with Wh; z = 1 keeps the old state.
    """
    H = prev_h.shape[1]
    ax = x.dot(Wx) + b
    ah = prev_h.dot(Wh)
    r = sigmoid(ax[:, :H] + ah[:, :H])
    z = sigmoid(ax[:, H : 2 * H] + ah[:, H : 2 * H])
    s = ah[:, 2 * H :]
    n = np.tanh(ax[:, 2 * H :] + r * s)
    next_h = (1 - z) * n + z * prev_h
    return next_h, (x, prev_h, Wx, Wh, r, z, s, n)


def gru_step_backward(dnext_h, cache):
    """dnext_h (N, H) -> dx, dprev_h, dWx, dWh, db."""
    x, prev_h, Wx, Wh, r, z, s, n = cache
    N, H = prev_h.shape
    dn = dnext_h * (1 - z)
    dz = dnext_h * (prev_h - n)
    dprev_h = dnext_h * z

    dax = np.zeros((N, 3 * H))
    dax[:, 2 * H :] = dn * (1 - n**2)
    dr = dax[:, 2 * H :] * s
    dax[:, :H] = dr * r * (1 - r)
    dax[:, H : 2 * H] = dz * z * (1 - z)

    dah = dax.copy()
    dah[:, 2 * H :] *= r
    dx = dax.dot(Wx.T)
    dWx = x.T.dot(dax)
    db = dax.sum(axis=0)
    dprev_h += dah.dot(Wh.T)
    dWh = prev_h.T.dot(dah)
    return dx, dprev_h, dWx, dWh, db


def gru_forward(x, h0, Wx, Wh, b):
    """x (N, T, D), h0 (N, H) -> h (N, T, H), cache."""
    h = np.zeros((*x.shape[:2], h0.shape[1]))
    cache = []
    for t in range(x.shape[1]):
        prev_h = h0 if t == 0 else h[:, t - 1]
        h[:, t], step_cache = gru_step_forward(x[:, t], prev_h, Wx, Wh, b)
        cache.append(step_cache)
    return h, cache


def gru_backward(dh, cache):
    """dh (N, T, H) -> dx, dh0, dWx, dWh, db."""
    x, _, Wx, Wh = cache[0][:4]
    dh = dh.copy()  # what comes back from later steps is added to it
    dx = np.zeros((*dh.shape[:2], x.shape[1]))
    dWx, dWh, db = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros(Wx.shape[1])
    for t in reversed(range(dh.shape[1])):
        dx[:, t], dprev_h, *step_grads = gru_step_backward(dh[:, t], cache[t])
        for grad, step_grad in zip((dWx, dWh, db), step_grads, strict=True):
            grad += step_grad
        if t > 0:
            dh[:, t - 1] += dprev_h
        else:
            dh0 = dprev_h
    return dx, dh0, dWx, dWh, db


def affine_forward(x, w, b):
    """x (N, d1, ..., dk), each row flattened to length D; w (D, M), b (M,) -> out (N, M), cache."""
    out = x.reshape(x.shape[0], -1).dot(w) + b
    return out, (x, w)


def affine_backward(dout, cache):
    """dout (N, M) -> dx, dw, db."""
    x, w = cache
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(x.shape[0], -1).T.dot(dout)
    db = dout.sum(axis=0)
    return dx, dw, db


def softmax_loss(x, y):
    """Scores x (N, C), labels y (N,) -> mean cross-entropy, and its gradient with respect to x."""
    N = x.shape[0]
    probs = np.exp(x - x.max(axis=1, keepdims=True))
    probs /= probs.sum(axis=1, keepdims=True)
    loss = -np.log(probs[np.arange(N), y]).mean()
    dx = probs.copy()
    dx[np.arange(N), y] -= 1
    dx /= N
    return loss, dx


def examples(rng):
    """name -> (forward, backward, arguments of forward); the loss is its own backward."""
    N, T, D, H, C = 3, 6, 4, 5, 7
    x, xs, h, c = (rng.normal(size=shape) for shape in ((N, D), (N, T, D), (N, H), (N, H)))

    def weights(blocks):
        shapes = {"Wx": (D, blocks * H), "Wh": (H, blocks * H), "b": (blocks * H,)}
        return {name: 0.5 * rng.normal(size=shape) for name, shape in shapes.items()}

    rnn, lstm, gru = weights(1), weights(4), weights(3)
    images = {"x": rng.normal(size=(N, 2, D)), "w": rng.normal(size=(2 * D, C)), "b": rng.normal(size=C)}
    scores = {"x": rng.normal(size=(N, C)), "y": rng.integers(0, C, N)}
    return {
        "rnn step": (rnn_step_forward, rnn_step_backward, {"x": x, "prev_h": h, **rnn}),
        "rnn": (rnn_forward, rnn_backward, {"x": xs, "h0": h, **rnn}),
        "lstm step": (lstm_step_forward, lstm_step_backward, {"x": x, "prev_h": h, "prev_c": c, **lstm}),
        "lstm": (lstm_forward, lstm_backward, {"x": xs, "h0": h, **lstm}),
        "gru step": (gru_step_forward, gru_step_backward, {"x": x, "prev_h": h, **gru}),
        "gru": (gru_forward, gru_backward, {"x": xs, "h0": h, **gru}),
        "affine": (affine_forward, affine_backward, images),
        "softmax loss": (softmax_loss, softmax_loss, scores),
    }
