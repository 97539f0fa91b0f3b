"""The gradient of every step's loss by the state of every step before it, and how far back it reaches."""

import math
from itertools import cycle
from typing import Annotated, NamedTuple

import numpy as np
from matplotlib.colors import LogNorm

from tinyrnn.analysis.credit import cumulative_horizon, directions, horizon, profile, triangle
from tinyrnn.core.progress import Bar
from tinyrnn.figures.carta import in_words as trained_or_not
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.jacobians import MARKS, unused
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

DECADES = 4  # that the heat maps show


class Shown(NamedTuple):
    """One network's triangle, the part of it that the horizon is of, and what its losses are, in words."""

    norms: np.ndarray
    counted: np.ndarray
    real: np.ndarray
    losses: str


def run(
    networks: Annotated[tuple[str, ...], HELP] = ("elman", "lstm", "urnn"),
    steps: Annotated[int, "time steps T, where there is no task that has its own"] = 60,
    sequences: Annotated[int, "sequences whose gradients are taken together"] = 4,
    fraction: Annotated[float, "horizon: where the gradient has fallen to this part of itself"] = 0.01,
    hidden_size: Annotated[int, "units of cells that are made here"] = 32,
    input_size: Annotated[int, "inputs of cells that are made here"] = 4,
    seed: Annotated[int, "of weights, inputs and directions"] = 0,
):
    """Gradients of each step's loss by each state before it, and the horizons that they give; a `Result`."""
    for name, value, least in (("steps", steps, 2), ("sequences", sequences, 1)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    if not 0 < fraction < 1:
        raise ValueError(f"fraction must lie between 0 and 1, got {fraction}")
    seen = {}
    for what in networks:
        found = network(what, input_size, hidden_size, rng=seed)
        seen[unused(found.label, seen)] = one = look_into(found, steps, sequences, seed)
        if not one.counted.any():
            raise ValueError(f"{found.label}: no step has a gradient")
    profiles = {name: profile(one.real) for name, one in seen.items()}
    horizons = {name: horizon(one.real, fraction) for name, one in seen.items()}
    masses = {name: cumulative_horizon(one.real) for name, one in seen.items()}
    longest = max(map(len, profiles.values()))
    padded = {name: np.pad(p, (0, longest - len(p)), constant_values=np.nan) for name, p in profiles.items()}
    figure = draw(seen, profiles, horizons, masses, fraction)
    kinds = ", ".join([trained_or_not(networks), *dict.fromkeys(one.losses for one in seen.values())])
    figure.suptitle(f"How much the loss of each step hears of every state before it\n({kinds})")
    return Result(
        figure,
        {
            "T": {name: len(one.norms) for name, one in seen.items()},
            "losses": {name: one.losses for name, one in seen.items()},
            "fraction": fraction,
            "horizon": horizons,
            "cumulative horizon (90 %)": masses,
        },
        {"profiles": {"lag": range(longest), **padded}}
        | {f"triangle {name}": in_a_list(one.norms) for name, one in seen.items()},
        tuple(
            f"{name}: down to {fraction:.3g} of itself {in_words(horizons[name])}; "
            f"90 % of its sum over all lags is within {masses[name]} of {len(one.norms)} steps ({one.losses})"
            for name, one in seen.items()
        ),
    )


def look_into(found, steps, sequences, seed):
    """A network's `Shown`: with its task's loss where it has one, else with random directions for dL_t/dh_t."""
    if found.task is None:
        x, layers = found.inputs(steps, sequences, seed), found.layers
        upstream = directions(steps, sequences, layers.output_size, seed).astype(layers.dtype)
        with bar(steps, found.label) as progress:
            norms, _, counted = triangle(layers, x, upstream=upstream, progress=progress.update)
        return Shown(norms, counted, norms, "random directions in place of losses")
    x, target, mask = found.task.sample(np.random.default_rng(seed), sequences, "float64")
    last = found.model.at == "last"
    if found.task.carries:  # as long as one likes
        x, target, mask = (None if a is None else a[:steps] for a in (x, target, mask))
    with bar(len(x), found.label) as progress:
        options = {"mask": mask, "progress": progress.update}
        norms, _, counted = triangle(found.model, x, target, at="every", **options)
    if not last:
        return Shown(norms, counted, norms, f"loss of {found.task.name}")
    real = np.zeros_like(norms)
    real[-1] = norms[-1]  # the one that is trained on
    return Shown(norms, counted, real, f"loss of {found.task.name}, asked after every step; horizon: of the last")


def bar(total, label):
    """A progress bar over the steps of one network's triangle."""
    return Bar(total=total, desc=f"triangle of {label}", unit="step", leave=False)


def in_a_list(norms):
    """The lower triangle as columns of a table."""
    t, k = np.tril_indices(len(norms))
    return {"t": t, "k": k, "norm": norms[t, k]}


def in_words(steps):
    """How many steps back; or that it is in none of these."""
    return "never in these steps" if math.isinf(steps) else f"{steps:.1f} steps back"


def draw(seen, profiles, horizons, masses, fraction):
    """A triangle of norms for each network, then what is left of a gradient against its age."""
    columns, rows = 2, math.ceil((len(seen) + 1) / 2)
    figure, panels = new_figure(rows, columns, (5.4 * columns, 4.5 * rows))
    panels = list(np.ravel(panels))
    for axes, (name, one) in zip(panels, seen.items(), strict=False):
        draw_triangle(figure, axes, name, one, horizons[name], masses[name], fraction)
    draw_profiles(panels[len(seen)], profiles, horizons, fraction)
    for axes in panels[len(seen) + 1 :]:
        axes.set_axis_off()
    return figure


def draw_triangle(figure, axes, name, one, reach, mass, fraction):
    """Norms of dL_t/ds_k as an image, logarithmic, with lines at the horizon and at 90 % of the sum."""
    T, top = len(one.norms), one.norms.max() or 1.0
    shown = np.ma.masked_array(one.norms, ~np.tri(T, dtype=bool) | ~one.counted[:, None])
    scale = LogNorm(top * 10**-DECADES, top)
    axes.set_facecolor("white")
    image = axes.imshow(
        np.ma.maximum(shown, scale.vmin), cmap="cividis", norm=scale, interpolation="nearest", aspect="auto"
    )
    figure.colorbar(image, ax=axes, extend="min", shrink=0.85, label=r"$\Vert\partial L_t\,/\,\partial s_k\Vert$")
    words = (
        f"down to a part of {fraction:g}: {reach:.0f} steps"
        if math.isfinite(reach)
        else f"above a part of {fraction:g} in all steps"
    )
    for lag, line, label in ((reach, "--", words), (mass, ":", f"90 % of the sum: {mass} steps")):
        ends = np.array([lag, T - 1]) if math.isfinite(lag) else np.full(2, np.nan)
        axes.plot(ends - lag, ends, color="white", linewidth=3)
        axes.plot(ends - lag, ends, color="black", linewidth=1.4, linestyle=line, label=label)
    axes.legend(loc="upper right", frameon=False, handlelength=2.5)
    if not one.counted.all():
        axes.text(0.98, 0.72, "white rows:\nsteps without loss", transform=axes.transAxes, ha="right", va="top")
    axes.set(title=name, xlabel="state after step k", ylabel="loss of step t", xlim=(-0.5, T - 0.5))


def draw_profiles(axes, profiles, horizons, fraction):
    """The mean norm against the lag, as part of that at lag 0, with each network's horizon."""
    axes.axhline(fraction, color="black", linewidth=0.9)
    axes.text(0.99, fraction, f"{fraction:.3g}", transform=axes.get_yaxis_transform(), ha="right", va="bottom")
    for (name, left), (colour, line), mark in zip(profiles.items(), cycle(STYLES), cycle(MARKS), strict=False):
        axes.plot(np.where(left > 0, left, np.nan), color=colour, linestyle=line, label=name)
        if math.isfinite(horizons[name]):
            axes.plot(horizons[name], fraction, mark, color=colour, markerfacecolor="white", markersize=8, zorder=3)
    least = min(np.nanmin(np.where(left > 0, left, np.nan)) for left in profiles.values())
    axes.set(
        title="What is left of a gradient, against its age",
        xlabel=r"lag $t - k$ (steps)",
        ylabel="mean norm, as part of that at lag 0",
        yscale="log",
        ylim=(max(least / 1.5, 10**-DECADES), None),
    )
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.grid(alpha=0.25)
    axes.legend(title="symbols: horizon", frameon=False, loc="best")


ANALYSIS = Analysis(
    title="triangle of gradients dL_t/ds_k over time, and the effective memory horizon (how far back a loss is felt)",
    source="common to all documents",
    run=run,
    look=(
        "rows are what backpropagation through time adds up. Along a row to the left one goes back in time: short "
        "memories are a bright band along the diagonal, long ones fill the triangle. The horizon is where the mean of "
        "a diagonal has fallen to a hundredth, which is where the eye sees the band end. With --fraction 0.37, 1/e, it "
        "would be a single step for the LSTM: at lag 0 a loss reaches h alone, c only from lag 1 on, and that first "
        "fall says nothing of what c keeps."
    ),
)
