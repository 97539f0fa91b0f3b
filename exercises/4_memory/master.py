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
    # BEGIN SOLUTION
    U = np.array([[1.0], [top]])
    return {"U": U, "b": np.array([-top]), "V": np.eye(1), "h0": np.zeros(1), "W": np.ones((1, 1))}
    # END SOLUTION


# 1. How far open must a gate be ---------------------------------------------------------------------------------------


def forget_bias(steps, share):
    """The bias at which a forget gate with no other input keeps a certain share of the cell for so many steps.

        c_t = σ(bias) c_{t-1}           c_steps = share c_0

    steps, share: arrays of floats of one shape (k,); steps from 1 to 1e12, share between 0 and 1, neither included.
    Returns the biases (k,), to 1e-11: mind what is left of the digits of 1 - 1e-12.
    """
    # BEGIN SOLUTION
    log_f = np.log(share) / steps  # σ(bias) = f  <=>  e^-bias = 1/f - 1
    return -np.log(np.expm1(-log_f))
    # END SOLUTION


# 2. Adding and subtracting --------------------------------------------------------------------------------------------


def subtracting_weights(top):
    """Weights by which a `linear_memory` with relu subtracts one marked number from another.

    x_t = (value, mark): values lie in [0, top], marks are 0 except for one +1 and one -1, in either order; y_T is to be
    the value marked +1 minus the value marked -1, to 1e-9 of top. top: a number > 0.
    Returns a dict of arrays: U (2, n), b (n,), V (n, n), h0 (n,), W (n, 1), with n from 1 to 64.
    """
    # BEGIN SOLUTION
    U = np.array([[1.0, 1.0], [top, -top]])  # a unit for each mark, which lets nothing else in
    b = np.array([-top, -top])
    V = np.eye(2)
    h0 = np.zeros(2)
    W = np.array([[1.0], [-1.0]])
    return {"U": U, "b": b, "V": V, "h0": h0, "W": W}
    # END SOLUTION


# 3. Adding without being able to --------------------------------------------------------------------------------------


def coupled_adding_weights(accuracy):
    """Weights by which the LSTM with coupled gates (exercise 3) adds two marked numbers, h0 = c0 = 0.

        a = x Wx + h_prev Wh + b        f, o = σ(a_f), σ(a_o)        g = tanh(a_g)
        c = f ∘ c_prev + (1 - f) ∘ g    h = o ∘ tanh(c)              y = h W

    x_t = (value, mark): values lie in [0, 1], marks are 0 except for two, which are 1; y_T is to be the sum of the two
    values that are marked, with an error below `accuracy`, a number from 1e-4 to 1e-2, after up to 300 steps.
    Returns a dict of arrays: Wx (2, 3n), Wh (n, 3n), b (3n,), blocks f, o, g; W (n, 1), with n from 1 to 16.
    """
    # BEGIN SOLUTION
    portion = accuracy / 10  # of the cell that a marked value takes: the first is left with 1 - portion of that
    small = np.sqrt(accuracy) / 10  # tanh(small v) is small v, but for small² / 3 of it
    shut = 40.0  # 1 - σ(40) is nothing beside 1
    ajar = np.log((1 - portion) / portion)  # σ(ajar) = 1 - portion
    Wx = np.array([[0.0, 0.0, small], [ajar - shut, 0.0, 0.0]])
    Wh = np.zeros((1, 3))
    b = np.array([shut, shut, 0.0])
    W = np.array([[1 / (portion * small)]])
    return {"Wx": Wx, "Wh": Wh, "b": b, "W": W}
    # END SOLUTION


# 4. A clock made of rotations -----------------------------------------------------------------------------------------


def clock_matrix(numbers, period):
    """The orthogonal matrix by which d hands turn, each by its own angle a step.

    A state is a row (p, q) of 2d numbers: hand j is the point (p_j, q_j), p in the first half and q in the second. A
    step turns it by θ_j = 2π numbers_j / period, from the first axis towards the second.
    numbers: integers (d,); period: an integer. Returns V (2d, 2d): (p, q) V is the state after a step.
    """
    # BEGIN SOLUTION
    angles = 2 * np.pi * numbers / period
    C = np.diag(np.cos(angles))
    S = np.diag(np.sin(angles))
    return np.block([[C, S], [-S, C]])
    # END SOLUTION


# 5. When do all hands stand as at the start? --------------------------------------------------------------------------


def first_return(numbers, periods):
    """After how many steps all hands of a clock stand as they did at the start, for the first time.

    numbers, periods: integers (B, d), numbers >= 0 and periods >= 1: hand j of clock s turns by
    2π numbers[s, j] / periods[s, j] a step. Returns integers (B,), at least 1.
    """
    # BEGIN SOLUTION
    turns = periods // np.gcd(numbers, periods)  # steps after which each hand is back; gcd(0, p) = p
    return np.lcm.reduce(turns, axis=1)
    # END SOLUTION


# 6. What one symbol hears of another ----------------------------------------------------------------------------------


def crosstalk(codes, numbers, period, lags):
    """How much a symbol that was read some steps ago looks like each symbol now.

        scores[l, j, k] = u_j V^lags[l] · u_k        V = clock_matrix(numbers, period)
        loudest[l] = the largest |scores[l, j, k]| over all j and k

    codes (K, 2d): rows u_k, laid out as in `clock_matrix`; numbers: integers (d,); period: an integer; lags: integers
    >= 0, (L,). Returns scores (L, K, K), loudest (L,).
    """
    # BEGIN SOLUTION
    d = len(numbers)
    hands = codes[:, :d] + 1j * codes[:, d:]
    turns = np.exp(2j * np.pi * np.outer(lags, numbers) / period)  # (L, d)
    scores = np.einsum("jd,ld,kd->ljk", hands, turns, hands.conj()).real
    return scores, abs(scores).max(axis=(1, 2))
    # END SOLUTION


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
    # BEGIN SOLUTION
    K, units = len(codes), codes.shape[1] + 1
    U = np.zeros((K + 1, units))
    U[:K, :-1] = codes
    U[K, -1] = -1.0  # each blank takes one off the counter, the last unit
    V = np.eye(units)
    V[:-1, :-1] = clock_matrix(numbers, length + delay)
    h0 = np.zeros(units)
    h0[-1] = delay + 0.5  # ½ is left at the last blank that is due, and -½ one step later
    W = np.zeros((units, K + 1))
    W[:-1, :K] = codes.T
    W[-1, K] = 2.0  # so the blank scores 1, then -1: other symbols score about 0, the right one about 1
    return {"U": U, "V": V, "h0": h0, "W": W}
    # END SOLUTION
