"""What a training step costs, ours and PyTorch's, and how the cost grows with T, B and H.

PyTorch's layer stands beside ours where PyTorch is installed; it is looked for here and only here, and nothing needs
it.
"""

import importlib
import importlib.util
import math
import sys
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.core.progress import Bar
from tinyrnn.nn.interop import NONLINEARITIES, TORCH_KINDS
from tinyrnn.profiling.measure import alone, least_seconds, profile, timed_run

DTYPE = "float32"
NOISE = 0.15  # of an exponent, its standard error from which on it says nothing
LIMIT = 1.0  # seconds after which a point of the picture is not measured again
SWEEPS = {"T": (-3, 2), "B": (-4, 2), "H": (-3, 2)}  # the size that was asked for, times these powers of two


class Size(NamedTuple):
    """Time steps, sequences, inputs and hidden units."""

    T: int
    B: int
    inputs: int
    H: int

    @classmethod
    def read(cls, text):
        """A size out of "T,B,in,H"; ValueError if it is anything else."""
        numbers = text.split(",")
        if len(numbers) != len(cls._fields) or not all(n.strip().isdecimal() and int(n) > 0 for n in numbers):
            raise ValueError(f"--size must be four whole numbers of at least 1, T,B,in,H, got {text!r}")
        return cls(*map(int, numbers))


# what is measured -----------------------------------------------------------------------------------------------------


def measure(name, size, repeats, threads):
    """Phases, seconds of others by their name, and costs by axis; says how long it will take, and shows a bar."""
    sizes = {axis: sweep(size, axis) for axis in SWEEPS}
    print(said_duration(name, size, sizes, repeats), file=sys.stderr, flush=True)
    with Bar(total=2 + sum(map(len, sizes.values())), unit="size", desc="table", leave=False) as bar:
        phases = profile(*subject(name, size), repeats)
        bar.update()
        others = {"the whole, timed at once": least_seconds(training_step(*subject(name, size)), repeats)}
        others |= compiled(name, size, repeats, threads) | peers(name, size, repeats, threads)
        bar.update()
        costs = {axis: cost(name, axis, sizes[axis], repeats, bar) for axis in SWEEPS}
    return phases, others, costs


def said_duration(name, size, sizes, repeats):
    """How long all will take, in one line: from one training step, as if the time of a step grew in proportion."""
    step = least_seconds(training_step(*subject(name, size)), 1)
    seconds = 4 * (repeats + 1) * step  # the table: plain, timed, products alone, others
    for axis, of_axis in sizes.items():
        for one in (step * getattr(other, axis) / getattr(size, axis) for other in of_axis):
            seconds += one * (3 + 2 * min(repeats, 1 + LIMIT / one))
    return f"this takes about {duration(seconds)}; longer where other programs keep the machine busy"


def duration(seconds):
    """Seconds in words, roughly."""
    return f"{10 * math.ceil(seconds / 10)} s" if seconds < 100 else f"{math.ceil(seconds / 60)} minutes"


def subject(name, size):
    """A cell by its name, an input and an upstream gradient at every step, of this size."""
    cell_class, options = CELLS[name]
    cell = cell_class(size.inputs, size.H, rng=0, dtype=DTYPE, **options).interpret()
    rng = np.random.default_rng(0)
    x = rng.standard_normal((size.T, size.B, size.inputs), DTYPE)
    dh = rng.standard_normal((size.T, size.B, cell.output_size), DTYPE) / size.T
    return cell, x, dh


def training_step(cell, x, dh):
    """Forward and backward through the layer, to be called."""
    return lambda: cell.backward(dh, cell.forward(x)[1])


def compiled(name, size, repeats, threads=0):
    """{what it is called: seconds} of the compiled cell.

    threads: as many as it may use, 0: all cores.
    """
    cell, x, dh = subject(name, size)
    cell.compile(threads or None)
    seconds = least_seconds(training_step(cell, x, dh), repeats)
    refused = ", ".join(cell.runner.why_not)  # known only after a run
    label = f"compiled, {counted(cell.runner.threads)}"
    return {label + (f" ({refused} refused)" if refused else ""): seconds}


