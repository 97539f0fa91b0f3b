"""Backward passes as other people write them, to be stepped through; each with one planted mistake."""

import numpy as np


def unrolled_forward(xs, h0, Wx, Wh):
    """xs (T, N, D), h0 (N, H), Wx (D, H), Wh (H, H): lists over time, numbers counted by the loop."""
    hs = {-1: h0}
    for t in range(len(xs)):
        hs[t] = np.tanh(xs[t] @ Wx + hs[t - 1] @ Wh)
    h = hs[len(xs) - 1]
    return h, (xs, hs, Wx, Wh)


def unrolled_backward(dh, cache):
    xs, hs, Wx, Wh = cache
    dWx, dWh = np.zeros_like(Wx), np.zeros_like(Wh)
    for t in reversed(range(len(xs))):
        da = dh * (1 - hs[t] ** 2)
        dWx += xs[t].T @ da
        dWh += hs[t].T @ da  # the state before belongs here
        dh = da @ Wh.T
    dh0 = dh
    return dh0, dWx, dWh


def filled_forward(x, W):
    """x (N, D), W (D, H)"""
    y = np.empty((len(x), W.shape[1]))
    y[...] = x @ W
    y *= 3
    return y, (x, W)


def filled_backward(dy, cache):
    x, W = cache
    dy = dy.copy()
    dy *= 3
    dW = np.zeros_like(W)
    dW += x.T @ dy
    dx = dy @ W  # right for a square W alone
    return dx, dW


class Affine:
    """W (D, H), b (H,)"""

    def __init__(self, W, b):
        self.params = {"W": W, "b": b}
        self.grads = {}

    def forward(self, x):
        """x (N, D)"""
        self.x = x
        y = x @ self.params["W"] + self.params["b"]
        return y

    def backward(self, dy):
        self.grads["W"] = self.x.T @ dy
        self.grads["b"] = dy.mean(axis=0)
        dx = dy @ self.params["W"].T
        return dx


def hinge_loss(s, y, W):
    """s (N, D), y (N,) integer labels, W (D, C)"""
    scores = s @ W
    rows = np.arange(len(y))
    margins = np.maximum(0, scores - scores[rows, y][:, None] + 1)
    margins[rows, y] = 0
    loss = margins.sum() / len(y)
    dscores = (margins > 0) / 1.0
    dscores[rows, y] = -dscores.sum(axis=1)
    dscores /= len(y)
    dW = s.T @ dscores
    ds = dscores @ W.T * 2
    return loss, ds, dW
