"""Cliffs: how a loss depends on a recurrent weight, for one example and for many, and gradient clipping there.

Grosse 2018, section 2.2 (figure 4) and 3.1. The lecture gives neither the network nor the inputs of its figure 4; the
task here (`first_sign`) is ours. The surface for clipping is that of figure 6 of Pascanu, Mikolov & Bengio (2013).
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.cells.elman import Elman
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import sigmoid
from tinyrnn.core.types import Array, Seed, Weights
from tinyrnn.optim.clipping import clip_by_norm

FIRST, TARGET, STEPS = 0.5, 0.7, 50  # x_0, the target and the steps of Pascanu et al.


# one weight, one example or many ------------------------------------------------------------------------------------


def first_sign(rng: Seed, examples: int, steps: int = 50, noise: float = 0.5) -> tuple[Array, Array]:
    """Sequences to be remembered by a single unit: x (T, B, 1), and targets (B, 1).

    x_1 is +1 or -1, and so is the target; after it comes normal noise of standard deviation `noise`, which pushes a
    unit with two attractors from one to the other or not: a tiny change of its weight may decide which.
    """
    x = noise * as_rng(rng).normal(size=(examples, steps))  # an example after the other: more do not change the first
    target = np.where(x[:, :1] < 0, -1.0, 1.0)
    x[:, :1] = target
    return np.ascontiguousarray(x.T)[:, :, None], target


def unit(w: float = 1.0) -> Cell:
    """One tanh unit, h_t = tanh(w h_{t-1} + x_t), as an `Elman` network."""
    cell = Elman(1, 1)
    for name, value in {"W_x": 1.0, "W_h": w, "b": 0.0}.items():
        cell.params[name][...] = value
    return cell


class LossAlong(NamedTuple):
    """What one weight does to the loss, as it takes V values."""

    losses: np.ndarray  # (V, B), of each example at each value
    gradients: np.ndarray  # (V,), of the mean over the examples with respect to the weight


def sweep(
    cell: Cell, x: Array, target: Array, values: Any, name: str = "W_h", index: tuple[int, ...] = (0, 0)
) -> LossAlong:
    """Squared errors of the last output, and their gradient, as one weight of a cell takes the V values.

    cell: any cell; its weights are left as they are. x (T, B, input_size), target (B, output_size). name, index: which
    weight. The gradient is that of the mean over B, by backpropagation through time. Raises KeyError or IndexError if
    there is no such weight.
    """
    cell = copy.deepcopy(cell)
    losses, gradients = [], []
    for value in values:
        cell.params[name][index] = value
        h, tape = cell.forward(x)
        error = h[-1] - target
        dstate = cell.final_backward(2 * error / len(target))
        losses.append((error**2).sum(axis=1))
        gradients.append(cell.backward(None, tape, dstate=dstate).params[name][index])
    return LossAlong(np.array(losses), np.array(gradients))


def steepest(
    cell: Cell,
    x: Array,
    target: Array,
    low: float,
    high: float,
    halvings: int = 40,
    name: str = "W_h",
    index: tuple[int, ...] = (0, 0),
) -> tuple[float, float]:
    """Where, between two values of a weight, the mean loss changes fastest: the value and the gradient there.

    The interval is halved again and again, and the half kept over which the loss changes more; of all the values met
    the one with the largest gradient is returned. On a cliff, which a grid steps over, this finds the face. Arguments
    as for `sweep`.
    """
    best, ends = (low, 0.0), sweep(cell, x, target, (low, high), name, index).losses.mean(axis=1)
    for _ in range(halvings):
        middle = (low + high) / 2
        at = sweep(cell, x, target, (middle,), name, index)
        loss, gradient = at.losses.mean(), float(at.gradients[0])
        best = max(best, (middle, gradient), key=lambda found: abs(found[1]))
        if abs(loss - ends[0]) >= abs(ends[1] - loss):
            high, ends = middle, (ends[0], loss)
        else:
            low, ends = middle, (loss, ends[1])
    return best


# two weights, and gradient descent ------------------------------------------------------------------------------------


def surface(w: Array, b: Array, steps: int = STEPS, target: float = TARGET, first: float = FIRST) -> Array:
    """The loss (σ(x_T) - target)² of x_t = w σ(x_{t-1}) + b from x_0 = first, for arrays w and b of one shape."""
    x = np.full(np.broadcast_shapes(np.shape(w), np.shape(b)), float(first))
    for _ in range(steps):
        x = w * sigmoid(x) + b
    return (sigmoid(x) - target) ** 2


def loss_and_gradient(
    w: float, b: float, steps: int = STEPS, target: float = TARGET, first: float = FIRST
) -> tuple[float, Weights]:
    """That loss at one point, and its gradient {"w": …, "b": …}, by the forward and backward pass of an `Elman`.

    With u = 2 σ(x) - 1 = tanh(x/2) the network is a tanh unit, u_t = tanh(w/4 u_{t-1} + w/4 + b/2): its recurrent
    weight is w/4 and its bias w/4 + b/2, through which the chain rule leads back to w and b.
    """
    cell = Elman(1, 1)
    for name, value in {"W_x": 0.0, "W_h": w / 4, "b": w / 4 + b / 2}.items():
        cell.params[name][...] = value
    h, tape = cell.forward(np.zeros((steps, 1, 1)), state=(np.full((1, 1), np.tanh(first / 2)),))
    error = (1 + h[-1]) / 2 - target
    back = cell.backward(None, tape, dstate=(error,))  # d(error²)/dh = 2 error · 1/2
    dW, db = back.params["W_h"][0, 0], back.params["b"][0]
    return float(error[0, 0] ** 2), {"w": np.asarray((dW + db) / 4), "b": np.asarray(db / 2)}


class Descent(NamedTuple):
    """Where gradient descent went, what the loss was there, and the gradient's norm before clipping."""

    points: np.ndarray  # (updates + 1, 2): w and b
    losses: np.ndarray  # (updates + 1,)
    norms: np.ndarray  # (updates,), of the gradients before clipping


def descend(
    start: tuple[float, float],
    rate: float,
    updates: int,
    limit: float | None = None,
    gradient: Callable = loss_and_gradient,
) -> Descent:
    """Gradient descent from start (w, b), with gradients clipped to the norm `limit`, or as they are if it is None.

    gradient: (w, b) -> loss, {"w": …, "b": …}. Raises ValueError unless rate and limit are positive.
    """
    if not rate > 0:
        raise ValueError(f"the learning rate must be positive, got {rate}")
    point, points, losses, norms = np.array(start, float), [], [], []
    for _ in range(updates):
        loss, grads = gradient(*point)
        grads, norm = clip_by_norm(grads, np.inf if limit is None else limit)
        points.append(point)
        losses.append(loss)
        norms.append(norm)
        point = point - rate * np.array([grads["w"], grads["b"]])
    return Descent(np.array([*points, point]), np.array([*losses, gradient(*point)[0]]), np.array(norms))
