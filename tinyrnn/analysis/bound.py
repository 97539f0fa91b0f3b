"""The gradient bound of orthogonal and unitary networks (Arjovsky, Shah & Bengio 2015, section 2), and where it ends.

    z_{k+1} = W h_k + V x_{k+1}        h_{k+1} = sigma(z_{k+1})        D_k = diag(sigma'(z_k))
    dC/dh_t = W^T D_{t+1} W^T D_{t+2} ... W^T D_T dC/dh_T

With W orthogonal only the D_k change lengths, so (eqs. 3-5)

    ||dC/dh_t|| <= ||dC/dh_T|| prod over k = t+1 ... T of ||D_k||        ||D_k|| = max_j |sigma'(z_k)_j|

and the product is at most 1 for ReLU, tanh and any other sigma with |sigma'| <= 1: the gradient cannot explode. It can
vanish all the same, for D_k is 0 where a unit is off.

modReLU is a function of pairs of numbers (of complex ones), and its derivative has two singular values where it is on:
1 along z, and 1 + b / |z| across it, the `gain`. For b > 0 the second is above 1, so the bound by 1 does not carry over
to the unitary RNN: at |z| = 0.1 and b = 0.5 a step may stretch a gradient sixfold.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.cells.unitary import modrelu_inverse
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.core.tape import Tape
from tinyrnn.core.types import Array, Parts


class Bound(NamedTuple):
    """Both sides of the bound, for t = 0 ... T and each sequence.

    norms: (T + 1, B), ||dC/dh_t||. bounds: (T + 1, B), ||dC/dh_T|| times the factors of all later steps.
    gains: (T, B), entry k - 1 is ||D_k||, the largest singular value of the derivative of the nonlinearity at step k.
    """

    norms: np.ndarray
    bounds: np.ndarray
    gains: np.ndarray


def gradient_bound(cell: Cell, x: Array, upstream: Array, state: Parts | None = None) -> Bound:
    """Both sides of the bound for a loss at the last step; a `Bound`.

    cell: an `Elman` (or `IRNN`) cell, for which W_h should be orthogonal, or one with modReLU and a unitary W, such as
    `UnitaryRNN`. x: (T, B, input_size) or class numbers (T, B). upstream: (B, n), dC/dh_T. state: the initial one.
    If W is not orthogonal, each step's factor is ||D_k|| times the spectral norm of W_h. Raises ValueError for other
    cells.
    """
    _, tape = cell.forward(x, state)
    factors = gains = derivative_norms(cell, tape)
    if "W_h" in cell.params:
        factors = gains * np.linalg.norm(cell.params["W_h"], 2)
    back = cell.backward(None, tape, (upstream,), record=True)
    gradients = np.concatenate([back.state[0][None], back.states["h"]])
    norms = np.linalg.norm(gradients, axis=-1)
    later = np.concatenate([np.cumprod(factors[::-1], axis=0)[::-1], np.ones((1, factors.shape[1]))])
    return Bound(norms, norms[-1] * later, gains)


def derivative_norms(cell: Cell, tape: Tape) -> Array:
    """||D_k|| at each step, (T, B): of sigma for an Elman cell, of modReLU for one that keeps its `gain`."""
    if "gain" in tape:
        gain = tape["gain"]  # |h| / |z| = 1 + b / |z|, or 0 where the unit is off
        return np.where(gain > 0, np.maximum(gain, 1), 0).max(axis=-1)
    if hasattr(cell, "dphi"):
        return np.abs(cell.dphi(tape["h"])).max(axis=-1)
    raise ValueError(f"{cell.name}: the bound is for Elman cells and those with modReLU")


def tangential_gain(size: Array, b: Array) -> Array:
    """By how much modReLU stretches a small change across z, |z| = `size`: 1 + b / |z| where |z| + b > 0, else 0."""
    size, b = np.broadcast_arrays(np.asarray(size, float), b)
    return np.where(size + b > 0, 1 + b / size, 0.0)


def inputs_that_hold(cell: Cell, T: int, size: float, rng: int = 0) -> Array:
    """Inputs that hold |z| = `size` in every unit of a cell with modReLU at every step: x (T, 1, input_size).

    What the recurrence brings is taken away by the input, and complex numbers of that size and a random phase are put
    in its place: the worst case for b > 0. cell: with states h alone, whose input reaches z as x V, V being square and
    invertible, so that any z can be had, and b > 0, so that z can be told from h. Raises ValueError for another.
    """
    V, b = cell.params["V"], cell.params["b"]
    if V.shape[0] != V.shape[1] or not (b > 0).all():
        raise ValueError(f"{cell.name}: needs a square V and biases above 0, got V {V.shape}, least bias {b.min():g}")
    rng, x = as_rng(rng), np.zeros((T, 1, cell.input_size))
    state = cell.forward(x[:1])[1]["h_prev"][0]
    for t in range(T):
        h, _ = cell.forward(np.zeros_like(x[:1]), (state,))
        recurrent = modrelu_inverse(h[0], b)  # z for x = 0
        phase = rng.uniform(-np.pi, np.pi, (1, len(b)))
        wanted = size * np.concatenate([np.cos(phase), np.sin(phase)], axis=-1)
        x[t] = np.linalg.solve(V.T, (wanted - recurrent).T).T
        (state,) = cell.forward(x[t : t + 1], (state,))[1].state
    return x


def parameter_gradients(cell: Cell, x: Array, upstream: Array, lengths: Any, names: Any) -> Array:
    """Norm of the gradient of a loss at the last step by some parameters, for sequences of several lengths T.

    cell: any. x: (T_max, B, …), of which the first T steps are read. upstream: (B, output_size), dC/dh_T, the same for
    each T. lengths: the T's. names: parameters, taken together. Returns norms (len(lengths),).

    With ||h_t|| <= ||h_0|| + t max ||V x|| and ||dC/dh_t|| bounded, ||dC/dW|| <= sum over t of ||dC/dz_t|| ||h_{t-1}||
    grows as T² at most. (The paper claims this for an appendix that none of its versions has.)
    """
    norms = []
    for T in lengths:
        _, tape = cell.forward(x[:T])
        back = cell.backward(None, tape, (upstream, *[None] * (len(cell.state_sizes) - 1)))
        norms.append(math.sqrt(sum(float((back.params[name] ** 2).sum()) for name in names)))
    return np.array(norms)


def power(lengths: Any, values: Array) -> float:
    """Exponent p of the power law T^p that fits best: the least-squares slope of ln values against ln lengths."""
    return float(np.polyfit(np.log(lengths), np.log(values), 1)[0])
