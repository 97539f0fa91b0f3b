"""What is left out, or put where it does not belong, in ways that few programs have: masks, slopes, variances, arrays
that grow, rows that are drawn twice."""

import ast

import numpy as np
import pytest
from students import lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.repair.analogy import replaced
from tinyrnn.verdicts.repair.change import Change, Pattern

R = np.random.default_rng(29)
SEQUENCE = {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 5))}
SEQUENCE |= {"W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5)) / 2}
RELU = """
    def forward(x, W, U):
        first = np.fmax(x @ W, 0)
        second = np.maximum(first @ U, 0)
        return second, {"x": x, "W": W, "U": U, "first": first, "second": second}

    def backward(dout, cache):
        x, W, U, first, second = (cache[key] for key in ("x", "W", "U", "first", "second"))
        inner = dout * (second > 0)
        dU = first.T @ inner
        below = inner @ U.T
        below = below * (first > 0)
        return below @ W.T, x.T @ below, dU
"""
SLOPES = """
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def sigmoid_slope(y):
        return y * (1 - y)

    def forward(x, W, U):
        first = sigmoid(x @ W)
        second = sigmoid(first @ U)
        return second, (x, W, U, first, second)

    def backward(dout, cache):
        x, W, U, first, second = cache
        upper = dout * sigmoid_slope(second)
        lower = upper @ U.T * sigmoid_slope(first)
        return lower @ W.T, x.T @ lower, first.T @ upper
"""
DEEP = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4)), "U": R.normal(size=(4, 5))}


def test_the_mask_of_a_relu_that_stands_nowhere_else_is_missed(tmp_path):
    report, lines = lines_accused(tmp_path, RELU, "below = below * (first > 0)", "pass", DEEP)
    assert lines == {"below = inner @ U.T"}, report


def test_the_derivative_that_a_function_gives_is_missed(tmp_path):
    report, lines = lines_accused(tmp_path, SLOPES, "dout * sigmoid_slope(second)", "dout", DEEP)
    assert lines == {"upper = dout"}, report


NORMED = """
    def forward(x, gain, shift):
        mean, spread = np.mean(x, axis=1, keepdims=True), np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-3)
        normed = (x - mean) / spread
        return gain * normed + shift, (gain, normed, spread)

    def backward(dout, cache):
        gain, normed, spread = cache
        dnormed = dout * gain
        dx = dnormed - dnormed.mean(axis=1, keepdims=True)
        dx = (dx - normed * (dnormed * normed).mean(axis=1, keepdims=True)) / spread
        return dx, np.sum(dout * normed, axis=0), np.sum(dout, axis=0)
"""


def test_a_slip_that_hides_a_variance_is_found_in_the_forward_pass(tmp_path):
    """As it stands the loss does not depend on the variance, which is fit for the complex step all the same."""
    given = {"x": R.normal(size=(3, 5)), "gain": R.normal(size=5), "shift": R.normal(size=5)}
    assert not lines_accused(tmp_path, NORMED, "", "", given)[0].notes
    report, lines = lines_accused(tmp_path, NORMED, "gain * normed + shift", "gain * (x - mean) + shift", given)
    assert len(lines) == 1 and "gain * (x - mean)" in lines.pop(), report


GROWS = """
    def forward(x, W):
        hs = np.zeros((5, 1))
        for t in range(len(x)):
            hs = np.append(hs, np.tanh(W @ x[t] + hs[:, -1:]), axis=1)
        return hs[:, -1:], (x, W, hs)

    def backward(dout, cache):
        x, W, hs = cache
        da = dout * (1 - hs[:, -1:] ** 2)
        for t in reversed(range(1, len(x))):
            before = da[:, 0].reshape(5, 1) * (1 - hs[:, t : t + 1] ** 2)
            da = np.insert(da, 0, before.T, axis=1)
        dW, dx = np.zeros_like(W), []
        for t in range(len(x)):
            dW += da[:, t].reshape(5, 1) @ x[t].T
            dx.append(W.T @ da[:, t].reshape(5, 1))
        return np.stack(dx), dW
"""


def test_an_array_that_grows_by_too_much_is_told_by_the_line_that_does_it(tmp_path):
    given = {"x": R.normal(size=(4, 3, 1)), "W": R.normal(size=(5, 3)) / 2}
    assert lines_accused(tmp_path, GROWS, "", "", given)[0].ok
    report, lines = lines_accused(tmp_path, GROWS, "before.T, axis=1", "before, axis=1", given)
    assert lines == {"da = np.insert(da, 0, before, axis=1)"}, report


CASES = """
    class Layer:
        def __init__(self, W, weights):
            self.W, self.weights = W, weights

        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W)
            return self.h @ self.weights

        def backward(self, dout):
            inner = dout @ self.weights.T * (1 - self.h**2)
            self.dw = self.x.T @ inner
            self.dweights = self.h.T @ dout
            return inner @ self.W.T
"""


@pytest.mark.parametrize("wrong", ["self.dw = -self.x.T @ inner", "self.dw = np.sum(self.x.T @ inner)"])
def test_a_gradient_that_is_called_in_small_letters_is_compared_whatever_it_is(tmp_path, wrong):
    path = write(tmp_path, CASES.replace("self.dw = self.x.T @ inner", wrong))
    with loaded(path) as module:
        layer = module.Layer(R.normal(size=(3, 4)), R.normal(size=(4, 5)))
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(2, 3))})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert report.wrong_results == ["W"]
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong}, report


def test_what_a_comprehension_runs_with_is_no_place_to_put_something_else():
    value = ast.parse("[a[i] * b[i] for i in range(3)]", mode="eval").body
    made = ast.unparse(replaced(value, {"i": ast.parse("Key.kinds", mode="eval").body}))
    assert made == "[a[Key.kinds] * b[Key.kinds] for i in range(3)]"


