"""Line verdicts on derivatives that are left out: all of one, a side of it, or the activation that it is of."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(0)
METHODS = """
    import numpy as np

    class Activation:
        def value(self, z):
            return np.tanh(z)

        def derivative(self, z):
            return 1 - np.tanh(z) ** 2

    class Layer:
        def __init__(self, W, b):
            self.W, self.b, self.activation = W, b, Activation()

        def forward(self, x):
            self.x = x
            self.z = x @ self.W + self.b
            return self.activation.value(self.z)

    class Net:
        def __init__(self, layers):
            self.layers = layers

        def dcost(self, out, y):
            return out - y

        def slope(self, out):
            return out * (1 - out)

        def back(self, x, y):
            for layer in self.layers:
                x = layer.forward(x)
            out = 1 / (1 + np.exp(-x))
            deltas = [self.dcost(out, y) * self.slope(out)]
            found = []
            for layer in self.layers[::-1]:
                delta = deltas[-1] * layer.activation.derivative(layer.z)
                found = [layer.x.T @ delta, delta.sum(axis=0), *found]
                deltas.append(delta @ layer.W.T)
            return np.sum((out - y) ** 2) / 2, *found

    def loss_and_gradients(x, y, W, b, V, c):
        return Net([Layer(W, b), Layer(V, c)]).back(x, y)
"""
WEIGHTS = {name: R.normal(size=size) for name, size in {"W": (3, 5), "b": (5,), "V": (5, 2), "c": (2,)}.items()}
NET = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), **WEIGHTS}
KINDS = """
    import numpy as np

    class Rectified:
        def calc(self, x):
            return np.maximum(0.01 * x, x)

        def dcalc(self, x):
            alpha = 0.01
            dx = np.ones_like(x)
            dx[x < 0] = alpha
            return dx

    class Cut:
        def calc(self, x):
            return x * (x > 0)

        def dcalc(self, x):
            d = x.copy()
            d[d <= 0] = 0
            d[d > 0] = 1
            return d

    class Smooth:
        def calc(self, x):
            return np.log(1 + np.exp(x))

        def dcalc(self, x):
            return 1 / (1 + np.exp(-x))

    class Tanh:
        def calc(self, x):
            return np.tanh(x)

        def dcalc(self, x):
            return 1 - np.square(np.tanh(x))

    def loss_and_gradients(x, A, B, C, D, b):
        loss, found = 0, []
        for kind, W in ((Rectified(), A), (Cut(), B), (Tanh(), C), (Smooth(), D)):
            z = x @ W + b
            h = kind.calc(z)
            loss += np.sum(h ** 2) / 2
            dz = h * kind.dcalc(z)
            found.append(x.T @ dz)
            b_found = dz.sum(axis=0) if len(found) == 1 else b_found + dz.sum(axis=0)
        return loss, *found, b_found
"""
FOUR = {"x": R.normal(size=(4, 3)), **{name: R.normal(size=(3, 5)) for name in "ABCD"}, "b": R.normal(size=5)}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("deltas = [self.dcost(out, y) * self.slope(out)]", "deltas = [self.dcost(out, y)]"),
        ("delta = deltas[-1] * layer.activation.derivative(layer.z)", "delta = deltas[-1]"),
    ],
)
def test_a_derivative_that_an_object_at_hand_has_may_be_left_out(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, METHODS, right, wrong, NET)
    assert lines == {wrong}, report


@pytest.mark.parametrize(
    ("right", "wrong", "accused"),
    [
        ("            dx[x < 0] = alpha\n", "", "dx = np.ones_like(x)"),
        ("            d[d > 0] = 1\n", "", "d[d <= 0] = 0"),
        ("np.square(np.tanh(x))", "np.square(x)", "return 1 - np.square(x)"),
    ],
)
def test_a_slope_may_lack_a_side_or_the_activation(tmp_path, right, wrong, accused):
    report, lines = lines_accused(tmp_path, KINDS, right, wrong, FOUR)
    assert lines == {accused}, report


def test_a_bias_that_is_taken_away_forwards_is_accused_there(tmp_path):
    report, lines = lines_accused(tmp_path, METHODS, "x @ self.W + self.b", "x @ self.W - self.b", NET)
    assert lines == {"self.z = x @ self.W - self.b"}, report


@pytest.mark.parametrize(("source", "given"), [(METHODS, NET), (KINDS, FOUR)])
def test_with_all_of_them_it_is_right(tmp_path, source, given):
    report, lines = lines_accused(tmp_path, source, "", "", given)
    assert report.ok and not lines


SOFTMAX = """
    import numpy as np

    def softmax(z):
        powers = np.exp(z - z.max(axis=1, keepdims=True))
        return powers / np.sum(powers, axis=1, keepdims=True)

    def loss_and_gradients(x, wanted, W, b):
        chances = softmax(x @ W + b)
        dz = (chances - wanted) / len(x)
        return -np.sum(wanted * np.log(chances)) / len(x), x.T @ dz, dz.sum(axis=0)
"""


LISTS = """
    import numpy as np

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def sigmoid_derivative(s):
        return s * (1 - s)

    def relu_derivative(h):
        return (h > 0).astype(float)

    def loss_and_gradients(x, y, A, B, C):
        weights = [A, B, C]
        states = [x]
        for i in range(3):
            z = states[-1] @ weights[i]
            states.append(sigmoid(z) if i == 0 else np.maximum(z, 0) if i == 1 else z)
        delta = (states[-1] - y)
        found = [None, None, states[-2].T @ delta]
        delta = (delta @ weights[2].T) * relu_derivative(states[2])
        found[1] = states[1].T @ delta
        for i in range(1, 0, -1):
            delta = (delta @ weights[i].T) * sigmoid_derivative(states[i])
            found[i - 1] = states[i - 1].T @ delta
        return np.sum((states[-1] - y) ** 2) / 2, *found
"""
SIZES = {"x": (4, 3), "y": (4, 2), "A": (3, 5), "B": (5, 6), "C": (6, 2)}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("delta = (delta @ weights[i].T) * sigmoid_derivative(states[i])", "delta = (delta @ weights[i].T)"),
        ("return (h > 0).astype(float)", "return np.maximum(h, 0)"),
    ],
)
def test_a_function_for_the_slope_is_called_nowhere_or_gives_the_activation(tmp_path, right, wrong):
    given = {name: R.normal(size=shape) for name, shape in SIZES.items()}
    report, lines = lines_accused(tmp_path, LISTS, right, wrong, given)
    assert lines == {wrong}, report


@pytest.mark.parametrize("wrong", ["np.sum(powers, axis=0, keepdims=True)", "np.sum(powers)"])
def test_a_softmax_along_another_axis_than_the_backward_pass_is_of_is_accused(tmp_path, wrong):
    given = {"x": R.normal(size=(4, 3)), "wanted": np.eye(5)[[0, 3, 2, 3]], "W": R.normal(size=(3, 5)), "b": np.ones(5)}
    right = "np.sum(powers, axis=1, keepdims=True)"
    report, lines = lines_accused(tmp_path, SOFTMAX, right, wrong, given)
    assert lines == {f"return powers / {wrong}"}, report
    report, _ = lines_accused(tmp_path, SOFTMAX, "", "", given)
    assert report.ok
