"""Arrays that time every NumPy call made with them, and tell products, arithmetic and copies apart.

The engine and the cells ask arrays where they live (`tinyrnn.core.backend`), and so run on these as they run on CuPy's.
"""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

KINDS = ("products", "arithmetic", "copies")
PRODUCTS = {"matmul", "matvec", "vecmat", "vecdot", "dot", "inner", "outer", "tensordot", "einsum"}
PRODUCTS |= {"fft", "ifft", "rfft", "irfft"}  # with the Fourier matrix
COPIES = {"concatenate", "stack", "take", "copy", "copyto", "zeros_like", "ones_like", "empty_like", "full_like"}
VIEWS = {"broadcast_to", "reshape", "transpose", "swapaxes", "moveaxis", "split", "expand_dims", "result_type"}
CREATION = {"empty", "zeros", "ones", "full", "asarray", "arange"}


class ArrayLayout(NamedTuple):
    """How an array lies in memory."""

    shape: tuple
    strides: tuple
    dtype: np.dtype


@dataclass
class Tally:
    """What the timed arrays report: seconds and calls by (phase, kind), and the products in their order."""

    phase: str = ""  # what is going on, in the words of whoever watches
    seconds: Counter = field(default_factory=Counter)
    calls: Counter = field(default_factory=Counter)
    products: list = field(default_factory=list)  # (phase, function, operands, keywords)

    def timed(self, kind, function, args, kwargs):
        """`function(*args, **kwargs)`, its time put down under `kind`."""
        if kind == "products":
            operands = [ArrayLayout(a.shape, a.strides, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
            options = {name: value for name, value in kwargs.items() if name != "out"}
            self.products.append((self.phase, function, operands, options))
        start = time.perf_counter()
        result = function(*args, **kwargs)
        self.seconds[self.phase, kind] += time.perf_counter() - start
        self.calls[self.phase, kind] += 1
        return result


class TimedArray(np.ndarray):
    """An array that times the NumPy calls made with it; use it through `timed_class`, which gives it a tally.

    Items put in place (`a[t] = b`) and taken out by number (`a[order]`) are copies; views cost no call.
    """

    tally = None

    def __array_namespace__(self, api_version=None):
        return self.namespace

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        kind = "products" if ufunc.__name__ in PRODUCTS else "arithmetic"
        kwargs = {name: plain(value) for name, value in kwargs.items()}
        if out is not None:
            kwargs["out"] = plain(out)
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        result = self.tally.timed(kind, function, plain(inputs), kwargs)
        return timed(result, type(self)) if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function, types, args, kwargs):
        name, args, kwargs = function.__name__, plain(args), {key: plain(value) for key, value in kwargs.items()}
        if name in VIEWS:
            return timed(function(*args, **kwargs), type(self))
        kind = "products" if name in PRODUCTS else "copies" if name in COPIES else "arithmetic"
        return timed(self.tally.timed(kind, function, args, kwargs), type(self))

    def __setitem__(self, key, value):
        self.tally.timed("copies", plain(self).__setitem__, (plain(key), plain(value)), {})

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, np.ndarray | list) for k in keys):
            return timed(self.tally.timed("copies", plain(self).__getitem__, (plain(key),), {}), type(self))
        return super().__getitem__(key)


class TimedNamespace:
    """NumPy, but that the arrays it creates out of nothing are timed as well."""

    def __init__(self, cls):
        self.cls = cls

    def __getattr__(self, name):
        function = getattr(np, name)
        if name not in CREATION:
            return function
        return lambda *args, **kwargs: timed(function(*args, **kwargs), self.cls)


def timed_class(tally):
    """A class of arrays that report to this tally."""
    cls = type("TimedArray", (TimedArray,), {"tally": tally})
    cls.namespace = TimedNamespace(cls)
    return cls


def timed(value, cls):
    """`value`, or the arrays in a tuple or list, as the class of array that reports to a tally; the rest as it is."""
    if isinstance(value, tuple | list):
        return remade(value, [timed(v, cls) for v in value])
    return value.view(cls) if isinstance(value, np.ndarray) else value


def plain(value):
    """`value`, or what a tuple or list holds, as plain arrays."""
    if isinstance(value, tuple | list):
        return remade(value, [plain(v) for v in value])
    return value.view(np.ndarray) if isinstance(value, TimedArray) else value


def cost_of_clock(batches=10, calls=100):
    """Seconds by which a tally overrates a NumPy call: a short one timed by it, less the same one in a bare loop."""
    one, timed, bare = np.ones(1), [], []
    for _ in range(batches):
        tally = Tally()
        for _ in range(calls):
            tally.timed("arithmetic", np.multiply, (one, one), {})
        timed.append(tally.seconds[tally.phase, "arithmetic"])
        start = time.perf_counter()
        for _ in range(calls):
            one * one
        bare.append(time.perf_counter() - start)
    return max(min(timed) - min(bare), 0.0) / calls


def remade(value, parts):
    """A tuple or list of the same type with other parts; named tuples, which some NumPy functions return, included."""
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
