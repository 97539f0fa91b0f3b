"""Exercise 7: a memory in closed form, and a network that starts with it.

A and B are those of the papers and act on columns, m_t = A x_t + B m_{t-1}; all arrays of data have a row for each
sequence, so that they meet the matrices transposed. The weights of the network act on rows, as everywhere in this
course: `x @ W`. The gradient of `foo` is called `dfoo`. Everything is float64, and no function changes its arguments.
"""

import numpy as np

# Given ----------------------------------------------------------------------------------------------------------------


def sigmoid(a):
    """1 / (1 + e^-a), which never overflows."""
    return 0.5 * np.tanh(0.5 * a) + 0.5


# 1. The past in a row -------------------------------------------------------------------------------------------------


def prefixes(x, lengths, fade):
    """All reversed, fading prefixes of some sequences, a row for each step of each sequence.

        ξ_t = [x_t, γ x_{t-1}, γ² x_{t-2}, …, γ^{t-1} x_1, 0, …, 0]        x less the mean

    x: (T, B, k); of sequence s only the first lengths[s] steps are real, what follows is junk. lengths: integers (B,),
    the largest is T. fade: γ, from 0 to 1, 0 excluded. The mean is that of all real inputs.
    Returns Xi (n, T k), n the sum of the lengths, first all steps of sequence 0 in their order, then those of sequence
    1, and so on; and mean (k,).
    """
    # BEGIN SOLUTION
    T, B, k = x.shape
    real = np.concatenate([x[: lengths[s], s] for s in range(B)])
    mean = real.mean(axis=0)
    rows = []
    for s in range(B):
        centred = x[:, s] - mean
        for t in range(lengths[s]):
            row = np.zeros((T, k))
            row[: t + 1] = centred[t::-1]
            row *= fade ** np.arange(T)[:, None]
            rows.append(row.ravel())
    return np.stack(rows), mean
    # END SOLUTION


# 2. What is worth keeping ---------------------------------------------------------------------------------------------


def directions(Xi, p):
    """The p directions in which the rows of Xi have most of their energy, strongest first.

        Σ_t ‖Uᵀ ξ_t‖² is as large as it can be for p orthonormal columns of U, and Uᵀ Ξᵀ Ξ U is diagonal

    Xi: Ξ (n, d), not centred: nothing is taken off. p: a whole number, at most the rank. Any sign of a column will do.
    Returns U (d, p) and sigma (p,), where sigma_j² is the energy in direction j.
    """
    # BEGIN SOLUTION
    _, sigma, Ut = np.linalg.svd(Xi, full_matrices=False)
    U = Ut[:p].T
    return U, sigma[:p]
    # END SOLUTION


# 3. Two matrices ------------------------------------------------------------------------------------------------------


def memory(U, k, fade):
    """The encoder m_t = A x_t + B m_{t-1} whose state is m_t = Uᵀ ξ_t.

        ξ_t = Pᵀ x_t + γ Rᵀ ξ_{t-1}        P x: the first block of x        R x: every block one place to the left
        ξ_{t-1} = U m_{t-1}, as if nothing were lost

    U: (T k, p), orthonormal columns. k: numbers in a block. fade: γ. Returns A (p, k) and B (p, p), acting on columns.
    """
    # BEGIN SOLUTION
    A = U[:k].T
    B = fade * U[k:].T @ U[:-k]
    return A, B
    # END SOLUTION


def remember(x, A, B, mean):
    """Reads sequences into the memory, from m_0 = 0 (practice).

        m_t = A (x_t - mean) + B m_{t-1}

    x: (T, N, k). A: (p, k). B: (p, p). mean: (k,). Returns m (T, N, p), the state after each step.
    """
    # BEGIN SOLUTION
    T, N, _ = x.shape
    m = np.zeros((T, N, len(A)))
    before = np.zeros((N, len(A)))
    for t in range(T):
        before = (x[t] - mean) @ A.T + before @ B.T
        m[t] = before
    return m
    # END SOLUTION


# 4. Reading it back ---------------------------------------------------------------------------------------------------


def recall(m, A, B, mean, fade, steps):
    """The last inputs, from nothing but the last state.

    Where U keeps everything, m_t = Uᵀ ξ_t and ξ_t = U m_t hold exactly, A and B being those of `memory`. Express
    x_t - mean and m_{t-1} by m_t with A, B and γ, and go back in time.

    m: (N, p), the states after the last step. steps: how many inputs are wanted.
    Returns x (steps, N, k) in the order in which they were read: the last one is the newest.
    """
    # BEGIN SOLUTION
    x = np.zeros((steps, len(m), len(mean)))
    for t in reversed(range(steps)):
        x[t] = m @ A + mean
        m = m @ B / fade**2
    return x
    # END SOLUTION


