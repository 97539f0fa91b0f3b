"""Cross-entropy of classes, and how many of them are right."""

from typing import Any

from tinyrnn.core.ops import astype, is_index, real
from tinyrnn.core.types import Array
from tinyrnn.nn.losses.loss import (
    IGNORED,
    Loss,
    check_floats,
    check_homes,
    check_mask,
    class_numbers,
    count,
    weight_of,
    without_ignored,
)


def softmax_cross_entropy(logits: Array, target: Array, mask: Array | None = None) -> tuple[Array, Any]:
    """Mean over the unmasked tokens of -ln softmax(logits)[target], in nats.

        p_j = e^{z_j} / Σ_k e^{z_k}        loss = -1/N Σ ln p_target = -1/N Σ (z_target - ln Σ_k e^{z_k})

    logits: floats (..., C). target: integers (...) in 0 … C-1, or -100 for a token that does not
    count, as in PyTorch. mask: booleans (...) or None (all count).
    Returns the loss, a scalar, and what the backward pass needs. Any finite logits will do, ±1000 as well.

    Raises ValueError for shapes that differ, a class out of range, or a mask that leaves nothing, and
    TypeError for other dtypes or arrays on different devices.
    """
    xp, mask = check_classes(logits, target, mask)
    weight = weight_of(target.shape, mask, logits)
    if mask is not None:
        logits = xp.where(mask[..., None], logits, 0)
        target = xp.where(mask, target, 0)
    one_hot = xp.arange(logits.shape[-1]) == target[..., None]
    shift = xp.max(real(logits), axis=-1, keepdims=True)  # cancels out of p, but keeps e^z from overflowing
    e = xp.exp(logits - shift)
    total = xp.sum(e, axis=-1, keepdims=True)
    p = e / total
    log_p = logits - shift - xp.log(total)
    loss = -xp.sum(weight * xp.sum(xp.where(one_hot, log_p, 0), axis=-1))
    return loss, (p, one_hot, weight)


def softmax_cross_entropy_backward(cache: Any, dloss: float = 1.0) -> Array:
    """Gradient of `softmax_cross_entropy` with respect to the logits (..., C): (p - one_hot(target)) / N."""
    p, one_hot, weight = cache
    dlogits = dloss * weight[..., None] * (p - astype(one_hot, p.dtype))
    return dlogits


CROSS_ENTROPY = Loss(
    "cross_entropy",
    softmax_cross_entropy,
    softmax_cross_entropy_backward,
    probe=class_numbers,
    unit="nats",
    classes=True,
)


def accuracy(logits: Array, target: Array, mask: Array | None = None) -> float:
    """Fraction of the unmasked tokens whose largest logit is the target's, as a float.

    Arguments and errors as for `softmax_cross_entropy`; of equal logits the first class wins.
    """
    xp, mask = check_classes(logits, target, mask)
    hit = xp.argmax(real(logits), axis=-1) == target
    return int(xp.count_nonzero(hit if mask is None else hit & mask)) / count(target.shape, mask)


def check_classes(logits: Array, target: Array, mask: Array | None) -> Any:
    """The module that computes with them, and the mask of the tokens that count, or None if all do."""
    xp = check_homes(logits, target, mask)
    check_floats("logits", logits)
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ValueError(f"logits must have at least one class on their last axis, got shape {logits.shape}")
    if not is_index(target):
        hint = "; of one-hot rows, write target.argmax(-1)" if target.shape == logits.shape else ""
        raise TypeError(f"target must be integer class numbers, got {target.dtype}{hint}")
    if target.shape != logits.shape[:-1]:
        raise ValueError(f"target {target.shape} must have shape {logits.shape[:-1]}: logits {logits.shape}")
    if mask is not None:
        check_mask(mask, target.shape)
    mask = without_ignored(target, mask)
    classes = logits.shape[-1]
    wrong = (target < 0) | (target >= classes)
    if mask is not None:
        wrong = wrong & mask
    if xp.any(wrong):
        first = int(target[wrong][0])
        raise ValueError(
            f"target has class {first}, but {classes} logits mean classes 0 to {classes - 1}, "
            f"and {IGNORED} what does not count"
        )
    return xp, mask
