"""Four recurrent matrices: who drives whom, and what becomes of a pulse that enters them."""

from typing import Annotated

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch

from tinyrnn.analysis.ordering import linear_response
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

RADIUS = 0.11  # of a unit in the drawing, whose units stand on a circle of radius 1


def run(
    units: Annotated[int, "N, of the networks that the pulse enters"] = 100,
    drawn: Annotated[int, "units of the small ones that are drawn"] = 8,
    scale: Annotated[float, "λ, of λ times the identity and of λQ"] = 1.0,
    alpha: Annotated[float, "weight forwards, of the chain"] = 1.02,
    feedback_alpha: Annotated[float, "weight forwards, of the chain with feedback"] = 0.99,
    beta: Annotated[float, "weight backwards, of the chain with feedback"] = 0.04,
    steps: Annotated[int, "k to compute up to"] = 150,
    seed: Annotated[int, "of Q and its v"] = 0,
):
    """Schematics and matrices of the four networks, and ‖W^k v‖ of each, v of length 1; a `Result`."""
    if units < 3 or drawn < 3 or steps < 1:
        raise ValueError(f"units, drawn and steps must be at least 3, 3 and 1, got {units}, {drawn} and {steps}")

    def systems(N):
        rng = as_rng(seed)
        v, head = rng.normal(size=N), np.eye(N)[0]
        return {
            f"identity, λ = {scale:g}": (distributions.scaled_identity(N, scale), np.full(N, N**-0.5)),
            f"orthogonal, λ = {scale:g}": (distributions.random_orthogonal(N, rng, scale), v / np.linalg.norm(v)),
            f"chain, α = {alpha:g}": (distributions.chain(N, alpha).T, head),
            f"chain with feedback, {feedback_alpha:g} and {beta:g}": (
                distributions.feedback_chain(N, feedback_alpha, beta).T,
                head,
            ),
        }

    norms = {label: np.linalg.norm(linear_response(W, v, steps), axis=1) for label, (W, v) in systems(units).items()}
    numbers = {
        label: {"largest": each.max(), "at k": int(each.argmax()), f"at k = {steps}": each[-1]}
        for label, each in norms.items()
    }
    lines = [
        f"{label}: ‖W^k v‖ is largest at k = {n['at k']}, {n['largest']:.4g}, and {each[-1]:.3g} at k = {steps}"
        for (label, n), each in zip(numbers.items(), norms.values(), strict=True)
    ]
    small = {label: W for label, (W, _) in systems(drawn).items()}
    return Result(
        draw(small, norms), {"N": units, "networks": numbers}, {"norms": {"k": np.arange(steps + 1), **norms}}, lines
    )


def draw(small, norms):
    """A column for each network, its schematic over its matrix; below all, the norms of what is left of a pulse."""
    figure, panels = new_figure(3, len(small), (12, 9.4))
    for column, (label, W) in enumerate(small.items()):
        draw_schematic(panels[0, column], W)
        panels[0, column].set_title(label, fontsize=11)
        image = panels[1, column].imshow(W, cmap="PuOr_r", vmin=-1.1, vmax=1.1)
        panels[1, column].set(anchor="N", xlabel="from unit j", xticks=[], yticks=[])
    panels[1, 0].set_ylabel("to unit i")
    figure.colorbar(image, ax=list(panels[1]), label="weight $W_{ij}$")
    grid = panels[2, 0].get_gridspec()
    for axes in panels[2]:
        axes.remove()
    axes = figure.add_subplot(grid[2, :])
    for (label, each), (colour, line) in zip(norms.items(), STYLES, strict=False):
        axes.plot(np.where(each > 0, each, np.nan), color=colour, linestyle=line, label=label)
    axes.set(xlabel="k, steps after the pulse", ylabel="$\\|W^k v\\|$", yscale="log")
    axes.set_ylim(bottom=max(1e-3, axes.get_ylim()[0]))
    axes.set_title("What becomes of a pulse of length 1", fontsize=11)
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")
    figure.suptitle("Four networks: who drives whom, and how they carry a pulse")
    return figure


def draw_schematic(axes, W):
    """Units on a circle and an arrow for each weight, as thick as it is large; purple: negative."""
    N = len(W)
    angles = np.pi / 2 - 2 * np.pi * np.arange(N) / N
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for i, j in zip(*np.nonzero(abs(W) > 1e-9), strict=True):
        style = {"linewidth": 2.2 * min(1, abs(W[i, j])) ** 0.7, "color": "#b35806" if W[i, j] > 0 else "#542788"}
        if i == j:
            axes.add_patch(Circle(places[i] * (1 + 1.6 * RADIUS), RADIUS, fill=False, zorder=1, **style))
        else:
            arrow = {"connectionstyle": "arc3,rad=0.25", "shrinkA": 9, "shrinkB": 9}
            axes.add_patch(
                FancyArrowPatch(places[j], places[i], arrowstyle="-|>", mutation_scale=9, zorder=1, **arrow, **style)
            )
    for number, place in enumerate(places):
        axes.add_patch(Circle(place, RADIUS, facecolor="white", edgecolor="black", zorder=2))
        axes.text(*place, str(number + 1), ha="center", va="center", fontsize=8, zorder=3)
    axes.set(aspect="equal", xlim=(-1.32, 1.32), ylim=(-1.32, 1.32))
    axes.set_axis_off()


ANALYSIS = Analysis(
    title="four networks drawn, their matrices, and how each carries a pulse",
    source="Orhan & Pitkow 2020, section 2.1, figure 1a and 1c",
    run=run,
    look=(
        "the identity and the orthogonal matrix keep the length of a pulse for ever; the chain hands it on from unit "
        "to unit, α times as long each time, until it drops off the end after N steps; feedback makes some of it turn "
        "back, and what adds up on the way is larger than what either weight would give."
    ),
    errata=("The values of α, β and λ in figure 1 are not stated; those here are the defaults of the authors' code.",),
)
