"""Gradients that are worked out and never added, values that are wrong wherever a line reads them, what is taken from a
list, factors that were forgotten, a mean for a sum, and a gate for one less that gate."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(20)
TWICE = """
    def back(d, h, W):
        dW = h.T @ d
        return d @ W.T, dW

    def run_forward(x, g, W, U, V):
        s = np.sin(x @ W)
        h = g * s
        return h @ V + np.tanh(h @ U), (x, g, s, h, W, U, V)

    def run_backward(dy, cache):
        x, g, s, h, W, U, V = cache
        dh, dV = back(dy, h, V)
        da = dy * (1 - np.tanh(h @ U) ** 2)
        dcarry, dU = back(da, h, U)
        dh += dcarry
        dg = np.sum(dh * s, axis=0)
        dz = dh * g * np.cos(x @ W)
        dx, dW = back(dz, x, W)
        return dx, dg, dW, dU, dV
    """
GROWN = """
    def run_forward(x, W, b):
        y = [np.tanh(x[t] @ W + b) for t in range(len(x))]
        return np.stack(y), (x, y)

    def step(dy, x, y):
        da = dy * (1 - y**2)
        return x.T @ da, da.sum(axis=0)

    def run_backward(dy, cache):
        x, y = cache
        dW, db = step(dy[0], x[0], y[0])
        for t in range(1, len(x)):
            dW2, db2 = step(dy[t], x[t], y[t])
            dW += dW2
            db += db2
        return dW, db
    """
TAKEN = """
    def run_forward(x, h, W, U):
        kept = []
        for t in range(len(x)):
            before, h = h, np.tanh(x[t] @ W + h @ U)
            kept.append((x[t], before, h))
        return h, (kept, W, U)

    def run_backward(dh, cache):
        kept, W, U = cache
        dW, dU, dxs = np.zeros_like(W), np.zeros_like(U), []
        for _ in range(len(kept)):
            x, before, h = kept.pop()
            da = dh * (1 - h**2)
            dW += x.T @ da
            dU += before.T @ da
            dxs.append(da @ W.T)
            dh = da @ U.T
        return np.stack(dxs[::-1]), dh, dW, dU
    """
POWERS = """
    def run_forward(x, w):
        u = np.sin(x @ w)
        z = u * u
        return z * z, (x, w, u, z)

    def run_backward(dy, cache):
        x, w, u, z = cache
        du = 4 * np.multiply(dy, u**3)
        da = du * np.cos(x @ w)
        return da @ w.T, x.T @ da
    """
CUBED = POWERS.replace("z * z", "z * u").replace("4 * np.multiply(dy, u**3)", "3 * dy * z")
STATES = """
    def run_forward(x, W, U, n):
        h = [np.ones((2, 4))]
        for t in range(len(x)):
            h.append(1 / (1 + np.exp(-n * (x[t] @ W + np.sin(h[t] @ U)))))
        return np.stack(h[1:]), (x, h, W, U, n)

    def run_backward(dout, cache):
        x, h, W, U, n = cache
        dx, dW, dU = np.zeros_like(x), np.zeros_like(W), np.zeros_like(U)
        dnext = np.zeros_like(h[0])
        for t in reversed(range(len(x))):
            dh = dout[t] + dnext
            ds = dh * h[t + 1] * (1 - h[t + 1])
            da = ds * n
            dx[t] = da @ W.T
            dW += x[t].T @ da
            du = da * np.cos(h[t] @ U)
            dU += h[t].T @ du
            dnext = du @ U.T
        return dx, dW, dU
    """
NORM = """
    def run_forward(x, gamma, beta, W):
        u = np.tanh(x @ W)
        m = u.mean(axis=0)
        s = np.sqrt(u.var(axis=0) + 1e-5)
        z = (u - m) / s
        return gamma * z + beta, (x, u, s, z, gamma, W)

    def run_backward(dy, cache):
        x, u, s, z, gamma, W = cache
        n = len(x)
        dgamma = np.sum(dy * z, axis=0)
        dbeta = np.sum(dy, axis=0)
        dz = dy * gamma
        first = np.sum(dz, axis=0)
        second = np.sum(dz * z, axis=0)
        du = (n * dz - first - z * second) / (n * s)
        da = du * (1 - u**2)
        return da @ W.T, dgamma, dbeta, x.T @ da
    """
CHAIN = """
    def run_forward(x, W, b, U, V):
        a = x @ W + b
        h = np.tanh(a)
        c = h @ U
        g = np.sin(c)
        return g @ V, (x, a, h, c, g, W, U, V)

    def run_backward(dy, cache):
        x, a, h, c, g, W, U, V = cache
        dV = g.T @ dy
        dg = dy @ V.T
        dc = dg * np.cos(c)
        dU = h.T @ dc
        dh = dc @ U.T
        da = dh * (1 - h**2)
        dW = x.T @ da
        db = np.sum(da, axis=0)
        dx = da @ W.T
        return dx, dW, db, dU, dV
    """
GATED = """
    def run_forward(x, h, Wz, Wn, U):
        z = 1 / (1 + np.exp(-x @ Wz - h @ U))
        n = np.tanh(x @ Wn + h @ U)
        return z * h + (1 - z) * n, (x, h, z, n, Wz, Wn, U)

    def run_backward(delta, cache):
        x, h, z, n, Wz, Wn, U = cache
        dz = delta * (h - n)
        dn = delta * (1 - z)
        da_z = dz * z * (1 - z)
        da_n = dn * (1 - n**2)
        dWz = x.T @ da_z
        dWn = x.T @ da_n
        dU = h.T @ da_z + h.T @ da_n
        dx = da_z @ Wz.T + da_n @ Wn.T
        dh = delta * z + da_z @ U.T + da_n @ U.T
        return dx, dh, dWz, dWn, dU
    """
GIVEN = {
    TWICE: {"x": (5, 3), "g": (4,), "W": (3, 4), "U": (4, 2), "V": (4, 2)},
    GROWN: {"x": (3, 2, 3), "W": (3, 4), "b": (4,)},
    TAKEN: {"x": (3, 2, 3), "h": (2, 4), "W": (3, 4), "U": (4, 4)},
    POWERS: {"x": (5, 3), "w": (3, 2)},
    CUBED: {"x": (5, 3), "w": (3, 2)},
    STATES: {"x": (4, 2, 3), "W": (3, 4), "U": (4, 4)},
    NORM: {"x": (5, 3), "gamma": (4,), "beta": (4,), "W": (3, 4)},
    CHAIN: {"x": (5, 3), "W": (3, 4), "b": (4,), "U": (4, 4), "V": (4, 2)},
    GATED: {"x": (5, 3), "h": (5, 4), "Wz": (3, 4), "Wn": (3, 4), "U": (4, 4)},
}
GIVEN = {text: {name: R.normal(size=shape) for name, shape in shapes.items()} for text, shapes in GIVEN.items()}
GIVEN[STATES]["n"] = 2


def accused(folder, text, *changes):
    """(the report, the texts of the lines accused) with some lines changed."""
    inputs = GIVEN[text]
    for right, wrong in changes:
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    path = write(folder, text)
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, inputs)
    lines = path.read_text(encoding="utf-8").splitlines()
    return report, {lines[row.line - 1].strip() for row in report.wrong}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "text", GIVEN, ids=["twice", "grown", "taken", "powers", "cubed", "states", "norm", "chain", "gated"]
)
def test_the_programs_are_right_as_they_are(tmp_path, text):
    report, lines = accused(tmp_path, text)
    assert report.ok and not lines, report


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("text", "left_out", "line"),
    [
        (TWICE, "        dh += dcarry\n", "dh, dV = back(dy, h, V)"),
        (GROWN, "            db += db2\n", "dW, db = step(dy[0], x[0], y[0])"),
        (GROWN, "            dW += dW2\n", "dW, db = step(dy[0], x[0], y[0])"),
    ],
    ids=["of another layer", "of later steps, bias", "of later steps, weights"],
)
def test_a_gradient_that_is_never_added_is_missed_where_what_lacks_it_is_set(tmp_path, text, left_out, line):
    report, lines = accused(tmp_path, text, (left_out, ""))
    assert lines == {line}, report


def test_a_value_of_another_step_wherever_a_line_reads_it_is_accused_there(tmp_path):
    wrong = "ds = dh * h[t] * (1 - h[t])"
    report, lines = accused(tmp_path, STATES, ("ds = dh * h[t + 1] * (1 - h[t + 1])", wrong))
    assert lines == {wrong}, report


def test_what_should_be_taken_from_the_end_of_a_list_is_accused_where_it_is_read(tmp_path):
    wrong = "x, before, h = kept[-1]"
    report, lines = accused(tmp_path, TAKEN, ("x, before, h = kept.pop()", wrong))
    assert lines == {wrong}, report


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (POWERS, "du = 4 * np.multiply(dy, u**3)", "du = np.multiply(dy, u**3)"),
        (POWERS, "du = 4 * np.multiply(dy, u**3)", "du = dy * u**3"),
        (CUBED, "du = 3 * dy * z", "du = dy * z"),
    ],
)
def test_a_factor_of_three_or_four_is_missed_where_it_was(tmp_path, text, right, wrong):
    report, lines = accused(tmp_path, text, (right, wrong))
    assert lines == {wrong}, report


def test_a_mean_for_a_sum_is_accused_and_not_the_line_that_reads_it(tmp_path):
    wrong = "first = np.mean(dz, axis=0)"
    report, lines = accused(tmp_path, NORM, ("first = np.sum(dz, axis=0)", wrong))
    assert lines == {wrong}, report


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "first",
    [
        ("db = np.sum(da, axis=0)", "db = np.mean(da, axis=0)"),
        ("dU = h.T @ dc", "dU = g.T @ dc"),
    ],
    ids=["a mean", "a state"],
)
def test_of_two_mistakes_the_second_is_told_by_what_names_call_right(tmp_path, first):
    second = ("dc = dg * np.cos(c)", "dc = dg")
    report, lines = accused(tmp_path, CHAIN, first, second)
    assert lines == {first[1], second[1]}, report


def test_a_gate_for_one_less_the_gate_is_accused_where_it_stands(tmp_path):
    wrong = "dn = delta * z"
    report, lines = accused(tmp_path, GATED, ("dn = delta * (1 - z)", wrong))
    assert lines == {wrong}, report
