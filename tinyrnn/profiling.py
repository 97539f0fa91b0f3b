"""Where the time of a training step goes: matrix products, gate arithmetic, copies, Python.

`profile(cell, x, dh)` runs forward and backward in three ways, the three alternating, and takes medians:

    plain           as always; the total of each phase is taken from here and from nowhere else
    watched         on arrays that time every NumPy call made with them, which gives products, arithmetic and copies
    products alone  the same matrix products, in the same order and on arrays of the same shapes and strides, into
                    memory that is there already: the floor, which no engine that calls NumPy gets below

What is left of the plain total is the rest: the interpreter, views, loops and allocation by the engine. Watching is
slow, but its cost falls between the calls and not into them; what a clock costs is measured and taken off. A NumPy call
is counted whole, with the fraction of a microsecond that it spends on finding out what to do: that is why few large
calls are faster than many small ones.
"""

import copy
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyrnn.cell import Params

KINDS = ("products", "arithmetic", "copies")
PHASES = ("projection", "forward loop", "backward loop", "weight gradients")
METHODS = {
    "derive": "projection",
    "project": "projection",
    "gradients": "weight gradients",
    "derive_backward": "weight gradients",
}
PRODUCTS = {"matmul", "matvec", "vecmat", "vecdot", "dot", "inner", "outer", "tensordot", "einsum", "fft", "ifft"}
COPIES = {"concatenate", "stack", "take", "copy", "copyto", "zeros_like", "ones_like", "empty_like", "full_like"}
VIEWS = {"broadcast_to", "reshape", "transpose", "swapaxes", "moveaxis", "split", "expand_dims", "result_type"}
CREATION = {"empty", "zeros", "ones", "full", "asarray", "arange"}


@dataclass
class Phase:
    """One row of the table, in seconds for the whole sequence; `calls` is the number of NumPy calls.

    products + arithmetic + copies + rest = seconds, to rounding. floor: the products of this phase alone.
    """

    name: str
    seconds: float
    products: float
    arithmetic: float
    copies: float
    rest: float
    floor: float
    calls: float


@dataclass
class Tally:
    """What the watched arrays report: seconds and calls by (phase, kind), and the products in their order."""

    phase: str = PHASES[0]
    seconds: Counter = field(default_factory=Counter)
    calls: Counter = field(default_factory=Counter)
    products: list = field(default_factory=list)  # (phase, function, operands, keywords)

    def timed(self, kind, function, args, kwargs):
        """`function(*args, **kwargs)`, its time put down under `kind`."""
        if kind == "products":
            operands = [layout(a) if isinstance(a, np.ndarray) else a for a in args]
            self.products.append((self.phase, function, operands, kwargs))
        start = time.perf_counter()
        result = function(*args, **kwargs)
        self.seconds[self.phase, kind] += time.perf_counter() - start
        self.calls[self.phase, kind] += 1
        return result


class Watched(np.ndarray):
    """An array that times the NumPy calls made with it; use it through `watched_class`, which gives it a tally.

    Items put in place (`a[t] = b`) and taken out by number (`a[order]`) are copies; views cost no call.
    """

    tally = None

    def __array_namespace__(self, api_version=None):
        return SimpleNamespace(**vars(np) | {name: self.creating(getattr(np, name)) for name in CREATION})

    @classmethod
    def creating(cls, function):
        return lambda *args, **kwargs: watched(function(*args, **kwargs), cls)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        kind = "products" if ufunc.__name__ in PRODUCTS else "arithmetic"
        kwargs = {name: plain(value) for name, value in kwargs.items()}
        if out is not None:
            kwargs["out"] = plain(out)
        result = self.tally.timed(kind, getattr(ufunc, method), plain(inputs), kwargs)
        return watched(result, type(self)) if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function, types, args, kwargs):
        name, args, kwargs = function.__name__, plain(args), {key: plain(value) for key, value in kwargs.items()}
        if name in VIEWS:
            return watched(function(*args, **kwargs), type(self))
        kind = "products" if name in PRODUCTS else "copies" if name in COPIES else "arithmetic"
        return watched(self.tally.timed(kind, function, args, kwargs), type(self))

    def __setitem__(self, key, value):
        self.tally.timed("copies", plain(self).__setitem__, (plain(key), plain(value)), {})

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, np.ndarray | list) for k in keys):
            return watched(self.tally.timed("copies", plain(self).__getitem__, (plain(key),), {}), type(self))
        return super().__getitem__(key)


def watched_class(tally):
    return type("Watched", (Watched,), {"tally": tally})


def watched(value, cls):
    """`value`, or the arrays in a tuple or list, as the class of array that reports to a tally; the rest as it is."""
    if isinstance(value, tuple | list):
        return type(value)(watched(v, cls) for v in value)
    return value.view(cls) if isinstance(value, np.ndarray) else value


def plain(value):
    """`value`, or what a tuple or list holds, as plain arrays."""
    if isinstance(value, tuple | list):
        return type(value)([plain(v) for v in value])
    return value.view(np.ndarray) if isinstance(value, Watched) else value


# the three ways to run ------------------------------------------------------------------------------------------------


