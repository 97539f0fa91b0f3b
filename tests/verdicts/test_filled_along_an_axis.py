"""Gradients that are filled step by step along any axis."""

import numpy as np
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

CONVOLVED = """
    import numpy as np

    def run_forward(x, w):
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
        y = np.zeros((2, w.shape[0], x.shape[2]))
        for i in range(x.shape[2]):
            y[:, :, i] = np.tensordot(padded[:, :, i : i + 3], w, ([1, 2], [1, 2]))
        return y, (x, w, padded)

    def run_backward(dout, cache):
        x, w, padded = cache
        n = x.shape[2]
        wide = np.pad(dout, ((0, 0), (0, 0), (1, 1)))
        dx, dw = np.zeros_like(x), np.zeros_like(w)
        for i in range(n):
            dx[:, :, i] = np.tensordot(wide[:, :, i : i + 3], np.flip(w, axis=2), ([1, 2], [0, 2]))
        for k in range(3):
            dw[:, :, k] = np.tensordot(dout, padded[:, :, k : k + n], ([0, 2], [0, 2]))
        return dx, dw
    """


def test_a_sign_is_turned_where_it_is_wrong_and_not_where_the_last_axis_is_filled(tmp_path):
    right, wrong = "wide = np.pad(dout", "wide = -np.pad(dout"
    path = write(tmp_path, CONVOLVED.replace(right, wrong))
    given = {"x": np.random.default_rng(2).normal(size=(2, 3, 5)), "w": np.random.default_rng(3).normal(size=(4, 3, 3))}
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [lines[row.line - 1].strip().startswith(wrong) for row in report.wrong] == [True], report
