"""A helper that gives the derivative of an activation is right by itself, whatever a line gives it."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.repair.helpers import is_right_by_itself

R = np.random.default_rng(3)


def tanh(x):
    return np.tanh(x)


def tanh_prime(x):
    return 1 - np.tanh(x) ** 2


def dtanh(y):
    return 1 - y * y


def sigmoid_backward(above, y):
    return above * y * (1 - y)


def tanh_wrong(x):
    return 1 - x


def tanh_slope(y):
    return y * (1 - y)


class Keeps:
    def forward(self, x):
        self.out = np.tanh(x)
        return self.out

    def backward(self, above):
        return above * (1 - self.out**2)

    def slope(self):
        return 1 - self.out**2


@pytest.mark.parametrize("helper", [tanh_prime, dtanh, sigmoid_backward])
def test_a_derivative_is_right_for_what_an_activation_is_given_or_gave(helper):
    assert is_right_by_itself(helper)


@pytest.mark.parametrize("helper", [tanh_wrong, tanh_slope, tanh])
def test_what_is_no_derivative_of_the_activation_that_its_name_says_is_not_right(helper):
    assert not is_right_by_itself(helper)


@pytest.mark.parametrize("name", ["backward", "slope"])
def test_a_method_may_use_what_its_object_keeps_which_is_left_as_it_was(name):
    made = Keeps()
    assert is_right_by_itself(getattr(Keeps, name), made)
    assert not vars(made)


SOURCE = """
    def tanh_d(y):
        slope = 1 - y * y
        return slope

    def run_forward(x, w, u, h0):
        hs = {-1: h0}
        for t in range(3):
            hs[t] = np.tanh(w * x[t] + u * hs[t - 1])
        return hs[0] + hs[1] + hs[2], (x, w, u, hs)

    def run_backward(dout, cache):
        x, w, u, hs = cache
        dx, dw, du, carried = np.zeros_like(x), np.zeros_like(w), np.zeros_like(u), np.zeros_like(w)
        for t in reversed(range(3)):
            da = tanh_d(hs[t]) * (dout + carried)
            dx[t] = da * w
            dw += da * x[t]
            du += da * hs[t - 1]
            carried = da * u
        dh0 = carried
        return dx, dw, du, dh0
    """


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["da = tanh_d(hs[t - 1]) * (dout + carried)", "da = tanh_d(hs[t]) * dout"])
def test_the_line_that_calls_a_right_helper_is_accused(tmp_path, wrong):
    path = write(tmp_path, SOURCE.replace("da = tanh_d(hs[t]) * (dout + carried)", wrong))
    with loaded(path) as module:
        given = {"x": R.normal(size=(3, 2)), "w": R.normal(size=2), "u": R.normal(size=2), "h0": R.normal(size=2)}
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong}, report


def test_a_helper_that_is_wrong_is_accused_itself(tmp_path):
    wrong = "slope = 1 - y"
    path = write(tmp_path, SOURCE.replace("slope = 1 - y * y", wrong))
    with loaded(path) as module:
        given = {"x": R.normal(size=(3, 2)), "w": R.normal(size=2), "u": R.normal(size=2), "h0": R.normal(size=2)}
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong}, report
