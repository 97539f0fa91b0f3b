"""array-api-strict, sealed: what runs on it uses what the array API standard has, and nothing else.

NumPy could still read its arrays, as `to_numpy` does. While `sealed` is open it cannot, so that a call of one of
NumPy's own functions, which would convert them in silence, is an error as it is on a GPU. And fresh memory holds
garbage, so that whoever reads what nobody wrote is found out.
"""

from contextlib import contextmanager
from unittest import mock

import array_api_strict as xp
import numpy as np

Array = type(xp.asarray(0.0))


def garbage(dtype):
    """What fresh memory is filled with: NaN, or the smallest integer, or True."""
    return {"f": np.nan, "c": np.nan, "b": True}.get(dtype.kind) or np.iinfo(dtype).min


def empty(shape, *, dtype=None, device=None):
    kind = np.dtype(str(dtype or xp.float64).rpartition(".")[2])
    return xp.full(shape, garbage(kind), dtype=dtype, device=device)


def refuse(*_, **__):
    raise TypeError("an array of the standard's was about to be converted to NumPy's")


@contextmanager
def sealed():
    """Within it, NumPy cannot read the standard's arrays, and what they are made of out of nothing is garbage."""
    with mock.patch.multiple(Array, __array__=refuse, __buffer__=refuse), mock.patch.object(xp, "empty", empty):
        yield
