"""Weights of layers within an object, the gradients that each keeps for them by names of its own, and layers and
helpers that are right by themselves, so that the line which calls them is accused."""

import numpy as np
import pytest
from written_modules import judged, written

R = np.random.default_rng(18)
ROWS, STEPS = R.normal(size=(5, 4)), R.normal(size=(2, 2, 2))

BESIDE = """
    class Layer:
        def __init__(self, seed, n, m):
            r = np.random.default_rng(seed)
            self.W, self.b = r.normal(size=(n, m)), r.normal(size=m)
            self.Wg, self.bg = np.zeros((n, m)), np.zeros(m)
        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W + self.b)
            return self.y
        def backward(self, above):
            inner = above * (1 - self.y ** 2)
            self.Wg += self.x.T @ inner
            self.bg += inner.sum(axis=0)
            return inner @ self.W.T

    class Net:
        def __init__(self):
            self.low, self.high = Layer(0, 4, 3), Layer(1, 3, 2)
        def forward(self, x):
            return self.high.forward(self.low.forward(x))
        def backward(self, above):
            return self.low.backward(self.high.backward(above))
"""
NAMES = {
    "Wg": {},
    "weight_g": {".Wg": ".weight_g", ".bg": ".bias_g", ".W,": ".weight,", ".W ": ".weight ", ".W.": ".weight."},
    "accW": {".Wg": ".accW", ".bg": ".accb"},
}
NAMES["weight_g"] |= {".b =": ".bias =", ".b)": ".bias)"}
DICTS = """
    class Cell:
        def __init__(self, seed):
            r = np.random.default_rng(seed)
            self.params = {"W": r.normal(size=(2, 3)), "U": r.normal(size=(3, 3))}
            self.grads = {}
        def forward(self, xs):
            self.xs, self.hs = xs, [np.zeros((xs.shape[1], 3))]
            for x in xs:
                self.hs.append(np.tanh(x @ self.params["W"] + self.hs[-1] @ self.params["U"]))
            return self.hs[-1]
        def backward(self, dh):
            dW, dU = np.zeros((2, 3)), np.zeros((3, 3))
            for x, h, before in zip(self.xs[::-1], self.hs[:0:-1], self.hs[-2::-1]):
                da = dh * (1 - h**2)
                dW += x.T @ da
                dU += before.T @ da
                dh = da @ self.params["U"].T
            self.grads["W"], self.grads["U"] = dW, dU

    class Both:
        def __init__(self):
            self.fwd, self.bwd = Cell(0), Cell(1)
        def forward(self, xs):
            return self.fwd.forward(xs) + self.bwd.forward(xs[::-1])
        def backward(self, dh):
            self.fwd.backward(dh)
            self.bwd.backward(dh)
"""
LISTED = DICTS.replace("self.fwd, self.bwd = Cell(0), Cell(1)", "self.layers = [Cell(0), Cell(1)]")
LISTED = LISTED.replace("self.fwd.", "self.layers[0].").replace("self.bwd.", "self.layers[1].")
AVERAGING = """
    class Linear:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.b = r.normal(size=(3, 2)), r.normal(size=2)
        def forward(self, x):
            self.x = x
            return x @ self.W + self.b
        def backward(self, d):
            self.dW = self.x.T @ d / len(d)
            self.db = d.sum(axis=0) / len(d)
            return d @ self.W.T

    class Tanh(Linear):
        def __init__(self):
            r = np.random.default_rng(1)
            self.W, self.b = r.normal(size=(4, 3)), r.normal(size=3)
        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W + self.b)
            return self.y
        def backward(self, d):
            da = d * (1 - self.y**2)
            self.dW = self.x.T @ da / len(d)
            self.db = da.sum(axis=0) / len(d)
            return da @ self.W.T

    class Net:
        def __init__(self):
            self.low, self.high = Tanh(), Linear()
        def loss(self, x, target):
            self.error = self.high.forward(self.low.forward(x)) - target
            return 0.5 * np.sum(self.error**2) / len(x)
        def gradients(self):
            dh = self.high.backward(self.error)
            self.low.backward(dh)
"""
STATIC = """
    class Squash:
        @staticmethod
        def forward(x):
            return np.tanh(x)
        @staticmethod
        def slope(x):
            return 1 - np.tanh(x) ** 2

    class Layer:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(4, 3))
        def forward(self, x):
            self.x, self.z = x, x @ self.W
            self.y = Squash.forward(self.z)
            return self.y
        def backward(self, d):
            dz = d * Squash.slope(self.z)
            self.dW = self.x.T @ dz
            return dz @ self.W.T
"""


def accused(folder, text, name, changes, methods=("forward", "backward"), **inputs):
    """(the report, the texts of the lines accused, those of the lines changed). changes: {right: wrong}."""
    for right, wrong in changes.items():
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    report, lines = judged(written(folder, program=text), lambda module: getattr(module, name)(), methods, **inputs)
    return report, lines, set(changes.values())


@pytest.mark.few(3)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.few(3)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"self.Wg += self.x.T @ inner": "self.Wg += self.x.T @ above"},
        {"self.bg += inner.sum(axis=0)": "self.bg += inner.mean(axis=0)"},
    ],
    ids=["right", "weights", "bias"],
)
def test_gradients_that_objects_keep_under_the_names_of_their_weights_with_more_are_compared(tmp_path, names, changes):
    def named(text):
        for old, new in NAMES[names].items():
            text = text.replace(old, new)
        return text

    changes = {named(right): named(wrong) for right, wrong in changes.items()}
    report, lines, changed = accused(tmp_path, named(BESIDE), "Net", changes, x=ROWS)
    assert report.ok == (not changes) and lines == changed, report


@pytest.mark.few(3)
@pytest.mark.parametrize(("text", "layers"), [(DICTS, ("fwd", "bwd")), (LISTED, ("layers[0]", "layers[1]"))])
def test_weights_in_dicts_of_layers_of_one_class_are_called_by_their_layer(tmp_path, text, layers):
    change = {"dU += before.T @ da": "dU += h.T @ da"}
    report, lines, changed = accused(tmp_path, text, "Both", change, xs=STEPS)
    assert lines == changed and not report.not_compared, report
    assert set(report.wrong_results) == {f"{layer}.U" for layer in layers}


@pytest.mark.few(3)
@pytest.mark.parametrize("text", [DICTS, LISTED], ids=["attributes", "a list"])
def test_each_layers_dict_of_gradients_is_compared(tmp_path, text):
    report, lines, _ = accused(tmp_path, text, "Both", {}, xs=STEPS)
    assert report.ok and not lines and not report.not_compared, report


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"self.low.backward(dh)": "self.low.backward(-dh)"},
        {"self.low.backward(dh)": "self.low.backward(dh * (1 - self.low.y**2))"},
    ],
)
def test_a_layer_that_averages_all_its_weights_gradients_is_right_and_its_call_accused(tmp_path, changes):
    report, lines, changed = accused(
        tmp_path, AVERAGING, "Net", changes, ("loss", "gradients"), x=ROWS, target=ROWS[:, :2]
    )
    assert report.ok == (not changes) and lines == changed, report


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dz = d * Squash.slope(self.z)": "dz = d * Squash.slope(self.y)"},
    ],
    ids=["right", "the call"],
)
def test_a_slope_beside_its_activation_in_a_class_is_right_and_its_call_accused(tmp_path, changes):
    report, lines, changed = accused(tmp_path, STATIC, "Layer", changes, x=ROWS)
    assert report.ok == (not changes) and lines == changed, report
