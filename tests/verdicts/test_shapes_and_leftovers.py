"""Results of the wrong shape, gradients that are left over or never added to, and methods without `self`."""

import numpy as np
import pytest
from written_modules import judged, written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(8)
XS, ROWS = R.normal(size=(2, 3, 4)), R.normal(size=(5, 4))

LINEAR = """
    class Linear:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.b = r.normal(size=(4, 3)), r.normal(size=3)
        def forward(self, x):
            self.x = x
            return x @ self.W + self.b
        def backward(self, d):
            self.dW = np.einsum("bti,bto->io", self.x, d)
            self.db = d.sum(axis=(0, 1))
            return d @ self.W.T
"""
STATIC = """
    class Tanh:
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
            return Tanh.forward(self.z)
        def backward(self, d):
            dz = d * Tanh.slope(self.z)
            self.dW = self.x.T @ dz
            return dz @ self.W.T
"""
LOSS = """
    def loss_and_gradients(x, W, b, V, c, t):
        h = np.tanh(x @ W + b)
        y = h @ V + c
        loss = 0.5 * np.sum((y - t) ** 2)
        dy = y - t
        dV, dc = h.T @ dy, dy.sum(axis=0)
        dz = (dy @ V.T) * (1 - h ** 2)
        dW, db = x.T @ dz, dz.sum(axis=0)
        return loss, dW, db, dV, dc
"""
GIVEN = {"x": ROWS, "W": R.normal(size=(4, 3)), "b": R.normal(size=3), "V": R.normal(size=(3, 2))}
GIVEN |= {"c": R.normal(size=2), "t": R.normal(size=(5, 2))}
ATTENTION = """
    class Attention:
        def __init__(self):
            r = np.random.default_rng(1)
            self.Q, self.K, self.V, self.size = *r.normal(size=(3, 4, 4)), 4
        def forward(self, x):
            self.x, self.q, self.k, self.v = x, x @ self.Q, x @ self.K, x @ self.V
            e = np.exp(self.q @ self.k.T / np.sqrt(self.size))
            self.a = e / e.sum(axis=1, keepdims=True)
            return self.a @ self.v
        def backward(self, d):
            dv = self.a.T @ d
            da = d @ self.v.T
            ds = scores_slope(self.a, da) / np.sqrt(self.size)
            dq, dk = ds @ self.k, ds.T @ self.q
            self.dQ, self.dK, self.dV = self.x.T @ dq, self.x.T @ dk, self.x.T @ dv
            dx_q = dq @ self.Q.T
            dx_k = dk @ self.K.T
            dx_v = dv @ self.V.T
            return dx_q + dx_k + dx_v

    def scores_slope(a, da):
        return a * (da - (da * a).sum(axis=1, keepdims=True))
"""
UNFILLED = """
    class Conv:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=3)
        def forward(self, x):
            self.x = x
            y = np.zeros((x.shape[0], x.shape[1] - 2))
            for t in range(y.shape[1]):
                y[:, t] = x[:, t:t + 3] @ self.W
            return y
        def backward(self, d):
            self.dW = np.zeros(3)
            dx = np.zeros_like(self.x)
            for t in range(d.shape[1]):
                self.dW += self.x[:, t:t + 3].T @ d[:, t]
                dx[:, t:t + 3] += np.outer(d[:, t], self.W)
            return dx
"""


def accused(folder, text, name, right="", wrong="", **inputs):
    assert right in text
    path = written(folder, program=text.replace(right, wrong))
    return judged(path, lambda module: getattr(module, name)(), **inputs)


