"""Copy with a delay that varies, solved by a network whose input chooses its transition: two registers of symbols."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.multiplicative_copy import variable_copy_solution
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.tasks import VariableCopy
from tinyrnn.training.plots import STYLES, logarithmic, new_figure

MARGIN = 0.5  # of a symbol's size, by which a place counts as taken


def run(
    symbols: Annotated[int, "symbols K"] = 4,
    length: Annotated[int, "symbols to remember S"] = 5,
    delays: Annotated[tuple[int, ...], "delays T; the sequence that is shown has the first"] = (20, 60, 200, 1000),
    scale: Annotated[float, "of the units, small enough for tanh to be straight"] = 1e-4,
    sequences: Annotated[int, "for every share of right ones"] = 200,
    seed: Annotated[int, "of the sequences"] = 0,
):
    """How many sequences are right throughout by delay, and what stands where in one of them; a `Result`."""
    if min(sequences, 1) < 1:
        raise ValueError(f"variable-copy: there must be at least 1 sequence, got {sequences}")
    rng, right, lost = as_rng(seed), {}, {}
    for delay in delays:
        task = VariableCopy(delay=delay, length=length, symbols=symbols)
        model = variable_copy_solution(task, scale)
        x, target = task.sample(rng, sequences, "float64")[:2]
        y, tape = model.forward(x)
        right[delay] = float((y.argmax(axis=-1) == target).all(axis=0).mean())
        lost[delay] = 1 - float(tape.layers["h"].max(axis=(1, 2)).min()) / scale
        if delay == delays[0]:
            answers = y[:, 0].argmax(axis=-1)
            held = tape.layers["h"][:, 0].reshape(len(x), 2 * length + 1, symbols) / scale
            shown = x[:, 0], target[:, 0], answers, places(held)
    numbers = {"K": symbols, "S": length, "units": (2 * length + 1) * symbols, "scale": scale, "sequences": sequences}
    numbers |= {"whole right": right, "lost of a symbol's size": lost}
    read, due, said, held = shown
    table = {"t": range(1, len(read) + 1), "input": read, "due": due, "answer": said}
    table |= {f"place {k + 1}": held[:, k] for k in range(held.shape[1])}
    lines = [f"T = {T}: all outputs right in {share:.1%} of {sequences} sequences" for T, share in right.items()]
    return Result(draw(shown, length, symbols, right, lost, scale), numbers, {"sequence": table}, tuple(lines))


def places(held):
    """Which symbol stands in each place at each step, 1 to K; 0 where there is none. held (T, places, K)."""
    return np.where(held.max(axis=-1) > MARGIN, held.argmax(axis=-1) + 1, 0)


def draw(shown, length, symbols, right, lost, scale):
    """Left what stands in the places over time, with what is read and answered; right what tanh takes of a symbol."""
    read, _, said, held = shown
    figure, (left, cost) = new_figure(1, 2, (14, 5.2))
    steps, n = held.shape
    left.axhspan(-0.5, length - 0.5, color=STYLES[0][0], alpha=0.06)
    left.axhspan(length - 0.5, n - 0.5, color=STYLES[1][0], alpha=0.06)
    for place, values in {-2: read, n + 1: said, **dict(enumerate(held.T))}.items():
        for t in np.flatnonzero((values > 0) & (values <= symbols)):
            colour = STYLES[(values[t] - 1) % len(STYLES)][0]
            left.text(t + 1, place, values[t], ha="center", va="center", fontsize="small", color=colour)
    delimiter = int(np.flatnonzero(read == symbols + 1)[0]) + 1
    left.axvline(delimiter, color="black", linestyle=":", linewidth=1, zorder=0)
    left.text(delimiter + 0.3, -2, "delimiter", va="center", fontsize="small")
    rows = {
        "read": -2,
        "places\nwritten": (length - 1) / 2,
        "places\nto be read": (length + n - 1) / 2,
        "answered": n + 1,
    }
    left.set_yticks(list(rows.values()), list(rows))
    left.set(xlim=(0, steps + 1), ylim=(n + 2, -3), xlabel="time step t")
    left.set_title("A symbol waits where it is until it is asked for")
    delays = np.array(list(lost))
    cost.plot(delays, list(lost.values()), "o", color=STYLES[0][0], label="measured")
    cost.plot(delays, (delays + 2 * length) * scale**2 / 3, color="black", linewidth=1, label="(T + 2S) scale² / 3")
    for delay, share in right.items():
        words = {"xytext": (6, -12), "textcoords": "offset points", "fontsize": "small"}
        cost.annotate(f"{share:.0%} right", (delay, lost[delay]), **words)
    cost.set(yscale="log", xlabel="delay T (steps)", ylabel="lost of a symbol's size")
    cost.set_title("What tanh takes of it on the way")
    cost.margins(0.15)
    logarithmic(cost, delays)
    cost.legend(loc="lower right", fontsize="small")
    cost.grid(alpha=0.25)
    return figure


ANALYSIS = Analysis(
    title="copy with a delay that varies, solved by a network whose input chooses its transition",
    source="Henaff, Szlam & LeCun 2016, section 3.1.3",
    run=run,
    look="symbols enter the lower places one by one, wait there, are carried over at the delimiter, and leave by the "
    "first of the places to be read. No power of one matrix could: it would have to know when it will be asked.",
    errata=("The text says that a multiplicative network can, and not how: this construction is ours.",),
)
