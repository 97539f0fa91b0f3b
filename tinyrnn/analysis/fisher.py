"""Fisher memory: what the state of a noisy linear network still says of its past input, h_t = W h_{t-1} + v s_t + z_t.

With unit noise z, every state is Gaussian, and its covariance C and the sensitivities W^k v to the input k steps ago
say it all (Ganguli, Huh & Sompolinsky 2008; Orhan & Pitkow 2020, eqs. 1-4):

    C = W C Wᵀ + 1          J_kl = (W^k v)ᵀ C⁻¹ W^l v          J(k) = J_kk          J_tot = Σ_k J(k)

J_tot = 1 for every stable normal W and a unit vector v; J_tot ≤ n for every W. Matrices are for columns.
"""

import warnings

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.analysis.spectrum import square
from tinyrnn.core.types import Array

SQUARINGS = 40  # of W: powers up to 2^40, which tell a radius of 1 - 1e-11 from 1


def noise_covariance(W: Array, method: str = "doubling") -> Array:
    """C (n, n) with C = W C Wᵀ + 1, the covariance to which the noise adds up.

    method: "doubling", C ← C + A C Aᵀ and A ← A², from C = 1 and A = W until nothing is added; or "lyapunov", SciPy's
    `solve_discrete_lyapunov`. Doubling only adds and multiplies: where W has no negative entries, as in chains, each
    entry of C is exact to rounding even where C spans a hundred orders of magnitude, and SciPy's result is lost.
    Raises ValueError for another method, for such a loss where it shows, and where there is no C: `check_stable`.
    """
    W = check_stable(W)
    if method == "lyapunov":
        return by_scipy(W)
    if method != "doubling":
        raise ValueError(f'method must be "doubling" or "lyapunov", got {method!r}')
    return sum_of_powers(W, np.eye(len(W)))


