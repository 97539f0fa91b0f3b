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
    raise NotImplementedError("lstm_step")


def lstm_step_backward(dh, dc, x, h_prev, c_prev, i, f, o, g, c, Wx, Wh):
    """The way back through `lstm_step`.

    dh, dc (B, n): gradients of h and c, from everything that comes after this step; the others as in `lstm_step`.
    Returns a dict: dx (B, m), dh_prev and dc_prev (B, n), dWx (m, 4n), dWh (n, 4n), db (4n,).
    """
    raise NotImplementedError("lstm_step_backward")


def gru_step(x, h_prev, Wx, Wh, b, bn):
    """One step of the GRU that resets after the product, blocks r, z, n.

        a = x Wx + b                    u = h_prev Wh
        r, z = σ(a_r + u_r), σ(a_z + u_z)
        n = tanh(a_n + r ∘ (u_n + bn))
        h = (1 - z) ∘ n + z ∘ h_prev

    x (B, m), h_prev (B, k), Wx (m, 3k), Wh (k, 3k), b (3k,), bn (k,).
    Returns h, r, z, n, all (B, k).
    """
    raise NotImplementedError("gru_step")


def gru_step_backward(dh, x, h_prev, r, z, n, Wx, Wh, bn):
    """The way back through `gru_step`.

    dh (B, k): gradient of h; the others as in `gru_step`.
    Returns a dict: dx (B, m), dh_prev (B, k), dWx (m, 3k), dWh (k, 3k), db (3k,), dbn (k,).
    """
    raise NotImplementedError("gru_step_backward")


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
    raise NotImplementedError("gate_table")


# 2. One step with coupled gates ---------------------------------------------------------------------------------------


def coupled_step(x, h_prev, c_prev, Wx, Wh, b):
    """One step of the LSTM with coupled gates: what is forgotten makes room for what comes in. Gates f, o, g.

        a = x Wx + h_prev Wh + b        f, o = σ(a_f), σ(a_o)        g = tanh(a_g)
        c = f ∘ c_prev + (1 - f) ∘ g    h = o ∘ tanh(c)

    x (B, m), h_prev and c_prev (B, n), Wx (m, 3n), Wh (n, 3n), b (3n,).
    Returns h, c, f, o, g, all (B, n).
    """
    raise NotImplementedError("coupled_step")


# 3. One step back -----------------------------------------------------------------------------------------------------


def coupled_step_backward(dh, dc, x, h_prev, c_prev, f, o, g, c, Wx, Wh):
    """The way back through `coupled_step`.

    dh, dc (B, n): gradients of h and c, from everything that comes after this step; the others as in `coupled_step`,
    with the gates and c that it returned.
    Returns a dict: dx (B, m), dh_prev and dc_prev (B, n), dWx (m, 3n), dWh (n, 3n), db (3n,).
    """
    raise NotImplementedError("coupled_step_backward")


# 4. The sequence ------------------------------------------------------------------------------------------------------


def coupled_sequence(X, mask, h0, c0, Wx, Wh, b):
    """`coupled_step` over whole sequences, not all of them equally long.

    X (T, B, m); mask (T, B), booleans; h0, c0 (B, n); weights as in `coupled_step`. Where mask[t, s] is False, sequence
    s pauses: its h and c after step t are those before it. The gates are computed there all the same.
    Returns H, C (states after each step), all_f, all_o, all_g (gates at each step), all (T, B, n).
    """
    raise NotImplementedError("coupled_sequence")


# 5. Back through time -------------------------------------------------------------------------------------------------


def coupled_sequence_backward(dH, dh_T, dc_T, X, mask, h0, c0, H, C, all_f, all_o, all_g, Wx, Wh):
    """The way back through `coupled_sequence`.

    dH (T, B, n): gradients of H, of what reads the states from outside; dh_T, dc_T (B, n): further gradients of the
    last h and c; the others as in `coupled_sequence`, with what it returned.
    Returns a dict: dX (T, B, m), dh0 and dc0 (B, n), dWx (m, 3n), dWh (n, 3n), db (3n,).
    """
    raise NotImplementedError("coupled_sequence_backward")


# 6. Where a gradient can get through ----------------------------------------------------------------------------------


def coupled_jacobian(c_prev, f, o, g, c, Wh):
    """The Jacobian of `coupled_step` in its states, a matrix for each of B sequences.

    c_prev, f, o, g, c (B, n): of that step; Wh (n, 3n).
    Returns a dict of arrays (B, n, n): hh, hc, ch, cc; ch[s, j, k] is the derivative of sequence s's c_j, after the
    step, in its h_k, before it: the first letter is what changes, the second what it is changed by.
    """
    raise NotImplementedError("coupled_jacobian")


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
    raise NotImplementedError("mgu_step_backward")
