"""Recurrent networks in the style of a one-file script: one big loop each way, gradients accumulated with `+=`.

Vectors are columns, so that the equations read as in a book: a state is (H, 1), or (H, N) for a minibatch. What the
loop computes is kept in dicts or lists keyed by t, where t = -1 is the initial state. An output layer y = Wy h + by is
part of the loop. Each `*_backward` takes the gradients of the outputs and returns a dict: name of an argument of
`*_forward` -> its gradient.
"""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn_forward(xs, hprev, Wxh, Whh, Why, bh, by):
    """Plain RNN on one sequence: xs (T, D, 1), hprev (H, 1) -> list of T outputs, cache."""
    hs, ys = {}, {}
    hs[-1] = np.copy(hprev)
    for t in range(len(xs)):
        hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1] + bh)  # new hidden state
        ys[t] = Why @ hs[t] + by  # scores of what comes next
    cache = xs, hs, Wxh, Whh, Why, bh, by
    return [ys[t] for t in range(len(xs))], cache


def rnn_backward(dys, cache):
    xs, hs, Wxh, Whh, Why, bh, by = cache
    dxs = np.zeros_like(xs)
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dbh, dby = np.zeros_like(bh), np.zeros_like(by)
    dhnext = np.zeros_like(hs[0])
    for t in reversed(range(len(xs))):
        dy = np.copy(dys[t])
        dWhy += dy @ hs[t].T
        dby += dy
        dh = Why.T @ dy + dhnext  # into h: from the output and from the next step
        dhraw = (1 - hs[t] * hs[t]) * dh  # through the tanh
        dbh += dhraw
        dWxh += dhraw @ xs[t].T
        dWhh += dhraw @ hs[t - 1].T
        dxs[t] = Wxh.T @ dhraw
        dhnext = Whh.T @ dhraw
    return dict(xs=dxs, hprev=dhnext, Wxh=dWxh, Whh=dWhh, Why=dWhy, bh=dbh, by=dby)


def lstm_forward(xs, hprev, cprev, Wf, Wi, Wg, Wo, Wy, bf, bi, bg, bo, by):
    """LSTM: xs (T, D, N), hprev and cprev (H, N); the gates' matrices are (H, H + D) -> ys (T, K, N), cache."""
    T = len(xs)
    z, f, i, g, o, c, h = {}, {}, {}, {}, {}, {}, {}
    ys = np.zeros((T, len(by), xs.shape[2]))
    h[-1], c[-1] = hprev, cprev
    for t in range(T):
        z[t] = np.vstack((h[t - 1], xs[t]))
        f[t] = sigmoid(Wf @ z[t] + bf)
        i[t] = sigmoid(Wi @ z[t] + bi)
        g[t] = np.tanh(Wg @ z[t] + bg)
        o[t] = sigmoid(Wo @ z[t] + bo)
        c[t] = f[t] * c[t - 1] + i[t] * g[t]
        h[t] = o[t] * np.tanh(c[t])
        ys[t] = Wy @ h[t] + by
    params = dict(Wf=Wf, Wi=Wi, Wg=Wg, Wo=Wo, Wy=Wy, bf=bf, bi=bi, bg=bg, bo=bo, by=by)
    return ys, (xs, z, f, i, g, o, c, h, params)


def lstm_backward(dys, cache):
    xs, z, f, i, g, o, c, h, params = cache
    H = len(h[-1])
    grads = {name: np.zeros_like(value) for name, value in params.items()}
    grads["xs"] = np.zeros_like(xs)
    dhnext, dcnext = np.zeros_like(h[-1]), np.zeros_like(c[-1])
    for t in reversed(range(len(xs))):
        # output layer
        grads["Wy"] += dys[t] @ h[t].T
        grads["by"] += dys[t].sum(axis=1, keepdims=True)
        dh = params["Wy"].T @ dys[t]
        dh += dhnext

        # cell and gates, down to what goes into their nonlinearities
        tanh_c = np.tanh(c[t])
        dc = dcnext.copy()
        dc += dh * o[t] * (1 - tanh_c**2)
        do_raw = dh * tanh_c * o[t] * (1 - o[t])
        dg_raw = dc * i[t] * (1 - g[t] ** 2)
        di_raw = dc * g[t] * i[t] * (1 - i[t])
        df_raw = dc * c[t - 1] * f[t] * (1 - f[t])

        grads["Wf"] += df_raw @ z[t].T
        grads["Wi"] += di_raw @ z[t].T
        grads["Wg"] += dg_raw @ z[t].T
        grads["Wo"] += do_raw @ z[t].T
        grads["bf"] += df_raw.sum(axis=1, keepdims=True)
        grads["bi"] += di_raw.sum(axis=1, keepdims=True)
        grads["bg"] += dg_raw.sum(axis=1, keepdims=True)
        grads["bo"] += do_raw.sum(axis=1, keepdims=True)

        # all four gates look at z
        dz = params["Wf"].T @ df_raw
        dz += params["Wi"].T @ di_raw
        dz += params["Wg"].T @ dg_raw
        dz += params["Wo"].T @ do_raw
        dhnext = dz[:H]
        grads["xs"][t] = dz[H:]
        dcnext = f[t] * dc
    grads["hprev"], grads["cprev"] = dhnext, dcnext
    return grads


