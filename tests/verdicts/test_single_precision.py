"""A program in single precision is judged in double: its rounding is no mistake, and hides none."""

from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

TEXT = """
    import numpy as np

    def empty(shape, dtype=np.float32):
        return np.empty(shape, dtype)

    class Net:
        def __init__(self, H=3):
            rng = np.random.default_rng(0)
            self.W = rng.normal(size=(H, H)).astype(np.float32)
            self.U = rng.normal(size=(2, H)).astype(np.float32)

        def forward(self, x):
            '''x (B, T, 2)'''
            h = empty((x.shape[0], x.shape[1] + 1, len(self.W)))
            h[:, -1] = 0
            for t in range(x.shape[1]):
                h[:, t] = np.tanh(x[:, t] @ self.U + h[:, t - 1] @ self.W)
            self.x, self.h = x, h
            return h[:, :-1]

        def backward(self, dh):
            self.dW, self.dU = np.zeros_like(self.W), np.zeros_like(self.U)
            dx, dnext = empty(self.x.shape), 0
            for t in reversed(range(self.x.shape[1])):
                da = (dh[:, t] + dnext) * (1 - self.h[:, t] ** 2)
                self.dU += self.x[:, t].T @ da
                self.dW += self.h[:, t - 1].T @ da
                dx[:, t] = da @ self.U.T
                dnext = da @ self.W.T
            return dx
    """


def test_rounding_is_no_mistake(tmp_path):
    with loaded(write(tmp_path, TEXT)) as module:
        report = tr.lines(module.Net)
    assert report.ok, report


def test_a_mistake_is_found_all_the_same(tmp_path):
    path = write(tmp_path, TEXT.replace("dnext = da @ self.W.T", "dnext = da @ self.W"))
    with loaded(path) as module:
        report = tr.lines(module.Net)
    assert [path.read_text().splitlines()[row.line - 1].strip() for row in report.wrong] == ["dnext = da @ self.W"]
