"""What untrained networks do with their past: how much of it they hold, and that their states cluster by it."""

from typing import Annotated

import numpy as np
from matplotlib.ticker import MaxNLocator

from tinyrnn.analysis.decoding import memory
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, new_figure

SYMBOLS = 4


def run_capacity(
    units: Annotated[int, "N, units of the echo state network"] = 50,
    radii: Annotated[tuple[float, ...], "its spectral radii"] = (0.5, 0.8, 0.95, 1.0),
    scales: Annotated[tuple[float, ...], "of its input weights: small ones keep tanh linear"] = (0.01, 0.1, 1.0),
    lags: Annotated[int, "k to sum over"] = 100,
    steps: Annotated[int, "of a sequence"] = 400,
    seed: Annotated[int, "of weights and inputs"] = 0,
):
    """Jaeger's memory capacity, the sum over k of R² of x_{t-k} from h_t, by radius and input scale; a `Result`."""
    if units < 2 or lags < 1 or steps <= lags:
        raise ValueError("units must be at least 2, lags 1, and steps more than lags")
    x = as_rng(seed).uniform(-1, 1, (steps, 24, 1))
    curves = {}
    for radius in radii:
        for scale in scales:
            options = {"spectral_radius": radius, "input_scale": scale, "bias_scale": 0.0, "connections": units}
            cell = network("esn", hidden_size=units, rng=seed, **options).layers
            curves[radius, scale] = memory(cell, x, np.arange(1, lags + 1)).r2.clip(0)
    capacity = {pair: float(r2.sum()) for pair, r2 in curves.items()}
    best = max(capacity, key=capacity.__getitem__)
    numbers = {"N": units, "capacity": {f"radius {r:g}, inputs {s:g}": value for (r, s), value in capacity.items()}}
    lines = [
        f"largest: {capacity[best]:.1f} of at most N = {units}, at radius {best[0]:g} and input scale {best[1]:g}",
        *(f"radius {r:g}, inputs {s:g}: {value:.1f}" for (r, s), value in capacity.items()),
    ]
    table = {"k": np.arange(1, lags + 1), **{f"radius {r:g} inputs {s:g}": r2 for (r, s), r2 in curves.items()}}
    return Result(draw_capacity(curves, capacity, radii, scales, units), numbers, {"R2": table}, tuple(lines))


def draw_capacity(curves, capacity, radii, scales, units):
    """R² against the lag for the first input scale, and the capacity against the radius for all."""
    figure, (left, right) = new_figure(1, 2, (11, 4.8))
    for radius, (colour, line) in zip(radii, STYLES, strict=False):
        r2 = curves[radius, scales[0]]
        left.plot(np.arange(1, len(r2) + 1), r2, color=colour, linestyle=line, label=f"spectral radius {radius:g}")
    left.set(xlabel="lag k (steps)", ylabel="$R^2$ of $x_{t-k}$ from $h_t$", ylim=(0, 1.02))
    left.set_title(f"By lag, inputs scaled by {scales[0]:g}")
    for scale, (colour, line) in zip(scales, STYLES, strict=False):
        values = [capacity[radius, scale] for radius in radii]
        right.plot(radii, values, color=colour, linestyle=line, marker="o", label=f"inputs scaled by {scale:g}")
    right.axhline(units, color="black", linewidth=1, linestyle=(0, (2, 2)), label=f"the bound N = {units}")
    right.set(xlabel="spectral radius", ylabel="memory capacity (steps)", ylim=(0, None), title="In all")
    for axes in (left, right):
        axes.grid(alpha=0.25)
        axes.legend(fontsize="small")
    figure.suptitle(f"Short-term memory of an echo state network of {units} units")
    return figure


