"""Squared error of numbers."""

from typing import Any

from tinyrnn.core.ops import astype, real
from tinyrnn.core.types import Array
from tinyrnn.nn.losses.loss import Loss, check_floats, check_homes, entry_mask, weight_of


def squared_error(y: Array, target: Array, mask: Array | None = None) -> tuple[Array, Any]:
    """Mean over the unmasked entries of (y - target)², without a factor ½.

    y: floats (..., D). target: real numbers of the same shape, taken to y's precision. mask: booleans of the
    same shape, or (...) to mask whole vectors, each of whose D entries counts; or None.
    Returns the loss, a scalar, and what the backward pass needs. Raises as `softmax_cross_entropy` does.
    """
    xp = check_homes(y, target, mask)
    check_floats("y", y)
    if target.shape != y.shape:
        raise ValueError(f"target {target.shape} must have the shape of y {y.shape}")
    mask = entry_mask(xp, target, mask)
    weight = weight_of(y.shape, mask, y)

    error = y - astype(target, real(y).dtype)
    if mask is not None:
        error = xp.where(mask, error, 0)
    loss = xp.sum(weight * error**2)
    return loss, (error, weight)


def squared_error_backward(cache: Any, dloss: float = 1.0) -> Array:
    """Gradient of `squared_error` with respect to y: 2 (y - target) / N."""
    error, weight = cache
    derror = 2 * dloss * weight * error
    dy = derror
    return dy


SQUARED_ERROR = Loss("squared_error", squared_error, squared_error_backward, unit="squared error")
