"""One run of the constructed solution of the copy task: what the state says about each symbol, and when it is said."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.constructed import copied, measured_noise, predicted_noise
from tinyrnn.analysis.constructions import clock_period, copy_solution
from tinyrnn.analysis.pooling import fluctuation, pools
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.tasks import Copy
from tinyrnn.training.plots import STYLES, new_figure

SEQUENCES = 200  # on which the shares of right answers are measured
VARIANTS = {
    "threshold": {"variant": "threshold"},
    "literal": {"variant": "literal"},
    "literal, h* from 0": {"variant": "literal", "start": 0.0},
}

SHOWN = (-1.4, 2.6)  # of the margins; the literal blank's go on to hundreds


def run(
    symbols: Annotated[int, "symbols K"] = 8,
    length: Annotated[int, "symbols to remember S"] = 10,
    delay: Annotated[int, "delay T"] = 60,
    blocks: Annotated[int, "rotations d; the network has 2 d + 1 units"] = 512,
    seed: Annotated[int, "of the network and the sequences"] = 0,
):
    """Outputs, scores and noise of the constructed copy solution, and how often it is right; a `Result`."""
    task = Copy(delay=delay, symbols=symbols, length=length, codes="blank-last", delimiter_class=True)
    rng = as_rng(seed)
    model = copy_solution(task, blocks, rng=rng)
    V, codes = model.layers.params.V, model.layers.params.U[:symbols, :-1]
    angles = np.arctan2(V[0:-1:2, 1:-1:2].diagonal(), V[0:-1:2, 0:-1:2].diagonal())
    batch = task.sample(rng, SEQUENCES)
    one = batch.x[:, :1]

    numbers, outputs = {"K": symbols, "S": length, "T": delay, "d": blocks, "units": 2 * blocks + 1}, {}
    for name, options in VARIANTS.items():
        network = copy_solution(task, blocks, angles=angles, codes=codes, **options)
        whole, recalled = copied(network, task, batch)
        outputs[name], tape = network.forward(one)
        wrong = np.flatnonzero(outputs[name][:, 0].argmax(axis=-1) != batch.target[:, 0])
        numbers[name] = {"whole right": whole.mean(), "recalled right": recalled.mean(), "wrong steps shown": wrong}
    h = tape.layers["h"][:, 0, :-1]
    numbers["largest |V^(T+S) - 1|"] = np.abs(np.linalg.matrix_power(V, clock_period(task)) - np.eye(len(V))).max()
    predicted, measured = (
        predicted_noise(symbols, length, blocks),
        measured_noise(symbols, length, delay, blocks, 50, rng),
    )
    for name, expected, found in zip(("var <u_k, z>", "|z|^2"), predicted, measured, strict=True):
        numbers[name] = {"predicted": expected, "measured": found}
    numbers["fluctuation of units, of pools"] = [fluctuation(h[length:]), fluctuation(pools(h[length:]))]

    inner, blank = h @ codes.T, {name: y[:, 0, symbols] for name, y in outputs.items()}
    figure = draw(task, one[:, 0], inner, blank, numbers, h)
    steps = range(1, task.steps + 1)
    tables = {
        "inner products": {"t": steps, **{f"symbol {k + 1}": inner[:, k] for k in range(symbols)}},
        "blank": {"t": steps, "best symbol": inner.max(axis=1), **blank},
    }
    return Result(figure, numbers, tables, lines_of(numbers))


def lines_of(numbers):
    """How often each variant is right, how near V^(T+S) is to the identity, and the noise beside its prediction."""
    shares = [
        f"{name}: all outputs right in {numbers[name]['whole right']:.1%} of {SEQUENCES} sequences, symbols recalled "
        f"in {numbers[name]['recalled right']:.1%}; wrong outputs shown: {len(numbers[name]['wrong steps shown'])}"
        for name in VARIANTS
    ]
    variance, squares = numbers["var <u_k, z>"], numbers["|z|^2"]
    return (
        *shares,
        f"V^(T+S) is the identity to {numbers['largest |V^(T+S) - 1|']:.1g}",
        f"noise at a recall: variance of <u_k, z> {variance['measured']:.4f} (predicted {variance['predicted']:.4f}), "
        f"though |z|^2 is {squares['measured']:.2f} ({squares['predicted']:.0f})",
    )


def draw(task, x, inner, blank, numbers, h):
    """Score of each symbol over time; the best symbol's beside the blank's; the activations of a few units."""
    figure, (top, middle, bottom) = new_figure(3, 1, (10, 9))
    steps, S, due = np.arange(1, task.steps + 1), task.length, clock_period(task)
    extent = (0.5, task.steps + 0.5, task.symbols + 0.5, 0.5)
    image = top.imshow(
        inner.T, aspect="auto", cmap="gray_r", extent=extent, interpolation="nearest", vmin=-0.25, vmax=1
    )
    figure.colorbar(image, ax=top, label=r"$\langle u_k, \bar h_t\rangle$", pad=0.01, extend="min")
    mark = {"linestyle": "", "markerfacecolor": "none", "markersize": 8, "markeredgewidth": 1.6, "clip_on": False}
    top.plot(steps[:S], x[:S] + 1, "o", color="#0072b2", label="symbol read", **mark)
    top.plot(steps[due:], x[:S] + 1, "s", color="#d55e00", label="symbol due", **mark)
    top.set(ylabel="symbol k", title="Every symbol is noise, except when it is read and T + S steps later")
    top.set_yticks(range(1, task.symbols + 1))
    top.legend(loc="upper center", ncols=2, framealpha=0.95)

    least, most = 0.0, 0.0
    for (name, score), (colour, line) in zip(blank.items(), STYLES, strict=False):
        margin = margins(task, x, inner, score)
        middle.plot(steps, margin.clip(*SHOWN), color=colour, linestyle=line, linewidth=1.8, label=name)
        wrong = margin < 0
        if wrong.any():
            middle.plot(steps[wrong], margin[wrong].clip(*SHOWN), "X", color=colour, markersize=8, clip_on=False)
        least, most = min(least, margin.min()), max(most, margin.max())
    if most > SHOWN[1]:
        words = f"up to {most:.0f}, beyond the panel"
        middle.text(0.5 * (task.length + due), SHOWN[1] - 0.3, words, ha="center", va="center", fontsize="small")
    middle.axhspan(SHOWN[0], 0, color="black", alpha=0.07, linewidth=0)
    middle.set(ylim=SHOWN, ylabel="right answer's score\nless the best other")
    middle.set_title("Below 0 the answer is wrong (crosses): only with a threshold it never is")
    middle.legend(loc="center", ncols=3, fontsize="small", framealpha=0.95)

    for k, (colour, line) in zip(range(3), STYLES, strict=False):
        bottom.plot(steps, h[:, 2 * k], color=colour, linestyle=line, label=f"unit {2 * k + 1}", linewidth=1)
    bottom.plot(steps, pools(h)[:, 0], color="black", linewidth=1.5, label="length of units 1 and 2")
    bottom.set(xlabel="time step t", ylabel="activation", title="The units turn all the time, not only h*")
    bottom.legend(ncols=4, fontsize="small", loc="upper center")
    bottom.set_ylim(top=1.5 * np.abs(h[:, :6]).max())
    for axes in (top, middle, bottom):
        axes.axvline(due, color="black", linestyle=":", linewidth=1.5)
        axes.set_xlim(0.5, task.steps + 0.5)
    down = f": down to −{-least:.0f}, beyond the panel" if least < SHOWN[0] else ""
    middle.annotate(
        f"delimiter{down}", (due, -0.8), xytext=(-4, 0), textcoords="offset points", ha="right", va="center"
    )
    return figure


def margins(task, x, inner, blank):
    """(steps,) score of the answer that is due less the best of the others; inner (steps, K), blank (steps,).

    x (steps,): the first S are the symbols, which are due at the end; before that the blank is.
    """
    scores, due = np.column_stack([inner, blank]), np.full(task.steps, task.symbols)
    due[clock_period(task) :] = x[: task.length]
    right = scores[np.arange(task.steps), due]
    scores[np.arange(task.steps), due] = -np.inf
    return right - scores.max(axis=1)


ANALYSIS = Analysis(
    title="the copy task solved by a clock of rotations, without training",
    source="Henaff, Szlam & LeCun 2016, section 3.1.1",
    run=run,
    look="each square at the end is dark: the symbol read T + S steps before is the only one that the state points to.",
    errata=(
        "Told literally, the construction answers wrongly at the delimiter: h* is made positive at that very step, "
        "while the blank is still due. A threshold (blanks add nothing, the delimiter 0.75) is right there too.",
        "From h* = 0 the literal version is wrong on the first S steps too: nothing suppresses the symbol being read.",
        "During the delay it is not only h* that changes: the other units turn all the time.",
        "V is not just any k-th root of the identity: V^(T+S) = 1, with the S steps of the recall in the period.",
        "U is introduced as d x N, acting on columns; in the construction it is (K+2) x (2d+1): its rows are inputs, "
        "and so are W's, with which the state is compared.",
        "The increments, the start of h* and the scale of the blank's row are ours; the text names no values for them.",
    ),
)
