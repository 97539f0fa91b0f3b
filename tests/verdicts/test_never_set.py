"""A gradient that nothing sets, and that is handed back out of an object: the line which hands it back is right."""

import numpy as np
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(7)
LAYER = """
    import numpy as np

    class Layer:
        def __init__(self, W, b):
            self.W, self.b = W, b
            self.dW, self.db = np.zeros_like(W), np.zeros_like(b)

        def forward(self, x):
            self.x = x
            self.h = np.tanh(x @ self.W + self.b)
            return self.h

        def backward(self, dh):
            da = dh * (1 - self.h**2)
            self.dW += self.x.T @ da
            self.db += da.sum(axis=0)
            return da @ self.W.T

    def loss_and_gradients(x, W, b):
        layer = Layer(W, b)
        h = layer.forward(x)
        loss = 0.5 * np.sum(h**2)
        dx = layer.backward(h)
        return loss, dx, layer.dW, layer.db
    """
GIVEN = {"x": R.normal(size=(4, 2)), "W": R.normal(size=(2, 3)), "b": R.normal(size=3)}


def report_on(folder, source):
    path = write(folder, source)
    with loaded(path) as module:
        return tr.lines(module.loss_and_gradients, GIVEN, jac=True)


def test_the_line_that_returns_what_is_never_set_is_not_accused(tmp_path):
    report = report_on(tmp_path, LAYER.replace("self.db += da.sum(axis=0)", "pass"))
    assert not report.ok and not report.wrong, report
    assert any("layer.db is never set or added to" in problem for problem in report.problems), report.problems


def test_a_wrong_line_that_sets_it_is_accused(tmp_path):
    report = report_on(tmp_path, LAYER.replace("self.db += da.sum(axis=0)", "self.db += 0 * da.sum(axis=0)"))
    lines = (tmp_path / next(tmp_path.glob("*.py")).name).read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {"self.db += 0 * da.sum(axis=0)"}, report


def test_gradients_returned_in_a_dict_where_one_is_never_set_do_not_break_the_search_off(tmp_path):
    returned = 'return loss, {"x": dx, "W": layer.dW, "b": layer.db}'
    source = LAYER.replace("return loss, dx, layer.dW, layer.db", returned)
    assert report_on(tmp_path, source).ok
    report = report_on(tmp_path, source.replace("self.db += da.sum(axis=0)", "pass"))
    assert report.wrong_results == ["b"], report


def test_an_empty_array_in_the_forward_pass_does_not_break_the_search_off(tmp_path):
    source = LAYER.replace("self.x = x\n", "self.x, self.rest = x, x[:0]\n            rest = self.rest * 2\n")
    report = report_on(tmp_path, source.replace("1 - self.h**2", "1 - self.h"))
    lines = (tmp_path / next(tmp_path.glob("*.py")).name).read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {"da = dh * (1 - self.h)"}, report