def run_markovian(
    networks: Annotated[tuple[str, ...], f"untrained ones, each {HELP}"] = ("esn", "elman", "urnn"),
    units: Annotated[int, "of each"] = 50,
    suffix: Annotated[int, "symbols, the last ones read, to tell states apart by, at most"] = 5,
    count: Annotated[int, "sequences"] = 2000,
    seed: Annotated[int, "of weights and sequences"] = 0,
):
    """How much of the variance of untrained networks' states their last k symbols explain; a `Result`."""
    if suffix < 1 or count < SYMBOLS or units < 2:
        raise ValueError(f"suffix must be at least 1, count {SYMBOLS} and units 2")
    symbols = as_rng(seed).integers(0, SYMBOLS, (30, count))
    shares, clouds = {}, {}
    for what in networks:
        found = network(what, input_size=SYMBOLS, hidden_size=units, rng=seed)
        x = np.eye(SYMBOLS, dtype=found.layers.dtype)[symbols]
        h = np.asarray(found.layers.final(found.layers.forward(x)[1].state), "float64")
        shares[found.label] = [explained_by(h, symbols[len(symbols) - k :]) for k in range(1, suffix + 1)]
        clouds[found.label] = plane(h)
    numbers = {"symbols": SYMBOLS, "share of the variance that the last k symbols explain": shares}
    lines = [
        f"{label}: the last symbol explains {values[0]:.0%} of the variance of the states, the last {suffix} "
        f"{values[-1]:.0%}"
        for label, values in shares.items()
    ]
    tables = {"shares": {"k": np.arange(1, suffix + 1), **shares}}
    return Result(draw_markovian(shares, clouds, symbols), numbers, tables, tuple(lines))


def explained_by(h, last):
    """1 - the variance of h (B, n) within groups of equal `last` (k, B) symbols, over all of it.

    Unbiased: within a group it is the sum of squares over one less than the group's size, so that many small groups
    explain nothing by themselves.
    """
    group = np.unique(last, axis=1, return_inverse=True)[1].ravel()
    sizes = np.bincount(group)
    means = np.stack([np.bincount(group, column) for column in h.T], axis=1) / sizes[:, None]
    within = ((h - means[group]) ** 2).sum() / max(len(h) - len(sizes), 1)
    return float(1 - within / (((h - h.mean(axis=0)) ** 2).sum() / (len(h) - 1)))


def plane(h):
    """(B, 2): the states' first two principal components."""
    A = h - h.mean(axis=0)
    return A @ np.linalg.svd(A, full_matrices=False)[2][:2].T


def draw_markovian(shares, clouds, symbols):
    """The states in their plane, coloured by the last symbol and marked by the one before; and the shares."""
    figure, panels = new_figure(1, len(clouds) + 1, (4.2 * (len(clouds) + 1), 4.4))
    for axes, (label, cloud) in zip(panels, clouds.items(), strict=False):
        for symbol, (colour, _) in zip(range(SYMBOLS), STYLES, strict=False):
            for before, mark in zip(range(SYMBOLS), "os^x", strict=True):
                here = (symbols[-1] == symbol) & (symbols[-2] == before)
                axes.plot(*cloud[here].T, mark, color=colour, markersize=3, alpha=0.6)
        axes.set(title=label, xlabel="first component", ylabel="second component", xticks=[], yticks=[])
    last = panels[-1]
    for (label, values), (colour, line) in zip(shares.items(), STYLES, strict=False):
        last.plot(range(1, len(values) + 1), values, color=colour, linestyle=line, marker="o", label=label)
    last.set(xlabel="k, symbols of the suffix", ylabel="share of the variance explained", ylim=(0, 1.02))
    last.set_title("By the last k symbols")
    last.xaxis.set_major_locator(MaxNLocator(integer=True))
    last.grid(alpha=0.25)
    last.legend(fontsize="small")
    figure.suptitle("States of untrained networks: colour, the last symbol read; mark, the one before")
    return figure


CAPACITY = Analysis(
    title="short-term memory capacity of an echo state network",
    source="Carta, Sperduti & Bacciu 2020, section on related work; Jaeger 2001, 'Short term memory in echo state "
    "networks'",
    run=run_capacity,
    look="the more linear (small inputs) and the nearer to radius 1, the more: N steps at most, whatever the weights. "
    "With large inputs tanh forgets.",
)
MARKOVIAN = Analysis(
    title="the Markovian bias of untrained networks: states cluster by what was read last",
    source="Carta, Sperduti & Bacciu 2020, section on related work; Tiňo, Čerňanský & Beňušková 2004",
    run=run_markovian,
    look="contracting networks put sequences with the same last symbols close together before they have learnt "
    "anything; a network that keeps everything, as the unitary one, does so hardly at all.",
)
