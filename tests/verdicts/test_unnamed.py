"""Gradients of values without a name: `da` where the forward pass says `h = tanh(x @ W + …)`."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.record.came import Came
from tinyrnn.verdicts.repair.results import Results


def step(params, x, state):
    (h_prev,) = state
    h = np.tanh(x @ params["W"] + h_prev @ params["U"])
    return (h,), (x, h_prev, h)


def step_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h**2)
    return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}


def wrong_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h)
    return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}


def cell_of(backward):
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(3, 5)), "U": rng.normal(size=(5, 5))}
    return tr.StepCell(step, backward, params=params, input_size=3, state_sizes=5)


def verdicts(report):
    return {row.name: row for row in report.rows}


def test_the_example_of_the_readme_is_judged_in_every_line():
    report = tr.lines(cell_of(step_backward))
    assert report.ok and not report.unjudged, report
    row = verdicts(report)["da"]
    assert row.verdict == "ok" and row.partner.startswith("what tanh is given in line ") and row.error < 1e-12


def test_a_wrong_gradient_of_an_unnamed_value_is_not_called_right():
    report = tr.lines(cell_of(wrong_backward))
    assert verdicts(report)["da"].verdict == "wrong", report


GATES = '''
    def net_forward(x, h0, W, U):
        """x (N, T, D), h0 (N, H), W (D, H), U (H, H)"""
        h, hs = h0, []
        for t in range(x.shape[1]):
            h = {function}
            hs.append(h)
        return np.stack(hs, 1), (x, h0, W, U, hs)


    def net_backward(dout, cache):
        x, h0, W, U, hs = cache
        dW, dU, dx, dh = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x), np.zeros_like(h0)
        for t in reversed(range(len(hs))):
            dtotal = dout[:, t] + dh
            dnet = dtotal * {slope}
            dx[:, t] = dnet @ W.T
            dW += x[:, t].T @ dnet
            dU += (hs[t - 1] if t else h0).T @ dnet
            dh = {two}dnet @ U.T
        return dx, dh, dW, dU
'''
FUNCTIONS = {
    "np.tanh(x[:, t] @ W + h @ U)": "(1 - hs[t] ** 2)",
    "1 / (1 + np.exp(-(x[:, t] @ W + h @ U)))": "hs[t] * (1 - hs[t])",
    "np.maximum(x[:, t] @ W + h @ U, 0)": "(hs[t] > 0)",
}


@pytest.mark.few(1)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("two", ["", "2 * "])
def test_gradients_before_a_nonlinearity_in_a_loop_are_judged(tmp_path, function, two):
    with loaded(write(tmp_path, GATES.format(function=function, slope=FUNCTIONS[function], two=two))) as module:
        (report,) = tr.lines(module)
    row = verdicts(report)["dnet"]
    assert (row.verdict, row.times) == ("ok", 4), report
    assert bool(report.wrong) == bool(two), report


TWO_MISTAKES = '''
    def step_forward(x, h, W, U, V):
        """x (N, D), h (N, H), W (D, H), U (H, H), V (H, H)"""
        i = np.tanh(x @ W)
        o = np.tanh(h @ U)
        s = i * o
        y = np.tanh(s) @ V
        return y, (x, h, W, U, V, i, o, s)


    def step_backward(dy, cache):
        x, h, W, U, V, i, o, s = cache
        through = (dy @ V.T) * (1 - np.tanh(s))
        di = through * o
        do = through * i
        dai = di * (1 - i**2)
        dao = do * (1 - o**2)
        dV = s.T @ dy
        return dai @ W.T, dao @ U.T, x.T @ dai, h.T @ dao, dV
'''


@pytest.mark.slow
def test_the_fewest_lines_are_accused_not_all_that_have_a_name(tmp_path):
    with loaded(write(tmp_path, TWO_MISTAKES.replace("s.T @ dy", "np.tanh(s).T @ dy * 2"))) as module:
        (report,) = tr.lines(module)
    lines = dict(report.sources)["step_backward"]
    assert {lines[row.line].split()[0] for row in report.wrong} == {"through", "dV"}, str(report)


def test_a_result_is_not_taken_for_the_gradient_of_what_no_output_depends_on():
    wanted = {"inputs": np.ones((5, 4)), "kept": np.zeros((5, 4))}
    came = [Came((), "d_in", 2 * np.ones((5, 4)), False)]
    results = Results(came, wanted, lambda got, right: abs(got - right).max(), 1e-6)
    assert results.wrong(came) == ["inputs"] and not results.unpaired


def test_an_entry_of_a_dict_of_lists_that_is_not_compared_is_told_where_others_are():
    known, other = np.ones((2, 3)), np.full((3, 2), 2.0)
    came = [Came((1, "a", 0), "a[0]", known), Came((1, "b", 0), "b[0]", other)]
    wanted = {"inner.a[0]": known, "outer.b[0]": other + 1, "inner.b[0]": other + 2}
    results = Results(came, wanted, lambda got, right: abs(got - right).max(), 1e-6, is_forward=lambda array: False)
    assert results.pairs == {(1, "a", 0): "inner.a[0]"}
    assert [one.name for one in results.unpaired] == ["b[0]"]