def peers(name, size, repeats, threads=0):
    """Seconds of PyTorch's layer of the same kind, by what it is called; nothing where there is none or no PyTorch.

    threads: as many as it may use, 0: as it likes. Ours computes the gradient of the input as well.
    """
    cell, x, dh = subject(name, size)
    kind = TORCH_KINDS.get(type(cell))
    activation = getattr(cell, "activation", None)
    if kind is None or activation not in (None, *NONLINEARITIES) or importlib.util.find_spec("torch") is None:
        return {}
    torch = importlib.import_module("torch")
    options = {} if activation is None else {"nonlinearity": activation}
    layer = getattr(torch.nn, kind.upper())(size.inputs, size.H, **options)
    x, dh = torch.from_numpy(x), torch.from_numpy(dh)

    def step():
        layer.zero_grad()
        layer(x)[0].backward(dh)

    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        label = f"PyTorch {torch.__version__}, {counted(torch.get_num_threads())}"
        return {label: least_seconds(step, repeats)}
    finally:
        torch.set_num_threads(before)


# how it grows ---------------------------------------------------------------------------------------------------------


def sweep(size, axis):
    """The sizes at which the cost is measured as `axis` ("T", "B" or "H") changes."""
    low, high = SWEEPS[axis]
    values = sorted({max(1, int(getattr(size, axis) * 2.0**k)) for k in range(low, high + 1)})
    return [size._replace(**{axis: value}) for value in values]


def cost(name, axis, sizes, repeats, bar):
    """Seconds of a training step and of its products alone at each size, and the exponents at the larger ones."""
    measured = {"values": [getattr(size, axis) for size in sizes], "seconds": [], "floor": []}
    for size in sizes:
        cell, x, dh = subject(name, size)
        bar.set_description(f"{axis}={getattr(size, axis)}")
        products = alone(timed_run(cell, x, dh).products)
        measured["seconds"].append(least_seconds(training_step(cell, x, dh), repeats, LIMIT))
        measured["floor"].append(least_seconds(products, repeats, LIMIT))
        bar.update()
    start = len(sizes) // 2 if len(sizes) > 3 else 0  # at small sizes the fixed cost of every call hides the power law
    measured["from"] = measured["values"][start]
    for what in ("seconds", "floor"):
        exponent, error = fitted_exponent(measured["values"][start:], measured[what][start:])
        known = error < NOISE and exponent > -NOISE  # else the points lie on no line, or less work took longer
        measured[f"{what}_exponent"] = exponent if known else None
        measured[f"{what}_exponent_error"] = error if known else None
    return measured


def fitted_exponent(values, seconds):
    """(k, its standard error) of seconds ∝ values^k: the slope of the least-squares line through the logarithms.

    values, seconds: positive numbers, at least two different values; ValueError otherwise. The error is that of a line
    with independent errors of one size, infinite for two points, through which every line goes.
    """
    if len(set(values)) < 2 or min(*values, *seconds) <= 0:
        raise ValueError("an exponent needs positive numbers, and at least two different values")
    x, y = np.log(values), np.log(seconds)
    slope, height = np.polyfit(x, y, 1)
    if len(x) == 2:
        return float(slope), math.inf
    variance = np.sum((y - slope * x - height) ** 2) / (len(x) - 2)
    return float(slope), float(np.sqrt(variance / np.sum((x - x.mean()) ** 2)))


def said_growth(axis, cost):
    """One line: how a training step and its products alone grow with `axis`, or that noise hides it."""
    said = []
    for what, name in (("seconds", "the training step"), ("floor", "its products alone")):
        exponent, error = cost[f"{what}_exponent"], cost[f"{what}_exponent_error"]
        power = "no power law" if exponent is None else f"{axis}^({exponent:.2f} ± {error:.2f})"
        said.append(f"{name} {power}")
    return f"from {axis} = {cost['from']} on: {', '.join(said)}"


def counted(threads):
    """A number of threads in words."""
    return "1 thread" if threads == 1 else f"{threads} threads"