def gru_forward(x, h0, Wr, Wu, Wc, Wy, br, bu, bc, by):
    """GRU, reset before the product, u = 1 takes the new value: x (D, T, N), h0 (H, N) -> y (K, T, N), cache."""
    T, N = x.shape[1:]
    H = len(h0)
    h = np.zeros((H, T + 1, N))
    h[:, -1] = h0  # so that h[:, t - 1] is right for t = 0, too
    r, u, c = np.zeros((H, T, N)), np.zeros((H, T, N)), np.zeros((H, T, N))
    y = np.zeros((len(by), T, N))
    for t in range(T):
        z = np.vstack((h[:, t - 1], x[:, t]))
        r[:, t] = sigmoid(Wr @ z + br)
        u[:, t] = sigmoid(Wu @ z + bu)
        zr = np.vstack((r[:, t] * h[:, t - 1], x[:, t]))
        c[:, t] = np.tanh(Wc @ zr + bc)
        h[:, t] = (1 - u[:, t]) * h[:, t - 1] + u[:, t] * c[:, t]
        y[:, t] = Wy @ h[:, t] + by
    return y, (x, h, r, u, c, Wr, Wu, Wc, Wy)


def gru_backward(dy, cache):
    x, h, r, u, c, Wr, Wu, Wc, Wy = cache
    H, T = r.shape[:2]
    dx = np.zeros_like(x)
    dWr, dWu, dWc, dWy = np.zeros_like(Wr), np.zeros_like(Wu), np.zeros_like(Wc), np.zeros_like(Wy)
    dbr, dbu, dbc, dby = np.zeros((H, 1)), np.zeros((H, 1)), np.zeros((H, 1)), np.zeros((len(Wy), 1))
    dhnext = np.zeros_like(h[:, 0])
    for t in range(T)[::-1]:
        h_prev, r_t, u_t, c_t = h[:, t - 1], r[:, t], u[:, t], c[:, t]
        z = np.vstack((h_prev, x[:, t]))
        zr = np.vstack((r_t * h_prev, x[:, t]))

        dWy += dy[:, t] @ h[:, t].T
        dby += dy[:, t].sum(axis=1, keepdims=True)
        dh = Wy.T @ dy[:, t] + dhnext

        # h = (1 - u) h_prev + u c
        dhnext = dh * (1 - u_t)
        du_raw = dh * (c_t - h_prev) * u_t * (1 - u_t)
        dc_raw = dh * u_t * (1 - c_t * c_t)

        # candidate
        dWc += dc_raw @ zr.T
        dbc += dc_raw.sum(axis=1, keepdims=True)
        dzr = Wc.T @ dc_raw
        dhnext += dzr[:H] * r_t
        dx[:, t] = dzr[H:]
        dr_raw = dzr[:H] * h_prev * r_t * (1 - r_t)

        # gates
        dWr += dr_raw @ z.T
        dWu += du_raw @ z.T
        dbr += dr_raw.sum(axis=1, keepdims=True)
        dbu += du_raw.sum(axis=1, keepdims=True)
        dz = Wr.T @ dr_raw
        dz += Wu.T @ du_raw
        dhnext += dz[:H]
        dx[:, t] += dz[H:]
    return dict(x=dx, h0=dhnext, Wr=dWr, Wu=dWu, Wc=dWc, Wy=dWy, br=dbr, bu=dbu, bc=dbc, by=dby)


def examples(rng):
    """name -> (forward, backward, arguments of forward)."""
    T, D, H, K, N = 4, 3, 5, 2, 6

    def arrays(**shapes):
        return {name: rng.normal(scale=0.5, size=shape) for name, shape in shapes.items()}

    gate, bias, Wy, by = (H, H + D), (H, 1), (K, H), (K, 1)
    one_sequence = {"xs": (T, D, 1), "hprev": (H, 1)}
    rnn = arrays(**one_sequence, Wxh=(H, D), Whh=(H, H), Why=Wy, bh=bias, by=by)
    states = {"xs": (T, D, N), "hprev": (H, N), "cprev": (H, N)}
    lstm = arrays(**states, Wf=gate, Wi=gate, Wg=gate, Wo=gate, Wy=Wy, bf=bias, bi=bias, bg=bias, bo=bias, by=by)
    gru = arrays(x=(D, T, N), h0=(H, N), Wr=gate, Wu=gate, Wc=gate, Wy=Wy, br=bias, bu=bias, bc=bias, by=by)
    return {
        "rnn": (rnn_forward, rnn_backward, rnn),
        "lstm": (lstm_forward, lstm_backward, lstm),
        "gru": (gru_forward, gru_backward, gru),
    }
