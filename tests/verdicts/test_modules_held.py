"""Layers that hold the module that they make arrays with, as `self.xp = numpy`: they are edited like others and as
what holds none."""

import numpy as np
from students import lines_accused

R = np.random.default_rng(63)

LAYERS = """
    class Dense:
        def __init__(self, W):
            import numpy
            self.xp, self.W = numpy, W

        def forward(self, x):
            self.x = x
            return self.xp.tanh(x @ self.W)

        def backward(self, dy):
            y = self.xp.tanh(self.x @ self.W)
            da = dy * (1 - y ** 2)
            self.dW = self.x.T @ da
            return da @ self.W.T

    def forward(x, W, U):
        layers = [Dense(W), Dense(U)]
        for layer in layers:
            x = layer.forward(x)
        return x, layers

    def backward(dout, layers):
        for layer in layers[::-1]:
            dout = layer.backward(dout)
        return dout, layers[0].dW, layers[1].dW
"""
WEIGHTS = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 2))}


def test_the_wrong_line_of_layers_that_hold_a_module_is_accused(tmp_path):
    right, wrong = "da = dy * (1 - y ** 2)", "da = dy * (1 - self.x @ self.W ** 2)"
    report, lines = lines_accused(tmp_path, LAYERS, "", "", WEIGHTS)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, LAYERS, right, wrong, WEIGHTS)
    assert lines == {wrong}


COMPREHENSION = """
    def forward(x, K):
        n = int(len(K) ** 0.5)
        h, w = len(x) - n + 1, x.shape[1] - n + 1
        y = np.zeros((h, w))
        for i in range(n):
            for j in range(n):
                y += K[i * n + j] * x[i : i + h, j : j + w]
        out = np.tanh(y)
        return out, (x, K, out)

    def backward(dout, cache):
        x, K, out = cache
        n, (h, w) = int(len(K) ** 0.5), out.shape
        dy = dout * (1 - out ** 2)
        windows = [x[i : i + h, j : j + w].ravel() for i in range(n) for j in range(n)]
        dK = windows @ dy.ravel()
        dx = np.zeros_like(x)
        for i in range(n):
            for j in range(n):
                dx[i : i + h, j : j + w] += K[i * n + j] * dy
        return dx, dK
"""


def test_counters_of_a_comprehension_in_each_others_place_are_accused(tmp_path):
    inputs = {"x": R.normal(size=(5, 5)), "K": R.normal(size=9)}
    right, wrong = "[x[i : i + h, j : j + w].ravel()", "[x[j : j + h, i : i + w].ravel()"
    report, lines = lines_accused(tmp_path, COMPREHENSION, "", "", inputs)
    assert report.ok and not lines
    report, lines = lines_accused(tmp_path, COMPREHENSION, right, wrong, inputs)
    assert lines == {f"windows = {wrong} for i in range(n) for j in range(n)]"}


def test_where_an_error_is_raised_names_accuse_nothing_that_it_does_not_come_from(tmp_path):
    text = COMPREHENSION.replace("return out, (x, K, out)", "return out, (x, K, np.tanh(y))").replace(
        "out = cache", "y = cache"
    )
    text = text.replace("1 - out ** 2", "1 - y ** 2").replace("** 0.5), out.shape", "** 0.5), y.shape")
    inputs = {"x": R.normal(size=(6, 5)), "K": R.normal(size=9)}
    right, wrong = "[x[i : i + h, j : j + w].ravel()", "[x[i : i + h, j : j + w + i].ravel()"
    _, lines = lines_accused(tmp_path, text, right, wrong, inputs)
    assert lines == {"dK = windows @ dy.ravel()"}  # which raises it, and not `x, K, y = cache`
