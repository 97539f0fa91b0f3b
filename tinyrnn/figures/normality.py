"""How far recurrent matrices are from normal, and eigenvalues that a solver gets wrong."""

import warnings
from typing import Annotated

import numpy as np

from tinyrnn.analysis import normality, spectrum
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, new_figure

MATRICES_OF = ("elman", "lstm", "gru", "esn", "exprnn", "antisymmetric")


def run(
    units: Annotated[int, "N of the matrices"] = 100,
    networks: Annotated[tuple[str, ...], f"whose matrices are measured too, each {HELP}"] = MATRICES_OF,
    alpha: Annotated[float, "weight forwards, of the chain with feedback"] = 0.99,
    beta: Annotated[float, "weight backwards, of the chain with feedback"] = 0.04,
    seed: Annotated[int, "of what is drawn at random"] = 0,
):
    """Henrici's index and the commutator of matrices and of networks, and a naive solver's error; a `Result`."""
    if units < 3:
        raise ValueError(f"units must be at least 3, got {units}")
    if alpha * beta <= 0:
        raise ValueError(f"alpha and beta must have the same sign, got {alpha:g} and {beta:g}")
    feedback = distributions.feedback_chain(units, alpha, beta).T
    all_of_them = {
        "identity": distributions.scaled_identity(units),
        "orthogonal": distributions.random_orthogonal(units, seed),
        "uniform (Glorot)": distributions.glorot_uniform((units, units), seed),
        "ramp": distributions.ramp(units),
        "feedback chain": feedback,
        "chain": distributions.chain(units).T,
    }
    for what in networks:
        found = network(what, hidden_size=units, rng=seed)
        all_of_them |= {f"{found.label}, {name}": W for name, W in matrices(found.layers).items()}
    own, others = list(all_of_them)[:6], list(all_of_them)[6:]
    measured = {label: measure(W) for label, W in all_of_them.items()}
    exact = spectrum.feedback_chain_eigenvalues(units, alpha, beta)
    naive = np.linalg.eigvals(feedback)
    size = np.linalg.norm(feedback) ** 2
    d, naive_d = abs(alpha - beta) * np.sqrt(units - 1), np.sqrt(max(size - (abs(naive) ** 2).sum(), 0))
    radius = exact.max(), abs(naive).max()
    trap = {
        "d(W)": d,
        "d(W) with numpy.linalg.eigvals": naive_d,
        "spectral radius": radius[0],
        "spectral radius by numpy.linalg.eigvals": radius[1],
        "spectral radius by tinyrnn.analysis.spectrum": spectrum.spectral_radius(feedback),
    }
    columns = {"matrix": list(measured)} | {key: [m[key] for m in measured.values()] for key in measured["identity"]}
    return Result(
        draw(measured, exact, naive, f"{units} units, feedback chain {alpha:g} and {beta:g}"),
        {"N": units, "matrices": measured, "feedback chain": trap},
        {"matrices": columns, "eigenvalues": {"exact": exact, "numpy, re": naive.real, "numpy, im": naive.imag}},
        (
            f"d(W) / ‖W‖ of matrices: {shares(measured, own)}",
            *([f"d(W) / ‖W‖ of networks: {shares(measured, others)}"] if others else []),
            f"feedback chain: d(W) = {d:.6f}; by numpy.linalg.eigvals {naive_d:.4f} (radius {radius[1]:.3f}, not "
            f"{radius[0]:.3f})",
        ),
    )


def shares(measured, labels):
    """Henrici's index as a share of the norm, for each label, in a line."""
    return ", ".join(f"{label} {measured[label]['share']:.2f}" for label in labels)


def measure(W):
    """A dict of numbers of a matrix: Henrici's index and commutator, also relative, and the spectral radius."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # said by "trusted"
        d = normality.henrici(W)
    size = np.linalg.norm(W)
    found = spectrum.eigenvalues(W)
    return {
        "d(W)": d,
        "share": d / size if size else 0.0,
        "commutator": normality.commutator(W),
        "commutator / ‖W‖²": normality.commutator(W) / size**2 if size else 0.0,
        "spectral radius": found.radius,
        "trusted": found.trusted,
    }


def draw(measured, exact, naive, what):
    """Left both measures as bars, right the eigenvalues of the feedback chain, the true ones and the naive ones."""
    figure, (left, right) = new_figure(1, 2, (13, max(4.8, 1.5 + 0.3 * len(measured))))
    labels = [label if m["trusted"] else f"{label} (?)" for label, m in measured.items()]
    places = np.arange(len(measured))[::-1]
    shares, commutators = ([m[key] for m in measured.values()] for key in ("share", "commutator / ‖W‖²"))
    left.barh(places + 0.2, shares, 0.38, color=STYLES[0][0], label="Henrici's index, d(W) / ‖W‖")
    style = {"facecolor": "white", "edgecolor": STYLES[1][0], "hatch": "////"}
    left.barh(places - 0.2, commutators, 0.38, label="commutator, ‖WWᵀ - WᵀW‖ / ‖W‖²", **style)
    left.set_yticks(places, labels)
    left.set(xlim=(0, 1.05), xlabel="share (0: normal; 1: nothing but feedforward)", title="How far from normal")
    left.legend(loc="upper center", bbox_to_anchor=(0.4, -0.11), ncols=2, frameon=False, fontsize="small")
    left.grid(axis="x", alpha=0.25)
    right.plot(naive.real, naive.imag, "x", color=STYLES[1][0], label="numpy.linalg.eigvals")
    right.plot(exact, 0 * exact, "o", color=STYLES[0][0], markersize=5, markerfacecolor="white", label="true, all real")
    right.set(xlabel="real part", ylabel="imaginary part", aspect="equal", title=f"Eigenvalues: {what}")
    right.grid(alpha=0.25)
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=2, frameon=False, fontsize="small")
    return figure


ANALYSIS = Analysis(
    title="departure from normality of initialisers and of networks, and the trap in computing it",
    source="Orhan & Pitkow 2020, section 2.4; Henrici 1962",
    run=run,
    look=(
        "identity and orthogonal matrices have no feedforward part, a chain has nothing else; random matrices are far "
        "from normal too. The commutator is safe to compute, but of a chain it sees only the two ends. On the right, a "
        "solver in double precision puts the eigenvalues of a harmless matrix on a ring. (?) marks a matrix whose "
        "eigenvalues cannot be trusted."
    ),
    errata=(
        "d(W) is √(‖W‖² - Σ|λ|²), so wrong eigenvalues give a wrong index without any warning: 7.51 instead of 9.45 "
        "for "
        "the paper's feedback chain of 100 units, 6.47 instead of 6.65 for 50. The true eigenvalues, 2√(αβ) "
        "cos(kπ/(N+1)), "
        "are real, so that tr(W²) may stand for Σλ².",
        "The indices of trained networks in the paper's table (addition 2.33 and 2.74, permuted MNIST 1.01 and "
        "2.72) are "
        "after training at full length; `tinyrnn analyse ordering` has those of short runs on a shorter addition task.",
    ),
)
