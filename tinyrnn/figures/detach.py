"""The gradient on its way back through 784 steps: h-detach in a Linear Memory Network, and other networks."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.detaching import carried
from tinyrnn.core.backend import as_rng
from tinyrnn.core.ops import is_index
from tinyrnn.core.progress import Bar
from tinyrnn.figures.carta import SEQUENCES, Networks, inputs_for, made, sequence_inputs
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure


def run(
    networks: Networks = ("lmn-laes", "lt-ornn", "lstm", "lstm-carta"),
    probabilities: Annotated[tuple[float, ...], "probabilities of h-detach, for LMN-ortho"] = (0.0, 0.25, 0.5, 1.0),
    units: Annotated[int, "units of the cells that are made here"] = 64,
    steps: Annotated[int, "time steps"] = 784,
    draws: Annotated[int, "LMN-orthos that are drawn"] = 10,
    biases: Annotated[float, "standard deviation of LMN-ortho's biases: 1 in the authors' code"] = 1.0,
    count: Annotated[int, "sequences whose gradients are averaged"] = 5,
    fitted: Annotated[int, "sequences that an autoencoder is fitted to"] = 3000,
    sequences: Annotated[str, SEQUENCES] = "digits",
    seed: Annotated[int, "seed of weights, sequences and detached steps"] = 0,
):
    """Norms of the gradient at every step on its way back, of LMNs with h-detach and of other networks; a `Result`."""
    if draws < 1 or count < 1 or fitted < 1 or biases < 0:
        got = f"{draws}, {count}, {fitted} and {biases:g}"
        raise ValueError(f"draws, count and fitted must be at least 1 and biases at least 0, got {got}")
    if not all(0 <= p <= 1 for p in probabilities):
        raise ValueError(f"probabilities must be from 0 to 1, got {' '.join(f'{p:g}' for p in probabilities)}")
    x, what = sequence_inputs(sequences, count + fitted, steps, seed)
    each = {p: [] for p in probabilities}
    for k in Bar(range(draws), desc="LMN-ortho", unit="draw", disable=None):
        rng = as_rng([seed, k])
        cell = made("lmn-ortho", x[:, count:], units, rng).layers
        for b in (cell.params.b_h, cell.params.b_m):
            b *= biases
        for p in probabilities:
            each[p].append(typical(carried(cell, x[:, :count], p, rng)))
    others = {}
    for name in Bar(networks, desc="networks", unit="network", disable=None):
        found = made(name, x[:, count:], units, as_rng(seed))
        read = inputs_for(found, x[:, :count], seed)
        others[found.label] = typical(carried(*below(found, read), rng=seed))
    ratios = {p: [norms[0] for norms in draws] for p, draws in each.items()}
    return Result(
        draw(each, others, what),
        {
            "sequences": what,
            "LMN-ortho: norm at step 0 / at the end, draw by draw": {f"p={p:g}": r for p, r in ratios.items()},
            "norm at step 0 / at the end": {label: norms[0] for label, norms in others.items()},
            "steps until a tenth is left": {label: tenth(norms) for label, norms in others.items()},
        },
        {
            "detach": {"t": np.arange(steps + 1)}
            | {f"p={p:g} draw {k}": norms for p, draws in each.items() for k, norms in enumerate(draws)},
            **{f"network {label}": {"t": np.arange(len(norms)), "norm": norms} for label, norms in others.items()},
        },
        tuple(
            f"LMN-ortho, p = {p:g}: the gradient at step 0 is {np.exp(np.mean(np.log(r))):.4g} times that at the end "
            f"({min(r):.3g} to {max(r):.3g} in {draws} draws)"
            for p, r in ratios.items()
        )
        + tuple(
            f"{label}: {norms[0]:.3g} times; "
            + (f"a tenth {tenth(norms)} steps back" if tenth(norms) else "never a tenth")
            for label, norms in others.items()
        ),
    )


def below(found, x):
    """The recurrent layers, and what they read."""
    embedding = None if found.model is None else found.model.embedding
    return found.layers, embedding.forward(x)[0] if embedding is not None and is_index(x) else x


def typical(norms):
    """Norms (T + 1, B) against those at the end, as the geometric mean over the sequences: (T + 1,)."""
    with np.errstate(divide="ignore"):
        return np.exp(np.log(norms / norms[-1]).mean(axis=1))


def tenth(norms):
    """How many steps before the end the gradient is first down to a tenth; None if it never is."""
    small = np.flatnonzero(norms[::-1] <= 0.1)
    return int(small[0]) if len(small) else None


def draw(each, others, what):
    """The norm over time: left LMN-orthos by probability, mean and range of the draws; right the other networks."""
    figure, (left, right) = new_figure(1, 2, (12, 5))
    for (p, draws), (colour, line) in zip(each.items(), cycle(STYLES), strict=False):
        t = np.arange(len(draws[0]))
        left.fill_between(t, np.min(draws, axis=0), np.max(draws, axis=0), color=colour, alpha=0.2, linewidth=0)
        left.plot(t, np.exp(np.mean(np.log(draws), axis=0)), color=colour, linestyle=line, label=f"p = {p:g}")
    left.set_title(f"LMN-ortho, h detached with probability p ({what})")
    for (label, norms), (colour, line) in zip(others.items(), cycle(STYLES), strict=False):
        seen = np.flatnonzero(norms > 1e-40)
        right.plot(seen, norms[seen], color=colour, linestyle=line, label=label)
    right.set_title("Other networks, nothing detached")
    right.set_ylim(bottom=1e-12, top=max([10.0, *(2 * norms.max() for norms in others.values())]))
    for axes in (left, right):
        axes.set(xlabel="time step t", ylabel="‖∂E/∂state$_t$‖ / ‖∂E/∂state$_T$‖", yscale="log")
        axes.grid(alpha=0.25)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=4, frameon=False, fontsize="small")
    figure.suptitle("How large the gradient of the last state is on its way back")
    return figure


ANALYSIS = Analysis(
    title="gradient propagation through 784 steps, with h-detach",
    source="Carta, Sperduti & Bacciu 2021, section 3.3, Figure 2a",
    run=run,
    look="from right to left, as the gradient goes: with p = 1 only the orthogonal memory carries it and its length "
    "stays; the more often h is let through, the more it grows. A memory from a linear autoencoder fades "
    "slowly. An LSTM loses nine tenths every 40 steps, and every 8 with the authors' small weights (lstm-carta). The "
    "bands are the draws.",
    errata=(
        "How much the gradient grows at p = 0 hangs on the biases, of which the source says nothing: its code draws "
        "them from N(0, 1), which saturates h and holds the gradient down; with zero biases (--biases 0) it grows by "
        "twenty orders of magnitude and more, nearly all of it in the blank rows that a digit begins with, where h is "
        "not saturated at all.",
    ),
)
