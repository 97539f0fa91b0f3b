"""Backpropagation through a chain of single units, by hand (Grosse 2018, section 2.1).

    forward     z_t = w h_{t-1}              h_t = phi(z_t)             t = 2, …, T
    backward    dz_t = dh_t phi'(z_t)        dh_{t-1} = dz_t w          t = T, …, 2

Applied in turn, the backward rules give dh_1 = w^(T-1) phi'(z_2) … phi'(z_T) dh_T: linear in dh_T, with the factor
∂h_T/∂h_1, whatever phi. The many-dimensional case, where the factors are matrices, is `tinyrnn.analysis.jacobians`.
"""

from typing import Any

import numpy as np

from tinyrnn.cells.elman import Elman
from tinyrnn.core.activations import get_activation
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array


def forward(w: Array, h1: Array, steps: int, activation: str = "tanh") -> tuple[Array, Array]:
    """h_1, …, h_T of a unit without input, and phi'(z_2), …, phi'(z_T): (T, ...) and (T - 1, ...) for h1 (...).

    activation: a name in `tinyrnn.core.activations`. Raises ValueError unless T = steps >= 1.
    """
    if steps < 1:
        raise ValueError(f"at least one time step is needed, got {steps}")
    phi, derivative, _ = get_activation(activation)
    h = [np.asarray(h1, float)]
    for _ in range(steps - 1):
        h.append(phi(w * h[-1]))
    h = np.stack(h)
    return h, derivative(h[1:])


def backward(w: Array, slopes: Array, dh_T: float = 1.0) -> Array:
    """dh_1, …, dh_T by the two rules in turn: (T, ...) for slopes phi'(z_2), …, phi'(z_T) of shape (T - 1, ...)."""
    dh = [np.broadcast_to(np.asarray(dh_T, float), np.shape(slopes)[1:])]
    for slope in slopes[::-1]:
        dz = dh[-1] * slope
        dh.append(dz * w)
    return np.stack(dh[::-1])


def jacobian(w: Array, slopes: Array) -> Array:
    """∂h_T/∂h_1 by the formula: w^(T-1) phi'(z_2) … phi'(z_T), (...) for slopes (T - 1, ...)."""
    return w ** len(slopes) * np.prod(slopes, axis=0)


def chain(w: Array, activation: str = "tanh") -> Cell:
    """The same unit as an `Elman` network, which reads inputs of which there are none: its state is h_t."""
    cell = Elman(1, 1, activation=activation)
    for name, value in {"W_x": 0.0, "W_h": w, "b": 0.0}.items():
        cell.params[name][...] = value
    return cell


def by_the_network(w: Array, h1: Array, steps: int, activation: str = "tanh") -> tuple[Array, Array]:
    """h_T and ∂h_T/∂h_1 by the forward and backward pass of `chain`, each (B,), for h1 (B,) and T = steps >= 2."""
    if steps < 2:
        raise ValueError(f"from h_1 to h_T it takes at least two time steps, got {steps}")
    cell, h1 = chain(w, activation), np.atleast_1d(np.asarray(h1, float))
    h, tape = cell.forward(np.zeros((steps - 1, len(h1), 1)), state=(h1[:, None],))
    back = cell.backward(None, tape, dstate=(np.ones((len(h1), 1)),))
    return h[-1, :, 0], back.state[0][:, 0]


def power_norms(W: Array, powers: Any) -> tuple[Array, float]:
    """The spectral norm of W^k for each k in powers, and the spectral radius of W: what W^(T-1) does to a gradient.

    W: (n, n), acting on column vectors. "Largest eigenvalue" has to mean largest modulus, and only in the long run does
    it decide: ‖W^k‖ >= radius^k always, but for a matrix whose eigenvectors are far from orthogonal it may first grow.
    Returns (len(powers),) and a float.
    """
    W = np.asarray(W)
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"a square matrix is needed, got shape {W.shape}")
    norms = [np.linalg.norm(np.linalg.matrix_power(W, int(k)), 2) for k in powers]
    return np.array(norms), float(abs(np.linalg.eigvals(W)).max())
