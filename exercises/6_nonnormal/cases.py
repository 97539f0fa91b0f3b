"""What the functions of exercise 6 are called with."""

import numpy as np


def signs(rng, n):
    return rng.choice([-1.0, 1.0], n)


def chain_case(rng):
    return {"n": int(rng.integers(4, 9)), "alpha": float(rng.uniform(0.8, 1.2))}


def henrici_case(rng):
    n = int(rng.integers(4, 8))
    return {"W": rng.normal(size=(n, n)) / np.sqrt(n)}


def feedback_chain_case(rng):
    n = int(rng.integers(5, 9))
    return {
        "forth": rng.uniform(0.8, 1.2, n - 1),
        "back": rng.uniform(0.02, 0.3, n - 1),
        "own": rng.uniform(-0.5, 0.5, n),
    }


def a_covariance(rng, n):
    """Symmetric, positive definite, of condition 10 at most, and not diagonal."""
    A = rng.normal(size=(n, n))
    orthogonal, _ = np.linalg.qr(A)
    return (orthogonal * rng.uniform(0.3, 3.0, n)) @ orthogonal.T


def covariance_case(rng):
    """W neither symmetric nor stable for certain: a finite number of steps needs no stability."""
    n = int(rng.integers(4, 8))
    W = rng.normal(size=(n, n)) / np.sqrt(n)
    return {"W": W, "Q": a_covariance(rng, n), "steps": int(rng.integers(4, 10))}


def memory_case(rng):
    n, m = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    W, V = rng.normal(size=(n, n)) / np.sqrt(n), rng.normal(size=(n, m))
    return {"W": W, "V": V, "C": a_covariance(rng, n), "steps": int(rng.integers(4, 7))}


def line_memory_case(rng):
    """A line so long that the product of its squared gains is beyond the largest float, 1.8e308."""
    n = int(rng.integers(600, 660))
    return {"gains": rng.uniform(1.5, 2.5, n - 1) * signs(rng, n - 1), "noise": rng.uniform(0.5, 2.0, n)}


def line_memory_backward_case(rng):
    n = int(rng.integers(5, 9))
    gains = rng.uniform(0.7, 1.6, n - 1) * signs(rng, n - 1)
    gains[1] = -abs(gains[1])
    return {"dJ": rng.normal(size=n), "gains": gains, "noise": rng.uniform(0.5, 2.0, n)}


def spectrum_case(rng):
    """About a hundred units, feedback twenty times weaker than the way forward; both may be negative together.

    What np.linalg.eigvals makes of such a W is wrong by half its radius, and another on every machine."""
    n = int(rng.integers(96, 110))
    sign = signs(rng, n - 1)
    return {
        "forth": rng.uniform(0.9, 1.1, n - 1) * sign,
        "back": rng.uniform(0.02, 0.06, n - 1) * sign,
        "own": rng.uniform(-0.1, 0.1, n),
    }


def feedforward_share_case(rng):
    """A stack with a matrix in it that is nearly normal, a nilpotent one nearly, and some with complex eigenvalues for
    certain. Of a normal one the share is rounding alone, and its root another number on every machine."""
    n = int(rng.integers(4, 7))
    W = rng.normal(size=(4, n, n))
    W[0] = (W[0] + W[0].T) / 2 + 0.02 * np.tril(W[0], -1)
    W[1] = np.tril(W[1], -1) + np.diag(rng.uniform(0.5, 1.5, n) * np.arange(1, n + 1) / n)
    W[2, :2] = 0
    W[2, :2, :2] = [[0.3, -2.0], [1.0, 0.3]]
    return {"W": W}


def flow_case(rng):
    """A chain with feedback and a little of everything else, its units in an order that nobody knows."""
    n = int(rng.integers(6, 9))
    W = np.diag(rng.uniform(0.7, 1.0, n - 1), -1) + np.diag(rng.uniform(0.05, 0.3, n - 1), 1)
    W += 0.05 * rng.normal(size=(n, n))
    v = 0.05 * rng.normal(size=n)
    v[0] += 1
    while True:
        order = rng.permutation(n)
        if (np.argsort(order) != order).any():
            break
    return {"W": W[np.ix_(order, order)], "v": v[order], "steps": 2 * n}
