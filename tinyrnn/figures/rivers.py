"""The gradient on its way back, as a river: as wide as it is large, in a lane for each part of the state."""

from typing import Annotated

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tinyrnn.analysis.flow import row_norms
from tinyrnn.cells import CELLS
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES
from tinyrnn.training.settings import pick

SEQUENCES = 50  # that the norms are averaged over


def run(
    networks: Annotated[tuple[str, ...], "names of cells"] = ("elman", "lstm", "urnn"),
    steps: Annotated[int, "T; the loss looks at the last one"] = 60,
    hidden: Annotated[int, "units"] = 64,
    forget_bias: Annotated[float, "of the cells that have one, at the start"] = 2.0,
    seed: Annotated[int, "of weights and inputs"] = 0,
):
    """The norm of the gradient by each part of the state at each step, for cells as initialised; a `Result`."""
    if steps < 2 or hidden < 1:
        raise ValueError(f"steps must be at least 2 and hidden at least 1, got {steps} and {hidden}")
    rivers = {name: river(name, steps, hidden, forget_bias, seed) for name in networks}
    lines = tuple(in_words(name, lanes) for name, lanes in rivers.items())
    tables = {name: {"t": np.arange(1, steps + 1), **lanes} for name, lanes in rivers.items()}
    size = {"T": steps, "hidden": hidden, "forget_bias": forget_bias}
    return Result(draw(rivers, steps), size | {"left": {n: left(lanes) for n, lanes in rivers.items()}}, tables, lines)


def river(name, steps, hidden, forget_bias, seed):
    """state -> its gradient's norm after each step (T,), a mean over sequences, as a share of what sets out at the end.

    The cell is as it starts, in float64; the inputs are normal, and the loss is a random sum of the last output.
    """
    cell_class, options = pick(CELLS, name, "cell")
    cell = cell_class(1, hidden, rng=seed, **options, **open_gates(cell_class, forget_bias))
    rng = as_rng(seed)
    x = rng.standard_normal((steps, SEQUENCES, 1))
    h, tape = cell.forward(x)
    dh = np.zeros_like(h)
    dh[-1] = rng.standard_normal(h.shape[1:])
    dh[-1] /= row_norms(dh[-1])[:, None]
    states = cell.backward(dh, tape, record=True).states
    lanes = {state: row_norms(states[state]).mean(axis=1) for state in cell.states}
    return {state: norms for state, norms in lanes.items() if norms.any()}


def open_gates(cell_class, forget_bias):
    """The constructor's option for the forget gate, where there is one."""
    made = cell_class(1, 2, rng=0)
    return {"forget_bias": forget_bias} if hasattr(made, "forget_bias") else {}


def left(lanes):
    """The share that is left after the first step, of the widest lane."""
    return max(norms[0] for norms in lanes.values())


def in_words(name, lanes):
    """How much of the gradient is left at the first step, and in which part of the state most of it is."""
    widest = max(lanes, key=lambda state: lanes[state][0])
    return f"{name}: at the first step {left(lanes):.2g} of the gradient is left, in {widest}"


def draw(rivers, steps):
    """A panel for each cell with a lane for each part of the state, as wide as the gradient's norm."""
    figure = Figure(figsize=(9, 1.1 + 0.75 * sum(map(len, rivers.values()))), layout="constrained")
    FigureCanvasAgg(figure)
    panels = np.atleast_1d(figure.subplots(len(rivers), 1, height_ratios=[*map(len, rivers.values())]))
    t, widest = np.arange(1, steps + 1), max(norms.max() for lanes in rivers.values() for norms in lanes.values())
    for axes, (name, lanes), (colour, _) in zip(panels, rivers.items(), STYLES * 9, strict=False):
        for k, (state, norms) in enumerate(lanes.items()):
            half = 0.45 * norms / widest  # one scale for all networks
            axes.fill_between(t, -k - half, -k + half, color=colour, alpha=1 - 0.35 * k, linewidth=0.4)
            axes.plot(t, np.full(steps, -k), color=colour, linewidth=0.6, alpha=0.5)
            axes.text(1.012 * steps, -k, state, va="center", color=colour, style="italic", fontsize=12)
        axes.set(xlim=(1, steps), ylim=(0.55 - len(lanes), 0.55), yticks=[], xticks=[])
        share = left(lanes)
        said = f"{share:.0%}" if share >= 0.005 else f"{share:.0e}"
        axes.set_ylabel(f"{name}\n{said} arrives", rotation=0, ha="right", va="center", fontsize=11)
        axes.spines[:].set_visible(False)
    ticks = np.linspace(1, steps, 5).round().astype(int)
    panels[-1].set_xticks(ticks, [f"t = {ticks[0]}", *map(str, ticks[1:])])
    panels[-1].set_xlabel("← back in time from the loss, which looks at the last step", fontsize=10)
    figure.suptitle("The gradient travels back: as wide as its norm, one scale for all", fontsize=12)
    return figure


ANALYSIS = Analysis(
    title="the gradient on its way back, as a river in a lane for each part of the state",
    source="Grosse's lecture 16, section 3; Arjovsky, Shah & Bengio 2016, section 2",
    run=run,
    look="each river begins at the right, at the loss, and is as wide as the gradient is large. The Elman network's "
    "dries up within some steps: each multiplies by a matrix and a slope, and both shrink. The LSTM's flows on in c, "
    "which a gate only scales, and from there into h: that is the path along which it learns. The unitary network's "
    "keeps its width, for its matrix only turns. With --forget-bias 1, the usual start, the LSTM's dries up as well; "
    "with 3 it swells: which it does at first is a matter of that one number.",
)
