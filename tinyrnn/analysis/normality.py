"""How far a matrix is from normal: from what eigenvalues and orthogonal eigenvectors would tell.

Orthogonal and symmetric matrices are normal, W Wᵀ = Wᵀ W. What makes others different is a feedforward structure: in
the Schur form W = Q (Λ + N) Q*, with the eigenvalues in Λ, the strictly triangular N leads from earlier to later
directions and never back. Matrices are for columns, h_t = W h_{t-1}; none of this changes if they are transposed.
"""

import warnings

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.analysis.spectrum import eigenvalues, square
from tinyrnn.core.types import Array


def henrici(W: Array, real: bool = False) -> float:
    """Henrici's index d(W) = √(‖W‖_F² - Σ|λ_i|²) = ‖N‖_F of W (n, n), a float (Orhan & Pitkow 2020, section 2.4).

    0 where W is normal; α √(n-1) for a chain, |α - β| √(n-1) for one with feedback. real: take the eigenvalues to be
    real, as where W is symmetric up to scaling; then Σλ² = tr(W²), and none need be computed. Otherwise they come from
    `tinyrnn.analysis.spectrum.eigenvalues`; where these cannot be trusted, it warns (RuntimeWarning) and says between
    what bounds d(W) lies for certain. Raises ValueError where W is not square and finite.
    """
    W = square(W)
    size = np.linalg.norm(W) ** 2
    low, high = henrici_bounds(W)
    if real:
        return float(np.sqrt(max(size - (W * W.T).sum(), 0)))
    found = eigenvalues(W)
    uncertain = 2 * (abs(found.values) * found.errors).sum() + (found.errors**2).sum()
    d2 = size - (abs(found.values) ** 2).sum()
    if d2 < 1e-6 * size:  # the difference is of rounding's size: nearly normal, and N itself is accurate
        return float(np.linalg.norm(np.triu(scipy.linalg.schur(W.astype(complex))[0], 1)))
    d = float(np.clip(np.sqrt(d2), low, high))
    if not uncertain <= 1e-6 * size:
        warnings.warn(
            f"the eigenvalues of this matrix are lost to rounding (by up to {found.error:.2g}): take d(W) = {d:.4g} for"
            f" a guess; it lies between {low:.6g} and {high:.6g}",
            RuntimeWarning,
            stacklevel=2,
        )
    return d


def henrici_bounds(W: Array) -> tuple[float, float]:
    """(low, high) of d(W) that need no eigenvalues, K being the commutator W Wᵀ - Wᵀ W.

    d² ≥ ‖W‖² - √(‖W‖⁴ - ½‖K‖²) (Kress, de Vries & Wegmann 1974); d² ≤ √((n³-n)/12) ‖K‖ (Henrici 1962); and
    d² ≤ ‖W‖² - |tr W²|, because |Σλ²| ≤ Σ|λ|², which is sharp where the eigenvalues are real.
    """
    W = square(W)
    n, size, K = len(W), float(np.linalg.norm(W) ** 2), commutator(W)
    low = K**2 / 2 / (size + np.sqrt(max(size**2 - K**2 / 2, 0))) if size else 0.0
    high = min(float(np.sqrt((n**3 - n) / 12)) * K, float(size - abs((W * W.T).sum())))
    return float(np.sqrt(low)), float(np.sqrt(max(high, low)))


def commutator(W: Array) -> float:
    """‖W Wᵀ - Wᵀ W‖_F, a float: 0 where W is normal. No eigenvalues are needed, so rounding has nothing to spoil.

    It sees only where a structure begins and ends: √2 α² for a chain and √2 |α² - β²| for one with feedback, however
    long they are, while d(W) grows as √n.
    """
    W = square(W)
    return float(np.linalg.norm(W @ W.T - W.T @ W))
