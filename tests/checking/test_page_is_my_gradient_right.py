"""The page "Is my gradient right?": what it shows is what comes out."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tinyrnn.checking.testing import FAILURES

PAGE = (Path(__file__).parents[2] / "lectures" / "is_my_gradient_right.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```\n", PAGE, re.DOTALL)


def without_rounding(text):
    """The text with numbers below 1e-9 as they are shown in errors, which differ by the machine, as one word."""
    return re.sub(r"\d(\.\d+)?e-(09|1\d)", "tiny", text)


@pytest.mark.filterwarnings("ignore")
def test_every_example_prints_what_is_shown():
    world = {"np": np}
    assert len(BLOCKS) == PAGE.count("```python") == 4
    for code, shown in BLOCKS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, world)
        assert without_rounding(printed.getvalue()) == without_rounding(shown)


def test_the_table_has_every_word_that_fails_a_test():
    assert set(FAILURES) <= set(re.findall(r"^\| ([a-z ]+?) \|", PAGE, re.MULTILINE))
