"""Exercise 3: gates. LSTM, GRU, and relatives of theirs that share a gate.

Vectors are rows: x is (B, m) for B sequences of m features, a state is (B, n), a layer is `x @ W`. Gates stand side by
side along the last axis of weights and biases, in the order given. Products of matrices have no sign in equations, `∘`
is the product entry by entry. The gradient of `foo` is called `dfoo`.
"""

import numpy as np

# Given ----------------------------------------------------------------------------------------------------------------


def sigmoid(a):
    """1 / (1 + e^-a), which never overflows."""
    return 0.5 * np.tanh(0.5 * a) + 0.5


# Practice: the LSTM and the GRU ---------------------------------------------------------------------------------------


def lstm_step(x, h_prev, c_prev, Wx, Wh, b):
    """One step of the LSTM, gates i, f, o, g.

        a = x Wx + h_prev Wh + b        i, f, o = σ(a_i), σ(a_f), σ(a_o)        g = tanh(a_g)
        c = f ∘ c_prev + i ∘ g          h = o ∘ tanh(c)

    x (B, m), h_prev and c_prev (B, n), Wx (m, 4n), Wh (n, 4n), b (4n,).
    Returns h, c, i, f, o, g, all (B, n).
    """
    # BEGIN SOLUTION
    a = x @ Wx + h_prev @ Wh + b
    a_i, a_f, a_o, a_g = np.split(a, 4, axis=1)
    i = sigmoid(a_i)
    f = sigmoid(a_f)
    o = sigmoid(a_o)
    g = np.tanh(a_g)
    c = f * c_prev + i * g
    h = o * np.tanh(c)
    return h, c, i, f, o, g
    # END SOLUTION


def lstm_step_backward(dh, dc, x, h_prev, c_prev, i, f, o, g, c, Wx, Wh):
    """The way back through `lstm_step`.

    dh, dc (B, n): gradients of h and c, from everything that comes after this step; the others as in `lstm_step`.
    Returns a dict: dx (B, m), dh_prev and dc_prev (B, n), dWx (m, 4n), dWh (n, 4n), db (4n,).
    """
    # BEGIN SOLUTION
    tanh_c = np.tanh(c)
    do = dh * tanh_c
    dtanh_c = dh * o
    dc = dc + dtanh_c * (1 - tanh_c**2)  # c feeds both h and the next step
    df = dc * c_prev
    di = dc * g
    dg = dc * i
    dc_prev = dc * f
    da = np.concatenate([di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g**2)], axis=1)
    dx = da @ Wx.T
    dh_prev = da @ Wh.T
    dWx = x.T @ da
    dWh = h_prev.T @ da
    db = da.sum(axis=0)
    return {"dx": dx, "dh_prev": dh_prev, "dc_prev": dc_prev, "dWx": dWx, "dWh": dWh, "db": db}
    # END SOLUTION


def gru_step(x, h_prev, Wx, Wh, b, bn):
    """One step of the GRU that resets after the product, blocks r, z, n.

        a = x Wx + b                    u = h_prev Wh
        r, z = σ(a_r + u_r), σ(a_z + u_z)
        n = tanh(a_n + r ∘ (u_n + bn))
        h = (1 - z) ∘ n + z ∘ h_prev

    x (B, m), h_prev (B, k), Wx (m, 3k), Wh (k, 3k), b (3k,), bn (k,).
    Returns h, r, z, n, all (B, k).
    """
    # BEGIN SOLUTION
    a = x @ Wx + b
    u = h_prev @ Wh
    a_r, a_z, a_n = np.split(a, 3, axis=1)
    u_r, u_z, u_n = np.split(u, 3, axis=1)
    r = sigmoid(a_r + u_r)
    z = sigmoid(a_z + u_z)
    n = np.tanh(a_n + r * (u_n + bn))
    h = (1 - z) * n + z * h_prev
    return h, r, z, n
    # END SOLUTION


def gru_step_backward(dh, x, h_prev, r, z, n, Wx, Wh, bn):
    """The way back through `gru_step`.

    dh (B, k): gradient of h; the others as in `gru_step`.
    Returns a dict: dx (B, m), dh_prev (B, k), dWx (m, 3k), dWh (k, 3k), db (3k,), dbn (k,).
    """
    # BEGIN SOLUTION
    k = h_prev.shape[1]
    dn = dh * (1 - z)
    dz = dh * (h_prev - n)
    da_n = dn * (1 - n**2)
    dr = da_n * (h_prev @ Wh[:, 2 * k :] + bn)
    du_n = da_n * r
    da_r = dr * r * (1 - r)
    da_z = dz * z * (1 - z)
    da = np.concatenate([da_r, da_z, da_n], axis=1)
    du = np.concatenate([da_r, da_z, du_n], axis=1)
    dh_prev = dh * z + du @ Wh.T
    dx = da @ Wx.T
    dWx = x.T @ da
    dWh = h_prev.T @ du
    db = da.sum(axis=0)
    dbn = du_n.sum(axis=0)
    return {"dx": dx, "dh_prev": dh_prev, "dWx": dWx, "dWh": dWh, "db": db, "dbn": dbn}
    # END SOLUTION


