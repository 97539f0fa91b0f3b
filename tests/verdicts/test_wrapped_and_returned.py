"""Methods that a decorator wraps, gradients that are returned as attributes of another object, and a pass of which
nothing can be compared."""

import numpy as np
from students import lines_accused

R = np.random.default_rng(62)

WRAPPED = """
    def keeping(f):
        def forward(self, x):
            self.x = x
            self.y = f(self, x)
            return self.y
        return forward

    def told(f):
        def backward(self, dy):
            return f(self, dy)
        return backward

    class Tanh:
        @keeping
        def forward(self, x):
            return np.tanh(x)

        @told
        def backward(self, dy):
            return dy * (1 - self.y ** 2)

    class Dense:
        def __init__(self, W):
            self.W = W

        @keeping
        def forward(self, x):
            return x @ self.W

        @told
        def backward(self, dy):
            self.dW = self.x.T @ dy
            return dy @ self.W.T

    def forward(x, W, U):
        layers = [Dense(W), Tanh(), Dense(U), Tanh()]
        for layer in layers:
            x = layer.forward(x)
        return x, layers

    def backward(dout, layers):
        for layer in layers[::-1]:
            dout = layer.backward(dout)
        return dout, layers[0].dW, layers[2].dW
"""
WEIGHTS = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 2))}


def test_what_a_decorator_wraps_is_looked_into(tmp_path):
    report, lines = lines_accused(tmp_path, WRAPPED, "", "", WEIGHTS)
    assert report.ok and not lines
    right, wrong = "dy * (1 - self.y ** 2)", "dy * (1 - self.x ** 2)"
    _, lines = lines_accused(tmp_path, WRAPPED, right, wrong, WEIGHTS)
    assert lines == {f"return {wrong}"}


HELD = """
    class Weights:
        def __init__(self, W, b):
            self.W, self.b = W, b

    def grads_of(x, y, weights):
        n = len(x)
        e = np.tanh(x @ weights.W + weights.b) - y
        da = 2 * e * (1 - (e + y) ** 2) / n
        return np.sum(e ** 2) / n, Weights(x.T @ da, da.sum(axis=0))

    def loss_and_gradients(x, y, W, b):
        loss, grads = grads_of(x, y, Weights(W, b))
        return loss, grads.W, grads.b
"""
TARGETS = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 2)), "b": R.normal(size=2)}


def test_gradients_under_the_names_of_weights_in_another_object_are_compared(tmp_path):
    report, lines = lines_accused(tmp_path, HELD, "", "", TARGETS)
    assert report.ok and report.compared == 2
    wrong = "da = 2 * e * (1 - e ** 2) / n"
    _, lines = lines_accused(tmp_path, HELD, "da = 2 * e * (1 - (e + y) ** 2) / n", wrong, TARGETS)
    assert lines == {wrong}


def test_a_pass_of_which_nothing_can_be_compared_is_not_all_right(tmp_path):
    report, lines = lines_accused(tmp_path, HELD, "return loss, grads.W, grads.b", "return loss, W", TARGETS)
    assert not lines and not report.ok and "nothing could be judged" in " ".join(report.problems)


SHARED = """
    def forward(x, W, b, V, c):
        h = np.tanh(x @ W + b)
        return h @ V + c, (x, W, V, h)

    def backward(dout, cache):
        x, W, V, h = cache
        n, grads = len(x), {}
        dV, dc = h.T @ dout, np.sum(dout, axis=0)
        da = (dout @ V.T) * (1 - h ** 2)
        dW = x.T @ da
        db = np.sum(da, axis=0)
        grads["V"] = 0.5 * grads.get("V", 0.0) + dV / n
        grads["c"] = 0.5 * grads.get("c", 0.0) + dc / n
        grads["W"] = 0.5 * grads.get("W", 0.0) + dW / n
        grads["b"] = 0.5 * grads.get("b", 0.0) + db / n
        return da @ W.T, n * grads["W"], n * grads["b"], n * grads["V"], n * grads["c"]
"""


def test_a_line_that_looks_like_those_beside_it_is_left(tmp_path):
    given = WEIGHTS | {"V": WEIGHTS["U"], "b": R.normal(size=5), "c": R.normal(size=2)}
    given = {name: given[name] for name in "xWbVc"}
    right, wrong = "db = np.sum(da, axis=0)", "db = np.mean(da, axis=0)"
    _, lines = lines_accused(tmp_path, SHARED, right, wrong, given)
    assert lines == {wrong}


UNREADABLE = """
    exec("def slope(h):\\n    return 1 - h ** 2\\n")

    def with_slope(f):
        def backward(dout, cache):
            x, W, h = cache
            da = dout * f(h)
            return da @ W.T, x.T @ da
        return backward

    def forward(x, W):
        h = np.tanh(x @ W)
        return h, (x, W, h)

    backward = with_slope(slope)
"""


def test_what_a_decorator_closes_over_and_cannot_be_read_stays_as_it_is(tmp_path):
    given = {name: WEIGHTS[name] for name in "xW"}
    report, lines = lines_accused(tmp_path, UNREADABLE, "", "", given)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, UNREADABLE, "da = dout * f(h)", "da = dout + f(h)", given)
    assert lines == {"da = dout + f(h)"}
