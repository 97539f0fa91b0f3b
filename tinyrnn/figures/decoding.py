"""What is left of an input many steps on: chains against orthogonal networks, without noise, with it, with elu."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.decoding import decode, driven, explained, memory
from tinyrnn.core.backend import as_rng
from tinyrnn.core.progress import Bar
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init.distributions import chain, random_orthogonal
from tinyrnn.training.networks import HELP, network, sequence_of
from tinyrnn.training.plots import STYLES, capital, new_figure


def run(
    networks: Annotated[tuple[str, ...], HELP] = ("elman-elu", "lstm"),
    units: Annotated[int, "units, and as many time steps"] = 100,
    noise: Annotated[float, "standard deviation of the noise on every unit at every step (second panel)"] = 0.1,
    count: Annotated[int, "sequences, half to fit the decoders to and half to judge them by"] = 4000,
    seed: Annotated[int, "seed of weights, signal and noise"] = 0,
):
    """Held-out R² of each input, decoded from the last state, for four matrices and for networks; a `Result`."""
    if units < 2 or count < 2 or noise <= 0:
        raise ValueError(f"units and count must be at least 2, noise above 0, got {units}, {count} and {noise:g}")
    rng, N, lags = as_rng(seed), units, np.arange(units)
    matrices = candidates(N, rng)
    s = rng.normal(size=(N, count))  # s_1 … s_N, so that the chain's last unit holds s_1 at the end
    conditions = {
        "linear, no noise": (0.0, "identity"),
        f"linear, noise {noise:g}": (noise, "identity"),
        "elu, no noise": (0.0, "elu"),
    }
    curves = {}
    for condition, (level, f) in Bar(conditions.items(), desc="conditions", disable=None):
        states = {label: driven(W, v, s, level, f, rng) for label, (W, v) in matrices.items()}
        curves[condition] = {label: decode(h, s[::-1].T).r2 for label, h in states.items()}
    population = {label: explained(W, v, N, noise) for label, (W, v) in matrices.items()}
    curves["networks, no noise"] = dict(of_network(name, units, count, seed) for name in networks)
    first = {condition: {label: r2[-1] for label, r2 in each.items()} for condition, each in curves.items()}
    return Result(
        draw(lags, curves, N),
        {
            f"R^2 of s_1 from h_{N}": first,
            f"R^2 of s_1 from h_{N} with noise, of infinitely many rows": {k: r2[-1] for k, r2 in population.items()},
        },
        {condition: {"lag": lags, **each} for condition, each in curves.items()}
        | {"noise, infinitely many rows": {"lag": lags, **population}},
        tuple(
            f"{condition}: R² of s_1 from h_{N}: " + ", ".join(f"{label} {r2:.3f}" for label, r2 in each.items())
            for condition, each in first.items()
        ),
    )


def candidates(N, rng):
    """label -> (W, v), W acting on columns: chains fed at their head, the others by a v of length 1.

    It is random for the orthogonal ones and the same for all units of the identity, which therefore all do the same.
    """
    v, head = rng.normal(size=N), np.eye(N)[0]
    v /= np.linalg.norm(v)
    Q = random_orthogonal(N, rng)
    return {
        "chain": (chain(N, 1.0).T, head),
        "chain 1.02": (chain(N, 1.02).T, head),
        "orthogonal": (Q, v),
        "0.99 orthogonal": (0.99 * Q, v),
        "identity": (np.eye(N), np.full(N, N**-0.5)),
    }


def of_network(name, units, count, seed):
    """(label, R^2 by lag) of the last output of a network that reads normal numbers, or its own task's sequences."""
    found = network(name, hidden_size=units, rng=seed)
    x = sequence_of(found, units, count, seed)
    # only of the last step are all the lags there, so only it is decoded
    return found.label, memory(found.model or found.layers, x, np.arange(units), batch=250).r2


def draw(lags, curves, N):
    """A panel for each condition: R² against how long ago the input was."""
    figure, panels = new_figure(2, 2, (11, 8))
    for axes, (condition, each) in zip(panels.flat, curves.items(), strict=True):
        for (label, r2), (colour, line) in zip(each.items(), cycle(STYLES), strict=False):
            axes.plot(lags + 1, r2, color=colour, linestyle=line, label=label)
            axes.plot(N, r2[-1], "o", color=colour, markerfacecolor="white", clip_on=False, zorder=3)
        axes.set(title=capital(condition), xlabel="k: the last input, the one before, …", ylim=(-0.15, 1.05))
        axes.set_ylabel(f"held-out $R^2$ of $s_{{{N + 1}-k}}$ from $h_{{{N}}}$")
        axes.axhline(0, color="black", linewidth=1)
        axes.grid(alpha=0.25)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False, fontsize="small")
    figure.suptitle(f"How much of an input a linear decoder finds in a state of {N} units")
    return figure


ANALYSIS = Analysis(
    title="decoding past inputs from the last state: chains against orthogonal networks",
    source="Orhan & Pitkow 2020, section 2, eqs. 1 and 5, Figure 2",
    run=run,
    look="the circles, the first input after as many steps as there are units: without noise everything linear is "
    "perfect but for the identity, and noise or a nonlinearity is what sets the chain apart. All units of the identity "
    "network hold the same number, f(f(… f(s_1) + s_2 …) + s_N): a sum, from which one of N inputs is read off with "
    "R² = 1/N.",
    errata=(
        "The source gives neither the signal's law nor the noise's size nor the number of sequences of Figure 2; here "
        "s_t ~ N(0, 1), noise of standard deviation 0.1, and 2000 sequences on each side.",
        "The section's example takes v = (1, …, 1), of norm √N, for the identity network; the theory of eq. 3 needs "
        "|v| = 1, as all have here.",
    ),
)