# 1. What the gates are for --------------------------------------------------------------------------------------------


def gate_table(commands):
    """Weights by which one LSTM cell obeys commands.

    The input of a step is v = (value, command, read, 1), seven numbers: value is any number in [-2, 2]; command is four
    numbers, one of them 1 and the others 0, in the order of `commands`; read is 0 or 1. Gates look at nothing else:

        i = σ(v · w_i)    f = σ(v · w_f)    o = σ(v · w_o)    g = tanh(v · w_g)    c = f c_prev + i g    h = o tanh(c)

        "keep":  c = c_prev             "add":   c = c_prev + tanh(value)
        "erase": c = 0                  "write": c = tanh(value)
        read:    h = tanh(c) if it is 1, whatever the command; h = 0 if it is 0

    commands: a tuple of the four words, in any order. "=" is to hold to 1e-6 (no sigmoid is ever quite 0 or 1).
    Returns a dict of arrays (7,): i, f, o, g, the weights w.
    """
    # BEGIN SOLUTION
    wide = 40.0  # σ(±20) is 2e-9 away from 0 or 1
    opened_by = {"i": ("add", "write"), "f": ("keep", "add")}
    weights = {gate: np.zeros(7) for gate in "ifog"}
    for gate, openers in opened_by.items():
        weights[gate][-1] = -wide / 2
        for place, command in enumerate(commands):
            weights[gate][1 + place] = wide * (command in openers)
    weights["o"][5], weights["o"][6] = wide, -wide / 2
    weights["g"][0] = 1.0
    return weights
    # END SOLUTION


# 2. One step with coupled gates ---------------------------------------------------------------------------------------


def coupled_step(x, h_prev, c_prev, Wx, Wh, b):
    """One step of the LSTM with coupled gates: what is forgotten makes room for what comes in. Gates f, o, g.

        a = x Wx + h_prev Wh + b        f, o = σ(a_f), σ(a_o)        g = tanh(a_g)
        c = f ∘ c_prev + (1 - f) ∘ g    h = o ∘ tanh(c)

    x (B, m), h_prev and c_prev (B, n), Wx (m, 3n), Wh (n, 3n), b (3n,).
    Returns h, c, f, o, g, all (B, n).
    """
    # BEGIN SOLUTION
    a = x @ Wx + h_prev @ Wh + b
    a_f, a_o, a_g = np.split(a, 3, axis=1)
    f = sigmoid(a_f)
    o = sigmoid(a_o)
    g = np.tanh(a_g)
    c = f * c_prev + (1 - f) * g
    h = o * np.tanh(c)
    return h, c, f, o, g
    # END SOLUTION


# 3. One step back -----------------------------------------------------------------------------------------------------


def coupled_step_backward(dh, dc, x, h_prev, c_prev, f, o, g, c, Wx, Wh):
    """The way back through `coupled_step`.

    dh, dc (B, n): gradients of h and c, from everything that comes after this step; the others as in `coupled_step`,
    with the gates and c that it returned.
    Returns a dict: dx (B, m), dh_prev and dc_prev (B, n), dWx (m, 3n), dWh (n, 3n), db (3n,).
    """
    # BEGIN SOLUTION
    tanh_c = np.tanh(c)
    do = dh * tanh_c
    dc = dc + dh * o * (1 - tanh_c**2)  # by h, and by the next step
    df = dc * (c_prev - g)  # f lets the old in and keeps the new out
    dg = dc * (1 - f)
    dc_prev = dc * f
    da_f = df * f * (1 - f)
    da_o = do * o * (1 - o)
    da_g = dg * (1 - g**2)
    da = np.concatenate([da_f, da_o, da_g], axis=1)
    dx = da @ Wx.T
    dh_prev = da @ Wh.T
    dWx = x.T @ da
    dWh = h_prev.T @ da
    db = da.sum(axis=0)
    return {"dx": dx, "dh_prev": dh_prev, "dc_prev": dc_prev, "dWx": dWx, "dWh": dWh, "db": db}
    # END SOLUTION


# 4. The sequence ------------------------------------------------------------------------------------------------------


def coupled_sequence(X, mask, h0, c0, Wx, Wh, b):
    """`coupled_step` over whole sequences, not all of them equally long.

    X (T, B, m); mask (T, B), booleans; h0, c0 (B, n); weights as in `coupled_step`. Where mask[t, s] is False, sequence
    s pauses: its h and c after step t are those before it. The gates are computed there all the same.
    Returns H, C (states after each step), all_f, all_o, all_g (gates at each step), all (T, B, n).
    """
    # BEGIN SOLUTION
    shape = (len(X), *h0.shape)
    H, C, all_f, all_o, all_g = (np.zeros(shape) for _ in range(5))
    h, c = h0, c0
    for t in range(len(X)):
        on = mask[t][:, None]
        h_new, c_new, all_f[t], all_o[t], all_g[t] = coupled_step(X[t], h, c, Wx, Wh, b)
        h = np.where(on, h_new, h)
        c = np.where(on, c_new, c)
        H[t] = h
        C[t] = c
    return H, C, all_f, all_o, all_g
    # END SOLUTION


