"""Time and memory of a training step against the number of units: n log n and n for the uRNN, n² for a full matrix."""

import tracemalloc
from typing import Annotated

import numpy as np
from matplotlib.ticker import NullLocator

from tinyrnn.cells import CELLS
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.profiling.costs import Size, fitted_exponent, subject, training_step
from tinyrnn.profiling.measure import least_seconds
from tinyrnn.training.plots import STYLES, PlainLogFormatter, capital, new_figure
from tinyrnn.training.settings import pick

MEASURES = {  # title, label of the axis, its unit
    "weights": ("parameters", "numbers to learn", 1),
    "seconds": ("time of a step, forward and backward", "milliseconds a time step", 1e-3),
    "bytes": ("memory of a training step", "MiB: weights, tape and gradients", 2**20),
}
LIMIT = 0.5  # seconds after which a size is not timed again


def run(
    networks: Annotated[tuple[str, ...], "names of cells"] = ("urnn", "elman"),
    smallest: Annotated[int, "the fewest units are 2 to the power of this"] = 7,
    largest: Annotated[int, "the most units are 2 to the power of this; 17 is the most for most machines"] = 12,
    steps: Annotated[int, "time steps of a sequence"] = 16,
    batch: Annotated[int, "sequences"] = 4,
    mebibytes: Annotated[int, "sizes are left out that would need more than this, going by the one before"] = 2048,
    seconds: Annotated[int, "likewise, seconds of one training step"] = 20,
    repeats: Annotated[int, "times that each is timed; the least counts"] = 5,
):
    """Seconds and bytes of a training step for 2^smallest to 2^largest units, and how they grow; a `Result`."""
    if not 0 < smallest < largest:
        raise ValueError(f"smallest must be at least 1 and below largest, got {smallest} and {largest}")
    if min(steps, batch, repeats) < 1:
        raise ValueError(f"steps, batch and repeats must be at least 1, got {steps}, {batch} and {repeats}")
    for name in networks:
        pick(CELLS, name, "cell")
    units = [2**k for k in range(smallest, largest + 1)]
    costs = {}
    with Bar(total=len(networks) * len(units), unit="size", leave=False) as bar, matrix_threads(1):
        for name in networks:
            found = costs[name] = {"units": [], **{measure: [] for measure in MEASURES}}
            for n in units:
                bar.set_description(f"{name}, {n} units")
                if len(found["units"]) > 1 and too_much(found, mebibytes * 2**20, seconds / steps):
                    break
                for key, value in {"units": n, **measured(name, Size(steps, batch, 2, n), repeats)}.items():
                    found[key].append(value)
                bar.update()
    exponents = {name: {measure: exponent(found, measure) for measure in MEASURES} for name, found in costs.items()}
    lines = [in_words(name, costs[name], exponents[name], units) for name in networks]
    size = {"steps": steps, "batch": batch, "dtype": "float32"}
    return Result(draw(costs, exponents), size | {"exponents": exponents, "costs": costs}, costs, tuple(lines))


def too_much(found, bytes_allowed, seconds_allowed):
    """Whether twice as many units would need too much, if it grows on as it did from the last size but one."""
    return any(
        found[measure][-1] ** 2 / found[measure][-2] > allowed
        for measure, allowed in (("bytes", bytes_allowed), ("seconds", seconds_allowed))
    )


def measured(name, size, repeats):
    """What a cell of this size has to learn, the time of a step and the memory of a training step.

    The memory is that of the weights and, at its peak, of all that forward and backward pass allocate: tape and
    gradients. It is measured apart from the time, for watching allocations takes time.
    """
    cell, x, dh = subject(name, size)
    step = training_step(cell, x, dh)
    least = least_seconds(step, repeats, LIMIT)
    tracemalloc.start()
    try:
        step()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    weights = sum(value.size for value in cell.params.values())
    own = sum(value.nbytes for value in cell.params.values())
    return {"weights": weights, "seconds": least / size.T, "bytes": own + peak}


def exponent(found, measure):
    """k of measure ∝ n^k over the larger half of the sizes; at small ones the fixed cost of every call hides it."""
    start = len(found["units"]) // 2 if len(found["units"]) > 3 else 0
    if len(found["units"]) < 2:
        return float("nan")
    return fitted_exponent(found["units"][start:], found[measure][start:])[0]


def in_words(name, found, exponents, units):
    """One cell: exponents of seconds and bytes, then weights, time and memory at its largest size."""
    n, last = found["units"][-1], {measure: found[measure][-1] for measure in MEASURES}
    grow = f"seconds ~ n^{exponents['seconds']:.2f}, bytes ~ n^{exponents['bytes']:.2f}"
    rest = "" if n == units[-1] else f"; from n = {2 * n} on it would take too much"
    at = f"{last['weights']:,} weights, {1e3 * last['seconds']:.2f} ms a step, {last['bytes'] / 2**20:.1f} MiB"
    return f"{name}: {grow}; n = {n}: {at}{rest}"


def draw(costs, exponents):
    """A panel for each of `MEASURES`: it against the number of units, both axes logarithmic, a line for each cell."""
    figure, panels = new_figure(1, len(MEASURES), (13, 4.6))
    for axes, (measure, (title, unit_name, unit)) in zip(panels, MEASURES.items(), strict=True):
        for k, (name, found) in enumerate(costs.items()):
            colour, line = STYLES[k % len(STYLES)]
            label = rf"{name} $\propto n^{{{exponents[name][measure]:.2f}}}$"
            mark = "os^Dv"[k % 5]
            values = np.array(found[measure]) / unit
            style = {"color": colour, "linestyle": line, "markerfacecolor": "white"}
            axes.plot(found["units"], values, mark, label=label, **style)
        units = max((found["units"] for found in costs.values()), key=len)
        axes.set(xlabel="n, hidden units", ylabel=unit_name, title=capital(title), xscale="log", yscale="log")
        axes.set_xticks(units, [str(n) if n < 2**13 else f"$2^{{{n.bit_length() - 1}}}$" for n in units])
        axes.xaxis.set_minor_locator(NullLocator())
        if unit != 1:
            axes.yaxis.set_major_formatter(PlainLogFormatter())
        axes.grid(alpha=0.25)
        axes.legend(loc="upper left", title="slope of the larger half", fontsize="small", title_fontsize="small")
    figure.suptitle("What a training step costs as the state grows")
    return figure


ANALYSIS = Analysis(
    title="time and memory of a training step against the number of units",
    source="Arjovsky, Shah & Bengio 2015, section 4: O(n log n) time and O(n) memory",
    run=run,
    look="slopes: a straight line on log scales is a power of n. The uRNN's n units are complex, 2n real numbers; with "
    "few units the many small operations of its step cost more than one matrix product.",
    errata=(
        "In the code of the paper's time the Fourier transforms, which cost the n log n and mix all units, are "
        "commented out; the text's W has them, and so has this one.",
        "The draft says that the uRNN has less than half as many parameters as the LSTM. With the sizes that it gives "
        "for the copy task it has 6153, and the LSTM 5865, or 6889 with the full peephole of the code: the draft "
        "counts all that the uRNN learns, but of the others the recurrent matrices alone.",
    ),
)
