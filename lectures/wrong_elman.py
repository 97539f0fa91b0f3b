"""One step of an Elman network, forward and backward, with one mistake in the backward pass. Which line is it in?

tinyrnn step lectures/wrong_elman.py
"""

import numpy as np

import tinyrnn as tr


def step(params, x, state):
    """x (B, N), h (B, H) -> the new state, and what the way back needs."""
    (h_prev,) = state
    a = x @ params["W"] + h_prev @ params["U"] + params["b"]
    h = np.tanh(a)
    return (h,), (x, h_prev, h)


def step_backward(params, cache, dstate):
    """The gradient that arrives at h -> those of x, of the state before, and of the weights."""
    x, h_prev, h = cache
    (dh,) = dstate
    da = dh * (1 - h)
    dx = da @ params["W"].T
    dh_prev = da @ params["U"].T
    return dx, (dh_prev,), {"W": x.T @ da, "U": h_prev.T @ da, "b": da.sum(axis=0)}


rng = np.random.default_rng(0)
weights = {"W": rng.normal(size=(2, 3)), "U": rng.normal(size=(3, 3)), "b": np.zeros(3)}
cell = tr.StepCell(step, step_backward, params=weights, input_size=2, state_sizes=3)
