"""Hessian-free optimisation: Newton's step on the Gauss-Newton matrix, found by conjugate gradients.

Martens (2010); Martens & Sutskever (2011), who were the first to train plain recurrent networks on the adding task.

    hf = HessianFree(model)
    done = hf.step(x, target)             # one step on one large batch; changes the model's parameters in place

    q(d) = gᵀ d + ½ dᵀ (G + λ) d          g the gradient, G = Jᵀ H J: J = ∂y/∂p, H the loss's second derivative in y

G is never written out: conjugate gradients need G v alone. J v is the complex step, Im y(p + i ε v) / ε, of the very
forward pass that there is anyway, and exact to rounding; H u likewise, of the loss's backward pass; and Jᵀ is the
network's backward pass. So this works for whatever has both, with no derivative of its own.
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.types import Array, Weights

TINY = 1e-30  # of the complex step: nothing is subtracted, so it may be as small as one likes


class OuterStep(NamedTuple):
    """What a step did: loss before and after, conjugate-gradient iterations, damping λ used, share of d that was gone,
    and ratio, how much of the fall that q promised there was."""

    before: float
    after: float
    iterations: int
    damping: float
    share: float
    ratio: float


class HessianFree:
    """Hessian-free steps for a `Model` in double precision, without dropout or regularisers.

    damping: λ to begin with; after a step it is divided by 1.5 where the ratio is above 3/4 and multiplied by 1.5 where
    it is below 1/4 (Levenberg and Marquardt's rule). iterations: of conjugate gradients, at most. decay: what of the
    last d the next search begins with.
    Raises ValueError for a model in single precision, in which the complex step has no room, or with fixed weights.
    """

    def __init__(self, model: Any, damping: float = 1.0, iterations: int = 100, decay: float = 0.95) -> None:
        if not (damping > 0 and iterations >= 1 and 0 <= decay < 1):
            raise ValueError(
                f"damping, iterations and decay must be above 0, at least 1 and in [0, 1), got {damping:g}, "
                f"{iterations} and {decay:g}"
            )
        if any(value.dtype != np.float64 for value in model.params.values()):
            raise ValueError("HessianFree: the model must be in float64")
        if model.fixed:
            raise ValueError(f"HessianFree: the model has weights that are not trained, such as {min(model.fixed)}")
        self.model, self.damping, self.iterations, self.decay = model, damping, iterations, decay
        self.last = np.zeros(sum(value.size for value in model.params.values()))

    def step(self, x: Array, target: Array, mask: Array | None = None) -> OuterStep:
        """One step on a batch, as `Model.gradients` takes it; where no d lowers the loss, nothing moves."""
        out = self.model.gradients(x, target, mask)
        g, product = flat(out.params), gauss_newton(self.model, x, target, mask)
        damping, start = self.damping, self.decay * self.last
        d, iterations = conjugate_gradients(lambda v: product(v) + damping * v, -g, start, self.iterations)
        promised = g @ d + d @ (product(d) + damping * d) / 2
        before = flat(self.model.params)
        share, after = self.search(before, d, lambda: self.loss(x, target, mask), out.loss, g @ d)
        ratio = (after - out.loss) / promised if share == 1 else 0.0
        self.damping *= 1 / 1.5 if ratio > 0.75 else 1.5 if ratio < 0.25 else 1
        self.last = d
        return OuterStep(out.loss, after, iterations, damping, share, ratio)

    def search(self, before, d, loss, found, slope):
        """(share, loss): halves d until the loss falls by a hundredth of what its slope says, or takes none of it."""
        for halvings in range(12):
            share = 0.5**halvings
            put(self.model.params, before + share * d)
            after = loss()
            if after <= found + 0.01 * share * slope:  # never of a loss that is NaN
                return share, after
        put(self.model.params, before)
        return 0.0, found

    def loss(self, x, target, mask):
        """The model's loss on a batch."""
        y, _ = self.model.forward(x, mask=mask)
        return float(self.model.loss(y, target, mask if self.model.at == "every" else None)[0])


def gauss_newton(model: Any, x: Array, target: Array, mask: Array | None = None) -> Callable[[Array], Array]:
    """v -> Jᵀ H J v, both flat vectors of all parameters in their order, at the model's parameters as they are now."""
    kept = mask if model.at == "every" else None
    y, tape = model.forward(x, mask=mask)
    moved = copy.deepcopy(model)
    at = {name: value.astype(complex) for name, value in model.params.items()}
    for prefix, part in moved.parts.items():
        part.params.update({name: at[f"{prefix}.{name}"] for name in part.params})

    def product(v):
        for name, direction in unflat(v, model.params).items():
            at[name].imag = TINY * direction
        Jv = moved.forward(x, mask=mask)[0].imag / TINY
        _, cache = model.loss(y + 1j * TINY * Jv, target, kept)
        HJv = model.loss.backward(cache).imag / TINY
        return flat(model.backward(HJv, tape)[1])

    return product


def conjugate_gradients(product: Callable, b: Array, start: Array, iterations: int) -> tuple[Array, int]:
    """(d, count) near the solution of A d = b, A v = `product`(v) symmetric and positive (Hestenes & Stiefel 1952).

    Ends after `iterations`, or where the last tenth of them, at least ten, has improved ½ dᵀ A d - bᵀ d by less than
    0.0005 of it for each (Martens 2010, section 4.4).
    """
    d = start.copy()
    r = b - product(d)
    p, size, values = r.copy(), r @ r, [-(d @ (r + b)) / 2]
    for count in range(1, iterations + 1):
        if size == 0:
            return d, count - 1
        Ap = product(p)
        rate = size / (p @ Ap)
        d += rate * p
        r -= rate * Ap
        size, last = r @ r, size
        p = r + size / last * p
        values.append(-(d @ (r + b)) / 2)
        back = max(10, count // 10)
        if count >= back and values[-1] < 0 and values[-1] - values[-1 - back] > 5e-4 * back * values[-1]:
            break
    return d, count


def flat(arrays: Weights) -> Array:
    """All numbers of name -> array in one vector."""
    return np.concatenate([np.ravel(value) for value in arrays.values()])


def unflat(v: Array, like: Weights) -> Weights:
    """The vector cut into arrays of these names and shapes."""
    ends = np.cumsum([value.size for value in like.values()])
    parts = np.split(v, ends[:-1])
    return {name: part.reshape(value.shape) for (name, value), part in zip(like.items(), parts, strict=True)}


def put(params: Weights, v: Array) -> None:
    """Writes the vector into the arrays."""
    for name, value in unflat(v, params).items():
        params[name][...] = value
