"""The picture of the handout: a thousand steps."""

import numpy as np


def draw(figure):
    """The length of a vector under a thousand steps of three matrices."""
    rng = np.random.default_rng(0)
    n, T = 64, 1000
    G = rng.normal(size=(n, n)) / np.sqrt(n)
    G /= abs(np.linalg.eigvals(G)).max()
    step = unitary(n)
    axes = figure.subplots()
    start = rng.normal(size=2 * n)
    for apply, colour, name in (
        (lambda h: 0.99 * rows(G, h), "#4477aa", "random, largest |λ| 0.99"),
        (lambda h: h @ step, "#228833", "product of unitary blocks"),
        (lambda h: 1.01 * rows(G, h), "#ee6677", "random, largest |λ| 1.01"),
    ):
        h, lengths = start / np.linalg.norm(start), []
        for _ in range(T):
            lengths.append(np.linalg.norm(h))
            h = apply(h)
        axes.semilogy(lengths, color=colour, label=name)
    axes.set(xlabel="steps", ylabel="length")
    axes.legend(frameon=False, fontsize=8)


def rows(G, h):
    """A real matrix on both halves of a vector."""
    return np.concatenate([part @ G for part in np.split(h, 2)])


def unitary(n):
    """The matrix (2n, 2n) of the phases, mirrors and transforms of a unitary step, from random blocks."""
    rng = np.random.default_rng(1)
    v = rng.normal(size=n) + 1j * rng.normal(size=n)
    F = np.fft.fft(np.eye(n), norm="ortho")
    D = [np.diag(np.exp(1j * rng.uniform(0, 2 * np.pi, n))) for _ in range(3)]
    R = np.eye(n) - 2 * np.outer(v, v.conj()) / np.vdot(v, v)
    W = D[2] @ R @ F.conj().T @ D[1] @ F @ D[0]
    return np.block([[W.real, W.imag], [-W.imag, W.real]])
