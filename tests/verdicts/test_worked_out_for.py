"""A line that works out what another one reads is accused, where an edit of either does: the number of a place in an
array, a size, a variable that is read there alone; and no line that only hands on, cuts off or starts with zeros."""

import ast

import numpy as np
import pytest
from students import accused_in_turn

from tinyrnn.verdicts.repair.around import called_alike
from tinyrnn.verdicts.repair.sieve import Look, is_pure

R = np.random.default_rng(8)
PIECES = """
    def pieces_of(x, k):
        rows, columns = x.shape[1] - k + 1, x.shape[2] - k + 1
        made = np.zeros((len(x), rows * columns, k * k))
        for i in range(rows):
            for j in range(columns):
                place = i * columns + j
                made[:, place] = x[:, i : i + k, j : j + k].reshape(len(x), -1)
        return made

    def forward(x, W):
        pieces = pieces_of(x, 2)
        return pieces @ W, (x, pieces, W)

    def backward(dout, cache):
        x, pieces, W = cache
        rows, columns = x.shape[1] - 1, x.shape[2] - 1
        dW = np.tensordot(pieces, dout, axes=((0, 1), (0, 1)))
        dpieces = dout @ W.T
        dx = np.zeros_like(x)
        for i in range(rows):
            for j in range(columns):
                number = i * columns + j
                piece = dpieces[:, number].reshape(len(x), 2, 2)
                dx[:, i : i + 2, j : j + 2] += piece
        return dx, dW
"""
TAKEN_OUT = """
    def forward(x, W, V):
        a, s = np.tanh(x @ W), np.sin(x @ W)
        return a @ V, {"a": a, "s": s, "x": x, "W": W, "V": V}

    def backward(dout, cache):
        x = cache["x"]
        W = cache["W"]
        V = cache["V"]
        a = cache["a"]
        s = cache["s"]
        dV = a.T @ dout
        da = dout @ V.T * (1 - a**2)
        return da @ W.T, x.T @ da, dV
"""
SUMS = """
    class Sums:
        def __init__(self):
            self.all = {}

        def add(self, value, name):
            self.all[name] = self.all.get(name, 0) + value

    def forward(x, W, V):
        h = np.tanh(x @ W)
        return h @ V / len(x), (x, h, W, V)

    def backward(dout, cache):
        x, h, W, V = cache
        sums, n = Sums(), len(x)
        da = dout @ V.T * (1 - h**2)
        of_W = x.T @ da
        of_V = h.T @ dout
        of_x = da @ W.T
        sums.add(of_x / n, "x")
        sums.add(of_W / n, "W")
        sums.add(of_V / n, "V")
        return sums.all["x"], sums.all["W"], sums.all["V"]
"""
STEPS = """
    def forward(x, h0, W, U):
        hs = [h0]
        for t in range(len(x)):
            hs.append(1.5 * np.tanh(x[t] @ W + hs[t] @ U))
        return np.stack(hs[1:]), (x, hs, W, U)

    def backward(dout, cache):
        x, hs, W, U = cache
        dW, dU, dx, later = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x), np.zeros_like(hs[0])
        for t in reversed(range(len(x))):
            before = hs[t]
            slope = 1.5 - hs[t + 1] ** 2 / 1.5
            da = (dout[t] + later) * slope
            dW += x[t].T @ da
            dU += before.T @ da
            dx[t] = da @ W.T
            later = da @ U.T
        for gradient in (dW, dU):
            np.clip(gradient, -1000, 1000, out=gradient)
        return dx, later, dW, dU
"""
MEAN = """
    def loss_and_gradients(x, y, W):
        steps, size = x.shape[0], x.shape[1]
        error = x @ W - y
        loss = np.mean(error**2)
        count = steps * size * y.shape[2]
        derror = 2 * error / count
        return loss, np.tensordot(x, derror, axes=((0, 1), (0, 1)))
"""
GIVEN = {
    PIECES: {"x": R.normal(size=(2, 4, 5)), "W": R.normal(size=(4, 3))},
    STEPS: {"x": R.normal(size=(4, 3, 2)), "h0": R.normal(size=(3, 5)), "W": R.normal(size=(2, 5))}
    | {"U": R.normal(size=(5, 5))},
    MEAN: {"x": R.normal(size=(7, 3, 11)), "y": R.normal(size=(7, 3, 5)), "W": R.normal(size=(11, 5))},
}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (PIECES, "", ""),
        (PIECES, "number = i * columns + j", "number = i * rows + j"),
        (PIECES, "number = i * columns + j", "number = i + j"),
        (STEPS, "before = hs[t]", "before = hs[t + 1]"),
        (STEPS, "before = hs[t]", "before = hs[0]"),
        (STEPS, "dU += before.T @ da", "dU += before.T @ da / 2"),
        (STEPS, "dx[t] = da @ W.T", "dx[0] = da @ W.T"),
        (MEAN, "", ""),
        (MEAN, "count = steps * size * y.shape[2]", "count = steps * y.shape[2]"),
        (MEAN, "derror = 2 * error / count", "derror = error / count"),
    ],
)
def test_the_line_that_works_it_out_is_accused(tmp_path, source, right, wrong):
    report, lines = accused_in_turn(tmp_path, source, right, wrong, GIVEN[source])
    assert lines == ([wrong] if wrong else []), report


def tanh_slope(y):
    return 1 - y**2


def relu_slope(y):
    return y > 0


def softplus(y):
    return np.log(1 + np.exp(y))


def test_beside_a_function_that_is_called_those_with_a_word_of_its_name_may_be_meant():
    assert list(called_alike(Look(globals(), globals()), {"tanh_slope"})) == ["relu_slope"]


def test_what_is_worked_out_takes_nothing_out_of_a_list():
    assert is_pure(ast.parse("np.append(x, 1) + np.insert(x, 0, 2) + x.sum()", mode="eval"))
    for text in ("hs.pop()", "hs.pop(0)[t]", "hs.append(x)", "x.sort()", "np.put(x, 0, 1)", "np.add.at(x, 0, 1)"):
        assert not is_pure(ast.parse(text, mode="eval")), text


LAYER = {"x": R.normal(size=(5, 3)), "W": R.normal(size=(3, 4)), "V": R.normal(size=(4, 2))}


def test_a_variable_is_not_accused_that_is_taken_out_under_its_own_name(tmp_path):
    report, lines = accused_in_turn(tmp_path, TAKEN_OUT, "dV = a.T @ dout", "dV = s.T @ dout", LAYER)
    assert lines == ["dV = s.T @ dout"], report


def test_a_call_is_accused_that_does_not_divide_as_those_beside_it_do(tmp_path):
    report, lines = accused_in_turn(tmp_path, SUMS, 'sums.add(of_W / n, "W")', 'sums.add(of_W, "W")', LAYER)
    assert lines == ['sums.add(of_W, "W")'], report
