"""What may stand in the place of an expression: gates on the other side of weights, counters in each other's place."""

import ast

import pytest

from tinyrnn.verdicts.repair.change import TOKEN
from tinyrnn.verdicts.repair.edits import Edits
from tinyrnn.verdicts.repair.replacements import gated_elsewhere

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