def profile(cell, x, dh, repeats=5):
    """A `Phase` for each of `PHASES`: where the time of `cell.forward(x)` and `cell.backward(dh, tape)` goes.

    cell: not compiled. x: (T, B, input_size) floats. dh: (T, B, output_size). repeats: at least 1; the first of each
    way of running is thrown away. Raises ValueError for what the engine refuses.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}")
    tally = watched_run(cell, x, dh)
    floor = {name: alone(tally.products, name) for name in PHASES}
    rows = {name: [] for name in PHASES}
    for _ in range(repeats + 1):
        totals, tally = plain_run(cell, x, dh), watched_run(cell, x, dh)
        for name in PHASES:
            measured = [tally.seconds[name, kind] for kind in KINDS]
            rows[name].append((totals[name], *measured, seconds_of(floor[name])))
    phases = []
    for name in PHASES:
        total, *measured, least = (min(column) for column in zip(*rows[name][1:], strict=True))
        calls = sum(tally.calls[name, kind] for kind in KINDS)
        phases.append(Phase(name, total, *split_total(total, measured), least, calls))
    return phases


def split_total(total, measured):
    """`total` seconds as [*measured, rest]: not negative, adding up to the total.

    Where noise made the parts larger than the whole, they share it in proportion and nothing is left.
    """
    over = max(sum(measured), total)
    parts = [m / over * total if over else 0.0 for m in measured] if sum(measured) > total else list(measured)
    return [*parts, max(total - sum(parts), 0.0)]


def total(phases, name="all"):
    """The sum of some phases, as a phase."""
    columns = [c for c in vars(phases[0]) if c != "name"]
    return Phase(name, **{c: sum(getattr(phase, c) for phase in phases) for c in columns})


def plain_run(cell, x, dh):
    """Seconds by phase; clocks stand at the doors of the methods that work on many steps at once, nowhere else."""
    spent = Counter()

    def clocked(method, phase):
        def call(*args, **kwargs):
            start = time.perf_counter()
            result = method(*args, **kwargs)
            spent[phase] += time.perf_counter() - start
            return result

        return call

    cell = with_methods(cell, clocked)
    start = time.perf_counter()
    tape = cell.forward(x)[1]
    middle = time.perf_counter()
    cell.backward(dh, tape)
    stop = time.perf_counter()
    spent["forward loop"] = middle - start - spent["projection"]
    spent["backward loop"] = stop - middle - spent["weight gradients"]
    return spent


def watched_run(cell, x, dh):
    """The `Tally` of a run on watched arrays, the cost of its clock taken off."""
    tally = Tally()
    cls = watched_class(tally)

    def announced(method, phase):
        def call(*args, **kwargs):
            before, tally.phase = tally.phase, phase
            result = method(*args, **kwargs)
            tally.phase = before
            return result

        return call

    cell = with_methods(cell, announced)
    cell.params = Params({name: watched(value, cls) for name, value in cell.params.items()})
    cell.constants = {name: watched(value, cls) for name, value in cell.constants.items()}
    tally.phase = "forward loop"
    tape = cell.forward(watched(x, cls))[1]
    tally.phase = "backward loop"
    cell.backward(watched(dh, cls), tape)
    clock = cost_of_clock()
    for key, calls in tally.calls.items():
        tally.seconds[key] = max(tally.seconds[key] - calls * clock, 0.0)
    return tally


def with_methods(cell, wrapped):
    """A copy of the cell in which `wrapped(method, phase)` stands for each of `METHODS`; the arrays are shared."""
    cell = copy.copy(cell)
    for name, phase in METHODS.items():
        setattr(cell, name, wrapped(getattr(cell, name), phase))
    return cell


def cost_of_clock(batches=10, calls=100):
    """Seconds by which a tally overrates a NumPy call: a short one timed by it, less the same one in a bare loop."""
    one, timed, bare = np.ones(1), [], []
    for _ in range(batches):
        tally = Tally()
        for _ in range(calls):
            tally.timed("arithmetic", getattr(np.multiply, "__call__"), (one, one), {})
        timed.append(tally.seconds[tally.phase, "arithmetic"])
        start = time.perf_counter()
        for _ in range(calls):
            one * one
        bare.append(time.perf_counter() - start)
    return max(min(timed) - min(bare), 0.0) / calls


# products alone -------------------------------------------------------------------------------------------------------


def layout(array):
    return array.shape, array.strides, array.dtype


def alone(products, phase=None):
    """A function that makes the recorded products of one phase, or of all, and does nothing else.

    Its operands are ones, one array for each place and layout, so that they are as near in the cache as can be.
    """
    twins, calls = {}, []
    for its_phase, function, operands, kwargs in products:
        if phase not in (None, its_phase):
            continue
        key = (function, *((a, k) if isinstance(a, tuple) else str(a) for k, a in enumerate(operands)))
        if key not in twins:
            args = [ones_in(*a) if isinstance(a, tuple) else a for a in operands]
            result = function(*args, **{name: value for name, value in kwargs.items() if name != "out"})
            is_matmul = function is np.matmul and isinstance(result, np.ndarray)
            twins[key] = function, args, kwargs | ({"out": result} if is_matmul else {})
        calls.append(twins[key])

    def run():
        for function, args, kwargs in calls:
            function(*args, **kwargs)

    return run


def ones_in(shape, strides, dtype):
    """An array of ones that lies in memory as given."""
    strides = [abs(s) for s in strides]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) // dtype.itemsize
    return as_strided(np.ones(size, dtype), shape, strides)


def seconds_of(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def median_seconds(run, repeats=5):
    """The median time of `repeats` runs, after one that is thrown away."""
    return statistics.median([seconds_of(run) for _ in range(repeats + 1)][1:])
