"""A leaky unit, forwards and backwards."""

import numpy as np


def twice(x):
    """x (N,) -> twice of it."""
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


def leaky(x, h_prev, W, a):
    """x (B, D), h_prev (B, H), W (D, H), a a number -> h (B, H)."""
    # BEGIN SOLUTION
    u = np.tanh(x @ W)
    h = (1 - a) * h_prev + a * u
    return h
    # END SOLUTION


def leaky_backward(dh, x, h_prev, W, a):
    """dh (B, H) and what `leaky` takes -> dict of dx (B, D), dh_prev (B, H), dW (D, H)."""
    # BEGIN SOLUTION
    u = np.tanh(x @ W)
    du = dh * a
    ds = du * (1 - u**2)
    dx = ds @ W.T
    dW = x.T @ ds
    dh_prev = dh * (1 - a)
    return {"dx": dx, "dh_prev": dh_prev, "dW": dW}
    # END SOLUTION


def step_weights(n):
    """n weights (n,), positive, which add up to 1, each larger than the one before it."""
    # BEGIN SOLUTION
    w = np.arange(1.0, n + 1)
    return w / w.sum()
    # END SOLUTION


def slope(f, x):
    """The derivative of f, a function of arrays, at x (N,), entry by entry."""
    # BEGIN SOLUTION
    return f(x + 1e-30j).imag / 1e-30
    # END SOLUTION
