"""Slips in a forward pass that something left over there speaks for: a state that a loop throws away, a gate that is
only kept for the way back, a logarithm of the wrong side."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(52)

CELLS = """
    class Cell:
        def forward(self, x, h, W, U):
            self.x, self.before = x, h
            self.h = np.tanh(x @ W + h @ U)
            return self.h, self.h.sum()

        def backward(self, dh, dh_next, W, U):
            da = (dh + dh_next) * (1 - self.h ** 2)
            return da @ W.T, da @ U.T, self.x.T @ da, self.before.T @ da

    def run_forward(x, h0, W, U):
        cells, h = [Cell() for _ in x], h0
        for t in range(len(x)):
            h, _ = cells[t].forward(x[t], h, W, U)
        return np.stack([cell.h for cell in cells]), (cells, W, U)

    def run_backward(dhs, cache):
        cells, W, U = cache
        dx, dW, dU, dh_next = [], np.zeros_like(W), np.zeros_like(U), np.zeros_like(dhs[0])
        for cell, dh in zip(cells[::-1], dhs[::-1]):
            dx_t, dh_next, dW_t, dU_t = cell.backward(dh, dh_next, W, U)
            dx.append(dx_t)
            dW, dU = dW + dW_t, dU + dU_t
        return np.stack(dx[::-1]), dh_next, dW, dU
"""
GATED = """
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, h0, W, U, V):
        r, n, h = {}, {}, {-1: h0}
        for t in range(len(x)):
            r[t] = sigmoid(x[t] @ W + h[t - 1] @ U)
            n[t] = np.tanh(x[t] @ W + (r[t] * h[t - 1]) @ V)
            h[t] = n[t] + 0.5 * h[t - 1]
        return np.stack([h[t] for t in range(len(x))]), (x, r, n, h, W, U, V)

    def run_backward(dhs, cache):
        x, r, n, h, W, U, V = cache
        dx, dW, dU, dV = np.zeros_like(x), np.zeros_like(W), np.zeros_like(U), np.zeros_like(V)
        dh_next = np.zeros_like(dhs[0])
        for t in reversed(range(len(dhs))):
            dh = dhs[t] + dh_next
            da = dh * (1 - n[t] ** 2)
            drh = da @ V.T
            dr = drh * h[t - 1] * r[t] * (1 - r[t])
            dx[t] = (da + dr) @ W.T
            dW += x[t].T @ (da + dr)
            dU += h[t - 1].T @ dr
            dV += (r[t] * h[t - 1]).T @ da
            dh_next = 0.5 * dh + drh * r[t] + dr @ U.T
        return dx, dh_next, dW, dU, dV
"""
PAIRS = """
    def run_forward(x, y, W):
        good = 1 / (1 + np.exp(-(x @ W)))
        bad = 1 / (1 + np.exp(-(y @ W)))
        return -np.sum(np.log(good + 1e-10), 0) - np.sum(np.log(1 - bad + 1e-10), 0), (x, y, W, good, bad)

    def run_backward(dout, cache):
        x, y, W, good, bad = cache
        da = dout * (good - 1)
        dx = da @ W.T
        dy = (dout * bad) @ W.T
        return dx, dy, x.T @ da + y.T @ (dout * bad)
"""
STEPS = {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 5)), "W": R.normal(size=(3, 5))}
STEPS |= {"U": R.normal(size=(5, 5)) / 2}


@pytest.mark.parametrize(
    ("source", "right", "wrong", "given"),
    [
        (CELLS, "h, _ = cells[t]", "_, _ = cells[t]", STEPS),
        (GATED, "(r[t] * h[t - 1]) @ V)", "h[t - 1] @ V)", STEPS | {"V": R.normal(size=(5, 5)) / 2}),
        (
            PAIRS,
            "np.log(1 - bad + 1e-10)",
            "np.log(bad + 1e-10)",
            {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5))},
        ),
    ],
)
def test_the_line_of_the_forward_pass_is_accused(tmp_path, source, right, wrong, given):
    _, lines = lines_accused(tmp_path, source, right, wrong, given)
    assert len(lines) == 1 and all(wrong in line for line in lines)
