"""What a loss is for all that train, check, step through and draw with it; and what the losses here share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyrnn.core.backend import check_home, xp_of
from tinyrnn.core.ops import astype, is_dtype, real
from tinyrnn.core.types import Array

IGNORED = -100  # a class number that marks a target which does not count, as in PyTorch's cross_entropy


def class_numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A random target (...) of classes for logits of that shape (..., C)."""
    return rng.integers(0, shape[-1], shape[:-1])


def real_numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A random target of that shape, one number for each of the output's."""
    return rng.normal(size=shape)


@dataclass(frozen=True)
class Loss:
    """A loss with its backward pass, and what has to be known of it; called, it is its forward pass.

    name: as in `Model(…, loss=name)` and in files. forward(y, target, mask=None) -> (loss, cache): the mean over the
    entries that count, a scalar, and what the backward pass needs. backward(cache, dloss=1.0) -> dy, like y.
    probe(rng, shape) -> target: a random one for a y of that shape, for gradient checks; rng is a Generator.
    unit: what the loss is measured in, in words, for the axis of a plot.
    classes: whether targets are class numbers (...) for y (..., C), whose largest entry is the answer. Then there is an
        accuracy, -100 (`IGNORED`) marks a target that does not count, and ridge readouts are fitted to one-hot rows.
    signed: whether the loss may be negative, so that shares of it mean nothing and it has no logarithm.
    least_squares: whether y is itself near the target (or its one-hot rows) where the loss is small, so that a readout
        may be found in closed form (`tinyrnn.nn.ridge`).
    """

    name: str
    forward: Callable[..., Any]
    backward: Callable[..., Any]
    probe: Callable[..., Any] = real_numbers
    unit: str = "loss"
    classes: bool = False
    signed: bool = False
    least_squares: bool = True

    def __call__(self, y, target, mask=None):
        return self.forward(y, target, mask)

    def counts(self, target: Array, mask: Array | None = None) -> Any:
        """The mask of the entries that the mean is over: the one given, less the class numbers that are `IGNORED`."""
        return without_ignored(target, mask) if self.classes else mask

    def unit_at(self, at: str) -> Any:
        """The unit where targets are at "every" step, or at the "last"."""
        return f"{self.unit} per step" if self.classes and at == "every" else self.unit


def without_ignored(target: Array, mask: Array | None) -> Any:
    """The mask, less where the target's class number is `IGNORED`; None if all count."""
    xp_of(target)  # or a list would be compared as a whole
    ignored = target == IGNORED
    if not xp_of(target).any(ignored):
        return mask
    return ~ignored if mask is None else mask & ~ignored


# what the forward passes share ----------------------------------------------------------------------------------------


def weight_of(shape: Any, mask: Array | None, like: Any) -> Any:
    """Each entry's share of the mean: 1/N where it counts, else 0, as reals of the precision of `like`."""
    dtype, share = real(like).dtype, 1 / count(shape, mask)
    return share * (xp_of(like).ones(shape, dtype=dtype) if mask is None else astype(mask, dtype))


def count(shape: Any, mask: Array | None) -> Any:
    """N, how many entries count. Raises ValueError for none."""
    n = math.prod(shape) if mask is None else int(xp_of(mask).count_nonzero(mask))
    if n == 0:
        reason = "it is empty" if mask is None else f"the mask is False everywhere, or the class {IGNORED}"
        raise ValueError(f"no entry of the target counts ({reason}), so the mean is undefined")
    return n


def check_homes(output: Any, target: Array, mask: Array | None) -> Any:
    """The module that computes with all three, or a TypeError if they live on different devices."""
    xp = xp_of(output)
    for name, array in (("target", target), ("mask", mask)):
        if array is not None:
            check_home(name, array, xp)
    return xp


def check_floats(name: str, array: Array) -> Any:
    """TypeError unless the array holds floating-point numbers."""
    if not is_dtype(xp_of(array), array.dtype, ("real floating", "complex floating")):
        raise TypeError(f"{name} must be floats, got {array.dtype}")


def check_mask(mask: Array, *shapes: Any) -> Any:
    """ValueError unless the mask has one of these shapes."""
    if not is_dtype(xp_of(mask), mask.dtype, "bool"):
        raise TypeError(f"mask must be boolean, True where an entry counts, got {mask.dtype}")
    if mask.shape not in shapes:
        raise ValueError(f"mask {mask.shape} must have the shape {' or '.join(map(str, shapes))}")


def entry_mask(xp: Any, target: Array, mask: Array | None) -> Any:
    """The mask of a real target's entries, which may be given for its vectors; None stays None."""
    if not is_dtype(xp, target.dtype, ("real floating", "integral")):
        raise TypeError(f"target must be real numbers, got {target.dtype}")
    if mask is None:
        return None
    check_mask(mask, target.shape, target.shape[:-1])
    return xp.broadcast_to(mask if mask.ndim == target.ndim else mask[..., None], target.shape)
