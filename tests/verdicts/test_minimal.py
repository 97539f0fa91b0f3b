"""Minimal cases of what other programs do: exactly the wrong line is accused, and nothing in right code."""

import pytest
from minimal import CASES
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

SLOWER = (
    "results without names",
    "an alias of the cell state",
    "gradients before the activation under the gate's name",
)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOWER)) for n in CASES])
def test_exactly_the_wrong_line_is_accused(tmp_path, name):
    path = write(tmp_path, CASES[name])
    marked = [number for number, text in enumerate(path.read_text().splitlines(), 1) if "# wrong" in text]
    with loaded(path) as module:
        reports = tr.lines(module)
    assert sorted({row.line for report in reports for row in report.wrong}) == marked, reports
    assert any(row.verdict == "ok" for report in reports for row in report.rows)
