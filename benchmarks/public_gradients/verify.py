"""Is every published function what its case says, and does every mistake change something that can be seen?

    cd benchmarks && python -m public_gradients.verify [NAME ...]

prints the relative difference of every gradient from a numerical one that has nothing to do with the checkers that are
measured: central differences, entry by entry, of one random projection of the result, extrapolated (Ridders 1982). A
mistake that leaves the gradient right (something changed in place, kept, shared or rounded) shows the same small number
as the published function.
"""

import copy
import sys
import warnings
from functools import partial

import numpy as np

from . import CASES
from .planting import importable, seed_global_state

FIRST_STEP, STEPS = 0.01, 12


def main(names):
    for case in CASES:
        if (names and case.name not in names) or not importable(case.module):
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            print(f"{case.name:40} {case.published:10} {error_of(case):9.1e}")
            for mistake in case.mistakes:
                print(f"    {mistake.kind:46} {error_of(case, mistake):9.1e}")


def error_of(case, mistake=None):
    """The largest relative error of the gradients; infinite for a wrong shape."""
    given, expected = gradients(case.problem(mistake)), numerical(case.problem(mistake))
    return max(difference(g, e) for g, e in zip(given, expected, strict=True) if e is not None)


def difference(given, expected):
    given, expected = np.asarray(given), np.asarray(expected)
    if given.shape != expected.shape:
        return np.inf
    return np.linalg.norm((given - expected).ravel()) / (np.linalg.norm(expected.ravel()) or 1.0)


def upstream_like(out):
    """A random gradient of the result, of its shape and dtype."""
    rng = np.random.default_rng(7)
    draw = rng.standard_normal(np.shape(out)) + 1j * (rng.standard_normal(np.shape(out)) if np.iscomplexobj(out) else 0)
    return np.asarray(draw if np.iscomplexobj(out) else draw.real, np.asarray(out).dtype)[()]


def gradients(problem):
    out, cache = problem.forward(*copy.deepcopy(list(problem.inputs.values())))
    back = problem.backward(upstream_like(out), cache)
    return list(back) if isinstance(back, tuple | list) else [back]


def numerical(problem):
    """The gradient for each input, in float64 if it is a float32; None for integers."""
    values = [np.asarray(value) for value in problem.inputs.values()]
    values = [value.astype(float) if value.dtype == np.float32 else value for value in values]
    return [numerical_of(problem, values, k) if value.dtype.kind in "fc" else None for k, value in enumerate(values)]


def numerical_of(problem, values, k):
    is_complex = np.iscomplexobj(values[k])
    result = np.zeros(values[k].shape, complex if is_complex else float)
    for index in np.ndindex(result.shape):
        for unit in (1, 1j) if is_complex else (1,):
            result[index] += unit * ridders(partial(projected, problem, values, k, index, unit))
    return result


def projected(problem, values, k, index, unit, h):
    """The projection of the result when one entry of input k is moved by h (times 1j)."""
    moved = [value.copy() for value in values]
    moved[k][index] += h * unit
    seed_global_state()
    out, _ = problem.forward(*[value[()] for value in moved])
    return float(np.sum((np.conj(upstream_like(out)) * out).real, dtype=np.longdouble))


def ridders(f):
    h, rows, best, least = FIRST_STEP, [], np.nan, np.inf
    for _ in range(STEPS):
        row = [(f(h) - f(-h)) / (2 * h)]
        for j, before in enumerate(rows[-1] if rows else []):
            row.append(row[j] + (row[j] - before) / (4.0 ** (j + 1) - 1))
            error = max(abs(row[-1] - row[j]), abs(row[-1] - before))
            if error <= least:
                best, least = row[-1], error
        rows.append(row)
        h /= 2
    return best


if __name__ == "__main__":
    main(sys.argv[1:])
