"""Drawings of networks: an encoder and decoder, the unit of an LSTM, and linear networks that start others."""

from typing import Annotated

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import new_figure

RED, INK, PALE = "#c1272d", "black", "#e8eef4"


def run(
    words: Annotated[int, "of the sentence that is read, and of the one that is written"] = 4,
):
    """Five drawings, with the length of the longest path that the first one shows; a `Result`."""
    if words < 2:
        raise ValueError(f"words must be at least 2, got {words}")
    figure, panels = new_figure(2, 1, (12, 8.4))
    encoder_decoder(panels[0], words)
    grid = panels[1].get_gridspec()
    panels[1].remove()
    below = grid[1].subgridspec(1, 2, width_ratios=(1, 1.5))
    lstm_unit(figure.add_subplot(below[0]))
    linear_starts(figure.add_subplot(below[1]))
    steps = 2 * words - 1
    figure.suptitle("Networks as they are drawn")
    numbers = {"words": words, "steps from the first word read to the last one written": steps}
    line = (
        f"from the first word read to the last one written a gradient passes {steps} steps, whatever the sentence says"
    )
    return Result(figure, numbers, {}, (line,))


def box(axes, x, y, text, width=0.8, height=0.5, **style):
    """A rounded box around (x, y) with text in it."""
    style = {"facecolor": PALE, "edgecolor": INK, **style}
    corner = (x - width / 2, y - height / 2)
    axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle="round,pad=0,rounding_size=0.1", zorder=2, **style))
    axes.text(x, y, text, ha="center", va="center", fontsize=9, zorder=3)


def arrow(axes, start, end, text="", colour=INK, bend=0.0, **style):
    """An arrow from one place to another, with text beside its middle."""
    shape = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.3}
    axes.add_patch(
        FancyArrowPatch(start, end, color=colour, connectionstyle=f"arc3,rad={bend}", zorder=1, **{**shape, **style})
    )
    if text:
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        axes.annotate(text, middle, (4, 4), textcoords="offset points", fontsize=9, color=colour)


def frame(axes, title, x, y):
    """Limits, a title and nothing else."""
    axes.set(xlim=x, ylim=y, aspect="equal")
    axes.set_title(title, fontsize=11)
    axes.set_axis_off()


def encoder_decoder(axes, words):
    """The lecture's figure 1: a sentence is read, then written; in red the longest path of a gradient."""
    for t in range(2 * words):
        reading = t < words
        number = t + 1 if reading else t - words + 1
        box(axes, t, 0, f"$h_{{{number}}}$" if reading else f"$s_{{{number}}}$", 0.6, 0.5)
        first, last = t == 0, t == 2 * words - 1
        below = f"$x_{{{number}}}$" if reading else f"$y_{{{number - 1}}}$" if number > 1 else "start"
        axes.text(t, -1.12, below, ha="center", va="center", color=RED if first else INK)
        arrow(axes, (t, -0.95), (t, -0.25), colour=RED if first else INK, linewidth=2.2 if first else 1.3)
        if not reading:
            axes.text(t, 1.12, f"$y_{{{number}}}$", ha="center", va="center", color=RED if last else INK)
            arrow(axes, (t, 0.25), (t, 0.95), colour=RED if last else INK, linewidth=2.2 if last else 1.3)
        if t:
            arrow(axes, (t - 0.7, 0), (t - 0.3, 0), colour=RED, linewidth=2.2)
    middle = words - 0.5
    axes.plot([middle, middle], [-1.2, 1.1], color="0.6", linestyle=":", zorder=0)
    axes.text((words - 1) / 2, 0.75, "encoder: reads", ha="center")
    axes.text(words - 0.45, 0.75, "decoder:\nwrites", ha="left", va="center", fontsize=9)
    frame(
        axes,
        "Encoder and decoder: every word is written from one state; red: the longest path",
        (-0.6, 2 * words - 0.4),
        (-1.4, 1.4),
    )


