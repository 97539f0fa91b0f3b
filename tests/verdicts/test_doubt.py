"""Where values alone do not tell which line is at fault, none is accused and all are named; and what tells."""

from types import SimpleNamespace

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.repair.search import Search

R = np.random.default_rng(12)
CHAIN = """
    def run_forward(x, w):
        q = np.cumsum(np.sin(x) * w)
        return np.sum(q**3), (x, w, q)

    def run_backward(dout, cache):
        x, w, q = cache
        up = 3 * q**2 * dout
        mid = up[::-1]
        down = np.cumsum(mid)
        dsum = down[::-1]
        dx = dsum * w * np.cos(x)
        dw = dsum * np.sin(x)
        return dx, dw
    """
CHAINED = {"x": R.normal(size=4), "w": R.normal(size=4)}


def judged(folder, source, given, forward="run_forward", backward="run_backward"):
    """(the report, {texts of the lines accused}, {texts of the lines named as one of several})."""
    path = write(folder, source)
    with loaded(path) as module:
        report = tr.lines(getattr(module, forward), getattr(module, backward), given)
    lines = path.read_text(encoding="utf-8").splitlines()
    named = [row for row in report.unjudged if any("right values in one of them" in phrase for phrase in row.how)]
    return report, *({lines[row.line - 1].strip() for row in rows} for rows in (report.wrong, named))


def test_of_lines_that_may_as_well_be_at_fault_none_is_accused_and_all_are_named(tmp_path):
    wrong = "mid = np.roll(up, 1)[::-1] ** 3"
    report, accused, named = judged(tmp_path, CHAIN.replace("mid = up[::-1]", wrong), CHAINED)
    assert not report.ok and report.wrong_results == ["x", "w"]
    assert not accused, report
    assert wrong in named and len(named) > 1, report
    assert any("one of these lines is at fault" in text for text in report.problems), report
    assert "WRONG" not in str(report)


def test_where_an_edit_tells_the_line_it_is_accused(tmp_path):
    report, accused, named = judged(tmp_path, CHAIN.replace("mid = up[::-1]", "mid = -up[::-1]"), CHAINED)
    assert accused == {"mid = -up[::-1]"} and not named, report


NAMED = """
    def run_forward(x, w, b):
        h = np.tanh(x @ w + b)
        return h, (x, w, h)

    def run_backward(dh, cache):
        x, w, h = cache
        da = dh * (1 - h * h)
        dw = x.T @ da
        db = da.sum(axis=0)
        return {"x": da @ w.T, "w": dw, "b": db}
    """
GIVEN = {"x": R.normal(size=(5, 4)), "w": R.normal(size=(4, 3)), "b": R.normal(size=3)}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ('return {"x": da @ w.T, "w": dw, "b": db}', 'return {"x": da @ w.T, "w": -dw, "b": db}'),
        ('return {"x": da @ w.T, "w": dw, "b": db}', 'return {"x": -da @ w.T, "w": dw, "b": db}'),
        ("db = da.sum(axis=0)", "db = -da.sum(axis=0)"),
    ],
)
def test_a_sign_is_wrong_where_it_stands_in_what_is_returned_or_before(tmp_path, right, wrong):
    report, accused, _ = judged(tmp_path, NAMED.replace(right, wrong), GIVEN)
    assert accused == {wrong}, report


TWICE = """
    def run_forward(x, w, v):
        hs = {-1: np.zeros(3)}
        for t in range(3):
            hs[t] = np.tanh(w * x[t] + v * hs[t - 1])
        return hs[0] * hs[1] * hs[2], (x, w, v, hs)

    def step(da, x, h):
        dw = da * x
        dv = da * h
        return {"dw": dw, "dv": dv}

    def run_backward(dy, cache):
        x, w, v, hs = cache
        dx, dw, dv, carried = np.zeros_like(x), np.zeros_like(w), np.zeros_like(v), np.zeros_like(v)
        above = {0: dy * hs[1] * hs[2], 1: dy * hs[0] * hs[2], 2: dy * hs[0] * hs[1]}
        for t in reversed(range(3)):
            da = (above[t] + carried) * (1 - hs[t] ** 2)
            dx[t] = da * w
            gradients = step(da, x[t], hs[t - 1])
            dw += gradients["dw"]
            dv += gradients["dv"]
            carried = da * v
        return dx, dw, dv
    """


@pytest.mark.slow
def test_of_two_mistakes_an_edit_of_one_is_weighed_while_the_other_is_right(tmp_path):
    source = TWICE.replace("dw = da * x\n", "dw = da * h\n").replace('dv += gradients["dv"]', 'dv = gradients["dv"]')
    given = {"x": R.normal(size=(3, 3)), "w": R.normal(size=3), "v": R.normal(size=3)}
    report, accused, _ = judged(tmp_path, source, given)
    assert accused == {"dw = da * h", 'dv = gradients["dv"]'}, report


