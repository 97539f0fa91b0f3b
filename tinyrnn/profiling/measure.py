"""Where the time of a training step goes: matrix products, gate arithmetic, copies, Python.

`profile(cell, x, dh)` runs forward and backward in three ways, the three alternating, and takes the least of several
times, for each number by itself, because what disturbs a run only ever adds to it:

    plain           as always; the total of each phase is taken from here and from nowhere else
    timed           on arrays that time every NumPy call made with them, which gives products, arithmetic and copies
    products alone  the same matrix products, in the same order and on arrays of the same shapes and strides, into
                    memory that is there already: the floor, which no engine that calls NumPy gets below

What is left of the plain total is the rest: the interpreter, views, loops and allocation by the engine. Watching is
slow, but its cost falls between the calls and not into them; what a clock costs is measured and taken off. A NumPy call
is counted whole, with the fraction of a microsecond that it spends on finding out what to do: that is why few large
calls are faster than many small ones.
"""

import copy
import math
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyrnn.core.cell import Params
from tinyrnn.core.steps import Plain
from tinyrnn.profiling.timed_arrays import KINDS, ArrayLayout, Tally, cost_of_clock, timed, timed_class

PHASES = ("projection", "forward loop", "backward loop", "weight gradients")
METHODS = {
    "derive": "projection",
    "project": "projection",
    "gradients": "weight gradients",
    "derive_backward": "weight gradients",
}


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


# the three ways to run ------------------------------------------------------------------------------------------------


def profile(cell, x, dh, repeats=5):
    """A `Phase` for each of `PHASES`: where the time of `cell.forward(x)` and `cell.backward(dh, tape)` goes.

    x: (T, B, input_size) floats. dh: (T, B, output_size). repeats: at least 1; the first of each way of running is
    thrown away. The cell's own source is run, also where the cell has been compiled. Raises ValueError for what the
    engine refuses.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}")
    products = timed_run(cell, x, dh).products
    floor = {name: alone(products, name) for name in PHASES}
    totals, tallies, floors = [], [], []
    for _ in range(repeats + 1):
        totals.append(plain_run(cell, x, dh))
        tallies.append(timed_run(cell, x, dh))
        floors.append({name: seconds_of(floor[name]) for name in PHASES})
    phases = []
    for name in PHASES:
        whole = min(spent[name] for spent in totals[1:])
        measured = [min(tally.seconds[name, kind] for tally in tallies[1:]) for kind in KINDS]
        least = min(spent[name] for spent in floors[1:])
        calls = sum(tallies[0].calls[name, kind] for kind in KINDS)
        phases.append(Phase(name, whole, *split_total(whole, measured), least, calls))
    return phases


def split_total(total, measured):
    """`total` seconds as [*measured, rest]: none negative, adding up to the total.

    Where noise made the parts larger than the whole, they share it in proportion and nothing is left.
    """
    scale = total / sum(measured) if sum(measured) > total else 1.0
    parts = [scale * seconds for seconds in measured]
    return [*parts, max(total - sum(parts), 0.0)]


def total_of(phases, name="all"):
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


def timed_run(cell, x, dh):
    """The `Tally` of a run on timed arrays, the cost of its clock taken off."""
    tally = Tally()
    cls = timed_class(tally)

    def announced(method, phase):
        def call(*args, **kwargs):
            before, tally.phase = tally.phase, phase
            result = method(*args, **kwargs)
            tally.phase = before
            return result

        return call

    cell = with_methods(cell, announced)
    cell.params = Params({name: timed(value, cls) for name, value in cell.params.items()})
    cell.constants = {name: timed(value, cls) for name, value in cell.constants.items()}
    tally.phase = "forward loop"
    tape = cell.forward(timed(x, cls))[1]
    tally.phase = "backward loop"
    cell.backward(timed(dh, cls), tape)
    clock = cost_of_clock()
    for key, calls in tally.calls.items():
        tally.seconds[key] = max(tally.seconds[key] - calls * clock, 0.0)
    return tally


def with_methods(cell, wrapped):
    """A copy of the cell, not compiled, with `wrapped(method, phase)` for each of `METHODS`; the arrays are shared."""
    cell = copy.copy(cell)
    cell.runner = Plain()
    for name, phase in METHODS.items():
        setattr(cell, name, wrapped(getattr(cell, name), phase))
    return cell


# products alone -------------------------------------------------------------------------------------------------------


@np.errstate(all="ignore")
def alone(products, phase=None):
    """A function that makes the recorded products of one phase, or of all, and does nothing else.

    Its operands are ones, one array for each place and layout, so that they are as near in the cache as can be. What a
    BLAS signals of products of ones is of vector lanes that it does not use, and is not warned of.
    """
    twins, calls = {}, []
    for its_phase, function, operands, kwargs in products:
        if phase not in (None, its_phase):
            continue
        key = (function, str(operands), str(kwargs))
        if key not in twins:
            args = [ones_in(*a) if isinstance(a, ArrayLayout) else a for a in operands]
            result = function(*args, **kwargs)
            reusable = function is np.matmul and isinstance(result, np.ndarray)
            twins[key] = function, args, kwargs | ({"out": result} if reusable else {})
        calls.append(twins[key])

    @np.errstate(all="ignore")
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
    """Seconds of one call of `run`."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def least_seconds(run, repeats=5, limit=math.inf):
    """The shortest of `repeats` runs, after one that is thrown away; of one at least, none begins after `limit` s."""
    run()
    start = time.perf_counter()
    least = seconds_of(run)
    for _ in range(repeats - 1):
        if time.perf_counter() - start > limit:
            break
        least = min(least, seconds_of(run))
    return least
