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
    """The text with numbers below 1e-9 as they are shown in errors, which differ by the machine, as one word; of right
    rows without the worst entry, which differs too."""
    text = re.sub(r" +", " ", re.sub(r"\d(\.\d+)?e-(09|1\d)", "tiny", text))
    return re.sub(r"( right tiny ).* all ", r"\1all ", text)


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


def test_every_kind_of_wrong_is_explained():
    source = (Path(__file__).parent / "functions" / "test_kinds_of_wrong.py").read_text("utf-8")
    kinds = set(re.findall(r'^    "[\w ]+": \("\w", .*, "([\w ]+)"\),$', source, re.MULTILINE))
    explained = {word for row in re.findall(r"^\| ([\w ,]+?) \|", PAGE, re.MULTILINE) for word in row.split(", ")}
    assert len(kinds) > 20 and kinds <= explained
