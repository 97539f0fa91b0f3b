"""Eigenvalues that say how far they can be trusted, and what eigenvalues do not say: pseudospectra, transient growth.

The eigenvalues of a matrix far from normal are ill conditioned: a solver returns those of a matrix within rounding of
the one it was given, and these may lie elsewhere altogether. For a chain of 100 units with feedback (0.99, 0.04),
`numpy.linalg.eigvals` finds a ring out to 0.74, though all the eigenvalues are real and below 0.4. Here W is first
cut into the parts that drive each other, and each part is scaled (D⁻¹ W D, by powers of two, so without any rounding)
to be as near to normal as scaling makes it, which leaves the eigenvalues alone and mends chains of every kind.

Matrices are for columns, h_t = W h_{t-1}.
"""

from typing import NamedTuple

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.types import Array

EPS = np.finfo(float).eps


class Eigenvalues(NamedTuple):
    """values (n,) complex; errors (n,), to first order how far rounding may have moved each (eps ‖B‖ κ, see below)."""

    values: np.ndarray
    errors: np.ndarray

    @property
    def radius(self) -> float:
        """The spectral radius, the largest modulus."""
        return float(abs(self.values).max())

    @property
    def error(self) -> float:
        """The largest of the errors; infinite where a solver's answer means nothing."""
        return float(self.errors.max())

    @property
    def trusted(self) -> bool:
        """Whether every error is below a millionth of the largest modulus (or of 1e-6, where that is smaller)."""
        return self.error <= 1e-6 * max(self.radius, 1e-6)


def eigenvalues(W: Array) -> Eigenvalues:
    """The `Eigenvalues` of W (n, n), part by part and scaled as the module says.

    κ = 1/|y*x|, y and x the unit left and right eigenvectors, is the condition of an eigenvalue (1 for normal matrices)
    and B the scaled part it belongs to. A unit that drives no other that drives it back, as in a chain without
    feedback, has its diagonal entry as an eigenvalue, exactly. Raises ValueError where W is not square and finite.
    """
    W = square(W)
    values, errors = np.zeros(len(W), complex), np.zeros(len(W))
    for units in parts(W):
        B = balanced(W[np.ix_(units, units)])
        values[units], errors[units] = of_part(B)
    return Eigenvalues(values, errors)


def of_part(B: Array) -> tuple[Array, Array]:
    """(eigenvalues, errors) of one strongly connected part."""
    size = np.linalg.norm(B, 2) * EPS
    if len(B) == 1:
        return B[0], np.zeros(1)
    if (B == B.conj().T).all():
        return scipy.linalg.eigvalsh(B), np.full(len(B), size)
    if np.linalg.norm(B @ B.conj().T - B.conj().T @ B) <= len(B) * EPS * np.linalg.norm(B) ** 2:
        return np.linalg.eigvals(B), np.full(len(B), size)  # normal, so κ = 1, also where eigenvalues coincide
    values, left, right = scipy.linalg.eig(B, left=True, right=True)
    overlap = abs((left.conj() * right).sum(axis=0))
    with np.errstate(divide="ignore"):
        return values, size / overlap


def spectral_radius(W: Array) -> float:
    """The largest modulus of W's `eigenvalues`, a float."""
    return eigenvalues(W).radius


def parts(W: Array) -> list[Array]:
    """Lists of the units that reach each other through W's nonzero entries: its strongly connected components."""
    count, label = scipy.sparse.csgraph.connected_components(W != 0, connection="strong")
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])


def balanced(W: Array) -> Array:
    """D⁻¹ W D with the diagonal D of powers of two that (but for their rounding) minimises its Frobenius norm.

    W (n, n) must be irreducible, all its units one of `parts`. In the logarithms of D the squared norm is convex
    (Osborne 1960 minimises it row by row), and here by Newton's method, for which a chain of 100 is no harder than 2.
    """
    squares = abs(W) ** 2
    np.fill_diagonal(squares, 0)
    d, one = np.zeros(len(W)), np.ones((len(W), len(W))) / len(W)

    def scaled(d):
        return squares * np.exp(2 * (d[None, :] - d[:, None]))

    S = scaled(d)
    for _ in range(100):
        gradient = S.sum(axis=0) - S.sum(axis=1)
        if abs(gradient).max() <= 1e-6 * S.sum():
            break
        laplacian = np.diag(S.sum(axis=0) + S.sum(axis=1)) - S - S.T  # half the Hessian, singular along 1
        step = -np.linalg.solve(2 * laplacian + S.sum() * one, gradient)
        step /= max(1, abs(step).max() / 5)
        while (smaller := scaled(d + step)).sum() > S.sum() and abs(step).max() > 1e-9:
            step /= 2
        if not smaller.sum() < S.sum():
            break
        d, S = d + step, smaller
    powers = np.rint(d / np.log(2))
    return W * np.exp2(powers[None, :] - powers[:, None])


