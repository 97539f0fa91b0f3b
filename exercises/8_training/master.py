"""Exercise 8: training. Optimisers, clipping, a cell of your own, and both at work in the engine of tinyrnn.

Vectors are rows: x is (B, m) for B sequences of m features, a state is (B, n), a layer is `x @ W`. The gradient of
`foo` is called `dfoo`. Everything is float64, and no function changes its arguments.
"""

import numpy as np

# Given ----------------------------------------------------------------------------------------------------------------


def sigmoid(a):
    """1 / (1 + e^-a), which never overflows."""
    return 0.5 * np.tanh(0.5 * a) + 0.5


# Practice: what everybody uses ----------------------------------------------------------------------------------------


def rmsprop_step(w, dw, v, lr, rho, eps):
    """One update of RMSProp (practice).

        v ← ρ v + (1 - ρ) dw²        w ← w - lr dw / (√v + ε)

    w, dw, v: arrays of one shape; v as the update before left it. lr, rho, eps: numbers. Returns w and v.
    """
    # BEGIN SOLUTION
    v = rho * v + (1 - rho) * dw**2
    return w - lr * dw / (np.sqrt(v) + eps), v
    # END SOLUTION


def adam_step(w, dw, m, v, t, lr, beta1, beta2, eps):
    """Update number t of Adam, counted from 1 (practice).

        m ← β₁ m + (1 - β₁) dw        v ← β₂ v + (1 - β₂) dw²
        w ← w - lr m̂ / (√v̂ + ε)      m̂ = m / (1 - β₁ᵗ)        v̂ = v / (1 - β₂ᵗ)

    w, dw, m, v: arrays of one shape. Returns w, m, v.
    """
    # BEGIN SOLUTION
    m = beta1 * m + (1 - beta1) * dw
    v = beta2 * v + (1 - beta2) * dw**2
    corrected_m, corrected_v = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * corrected_m / (np.sqrt(corrected_v) + eps), m, v
    # END SOLUTION


# 1. RMSProp, centred --------------------------------------------------------------------------------------------------


def centred_rmsprop_step(w, dw, v, a, delta, lr, rho, mu, eps):
    """One update of centred RMSProp with momentum, as Graves used it.

        v ← ρ v + (1 - ρ) dw²        a ← ρ a + (1 - ρ) dw
        Δ ← µ Δ - lr dw / √(v - a² + ε)
        w ← w + Δ

    w, dw, v, a, delta (Δ): arrays of one shape; v, a and Δ as the update before left them. lr, rho, mu, eps: numbers.
    Returns w, v, a, delta.
    """
    # BEGIN SOLUTION
    v = rho * v + (1 - rho) * dw**2
    a = rho * a + (1 - rho) * dw
    spread = np.sqrt(v - a**2 + eps)
    delta = mu * delta - lr * dw / spread
    w = w + delta
    return w, v, a, delta
    # END SOLUTION


# 2. Adam that looks ahead ---------------------------------------------------------------------------------------------


def nadam_step(w, dw, m, v, t, lr, beta1, beta2, eps, decay):
    """Update number t of NAdam with decoupled weight decay. t counts from 1.

        m ← β₁ m + (1 - β₁) dw        v ← β₂ v + (1 - β₂) dw²
        m̂ = β₁ m / (1 - β₁ᵗ⁺¹) + (1 - β₁) dw / (1 - β₁ᵗ)        the new m, as it will be in the next update
        v̂ = v / (1 - β₂ᵗ)
        w ← w - lr (m̂ / (√v̂ + ε) + λ w)

    w, dw, m, v: arrays of one shape; m and v as the update before left them. decay: λ. Returns w, m, v.
    """
    # BEGIN SOLUTION
    m = beta1 * m + (1 - beta1) * dw
    v = beta2 * v + (1 - beta2) * dw**2
    ahead = beta1 * m / (1 - beta1 ** (t + 1))
    m_hat = ahead + (1 - beta1) * dw / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    w = w - lr * (m_hat / (np.sqrt(v_hat) + eps) + decay * w)
    return w, m, v
    # END SOLUTION


# 3. Clipping by what is usual -----------------------------------------------------------------------------------------


def clip_factors(grads, average, room):
    """What the gradients of K updates in a row are to be multiplied with, and a running average of their norms.

    The norm is that of all gradients of one update together. For each update, with the average that was left before:

        limit = room · average
        factor = limit / norm where norm > limit, else 1
        average ← 0.9 average + 0.1 min(norm, limit)

    Where the norm is not finite because an entry is NaN or infinite: factor 0, and the average stays.
    grads: a list of K dicts, name -> array; entries up to 1e200 (mind their squares). average: a number > 0. room: a
    number > 1. Returns factors (K,) and averages (K,), the averages after each update.
    """
    # BEGIN SOLUTION
    factors, averages = [], []
    for each in grads:
        limit = room * average
        entries = np.concatenate([g.ravel() for g in each.values()])
        peak = abs(entries).max()
        if not np.isfinite(peak):
            factor = 0.0
        else:
            norm = peak * np.sqrt(((entries / peak) ** 2).sum()) if peak > 0 else 0.0
            factor = limit / norm if norm > limit else 1.0
            average = 0.9 * average + 0.1 * min(norm, limit)
        factors.append(factor)
        averages.append(average)
    return np.array(factors), np.array(averages)
    # END SOLUTION


