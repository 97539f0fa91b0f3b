"""Arrays decide where they live: NumPy arrays are computed with NumPy, CuPy arrays with CuPy.

There is no global switch and no `import cupy as np`. Every function asks its argument (`xp = xp_of(x)`), so the same
source runs on both and two cells in one program may live on different devices.
"""

import os

import numpy as np


def xp_of(array):
    """The module that computes with `array`: `numpy`, `cupy`, or whatever its `__array_namespace__` names.

    Raises TypeError for lists, scalars and other things that are not arrays.
    """
    if type(array) is np.ndarray:  # the common case, and five times faster than asking
        return np
    try:
        return array.__array_namespace__()
    except AttributeError:
        raise TypeError(f"expected a NumPy or CuPy array, got {type(array).__name__}") from None


def to_numpy(array):
    """A NumPy array with the same values, copied from the device if need be (`.get()` is CuPy's spelling)."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def as_rng(rng):
    """A `numpy.random.Generator` from a seed, a Generator (returned as it is) or None (fresh entropy)."""
    return np.random.default_rng(rng)


def cores():
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
