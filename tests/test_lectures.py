"""The lectures: every section a mistake can point to is there, and its code and its numbers are right."""

import inspect
import math
import re
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest
from lecture_numbers import EXAMPLES

from tinyrnn.verdicts.mistakes import SECTIONS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "lectures" / "by_hand.md").read_text("utf-8")
INTRODUCTION, *REST = re.split(r'^<a id="(.+)"></a>\n\n### (.+)\n', PAGE, flags=re.MULTILINE)
TITLES = dict(zip(REST[::3], REST[1::3], strict=True))
BODIES = {key: body.split("\n## ")[0] for key, body in zip(REST[::3], REST[2::3], strict=True)}
ROUNDED = 5.5e-4  # numbers are shown to three decimals


def fenced(kind, text):
    """The lines in all code blocks of one kind."""
    found = re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [line for block in found for line in block.splitlines()]


def without_comment(line):
    return line.split("  # ")[0].strip()


# the page ---------------------------------------------------------------------------------------------------------


def test_every_section_has_one_anchor_and_every_anchor_is_a_section():
    anchors = re.findall(r'<a id="(.*?)"', PAGE)
    assert sorted(anchors) == sorted(SECTIONS)


def test_headings_are_the_titles_that_verdicts_show():
    assert TITLES == SECTIONS


def test_the_contents_list_every_section_in_the_order_of_the_page():
    contents = INTRODUCTION.split("## Contents")[1]
    assert re.findall(r"\]\(#(.+?)\)", contents) == list(BODIES)


def test_links_between_sections_lead_to_one():
    assert set(re.findall(r"\]\(#(.+?)\)", PAGE)) <= SECTIONS.keys()


@pytest.mark.parametrize("key", BODIES)
def test_a_section_is_short_shows_equation_and_code_and_ends_with_one_question(key):
    prose = re.sub(r"^```.*?^```$", "", BODIES[key], flags=re.MULTILINE | re.DOTALL)
    assert 60 <= len(prose.split()) <= 150
    assert fenced("text", BODIES[key]) and fenced("python", BODIES[key])
    assert prose.count("**Check yourself.**") == 1
    assert re.fullmatch(r"[^?]+\?", prose.split("**Check yourself.**")[1].strip())


def test_code_that_is_shown_is_code_of_the_package():
    sources = [path for path in (ROOT / "tinyrnn").rglob("*.py") if "verdicts" not in path.parts]
    real = {without_comment(line) for path in sources for line in path.read_text("utf-8").splitlines()}
    assert [line for line in fenced("python", PAGE) if without_comment(line) not in real] == []


# the numbers ------------------------------------------------------------------------------------------------------


def shown(key):
    """The example of a section: name -> the number at the end of its line."""
    return {line.split(" = ")[0]: literal_eval(line.split(" = ")[-1]) for line in fenced("numbers", BODIES[key])}


@pytest.mark.parametrize("line", [line for line in fenced("numbers", PAGE) if line.count(" = ") > 1])
def test_what_stands_between_equals_signs_is_equal(line):
    names = {"tanh": math.tanh, "ln": math.log, "sqrt": math.sqrt}
    first, *others = [eval(x.replace("×", "*").replace("√", "sqrt"), names) for x in line.split(" = ")[1:]]
    for other in others:
        np.testing.assert_allclose(other, first, rtol=0, atol=ROUNDED)


def test_every_section_with_numbers_has_its_computation():
    assert {key for key in BODIES if shown(key)} == EXAMPLES.keys()


@pytest.mark.parametrize("key", EXAMPLES)
def test_the_package_gives_the_numbers_that_are_shown(key):
    numbers = {name: np.asarray(value, float) for name, value in shown(key).items()}
    given = inspect.signature(EXAMPLES[key]).parameters
    computed = EXAMPLES[key](**{name: numbers[name] for name in given})
    assert computed.keys() == numbers.keys() - given.keys()
    for name, value in computed.items():
        np.testing.assert_allclose(np.squeeze(value), np.squeeze(numbers[name]), rtol=0, atol=ROUNDED, err_msg=name)
