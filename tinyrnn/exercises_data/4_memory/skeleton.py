"""Exercise 4: long memory by construction. Nothing in here is trained: weights are worked out on paper.

Vectors are rows: x is (B, m) for B sequences of m features, a state is (B, n), a layer is `x @ W`. `∘` is the product
entry by entry.
"""

import numpy as np

# Given: two networks to try your weights in ---------------------------------------------------------------------------


def sigmoid(a):
    """1 / (1 + e^-a), which never overflows."""
    return 0.5 * np.tanh(0.5 * a) + 0.5


def linear_memory(X, U, b, V, h0, W, relu=True):
    """A network that is linear in its state, h_t = h_{t-1} V + φ(x_t U + b) and y_t = h_t W, with φ = relu or none.

    X (T, B, m), U (m, n), b (n,), V (n, n), h0 (n,), W (n, k). Returns y after every step, (T, B, k).
    """
    entering = np.maximum(X @ U + b, 0) if relu else X @ U + b
    h, outputs = np.tile(h0, (X.shape[1], 1)), []
    for entered in entering:
        h = h @ V + entered
        outputs.append(h @ W)
    return np.array(outputs)


# Practice: adding with one unit ---------------------------------------------------------------------------------------


def adding_weights(top):
    """Weights by which a `linear_memory` with relu adds two marked numbers, however far back they are.

    x_t = (value, mark): values lie in [0, top], marks are 0 except for two, which are 1; y_T is to be the sum of the
    two values that are marked, to 1e-9 of top. top: a number > 0.
    Returns a dict of arrays: U (2, n), b (n,), V (n, n), h0 (n,), W (n, 1), with n from 1 to 64.
    """
    raise NotImplementedError("adding_weights")


# 1. How far open must a gate be ---------------------------------------------------------------------------------------


def forget_bias(steps, share):
    """The bias at which a forget gate with no other input keeps a certain share of the cell for so many steps.

        c_t = σ(bias) c_{t-1}           c_steps = share c_0

    steps, share: arrays of floats of one shape (k,); steps from 1 to 1e12, share between 0 and 1, neither included.
    Returns the biases (k,), to 1e-11: mind what is left of the digits of 1 - 1e-12.
    """
    raise NotImplementedError("forget_bias")


# 2. Adding and subtracting --------------------------------------------------------------------------------------------


def subtracting_weights(top):
    """Weights by which a `linear_memory` with relu subtracts one marked number from another.

    x_t = (value, mark): values lie in [0, top], marks are 0 except for one +1 and one -1, in either order; y_T is to be
    the value marked +1 minus the value marked -1, to 1e-9 of top. top: a number > 0.
    Returns a dict of arrays: U (2, n), b (n,), V (n, n), h0 (n,), W (n, 1), with n from 1 to 64.
    """
    raise NotImplementedError("subtracting_weights")


# 3. Adding without being able to --------------------------------------------------------------------------------------


def coupled_adding_weights(accuracy):
    """Weights by which the LSTM with coupled gates (exercise 3) adds two marked numbers, h0 = c0 = 0.

        a = x Wx + h_prev Wh + b        f, o = σ(a_f), σ(a_o)        g = tanh(a_g)
        c = f ∘ c_prev + (1 - f) ∘ g    h = o ∘ tanh(c)              y = h W

    x_t = (value, mark): values lie in [0, 1], marks are 0 except for two, which are 1; y_T is to be the sum of the two
    values that are marked, with an error below `accuracy`, a number from 1e-4 to 1e-2, after up to 300 steps.
    Returns a dict of arrays: Wx (2, 3n), Wh (n, 3n), b (3n,), blocks f, o, g; W (n, 1), with n from 1 to 16.
    """
    raise NotImplementedError("coupled_adding_weights")


# 4. A clock made of rotations -----------------------------------------------------------------------------------------


def clock_matrix(numbers, period):
    """The orthogonal matrix by which d hands turn, each by its own angle a step.

    A state is a row (p, q) of 2d numbers: hand j is the point (p_j, q_j), p in the first half and q in the second. A
    step turns it by θ_j = 2π numbers_j / period, from the first axis towards the second.
    numbers: integers (d,); period: an integer. Returns V (2d, 2d): (p, q) V is the state after a step.
    """
    raise NotImplementedError("clock_matrix")


# 5. When do all hands stand as at the start? --------------------------------------------------------------------------


def first_return(numbers, periods):
    """After how many steps all hands of a clock stand as they did at the start, for the first time.

    numbers, periods: integers (B, d), numbers >= 0 and periods >= 1: hand j of clock s turns by
    2π numbers[s, j] / periods[s, j] a step. Returns integers (B,), at least 1.
    """
    raise NotImplementedError("first_return")


# 6. What one symbol hears of another ----------------------------------------------------------------------------------


def crosstalk(codes, numbers, period, lags):
    """How much a symbol that was read some steps ago looks like each symbol now.

        scores[l, j, k] = u_j V^lags[l] · u_k        V = clock_matrix(numbers, period)
        loudest[l] = the largest |scores[l, j, k]| over all j and k

    codes (K, 2d): rows u_k, laid out as in `clock_matrix`; numbers: integers (d,); period: an integer; lags: integers
    >= 0, (L,). Returns scores (L, K, K), loudest (L,).
    """
    raise NotImplementedError("crosstalk")


# 7. Copying without being told when -----------------------------------------------------------------------------------


def copying_weights(codes, numbers, length, delay):
    """Weights by which a `linear_memory` without relu (b = 0) repeats what it has read, `delay` steps later.

        steps            1 … S       S+1 … S+T       S+T+1 … 2S+T          S = length, T = delay, at least 2 each
        input            symbols     blank           blank
        right answer     blank       blank           the symbols, in order

    x_t is one-hot (K+1), symbols 0 … K-1 and K for the blank. The answer is the largest of y_t (K+1), in the same
    order. Nothing in the input says when to begin.
    codes (K, 2d): random unit vectors; numbers (d,): random integers, which become a clock with the right period. Use
    them as you like.
    Returns a dict of arrays: U (K+1, n), V (n, n), h0 (n,), W (n, K+1), with n from 1 to 600.
    """
    raise NotImplementedError("copying_weights")