def by_scipy(W: Array) -> Array:
    """The same covariance by SciPy's Lyapunov solver; ValueError where that is lost to rounding."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            C = scipy.linalg.solve_discrete_lyapunov(W, np.eye(len(W)))
        except (Warning, ValueError, np.linalg.LinAlgError):  # it divides by nearly nothing, or by nothing
            C = np.zeros_like(W)
    if not (np.diag(C) > 0.5).all():  # 1 at least
        raise ValueError("SciPy's noise covariance of this W is lost to rounding: use the method doubling")
    return C


def sum_of_powers(W: Array, C: Array) -> Array:
    """Σ_k W^k C (W^k)ᵀ by doubling, for a stable W and a C without negative eigenvalues."""
    A = W
    for _ in range(SQUARINGS):
        more = A @ C @ A.T
        if (np.diag(more) <= np.finfo(float).eps / 4 * np.diag(C)).all():
            break
        C, A = C + more, A @ A
    return C


def check_stable(W: Array) -> Array:
    """W as an array; ValueError unless its spectral radius is below 1, so that the noise does not pile up for ever.

    The eigenvalues of the matrices that matter here cannot be trusted (see `tinyrnn.analysis.spectrum`), so this does
    not ask for them: W is squared until ‖W^(2^k)‖ is below 1, which proves it, or 2^k is 10^12. An orthogonal W, whose
    radius is exactly 1, is refused: its J_tot of 1 is the limit of λW for λ → 1, in which each J(k) goes to 0.
    """
    W = square(W)
    A = W
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(SQUARINGS):
            size = np.linalg.norm(A)
            if size < 1:
                return W
            if not np.isfinite(size):
                raise ValueError(
                    f"the power {2**k} of W is beyond the largest number: its spectral radius is not below 1, "
                    "or rounding hides that it is"
                )
            A = A @ A
    radius = size ** (0.5 ** (SQUARINGS - 1))
    raise ValueError(
        f"W has the spectral radius {radius:.6g}, so the noise piles up without end: Fisher memory needs one below 1 "
        "(an orthogonal W must be scaled, such as by 0.99)"
    )


def noise_factor(W: Array) -> Array:
    """L (n, n), lower triangular, with L Lᵀ = C: by doubling as well, of the factor, so that C is never squared.

    L ← the triangular factor of [L, A L], by a QR decomposition that does not care how large the rows are. Where the
    units are of very different size and nearly dependent, as in a chain with strong feedback, a factorisation of C has
    4 digits and this has 11.
    """
    L = np.eye(len(W))
    A = check_stable(W)
    for _ in range(SQUARINGS):
        more = A @ L
        if (np.linalg.norm(more, axis=1) <= np.finfo(float).eps / 16 * np.linalg.norm(L, axis=1)).all():
            break
        R = np.asarray(np.linalg.qr(np.concatenate([L, more], axis=1).T, mode="r"))
        L, A = R.T, A @ A
    return L


def whitened(W: Array, v: Array, method: str = "doubling") -> tuple[Array, Array]:
    """(W, v) in coordinates in which C is 1, so that J_kl = (W^k v)ᵀ W^l v; W is a contraction there."""
    W, v = square(W), np.asarray(v, dtype=np.float64)
    if v.shape != (len(W),):
        raise ValueError(f"v must be a vector of W's {len(W)} units, got shape {v.shape}")
    if method == "doubling":
        L = noise_factor(W)
    else:
        L = np.linalg.cholesky(noise_covariance(W, method))
    return scipy.linalg.solve_triangular(L, W @ L, lower=True), scipy.linalg.solve_triangular(L, v, lower=True)


def memory_matrix(W: Array, v: Array, steps: int, method: str = "doubling") -> Array:
    """J (steps, steps), J_kl of the module's formula for lags k, l < steps; its trace is J_tot as steps → ∞.

    W (n, n) with a spectral radius below 1 (else ValueError), v (n,) where the input enters; ‖v‖ = 1 is what the
    theorems are about. method: how `noise_covariance` finds C.
    """
    W, v = whitened(W, v, method)
    lags = [v]
    for _ in range(steps - 1):
        lags.append(W @ lags[-1])
    lags = np.array(lags)
    return lags @ lags.T


def memory_curve(W: Array, v: Array, steps: int, method: str = "doubling") -> Array:
    """J(k) for k = 0 … steps - 1, an array (steps,): how well the input k steps ago can be told. As `memory_matrix`."""
    W, v = whitened(W, v, method)
    curve = []
    for _ in range(steps):
        curve.append(v @ v)
        v = W @ v
    return np.array(curve)


def total_memory(W: Array, v: Array, method: str = "doubling") -> float:
    """J_tot, a float: J(k) summed over all lags, by doubling again, so however long that takes. As `memory_matrix`."""
    W, v = whitened(W, v, method)
    return float(v @ sum_of_powers(W.T, np.eye(len(W))) @ v)


# closed forms ---


def chain_covariance(n: int, alpha: float) -> Array:
    """C (n, n) of a chain, W_ij = alpha δ_{j,i-1}: diagonal, Σ_{j≤i} alpha^{2j} at unit i = 0 … n-1."""
    return np.diag(np.cumsum(float(alpha) ** (2 * np.arange(n))))


def chain_curve(n: int, alpha: float, steps: int | None = None) -> Array:
    """J(k) of a chain whose first unit gets the input, for k < steps (by default n), an array.

    alpha^{2k} / Σ_{j≤k} alpha^{2j} = 1 / Σ_{j≤k} alpha^{-2j} for k < n, and 0 from there on: what has reached the last
    unit is gone after it. For alpha = 1 it is 1/(k+1).
    """
    k = np.arange(n if steps is None else steps)
    with np.errstate(over="ignore", divide="ignore"):
        return np.where(k < n, 1 / np.cumsum(float(alpha) ** (-2.0 * k)), 0)


def chain_total(n: int, alpha: float) -> float:
    """J_tot of a chain: the harmonic number 1 + 1/2 + … + 1/n for alpha = 1, ≈ n (1 - alpha⁻²) for alpha > 1.

    So it grows with n, the most there can be, for alpha > 1 only; at 1 as log n, and below 1 it has a limit.
    """
    return float(chain_curve(n, alpha).sum())


def normal_curve(radius: float, steps: int) -> Array:
    """J(k) = (1 - λ²) λ^{2k}, λ = radius < 1, of W = λQ with any orthogonal Q and a unit vector v; sums to 1."""
    if not 0 <= radius < 1:
        raise ValueError(f"radius must be in [0, 1), got {radius!r}")
    return (1 - radius**2) * float(radius) ** (2 * np.arange(steps))
