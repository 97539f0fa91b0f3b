"""The table of cells: formulas are found where there are some, and the page in the lectures is the one that is made."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.cells import catalogue
from tinyrnn.cells.catalogue import SIZES, TERMS, count_operations, count_parameters, formula

PAGE = Path(__file__).parents[2] / "lectures" / "cells.md"


@pytest.mark.slow
def test_the_page_in_the_lectures_is_what_the_command_prints(capsys):
    from tinyrnn.commands.main import main

    assert main(["cells"]) == 0
    assert capsys.readouterr().out == PAGE.read_text("utf-8"), "make it anew: tinyrnn cells > lectures/cells.md"


def test_every_cell_of_the_package_is_in_exactly_one_line():
    names = [line.split(" | ")[0] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert sorted(re.findall("`(.+?)`", " ".join(names))) == sorted(tr.CELLS)


def test_an_lstm_has_as_many_parameters_and_operations_as_counted_by_hand():
    n, H = 5, 8
    cell = tr.LSTM(n, H, rng=0)
    assert count_parameters(cell) == 4 * H * (n + H + 1)
    # products; a: + b, + the two products; sigmoid: 4 each; tanh: one, twice; c: 3; h: 1
    assert count_operations(cell) == 4 * H * (n + H) + 2 * 4 * H + 3 * 4 * H - 4 * H + 2 * H + 3 * H + H


@given(st.dictionaries(st.sampled_from(sorted(TERMS)), st.integers(-9, 9), max_size=5))
def test_a_formula_is_the_one_that_the_counts_were_made_of(factors):
    def count(n, H):
        return sum(k * TERMS[term](n, H) for term, k in factors.items())

    text = formula({size: count(*size) for size in SIZES})
    for n, H in ((3, 16), (12, 1024)):
        assert evaluated(text, n, H) == count(n, H)


def evaluated(text, n, H):
    total = 0
    for part in text.replace("− ", "+ -").removeprefix("+ ").split(" + "):
        sign, part = (-1, part[1:]) if part.startswith("-") else (1, part)
        first, _, rest = part.partition(" ")
        factor, term = (float(first), rest or "1") if first.replace(".", "").isdigit() else (1.0, part)
        total += sign * factor * TERMS[term](n, H)
    return total


def test_counts_without_a_formula_are_an_error():
    with pytest.raises(ValueError, match="no sum of"):
        formula({(n, H): (n * H) ** 2 for n, H in SIZES})


def test_a_transform_is_counted_as_its_textbook_cost():
    assert formula({(n, H): round(10 * H * math.log2(H)) + 2 * H for n, H in SIZES}) == "10 H log₂ H + 2 H"


def test_a_docstring_without_source_or_use_is_named():
    class Nameless(tr.Elman):
        """Says nothing."""

    with pytest.raises(ValueError, match="Nameless must begin with"):
        catalogue.words(Nameless)
    with pytest.raises(ValueError, match="Nameless must end with"):
        catalogue.good_for(Nameless)
