"""What is no slip and is not tried, as it would write to an array, take very long or mean nothing."""

import ast

import numpy as np
import pytest

from tinyrnn.verdicts.repair.change import Change, Pattern, copies
from tinyrnn.verdicts.repair.editing import frozen
from tinyrnn.verdicts.repair.edits import Edits


def texts(source, line, weight=1):
    """The sources of the edits of a line of a function."""
    return {ast.unparse(change.made()) for change in Edits(ast.parse(source).body[0]).of_line(line, weight)}


def test_a_function_of_numpy_that_takes_one_argument_is_given_no_second_one_to_write_to():
    found = texts("def f(a, b):\n    c = np.cos(a)\n    d = np.multiply(c, b)\n    return slope(d)", 3)
    assert "d = slope(c, b)" in found and "d = np.cos(c, b)" not in found


def test_what_edits_are_looked_at_with_may_not_be_written_to_wherever_it_is_held():
    class Layer:
        value = None

    layer, array, entry = Layer(), np.ones(3), np.ones(2)
    layer.value = np.ones(4)
    assert frozen({"self": layer, "x": array, "kept": [{"h": entry}]})["x"] is array
    for one in (layer.value, array, entry):
        with pytest.raises(ValueError, match="read-only"):
            one += 1


def test_an_array_is_not_copied_as_often_as_it_has_numbers():
    statement = ast.parse("x = x.repeat(n, axis=0)").body[0]
    changes = [Change(statement, statement.value.args[0], Pattern("{a}", a=text)) for text in ("x.size", "x.shape[0]")]
    assert [change.is_of_no_use(copies(statement)) for change in changes] == [True, False]


def test_a_number_that_only_keeps_clear_of_zero_is_no_slip():
    found = texts("def f(x):\n    return 0.5 * x / (x.std() + 1e-06)", 2)
    assert "return 1.0 * x / (x.std() + 1e-06)" in found
    assert not [text for text in found if "2e-06" in text or "5e-07" in text]
