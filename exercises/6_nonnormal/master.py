"""Exercise 6: networks whose memory eigenvalues do not tell.

Matrices are for columns: h_t = W h_{t-1} + V s_t, and W[i, j] is the weight from unit j to unit i.
"""

import numpy as np

# practice: what the package contains as well ---------------------------------------------------------------------


def chain(n, alpha):
    """A delay line: unit j drives unit j + 1 with the weight alpha, and nothing else. Returns W (n, n)."""
    # BEGIN SOLUTION
    W = np.zeros((n, n))
    unit = np.arange(n - 1)
    W[unit + 1, unit] = alpha
    return W
    # END SOLUTION


def henrici(W):
    """Henrici's index d(W) = sqrt(||W||_F^2 - sum_i |lambda_i|^2) of W (n, n), a number."""
    # BEGIN SOLUTION
    eigenvalues = np.linalg.eigvals(W)
    return np.sqrt((W**2).sum() - (abs(eigenvalues) ** 2).sum())
    # END SOLUTION


# graded ----------------------------------------------------------------------------------------------------------


def feedback_chain(forth, back, own):
    """A chain with feedback in which every connection has a weight of its own.

    forth (n-1,): forth[j] from unit j to unit j + 1; back (n-1,): back[j] from unit j + 1 to unit j; own (n,): own[j]
    from unit j to itself. Returns W (n, n).
    """
    # BEGIN SOLUTION
    W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)
    return W
    # END SOLUTION


def covariance(W, Q, steps):
    """The covariance of h after so many steps of h_t = W h_{t-1} + z_t from h_0 = 0, where each z_t has covariance Q.

        C = sum_{k < steps} W^k Q (W^k)^T

    W (n, n) any matrix, stable or not; Q (n, n) symmetric; steps a number, at least 1. Returns C (n, n).
    """
    # BEGIN SOLUTION
    C = np.zeros_like(Q)
    for _ in range(steps):
        C = W @ C @ W.T + Q
    return C
    # END SOLUTION


def memory(W, V, C, steps):
    """The Fisher memory matrices: how well the m inputs of k steps ago can be told from h, for k = 0 ... steps - 1.

        J(k) = (W^k V)^T C^-1 W^k V

    W (n, n), V (n, m), C (n, n) the covariance of the noise in h. Returns J (steps, m, m).
    """
    # BEGIN SOLUTION
    J = []
    trace = V
    for _ in range(steps):
        J.append(trace.T @ np.linalg.solve(C, trace))
        trace = W @ trace
    return np.array(J)
    # END SOLUTION


def line_memory(gains, noise):
    """The memory curve of a delay line with n amplifiers, in closed form, without any matrix.

    Unit 0 takes the signal, unit j passes gains[j] times what it holds on to unit j + 1, and unit j adds noise of
    variance noise[j]. gains (n-1,), not 0; noise (n,), positive. Returns J (n,): the memory of k steps ago. It must be
    right for lines so long and gains so large that the product of all gains is beyond every float.
    """
    # BEGIN SOLUTION
    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])
    total = np.cumsum(noise * shrunk)
    J = 1 / total
    return J
    # END SOLUTION


def line_memory_backward(dJ, gains, noise):
    """The gradient of `line_memory`.

    dJ (n,) is the gradient of J; gains (n-1,) and noise (n,) are what the forward pass was given.
    Returns dgains (n-1,), dnoise (n,).
    """
    # BEGIN SOLUTION
    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])
    total = np.cumsum(noise * shrunk)
    dtotal = -dJ / total**2
    dpart = np.cumsum(dtotal[::-1])[::-1]
    dnoise = dpart * shrunk
    dshrunk = dpart * noise
    later = np.cumsum((dshrunk * shrunk)[::-1])[::-1]
    dgains = -2 * later[1:] / gains
    return dgains, dnoise
    # END SOLUTION


def spectrum(forth, back, own):
    """The eigenvalues of `feedback_chain(forth, back, own)`, ascending, an array (n,).

    forth[j] * back[j] > 0 for every j, so they are real. n may be 100 and forth far larger than back: then
    np.linalg.eigvals(W) is wrong in the first digit.
    """
    # BEGIN SOLUTION
    link = np.sqrt(forth * back)
    twin = np.diag(own) + np.diag(link, -1) + np.diag(link, 1)
    return np.linalg.eigvalsh(twin)
    # END SOLUTION


def feedforward_share(W):
    """The part of a matrix's energy that eigenvalues do not account for: 1 - sum_i |lambda_i|^2 / ||W||_F^2.

    W (S, n, n), a stack of S matrices -> (S,), between 0 (normal) and 1 (nothing but feedforward).
    """
    # BEGIN SOLUTION
    eigenvalues = np.linalg.eigvals(W)
    kept = (abs(eigenvalues) ** 2).sum(axis=1)
    energy = (W**2).sum(axis=(1, 2))
    return 1 - kept / energy
    # END SOLUTION


def flow(W, v, steps):
    """Number the units by when a pulse arrives at them, and see which way the weights point in that order.

    h_0 = v, h_t = W h_{t-1} for t = 1 ... steps; W (n, n), v (n,). Returns by name:
    arrival (n,), the centre of mass in time of each unit's energy, sum_t t h_t^2 / sum_t h_t^2;
    ordered (n, n), W with its units numbered by arrival, the earliest first;
    profile (2n-1,), the part of all the energy of W that lies at i - j = 1-n ... n-1 in `ordered`;
    forward, a number: the part at i > j less the part at i < j.
    """
    # BEGIN SOLUTION
    h = [v]
    for _ in range(steps):
        h.append(W @ h[-1])
    energy = np.array(h) ** 2
    arrival = np.arange(steps + 1) @ energy / energy.sum(axis=0)
    order = np.argsort(arrival)
    ordered = W[np.ix_(order, order)]
    squares = ordered**2 / (ordered**2).sum()
    n = len(W)
    profile = np.array([np.diagonal(squares, -offset).sum() for offset in range(1 - n, n)])
    forward = profile[n:].sum() - profile[: n - 1].sum()
    return {"arrival": arrival, "ordered": ordered, "profile": profile, "forward": forward}
    # END SOLUTION
