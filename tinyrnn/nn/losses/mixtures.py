"""The likelihood of numbers under mixtures of Gaussians, one for each."""

import math
from typing import Any

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.ops import astype, join, real, reshape, split
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.losses.loss import Loss, check_floats, check_homes, entry_mask, weight_of

LEAST_LOG_SIGMA = -30.0  # of a mixture; float32 numbers are further apart from each other than this is wide


def mixture_density(y: Array, target: Array, mask: Array | None = None) -> tuple[Array, Any]:
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
    xp = check_homes(y, target, mask)
    logits, mu, log_sigma = mixtures(y, target)
    mask = entry_mask(xp, target, mask)
    weight = weight_of(target.shape, mask, y)
    target = astype(target, real(y).dtype)
    if mask is not None:
        target, counts = xp.where(mask, target, 0), mask[..., None, :]
        logits, mu, log_sigma = xp.where(counts, logits, 0), xp.where(counts, mu, 0), xp.where(counts, log_sigma, 0)

    log_pi, _ = shares(xp, logits)
    narrow = real(log_sigma) < LEAST_LOG_SIGMA
    log_sigma = xp.where(narrow, LEAST_LOG_SIGMA, log_sigma)
    precision = xp.exp(-log_sigma)
    u = (target[..., None, :] - mu) * precision
    log_joint = log_pi - log_sigma - 0.5 * u * u - 0.5 * math.log(2 * math.pi)
    log_posterior, log_p = shares(xp, log_joint)
    loss = -xp.sum(weight * log_p[..., 0, :])
    wide = astype(~narrow, y.dtype)
    return loss, (xp.exp(log_pi), xp.exp(log_posterior), u, precision, wide, weight)


def mixture_density_backward(cache: Any, dloss: float = 1.0) -> Array:
    """Gradient of `mixture_density` with respect to y (..., 3 K D) (Bishop 1994)."""
    pi, posterior, u, precision, wide, weight = cache
    dlog_p = -dloss * weight[..., None, :]
    dlog_joint = dlog_p * posterior
    dlogits = dlog_p * (posterior - pi)  # the posteriors add up to 1
    du = -dlog_joint * u
    dmu = -du * precision
    dlog_sigma = wide * dlog_joint * (u * u - 1)
    dy = flat(dlogits, dmu, dlog_sigma)
    return dy


def a_target(rng: Any, shape: tuple[int, ...]) -> Any:
    """A random target (..., D) for y (..., 3 K D): of two Gaussians an entry, or of one where two do not fit."""
    return rng.normal(size=(*shape[:-1], shape[-1] // (6 if shape[-1] % 6 == 0 else 3)))


MIXTURE_DENSITY = Loss(
    "mixture_density",
    mixture_density,
    mixture_density_backward,
    probe=a_target,
    unit="nats per feature",
    signed=True,  # the logarithm of a density may have any sign
    least_squares=False,
)


def sample_mixture(y: Array, size: int, rng: Seed = None, temperature: float = 1.0) -> Array:
    """Draw from the mixtures that y describes, as `mixture_density` reads it: (..., size), of y's dtype.

    y: real floats (..., 3 K size), a NumPy array. rng: seed or Generator. temperature: τ of World Models (Ha &
    Schmidhuber 2018): the logits are divided by τ and the variances multiplied by it; as τ goes to 0, the mean of the
    likeliest component is left. Raises ValueError for a temperature that is not positive or a y of another size.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"the temperature must be a positive number, got {temperature}")
    xp, rng = xp_of(y), as_rng(rng)
    logits, mu, log_sigma = mixtures(y, xp.empty((*y.shape[:-1], size)))
    # the component whose logit is largest after adding Gumbel noise to each is a draw from their softmax
    noise = xp.asarray(rng.gumbel(size=logits.shape))
    k = xp.argmax(logits / temperature + noise, axis=-2)[..., None, :]
    mu, log_sigma = (xp.take_along_axis(a, k, axis=-2)[..., 0, :] for a in (mu, log_sigma))
    normal = xp.asarray(rng.normal(size=mu.shape))
    return astype(mu + math.sqrt(temperature) * xp.exp(log_sigma) * normal, y.dtype)


def mixtures(y: Array, target: Any) -> Any:
    """Logits, μ and log_sigma of the mixtures in y (..., 3 K D), each (..., K, D), for a target (..., D)."""
    check_floats("y", y)
    D = target.shape[-1] if target.ndim else 0
    K = y.shape[-1] // (3 * D) if y.ndim and D else 0
    if K == 0 or y.shape != (*target.shape[:-1], 3 * K * D):
        raise ValueError(f"y {y.shape} must be (..., 3 K {D}) for K Gaussians an entry: target {target.shape}")
    return [reshape(block, *block.shape[:-1], K, D) for block in split(y, 3)]


def flat(*blocks: Any) -> Any:
    """The inverse of `mixtures`."""
    return join(*(reshape(block, *block.shape[:-2], -1) for block in blocks))


def shares(xp: Any, z: Array) -> Any:
    """ln(e^{z_k} / Σ_j e^{z_j}) for every k along the last axis but one, and ln Σ_j e^{z_j}, where that axis is 1."""
    shift = xp.max(real(z), axis=-2, keepdims=True)  # cancels out, but keeps e^z from overflowing
    z = z - shift
    log_total = xp.log(xp.sum(xp.exp(z), axis=-2, keepdims=True))
    return z - log_total, shift + log_total
