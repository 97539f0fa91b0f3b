"""States found again backwards, as the transition can be undone: what that saves, and how exact it is."""

import tracemalloc
from typing import Annotated

import numpy as np
from matplotlib.ticker import LogLocator

from tinyrnn import Model, Readout, UnitaryRNN
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.nn.recompute.inverse import Inverse
from tinyrnn.profiling.costs import fitted_exponent
from tinyrnn.tasks import Adding
from tinyrnn.training.plots import STYLES, logarithmic, new_figure

EXACT = 1e-17  # where no error at all is drawn on a log scale
WAYS = {"all states kept": None, "states found again": Inverse()}


def run(
    steps: Annotated[tuple[int, ...], "lengths T"] = (200, 400, 800, 1600, 3200),
    hidden: Annotated[int, "complex units of the network"] = 64,
    batch: Annotated[int, "sequences"] = 10,
    seed: Annotated[int, "of weights and sequences"] = 0,
):
    """Memory of a uRNN's gradients by length, with states kept and found again, and how far they differ; a `Result`."""
    if len(set(steps)) < 2 or min(*steps, 2) < 2 or min(hidden, batch) < 1:
        raise ValueError("inverse: two lengths of at least 2 steps are needed, and a unit and a sequence at least")
    model = Model(UnitaryRNN(2, hidden, rng=seed), Readout(2 * hidden, 1, rng=seed), loss="squared_error", at="last")
    memory, errors = {way: [] for way in WAYS}, []
    for T in steps:
        x, target, _ = Adding(steps=T).sample(seed, batch, "float64")
        found = {}
        for way, checkpoint in WAYS.items():
            found[way], peak = watched(model, x, target, checkpoint)
            memory[way].append(peak)
        errors.append(distance(*found.values()))
    longer = slice(min(len(steps) // 2, len(steps) - 2), None)  # what does not grow hides it in short ones
    exponents = {way: fitted_exponent(steps[longer], peaks[longer])[0] for way, peaks in memory.items()}
    numbers = {"units": hidden, "batch": batch, "exponent of T in the memory": exponents}
    numbers |= {"bytes": {way: dict(zip(steps, peaks, strict=True)) for way, peaks in memory.items()}}
    numbers |= {"relative error of the gradients": dict(zip(steps, errors, strict=True))}
    table = {"T": steps, **{f"{way}, bytes": peaks for way, peaks in memory.items()}, "relative error": errors}
    lines = [
        f"{way}: {peaks[0] / 2**20:.1f} MiB at T = {steps[0]}, {peaks[-1] / 2**20:.1f} at {steps[-1]}, "
        f"like T^{exponents[way]:.2f}"
        for way, peaks in memory.items()
    ]
    lines.append(f"gradients differ by {max(errors):.1g} of their length at most")
    return Result(draw(steps, memory, errors), numbers, {"memory": table}, tuple(lines))


def watched(model, x, target, checkpoint):
    """The gradients, and the most bytes that were needed at a time while they were computed."""
    model.gradients(x[:2], target, checkpoint=checkpoint)  # what is made once is not counted
    with matrix_threads(1):
        tracemalloc.start()
        try:
            found = model.gradients(x, target, checkpoint=checkpoint).params
            return found, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def distance(a, b):
    """How far two sets of gradients are apart, all entries together, as a share of the first one's length."""
    apart, size = (np.sqrt(sum(np.sum(d**2) for d in each)) for each in ((b[k] - a[k] for k in a), a.values()))
    return float(apart / size)


def draw(steps, memory, errors):
    """Left the memory against the length, right how far the gradients differ."""
    figure, (left, right) = new_figure(1, 2, (11, 4.4))
    for (way, peaks), (colour, line), mark in zip(memory.items(), STYLES, "os", strict=False):
        left.plot(steps, np.array(peaks) / 2**20, color=colour, linestyle=line, marker=mark, label=way)
    left.set(ylabel="memory of forward and backward pass (MiB)", yscale="log", title="What it saves")
    left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    left.yaxis.set_major_formatter("{x:g}")
    left.legend()
    right.plot(steps, np.maximum(errors, EXACT), color=STYLES[1][0], linestyle=STYLES[1][1], marker="s")
    right.set(ylabel="relative error of all gradients", yscale="log", title="How exact it is (double precision)")
    for axes in (left, right):
        axes.set_xlabel("time steps T")
        logarithmic(axes, steps)
        axes.grid(alpha=0.25)
    return figure


ANALYSIS = Analysis(
    title="states of a unitary network found again backwards: memory and errors",
    source="Arjovsky, Shah & Bengio 2015, first published version",
    run=run,
    look="states that are kept take memory in proportion to the steps; those that are found again by the inverse of "
    "the transition hardly any, at the price of another pass, and to a few digits less than the numbers have. Training "
    "moves modReLU's bias below 0, where a unit that is off cannot be brought back: then kept states take over.",
)
