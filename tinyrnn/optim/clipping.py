"""Against exploding gradients: scale the whole gradient down to a norm, or cut each entry off at a value.

Gradients are a dict, name -> array. What is passed in is never modified; an infinite or NaN gradient is not
repaired but shows in the norm, for the trainer to report.
"""

import math

import numpy as np

from tinyrnn.core.backend import xp_of
from tinyrnn.core.types import Array, Weights


def global_norm(grads: Weights) -> float:
    """Euclidean norm of all gradients together, as a float; 0.0 if there are none.

    No overflow or underflow on the way, in float32 as in float64: only the norm itself has to be a float64.
    """
    norm = math.hypot(*(_norm(g) for g in grads.values()))
    return norm


def norms(grads: Weights) -> dict[str, float]:
    """Each gradient's Euclidean norm, name -> float; that of all together is `math.hypot` of them.

    In one pass over each, which in float32 costs a digit or two of `global_norm`'s precision.
    """
    return {name: quick_norm(g) for name, g in grads.items()}


def clip_by_norm(grads: Weights, limit: float) -> tuple[Weights, float]:
    """g ← limit · g/‖g‖ where ‖g‖ > limit, the norm being that of all gradients (Grosse, lecture 16, eq. 4).

    Returns the new dict and the norm before. The direction never changes and nothing is ever scaled up: at or
    below the limit, and where the norm is not finite, the dict holds the very same arrays.
    Raises ValueError unless limit > 0.
    """
    _check_limit(limit)
    norm = global_norm(grads)
    factor = clip_factor(norm, limit)
    clipped = {}
    for name, g in grads.items():
        clipped[name] = g if factor == 1 else g * factor
    return clipped, norm


def clip_factor(norm: float, limit: float) -> float:
    """What a gradient of this norm is to be multiplied by, so that its norm is at most the limit."""
    factor = limit / norm if limit < norm < math.inf else 1.0
    return factor


def clip_by_value(grads: Weights, limit: float) -> Weights:
    """Each entry cut off to [-limit, limit], in new arrays, which changes the direction. NaN stays NaN.

    Arjovsky, Shah & Bengio (2016) train RNN, IRNN and LSTM, but not the unitary RNN, with limit 1.
    Raises ValueError unless limit > 0.
    """
    _check_limit(limit)
    clipped = {}
    for name, g in grads.items():
        clipped[name] = xp_of(g).clip(g, -float(limit), float(limit))
    return clipped


def quick_norm(g: Array) -> float:
    """‖g‖ by one product where none of the squares that count can overflow or underflow, else as `_norm`."""
    if type(g) is np.ndarray and g.dtype.kind == "f" and 1e-20 < (square := float(np.vdot(g, g))) < 1e30:
        return math.sqrt(square)
    return _norm(g)


def _norm(g):
    """‖g‖, of g scaled to a largest entry of 1 first: no square overflows, and not all of them underflow."""
    peak = float(xp_of(g).max(abs(g))) if g.size else 0.0
    if peak == 0 or not math.isfinite(peak):
        return peak
    norm = peak * math.sqrt(float(xp_of(g).sum((g / peak) ** 2)))
    return norm


def _check_limit(limit):
    if not limit > 0:
        raise ValueError(f"the clipping limit must be positive, got {limit}")
