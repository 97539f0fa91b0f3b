"""Lines behind a gradient of the wrong shape, calls that get one for another, what is set with others and never added
to, activations and powers that were forgotten."""

import numpy as np
import pytest
from students import lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(11)
NET = """
    import numpy as np

    def run_forward(x, W1, b1, W2, b2):
        a = x @ W1 + b1
        return np.tanh(a) @ W2 + b2, (x, a, W1, W2)

    def gathered(dx, dW1, dW2, db1, db2):
        return dx, dW1, db1, dW2, db2

    def run_backward(dout, cache):
        x, a, W1, W2 = cache
        dW1, dW2 = np.zeros_like(W1), np.zeros_like(W2)
        dW2 += np.tanh(a).T @ dout
        slope = 1 - np.tanh(a) ** 2
        da = dout @ W2.T * slope
        dW1 += x.T @ da
        db1, db2 = da.sum(axis=0), dout.sum(axis=0)
        return gathered(da @ W1.T, dW1, dW2, db1, db2)
    """
PADDED = """
    import numpy as np

    def run_forward(x, w):
        size = len(w)
        return np.array([x[k : k + size] @ w for k in range(len(x) - size + 1)]), (x, w)

    def run_backward(dout, cache):
        x, w = cache
        size = len(w)
        ends = (size - 1, size - 1)
        wide = np.pad(dout, ends)
        dx = np.array([wide[k : k + size] @ w[::-1] for k in range(len(wide) - size + 1)])
        dw = np.array([dout @ x[k : k + len(dout)] for k in range(size)])
        return dx, dw
    """
NORM = """
    import numpy as np

    def run_forward(x):
        apart = x - x.mean(axis=0)
        inverse = 1 / np.sqrt((apart**2).mean(axis=0) + 1e-3)
        return apart * inverse, (apart, inverse)

    def run_backward(dout, cache):
        apart, inverse = cache
        dinverse = (dout * apart).sum(axis=0)
        dvar = dinverse * -0.5 * inverse**3
        dapart = dout * inverse + 2 * apart * dvar / len(apart)
        return dapart - dapart.mean(axis=0)
    """
GIVEN = {
    NET: {"x": R.normal(size=(3, 2)), "W1": R.normal(size=(2, 4)), "b1": R.normal(size=4), "W2": R.normal(size=(4, 5))}
    | {"b2": R.normal(size=5)},
    PADDED: {"x": R.normal(size=7), "w": R.normal(size=3)},
    NORM: {"x": R.normal(size=(5, 3))},
}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (NET, "gathered(da @ W1.T, dW1, dW2, db1, db2)", "gathered(da @ W1.T, dW1, dW2, db2, db1)"),
        (NET, "slope = 1 - np.tanh(a) ** 2", "slope = 1 - a**2"),
        (PADDED, "ends = (size - 1, size - 1)", "ends = (size - 1, size - 2)"),
        (NORM, "dvar = dinverse * -0.5 * inverse**3", "dvar = dinverse * -0.5 * inverse"),
    ],
)
def test_the_line_is_accused_that_was_changed(tmp_path, source, right, wrong):
    report, lines = lines_accused(tmp_path, source, right, wrong, GIVEN[source])
    assert len(lines) == 1 and wrong in lines.pop(), report


def test_what_is_set_to_zeros_with_others_and_never_added_to_is_accused_there(tmp_path):
    report, lines = lines_accused(tmp_path, NET, "dW1 += x.T @ da", "pass", GIVEN[NET])
    assert lines == {"dW1, dW2 = np.zeros_like(W1), np.zeros_like(W2)"}, report


KEEPS = """
    class Layer:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.B = r.normal(size=(2, 3)), r.normal(size=(1, 3))
            self.{W}, self.{B} = np.zeros((2, 3)), np.zeros((1, 3))
        def forward(self, x):
            self.x = x
            return x @ self.W + self.B
        def backward(self, dout):
            n = len(dout)
            self.{W} = self.x.T @ dout
            self.{B} = np.sum(dout, axis=0, keepdims=True)
            return dout @ self.W.T
    """


@pytest.mark.parametrize(
    ("names", "right", "wrong"),
    [
        ({"W": "dW", "B": "dB"}, "self.dW = self.x.T @ dout", "self.dW = np.sum(dout, axis=0, keepdims=True)"),
        ({"W": "LW", "B": "LB"}, "self.LB = np.sum(dout, axis=0, keepdims=True)", "self.LB = np.sum(n)"),
    ],
)
def test_what_is_kept_under_the_name_of_a_gradient_is_compared_with_that(tmp_path, names, right, wrong):
    source = KEEPS.format(**names)
    assert source.count(right) == 1
    path = write(tmp_path, source.replace(right, wrong))
    with loaded(path) as module:
        layer = module.Layer()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(4, 2))})
    assert not report.ok, report
