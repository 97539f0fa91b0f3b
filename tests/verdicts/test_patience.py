"""What is said when the search for a line takes so long that it is broken off."""

from itertools import count

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair import patience
from tinyrnn.verdicts.repair.by_edits import ByEdits
from tinyrnn.verdicts.repair.search import Search

R = np.random.default_rng(36)
SOURCE = """
    def forward(x, W, V):
        h = np.tanh(x @ W)
        return h @ V, (x, W, V, h)

    def backward(dy, cache):
        x, W, V, h = cache
        dV = h.T @ dy
        dh = dy @ V.T
        da = dh * (1 - h ** 2)
        return da @ W.T, x.T @ da, dV
"""
GIVEN = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))}
ODD = "da = dh * (1 - h ** 2) * np.cosh(h) + np.sin(dh)"  # which no small edit puts right


@pytest.fixture(params=[0, 30, 150, 300, 420, 435])
def runs(request, monkeypatch):
    """The runs after which the search is broken off."""
    clock = count()
    monkeypatch.setattr(patience, "process_time", lambda: next(clock))
    monkeypatch.setattr(patience, "SECONDS", request.param)
    return request.param


def test_a_search_that_is_broken_off_says_so_and_accuses_no_right_line(tmp_path, runs):
    report, lines = lines_accused(tmp_path, SOURCE, "da = dh * (1 - h ** 2)", ODD, GIVEN)
    assert not report.ok and not lines
    (problem,) = report.problems
    assert "the gradient of x, W" in problem and f"broken off after {runs} s" in problem


def test_before_an_edit_is_found_no_line_is_accused_and_then_it_is(tmp_path, runs):
    wrong = "da = dh * (1 - h * 2)"
    report, lines = lines_accused(tmp_path, SOURCE, "da = dh * (1 - h ** 2)", wrong, GIVEN)
    said = [text for text in (*report.problems, *report.notes) if f"broken off after {runs} s" in text]
    assert not report.ok and (lines == {wrong} if not report.problems else not lines)
    assert said or lines == {wrong}


LAYERS = """
    class Tanh:
        def forward(self, x):
            self.y = np.tanh(x)
            return self.y

        def backward(self, d):
            return d * (1 - self.y ** 2)

    class Scale:
        def __init__(self, by):
            self.by = by

        def forward(self, x):
            self.x = x
            return x * self.by

        def backward(self, d):
            self.d_by = np.sum(d * self.x, axis=0)
            return d * self.by

    def loss_and_gradients(x, W, by):
        tanh, scale = Tanh(), Scale(by)
        y = scale.forward(tanh.forward(x @ W))
        da = tanh.backward(scale.backward(y))
        return np.sum(y ** 2) / 2, da @ W.T, x.T @ da, scale.d_by
"""
OF_LAYERS = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "by": R.normal(size=5)}


def test_an_edit_is_looked_for_in_the_lines_that_values_leave_when_time_is_up(tmp_path, monkeypatch):
    def edited(search, *args, **kwargs):
        clock[0] += 1e6
        patience.spend()

    clock = [0.0]
    monkeypatch.setattr(patience, "process_time", lambda: clock[0])
    monkeypatch.setattr(ByEdits, "edited", edited)
    wrong = "da = dh * (1 - h)"
    report, lines = lines_accused(tmp_path, SOURCE, "da = dh * (1 - h ** 2)", wrong, GIVEN)
    assert clock[0] and lines == {wrong} and any("broken off" in note for note in report.notes)


def test_of_two_layers_that_are_wrong_by_themselves_both_are_told_when_time_is_up(tmp_path, monkeypatch):
    def of_layers(search):
        if len([*search.by_layers]) == 2 and not clock[0]:
            clock[0] = 1e6
            patience.spend()
        return of_layers_of(search)

    clock, of_layers_of = [0.0], Search.of_layers
    monkeypatch.setattr(patience, "process_time", lambda: clock[0])
    monkeypatch.setattr(Search, "of_layers", of_layers)
    source = LAYERS.replace("return d * self.by", "return d")
    report, lines = lines_accused(tmp_path, source, "d * (1 - self.y ** 2)", "d * (1 - self.y)", OF_LAYERS)
    assert clock[0] and lines == {"return d * (1 - self.y)", "return d"}, report


def test_within_its_time_a_search_says_nothing_of_it(tmp_path):
    wrong = "da = dh * (1 - h * 2)"
    report, lines = lines_accused(tmp_path, SOURCE, "da = dh * (1 - h ** 2)", wrong, GIVEN)
    assert lines == {wrong} and not any("broken off" in text for text in (*report.problems, *report.notes))


def test_an_edit_that_was_found_as_time_is_up_is_accused(tmp_path, monkeypatch):
    clock, edit_of = [0.0], ByEdits.edit

    def edit(search, *args, **kwargs):
        found = edit_of(search, *args, **kwargs)
        clock[0] += 1e6 if found else 0
        return found

    monkeypatch.setattr(patience, "process_time", lambda: clock[0])
    monkeypatch.setattr(ByEdits, "edit", edit)
    wrong = "da = dh * (1 - h)"  # of which a square is forgotten: other lines are looked at all the same
    report, lines = lines_accused(tmp_path, SOURCE, "da = dh * (1 - h ** 2)", wrong, GIVEN)
    assert lines == {wrong} and any("broken off" in note for note in report.notes)


def test_time_is_up_only_within_a_limit_and_the_outer_one_decides(monkeypatch):
    clock = iter([0.0, 10.0, 20.0, 30.0, 70.0])
    monkeypatch.setattr(patience, "process_time", lambda: next(clock))
    patience.spend()  # outside of a limit no clock is asked
    with patience.limited():  # at 0
        patience.spend()
        with patience.limited():
            patience.spend()
        patience.spend()
        with pytest.raises(patience.OutOfPatience):
            patience.spend()
    patience.spend()
