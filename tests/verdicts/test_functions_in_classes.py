"""Line verdicts where a class has its activations in a table of its own, and hands on the functions it finds there."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(0)
TABLE = """
    def relu(z):
        return np.maximum(0, z)

    def relu_slope(da, z):
        return da * (z > 0)

    def squash(z):
        return np.tanh(z)

    def squash_slope(da, z):
        return da * (1 - np.tanh(z) ** 2)

    class Network:
        kinds = {"relu": (relu, relu_slope), "squash": [squash, squash_slope]}

        def __init__(self, weights, names):
            self.weights, self.names = weights, names
            self.held = [self.kinds[name] for name in names]

        def forward(self, x):
            self.cache, a = [], x
            for w, name in zip(self.weights, self.names):
                a = self.step(a, w, FIRST)
            return a

        def step(self, a, w, kind):
            z = w @ a
            self.cache.append((a, z))
            return kind(z)

        def backward(self, da):
            grads = []
            for i in reversed(range(len(self.weights))):
                da, dw = self.step_back(da, self.weights[i], self.cache[i], SECOND)
                grads.insert(0, dw)
            return grads

        def step_back(self, da, w, cache, slope):
            a, z = cache
            dz = slope(da, z)
            return w.T @ dz, dz @ a.T

    def loss_and_gradients(x, y, W1, W2, W3):
        net = Network([W1, W2, W3], ["squash", "relu", "squash"])
        last = net.forward(x)
        return 0.5 * np.sum((last - y) ** 2), *net.backward(last - y)
"""
AT_CALL = TABLE.replace("FIRST", "self.kinds[name][0]").replace("SECOND", "self.kinds[self.names[i]][1]")
HELD = TABLE.replace("FIRST", "self.held[self.names.index(name)][0]").replace("SECOND", "self.held[i][1]")
INPUTS = {"x": R.normal(size=(3, 4)), "y": R.normal(size=(2, 4))}
INPUTS |= {name: R.normal(size=size) for name, size in {"W1": (5, 3), "W2": (6, 5), "W3": (2, 6)}.items()}
AS_IT_IS = ("", "", set())
RELU = ("da * (z > 0)", "da * np.maximum(z, 0)", {"return da * np.maximum(z, 0)"})
SQUASH = ("1 - np.tanh(z) ** 2", "1 - z ** 2", {"return da * (1 - z ** 2)"})


@pytest.mark.parametrize("change", [AS_IT_IS, RELU, SQUASH], ids=["right", "relu", "squash"])
@pytest.mark.parametrize("source", [AT_CALL, HELD], ids=["read at each call", "kept by the object"])
def test_a_slope_that_stands_in_a_table_of_a_class_is_accused_itself(tmp_path, source, change):
    right, wrong, accused = change
    report, lines = lines_accused(tmp_path, source, right, wrong, INPUTS)
    assert lines == accused
    assert report.ok == (not accused)
