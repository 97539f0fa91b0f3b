"""h-detach: what the gradient that is carried back through time becomes when the way through h is cut at some steps.

A network with a linear memory carries the gradient back in two ways, through the memory and through h. At a step that
is detached only the first is left (Arpit et al. 2018; Carta, Sperduti & Bacciu 2021, section 3.3). For the Linear
Memory Network m_t = W_hm h_t + W_mm m_{t-1}, h_t = tanh(W_xh x_t + W_mh m_{t-1}), columns here,

    mu_{t-1} = W_mm^T mu_t + W_mh^T da_t [not detached],     da_t = (1 - h_t^2) W_hm^T mu_t

so with every step detached mu keeps its length exactly if W_mm is orthogonal, and shrinks with powers of W_mm else.
"""

from typing import Any

import numpy as np

from tinyrnn.core.backend import as_rng, to_numpy
from tinyrnn.core.types import Array, Seed


def carried(layers: Any, x: Array, probability: float = 0.0, rng: Seed = None, dstate: Any = None) -> Array:
    """The norm of the gradient of the whole state after every step, (T + 1, B), first that of the initial state.

    layers: a cell, `Stack`, `Bidirectional` or `StepCell`; x (T, B, d) or (T, B) class numbers, what it reads.
    probability: of each step to be detached, drawn once for the whole batch. dstate: the gradient of the final state, a
    tuple of arrays (B, n) or None; by default of the final output, a random direction of length 1 for each sequence.
    From the cell's own backward pass. ValueError for a probability outside [0, 1], or above 0 for a cell whose step
    names no weights that read h.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"carried: the probability must be from 0 to 1, got {probability}")
    rng = as_rng(rng)
    T, B = x.shape[:2]
    if dstate is None:
        d = rng.normal(size=(B, layers.output_size))
        dstate = layers.final_backward(d / np.linalg.norm(d, axis=1, keepdims=True))
    _, tape = layers.forward(x)
    options = {"detach": rng.random(T) < probability} if probability > 0 else {}
    back = layers.backward(None, tape, dstate, record=True, **options)
    squares = sum((to_numpy(d) ** 2).sum(axis=-1) for d in back.states.values())
    first = sum((to_numpy(d) ** 2).sum(axis=-1) for d in back.state)
    return np.sqrt(np.concatenate([first[None], squares]))
