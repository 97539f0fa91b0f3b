"""Layers that write into arrays made beforehand: `out=`, weights that are views of one vector, gradients under any
name; and objects that are handed to the backward pass in a cache."""

import numpy as np
import pytest
from students import accused_in_turn
from test_boxes_and_modules import judged, written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

BUFFERS = """
    from abc import ABC, abstractmethod

    class Layer(ABC):
        @abstractmethod
        def forward(self, x): ...
        def use(self, params, grads):
            self.W, self.b = params[:12].reshape(4, 3), params[12:]
            self.dW, self.db = grads[:12].reshape(4, 3), grads[12:]
        def slope(self, y, out):
            np.multiply(y, -y, out=out)
            out += 1.0

    class Dense(Layer):
        def __init__(self):
            self.params, self.grads = np.linspace(-1, 1, 15), np.zeros(15)
            self.use(self.params, self.grads)
            self.large = np.zeros((8, 3))
        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W + self.b)
            return self.y
        def backward(self, above):
            da = self.large[:len(above)]
            self.slope(self.y, out=da)
            np.multiply(above, da, out=da)
            np.dot(self.x.T, da, out=self.dW)
            np.sum(da, axis=0, out=self.db)
            return np.dot(da, self.W.T)

    class Named(Dense):
        def forward(self, x):
            return super().forward(x)
    """
MISTAKES = {
    "np.multiply(above, da, out=da)": "np.copyto(da, above)",
    "np.dot(self.x.T, da, out=self.dW)": "np.dot(self.x.T, above, out=self.dW)",
    "np.sum(da, axis=0, out=self.db)": "np.mean(da, axis=0, out=self.db)",
    "out += 1.0": "out += 2.0",
}
X = np.random.default_rng(0).normal(size=(5, 4))


@pytest.mark.parametrize("name", ["Dense", "Named"])
def test_right_results_in_arrays_made_beforehand_are_all_right(tmp_path, name):
    report, _ = judged(written(tmp_path, layer=BUFFERS), lambda m: getattr(m, name)(), x=X)
    assert report.ok and report.compared == 3


@pytest.mark.few(2)
@pytest.mark.parametrize("line", MISTAKES)
def test_the_line_that_fills_an_array_with_wrong_numbers_is_accused(tmp_path, line):
    wrong = MISTAKES[line]
    _, accused = judged(written(tmp_path, layer=BUFFERS.replace(line, wrong)), lambda m: m.Named(), x=X)
    assert accused == {wrong}


UPDATES = """
    class Layer:
        def __init__(self):
            self.W, self.b = np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(0, 1, 3)
            self.W_update, self.b_update = np.zeros_like(self.W), np.zeros_like(self.b)
        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W + self.b)
            return self.y
        def backward(self, above):
            da = above * (1 - self.y ** 2)
            for t in range(len(da)):
                self.W_update += np.outer(self.x[t], da[t])
                self.b_update += da[t]
            return da @ self.W.T
    """


def test_what_is_kept_beside_gradients_under_such_a_name_is_compared_too(tmp_path):
    report, _ = judged(written(tmp_path, layer=UPDATES), lambda m: m.Layer(), x=X)
    assert report.ok and report.compared == 3
    wrong = UPDATES.replace("self.b_update += da[t]", "self.b_update = da[t]")
    report, accused = judged(written(tmp_path, layer=wrong), lambda m: m.Layer(), x=X)
    assert report.wrong_results == ["b"] and accused == {"self.b_update = da[t]"}


CELL = """
    class Tanh:
        def __call__(self, x):
            return np.tanh(x)
        def derivative(self, y):
            return 1 - y ** 2

    class Cell:
        def __init__(self, W):
            self.W, self.activation = W, Tanh()
        def forward(self, x):
            return self.activation(x @ self.W)
        def backward(self, dy, y, x):
            da = dy * self.activation.derivative(y)
            self.dW = x.T @ da
            return da @ self.W.T

    def cell_forward(x, W):
        cell = Cell(W)
        y = cell.forward(x)
        return y, (cell, x, y)

    def cell_backward(dy, cache):
        cell, x, y = cache
        dx = cell.backward(dy, y, x)
        return dx, cell.dW
    """


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", [None, "da = dy * self.activation.derivative(x @ self.W)", "self.dW = -x.T @ da"])
def test_an_object_that_the_cache_holds_is_seen_into(tmp_path, wrong):
    old = {"da": "da = dy * self.activation.derivative(y)", "se": "self.dW = x.T @ da"}[(wrong or "da")[:2]]
    path = written(tmp_path, cell=CELL.replace(old, wrong or old))
    with loaded(path) as module:
        inputs = {"x": X, "W": np.linspace(-1, 1, 12).reshape(4, 3)}
        report = tr.lines(module.cell_forward, module.cell_backward, inputs)
    assert report.ok == (wrong is None)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == ({wrong} if wrong else set())


STARRED = """
    class Model:
        def __init__(self):
            self.U, self.V = np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(-1, 1, 6).reshape(3, 2)
        def forward(self, x):
            return np.tanh(x @ self.U) @ self.V
        def parts(self, x, above):
            h = np.tanh(x @ self.U)
            return x.T @ (above @ self.V.T * (1 - h ** 2)), h.T @ above
        def loss_and_grads(self, x, y):
            return (((self.forward(x) - y) ** 2).sum() / 2, *self.parts(x, self.forward(x) - y))
    """


def test_gradients_that_are_returned_under_no_name_are_still_judged(tmp_path):
    with loaded(written(tmp_path, model=STARRED)) as module:
        model = module.Model()
        report = tr.lines(model.loss_and_grads, model.loss_and_grads, {"x": X, "y": np.ones((5, 2))})
    assert report.ok and report.compared == 2 and "2 gradients compared" in str(report)


HELD_TWICE = """
    class Cell:
        def __init__(self, W):
            self.W, self.grads = W, {"W": np.zeros_like(W)}

        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W)
            return self.y

        def backward(self, dy):
            for name in self.grads:
                self.grads[name].fill(0)
            self.grads["W"] += self.x.T @ (dy * (1 - self.y**2))

    def loss_and_gradients(x, W):
        cell = Cell(W)
        grads = {"cell_" + name: value for name, value in cell.grads.items()}
        y = cell.forward(x)
        loss = 0.5 * np.sum(y**2)
        cell.backward(y)
        return loss, grads["cell_W"]
"""


@pytest.mark.parametrize(("right", "wrong"), [("", ""), ("dy * (1 - self.y**2)", "dy * (1 - self.y)")])
def test_an_array_in_a_dict_is_filled_for_all_that_hold_it(tmp_path, right, wrong):
    given = {"x": np.random.default_rng(0).normal(size=(4, 3)), "W": np.random.default_rng(1).normal(size=(3, 2))}
    report, lines = accused_in_turn(tmp_path, HELD_TWICE, right, wrong, given)
    assert [wrong in line for line in lines] == ([True] if wrong else []), report
