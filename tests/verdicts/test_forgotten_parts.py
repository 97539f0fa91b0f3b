"""What was forgotten in a product or a difference, and is mentioned nowhere else in the backward pass."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(5)
COLUMNS = """
    import numpy as np

    def run_forward(X, U, W):
        h = {-1: np.zeros((3, 1))}
        for t in range(4):
            h[t] = np.tanh(U @ X[:, [t]] + W @ h[t - 1])
        return h[3], (X, U, W, h)

    def run_backward(dh, cache):
        X, U, W, h = cache
        dU, dW = np.zeros_like(U), np.zeros_like(W)
        for t in reversed(range(4)):
            da = dh * (1 - h[t] ** 2)
            dU += da @ X[:, [t]].T
            dW += da @ h[t - 1].T
            dh = W.T @ da
        return dU, dW
    """
CENTRED = """
    import numpy as np

    def run_forward(x, w):
        m = x.mean(axis=0)
        s = ((x - m) ** 3).mean(axis=0)
        return (w * s * x).sum(axis=1), (x, w, m, s)

    def run_backward(dout, cache):
        x, w, m, s = cache
        dw = (dout[:, None] * s * x).sum(axis=0)
        ds = (dout[:, None] * w * x).sum(axis=0)
        c = x - m
        dc = 3 * c**2 * ds / len(x)
        dx = dout[:, None] * w * s + dc - dc.mean(axis=0)
        return dx, dw
    """
GIVEN = {
    COLUMNS: {"X": R.normal(size=(2, 4)), "U": R.normal(size=(3, 2)), "W": R.normal(size=(3, 3))},
    CENTRED: {"x": R.normal(size=(5, 3)), "w": R.normal(size=3)},
}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (COLUMNS, "dU += da @ X[:, [t]].T", "dU += da"),
        (CENTRED, "c = x - m", "c = m"),
        (CENTRED, "c = x - m", "c = -m"),
    ],
)
def test_what_was_forgotten_of_a_product_or_a_difference_is_found_where_the_forward_pass_has_it(
    tmp_path, source, right, wrong
):
    assert source.count(right) == 1
    path = write(tmp_path, source.replace(right, wrong))
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, GIVEN[source])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong}, report
