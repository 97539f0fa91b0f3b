"""`as_strided` that stays within the memory of its array: a changed run may ask for what lies beyond, and NumPy would
read that, or end the process."""

from types import SimpleNamespace

import numpy as np
from numpy.lib import stride_tricks


def as_strided(x, shape=None, strides=None, *more, **options):
    """`numpy.lib.stride_tricks.as_strided`; ValueError for a view of more than the memory of x, and of what x is a
    view of."""
    x = np.asarray(x)
    owner = x
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    begin = start_of(x) - start_of(owner)
    lengths, steps = x.shape if shape is None else shape, x.strides if strides is None else strides
    sides = list(zip(np.atleast_1d(lengths), np.atleast_1d(steps), strict=True))
    ends = [(n - 1) * step for n, step in sides] if all(n for n, _ in sides) else []
    low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    if begin + low < 0 or begin + high + x.itemsize > owner.nbytes:
        raise ValueError("as_strided: the view would reach beyond the memory of its array")
    return stride_tricks.as_strided(x, shape, strides, *more, **options)


def start_of(array):
    """The address of an array's first entry."""
    return array.__array_interface__["data"][0]


TRICKS = SimpleNamespace(**{**vars(stride_tricks), "as_strided": as_strided})
LIB = SimpleNamespace(**{**vars(np.lib), "stride_tricks": TRICKS})
SAFE = {id(stride_tricks.as_strided): as_strided, id(stride_tricks): TRICKS}  # what stands in for what is imported
