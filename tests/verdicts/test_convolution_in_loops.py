"""Layers in loops over every number of an image: many small values, few runs. The line that is wrong is accused all the
same, in the layer that it is of, and not the one that calls it."""

import numpy as np
import pytest
from students import accused_in_turn

R = np.random.default_rng(5)
NETWORK = """
    class Filter:
        def __init__(self, W, b):
            self.W, self.b = W, b

        def forward(self, x):
            self.x = x
            (self.n, self.high, self.wide), (self.kh, self.kw) = x.shape, self.W.shape
            self.rows, self.columns = self.high - self.kh + 1, self.wide - self.kw + 1
            out = np.zeros((self.n, self.rows, self.columns))
            for k in range(self.n):
                for i in range(self.rows):
                    for j in range(self.columns):
                        out[k, i, j] = np.sum(x[k, i : i + self.kh, j : j + self.kw] * self.W) + self.b[0]
            return out

        def backward(self, d):
            self.dW = np.zeros_like(self.W)
            for s in range(self.kh):
                for t in range(self.kw):
                    self.dW[s, t] = np.sum(d * self.x[:, s : s + self.rows, t : t + self.columns])
            self.db = np.array([d.sum()])
            dx = np.zeros_like(self.x)
            for k in range(self.n):
                for i in range(self.high):
                    for j in range(self.wide):
                        total = 0.0
                        for s in range(self.kh):
                            for t in range(self.kw):
                                if i - s >= 0 and i - s < self.rows and j - t >= 0 and j - t < self.columns:
                                    total += d[k, i - s, j - t] * self.W[s, t]
                        dx[k, i, j] = total
            return dx

    class Greatest:
        def forward(self, x):
            self.x, self.at = x, {}
            out = np.zeros((x.shape[0], x.shape[1] // 2, x.shape[2] // 2))
            for k in range(x.shape[0]):
                for i in range(out.shape[1]):
                    for j in range(out.shape[2]):
                        window = x[k, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
                        self.at[k, i, j] = np.argmax(window)
                        out[k, i, j] = np.max(window)
            return out

        def backward(self, d):
            dx = np.zeros_like(self.x)
            for k in range(d.shape[0]):
                for i in range(d.shape[1]):
                    for j in range(d.shape[2]):
                        window = np.zeros(4)
                        window[self.at[k, i, j]] = d[k, i, j]
                        dx[k, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = window.reshape(2, 2)
            return dx

    def forward(x, W, b):
        filtered, greatest = Filter(W, b), Greatest()
        return greatest.forward(filtered.forward(x)), (filtered, greatest)

    def backward(dout, cache):
        filtered, greatest = cache
        dmaps = greatest.backward(dout)
        dx = filtered.backward(dmaps)
        return dx, filtered.dW, filtered.db
"""
CHANGED = [
    ("if i - s >= 0 and", "if i - s > 0 and"),
    ("j - t < self.columns:", "j - t <= self.columns - 2:"),
    ("window[self.at[k, i, j]] = d[k, i, j]", "window[:] = d[k, i, j] / len(window)"),
    ("total += d[k,", "total = d[k,"),
]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong"), CHANGED)
def test_the_wrong_line_of_a_layer_in_loops_is_accused_alone(tmp_path, right, wrong):
    given = {"x": R.normal(size=(3, 6, 7)), "W": R.normal(size=(3, 2)), "b": R.normal(size=1)}
    report, lines = accused_in_turn(tmp_path, NETWORK, right, wrong, given)
    assert not report.ok
    assert len(lines) == 1 and wrong in lines[0]


def test_right_layers_in_loops_are_said_to_be_right(tmp_path):
    given = {"x": R.normal(size=(3, 6, 7)), "W": R.normal(size=(3, 2)), "b": R.normal(size=1)}
    report, lines = accused_in_turn(tmp_path, NETWORK, "", "", given)
    assert report.ok and not lines
