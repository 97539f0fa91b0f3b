"""Gates that lie side by side in joined arrays have rows of their own, in functions of anybody's."""

import json

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.checking.functions.blocks import blocks_of

rng = np.random.default_rng(0)
N, D, H = 2, 5, 3
ARRAYS = {"x": (N, D), "h": (N, H), "Wx": (D, 4 * H), "Wh": (H, 4 * H), "b": (4 * H,)}
GIVEN = {name: rng.normal(size=shape) for name, shape in ARRAYS.items()}


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gates_forward(x, h, Wx, Wh, b):
    i, f, o, g = np.split(x @ Wx + h @ Wh + b, 4, axis=1)
    i, f, o, g = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(g)
    return o * np.tanh(f * h + i * g), (x, h, Wx, Wh, i, f, o, g)


def gates_backward(dy, cache):
    x, h, Wx, Wh, i, f, o, g = cache
    c = f * h + i * g
    dc = dy * o * (1 - np.tanh(c) ** 2)
    parts = [dc * g * i * (1 - i), dc * h * f, dy * np.tanh(c) * o * (1 - o), dc * i * (1 - g * g)]  # 1 - f is missing
    da = np.concatenate(parts, axis=1)
    return da @ Wx.T, dc * f + da @ Wh.T, x.T @ da, h.T @ da, da.sum(axis=0)


def labels(report, argument):
    row = next(row for row in report.rows if row.argument == argument)
    return {part.argument: part.verdict for part in row.blocks}


def test_a_mistake_in_one_gate_is_in_the_row_of_that_gate():
    report = tr.gradcheck(gates_forward, gates_backward, GIVEN, blocks="ifog")
    for name in ("Wx", "Wh", "b"):
        wanted = {f"{name} [{gate}]": "wrong" if gate == "f" else "right" for gate in "ifog"}
        assert labels(report, name) == wanted
    row = next(row for row in report.rows if row.argument == "Wh")
    (wrong,) = (part for part in row.blocks if part.verdict == "wrong")
    assert (wrong.index, wrong.analytic, wrong.numerical) == (row.index, row.analytic, row.numerical)
    assert H <= wrong.index[1] < 2 * H and wrong.size == wrong.checked == H * H
    assert max(part.worst for part in row.blocks if part.verdict == "right") < 1e-9 < wrong.worst


def test_blocks_are_recognised_and_shown_wherever_the_report_is():
    report = tr.gradcheck(gates_forward, gates_backward, GIVEN)
    assert labels(report, "Wx") == {"Wx [0]": "right", "Wx [1]": "wrong", "Wx [2]": "right", "Wx [3]": "right"}
    assert labels(report, "x") == labels(report, "h") == {}
    (line,) = (line for line in str(report).splitlines() if line.startswith("Wh [1]"))
    assert line.split()[2] == "WRONG" and "Wh [1]" in report._repr_html_()
    rows = {row["argument"]: row["blocks"] for row in json.loads(report.to_json())["rows"]}
    assert [block["argument"] for block in rows["b"]] == ["b [0]", "b [1]", "b [2]", "b [3]"] and rows["x"] == []


@pytest.mark.parametrize(
    ("shapes", "given", "found"),
    [
        ({"x": (3, 4), "W": (4, 6), "b": (6,)}, None, {}),  # an affine layer has no gates
        ({"x": (5, 2), "W": (2, 8), "b": (8,)}, None, {}),
        ({"h": (7, 2), "Wx": (6, 3), "Wh": (6, 2), "b": (6,)}, None, {"Wx": 0, "Wh": 0, "b": 0}),  # rows, three gates
        ({"h": (2, 7), "Wx": (3, 8), "Wh": (2, 8)}, 4, {"Wx": 1, "Wh": 1}),
        ({"W": (5, 6), "b": (6,)}, {"W": 2}, {"W": 1}),
        ({"W": (6, 5)}, {"W": "zr"}, {"W": 0}),
    ],
)
def test_where_blocks_are_told_by_shapes(shapes, given, found):
    leaves = {name: np.zeros(shape) for name, shape in shapes.items()}
    assert {name: axis for name, (axis, _) in blocks_of(leaves, given).items()} == found


@pytest.mark.parametrize("given", ["z", "abcde", {"W": "zr"}, {"b": "abcdefg"}])
def test_blocks_that_no_array_has_are_refused_in_one_line(given):
    with pytest.raises(ValueError, match="blocks") as raised:
        tr.gradcheck(gates_forward, gates_backward, GIVEN, blocks=given)
    assert "\n" not in str(raised.value)
