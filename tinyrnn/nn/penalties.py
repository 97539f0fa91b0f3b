"""What regularisers compute, as pairs of functions, forward and backward by hand, with strength 1:

    penalty, cache = forward(W or h, ...)       dW or dh = backward(cache, dpenalty=1.0)

Where there is a mask, (T, B) and False where a sequence has no such step, only what exists counts; means are over all
sequences of the batch together. All are analytic, so they can be checked with the complex step.
"""

from typing import Any

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import astype, real
from tinyrnn.core.types import Array

# on weights ---------------------------------------------------------------------------------------------------------


def soft_orthogonality(W: Array) -> Any:
    """||W^T W - 1||^2 (Frobenius), zero for orthogonal W: section 3.3 of Carta, Sperduti & Bacciu 2020. W (n, n)."""
    E = W.T @ W - xp_of(W).eye(W.shape[0], dtype=W.dtype)
    penalty = xp_of(W).sum(E * E)
    return penalty, (W, E)


def soft_orthogonality_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dW = 4 W (W^T W - 1)."""
    W, E = cache
    dE = 2 * dpenalty * E
    dW = W @ (dE + dE.T)
    return dW


def point_residuals(W: Array, x: Array) -> Any:
    """The mean of ||W W^T x - x||^2 over points x, rows (m, n) of the unit sphere (Henaff, Szlam & LeCun 2016).

    W (n, n) acts on rows from the right. Over the whole sphere the mean is ||W W^T - 1||^2 / n, so m points cost
    O(m n^2) for an estimate of what `soft_orthogonality` finds in O(n^3), divided by n.
    """
    y = x @ W
    r = y @ W.T - x
    penalty = xp_of(r).sum(r * r) / x.shape[0]
    return penalty, (W, x, y, r)


def point_residuals_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """W is used twice, and sends back twice."""
    W, x, y, r = cache
    dr = 2 * dpenalty / x.shape[0] * r
    dy = dr @ W
    dW = dr.T @ y + x.T @ dy
    return dW


def point_norms(W: Array, x: Array) -> Any:
    """The mean of (||x W||^2 - 1)^2 over points x (m, n) of the unit sphere: the other way to ask that lengths stay."""
    y = x @ W
    excess = xp_of(y).sum(y * y, axis=-1) - 1
    penalty = xp_of(y).sum(excess * excess) / x.shape[0]
    return penalty, (x, y, excess)


def point_norms_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dW (n, n)."""
    x, y, excess = cache
    dexcess = 2 * dpenalty / x.shape[0] * excess
    dy = 2 * y * dexcess[:, None]
    dW = x.T @ dy
    return dW


# on outputs ---------------------------------------------------------------------------------------------------------


def norm_stabiliser(h: Array, mask: Array | None = None) -> Any:
    """The mean of (||h_t|| - ||h_{t-1}||)^2 over t = 2 ... T and the batch (Krueger & Memisevic 2016, eq. 1).

    h (T, B, n). Only steps whose predecessor exists as well count; the initial state is none of them. 0 if there are
    none. A state that is exactly zero gets no gradient. (The paper divides by T and begins with the initial state; its
    use in Carta, Sperduti & Bacciu 2020, section 3.3, divides by T - 1, as here. Whether it is a mean or a sum over the
    batch neither says.)
    """
    xp = xp_of(h)
    norm = xp.sqrt(xp.sum(h * h, axis=-1))
    rise = norm[1:, :] - norm[:-1, :]
    both, count = pairs(h, mask)
    weight = share(both, count, h)
    penalty = xp.sum(weight * rise * rise)
    unit = h / xp.where(norm == 0, 1, norm)[..., None]
    return penalty, (unit, rise, weight)


def norm_stabiliser_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    unit, rise, weight = cache
    xp = xp_of(unit)
    drise = 2 * dpenalty * weight * rise
    nothing = xp.zeros((1, unit.shape[1]), dtype=unit.dtype)
    dnorm = xp.concat([nothing, drise]) - xp.concat([drise, nothing])
    dh = dnorm[..., None] * unit
    return dh


def activation(h: Array, mask: Array | None = None) -> Any:
    """The mean of h^2 over all entries, "AR" (Merity, McCann & Socher 2017, section 4). h (T, B, n)."""
    xp = xp_of(h)
    steps = xp.ones(h.shape[:2], dtype=xp.bool) if mask is None else mask
    weight = share(steps, int(xp.count_nonzero(steps)) * h.shape[-1], h)[..., None]
    penalty = xp.sum(weight * h * h)
    return penalty, (h, weight)


def activation_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    h, weight = cache
    dh = 2 * dpenalty * weight * h
    return dh


def activation_change(h: Array, mask: Array | None = None) -> Any:
    """The mean of (h_t - h_{t-1})^2 over all entries, t = 2 ... T, "TAR" (Merity, McCann & Socher 2017, section 4)."""
    change = h[1:, ...] - h[:-1, ...]
    both, count = pairs(h, mask)
    weight = share(both, count * h.shape[-1], h)[..., None]
    penalty = xp_of(h).sum(weight * change * change)
    return penalty, (change, weight)


def activation_change_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    change, weight = cache
    xp = xp_of(change)
    dchange = 2 * dpenalty * weight * change
    nothing = xp.zeros((1, *change.shape[1:]), dtype=change.dtype)
    dh = xp.concat([nothing, dchange]) - xp.concat([dchange, nothing])
    return dh


def pairs(h: Array, mask: Array | None) -> Any:
    """(T - 1, B) booleans, True where a step and the one before it exist; and how many there are."""
    xp = xp_of(h)
    if mask is None:
        both = xp.ones((h.shape[0] - 1, h.shape[1]), dtype=xp.bool)
    else:
        both = mask[1:, :] & mask[:-1, :]
    return both, int(xp.count_nonzero(both))


def share(counts: Any, n: int, like: Any) -> Any:
    """1/n where `counts`, else 0, as reals of the precision of `like`."""
    return astype(counts, real(like).dtype) / max(n, 1)