# 4. A cell of your own ------------------------------------------------------------------------------------------------


def cell_step(x, h_prev, c_prev, Wx, Wh, p, b):
    """One step of the LSTM with coupled gates and peepholes: its gates see what the cell holds. Gates f, o, g.

        a = x Wx + h_prev Wh + b
        f = σ(a_f + p_f ∘ c_prev)        g = tanh(a_g)
        c = f ∘ c_prev + (1 - f) ∘ g
        o = σ(a_o + p_o ∘ c)             the new c
        h = o ∘ tanh(c)

    x (B, m), h_prev and c_prev (B, n), Wx (m, 3n), Wh (n, 3n), p (2, n): the rows p_f and p_o, b (3n,).
    Returns h, c, f, o, g, all (B, n).
    """
    # BEGIN SOLUTION
    a = x @ Wx + h_prev @ Wh + b
    a_f, a_o, a_g = np.split(a, 3, axis=1)
    f = sigmoid(a_f + p[0] * c_prev)
    g = np.tanh(a_g)
    c = f * c_prev + (1 - f) * g
    o = sigmoid(a_o + p[1] * c)
    h = o * np.tanh(c)
    return h, c, f, o, g
    # END SOLUTION


def cell_step_backward(dh, dc, x, h_prev, c_prev, f, o, g, c, Wx, Wh, p):
    """The way back through `cell_step`.

    dh, dc (B, n): gradients of h and c, from everything that comes after this step; the others as in `cell_step`, with
    the gates and c that it returned.
    Returns a dict: dx (B, m), dh_prev and dc_prev (B, n), dWx (m, 3n), dWh (n, 3n), dp (2, n), db (3n,).
    """
    # BEGIN SOLUTION
    tanh_c = np.tanh(c)
    do = dh * tanh_c
    da_o = do * o * (1 - o)
    dc = dc + dh * o * (1 - tanh_c**2) + da_o * p[1]  # read by the next step, by h and by the output gate
    df = dc * (c_prev - g)
    dg = dc * (1 - f)
    da_f = df * f * (1 - f)
    da_g = dg * (1 - g**2)
    dc_prev = dc * f + da_f * p[0]
    da = np.concatenate([da_f, da_o, da_g], axis=1)
    dx = da @ Wx.T
    dh_prev = da @ Wh.T
    dWx = x.T @ da
    dWh = h_prev.T @ da
    dp = np.stack([(da_f * c_prev).sum(axis=0), (da_o * c).sum(axis=0)])
    db = da.sum(axis=0)
    return {"dx": dx, "dh_prev": dh_prev, "dc_prev": dc_prev, "dWx": dWx, "dWh": dWh, "dp": dp, "db": db}
    # END SOLUTION


# Given: your two functions in the contract of tr.StepCell, and the loop around them -----------------------------------


def step(params, x, state):
    """x (B, m), state (h_prev, c_prev) -> (h, c), and what the way back needs: a dict, which the engine keeps."""
    h_prev, c_prev = state
    h, c, f, o, g = cell_step(x, h_prev, c_prev, **params)
    return (h, c), {"x": x, "h_prev": h_prev, "c_prev": c_prev, "f": f, "o": o, "g": g, "c": c}


def step_backward(params, cache, dstate):
    """Gradients (dh, dc) of the new state -> dx, (dh_prev, dc_prev), and those of the parameters, name -> array."""
    dh, dc = dstate
    back = cell_step_backward(dh, dc, **cache, Wx=params["Wx"], Wh=params["Wh"], p=params["p"])
    return back["dx"], (back["dh_prev"], back["dc_prev"]), {name: back[f"d{name}"] for name in params}


def network(weights, loss):
    """Your cell and a linear readout of the last h, y = h V + d, as a `tinyrnn.Model`.

    weights: a dict, Wx, Wh, p, b as in `cell_step`, V (n, outputs), d (outputs,). loss: "squared_error" or
    "cross_entropy".
    """
    import tinyrnn as tr

    n, outputs = weights["V"].shape
    params = {name: weights[name] for name in ("Wx", "Wh", "p", "b")}
    cell = tr.StepCell(step, step_backward, params=params, input_size=len(weights["Wx"]), state_sizes={"h": n, "c": n})
    readout = tr.Readout(n, outputs)
    readout.params["W"][...] = weights["V"]
    readout.params["b"][...] = weights["d"]
    return tr.Model(cell, readout, loss=loss, at="last")


