"""Eigenvalues, pseudospectra and the growth of powers: why eigenvalues alone do not say how a network behaves."""

import math
from typing import Annotated

import numpy as np

from tinyrnn.analysis import spectrum
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

LEVELS = np.array([1e-8, 1e-6, 1e-4, 1e-2, 1e-1])  # ε of the pseudospectra drawn
SHADES = ("#00224e", "#35456c", "#666970", "#8a8678", "#b5a55e")
MOST = len(STYLES)


def run(
    units: Annotated[int, "N"] = 100,
    alpha: Annotated[float, "weight forwards, of the chain with feedback"] = 0.99,
    beta: Annotated[float, "weight backwards, of the chain with feedback"] = 0.04,
    networks: Annotated[tuple[str, ...], f"whose matrices are looked at too, each {HELP}"] = ("elman",),
    steps: Annotated[int, "powers W^k to compute"] = 200,
    points: Annotated[int, "of the grid along the real axis"] = 101,
    seed: Annotated[int, "of what is drawn at random"] = 0,
):
    """Eigenvalues, pseudospectra and norms of powers of matrices and of those of networks; a `Result`."""
    if units < 2 or steps < 1 or points < 5:
        raise ValueError(f"units, steps and points must be at least 2, 1 and 5, got {units}, {steps} and {points}")
    chosen = {
        "orthogonal": distributions.random_orthogonal(units, seed),
        f"feedback chain {alpha:g}, {beta:g}": distributions.feedback_chain(units, alpha, beta).T,
    }
    for what in networks:
        found = network(what, hidden_size=units, rng=seed)
        chosen |= {f"{found.label}, {name}": W for name, W in matrices(found.layers).items()}
    if len(chosen) > MOST:
        raise ValueError(f"these are {len(chosen)} matrices, more than {MOST}: name fewer networks")
    found = {label: spectrum.eigenvalues(W) for label, W in chosen.items()}
    norms = {label: spectrum.power_norms(W, steps) for label, W in chosen.items()}
    grids = {label: grid(W, found[label].radius, points) for label, W in chosen.items()}
    numbers = {label: in_numbers(found[label], norms[label]) for label in chosen}
    tables = {"norms of powers": {"k": np.arange(steps + 1), **norms}}
    for label, values in found.items():
        tables[f"eigenvalues {label}"] = {"re": values.values.real, "im": values.values.imag, "error": values.errors}
        x, y, sigma = grids[label]
        re, im = np.meshgrid(x, y)
        tables[f"pseudospectrum {label}"] = {"re": re.ravel(), "im": im.ravel(), "sigma_min": sigma.ravel()}
    lines = [
        f"{label}: spectral radius {n['spectral radius']:.4g}{'' if n['trusted'] else ' (not to be trusted)'}, "
        f"max ‖W^k‖ = {n['largest norm']:.4g} at k = {n['at k']}, ‖W^{steps}‖ = {n['last norm']:.3g}"
        for label, n in numbers.items()
    ]
    return Result(draw(grids, found, norms), {"N": units, "matrices": numbers}, tables, tuple(lines))


def in_numbers(found, norms):
    """A dict: the spectral radius, whether it can be trusted, and the largest and the last norm of a power."""
    return {
        "spectral radius": found.radius,
        "error of the eigenvalues": found.error,
        "trusted": found.trusted,
        "largest norm": norms.max(),
        "at k": int(norms.argmax()),
        "last norm": norms[-1],
    }


def grid(W, radius, points):
    """(x, y, σ_min) on a square around the spectrum and the unit circle; W is real, so half of it is computed."""
    reach = 1.2 * max(1.0, radius) + 0.05
    half = np.linspace(0, reach, (points + 1) // 2)
    x = np.concatenate([-half[:0:-1], half])
    upper = spectrum.smallest_singular_value(W, x[None, :] + 1j * half[:, None])
    return x, x, np.concatenate([upper[:0:-1], upper])


def draw(grids, found, norms):
    """A panel for each matrix with its eigenvalues and pseudospectrum; the last one has the norms of their powers."""
    columns = 2 if len(grids) < 4 else 3
    rows = math.ceil((len(grids) + 1) / columns)
    figure, panels = new_figure(rows, columns, (4.6 * columns, 4.4 * rows + 0.4))
    panels = list(np.ravel(panels))
    for axes, (label, (x, y, sigma)) in zip(panels, grids.items(), strict=False):
        draw_plane(axes, x, y, sigma, found[label])
        axes.set_title(label)
    last = panels[len(grids)]
    for (label, values), (colour, line) in zip(norms.items(), STYLES, strict=False):
        shown = np.where(values > 0, values, np.nan)
        last.plot(
            np.arange(len(values)), shown, color=colour, linestyle=line, label=f"{label}: ρ = {found[label].radius:.2f}"
        )
    last.set(xlabel="k (steps)", ylabel="norm of $W^k$", yscale="log", title="How powers grow and decay")
    last.set_ylim(bottom=max(1e-12, last.get_ylim()[0]))
    last.yaxis.set_major_formatter(PlainLogFormatter())
    last.grid(alpha=0.25)
    last.legend(fontsize="small")
    for axes in panels[len(grids) + 1 :]:
        axes.set_axis_off()
    figure.suptitle(
        "Lines: where a change of W of that size can put an eigenvalue; dashed: the unit circle", fontsize=11
    )
    return figure


def draw_plane(axes, x, y, sigma, found):
    """Eigenvalues in the complex plane, contours of the smallest singular value, and the unit circle."""
    lines = axes.contour(x, y, np.log10(np.maximum(sigma, 1e-16)), np.log10(LEVELS), colors=SHADES, linewidths=1.3)
    axes.clabel(lines, fmt={level: f"{10**level:g}" for level in lines.levels}, fontsize=7)
    around = np.exp(1j * np.linspace(0, 2 * np.pi, 200))
    axes.plot(around.real, around.imag, color="black", linewidth=0.8, linestyle="--")
    axes.plot(found.values.real, found.values.imag, ".", color="black", markersize=4)
    axes.set(xlabel="real part", ylabel="imaginary part", aspect="equal", xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))


ANALYSIS = Analysis(
    title="spectrum, pseudospectrum and transient growth of recurrent matrices",
    source="Orhan & Pitkow 2020, section 2; Trefethen & Embree 2005; Grosse 2018, lecture 16, section 2",
    run=run,
    look=(
        "of the orthogonal matrix the lines hug the eigenvalues: change W by ε and they move by ε. The eigenvalues "
        "of the "
        "chain lie within ±0.4, but a change by a hundred-millionth can put one at a radius of 0.8, and a change by a "
        "hundredth outside the unit circle. For N steps the chain behaves as if it were there: its powers grow, and "
        "decay only then."
    ),
    errata=(
        "The lecture says that gradients explode if the largest eigenvalue is above 1. It means the modulus, and the "
        "long run: before that, powers can grow whatever the eigenvalues. [[.5, 100], [0, .5]] has the spectral radius "
        "0.5, and its fifth power the norm 31.",
    ),
)
