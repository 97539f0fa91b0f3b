"""What the forward pass keeps wrongly for the backward pass: no line of that is at fault, but the one that keeps it."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(3)
RNN = """
    import numpy as np

    def step(x, h, W, U):
        h_next = np.tanh(x @ W + h @ U)
        cache = (x, h, h_next, W, U)
        return h_next, cache

    def run_forward(x, W, U):
        h, caches = np.zeros((2, 3)), []
        for t in range(4):
            h, cache = step(x[t], h, W, U)
            caches.append(cache)
        return h, caches

    def run_backward(dh, caches):
        dx, dW, dU = np.zeros((4, 2, 2)), np.zeros((2, 3)), np.zeros((3, 3))
        for t in reversed(range(4)):
            x, h, h_next, W, U = caches[t]
            da = dh * (1 - h_next**2)
            dx[t] = da @ W.T
            dW += x.T @ da
            dU += h.T @ da
            dh = da @ U.T
        return dx, dW, dU
    """
NORM = """
    import numpy as np

    def run_forward(x, g):
        m = x - x.mean(axis=0)
        s = np.sqrt((m**2).mean(axis=0) + 1e-5)
        z = m / s
        cache = {"z": z, "s": s, "g": g}
        return g * z, cache

    def run_backward(dout, cache):
        z, s, g = cache["z"], cache["s"], cache["g"]
        dg = np.sum(dout * z, axis=0)
        dz = dout * g
        dx = (dz - dz.mean(axis=0) - z * (dz * z).mean(axis=0)) / s
        return dx, dg
    """
FILLED = """
    import numpy as np

    def run_forward(x, W, U):
        h = np.zeros((2, 3))
        states = np.zeros((5, 2, 3))
        slopes = np.zeros((4, 2, 3))
        for t in range(4):
            h = np.tanh(x[t] @ W + h @ U)
            slope = 1 - h**2
            states[t] = h
            slopes[t] = slope
        return h, (x, states, slopes, W, U)

    def run_backward(dh, kept):
        x, states, slopes, W, U = kept
        dx, dW, dU = np.zeros((4, 2, 2)), np.zeros((2, 3)), np.zeros((3, 3))
        for t in reversed(range(4)):
            da = dh * slopes[t]
            dx[t] = da @ W.T
            dW += x[t].T @ da
            dU += states[t - 1].T @ da
            dh = da @ U.T
        return dx, dW, dU
    """
GIVEN = {
    RNN: {"x": R.normal(size=(4, 2, 2)), "W": R.normal(size=(2, 3)), "U": R.normal(size=(3, 3))},
    FILLED: {"x": R.normal(size=(4, 2, 2)), "W": R.normal(size=(2, 3)), "U": R.normal(size=(3, 3))},
    NORM: {"x": R.normal(size=(5, 3)), "g": R.normal(size=3)},
}


def accused(folder, source, right, wrong):
    return lines_accused(folder, source, right, wrong, GIVEN[source])


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (RNN, "cache = (x, h, h_next, W, U)", "cache = (x, 0 * h, h_next, W, U)"),
        (RNN, "cache = (x, h, h_next, W, U)", "cache = (x, h_next, h_next, W, U)"),
        (NORM, 'cache = {"z": z, "s": s, "g": g}', 'cache = {"z": z, "s": -s, "g": g}'),
    ],
)
def test_what_is_kept_wrongly_is_accused_where_it_is_kept(tmp_path, source, right, wrong):
    report, lines = accused(tmp_path, source, right, wrong)
    assert lines == {wrong}, report


def test_an_array_that_is_kept_and_never_filled_is_accused_where_it_is_made(tmp_path):
    report, lines = accused(tmp_path, FILLED, "slopes[t] = slope\n", "pass\n")
    assert lines == {"slopes = np.zeros((4, 2, 3))"}, report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("* (dz * z).mean(axis=0)) / s", "* (dz * z).mean(axis=0)) / -s"),
        ('z, s, g = cache["z"], cache["s"], cache["g"]', 'z, s, g = cache["z"], cache["g"], cache["g"]'),
    ],
)
def test_a_wrong_line_of_the_backward_pass_is_accused_though_another_value_kept_would_do(tmp_path, right, wrong):
    report, lines = accused(tmp_path, NORM, right, wrong)
    assert len(lines) == 1 and wrong in lines.pop(), report