NORM = """
    def run_forward(x):
        less = x - x.mean(axis=0)
        spread = (less**2).mean(axis=0) + 1e-3
        return less / np.sqrt(spread), (less, spread)

    def run_backward(dout, cache):
        less, spread = cache
        n, each = len(less), np.ones_like(less)
        inverse = np.sum(dout * less, axis=0)
        variance = -0.5 * spread**-1.5 * inverse
        squares = each / n * variance
        into = dout / np.sqrt(spread) + 2 * less * squares
        total = -np.sum(into, axis=0)
        means = each / n * total
        dx = into + means
        return dx
    """


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("means = each / n * total", "means = each * total"),  # squares is divided in the same way
        ("squares = each / n * variance", "squares = each * variance"),
        ("into = dout / np.sqrt(spread) + 2 * less * squares", "into = dout / np.sqrt(spread) + less * squares"),
        ("total = -np.sum(into, axis=0)", "total = np.sum(into, axis=0)"),
    ],
)
def test_what_a_line_lacks_is_looked_for_where_it_looks_like_another_one_or_a_derivative_is_made(
    tmp_path, right, wrong
):
    report, accused, _ = judged(tmp_path, NORM.replace(right, wrong), {"x": R.normal(size=(5, 3))})
    assert accused == {wrong}, report


LOOKUP = """
    class Table:
        def __init__(self, rows):
            self._rows, self._drows = rows, np.zeros_like(rows)

        def forward(self, words):
            return self._rows[words]

        def backward(self, above, words):
            for i in range(words.shape[0]):
                for j in range(words.shape[1]):
                    place = words[i, j]
                    self._drows[place] += above[i, j]
    """


def test_gradients_with_an_underscore_are_of_weights_with_one(tmp_path):
    wrong = "self._drows[place] = above[i, j]"
    path = write(tmp_path, LOOKUP.replace("self._drows[place] += above[i, j]", wrong))
    with loaded(path) as module:
        table = module.Table(R.normal(size=(5, 3)))
        report = tr.lines(table.forward, table.backward, {"words": np.array([[0, 3, 0], [2, 2, 4]])})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong}, report


def test_an_underscore_in_front_of_a_gradient_is_one_in_front_of_what_it_is_of():
    assert stems("_dW") == [("_W", False)]


GUESSED = """
    def slope(value):
        return 1 - value * value

    def loss_and_gradients(x, w, u):
        size, h = len(w), [0.0] * len(w)
        states = [h]
        for xt in x:
            h = [np.tanh(w[i] * xt + sum(u[i][j] * h[j] for j in range(size))) for i in range(size)]
            states.append(h)
        dw, du, dh = [0.0] * size, [[0.0] * size for _ in range(size)], [2 * one for one in h]
        for t in reversed(range(len(x))):
            inner = [dh[i] * slope(states[t + 1][i]) for i in range(size)]
            for i in range(size):
                dw[i] += inner[i] * x[t]
                for j in range(size):
                    du[i][j] += inner[i] * states[t][j]
            dh = [sum(inner[i] * u[i][j] for i in range(size)) for j in range(size)]
        return sum(one * one for one in h), np.array(dw), np.array(du)
    """


@pytest.mark.slow
def test_a_slope_in_lists_of_numbers_that_no_edit_puts_right_is_named_and_not_accused(tmp_path):
    given = {"x": R.normal(size=4), "w": R.normal(size=3), "u": R.normal(size=(3, 3)) / 2}
    source = GUESSED.replace("1 - value * value", "np.exp(-1.1 * value * value)")
    report, accused, _ = judged(tmp_path, source, given, "loss_and_gradients", "loss_and_gradients")
    assert report.wrong_results == ["w", "u"] and not report.ok
    assert not accused and "line 5 of slope" in report.problems[0], report


@pytest.mark.parametrize(("kind", "left", "is_guess"), [("return", 1, True), ("assign", 2, True), ("assign", 1, False)])
def test_a_repair_that_leaves_much_unexplained_is_a_guess_unless_an_edit_or_names_speak_for_it(kind, left, is_guess):
    unit = SimpleNamespace(site=SimpleNamespace(kind=kind))
    facts = {"units": (unit,), "unexplained": [unit] * left, "is_suggested": False, "edit": None, "parts": ()}
    assert Search.is_guess(SimpleNamespace(by_layers_values=[]), SimpleNamespace(**facts)) == is_guess
    assert not Search.is_guess(SimpleNamespace(by_layers_values=[]), SimpleNamespace(**{**facts, "edit": object()}))
    assert not Search.is_guess(SimpleNamespace(by_layers_values=[]), SimpleNamespace(**{**facts, "is_suggested": True}))
