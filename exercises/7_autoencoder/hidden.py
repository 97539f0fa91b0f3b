"""Hidden checks: other shapes, and the ends of the ranges."""

from functools import partial

import cases
import numpy as np

from tinyrnn.grading.task import Hidden


def one_number_a_step(rng):
    """Equal lengths, one feature, no fading or a strong one."""
    T, B = cases.sizes(rng, 3, 8, 2)
    return {"x": rng.normal(size=(T, B, 1)), "lengths": np.full(B, T), "fade": (1.0, 0.25)[int(rng.integers(2))]}


def fewer_rows_than_columns(rng):
    n, d = cases.sizes(rng, 4, 7, 1)[0], int(rng.integers(8, 12))
    Xi = cases.orthonormal(rng, d, n).T * (0.7 ** np.arange(n) * rng.uniform(0.9, 1.1, size=n))[:, None]
    return {"Xi": cases.orthonormal(rng, n, n) @ Xi, "p": int(rng.integers(1, n))}


def everything_kept(rng):
    """U square: the delay line, turned."""
    T, k = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    return {"U": cases.orthonormal(rng, T * k, T * k), "k": k, "fade": float(rng.uniform(0.3, 1))}


def one_step(rng):
    given = cases.network_backward(rng)
    return {name: a[:1] if name in ("dm", "x", "m", "h", "u") else a for name, a in given.items()}


HIDDEN = {
    "prefixes": Hidden(case=one_number_a_step),
    "directions": Hidden(case=fewer_rows_than_columns),
    "memory": Hidden(case=everything_kept),
    "lmn_backward": Hidden(case=one_step, large=partial(cases.network_backward, lengths=(5, 4, 150, 160, 140))),
}
