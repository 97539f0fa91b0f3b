"""Line verdicts where a change of either of two lines would do: one is accused, and the other one is told."""

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair import patience, search

R = np.random.default_rng(0)
NET = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def slope(z):
        return sigmoid(z) * (1 - sigmoid(z))

    def cost(out, y):
        return np.sum((out - y) ** 2) / (2 * len(y))

    def run_forward(x, y, W, b, V, c):
        z = x @ W + b
        h = sigmoid(z)
        out = h @ V + c
        return cost(out, y), (x, y, W, V, z, h, out)

    def run_backward(cache):
        x, y, W, V, z, h, out = cache
        m = len(y)
        dout = (out - y) / m
        dV = h.T @ dout
        dc = dout.sum(axis=0)
        dh = dout @ V.T
        dz = dh * slope(z)
        dW = x.T @ dz
        db = dz.sum(axis=0)
        return dW, db, dV, dc
"""
SIZES = {"x": (4, 3), "y": (4, 2), "W": (3, 5), "b": (5,), "V": (5, 2), "c": (2,)}
GIVEN = {name: R.normal(size=size) for name, size in SIZES.items()}


def told_else(report):
    """What is told of other lines under those that are accused."""
    return [phrase for row in report.wrong for phrase in row.how if phrase.startswith("or else")]


@pytest.mark.parametrize(
    ("right", "wrong", "either"),
    [
        ("return sigmoid(z) * (1 - sigmoid(z))", "return z * (1 - z)", {"return z * (1 - z)", "dz = dh * slope(z)"}),
        ("dz = dh * slope(z)", "dz = dh * slope(h)", {"return sigmoid(z) * (1 - sigmoid(z))", "dz = dh * slope(h)"}),
    ],
)
def test_the_other_line_is_told_where_a_change_of_either_would_do(tmp_path, right, wrong, either):
    report, lines = lines_accused(tmp_path, NET, right, wrong, GIVEN)
    (line,), (told,) = lines, told_else(report)
    text = (tmp_path / "hw.py").read_text().splitlines()
    (other,) = either - {line}
    assert f"line {[one.strip() for one in text].index(other) + 1} of " in told, report


@pytest.mark.parametrize(
    ("right", "wrong"), [("dW = x.T @ dz", "dW = x.T @ dh"), ("dV = h.T @ dout", "dV = z.T @ dout")]
)
def test_no_other_line_is_told_of_a_plain_slip(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, NET, right, wrong, GIVEN)
    assert lines == {wrong} and not told_else(report), report


def test_a_line_stays_accused_where_the_time_is_over_before_the_other_one_is_found(tmp_path, monkeypatch):
    def over(*_):
        raise patience.OutOfPatience

    monkeypatch.setattr(search, "as_good", over)
    report, lines = lines_accused(tmp_path, NET, "dz = dh * slope(z)", "dz = dh * slope(h)", GIVEN)
    assert lines == {"dz = dh * slope(h)"} and not report.problems and not report.notes, report
