"""The lectures: every section a mistake can point to is there, and its code and its numbers are right."""

import re
from pathlib import Path

import pytest
from lecture_numbers import EXAMPLES
from worked_pages import LECTURES, check_computation, check_equation, equations, fenced, shown, split_page

from tinyrnn.verdicts.mistakes import SECTIONS

ROOT = Path(__file__).parents[1]
PAGE = (LECTURES / "by_hand.md").read_text("utf-8")
INTRODUCTION, TITLES, BODIES = split_page(PAGE)


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


@pytest.mark.parametrize("line", equations(PAGE))
def test_what_stands_between_equals_signs_is_equal(line):
    check_equation(line)


def test_every_section_with_numbers_has_its_computation():
    assert {key for key in BODIES if shown(BODIES[key])} == EXAMPLES.keys()


@pytest.mark.parametrize("key", EXAMPLES)
def test_the_package_gives_the_numbers_that_are_shown(key):
    check_computation(BODIES[key], EXAMPLES[key])
