"""Cliffs in the loss of one example, the mean over many, and gradient clipping at a cliff beside a valley."""

from itertools import cycle
from typing import Annotated

import numpy as np
from matplotlib.colors import LogNorm

from tinyrnn.analysis import cliffs
from tinyrnn.core.progress import Bar
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure

FLOOR = 1e-5  # gradients are drawn down to here
SHORTEST = 1e-4  # and steps of a descent to here

# one example and many -------------------------------------------------------------------------------------------------


def run_losses(
    steps: Annotated[int, "time steps T"] = 50,
    examples: Annotated[int, "examples that are averaged"] = 1000,
    shown: Annotated[tuple[int, ...], "which of them, counted from 1, are shown by themselves"] = (4, 6, 8),
    noise: Annotated[float, "standard deviation of the inputs after the first"] = 0.5,
    smallest: Annotated[float, "smallest recurrent weight"] = 0.0,
    largest: Annotated[float, "largest recurrent weight"] = 3.0,
    points: Annotated[int, "how many weights between them"] = 601,
    seed: Annotated[int, "seed of the examples"] = 0,
):
    """Loss and gradient of one unit against its recurrent weight, for single examples and their mean; a `Result`."""
    if steps < 1 or points < 2 or not smallest < largest:
        raise ValueError(f"needed: a step, 2 weights, smallest < largest; got {steps}, {points}, {smallest}, {largest}")
    if not all(1 <= each <= examples for each in shown):
        raise ValueError(f"examples 1 to {examples} can be shown, not {' '.join(map(str, shown))}")
    x, target = cliffs.first_sign(seed, examples, steps, noise)
    values, mean = np.linspace(smallest, largest, points), f"mean of {examples}"
    which = {f"example {each}": slice(each - 1, each) for each in shown} | {mean: slice(None)}
    sweeps, found, table = {}, {}, {"w": values}
    for name, some in Bar(which.items(), desc="weights", leave=False):
        sweep = cliffs.sweep(cliffs.unit(), x[:, some], target[some], values)
        sweeps[name], losses = sweep, sweep.losses.mean(axis=1)
        table |= {f"{name}, loss": losses, f"{name}, gradient": sweep.gradients}
        jumps = abs(np.diff(losses))
        at = int(jumps.argmax())
        face = cliffs.steepest(cliffs.unit(), x[:, some], target[some], values[at], values[at + 1])
        found[name] = {
            DRAWN: float(abs(sweep.gradients).max()),
            JUMP: float(jumps[at]),
            "between": [values[at], values[at + 1]],
            FACE: abs(face[1]),
            "at w": face[0],
        }
    share = float((abs(np.diff(sweeps[mean].losses, axis=0)).max(axis=0) > 1).mean())
    dw = values[1] - values[0]
    return Result(
        draw_losses(values, sweeps, mean),
        {**found, f"share of examples whose loss changes by more than 1 over dw = {dw:.3g}": share},
        {"losses": table},
        (
            *tuple(
                f"{name}: L changes by up to {each[JUMP]:.2g} over dw = {dw:.3g}; largest |dL/dw| at the weights drawn "
                f"{each[DRAWN]:.3g}, on the face of that cliff {each[FACE]:.3g}"
                for name, each in found.items()
            ),
            f"{share:.0%} of the examples have a cliff where L changes by more than 1 over dw = {dw:.3g}",
        ),
    )


DRAWN = "largest |dL/dw| at the weights drawn"
JUMP = "largest change of L from one to the next"
FACE = "largest |dL/dw| found there by halving"


def draw_losses(values, sweeps, mean):
    """Losses above, sizes of gradients below; single examples on the left, their mean on the right."""
    figure, axes = new_figure(2, 2, (12, 7.2))
    for (name, sweep), (colour, line) in zip(sweeps.items(), cycle(STYLES), strict=False):
        colour, line = ("black", "-") if name == mean else (colour, line)
        style, column = {"color": colour, "linestyle": line, "label": name}, int(name == mean)
        axes[0, column].plot(values, sweep.losses.mean(axis=1), **style)
        axes[1, column].plot(values, np.maximum(abs(sweep.gradients), FLOOR), **style)
    axes[0, 0].set(title="Single examples: plateaux and cliffs", ylabel="squared error L")
    axes[0, 1].set(title=f"The {mean} examples: a slope")
    top = max(each.get_ylim()[1] for each in axes[1])
    for each in axes[1]:
        each.set(xlabel="recurrent weight w", yscale="log", ylim=(FLOOR, 5 * top))
    axes[1, 0].set(ylabel="$|\\partial L/\\partial w|$")
    for each in axes.flat:
        each.grid(alpha=0.25)
        each.legend(fontsize="small")
    return figure


LOSS_CLIFFS = Analysis(
    title="loss cliffs: a recurrent weight against the loss of one example, and of the mean of 1000",
    source="Grosse 2018, lecture 16, figure 4",
    run=run_losses,
    look=(
        "left: the final sign flips at certain weights, and the loss jumps, by 3.6 of the 4 possible; "
        "on the steepest faces no grid shows how steep. "
        "Right: each example has its cliffs elsewhere, so that the mean falls evenly. The lecture says nothing of its "
        "network; this one, a tanh unit that has to remember the sign of its first input in noise, is ours."
    ),
    errata=(
        "A mean of 1000 examples is smooth to the eye only: it is made of cliffs a thousandth as high, on which its "
        "derivative is still large. A step of the size of the grid sees the slope, the derivative sees the cliff.",
    ),
)


