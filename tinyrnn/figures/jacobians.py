"""How much of a change of the state is left T - t steps later: norms of ds_T/ds_t, and growth of every direction."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.jacobians import lyapunov_exponents, products, singular_values, step_jacobians
from tinyrnn.core.progress import Bar
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.networks import HELP, network, sequence_of
from tinyrnn.training.plots import STYLES, new_figure

MARKS = "os^Dvx"
FLOOR = 1e-12  # of the norms drawn


def run(
    networks: Annotated[tuple[str, ...], HELP] = ("elman", "elman-relu", "lstm", "gru", "urnn", "irnn"),
    steps: Annotated[int, "time steps T"] = 50,
    hidden_size: Annotated[int, "units of cells that are made here"] = 32,
    input_size: Annotated[int, "inputs of cells that are made here"] = 4,
    seed: Annotated[int, "of weights and inputs"] = 0,
):
    """Spectral norms of ds_T/ds_t and the Lyapunov exponents, on one sequence for each network; a `Result`."""
    if steps < 2:
        raise ValueError(f"steps must be at least 2, got {steps}")
    norms, exponents, factors, lines, middles = {}, {}, {}, [], {}
    for what in Bar(networks, desc="jacobians", unit="network", leave=False):
        found = network(what, input_size, hidden_size, rng=seed)
        name = unused(found.label, norms)
        J = step_jacobians(found.layers, layers_input(found, steps, seed))
        values = singular_values(products(J))
        norms[name], middles[name] = values[:, 0], values[0, values.shape[1] // 2]
        exponents[name] = lyapunov_exponents(J)
        factors[name] = np.exp(exponents[name])
        lines.append(
            f"{name}: norm of ds_T/ds_0 is {norms[name][0]:.3g}; an average step multiplies the direction that fares "
            f"best by {factors[name][0]:.3f}, the middle one of {len(J[0])} by {np.median(factors[name]):.3f}"
        )
    return Result(
        draw(norms, factors, steps),
        {
            "T": steps,
            "norm of ds_T/ds_0": {name: values[0] for name, values in norms.items()},
            "middle singular value of ds_T/ds_0": middles,
            "largest Lyapunov exponent": {name: values[0] for name, values in exponents.items()},
        },
        {"norms": {"t": range(steps + 1), **norms}}
        | {f"factors {name}": {"i": range(1, len(v) + 1), "factor": v} for name, v in factors.items()},
        tuple(lines),
    )


def layers_input(found, steps, seed):
    """x (T, 1, …) as the recurrent layers of a `Network` read it."""
    x = sequence_of(found, steps, 1, seed)
    embedding = None if found.model is None or found.task is None else found.model.embedding
    return x if embedding is None else embedding.forward(x)[0]


def unused(label, taken):
    """The label, with a number where another network has it already."""
    count = sum(name == label or name.startswith(f"{label} (") for name in taken)
    return label if count == 0 else f"{label} ({count + 1})"


def draw(norms, factors, steps):
    """Left the norm of ds_T/ds_t over time, right the factor of an average step for each direction."""
    figure, (left, right) = new_figure(1, 2, (11, 5))
    styles = zip(cycle(STYLES), cycle(MARKS))
    for k, (name, (style, mark)) in enumerate(zip(norms, styles, strict=False)):
        colour, line = style
        kind = {"color": colour, "linestyle": line, "marker": mark, "markersize": 5, "markerfacecolor": "white"}
        every = max(steps // 6, 1)
        left.plot(np.where(norms[name] > FLOOR, norms[name], np.nan), label=name, markevery=(k % every, every), **kind)
        n = len(factors[name])
        place = (np.arange(n) + 0.5) / n
        every = max(n // 6, 1)
        right.plot(place, factors[name], label=name, markevery=(k % every, every), **kind)
    left.set(
        title="Norm of the Jacobian through time",
        xlabel="time step t",
        ylabel=r"spectral norm of $\partial s_T\,/\,\partial s_t$",
        yscale="log",
    )
    right.set(
        title="Growth of every direction",
        xlabel="direction, from the one that fares best (share of the state)",
        ylabel=r"factor of an average step, $e^{\lambda_i}$",
        xlim=(0, 1),
    )
    right.set_ylim(bottom=-0.03)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    return figure


ANALYSIS = Analysis(
    title="Jacobians through time of several cells: norms, and the growth of every direction of the state",
    source="Grosse 2018, lecture 16, section 2; Arjovsky, Shah & Bengio 2015, eq. 3",
    run=run,
    look=(
        "a straight line on the left is a constant factor per step. A norm of 1 does not mean that everything is kept: "
        "on the right, the ReLU network that starts as the identity keeps some directions whole and the others not at "
        "all, the unitary one keeps all of them."
    ),
    errata=(
        "The lecture has gradients explode when the largest eigenvalue of W exceeds 1: what counts is its modulus, and "
        "only in the long run. W = [[0.5, 100], [0, 0.5]] has spectral radius 0.5, and W^5 has norm 31.",
    ),
)