def smallest_singular_value(W: Array, points: Array, steps: int = 24) -> Array:
    """σ_min(z 1 - W) for every z of `points`, like points, float64: how far W is from a matrix with the eigenvalue z.

    The set where it is below ε is the ε-pseudospectrum (Trefethen & Embree 2005). From one Schur form of W, by `steps`
    of the Lanczos iteration with ((z - T)*(z - T))⁻¹, two triangular systems each, for all points at once. Like the
    eigenvalues, what is below eps ‖W‖ is rounding, unless W is triangular. It is 0 at an eigenvalue, and where it is
    below 1e-150; otherwise the iteration comes from above, to within a part in a thousand or far better.
    """
    W = square(W)
    z = np.ravel(points).astype(complex)
    upper = not np.tril(W, -1).any()
    T = W.astype(complex) if upper else scipy.linalg.schur(W.astype(complex))[0]
    if not upper and not np.triu(W, 1).any():
        T = W[::-1, ::-1].astype(complex)  # a triangular matrix is its own Schur form, the other way round
    gaps = z[:, None] - np.diag(T)
    hit = (gaps == 0).any(axis=1)
    gaps[hit] = 1
    N = np.triu(T, 1)
    q = np.random.default_rng(0).normal(size=(2, len(z), len(W)))
    q = q[0] + 1j * q[1]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    before, beta = np.zeros_like(q), np.zeros(len(z))
    small = np.zeros((len(z), steps, steps))
    with np.errstate(all="ignore"):  # what overflows is noticed below
        for k in range(steps):
            v = upper_solve(N, gaps, lower_solve(N, gaps, q)) - beta[:, None] * before
            small[:, k, k] = alpha = (q.conj() * v).real.sum(axis=1)
            v -= alpha[:, None] * q
            beta = np.linalg.norm(v, axis=1)
            if k + 1 < steps:
                small[:, k, k + 1] = small[:, k + 1, k] = beta
            before, q = q, v / np.maximum(beta, np.finfo(float).tiny)[:, None]
    hit |= ~np.isfinite(small).all(axis=(1, 2))
    small[hit] = np.eye(steps)
    largest = np.linalg.eigvalsh(small)[:, -1]
    return np.where(hit, 0, 1 / np.sqrt(largest)).reshape(np.shape(points))


def upper_solve(N: Array, gaps: Array, b: Array) -> Array:
    """x with (z - T) x = b, T = diag + N, N strictly upper triangular; gaps z - diag and b (points, n)."""
    x = np.zeros_like(b)
    for i in reversed(range(len(N))):
        x[:, i] = (b[:, i] + x[:, i + 1 :] @ N[i, i + 1 :]) / gaps[:, i]
    return x


def lower_solve(N: Array, gaps: Array, b: Array) -> Array:
    """x with (z - T)* x = b."""
    x = np.zeros_like(b)
    for i in range(len(N)):
        x[:, i] = (b[:, i] + x[:, :i] @ N[:i, i].conj()) / gaps[:, i].conj()
    return x


def power_norms(W: Array, steps: int) -> Array:
    """‖W^k‖₂ for k = 0 … steps, an array (steps + 1,): by how much a perturbation of the state can have grown.

    In the long run it goes as ρ(W)^k, before that it can do anything: W = [[.5, 100], [0, .5]] has ‖W⁵‖ = 31.
    """
    W = square(W)
    power, norms = np.eye(len(W)), [1.0]
    for _ in range(steps):
        power = W @ power
        norms.append(float(np.linalg.norm(power, 2)))
    return np.array(norms)


def feedback_chain_eigenvalues(n: int, alpha: float, beta: float) -> Array:
    """2 √(alpha beta) cos(kπ/(n+1)), k = 1 … n, of a chain with feedback (Orhan & Pitkow 2020); alpha beta ≥ 0."""
    if alpha * beta < 0:
        raise ValueError(f"alpha and beta must have the same sign, got {alpha!r} and {beta!r}")
    return 2 * np.sqrt(alpha * beta) * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))


def square(W: Array) -> Array:
    """W as a float64 array; ValueError where it is not a square, finite matrix."""
    W = np.asarray(W, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not W.size:
        raise ValueError(f"W must be a square matrix, got shape {W.shape}")
    if not np.isfinite(W).all():
        raise ValueError("W has entries that are not finite")
    return W