# 5. Back through time -------------------------------------------------------------------------------------------------


def coupled_sequence_backward(dH, dh_T, dc_T, X, mask, h0, c0, H, C, all_f, all_o, all_g, Wx, Wh):
    """The way back through `coupled_sequence`.

    dH (T, B, n): gradients of H, of what reads the states from outside; dh_T, dc_T (B, n): further gradients of the
    last h and c; the others as in `coupled_sequence`, with what it returned.
    Returns a dict: dX (T, B, m), dh0 and dc0 (B, n), dWx (m, 3n), dWh (n, 3n), db (3n,).
    """
    # BEGIN SOLUTION
    dh, dc = dh_T, dc_T
    dX = np.zeros_like(X)
    dWx, dWh, db = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros(Wh.shape[1])
    for t in reversed(range(len(X))):
        on = mask[t][:, None]
        h_prev, c_prev = (H[t - 1], C[t - 1]) if t > 0 else (h0, c0)
        dh = dh + dH[t]
        gates = all_f[t], all_o[t], all_g[t]
        back = coupled_step_backward(dh * on, dc * on, X[t], h_prev, c_prev, *gates, C[t], Wx, Wh)
        dX[t] = back["dx"]
        dWx += back["dWx"]
        dWh += back["dWh"]
        db += back["db"]
        dh = np.where(on, back["dh_prev"], dh)
        dc = np.where(on, back["dc_prev"], dc)
    return {"dX": dX, "dh0": dh, "dc0": dc, "dWx": dWx, "dWh": dWh, "db": db}
    # END SOLUTION


# 6. Where a gradient can get through ----------------------------------------------------------------------------------


def coupled_jacobian(c_prev, f, o, g, c, Wh):
    """The Jacobian of `coupled_step` in its states, a matrix for each of B sequences.

    c_prev, f, o, g, c (B, n): of that step; Wh (n, 3n).
    Returns a dict of arrays (B, n, n): hh, hc, ch, cc; ch[s, j, k] is the derivative of sequence s's c_j, after the
    step, in its h_k, before it: the first letter is what changes, the second what it is changed by.
    """
    # BEGIN SOLUTION
    n = f.shape[1]
    Wf, Wo, Wg = np.split(Wh, 3, axis=1)
    tanh_c = np.tanh(c)
    by_f = (c_prev - g) * f * (1 - f)
    by_g = (1 - f) * (1 - g**2)
    ch = by_f[:, :, None] * Wf.T + by_g[:, :, None] * Wg.T
    cc = f[:, :, None] * np.eye(n)
    through_c = (o * (1 - tanh_c**2))[:, :, None]
    hh = through_c * ch + (tanh_c * o * (1 - o))[:, :, None] * Wo.T
    hc = through_c * cc
    return {"hh": hh, "hc": hc, "ch": ch, "cc": cc}
    # END SOLUTION


# 7. A cell you have not met -------------------------------------------------------------------------------------------


def mgu_step(x, h_prev, Wx, Wh, b):
    """Given: one step of the minimal gated unit (Zhou et al. 2016), a GRU whose one gate does both jobs. Blocks f, n.

        f = σ(x Wx_f + h_prev Wh_f + b_f)
        n = tanh(x Wx_n + (f ∘ h_prev) Wh_n + b_n)
        h = (1 - f) ∘ h_prev + f ∘ n

    x (B, m), h_prev (B, k), Wx (m, 2k), Wh (k, 2k), b (2k,). Returns h, f, n, all (B, k).
    """
    k = h_prev.shape[1]
    a = x @ Wx + b
    a_f, a_n = np.split(a, 2, axis=1)
    f = sigmoid(a_f + h_prev @ Wh[:, :k])
    s = f * h_prev
    n = np.tanh(a_n + s @ Wh[:, k:])
    h = (1 - f) * h_prev + f * n
    return h, f, n


def mgu_step_backward(dh, x, h_prev, f, n, Wx, Wh):
    """The way back through `mgu_step`.

    dh (B, k): gradient of h; the others as in `mgu_step`, with what it returned.
    Returns a dict: dx (B, m), dh_prev (B, k), dWx (m, 2k), dWh (k, 2k), db (2k,).
    """
    # BEGIN SOLUTION
    k = h_prev.shape[1]
    s = f * h_prev
    dn = dh * f
    da_n = dn * (1 - n**2)
    ds = da_n @ Wh[:, k:].T
    df = dh * (n - h_prev) + ds * h_prev  # f is read twice
    da_f = df * f * (1 - f)
    dh_prev = dh * (1 - f) + ds * f + da_f @ Wh[:, :k].T  # h_prev three times
    da = np.concatenate([da_f, da_n], axis=1)
    dx = da @ Wx.T
    dWx = x.T @ da
    dWh = np.concatenate([h_prev.T @ da_f, s.T @ da_n], axis=1)
    db = da.sum(axis=0)
    return {"dx": dx, "dh_prev": dh_prev, "dWx": dWx, "dWh": dWh, "db": db}
    # END SOLUTION