# 5. A network that starts with a memory -------------------------------------------------------------------------------


def loaded(A, B, mean, gain, b_u):
    """Weights with which the network of section 6 is the autoencoder's memory, but for the bend of the tanh.

        h = tanh(gain A (x - mean))        and from there        m_t = A (x_t - mean) + B m_{t-1} + O(gain²)

    A: (p, k). B: (p, p). mean: (k,). gain: ε > 0. b_u: (p,), the bias of the write gate, which looks at nothing else
    yet. h has p units, and none of them looks at the memory yet.
    Returns a dict: "W_xh" (k, p), "W_mh" (p, p), "b_h" (p,), "W_xu" (k, p), "W_hm" (p, p), "W_mm" (p, p).
    """
    # BEGIN SOLUTION
    p, k = A.shape
    W_xh = gain * A.T
    b_h = -gain * A @ mean
    W_hm = np.eye(p) / (gain * sigmoid(b_u))
    return {
        "W_xh": W_xh,
        "W_mh": np.zeros((p, p)),
        "b_h": b_h,
        "W_xu": np.zeros((k, p)),
        "W_hm": W_hm,
        "W_mm": B.T,
    }
    # END SOLUTION


# 6. The network -------------------------------------------------------------------------------------------------------


def lmn(x, m0, W_xh, W_mh, b_h, W_xu, b_u, W_hm, W_mm):
    """A linear memory network with a gate in front of its memory.

        h_t = tanh(x_t W_xh + m_{t-1} W_mh + b_h)        computes
        u_t = σ(x_t W_xu + b_u)                          decides what is written
        m_t = u_t ∘ (h_t W_hm) + m_{t-1} W_mm            remembers, linearly

    x: (T, N, k). m0: (N, p). W_xh (k, H), W_mh (p, H), b_h (H,), W_xu (k, p), b_u (p,), W_hm (H, p), W_mm (p, p).
    Returns m (T, N, p), h (T, N, H), u (T, N, p).
    """
    # BEGIN SOLUTION
    T, N, _ = x.shape
    m, h, u = np.zeros((T, *m0.shape)), np.zeros((T, N, len(b_h))), np.zeros((T, *m0.shape))
    for t in range(T):
        m_prev = m[t - 1] if t > 0 else m0
        h[t] = np.tanh(x[t] @ W_xh + m_prev @ W_mh + b_h)
        u[t] = sigmoid(x[t] @ W_xu + b_u)
        v = h[t] @ W_hm
        m[t] = u[t] * v + m_prev @ W_mm
    return m, h, u
    # END SOLUTION


# 7. And back ----------------------------------------------------------------------------------------------------------


def lmn_backward(dm, x, m0, m, h, u, W_xh, W_mh, W_xu, W_hm, W_mm):
    """The way back through `lmn`.

    dm: (T, N, p), what reads the memory from outside sends back, at each step. The others as in `lmn`, with what it
    returned.
    Returns a dict: "dx" (T, N, k), "dm0" (N, p), and of each weight's shape "dW_xh", "dW_mh", "db_h", "dW_xu", "db_u",
    "dW_hm", "dW_mm".
    """
    # BEGIN SOLUTION
    dx = np.zeros_like(x)
    dW_xh, dW_mh, db_h = np.zeros_like(W_xh), np.zeros_like(W_mh), np.zeros(W_xh.shape[1])
    dW_xu, db_u = np.zeros_like(W_xu), np.zeros(W_xu.shape[1])
    dW_hm, dW_mm = np.zeros_like(W_hm), np.zeros_like(W_mm)
    dm_prev = np.zeros_like(m0)
    for t in reversed(range(len(x))):
        m_prev = m[t - 1] if t > 0 else m0
        dm_t = dm_prev + dm[t]
        dv = dm_t * u[t]
        du = dm_t * (h[t] @ W_hm)
        da_u = du * u[t] * (1 - u[t])
        dh = dv @ W_hm.T
        da_h = dh * (1 - h[t] ** 2)
        dx[t] = da_h @ W_xh.T + da_u @ W_xu.T
        dW_xh += x[t].T @ da_h
        dW_mh += m_prev.T @ da_h
        db_h += da_h.sum(axis=0)
        dW_xu += x[t].T @ da_u
        db_u += da_u.sum(axis=0)
        dW_hm += h[t].T @ dv
        dW_mm += m_prev.T @ dm_t
        dm_prev = dm_t @ W_mm.T + da_h @ W_mh.T
    return {
        "dx": dx,
        "dm0": dm_prev,
        "dW_xh": dW_xh,
        "dW_mh": dW_mh,
        "db_h": db_h,
        "dW_xu": dW_xu,
        "db_u": db_u,
        "dW_hm": dW_hm,
        "dW_mm": dW_mm,
    }
    # END SOLUTION
