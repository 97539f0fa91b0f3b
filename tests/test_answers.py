"""The answers to the questions of the backward passes: one for each, to the question as it is asked, numbers right."""

import re

import pytest
from answer_numbers import ANSWERS
from worked_pages import LECTURES, check_computation, check_equation, equations, split_page

from tinyrnn.verdicts.mistakes import SECTIONS

PAGE = (LECTURES / "answers.md").read_text("utf-8")
_, *REST = split_page(PAGE, r"### \[(.+)\]\(by_hand.md#(.+)\)")
TITLES = {key: title for title, key in REST[0].items()}
BODIES = {key: REST[1][title] for key, title in TITLES.items()}
_, _, ASKED = split_page((LECTURES / "by_hand.md").read_text("utf-8"))


def in_one_line(text):
    return " ".join(text.split())


def test_every_section_has_its_answer_under_its_own_title_and_in_the_same_order():
    assert list(TITLES) == list(ASKED) and TITLES == SECTIONS


@pytest.mark.parametrize("key", BODIES)
def test_the_question_is_the_one_that_is_asked_there(key):
    question = re.search(r"\*\*Question\.\*\* (.+?\?)$", BODIES[key], re.MULTILINE | re.DOTALL)[1]
    assert in_one_line(question) == in_one_line(ASKED[key].split("**Check yourself.**")[1])


@pytest.mark.parametrize("line", equations(PAGE))
def test_what_stands_between_equals_signs_is_equal(line):
    check_equation(line)


def test_every_answer_has_its_computation():
    assert BODIES.keys() == ANSWERS.keys()


@pytest.mark.parametrize("key", ANSWERS)
def test_the_package_gives_the_numbers_of_the_answer(key):
    check_computation(BODIES[key], ANSWERS[key])
