"""Minimal cases of what other programs do: exactly the wrong line is accused, and nothing in right code."""

import pytest
from minimal import CASES
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

STILL_WRONG = {
    "an alias of the cell state": "what a name is the gradient of is told by the name: dc is that of cn, not of c",
    "gradients before the activation under the gate's name": "di before the sigmoid is held against the gradient of i",
    "parameters and gradients in dicts, before the activation": "dit before the sigmoid is held against that of it",
    "a name that is used again": "dnext_h has two meanings in one function, of which the first is taken",
    "time first in the backward pass": "dh is compared with h step by step, but holds all steps, turned",
    "helpers in another order than reversed": "calls of a helper are paired in exactly the opposite order",
    "a parameter that is an object": "gradients in attributes of attributes are not known to be results",
}
KNOWN = [
    pytest.param(name, marks=pytest.mark.xfail(reason=STILL_WRONG[name], strict=True)) if name in STILL_WRONG else name
    for name in CASES
]


def test_every_exception_is_a_case():
    assert STILL_WRONG.keys() <= CASES.keys() and len(CASES) == 16


@pytest.mark.parametrize("name", KNOWN)
def test_exactly_the_wrong_line_is_accused(tmp_path, name):
    path = write(tmp_path, CASES[name])
    marked = [number for number, text in enumerate(path.read_text().splitlines(), 1) if "# wrong" in text]
    with loaded(path) as module:
        reports = tr.lines(module)
    assert sorted({row.line for report in reports for row in report.wrong}) == marked, reports
    assert any(row.verdict == "ok" for report in reports for row in report.rows)
