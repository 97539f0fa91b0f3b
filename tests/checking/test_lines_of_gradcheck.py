"""A failed gradient check points to the first wrong line, and has the verdicts on all of them."""

import linecache
import pickle

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.verdicts.report import LineReports


class WrongElman(tr.Elman):
    def step_backward(self, p, dh, *, h):
        da = dh * (1 + h * h)  # 1 - h²
        return da, (da @ p.W_h.T,)


class BrokenElman(tr.Elman):
    def step_backward(self, p, dh, *, h):
        da = dh * self.nothing
        return da, (da @ p.W_h.T,)


def step(params, x, state):
    (h_prev,) = state
    h = np.tanh(x @ params["W"] + h_prev @ params["U"])
    return (h,), (x, h_prev, h)


def wrong_step_backward(params, cache, dstate):
    x, _, h = cache
    da = dstate[0] * (1 - h**2)
    dU = h.T @ da
    return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": dU}


def step_cell():
    params = {"W": np.ones((3, 4)) / 3, "U": np.eye(4) / 2}
    return tr.StepCell(step, wrong_step_backward, params=params, input_size=3, state_sizes=4)


def last_line(report):
    return str(report).splitlines()[-1]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "cell, text",
    [
        (WrongElman(2, 3, rng=0), "da = dh * (1 + h * h)"),
        (step_cell(), "dU = h.T @ da"),
        (BrokenElman(2, 3, rng=0), "da ="),
    ],
    ids=["cell", "StepCell", "a cell that raises an error"],
)
def test_the_table_ends_with_the_first_wrong_line(cell, text):
    report = tr.gradcheck(cell)
    row = report.lines.first_wrong
    assert text in linecache.getline(__file__, row.line)
    assert last_line(report).startswith("first wrong line: ")
    assert f"{__file__.rpartition('/')[2]}:{row.line}, {text}" in last_line(report)
    assert "#" not in last_line(report)


def test_a_right_cell_has_lines_too_and_no_pointer():
    report = tr.gradcheck(tr.GRU(2, 3, rng=0))
    assert report.lines.ok and report.lines is report.lines
    assert "first wrong line" not in str(report)


def test_the_verdicts_are_worked_out_only_when_asked_for(monkeypatch):
    calls = []
    monkeypatch.setattr("tinyrnn.verdicts.entry.lines", lambda network: calls.append(network))
    report = tr.gradcheck(WrongElman(2, 3, rng=0))
    assert calls == [] and report.lines is None and len(calls) == 1
    assert report.lines is None and len(calls) == 1


def test_of_a_stack_or_model_every_cell_is_judged():
    stack = tr.Stack(tr.Elman(2, 3, rng=0), WrongElman(3, 4, rng=0))
    for network in (stack, tr.Model(stack, tr.Readout(4, 3, rng=0), loss="cross_entropy", at="every")):
        report = tr.gradcheck(network, T=2)
        assert isinstance(report.lines, LineReports)
        assert [lines.ok for lines in report.lines] == [True, False]
        assert "da = dh * (1 + h * h)" in last_line(report)


def test_a_report_can_be_stored_with_its_lines_if_they_were_asked_for():
    report = tr.gradcheck(WrongElman(2, 3, rng=0))
    assert pickle.loads(pickle.dumps(report)).lines is None
    assert report.lines.first_wrong.line == pickle.loads(pickle.dumps(report)).lines.first_wrong.line


def test_where_no_line_can_be_judged_the_table_stands_alone(monkeypatch):
    def refuse(network):
        raise ValueError("nothing to be read")

    monkeypatch.setattr("tinyrnn.verdicts.entry.lines", refuse)
    report = tr.gradcheck(WrongElman(2, 3, rng=0))
    assert "first wrong line" not in str(report) and "WRONG" in str(report)