def fit(weights, batch, rates, loss, own=True):
    """Trains: one update for each of `rates`, the learning rates. Returns the new weights, a dict as `weights`.

    batch: a function without arguments that gives x (T, B, m) and the targets. own: by your own `nadam_step` and
    `clip_factors`; else by the package's Adam and norm clipping.
    """
    from tinyrnn.optim.clipping import clip_by_norm
    from tinyrnn.optim.optimisers import Adam

    model, adam = network(weights, loss), Adam()
    average, memory = 1.0, {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in model.params.items()}
    losses = []
    for t, rate in enumerate(rates, 1):
        back = model.gradients(*batch())
        losses.append(back.loss)
        if not own:
            adam.step(model.params, clip_by_norm(back.params, 1.0)[0], lr=rate)
            continue
        (factor,), (average,) = clip_factors([back.params], average, 2.0)
        for name, w in model.params.items():
            dw = factor * back.params[name] if factor > 0 else np.zeros_like(w)
            w[...], *memory[name] = nadam_step(w.copy(), dw, *memory[name], t, rate, 0.9, 0.99, 1e-8, 1e-4)
    if losses:
        print(f"{len(losses)} updates, loss {np.mean(losses[:10]):.4f} at first, {np.mean(losses[-10:]):.4f} at last")
    names = {"V": "readout.W", "d": "readout.b"}
    return {name: model.params[names.get(name, f"layers.{name}")].copy() for name in weights}


def packed(weights):
    """All weights in one row of numbers: Wx, Wh, p, b, V, d one after the other. That is what you hand in."""
    return np.concatenate([weights[name].ravel() for name in ("Wx", "Wh", "p", "b", "V", "d")])


def adding_batch(rng, T, B):
    """B sequences of the adding task: x (T, B, 2) and the sums (B, 1). Of T random numbers two are marked, one in each
    half; their sum is wanted at the end."""
    values, marks, s = rng.random((T, B)), np.zeros((T, B)), np.arange(B)
    marks[rng.integers(0, T // 2, size=B), s] = 1
    marks[rng.integers(T // 2, T, size=B), s] = 1
    return np.stack([values, marks], axis=-1), (values * marks).sum(axis=0)[:, None]


def rows_of(images, source):
    """images (N, 28, 28), bytes, as sequences of 28 rows of 28 numbers from 0 to 1: x (28, N, 28)."""
    print(f"{len(images)} digits, {source}")
    return images.swapaxes(0, 1) / 255


# 5. Training ----------------------------------------------------------------------------------------------------------

# BEGIN SOLUTION


def start(rng, m, n, outputs, bias):
    """Weights to start from: scaled by the number of inputs, a forget gate that is open, no peepholes yet."""
    b = np.zeros(3 * n)
    b[:n] = bias
    return {
        "Wx": rng.normal(size=(m, 3 * n)) / np.sqrt(m),
        "Wh": rng.normal(size=(n, 3 * n)) / np.sqrt(n),
        "p": np.zeros((2, n)),
        "b": b,
        "V": rng.normal(size=(n, outputs)) / np.sqrt(n),
        "d": np.zeros(outputs),
    }


def cooling(rate, updates):
    """The same rate for half of the updates, then down to zero in a straight line."""
    done = np.arange(updates) / updates
    return rate * np.minimum(1, 2 * (1 - done))


# END SOLUTION


def train_adding(T, seed):
    """Your cell learns to add two marked numbers out of T.

    You choose the weights to start from, at most 32 units, and the learning rates; `adding_batch` makes sequences and
    `fit` does the rest, with your optimiser and your clipping. T: 16 to 24. seed: for `np.random.default_rng`.
    Returns the trained weights, `packed`: they are right if the mean squared error is at most 0.015 on sequences that
    you have not seen. (Answering 1 gives 0.167, knowing one of the two numbers 0.083.)
    """
    # BEGIN SOLUTION
    rng = np.random.default_rng(seed)
    weights = start(rng, 2, 12, 1, bias=1.0)
    rates = cooling(0.05, 150)
    weights = fit(weights, lambda: adding_batch(rng, T, 16), rates, "squared_error")
    return packed(weights)
    # END SOLUTION


def train_rows(images, labels, source, seed):
    """Your cell learns to read digits, row by row.

    images: (N, 28, 28), bytes. labels: integers (N,), 0 to 9. source: where they are from, for `rows_of` to print.
    seed: for `np.random.default_rng`. At most 32 units again; `fit` with own=False does not need sections 1 to 3.
    Returns the trained weights, `packed`, of a network with ten outputs: they are right if the cross-entropy is at most
    1.0 nats on 1000 digits that you have not seen, as `rows_of` makes them. (Guessing gives 2.30.)
    """
    # BEGIN SOLUTION
    rng = np.random.default_rng(seed)
    x, target = rows_of(images, source), labels.astype(int)

    def batch():
        chosen = rng.integers(0, len(images), size=32)
        return x[:, chosen], target[chosen]

    weights = start(rng, 28, 20, 10, bias=1.0)
    weights = fit(weights, batch, cooling(0.03, 110), "cross_entropy", own=False)
    return packed(weights)
    # END SOLUTION
