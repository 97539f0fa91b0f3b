"""Fisher memory: how long a noisy linear network remembers, for a chain and for the matrices it is compared with."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis import fisher
from tinyrnn.analysis.recurrent import linearised
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure


def run(
    units: Annotated[int, "N"] = 100,
    alpha: Annotated[float, "weight forwards, of the chain"] = 1.02,
    feedback_alpha: Annotated[float, "weight forwards, of the chain with feedback"] = 0.99,
    beta: Annotated[float, "weight backwards, of the chain with feedback"] = 0.04,
    radius: Annotated[float, "λ < 1, of λ times the identity and of λQ"] = 0.99,
    lags: Annotated[int, "k to draw up to"] = 120,
    networks: Annotated[tuple[str, ...], f"to be linearised at rest, each {HELP}"] = ("esn", "lstm"),
    seed: Annotated[int, "of Q and the networks"] = 0,
):
    """Fisher memory J(k) by lag and in total, of chains, other matrices and linearised networks; a `Result`."""
    if units < 2 or lags < 2:
        raise ValueError(f"units and lags must be at least 2, got {units} and {lags}")
    source, first = np.eye(units)[0], f"chain, α = {alpha:g}"
    systems = {
        first: (distributions.chain(units, alpha).T, source),
        f"feedback chain, {feedback_alpha:g} and {beta:g}": (
            distributions.feedback_chain(units, feedback_alpha, beta).T,
            source,
        ),
        f"{radius:g} Q, Q orthogonal": (distributions.random_orthogonal(units, seed, radius), source),
        f"{radius:g} identity": (distributions.scaled_identity(units, radius), np.full(units, units**-0.5)),
    }
    skipped = []
    for what in networks:
        found = network(what, hidden_size=units, rng=seed)
        A, B = linearised(found.layers)
        problem = unusable(A, B)
        if problem:
            skipped.append(f"{found.label}: left out: {problem}")
        else:
            systems[f"{found.label} at rest"] = A, B[:, 0] / np.linalg.norm(B[:, 0])
    steps = np.arange(lags)
    curves = {label: fisher.memory_curve(W, v, lags) for label, (W, v) in systems.items()}
    totals = {label: fisher.total_memory(W, v) for label, (W, v) in systems.items()}
    backwards = fisher.total_memory(distributions.chain(units, alpha), source)
    numbers = {"N": units, "J_tot": totals, "J_tot of the chain the wrong way round": backwards}
    numbers |= {"J_tot of the chain, closed form": fisher.chain_total(units, alpha)}
    lines = [f"{label}: J_tot = {total:.4f}" for label, total in totals.items()]
    lines += [f"the chain transposed, so that it leads from its end to the source: J_tot = {backwards:.3g}", *skipped]
    matrices = {label: fisher.memory_matrix(*systems[label], lags) for label in list(systems)[:3]}
    tables = {"J(k)": {"k": steps, **curves}} | {
        f"J_kl {label}": {"k": steps, **dict(zip(map(str, steps), J.T, strict=True))} for label, J in matrices.items()
    }
    return Result(draw(steps, curves, totals, matrices), numbers, tables, tuple(lines))


def unusable(A, B):
    """Why there is no Fisher memory of δs_t = A δs_{t-1} + B δx_t, or "" if there is."""
    if not B[:, 0].any():
        return "at rest its state does not answer to the input at all (units switched off, as with ReLU)"
    try:
        fisher.check_stable(A)
    except ValueError as error:
        return str(error)
    return ""


def draw(steps, curves, totals, matrices):
    """Above J(k) against the lag, below the size of the memory matrix J_kl of the first three systems."""
    figure, panels = new_figure(2, 3, (12, 9))
    grid = panels[0, 0].get_gridspec()
    for axes in panels[0]:
        axes.remove()
    top = figure.add_subplot(grid[0, :])
    for k, (label, curve) in enumerate(curves.items()):
        colour, line = STYLES[k % len(STYLES)]
        shown = np.where(curve > 0, curve, np.nan)
        top.plot(steps, shown, color=colour, linestyle=line, label=f"{label}: $J_{{tot}}$ = {totals[label]:.3g}")
    highest = max(curve.max() for curve in curves.values())
    top.set_xlim(-1, len(steps))
    top.set(xlabel="lag k (steps)", ylabel="Fisher memory J(k)", yscale="log", ylim=(1e-5, 2 * highest))
    top.set_title("What the state still says of the input k steps ago, in units of the noise")
    top.yaxis.set_major_formatter(PlainLogFormatter())
    top.grid(alpha=0.25)
    top.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False)
    for axes, (label, J) in zip(panels[1], matrices.items(), strict=True):
        image = axes.imshow(np.log10(np.maximum(abs(J), 1e-6)), cmap="cividis", vmin=-6, vmax=0, origin="lower")
        axes.set(xlabel="lag l (steps)", ylabel="lag k (steps)", title=label)
    bar = figure.colorbar(image, ax=list(panels[1]), ticks=range(-6, 1, 2))
    bar.set_label("size of $J_{kl}$")
    bar.ax.set_yticklabels(["< 1e-6", "1e-4", "0.01", "1"])
    return figure


ANALYSIS = Analysis(
    title="Fisher memory of linear networks: chains against orthogonal matrices",
    source="Orhan & Pitkow 2020, section 2.1, equations 1 to 4, figure 1",
    run=run,
    look=(
        "the chain falls slowest and then stops dead: unit k holds the input k steps ago and no other, so its "
        "matrix is "
        "diagonal. An orthogonal matrix spreads J_tot = 1 over all lags, whatever the matrix."
    ),
    errata=(
        "J_tot = 1 holds for λQ with λ < 1. For Q itself, as the text has it, the noise piles up without end and there "
        "is no C; in the limit λ → 1 the total stays 1, but each J(k) goes to 0.",
        "The identity network of section 2.2 has v = (1, …, 1), of norm √N. The theorem is about ‖v‖ = 1, and with "
        "their v J_tot is N, not 1.",
        "Input weights N(0, 0.9/√N): 0.9/√N is the standard deviation, not the variance.",
        "In the authors' PyTorch files the chain's matrix stands as it does for Keras, which multiplies rows, but "
        "PyTorch multiplies columns: the chain leads from its end to the source. At N = 100 and α = 1.02 that is "
        "J_tot = 0.000785 instead of 7.606.",
        "The values of α and β in figure 1 are not stated; those here are the defaults of the authors' code.",
    ),
)