def test_nothing_is_put_in_a_copy_that_is_thrown_away():
    statement = ast.parse("states.append(h)").body[0]
    states, h = statement.value.func.value, statement.value.args[0]
    assert Change(statement, states, Pattern("{e}.copy()", "states")).is_of_no_use([])
    assert Change(statement, h, Pattern("{a}", a="states")).is_of_no_use([])
    assert not Change(statement, h, Pattern("{e}.copy()", "h")).is_of_no_use([])
    assert not Change(statement, states, Pattern("{a}", a="others")).is_of_no_use([])


def test_of_a_result_of_the_wrong_shape_that_no_edit_puts_right_the_line_that_makes_it_is_accused(tmp_path):
    source = """
    def loss_and_gradients(x, W, b):
        h = np.tanh(x @ W + b)
        inner = 2 * h * (1 - h**2)
        grads = {"W": x.T @ inner}
        grads["b"] = inner.sum(axis=0)
        settings = dict(W=W, b=b)  # which go by the names of the results
        return np.sum(h**2), grads["W"], grads["b"]
    """
    given = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4)), "b": R.normal(size=4)}
    assert lines_accused(tmp_path, source, "", "", given)[0].ok
    report, lines = lines_accused(tmp_path, source, "inner.sum(axis=0)", "np.sin(inner) ** 5 * 3", given)
    assert lines == {'grads["b"] = np.sin(inner) ** 5 * 3'}, report


NEARLY = """
    def forward(x, gain, W):
        mean = x.mean(axis=0)
        normed = (x - mean) / np.sqrt(np.var(x, axis=0) + 1e-6)
        return (gain * normed) @ W, (x, mean, gain, normed, W)

    def backward(dout, cache):
        x, mean, gain, normed, W = cache
        inverse = 1 / np.sqrt(np.var(x, axis=0) + 3e-6)
        inner = dout @ W.T
        dgain = np.sum(inner * normed, axis=0)
        dW = (gain * normed).T @ dout
        dnormed = inner * gain
        dvar = np.sum(dnormed * (x - mean), axis=0) * -0.5 * inverse**3
        dx = dnormed * inverse + dvar * 2 * (x - mean) / len(x)
        return dx - np.mean(dnormed * inverse, axis=0), dgain, dW
"""
UNLIKE = {"x": R.normal(size=(7, 3)), "gain": R.normal(size=3), "W": R.normal(size=(3, 4))}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("inverse**3", "inverse**2"), ("dnormed = inner * gain", "dnormed = inner"), ("inner * normed", "inner")],
)
def test_in_a_program_that_is_off_by_next_to_nothing_mistakes_are_found_all_the_same(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, NEARLY, "", "", UNLIKE)
    assert report.wrong_results == ["x"] and not lines and "by so little" in report.problems[0], report
    report, lines = lines_accused(tmp_path, NEARLY, right, wrong, UNLIKE)
    assert len(lines) == 1 and wrong in lines.pop(), report


DRAWN = """
    def forward(x, table, drawn):
        rows = table[drawn]
        return np.tanh(rows * x), (x, table, drawn, rows)

    def backward(dout, cache):
        x, table, drawn, rows = cache
        inner = dout * (1 - np.tanh(rows * x) ** 2)
        dtable = np.zeros_like(table)
        np.add.at(dtable, drawn, inner * x)
        return inner * rows, dtable
"""


def test_where_a_row_is_drawn_twice_and_added_once_the_line_is_accused(tmp_path):
    given = {"x": R.normal(size=(4, 3)), "table": R.normal(size=(5, 3)), "drawn": np.array([1, 3, 1, 0])}
    right, wrong = "np.add.at(dtable, drawn, inner * x)", "dtable[drawn] += inner * x"
    report, lines = lines_accused(tmp_path, DRAWN, right, wrong, given)
    assert lines == {wrong}, report


FROM_ZERO = """
    def step_forward(x, prev_h, prev_c, W, U):
        a = np.tanh(x @ W + prev_h @ U)
        g = 1 / (1 + np.exp(-a))
        next_c = g * prev_c + a
        return np.tanh(next_c), next_c, (x, prev_h, prev_c, W, U, a, g, next_c)

    def step_backward(dh, dc, cache):
        x, prev_h, prev_c, W, U, a, g, next_c = cache
        dc = dc + dh * (1 - np.tanh(next_c) ** 2)
        dprev_c = g * dc
        da = dc * (1 + prev_c * g * (1 - g)) * (1 - a**2)
        return da @ W.T, da @ U.T, dprev_c, x.T @ da, prev_h.T @ da

    def forward(x, h0, W, U):
        h, c, hs, caches = h0, 0, [], []
        for t in range(len(x)):
            h, c, cache = step_forward(x[t], h, c, W, U)
            hs.append(h)
            caches.append(cache)
        return np.stack(hs), caches

    def backward(dout, caches):
        dx, dh, dc = np.zeros((len(dout), *caches[0][0].shape)), 0, 0
        dW, dU = np.zeros_like(caches[0][3]), np.zeros_like(caches[0][4])
        for t in reversed(range(len(dout))):
            dx[t], dh, dc, dW_step, dU_step = step_backward(dout[t] + dh, dc, caches[t])
            dW += dW_step
            dU += dU_step
        return dx, dh, dW, dU
"""


def test_a_step_whose_first_state_is_the_number_0_is_not_taken_for_right_by_the_others(tmp_path):
    report, lines = lines_accused(tmp_path, FROM_ZERO, "dprev_c = g * dc", "dprev_c = dc", SEQUENCE)
    assert lines == {"dprev_c = dc"}, report