@pytest.mark.parametrize(
    ("text", "name", "inputs"),
    [(LINEAR, "Linear", XS), (STATIC, "Layer", ROWS), (ATTENTION, "Attention", ROWS), (UNFILLED, "Conv", ROWS)],
)
def test_the_programs_are_right_as_they_are(tmp_path, text, name, inputs):
    report, lines = accused(tmp_path, text, name, x=inputs)
    assert report.ok and not lines, report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "wrong", ["self.db = d", "self.db = d.sum()", "self.db = np.sum(d)", "self.db = d.sum(axis=0)"]
)
def test_a_gradient_that_is_not_summed_to_its_shape_is_accused_where_it_is_made(tmp_path, wrong):
    report, lines = accused(tmp_path, LINEAR, "Linear", "self.db = d.sum(axis=(0, 1))", wrong, x=XS)
    assert lines == {wrong}, report


@pytest.mark.parametrize("wrong", ["return 1 + np.tanh(x) ** 2", "return 1 - np.tanh(x)"])
def test_a_static_method_is_accused_and_not_the_line_that_calls_it(tmp_path, wrong):
    report, lines = accused(tmp_path, STATIC, "Layer", "return 1 - np.tanh(x) ** 2", wrong, x=ROWS)
    assert lines == {wrong}, report


@pytest.mark.parametrize("wrong", ["return loss, dW, dy, dV, dc", "return loss, dW, dc, dV, dc"])
def test_another_array_among_gradients_is_not_all_right(tmp_path, wrong):
    path = written(tmp_path, program=LOSS.replace("return loss, dW, db, dV, dc", wrong))
    with loaded(path) as module:
        report = tr.lines(module.loss_and_gradients, GIVEN)
    assert not report.ok and (report.wrong_results == ["b"] or report.not_compared), report


def test_a_divisor_of_the_forward_pass_that_is_forgotten_is_accused_where_it_belongs(tmp_path):
    wrong = "ds = scores_slope(self.a, da)"
    report, lines = accused(tmp_path, ATTENTION, "Attention", f"{wrong} / np.sqrt(self.size)", wrong, x=ROWS)
    assert lines == {wrong}, report


def test_of_three_gradients_of_which_two_are_left_over_the_sum_is_accused(tmp_path):
    report, lines = accused(tmp_path, ATTENTION, "Attention", "return dx_q + dx_k + dx_v", "return dx_v", x=ROWS)
    assert lines == {"return dx_v"}, report


def test_a_gradient_that_stays_zeros_is_accused_where_it_begins(tmp_path):
    right = "dx[:, t:t + 3] += np.outer(d[:, t], self.W)"
    report, lines = accused(tmp_path, UNFILLED, "Conv", right, "pass", x=ROWS)
    assert lines == {"dx = np.zeros_like(self.x)"}, report


COUNTED = """
    CALLS = []

    def run_forward(x, W):
        CALLS.append(1)
        h = np.tanh(x @ W)
        return h, (x, W, h)

    def run_backward(dh, cache):
        x, W, h = cache
        dz = dh * (1 - h ** 2)
        return dz @ W.T, x.T @ dz
"""


@pytest.mark.parametrize("factor", ["", "2 * "])
def test_gradients_that_the_backward_pass_gives_but_for_a_factor_are_not_worked_out_entry_by_entry(tmp_path, factor):
    text = COUNTED.replace("dz = dh", f"dz = {factor}dh")
    inputs = {"x": R.normal(size=(3, 20)), "W": R.normal(size=(20, 30)) / 5}
    with loaded(written(tmp_path, program=text)) as module:
        report = tr.lines(module.run_forward, module.run_backward, inputs)
        calls = len(module.CALLS)
    assert report.ok == (not factor) and report.wrong_results == (["x", "W"] if factor else []), report
    assert calls < inputs["W"].size / 2


def test_a_gradient_that_is_wrong_in_one_entry_is_not_taken_for_true(tmp_path):
    wrong = "dW = x.T @ dz\n        dW[0, 1] *= 1.00001\n        return dz @ W.T, dW"
    inputs = {"x": R.normal(size=(3, 5)), "W": R.normal(size=(5, 4))}
    with loaded(written(tmp_path, program=COUNTED.replace("return dz @ W.T, x.T @ dz", wrong))) as module:
        report = tr.lines(module.run_forward, module.run_backward, inputs)
    assert report.wrong_results == ["W"], report
