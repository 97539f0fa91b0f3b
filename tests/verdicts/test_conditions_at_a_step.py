"""What a backward pass does at one step alone, and at another one than it should."""

import numpy as np
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(8)
LAST = """
    import numpy as np

    def run_forward(x, W, V):
        h = np.zeros((5, 2, 3))
        for t in range(4):
            h[t] = np.tanh(x[t] + h[t - 1] @ W)
        return h[3] @ V, (x, W, V, h)

    def run_backward(dout, cache):
        x, W, V, h = cache
        T = len(x)
        dx, dW, dV = np.zeros_like(x), np.zeros_like(W), np.zeros_like(V)
        dh = np.zeros((2, 3))
        for t in reversed(range(T)):
            if t == T - 1:
                dV += h[t].T @ dout
                dh = dout @ V.T
            da = dh * (1 - h[t] ** 2)
            dx[t] = da
            dW += h[t - 1].T @ da
            dh = da @ W.T
        return dx, dW, dV
    """
GIVEN = {"x": R.normal(size=(4, 2, 3)), "W": R.normal(size=(3, 3)), "V": R.normal(size=(3, 2))}


def test_a_condition_that_is_a_step_off_is_accused(tmp_path):
    path = write(tmp_path, LAST.replace("if t == T - 1:", "if t == T:"))
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, GIVEN)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {"if t == T:"}, report
