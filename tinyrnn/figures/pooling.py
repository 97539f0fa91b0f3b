"""L2 pooling of a rotating state: the length stays, the phase goes, and with it when it was that something was read."""

from typing import Annotated

import numpy as np
from matplotlib.ticker import LogLocator

from tinyrnn.analysis.constructions import draw_angles, rotations
from tinyrnn.analysis.pooling import fluctuation, invariant_pools, pools
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.cells import LinearRNN
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.carta import in_words
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.networks import HELP, Network, network
from tinyrnn.training.plots import STYLES, new_figure

KINDS = ("units", "pools of two units", "pools along V's own planes")


def run(
    networks: Annotated[tuple[str, ...], HELP] = ("lt-ornn", "lt-irnn", "lstm"),
    steps: Annotated[int, "time steps T"] = 60,
    hidden: Annotated[int, "units of fresh cells"] = 64,
    gap: Annotated[int, "steps between the two inputs of the panel on the left"] = 23,
    seed: Annotated[int, "of the networks and their input"] = 0,
):
    """How much units and pools of them fluctuate after an input, and what two inputs leave in a pool; a `Result`."""
    if not 1 <= gap <= steps - 10:
        raise ValueError(f"pooling: the gap must be between 1 and steps - 10 = {steps - 10}, got {gap}")
    if hidden < 2 or hidden % 2:
        raise ValueError(f"pooling: hidden must be an even number, so that all units are in a pool, got {hidden}")
    rng = as_rng(seed)
    theta = 2 * np.pi / 17
    turning = rotating_cell([theta])
    h = response(turning, steps, {5: [1.0], 5 + gap: [1.0]})
    gaps = np.arange(1, steps + 1)
    many = draw_angles(hidden // 2, steps, rng, "uniform")
    one_pool, mean_pool = (np.abs(np.exp(1j * np.outer(gaps, angles)) + 1).mean(axis=1) for angles in ([theta], many))

    found = {"rotations of pairs": Network("rotations of pairs", rotating_cell(many))}
    for what in networks:
        each = network(what, input_size=1, hidden_size=hidden, rng=rng)
        found[each.label] = each
    rows = {name: fluctuations(each, steps, rng) for name, each in found.items()}

    figure, (left, middle, right) = new_figure(1, 3, (14, 4.6))
    t = np.arange(1, steps + 1)
    for k, (colour, line) in enumerate((STYLES[0], STYLES[1])):
        left.plot(t, h[:, k], color=colour, linestyle=line, label=f"unit {k + 1}")
    left.plot(t, pools(h)[:, 0], color="black", linewidth=2, label="their pool")
    for at in (5, 5 + gap):
        left.axvline(at + 1, color="black", linestyle=":", linewidth=1)
        left.annotate("input", (at + 1, -1.4), xytext=(4, 0), textcoords="offset points")
    left.set(xlabel="time step t", ylabel="activation", ylim=(-1.5, 1.6), title="Units turn, the pool stands still")
    left.legend(ncols=3, fontsize="small", loc="upper center")
    middle.plot(gaps, one_pool, color="#0072b2", marker=".", label="one pool")
    middle.plot(gaps, mean_pool, color="#d55e00", linestyle="--", label=f"mean of {len(many)} pools")
    middle.axhline(4 / np.pi, color="black", linewidth=1, linestyle=":", label="4/π, mean over all phases")
    middle.set(xlabel="steps between two inputs of length 1", ylabel="length in the end", ylim=(-0.05, 2.7))
    middle.set_title("A second input: its phase decides")
    middle.legend(fontsize="small", loc="upper right")
    draw_fluctuations(right, rows)
    right.set_title(f"Pools stand still along V's own planes\n({in_words(networks)})")

    numbers = {"fluctuation": {name: dict(zip(KINDS, row, strict=True)) for name, row in rows.items()}}
    numbers["mean pool of all gaps"], numbers["4/pi"] = float(mean_pool.mean()), 4 / np.pi
    tables = {
        "one pair": {"t": t, "unit 1": h[:, 0], "unit 2": h[:, 1], "pool": pools(h)[:, 0]},
        "gaps": {"gap": gaps, "one pool": one_pool, "mean pool": mean_pool},
        "fluctuation": {
            "network": list(rows),
            **{kind: [row[k] for row in rows.values()] for k, kind in enumerate(KINDS)},
        },
    }
    lines = (
        f"{name}: "
        + ", ".join(f"{kind} {value:.2g}" for kind, value in zip(KINDS, row, strict=True) if value is not None)
        for name, row in rows.items()
    )
    return Result(figure, numbers, tables, ("fluctuation over time after one input, relative to the size:", *lines))


def rotating_cell(angles):
    """A LinearRNN of rotations, one for each pair of units, that writes its one input to the first of each pair."""
    cell = LinearRNN(1, 2 * len(angles), transition="identity", rng=0)
    cell.params.V[:] = rotations(angles).T
    cell.params.U[:] = np.tile([1.0, 0.0], len(angles))
    return cell


def response(layers, steps, inputs):
    """h (steps, n) of layers that see the given vectors, step -> x, and zeros at all other steps."""
    x = np.zeros((steps, 1, layers.input_size), layers.dtype)
    for at, vector in inputs.items():
        x[at, 0] = vector
    h, _ = layers.forward(x)
    return h[:, 0]


def fluctuations(found, steps, rng):
    """Of units, of pools of two, and along V's planes (None where V is not orthogonal, or there is more than V)."""
    layers = found.layers
    if layers.output_size < 2:
        raise ValueError(f"{found.label}: one unit cannot be pooled")
    h = response(layers, steps, {0: rng.normal(size=layers.input_size)})
    planes = None
    if isinstance(layers, LinearRNN):
        try:
            planes = fluctuation(invariant_pools(matrices(layers)["V"], h))
        except ValueError:  # trained, and orthogonal no more
            pass
    return fluctuation(h), fluctuation(pools(h)), planes


def draw_fluctuations(axes, rows):
    """A mark for units and for both kinds of pools of each network, on a logarithmic axis; rounding is shaded."""
    for k, (kind, mark, (colour, _)) in enumerate(zip(KINDS, "osD", STYLES, strict=False)):
        shown = [(max(row[k], 1e-17), y) for y, row in enumerate(rows.values()) if row[k] is not None]
        style = {"color": colour, "markersize": 9 if k else 13, "markerfacecolor": colour if k else "white"}
        axes.plot(*zip(*shown, strict=True), mark, label=kind, **style)
    axes.axvspan(1e-18, 1e-12, color="black", alpha=0.07, linewidth=0)
    axes.text(3e-18, len(rows) - 0.65, "stands still,\nbut for rounding", fontsize="small", va="center")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set(xscale="log", xlim=(1e-18, 30), ylim=(len(rows) + 0.3, -0.5), xlabel="fluctuation over time / size")
    axes.xaxis.set_major_locator(LogLocator(numticks=6))
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small", loc="lower right")


ANALYSIS = Analysis(
    title="what L2 pooling keeps of a rotating state, and what it loses",
    source="Henaff, Szlam & LeCun 2016, eq. 7 and section 3.3",
    run=run,
    look="the pool is flat where the units swing: to the readout it is as if V were the identity. What goes with the "
    "phase is when something was read; and two inputs add up to anything between 0 and 2.",
    errata=(
        "That pools are like an identity's holds if each pool is one of V's planes of rotation. A random orthogonal V "
        "has its planes anywhere, so the pools of a fresh network do fluctuate: it has to learn to use them.",
    ),
)
