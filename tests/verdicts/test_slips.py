"""Names of slips in programs that are no cell of the package: told by the edit that makes all results right."""

import ast

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.name.slips import slip
from tinyrnn.verdicts.repair.edit import Edit

PROGRAM = """
import numpy as np

def loss(xs, target, A, B, C):
    states, total = {{-1: np.zeros((3, 1))}}, 0.0
    for t in range(len(xs)):
        states[t] = np.tanh(A @ xs[t][:, None] + B @ states[t - 1])
        total += 0.5 * np.sum((C @ states[t] - target[t][:, None]) ** 2)
    dA, dB, dC = np.zeros_like(A), np.zeros_like(B), np.zeros_like(C)
    back = np.zeros((3, 1))
    for t in {order}:
        e = C @ states[t] - target[t][:, None]
        {dC} e @ states[t].T
        g = {g}
        k = g * (1 - {square})
        dA += k @ xs[t][None, :]
        dB += k @ states[{before}].T
        back = {B} @ k
    return total, dA, dB, dC
"""
RIGHT = {
    "order": "reversed(range(len(xs)))",
    "dC": "dC +=",
    "g": "C.T @ e + back",
    "square": "states[t] ** 2",
    "before": "t - 1",
    "B": "B.T",
}
SLIPS = [
    ("order", "range(len(xs))", "backward-loop-runs-forwards"),
    ("dC", "dC =", "sum-from-the-first-step-alone"),
    ("g", "C.T @ e", "nothing-carried-back"),
    ("square", "states[t]", "square-forgotten"),
    ("before", "t", "weights-with-the-state-after-the-step"),
    ("B", "B", "weight-not-transposed"),
]


def report(folder, **changes):
    path = write(folder, PROGRAM.format(**RIGHT | changes), "program.py")
    r = np.random.default_rng(0)
    inputs = {"xs": (3, 4), "target": (3, 2), "A": (3, 4), "B": (3, 3), "C": (2, 3)}
    with loaded(path) as module:
        return tr.lines(module.loss, None, {name: r.normal(size=shape) for name, shape in inputs.items()})


@pytest.mark.few(1)
@pytest.mark.parametrize(("where", "wrong", "name"), SLIPS)
def test_a_slip_in_a_program_that_is_no_known_cell_is_named(tmp_path, where, wrong, name):
    found = report(tmp_path, **{where: wrong}).wrong
    assert [row.mistake and row.mistake["name"] for row in found] == [name]


def test_a_line_that_is_wrong_in_another_way_gets_no_name(tmp_path):
    found = report(tmp_path, g="C.T @ e + 2 * back").wrong
    assert found and all(row.mistake is None for row in found)


CELL = """
import numpy as np

def loss(xs, A, B, C):
    cells, total = {{-1: np.zeros((3, 1))}}, 0.0
    for t in range(len(xs)):
        x = xs[t][:, None]
        cells[t] = np.cos(B @ x) * cells[t - 1] + np.sin(A @ x)
        total += np.sum((C @ np.tanh(cells[t])) ** 2) / 2
    dA, dB, dC, back = np.zeros_like(A), np.zeros_like(B), np.zeros_like(C), np.zeros((3, 1))
    for t in reversed(range(len(xs))):
        x, h = xs[t][:, None], np.tanh(cells[t])
        gate = np.cos(B @ x)
        dC += C @ h @ h.T
        dc = (1 - h**2) * (C.T @ C @ h){carry}
        dA += np.cos(A @ x) * dc @ x.T
        dB += -np.sin(B @ x) * cells[t - 1] * dc @ x.T
        back = gate * dc
    return total, dA, dB, dC
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(("carry", "names"), [(" + back", []), ("", ["cell-carry-lost"])])
def test_a_carry_that_goes_through_a_gate_is_called_that_of_a_cell(tmp_path, carry, names):
    path, r = write(tmp_path, CELL.format(carry=carry), "cell.py"), np.random.default_rng(0)
    inputs = {"xs": (3, 4), "A": (3, 4), "B": (3, 4), "C": (2, 3)}
    with loaded(path) as module:
        found = tr.lines(module.loss, None, {name: r.normal(size=shape) for name, shape in inputs.items()})
    assert [row.mistake and row.mistake["name"] for row in found.wrong] == names, found


MASKED = """
import numpy as np

def loss(scores, targets, mask):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    total = -np.sum(mask * np.log(p[rows, targets])) / len(targets)
    d = p.copy()
    d[rows, targets] -= 1
    d {masked}
    dscores = d / len(targets)
    return total, dscores
"""


@pytest.mark.parametrize(("masked", "names"), [("*= mask[:, None]", []), ("*= 1", ["padding-gets-a-gradient"])])
def test_a_mask_that_is_left_out_is_named(tmp_path, masked, names):
    path, r = write(tmp_path, MASKED.format(masked=masked), "masked.py"), np.random.default_rng(0)
    inputs = {"scores": r.normal(size=(6, 3)), "targets": np.arange(6) % 3, "mask": np.array([1, 1, 0, 1, 0, 1])}
    with loaded(path) as module:
        found = tr.lines(module.loss, None, inputs)
    assert [row.mistake and row.mistake["name"] for row in found.wrong] == names, found


EDITS = [  # a statement, what it should be, the name of what was wrong
    ("dh_prev = (1 - z) * dh", "dh_prev = z * dh", "gate-for-its-complement"),
    ("dW += da @ stateArr.T", "dW += da @ prevStateArr.T", "weights-with-the-state-after-the-step"),
    ("dW = h.T @ da", "dW = h_prev.T @ da", "weights-with-the-state-after-the-step"),
    ("dn = dh * z", "dn = dh * (1 - z)", "gate-for-its-complement"),
    ("dx = e / n * m", "dx = e / (n * m)", "bracket-forgotten-below-the-line"),
    ("dx = e / n * m", "dx = e / n / m", "bracket-forgotten-below-the-line"),
    ("dx = e / len(x)", "dx = e / (len(x) - 1)", "divided-by-one-too-many"),
    ("dx *= n", "dx /= n", None),
    ("di = dc * i * (1 - f)", "di = dc * i * (1 - i)", "copied-from-another-line"),
    ("di = dc * i * (1 - k)", "di = dc * i * (1 - i)", None),
    ("dx = e", "dx = e * keep[t]", "padding-gets-a-gradient"),
    ("dx = e", "dx = e * dropout[t]", None),
    ("dx = e", "dx = e * weight[t]", None),
]


@pytest.mark.parametrize(("before", "after", "name"), EDITS)
def test_an_edit_says_what_was_wrong(before, after, name):
    tree = ast.parse(f"def backward():\n    df = dc * f * (1 - f)\n    {after}").body[0]
    assert slip(Edit(("backward", 3), 1, before, after, None, tree, ("keep", "dropout"))) == name
