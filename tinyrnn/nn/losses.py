"""What training makes small: cross-entropy, squared error, mixture density; each with its backward pass by hand.

    loss, kept = forward(output, target, mask)        doutput = backward(kept, dloss=1.0)

The loss is a scalar of the output's dtype, averaged over the entries that count. `mask` is boolean and
False where an entry does not count (padding, or steps without a target): there neither output nor target is
looked at, not even if it is NaN or no class at all, and the gradient is zero. Every argument has its exact
shape; nothing is broadcast. All are analytic in the output and choose by real parts only, so they can be
checked with the complex step.
"""

import math

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.ops import is_index, join, split

LEAST_LOG_SIGMA = -30.0  # of a mixture; float32 numbers are further apart from each other than this is wide


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
    mask = _entry_mask(xp, target, mask)
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


def mixture_density(y, target, mask=None):
    """Mean over the unmasked entries of -ln p(target), each entry having a mixture of Gaussians of its own.

        π = softmax(logits)        σ_k = e^{log_sigma_k}        u_k = (target - μ_k) / σ_k
        p(target) = Σ_k π_k N(target; μ_k, σ_k²) = Σ_k π_k e^{-u_k²/2} / (σ_k √2π)

    The entries of a vector are independent of each other (Bishop 1994; one mixture an entry as in Ha & Schmidhuber
    2018). The sums over k are log-sum-exps, so that logits and log_sigma of ±1000 will do as well. A log_sigma below
    -30 counts as -30, and has no gradient; without a least width the loss has no least value.

    y: floats (..., 3 K D), three blocks side by side, logits, μ and log_sigma, each holding K times D numbers. target:
    real numbers (..., D), taken to y's precision; K is what the two last axes imply. mask: booleans of target's shape,
    or (...) to mask whole vectors, each of whose D entries counts; or None.
    Returns the loss, a scalar, and what the backward pass needs. Raises as `softmax_cross_entropy` does.
    """
    xp = _check_homes(y, target, mask)
    logits, mu, log_sigma = _mixtures(y, target)
    mask = _entry_mask(xp, target, mask)
    weight = _weight(target.shape, mask, y)
    target = target.astype(y.real.dtype)
    if mask is not None:
        target, counts = xp.where(mask, target, 0), mask[..., None, :]
        logits, mu, log_sigma = xp.where(counts, logits, 0), xp.where(counts, mu, 0), xp.where(counts, log_sigma, 0)

    log_pi, _ = _shares(xp, logits)
    narrow = log_sigma.real < LEAST_LOG_SIGMA
    log_sigma = xp.where(narrow, LEAST_LOG_SIGMA, log_sigma)
    precision = xp.exp(-log_sigma)
    u = (target[..., None, :] - mu) * precision
    log_joint = log_pi - log_sigma - 0.5 * u * u - 0.5 * math.log(2 * math.pi)
    log_posterior, log_p = _shares(xp, log_joint)
    loss = -(weight * log_p[..., 0, :]).sum()
    return loss, (xp.exp(log_pi), xp.exp(log_posterior), u, precision, narrow, weight)


def mixture_density_backward(kept, dloss=1.0):
    """Gradient of `mixture_density` with respect to y (..., 3 K D) (Bishop 1994)."""
    pi, posterior, u, precision, narrow, weight = kept
    dlog_p = -dloss * weight[..., None, :]
    dlog_joint = dlog_p * posterior
    dlogits = dlog_p * (posterior - pi)  # the posteriors add up to 1
    du = -dlog_joint * u
    dmu = -du * precision
    dlog_sigma = ~narrow * dlog_joint * (u * u - 1)
    dy = _flat(dlogits, dmu, dlog_sigma)
    return dy


def sample_mixture(y, size, rng=None, temperature=1.0):
    """Draw from the mixtures that y describes, as `mixture_density` reads it: (..., size), of y's dtype.

    y: real floats (..., 3 K size), a NumPy array. rng: seed or Generator. temperature: τ of World Models (Ha &
    Schmidhuber 2018): the logits are divided by τ and the variances multiplied by it; as τ goes to 0, the mean of the
    likeliest component is left. Raises ValueError for a temperature that is not positive or a y of another size.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"the temperature must be a positive number, got {temperature}")
    xp, rng = xp_of(y), as_rng(rng)
    logits, mu, log_sigma = _mixtures(y, xp.empty((*y.shape[:-1], size)))
    # the component whose logit is largest after adding Gumbel noise to each is a draw from their softmax
    noise = xp.asarray(rng.gumbel(size=logits.shape))
    k = (logits / temperature + noise).argmax(axis=-2)[..., None, :]
    mu, log_sigma = (xp.take_along_axis(a, k, axis=-2)[..., 0, :] for a in (mu, log_sigma))
    normal = xp.asarray(rng.normal(size=mu.shape))
    return (mu + math.sqrt(temperature) * xp.exp(log_sigma) * normal).astype(y.dtype)


LOSSES = {
    "cross_entropy": (softmax_cross_entropy, softmax_cross_entropy_backward),
    "squared_error": (squared_error, squared_error_backward),
    "mixture_density": (mixture_density, mixture_density_backward),
}


def accuracy(logits, target, mask=None):
    """Fraction of the unmasked tokens whose largest logit is the target's, as a float.

    Arguments and errors as for `softmax_cross_entropy`; of equal logits the first class wins.
    """
    _check_classes(logits, target, mask)
    hit = logits.real.argmax(axis=-1) == target
    count = _count(target.shape, mask)
    return int((hit if mask is None else hit & mask).sum()) / count


def _mixtures(y, target):
    """Logits, μ and log_sigma of the mixtures in y (..., 3 K D), each (..., K, D), for a target (..., D)."""
    _check_floats("y", y)
    D = target.shape[-1] if target.ndim else 0
    K = y.shape[-1] // (3 * D) if y.ndim and D else 0
    if K == 0 or y.shape != (*target.shape[:-1], 3 * K * D):
        raise ValueError(f"y {y.shape} must be (..., 3 K {D}) for K Gaussians an entry: target {target.shape}")
    return [block.reshape(*block.shape[:-1], K, D) for block in split(y, 3)]


def _flat(*blocks):
    """The inverse of `_mixtures`."""
    return join(*(block.reshape(*block.shape[:-2], -1) for block in blocks))


def _shares(xp, z):
    """ln(e^{z_k} / Σ_j e^{z_j}) for every k along the last axis but one, and ln Σ_j e^{z_j}, where that axis is 1."""
    shift = z.real.max(axis=-2, keepdims=True)  # cancels out, but keeps e^z from overflowing
    z = z - shift
    log_total = xp.log(xp.exp(z).sum(axis=-2, keepdims=True))
    return z - log_total, shift + log_total


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


def _entry_mask(xp, target, mask):
    """The mask of a real target's entries, which may be given for its vectors; None stays None."""
    if target.dtype.kind not in "fiu":
        raise TypeError(f"target must be real numbers, got {target.dtype}")
    if mask is None:
        return None
    _check_mask(mask, target.shape, target.shape[:-1])
    return xp.broadcast_to(mask if mask.ndim == target.ndim else mask[..., None], target.shape)


def _check_mask(mask, *shapes):
    if mask.dtype.kind != "b":
        raise TypeError(f"mask must be boolean, True where an entry counts, got {mask.dtype}")
    if mask.shape not in shapes:
        raise ValueError(f"mask {mask.shape} must have the shape {' or '.join(map(str, shapes))}")
