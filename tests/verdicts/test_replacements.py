"""What may stand in the place of an expression: gates on the other side of weights, counters in each other's place."""

import ast

import pytest

from tinyrnn.verdicts.repair.change import PIECE, TOKEN
from tinyrnn.verdicts.repair.edits import Edits
from tinyrnn.verdicts.repair.gates import gated_elsewhere

GATES = [  # a gate behind weights, the same before them
    ("r * (U @ h)", "U @ (r * h)"),
    ("r * np.dot(h, U)", "np.dot(r * h, U)"),
    ("r * h.dot(U)", "(r * h).dot(U)"),
    ("r * (U @ h + b)", "U @ (r * h) + b"),
    ("r * (b + h @ U.T)", "b + (r * h) @ U.T"),
]


def plain(text):
    return ast.unparse(ast.parse(text))


@pytest.mark.parametrize(("behind", "before"), GATES)
def test_a_gate_stands_before_weights_for_behind_them_and_the_other_way_round(behind, before):
    for one, other in ((behind, before), (before, behind)):
        assert plain(other) in {ast.unparse(new) for new in gated_elsewhere(ast.parse(one, mode="eval").body)}


def test_a_gate_behind_weights_is_behind_any_other_term_of_the_sum_too():
    made = {ast.unparse(new) for new in gated_elsewhere(ast.parse("x @ W + a + (r * h) @ U + b", mode="eval").body)}
    assert "x @ W + a + r * (h @ U + b)" in made


def test_two_counters_change_places_in_the_whole_of_what_is_set():
    source = """
def f(x, dw, n):
    for i in range(n):
        for j in range(n):
            dw[i, j] = np.sum(x[j : j + n, i : i + n])
    return dw
"""
    edits = Edits(ast.parse(source).body[0])
    made = {ast.unparse(change.made()) for change in edits.of_line(5, TOKEN)}
    assert plain("dw[i, j] = np.sum(x[i : i + n, j : j + n])") in made


def test_with_two_counters_what_is_called_after_them_changes_places_too():
    source = """
def f(x, h_out, w_out):
    for h in range(h_out):
        for w in range(w_out):
            g = x[h + w * h_out]
    return g
"""
    made = {ast.unparse(change.made()) for change in Edits(ast.parse(source).body[0]).of_line(5, TOKEN)}
    assert plain("g = x[w + h * w_out]") in made


@pytest.mark.parametrize(
    ("wrong", "right", "weight"),
    [
        ("g = x[t]", "g = x[n - 1 - t]", TOKEN),
        ("i = t", "i = n - 1 - t", TOKEN),
        ("g = x[:n, t]", "g = x[n:-n, t]", PIECE),
    ],
)
def test_a_size_is_what_a_counter_counts_back_from_and_what_is_cut_off_at_both_ends(wrong, right, weight):
    source = f"def f(x, n, T):\n    for t in range(T):\n        {wrong}\n    return g, i"
    edits = Edits(ast.parse(source).body[0])
    edits.picks = ["n"]  # which is found by its value
    assert right in {
        ast.unparse(change.made()).replace("(", "").replace(")", "") for change in edits.of_line(3, weight)
    }
