"""What a wrong answer is recognised by, without the wrong answer's code.

An array is projected: its entries are added up with fixed random weights, four times. Two arrays of one shape that
differ in anything but rounding differ in these four numbers. What is handed out holds them for every known mistake,
under its name, an array (outputs, public cases, 4); from it nobody can read how the right answer is made.
"""

import math

import numpy as np

PROJECTIONS = 4
SAME = 1e-9  # relative; the nearest two of a hundred known mistakes are 3e-2 apart


def project(array):
    """Four numbers, float64, for an array of numbers: random sums of its entries.

    The weights depend on the shape, so that arrays of different shapes never agree. Entries that are no numbers (NaN,
    infinity) count as fixed ones: where a mistake makes NaN is a mark of it. None, not (4,), for what is not
    numeric, or so large that it has no sum.
    """
    array = np.asarray(array)
    if array.dtype.kind not in "fiubc":
        return None
    flat = array.ravel()
    if flat.dtype.kind == "c":
        flat = np.concatenate([flat.real, flat.imag])
    flat = np.nan_to_num(flat.astype(np.float64), nan=3.0, posinf=5.0, neginf=-7.0)
    rng = np.random.Generator(np.random.PCG64([array.dtype.kind == "c", *array.shape]))
    # Whole numbers, taken from the generator's raw bits: no later version of numpy draws them differently.
    bits = rng.bit_generator.random_raw(PROJECTIONS * flat.size).reshape(PROJECTIONS, flat.size)
    weights = (bits >> np.uint64(44)).astype(np.float64) / 2**19 - 1
    try:
        return np.array([math.fsum(row) for row in weights * flat])
    except OverflowError:
        return None


def agree(one, other):
    """Whether two lists of projections, one a case, are of the same numbers to rounding. Either may be None."""
    if one is None or other is None or np.shape(one) != np.shape(other):
        return False
    one, other = np.asarray(one), np.asarray(other)
    scale = np.maximum(abs(one), abs(other)).max(axis=-1, keepdims=True, initial=0.0)
    with np.errstate(over="ignore"):
        return bool((abs(one - other) <= SAME * scale).all())
