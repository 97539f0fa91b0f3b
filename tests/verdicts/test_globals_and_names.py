"""States in global variables, gradients whose names end in _d or come from above only sometimes, methods like
`__step__`."""

import numpy as np
import pytest
from students import accused_in_turn
from written_modules import judged, written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(9)
XS, H0 = R.normal(size=(4, 3)), R.normal(size=2)
WEIGHTS = {"W": R.normal(size=(3, 2)), "U": R.normal(size=(2, 2))}

GLOBALS = """
    def forward(x, h0, W, U):
        global H
        H = np.zeros((len(x) + 1, 2))
        H[0] = h0
        for t in range(len(x)):
            H[t + 1] = np.tanh(x[t] @ W + H[t] @ U)
        return H[1:]

    def backward(x, d, W, U):
        dW, dU, dh = np.zeros_like(W), np.zeros_like(U), np.zeros(2)
        for t in reversed(range(len(x))):
            da = (d[t] + dh) * (1 - H[t + 1] ** 2)
            dW += np.outer(x[t], da)
            dU += np.outer(H[t], da)
            dh = da @ U.T
        return dW, dU, dh

    def loss_and_gradients(x, h0, W, U):
        out = forward(x, h0, W, U)
        dW, dU, dh0 = backward(x, out, W, U)
        return 0.5 * np.sum(out ** 2), dh0, dW, dU
"""
SUFFIXES = """
    class Layer:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(3, 2))
        def forward(self, x, scale):
            self.x, self.scale, self.h = x, scale, np.tanh(x @ self.W)
            return self.h, self.h * scale
        def backward(self, a_d, c_d):
            h_d = a_d + c_d * self.scale
            scale_d = c_d * self.h
            z_d = h_d * (1 - self.h ** 2)
            self.W_d = self.x.T @ z_d
            return z_d @ self.W.T, scale_d
"""
SOMETIMES = """
    class Layer:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(3, 2))
        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W)
            return self.h
        def backward(self, pre_grad, dcn=None, dhn=None):
            dz = (pre_grad if dhn is None else pre_grad + dhn) * (1 - self.h ** 2)
            self.dW = self.x.T @ dz
            return dz @ self.W.T
"""
STEP = """
    class Layer:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(3, 2))
        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W)
            return self.h
        def __step__(self, d):
            dz = d * (1 - self.h ** 2)
            self.dW = self.x.T @ dz
            return dz @ self.W.T
        def backward(self, d):
            return self.__step__(d)
"""


def of_globals(folder, right="", wrong=""):
    assert right in GLOBALS
    with loaded(written(folder, program=GLOBALS.replace(right, wrong))) as module:
        report = tr.lines(module.loss_and_gradients, {"x": XS, "h0": H0, **WEIGHTS})
    return report, {(row.function, row.line) for row in report.wrong}


def test_what_one_function_sets_as_global_another_reads(tmp_path):
    report, lines = of_globals(tmp_path)
    assert report.ok and not lines, report


def test_a_mistake_beside_global_states_is_accused(tmp_path):
    report, lines = of_globals(tmp_path, "dU += np.outer(H[t], da)", "dU += np.outer(H[t + 1], da)")
    assert [function for function, _ in lines] == ["backward"] and report.wrong_results == ["U"], report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("text", "right", "wrong", "inputs"),
    [
        (SUFFIXES, "scale_d = c_d * self.h", "scale_d = a_d * self.h", {"x": XS, "scale": R.normal(size=(4, 2))}),
        (SOMETIMES, "* (1 - self.h ** 2)", "* (1 - self.h)", {"x": XS}),
        (STEP, "dz = d * (1 - self.h ** 2)", "dz = d * (1 + self.h ** 2)", {"x": XS}),
    ],
)
def test_right_is_right_and_the_wrong_line_is_accused(tmp_path, text, right, wrong, inputs):
    report, lines = judged(written(tmp_path, program=text), lambda module: module.Layer(), **inputs)
    assert report.ok and not lines, report
    assert right in text
    path = written(tmp_path, program=text.replace(right, wrong))
    report, lines = judged(path, lambda module: module.Layer(), **inputs)
    assert len(lines) == 1 and wrong in lines.pop(), report


HELD_GLOBALLY = """
    class Weight:
        def __init__(self, v):
            self.v, self.d = v, np.zeros_like(v)

    WEIGHTS = {"W": Weight(np.zeros((3, 3))), "U": Weight(np.zeros((3, 3)))}

    def backward(dh, dc, h, c, x, weights=WEIGHTS):
        da = dh * h
        da += dc
        weights["W"].d += x.T @ da
        weights["U"].d += c.T @ da
        return da @ weights["U"].v.T

    def loss_and_gradients(x, h0, W, U):
        for name, value in (("W", W), ("U", U)):
            WEIGHTS[name].v, WEIGHTS[name].d = value, np.zeros_like(value)
        hs = [h0]
        for t in range(len(x)):
            hs.append(x[t] @ WEIGHTS["W"].v + hs[t] @ WEIGHTS["U"].v)
        loss = 0.5 * sum(np.sum(h**2) for h in hs[1:])
        dc = np.zeros_like(h0)
        for t in reversed(range(len(x))):
            dc = backward(np.ones_like(h0), np.copy(dc), hs[t + 1], hs[t], x[t])
        return loss, WEIGHTS["W"].d, WEIGHTS["U"].d
"""


@pytest.mark.parametrize(("right", "wrong"), [("", ""), ("c.T @ da", "h.T @ da")])
def test_true_gradients_that_are_asked_for_on_the_way_leave_the_weights_of_a_global_object(tmp_path, right, wrong):
    r = np.random.default_rng(4)
    given = {"x": r.normal(size=(3, 2, 3)), "h0": r.normal(size=(2, 3))}
    given |= {"W": r.normal(size=(3, 3)), "U": 0.3 * r.normal(size=(3, 3))}
    report, lines = accused_in_turn(tmp_path, HELD_GLOBALLY, right, wrong, given)
    assert [wrong in line for line in lines] == ([True] if wrong else []), report