# clipping -------------------------------------------------------------------------------------------------------------


def run_clipping(
    rate: Annotated[float, "learning rate"] = 0.5,
    limit: Annotated[float, "norm to which gradients are clipped"] = 0.05,
    updates: Annotated[int, "updates of gradient descent"] = 250,
    weight: Annotated[float, "weight w at the start"] = 5.5,
    bias: Annotated[float, "bias b at the start"] = -2.0,
    steps: Annotated[int, "time steps T"] = cliffs.STEPS,
):
    """Gradient descent from the face of a cliff, without and with clipping: weights and losses; a `Result`."""
    if steps < 1 or updates < 1:
        raise ValueError(f"at least one step and one update are needed, got {steps} and {updates}")

    def gradient(w, b):
        return cliffs.loss_and_gradient(w, b, steps)

    descents = {
        "as it is": cliffs.descend((weight, bias), rate, updates, gradient=gradient),
        f"clipped to {limit:g}": cliffs.descend((weight, bias), rate, updates, limit, gradient),
    }
    figure, (map_, far) = new_figure(1, 2, (13, 5.2))
    clipped = descents[f"clipped to {limit:g}"].points
    window = [(low - 0.35 * (high - low) - 0.3, high + 0.35 * (high - low) + 0.3)
              for low, high in zip(clipped.min(axis=0), clipped.max(axis=0), strict=True)]  # fmt: skip
    w, b = np.meshgrid(np.linspace(*window[0], 240), np.linspace(*window[1], 240))
    heights = np.maximum(cliffs.surface(w, b, steps), 1e-3)
    image = map_.pcolormesh(w, b, heights, norm=LogNorm(1e-3, 1), cmap="cividis", rasterized=True)
    figure.colorbar(image, ax=map_, label=f"loss $(\\sigma(x_{{{steps}}}) - {cliffs.TARGET:g})^2$")
    for (name, descent), (colour, line) in zip(descents.items(), (("white", "-"), ("black", "--")), strict=True):
        end = f"{name}: ends at ({descent.points[-1][0]:.3g}, {descent.points[-1][1]:.3g})"
        map_.plot(*descent.points.T, color=colour, linestyle=line, linewidth=1, marker=".", markersize=3, label=end)
    map_.plot(weight, bias, "s", color="white", markeredgecolor="black", markersize=9, label="start")
    map_.set(title="A valley beside a cliff", xlabel="weight w", ylabel="bias b", xlim=window[0], ylim=window[1])
    map_.legend(loc="lower left", facecolor="0.6", fontsize="small")
    lengths = {name: np.linalg.norm(np.diff(descent.points, axis=0), axis=1) for name, descent in descents.items()}
    for (name, jumps), (colour, line) in zip(lengths.items(), STYLES, strict=False):
        label = f"gradient {name}: ends with loss {descents[name].losses[-1]:.2g}"
        far.plot(
            np.arange(1, updates + 1),
            np.maximum(jumps, 1e-300),
            color=colour,
            linestyle=line,
            drawstyle="steps-mid",
            label=label,
        )
        most, words = jumps.argmax(), {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
        far.annotate(f"{jumps[most]:.3g}", (most + 1, jumps[most]), **words, color=colour)
        if jumps[-1] < SHORTEST:  # where it cannot move it leaves the picture
            gone = np.flatnonzero(jumps >= SHORTEST).max(initial=0) + 1
            words = {"xytext": (6, 4), "textcoords": "offset points"}
            far.annotate(f"then none above {SHORTEST:g}", (gone, SHORTEST), **words, color=colour)
    far.set(title="How long each step is", xlabel="update", ylabel="length of the step in (w, b)", yscale="log")
    far.set_ylim(SHORTEST, 10 * max(jumps.max() for jumps in lengths.values()))
    far.grid(alpha=0.25)
    far.legend(fontsize="small")

    numbers, lines, table = {}, [], {"update": np.arange(updates + 1)}
    for name, descent in descents.items():
        jumps = lengths[name]
        numbers[name] = {
            "largest gradient norm": descent.norms.max(),
            "longest step": jumps.max(),
            "at update": int(jumps.argmax()) + 1,
            "last (w, b)": descent.points[-1],
            "last loss": descent.losses[-1],
        }
        lines.append(
            f"gradient {name}: longest step {jumps.max():.4g} at update {jumps.argmax() + 1}, "
            f"ends at w = {descent.points[-1][0]:.4g}, b = {descent.points[-1][1]:.4g} "
            f"with loss {descent.losses[-1]:.3g}"
        )
        table |= {
            f"{name}, w": descent.points[:, 0],
            f"{name}, b": descent.points[:, 1],
            f"{name}, loss": descent.losses,
        }
    return Result(figure, numbers, {"descent": table}, tuple(lines))


CLIPPING = Analysis(
    title="gradient clipping: one step from the face of a cliff, with and without",
    source="Grosse 2018, lecture 16, section 3.1, eq. 4; Pascanu, Mikolov & Bengio 2013, figure 6",
    run=run_clipping,
    look=(
        "both go down into the valley. Where they meet the cliff the gradient is thousands of times as long: as it is, "
        "one step ends far off the map, on a plateau with hardly a gradient; clipped, the descent stays in the valley."
    ),
)