def lstm_unit(axes):
    """The lecture's figure 5: the memory cell and its gates."""
    box(axes, 2.2, 1.5, "$c$", 0.7, 0.6, facecolor="#f7e6c4")
    for x, text in ((1.1, "×"), (3.3, "×")):
        box(axes, x, 1.5, text, 0.4, 0.4, facecolor="white")
    box(axes, 2.2, 2.75, "×", 0.4, 0.4, facecolor="white")
    box(axes, 0, 1.5, "tanh\n$g$", 0.6, 0.7)
    box(axes, 1.1, 0.3, "σ  $i$", 0.7, 0.5)
    box(axes, 3.3, 0.3, "σ  $o$", 0.7, 0.5)
    box(axes, 0.7, 2.75, "σ  $f$", 0.7, 0.5)
    arrow(axes, (0.3, 1.5), (0.9, 1.5))
    arrow(axes, (1.3, 1.5), (1.85, 1.5), "+")
    arrow(axes, (2.55, 1.5), (3.1, 1.5))
    axes.text(2.82, 1.66, "tanh", ha="center", fontsize=8)
    arrow(axes, (3.5, 1.5), (4.2, 1.5))
    arrow(axes, (1.1, 0.55), (1.1, 1.3))
    arrow(axes, (3.3, 0.55), (3.3, 1.3))
    arrow(axes, (1.05, 2.75), (2.0, 2.75))
    arrow(axes, (2.4, 1.8), (2.35, 2.58), colour=RED, bend=0.45)
    arrow(axes, (2.05, 2.58), (2.0, 1.8), colour=RED, bend=0.45)
    axes.text(2.75, 2.35, "$c$, one step later", fontsize=8, color=RED)
    axes.text(4.25, 1.5, "$h$", ha="left", va="center")
    for x, y in ((0, 1.15), (1.1, 0.05), (3.3, 0.05)):
        arrow(axes, (x, y - 0.4), (x, y))
        axes.text(x, y - 0.55, "$x, h$", ha="center", va="center", fontsize=8)
    arrow(axes, (-0.05, 2.75), (0.35, 2.75))
    axes.text(-0.1, 2.75, "$x, h$", ha="right", va="center", fontsize=8)
    frame(axes, "The unit of an LSTM; red: what is kept", (-0.7, 4.6), (-0.75, 3.3))


def linear_starts(axes):
    """Carta's figure 1: a linear RNN in closed form, and where its matrices go in an RNN and in an LMN."""

    def network(x, title, boxes, arrows):
        axes.text(x, 3.15, title, ha="center", fontsize=9)
        for dx, y, text, colour in boxes:
            box(axes, x + dx, y, text, 0.9, 0.5, facecolor=colour)
        for start, end, text, colour in arrows:
            arrow(axes, (x + start[0], start[1]), (x + end[0], end[1]), text, colour)

    def loop(x, y, text, colour):
        arrow(axes, (x + 0.45, y + 0.12), (x + 0.45, y - 0.12), "", colour, bend=-2.6)
        axes.text(x + 0.86, y, text, ha="left", va="center", fontsize=9, color=colour)

    learnt, up = "#f7e6c4", RED
    network(
        0,
        "linear RNN",
        [(0, 1.2, "$m$", learnt), (0, 2.5, "$y$", "white"), (0, 0, "$x$", "white")],
        [((0, 0.25), (0, 0.95), "$A$", up), ((0, 1.45), (0, 2.25), "$W_o$", up)],
    )
    loop(0, 1.2, "$B$", up)
    network(
        2.6,
        "RNN",
        [(0, 1.2, "$h$", PALE), (0, 2.5, "$y$", "white"), (0, 0, "$x$", "white")],
        [((0, 0.25), (0, 0.95), "$A$", up), ((0, 1.45), (0, 2.25), "$W_o$", up)],
    )
    loop(2.6, 1.2, "tanh, $B$", up)
    network(
        5.4,
        "linear memory network",
        [(-0.6, 1.2, "$h$", PALE), (0.8, 1.2, "$m$", learnt), (0.8, 2.5, "$y$", "white"), (-0.6, 0, "$x$", "white")],
        [
            ((-0.6, 0.25), (-0.6, 0.95), "$A$, tanh", up),
            ((-0.15, 1.2), (0.35, 1.2), "1", up),
            ((0.8, 1.45), (0.8, 2.25), "$W_o$", up),
            ((0.7, 0.95), (0.2, 0.62), "", "0.6"),
            ((0.2, 0.62), (-0.3, 0.95), "", "0.6"),
        ],
    )
    loop(6.2, 1.2, "$B$", up)
    frame(
        axes,
        "The linear RNN found in closed form (A, B, $W_o$), and the two that start from it",
        (-0.8, 7.4),
        (-0.5, 3.4),
    )


ANALYSIS = Analysis(
    title="networks drawn: encoder and decoder, the LSTM's unit, linear networks that start others",
    source="Grosse 2018, lecture 16, figures 1 and 5; Carta, Sperduti & Bacciu 2020, figure 1",
    run=run,
    look=(
        "above, a gradient from the last word written to the first one read passes every step between them. Below on "
        "the left, the only loop that no matrix is on is the memory's own, times f. On the right, in red what comes "
        "from the linear RNN: the RNN puts its tanh inside the loop, the memory network outside of it (grey: zero at "
        "first)."
    ),
    errata=("The lecture's own drawings show one step later as one more unit; here the memory's path is a loop.",),
)
