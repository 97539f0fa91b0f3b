"""What training makes small: softmax cross-entropy and squared error, each with its backward pass by hand.

    loss, kept = forward(output, target, mask)        doutput = backward(kept, dloss=1.0)

The loss is a scalar of the output's dtype, averaged over the entries that count. `mask` is boolean and
False where an entry does not count (padding, or steps without a target): there neither output nor target is
looked at, not even if it is NaN or no class at all, and the gradient is zero. Every argument has its exact
shape; nothing is broadcast. Both are analytic in the output and choose by real parts only, so they can be
checked with the complex step.
"""

import math

from tinyrnn.backend import xp_of
from tinyrnn.ops import is_index


def softmax_cross_entropy(logits, target, mask=None):
    """Mean over the unmasked tokens of -ln softmax(logits)[target], in nats.

        p_j = e^{z_j} / Σ_k e^{z_k}        loss = -1/N Σ ln p_target = -1/N Σ (z_target - ln Σ_k e^{z_k})

    logits: floats (..., C). target: integers (...) in 0 … C-1. mask: booleans (...) or None (all count).
    Returns the loss, a scalar, and what the backward pass needs. Any finite logits will do, ±1000 as well.

    Raises ValueError for shapes that differ, a class out of range, or a mask that leaves nothing, and
    TypeError for other dtypes or arrays on different devices.
    """
    xp = _check_classes(logits, target, mask)
    weight = _weight(target.shape, mask, logits)
    if mask is not None:
        logits = xp.where(mask[..., None], logits, 0)
        target = xp.where(mask, target, 0)
    one_hot = xp.arange(logits.shape[-1]) == target[..., None]
    shift = logits.real.max(axis=-1, keepdims=True)  # cancels out of p, but keeps e^z from overflowing
    e = xp.exp(logits - shift)
    total = e.sum(axis=-1, keepdims=True)
    p = e / total
    log_p = logits - shift - xp.log(total)
    loss = -(weight * xp.where(one_hot, log_p, 0).sum(axis=-1)).sum()
    return loss, (p, one_hot, weight)


def softmax_cross_entropy_backward(kept, dloss=1.0):
    """Gradient of `softmax_cross_entropy` with respect to the logits (..., C): (p - one_hot(target)) / N."""
    p, one_hot, weight = kept
    dlogits = dloss * weight[..., None] * (p - one_hot)
    return dlogits


def squared_error(y, target, mask=None):
    """Mean over the unmasked entries of (y - target)², without a factor ½.

    y: floats (..., D). target: real numbers of the same shape, taken to y's precision. mask: booleans of the
    same shape, or (...) to mask whole vectors, each of whose D entries counts; or None.
    Returns the loss, a scalar, and what the backward pass needs. Raises as `softmax_cross_entropy` does.
    """
    xp = _check_homes(y, target, mask)
    _check_floats("y", y)
    if target.shape != y.shape:
        raise ValueError(f"target {target.shape} must have the shape of y {y.shape}")
    if target.dtype.kind not in "fiu":
        raise TypeError(f"target must be real numbers, got {target.dtype}")
    if mask is not None:
        _check_mask(mask, y.shape, y.shape[:-1])
        mask = xp.broadcast_to(mask if mask.ndim == y.ndim else mask[..., None], y.shape)
    weight = _weight(y.shape, mask, y)

    error = y - target.astype(y.real.dtype)
    if mask is not None:
        error = xp.where(mask, error, 0)
    loss = (weight * error**2).sum()
    return loss, (error, weight)


def squared_error_backward(kept, dloss=1.0):
    """Gradient of `squared_error` with respect to y: 2 (y - target) / N."""
    error, weight = kept
    derror = 2 * dloss * weight * error
    dy = derror
    return dy


LOSSES = {
    "cross_entropy": (softmax_cross_entropy, softmax_cross_entropy_backward),
    "squared_error": (squared_error, squared_error_backward),
}


def accuracy(logits, target, mask=None):
    """Fraction of the unmasked tokens whose largest logit is the target's, as a float.

    Arguments and errors as for `softmax_cross_entropy`; of equal logits the first class wins.
    """
    _check_classes(logits, target, mask)
    hit = logits.real.argmax(axis=-1) == target
    count = _count(target.shape, mask)
    return int((hit if mask is None else hit & mask).sum()) / count


def _weight(shape, mask, like):
    """Each entry's share of the mean: 1/N where it counts, else 0, as reals of the precision of `like`."""
    counts = xp_of(like).ones(shape, bool) if mask is None else mask
    return counts.astype(like.real.dtype) * (1 / _count(shape, mask))


def _count(shape, mask):
    count = math.prod(shape) if mask is None else int(mask.sum())
    if count == 0:
        reason = "it is empty" if mask is None else "the mask is False everywhere"
        raise ValueError(f"no entry of the target counts ({reason}), so the mean is undefined")
    return count


def _check_classes(logits, target, mask):
    xp = _check_homes(logits, target, mask)
    _check_floats("logits", logits)
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ValueError(f"logits must have at least one class on their last axis, got shape {logits.shape}")
    if not is_index(target):
        raise TypeError(f"target must be integer class numbers, got {target.dtype}")
    if target.shape != logits.shape[:-1]:
        raise ValueError(f"target {target.shape} must have shape {logits.shape[:-1]}: logits {logits.shape}")
    classes = logits.shape[-1]
    wrong = (target < 0) | (target >= classes)
    if mask is not None:
        _check_mask(mask, target.shape)
        wrong = wrong & mask
    if wrong.any():
        first = int(target[wrong][0])
        raise ValueError(f"target has class {first}, but {classes} logits mean classes 0 to {classes - 1}")
    return xp


def _check_homes(output, target, mask):
    """The module that computes with all three, or a TypeError if they live on different devices."""
    xp = xp_of(output)
    for name, array in (("target", target), ("mask", mask)):
        if array is not None and (other := xp_of(array)) is not xp:
            raise TypeError(f"{name} is a {other.__name__} array, the output a {xp.__name__} array: move one")
    return xp


def _check_floats(name, array):
    if array.dtype.kind not in "fc":
        raise TypeError(f"{name} must be floats, got {array.dtype}")


def _check_mask(mask, *shapes):
    if mask.dtype.kind != "b":
        raise TypeError(f"mask must be boolean, True where an entry counts, got {mask.dtype}")
    if mask.shape not in shapes:
        raise ValueError(f"mask {mask.shape} must have the shape {' or '.join(map(str, shapes))}")
