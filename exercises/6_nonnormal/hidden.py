"""Hidden checks of exercise 6: other numbers, and matrices at the ends of the range."""

import numpy as np
from cases import a_covariance, signs

from tinyrnn.grading import Hidden


def orthogonal_case(rng):
    """An orthogonal W, for which a sum over all times would not exist."""
    n = int(rng.integers(5, 8))
    W, _ = np.linalg.qr(rng.normal(size=(n, n)))
    return {"W": W, "Q": a_covariance(rng, n), "steps": int(rng.integers(10, 30))}


def longer_line_case(rng):
    n = int(rng.integers(1500, 2000))
    return {"gains": rng.uniform(1.2, 3.5, n - 1) * signs(rng, n - 1), "noise": rng.uniform(0.5, 2.0, n)}


def longer_chain_case(rng):
    n = int(rng.integers(120, 200))
    sign = signs(rng, n - 1)
    return {
        "forth": rng.uniform(0.8, 1.2, n - 1) * sign,
        "back": rng.uniform(0.01, 0.2, n - 1) * sign,
        "own": rng.uniform(-0.3, 0.3, n),
    }


HIDDEN = {
    "covariance": Hidden(case=orthogonal_case),
    "line_memory": Hidden(case=longer_line_case),
    "spectrum": Hidden(case=longer_chain_case),
}
