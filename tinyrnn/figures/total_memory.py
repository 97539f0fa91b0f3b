"""Total Fisher memory of a chain against its length: in proportion to it above α = 1, its logarithm at 1."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis import fisher
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

MARKERS = "osD^vP"


def run(
    alphas: Annotated[tuple[float, ...], "weights α of the chain, at most 6"] = (0.99, 1.0, 1.02, 1.05, 2.0),
    sizes: Annotated[tuple[int, ...], "N for which it is computed from the matrices, too"] = (
        10,
        25,
        50,
        100,
        200,
        400,
    ),
):
    """Total Fisher memory of chains by length, in closed form and from the matrices, and its growth; a `Result`."""
    if not alphas or len(alphas) > len(STYLES) or min(alphas) <= 0:
        raise ValueError(f"alphas must be 1 to {len(STYLES)} positive numbers, got {' '.join(map(str, alphas))}")
    sizes = sorted(set(sizes))
    if len(sizes) < 2 or sizes[0] < 2:
        raise ValueError(f"sizes must be at least two different numbers from 2 on, got {' '.join(map(str, sizes))}")
    fine = np.unique(np.geomspace(2, max(sizes), 60).astype(int))
    closed = {a: np.array([fisher.chain_total(n, a) for n in fine]) for a in alphas}
    solved = {a: np.array([from_matrices(n, a) for n in sizes]) for a in alphas}
    found = {f"α = {a:g}": in_numbers(a, sizes, solved[a]) for a in alphas}
    worst = max(
        abs(value / fisher.chain_total(n, a) - 1)
        for a in alphas
        for n, value in zip(sizes, solved[a], strict=True)
        if np.isfinite(value)
    )
    named = lambda of: {f"alpha={a:g}": of[a] for a in alphas}  # noqa: E731
    return Result(
        draw(fine, closed, sizes, solved),
        {"growth": found, "largest relative difference of closed form and matrices": worst},
        {"closed form": {"N": fine, **named(closed)}, "matrices": {"N": sizes, **named(solved)}},
        tuple(f"{name}: {in_words(each, sizes)}" for name, each in found.items()),
    )


def from_matrices(n, alpha):
    """J_tot from the noise covariance itself; nan where its entries, up to alpha^2n, are beyond the largest number."""
    if 2 * n * np.log10(alpha) > 300:
        return np.nan
    return fisher.total_memory(distributions.chain(n, alpha).T, np.eye(n)[0])


def in_numbers(alpha, sizes, totals):
    """Growth between the two largest sizes, for each unit more and for each factor e, and what it should be."""
    (n, m), (low, high) = sizes[-2:], totals[-2:]
    return {
        "J_tot": dict(zip(map(str, sizes), totals, strict=True)),
        "for each unit more": (high - low) / (m - n),
        "for each factor e": (high - low) / np.log(m / n),
        "1 - alpha^-2": 1 - alpha**-2 if alpha > 1 else 0.0,
    }


def in_words(found, sizes):
    """J_tot at the largest N, and how it grows from the size before: for each unit, or with log N."""
    n, m = sizes[-2:]
    start = f"J_tot = {found['J_tot'][str(m)]:.4g} at N = {m}; from N = {n} it grows by "
    if found["1 - alpha^-2"]:
        return f"{start}{found['for each unit more']:.4f} for each unit more (1 - α⁻² = {found['1 - alpha^-2']:.4f})"
    return f"{start}{found['for each factor e']:.4f} for each factor e in N"


def draw(fine, closed, sizes, solved):
    """J_tot against N, left on a logarithmic axis, right on a linear one; a curve for each α."""
    figure, (left, right) = new_figure(1, 2, (11.5, 4.8))
    low = max(2.5, *(totals[-1] for a, totals in closed.items() if a <= 1)) if min(closed) <= 1 else fine[-1]
    for (alpha, totals), (colour, line), mark in zip(closed.items(), STYLES, MARKERS, strict=False):
        for axes in (left, right):
            axes.plot(fine, totals, color=colour, linestyle=line, label=f"α = {alpha:g}")
            axes.plot(sizes, solved[alpha], mark, color=colour, markerfacecolor="white")
    left.plot(fine, fine, color="black", linewidth=0.8, label="bound, $J_{tot} = N$")
    left.plot([], [], "o", color="black", markerfacecolor="white", label="from the matrices")
    left.set(
        xscale="log",
        yscale="log",
        ylabel="total Fisher memory $J_{tot}$",
        title="α > 1: in the end at slope 1, as the bound",
    )
    left.yaxis.set_major_formatter(PlainLogFormatter())
    right.plot(fine, np.log(fine) + np.euler_gamma, color="black", linewidth=0.8, label="ln N + 0.577")
    right.set(
        xscale="log", ylim=(0, 1.6 * low), ylabel="$J_{tot}$, linear scale", title="α = 1: straight here, so only log N"
    )
    for axes in (left, right):
        axes.set_xlabel("N, units of the chain")
        axes.xaxis.set_major_formatter(PlainLogFormatter())
        axes.grid(alpha=0.25)
        axes.legend(fontsize="small", loc="upper left")
    return figure


ANALYSIS = Analysis(
    title="total Fisher memory of a chain against the number of its units",
    source="Orhan & Pitkow 2020, section 2.1; Ganguli, Huh & Sompolinsky 2008",
    run=run,
    look=(
        "above α = 1 each unit more adds 1 - α⁻² to the total, at α = 1 only doubling N adds ln 2, below 1 there is a "
        "limit. Lines are the closed form, marks solve for the noise covariance."
    ),
    errata=(
        "The total is said to grow as N for chains with α at or above 1. At α = 1 it is the harmonic number, 5.19 "
        "at N = "
        "100, which grows as log N; and for the α between 0.99 and 1.05 that the paper trains with, it is 4.4 to 12 at "
        "N = 100, far below the bound of 100.",
    ),
)
