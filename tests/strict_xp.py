"""A stand-in for CuPy that needs no GPU: NumPy's functions for arrays that refuse NumPy itself.

This module *is* the array module: `strict_xp.asarray(a)` moves a NumPy array onto the pretended device, `.get()` brings
it back, and `strict_xp.tanh`, `strict_xp.fft.fft`, `strict_xp.add.at` and so on compute there. What runs with it asks
its arguments where they live. A `StrictArray` refuses, with a TypeError, what CuPy refuses and a little more:

- every NumPy function and ufunc, and every implicit conversion to a NumPy array;
- arithmetic, assignment and indexing with NumPy arrays, lists as indices, `tolist`;
- NumPy arrays as arguments of this module's functions.

Reductions and single items stay arrays (without axes), as on a device. `float`, `int` and `bool` of one item work: they
wait for the device, but CuPy allows them. There is no `random`: numbers are drawn by NumPy and then moved. Fresh memory
holds garbage: `empty` is full of NaN (integers: of their smallest value, booleans: of True), so that whoever reads what
nobody wrote is found out.
"""

import operator
import sys

import numpy as np


class StrictArray:
    """See the module's docstring. Not an ndarray: `np.asarray` has nothing to hold on to."""

    __slots__ = ("_values",)

    def __init__(self, values):
        self._values = values

    def __array_namespace__(self, api_version=None):
        return sys.modules[__name__]

    def get(self):
        """The NumPy array: the way off the device."""
        return self._values.copy()

    def __getattr__(self, name):
        if name.startswith("__") or name in ("tolist", "tofile", "data", "ctypes", "flat"):
            raise AttributeError(f"a strict array has no {name}")
        value = getattr(self._values, name)
        return Function(value) if callable(value) else wrap(value)

    # what NumPy would call ----------------------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed; use .get()")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        raise TypeError(f"numpy.{ufunc.__name__} called on an array of another module")

    def __array_function__(self, function, types, args, options):
        raise TypeError(f"numpy.{function.__name__} called on an array of another module")

    # parts that can be written to ---------------------------------------------------------------------------------

    @property
    def real(self):
        return wrap(self._values.real)

    @real.setter
    def real(self, value):
        self._values.real = unwrap(value)

    @property
    def imag(self):
        return wrap(self._values.imag)

    @imag.setter
    def imag(self, value):
        self._values.imag = unwrap(value)

    # items --------------------------------------------------------------------------------------------------------

    def __getitem__(self, key):
        return wrap(self._values[unwrap_index(key)])

    def __setitem__(self, key, value):
        self._values[unwrap_index(key)] = unwrap(value)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return (wrap(row) for row in self._values)

    def __float__(self):
        return float(self._values)

    def __int__(self):
        return int(self._values)

    def __bool__(self):
        return bool(self._values)

    def __repr__(self):
        return f"strict {self._values!r}"

    __hash__ = None


def unwrap(value):
    """The NumPy values behind strict arrays, also within tuples and lists; NumPy arrays themselves are refused."""
    if isinstance(value, StrictArray):
        return value._values
    if isinstance(value, np.ndarray):
        raise TypeError("a NumPy array was passed where an array of this module belongs; use asarray")
    if isinstance(value, tuple | list):
        return type(value)(unwrap(v) for v in value)
    return value


def unwrap_index(key):
    if isinstance(key, list):
        raise TypeError("lists are no indices here")
    return tuple(unwrap_index(k) for k in key) if isinstance(key, tuple) else unwrap(key)


def wrap(value):
    """Strict arrays around all NumPy arrays and NumPy scalars in a result."""
    if isinstance(value, np.ndarray | np.generic):
        return StrictArray(np.asarray(value))
    if isinstance(value, tuple):
        wrapped = [wrap(v) for v in value]
        return type(value)(*wrapped) if hasattr(value, "_fields") else tuple(wrapped)
    return value


class Function:
    """A NumPy function or method that takes and returns strict arrays."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **options):
        return wrap(self.function(*unwrap(args), **{name: unwrap(value) for name, value in options.items()}))

    def __getattr__(self, name):  # add.at, maximum.reduce
        return Function(getattr(self.function, name))


class Namespace:
    """`fft` and `linalg`."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        return Function(getattr(self.module, name))


def operators():
    """Give StrictArray Python's operators: with other strict arrays and with numbers."""

    def define(name, method):
        setattr(StrictArray, f"__{name}__", method)

    for name in "add sub mul truediv floordiv mod pow matmul and or xor".split():
        plain, in_place = getattr(operator, f"__{name}__"), getattr(operator, f"__i{name}__")
        define(name, lambda self, other, f=plain: wrap(f(self._values, unwrap(other))))
        define(f"r{name}", lambda self, other, f=plain: wrap(f(unwrap(other), self._values)))
        define(f"i{name}", lambda self, other, f=in_place: (f(self._values, unwrap(other)), self)[1])
    for name in "eq ne lt le gt ge".split():
        compare = getattr(operator, name)
        define(name, lambda self, other, f=compare: wrap(f(self._values, unwrap(other))))
    for name in "neg pos abs invert".split():
        unary = getattr(operator, name)
        define(name, lambda self, f=unary: wrap(f(self._values)))


operators()


def asarray(value, dtype=None):
    """Move a NumPy array, a list or a number onto the device; the one function that takes NumPy arrays."""
    return StrictArray(np.array(value._values if isinstance(value, StrictArray) else value, dtype))


array = asarray
ndarray = StrictArray


def asnumpy(value):
    return value.get()


def empty(shape, dtype=float):
    values = np.empty(shape, dtype)
    values[...] = garbage(values.dtype)
    return StrictArray(values)


def empty_like(prototype, dtype=None):
    return empty(prototype.shape, dtype or prototype.dtype)


def garbage(dtype):
    """What fresh memory is filled with."""
    return {"f": np.nan, "c": np.nan, "b": True}.get(dtype.kind) or np.iinfo(dtype).min


def __getattr__(name):
    if name == "random" or name.startswith("__"):
        raise AttributeError(f"the stand-in array module has no {name}")
    value = getattr(np, name)
    if isinstance(value, type(np)):
        return Namespace(value)
    return Function(value) if callable(value) and not isinstance(value, type) else value
