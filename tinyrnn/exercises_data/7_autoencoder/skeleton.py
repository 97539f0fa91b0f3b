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
    raise NotImplementedError("prefixes")


# 2. What is worth keeping ---------------------------------------------------------------------------------------------


def directions(Xi, p):
    """The p directions in which the rows of Xi have most of their energy, strongest first.

        Σ_t ‖Uᵀ ξ_t‖² is as large as it can be for p orthonormal columns of U, and Uᵀ Ξᵀ Ξ U is diagonal

    Xi: Ξ (n, d), not centred: nothing is taken off. p: a whole number, at most the rank. Any sign of a column will do.
    Returns U (d, p) and sigma (p,), where sigma_j² is the energy in direction j.
    """
    raise NotImplementedError("directions")


# 3. Two matrices ------------------------------------------------------------------------------------------------------


def memory(U, k, fade):
    """The encoder m_t = A x_t + B m_{t-1} whose state is m_t = Uᵀ ξ_t.

        ξ_t = Pᵀ x_t + γ Rᵀ ξ_{t-1}        P x: the first block of x        R x: every block one place to the left
        ξ_{t-1} = U m_{t-1}, as if nothing were lost

    U: (T k, p), orthonormal columns. k: numbers in a block. fade: γ. Returns A (p, k) and B (p, p), acting on columns.
    """
    raise NotImplementedError("memory")


def remember(x, A, B, mean):
    """Reads sequences into the memory, from m_0 = 0 (practice).

        m_t = A (x_t - mean) + B m_{t-1}

    x: (T, N, k). A: (p, k). B: (p, p). mean: (k,). Returns m (T, N, p), the state after each step.
    """
    raise NotImplementedError("remember")


# 4. Reading it back ---------------------------------------------------------------------------------------------------


def recall(m, A, B, mean, fade, steps):
    """The last inputs, from nothing but the last state.

    Where U keeps everything, m_t = Uᵀ ξ_t and ξ_t = U m_t hold exactly, A and B being those of `memory`. Express
    x_t - mean and m_{t-1} by m_t with A, B and γ, and go back in time.

    m: (N, p), the states after the last step. steps: how many inputs are wanted.
    Returns x (steps, N, k) in the order in which they were read: the last one is the newest.
    """
    raise NotImplementedError("recall")


# 5. A network that starts with a memory -------------------------------------------------------------------------------


def loaded(A, B, mean, gain, b_u):
    """Weights with which the network of section 6 is the autoencoder's memory, but for the bend of the tanh.

        h = tanh(gain A (x - mean))        and from there        m_t = A (x_t - mean) + B m_{t-1} + O(gain²)

    A: (p, k). B: (p, p). mean: (k,). gain: ε > 0. b_u: (p,), the bias of the write gate, which looks at nothing else
    yet. h has p units, and none of them looks at the memory yet.
    Returns a dict: "W_xh" (k, p), "W_mh" (p, p), "b_h" (p,), "W_xu" (k, p), "W_hm" (p, p), "W_mm" (p, p).
    """
    raise NotImplementedError("loaded")


# 6. The network -------------------------------------------------------------------------------------------------------


def lmn(x, m0, W_xh, W_mh, b_h, W_xu, b_u, W_hm, W_mm):
    """A linear memory network with a gate in front of its memory.

        h_t = tanh(x_t W_xh + m_{t-1} W_mh + b_h)        computes
        u_t = σ(x_t W_xu + b_u)                          decides what is written
        m_t = u_t ∘ (h_t W_hm) + m_{t-1} W_mm            remembers, linearly

    x: (T, N, k). m0: (N, p). W_xh (k, H), W_mh (p, H), b_h (H,), W_xu (k, p), b_u (p,), W_hm (H, p), W_mm (p, p).
    Returns m (T, N, p), h (T, N, H), u (T, N, p).
    """
    raise NotImplementedError("lmn")


# 7. And back ----------------------------------------------------------------------------------------------------------


def lmn_backward(dm, x, m0, m, h, u, W_xh, W_mh, W_xu, W_hm, W_mm):
    """The way back through `lmn`.

    dm: (T, N, p), what reads the memory from outside sends back, at each step. The others as in `lmn`, with what it
    returned.
    Returns a dict: "dx" (T, N, k), "dm0" (N, p), and of each weight's shape "dW_xh", "dW_mh", "db_h", "dW_xu", "db_u",
    "dW_hm", "dW_mm".
    """
    raise NotImplementedError("lmn_backward")
