"""Claimed gradients as arrays of the shapes they should have, and what is said of those that have others."""

import numpy as np

from tinyrnn.checking.functions.report import Notice


def shaped(subject, claims, report):
    """({name: (losses, entries) real array}, {name: (word, sentence)} of those with another shape)."""
    found, misshapen = {}, {}
    outputs = subject.outputs() if subject.jacobian else [np.zeros(())]
    k = sum(o.size for o in outputs) if subject.jacobian else 1
    front = outputs[0].shape if subject.jacobian and len(outputs) == 1 else (k,) if subject.jacobian else ()
    for name in subject.judged:
        leaf, claimed = subject.leaves[name], as_array(claims.get(name))
        array, wrong = fitted(claimed, leaf, front, k)
        if wrong is not None:
            misshapen[name] = wrong
        elif claimed.shape != front + leaf.shape and claimed.ndim:
            report.notices.append(
                Notice("shape", f"the gradient of {name} has shape {claimed.shape}, {name} has {leaf.shape}")
            )
        if leaf.dtype.kind == "c":
            flat = array.reshape(k, -1)
            found[name] = np.concatenate([flat.real, flat.imag], axis=1)
        else:
            found[name] = array.real.reshape(k, -1).astype(float)
    return found, misshapen


def as_array(claimed):
    """An array of floats or complex numbers of anything that can be one; NaN of what cannot."""
    try:
        array = np.asarray(claimed)
        return array if array.dtype.kind in "fc" else array.astype(float)
    except (TypeError, ValueError):
        return np.array(np.nan)


def fitted(claimed, leaf, front, k):
    """(array (k, *leaf.shape), None or why it has another shape)."""
    wanted = front + leaf.shape
    if claimed.shape == wanted or claimed.size == leaf.size * k == 1:
        return claimed.reshape(k, *leaf.shape), None
    if front and claimed.shape == (k, leaf.size):
        return claimed.reshape(k, *leaf.shape), None
    if front and claimed.shape in (leaf.shape + front, (leaf.size, k)):
        turned = np.moveaxis(claimed.reshape(leaf.size, k), 1, 0)
        return turned.reshape(k, *leaf.shape), (
            "transposed",
            f"the Jacobian is transposed: {claimed.shape} where {wanted} belongs",
        )
    sentence = f"it has shape {claimed.shape} where {wanted} belongs"
    if claimed.size == leaf.size * k:
        if claimed.T.shape == wanted and claimed.ndim > 1:
            return claimed.T.reshape(k, *leaf.shape), ("transposed", f"{sentence}: it is transposed")
        return claimed.reshape(k, *leaf.shape), ("shape", sentence)
    summed = summed_to(claimed, leaf.shape)
    if not front and summed is not None:
        return summed.reshape(k, *leaf.shape), ("not summed", f"{sentence}: a sum over an axis is missing")
    try:
        spread = np.broadcast_to(claimed, wanted)
    except ValueError:
        return np.full((k, *leaf.shape), np.nan), ("shape", sentence)
    return spread.reshape(k, *leaf.shape), ("shape", f"{sentence}; it only fits by broadcasting")


def summed_to(claimed, shape):
    """A gradient that was not summed over the axes along which its array is broadcast, summed; None for others."""
    extra = claimed.ndim - len(shape)
    if extra < 0:
        return None
    axes = list(range(extra)) + [k + extra for k, n in enumerate(shape) if n == 1 and claimed.shape[k + extra] > 1]
    total = claimed.sum(axis=tuple(axes), keepdims=True)
    total = total.reshape(total.shape[extra:])
    return total if total.shape == shape and axes else None
