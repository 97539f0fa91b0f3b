"""What a student reads: reasons before numbers, words beside signs, and never that public checks are all."""

import json

import pytest
from tiny_work import SECRET, changed, solved, tiny, untouched, with_mistake

from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import MOST, as_json, checks, details, shortened, text


def marked(content, **options):
    return mark(tiny(), {"ex1_tiny.py": content}, **{"feedback": False, **options})


@pytest.fixture(scope="module")
def wrong():
    return marked(with_mistake("tanh-at-its-input"), feedback=True)


def test_reasons_come_first_then_numbers_then_lines_then_the_name(wrong):
    said = text(wrong)
    places = [
        said.index(part)
        for part in (
            "why: Every use of a value",
            "dx: first wrong value at [0, 0]",
            "right: dh_prev",
            "(wrong in 3 of 3 public cases)",
            "27 WRONG",
            "known mistake (your numbers are exactly what it gives): the square is of the input",
        )
    ]
    assert places == sorted(places)
    assert "not one of the known mistakes" not in said


def test_every_task_has_a_line_with_a_sign_a_word_and_its_points(wrong):
    lines = [" ".join(line.split()) for line in text(wrong).splitlines()]
    assert lines[:2] == ["ex1_tiny.py: A leaky unit", "73.5 of 100 points in the public checks"]
    assert ":) right twice twice a vector practice" in lines
    assert ":) right leaky one step 30/30" in lines
    assert ":/ partly leaky_backward one step, backwards 13.5/40" in lines


def test_public_checks_are_never_called_all(wrong):
    hidden_later = "Hidden checks, with other sizes and numbers, run when your work is marked, and give the points."
    assert text(wrong).endswith(hidden_later)
    assert text(marked(solved())).endswith(f"All public checks are right. {hidden_later}")
    assert "passed" not in text(marked(solved()))
    assert "Hidden checks" not in text(marked(solved(), secret=SECRET, hidden=True))


def test_colour_only_repeats_what_words_say(wrong):
    coloured = text(wrong, colour=True)
    assert "\033[32m" in coloured and "\033[33m" in coloured
    for code in ("\033[32m", "\033[33m", "\033[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == text(wrong)


def test_waiting_and_unwritten_tasks_are_no_faults():
    lines = [" ".join(line.split()) for line in text(marked(untouched())).splitlines()]
    assert ":| not yet leaky one step 0/30" in lines
    assert ":| waits leaky_backward one step, backwards 0/40 waits for: leaky" in lines
    assert not any(line.startswith("why:") for line in lines)


def test_of_an_unknown_mistake_no_name_is_guessed():
    marks = marked(changed("a * u\n    return", "1.7 * a * u\n    return"))
    assert not any("known mistake" in line for line in details(marks.task("leaky")))


def test_what_was_printed_is_shown_and_is_no_part_of_the_marks():
    marks = marked(changed("h = (1 - a) * h_prev", "print('here\\nI am')\n    h = 0 * h_prev"))
    assert details(marks.task("leaky"))[-3:] == ["printed in the first case:", "  > here", "  > I am"]
    assert "I am" not in marks.to_json()


def test_a_file_that_does_not_load_is_told_once():
    said = text(marked("def leaky(:"))
    assert said.count("does not load") == 1
    assert "why:" not in said and "tinyrnn hint" not in said


def test_a_hint_is_offered_for_the_first_task_that_is_wrong(wrong):
    assert "A hint for leaky_backward: tinyrnn hint 1" in text(wrong)
    assert "tinyrnn hint" not in text(marked(solved()))


def test_checks_have_the_fields_of_check50(wrong):
    results = {check["name"]: check for check in checks(wrong)}
    assert list(results) == list(tiny().tasks)
    assert results["leaky"]["passed"] is True and results["leaky"]["cause"] is None
    failed = results["leaky_backward"]
    assert failed["passed"] is False and failed["dependency"] == "leaky"
    assert set(failed["cause"]) == {"rationale", "help", "expected", "actual"}
    assert failed["cause"]["help"] == "the square is of the input"
    assert any("WRONG" in line for line in failed["log"])
    waiting = checks(marked(with_mistake("kept-twice")))[2]
    assert waiting["passed"] is None and waiting["log"] == ["waits for: leaky"]


def test_json_holds_all_of_it(wrong):
    content = json.loads(as_json(wrong))
    assert (content["points"], content["possible"], content["hidden"]) == (73.5, 100, False)
    assert content["results"] == checks(wrong)


def test_of_a_long_listing_the_wrong_lines_are_kept():
    long = [f"{n}    ok  0e+00 |     x = 1" for n in range(MOST)]
    long += ["99 WRONG  1e+00 |     y = 2", "                | y: what it says", "100    ok        |     z = 3"]
    assert shortened(long) == long[-3:-1]
    assert shortened(long[-3:]) == long[-3:]
