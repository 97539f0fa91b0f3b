"""What the functions of exercise 1 are called with: sizes that all differ, and nothing that is zero by chance."""

import numpy as np

from tinyrnn.grading.task import Source

TOLERANCE = 1e-6  # of gradient_verdicts


def sizes(rng, number):
    """`number` different sizes from 3 to 7."""
    return [int(size) for size in rng.permutation(np.arange(3, 8))[:number]]


def away_from_zero(rng):
    """A number whose size is between ½ and 2, of either sign."""
    return float(rng.choice([-1, 1]) * rng.uniform(0.5, 2))


def bumpy(rng):
    """A function of an array, all of whose entries count, each differently; its fifth derivative is not small."""
    a, b = (round(float(rng.uniform(1, 2)), 3) for _ in range(2))
    return Source(
        f"lambda x: float((np.sin({a} * x + np.arange(x.size).reshape(x.shape)) * np.exp({b} * np.roll(x, 1))).sum())"
    )


def differences(rng):
    return {"f": bumpy(rng), "x": rng.normal(size=sizes(rng, 2)), "eps": float(rng.uniform(0.05, 0.1))}


def vector_function(rng, n, m):
    """A function from (m,) to (n,) in which every entry of the Jacobian is different."""
    a = round(float(rng.uniform(1, 2)), 3)
    return Source(
        f"lambda x: np.tanh(np.cos({a} * np.arange(1, {n * m + 1})).reshape({n}, {m}) @ x)"
        f" + np.exp(-{a} * x.sum()) / np.arange(2, {n + 2})"
    )


def jacobian(rng):
    n, m = sizes(rng, 2)
    return {"f": vector_function(rng, n, m), "x": 0.5 * rng.normal(size=m)}


def pairs(rng):
    """Pairs of gradients, in random order: right ones, wrong ones, and some that cannot be compared."""
    B, n = sizes(rng, 2)
    a, row, column = rng.normal(size=(B, n)), rng.normal(size=n), rng.normal(size=(n, 1))
    one_off, one_nan, one_infinite, faint = a.copy(), a.copy(), a.copy(), a.copy()
    faint[1, 0] = 1e-9
    one_off[0, 1] += 1e-3 * away_from_zero(rng)
    one_nan[1, 1], one_infinite[0, 0] = np.nan, np.inf
    given = [
        (a, a + 1e-9 * rng.normal(size=a.shape)),
        (faint, faint + 1e-8 * (faint == 1e-9)),
        (one_off, a),
        (0.5 * a, a),
        (a, 0.9 * a),
        (-row, row),
        (row, row + 2 * np.abs(row).max()),
        (1e-8 * row, 1.1e-8 * row),
        (one_nan, a),
        (a, one_infinite),
        (np.tile(row, (B, 1)), row),
        (np.full((n, 1), column[0, 0]), np.full(n, column[0, 0])),
        (np.zeros(n), np.zeros(n)),
    ]
    order = rng.permutation(len(given))
    analytic, numeric = zip(*(given[k] for k in order), strict=True)
    return {"analytic": list(analytic), "numeric": list(numeric), "tolerance": TOLERANCE}


def labelled(rng):
    N, C = sizes(rng, 2)
    logits = 2 * rng.normal(size=(N, C))
    logits[0] += 800
    logits[1] -= 800
    return {"logits": logits, "target": rng.integers(0, C, size=N)}


def labelled_backward(rng):
    N, C = sizes(rng, 2)
    return {"dloss": away_from_zero(rng), "p": rng.dirichlet(np.ones(C), size=N), "target": rng.integers(0, C, size=N)}


def ragged(rng, T, B):
    """Booleans (T, B): the first sequence is whole, the last one has half of it or less, but at least one step."""
    lengths = rng.integers(1, T + 1, size=B)
    lengths[0], lengths[-1] = T, rng.integers(1, T // 2 + 1)
    return np.arange(T)[:, None] < lengths


def tokens(rng, T, B, C):
    mask = ragged(rng, T, B)
    return {"target": np.where(mask, rng.integers(0, C, size=(T, B)), -1), "mask": mask}


def smoothed(rng):
    T, B, C = sizes(rng, 3)
    logits = 2 * rng.normal(size=(T, B, C))
    logits[0, 0] += 800
    logits[0, 1] -= 800
    logits[1, 0, int(rng.integers(C))] -= 900
    return {"logits": logits, **tokens(rng, T, B, C), "smoothing": float(rng.uniform(0.1, 0.4))}


def smoothed_backward(rng, lengths=None):
    T, B, C = sizes(rng, 3) if lengths is None else lengths
    p = rng.dirichlet(np.ones(C), size=(T, B))
    rest = {**tokens(rng, T, B, C), "smoothing": float(rng.uniform(0.1, 0.4))}
    return {"dloss": away_from_zero(rng), "p": p, **rest}


def layer(rng, lengths=None):
    T, B, m, n = sizes(rng, 4) if lengths is None else lengths
    return {"x": rng.normal(size=(T, B, m)), "W": rng.normal(size=(m, n)), "b": rng.normal(size=n)}


def layer_backward(rng):
    case = layer(rng)
    dy = rng.normal(size=(*case["x"].shape[:2], case["W"].shape[1]))
    return {"dy": dy, "x": case["x"], "W": case["W"]}


def tied(rng):
    case = layer(rng)
    return {**case, "c": rng.normal(size=len(case["W"]))}


def tied_backward(rng, lengths=None):
    case = layer(rng, lengths)
    x, W, b = case["x"], case["W"], case["b"]
    return {"dy": rng.normal(size=x.shape), "x": x, "z": np.einsum("tbm,mn->tbn", x, W) + b, "W": W}
