"""Pointwise nonlinearities, each with its derivative written in terms of its own output y.

That is what lets a cell keep y alone: tanh' = 1 - y^2, relu' = [y > 0], elu' = 1 or 1 + y, identity' = 1. Branches look
at the real part, so the functions stay analytic for the complex-step gradient check. `kink` is where the derivative
jumps (or None), which the gradient check reports instead of calling the gradient wrong.
"""

from typing import Any, NamedTuple

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import positive, tanh
from tinyrnn.core.types import Array


class Nonlinearity(NamedTuple):
    """phi, its derivative as a function of y = phi(z), and the z at which that jumps, or None."""

    f: object  # z -> y
    derivative: object  # y -> dy/dz
    kink: float | None


def relu(z: Array) -> Array:
    """max(z, 0)."""
    return z * positive(z)


def elu(z: Array) -> Array:
    """Clevert et al. 2016 with alpha = 1: z above zero, e^z - 1 below."""
    xp = xp_of(z)
    return xp.maximum(z, 0) + xp.expm1(xp.minimum(z, 0))


def identity(z: Array) -> Array:
    """z itself."""
    return z


def elu_derivative(y: Array) -> Array:
    """1 for y > 0, else e^z = 1 + y."""
    return 1 + xp_of(y).minimum(y, 0)


ACTIVATIONS = {
    "tanh": Nonlinearity(tanh, lambda y: 1 - y * y, None),
    "relu": Nonlinearity(relu, positive, 0.0),
    "elu": Nonlinearity(elu, elu_derivative, None),
    "identity": Nonlinearity(identity, lambda y: xp_of(y).ones_like(y), None),
}


def get_activation(name: str) -> Any:
    """The `Activation` called `name`; ValueError lists the ones there are."""
    try:
        return ACTIVATIONS[name]
    except KeyError:
        raise ValueError(f"unknown activation {name!r}; choose from {', '.join(ACTIVATIONS)}") from None
