"""A report on lines: what it prints, as JSON and as HTML, and when it is true."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from tinyrnn.verdicts.report import LineReport, LineReports, LineVerdict

LINES = {
    7: "def back(dh, cache):",
    8: "    da = dh * (1 - h**2)",
    9: "    dx, dW = da @ W.T, x.T @ da",
    10: "    return dx, dW",
}
MISTAKE = dict(title="no tanh'", name="no-tanh", seen="a classic", question="What is tanh'?", section="elman/step")
MISTAKE["section_title"] = "One step"
RIGHT = LineVerdict("back", 9, "dx", "x", "ok", 3e-12)
UNJUDGED = LineVerdict("back", 8, "da", None, "unjudged", how=["it has no partner"])
WRONG = LineVerdict("back", 9, "dW", "W", "wrong", 0.5, 2, (0, 1), -1.25, 0.75, ["its sign is wrong"], times=3)
RAISES = LineVerdict("back", 10, "error", None, "wrong", how=["it raises ValueError: <x>"])


def report(*rows, **fields):
    return LineReport("the pass", list(rows), **{"sources": [("back", LINES)], **fields})


def under(text, number):
    """The lines of a listing that stand under a line of the source, without the margin."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.split(maxsplit=1)[:1] == [str(number)]) + 1
    said = []
    for line in lines[start:]:
        margin, found, text = line.partition(" | ")
        if margin.strip() or not found:
            break
        said.append(text)
    return said


# truth ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows, problems, ok, summary",
    [
        ([RIGHT], [], True, "all right (1 value judged)"),
        ([RIGHT, UNJUDGED], [], True, "all right (1 value judged)"),
        ([], [], True, "there was nothing to judge"),
        ([RIGHT, WRONG], [], False, "1 wrong line"),
        ([WRONG, replace(WRONG, name="db")], [], False, "1 wrong line"),
        ([WRONG, RAISES], [], False, "2 wrong lines"),
        ([RIGHT], ["no gradient of b"], False, "1 problem"),
        ([WRONG], ["no gradient of b", "nor of c"], False, "1 wrong line and 2 problems"),
    ],
)
def test_a_report_is_true_if_no_line_is_wrong_and_there_is_no_problem(rows, problems, ok, summary):
    made = report(*rows, problems=problems)
    assert made.ok is ok and bool(made) is ok
    assert made.summary() == summary
    assert str(made).startswith(f"the pass: {summary}")


def test_wrong_and_unjudged_lines_are_listed_apart():
    made = report(RIGHT, UNJUDGED, WRONG, RAISES)
    assert made.wrong == [WRONG, RAISES] and made.unjudged == [UNJUDGED]
    assert made.first_wrong is WRONG
    assert report(RIGHT).first_wrong is None


# the listing ----------------------------------------------------------------------------------------------------------


def test_the_listing_shows_every_line_of_the_source_with_its_worst_mark_and_largest_error():
    text = str(report(RIGHT, UNJUDGED, WRONG))
    assert " 7              | def back(dh, cache):\n" in text
    assert " 8     ?        |     da = dh * (1 - h**2)\n" in text
    assert " 9 WRONG  5e-01 |     dx, dW = da @ W.T, x.T @ da\n" in text
    assert text.endswith("10              |     return dx, dW")
    assert " 9    ok  3e-12 |" in str(report(RIGHT))
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_a_wrong_line_is_explained_under_it():
    made = report(RIGHT, WRONG)
    assert under(str(made), 9) == [
        "dW, the gradient of W: -1.25 came where 0.75 belongs at step 2, entry [0, 1] (where they differ most)",
        "dW: its sign is wrong",
        "not one of the known mistakes",
    ]
    assert repr(made) == str(made)
    scalar = replace(WRONG, step=None, entry=())
    assert under(str(report(scalar)), 9)[0].endswith("-1.25 came where 0.75 belongs (where they differ most)")


def test_a_known_mistake_is_named_with_its_question_and_section():
    assert under(str(report(replace(WRONG, mistake=MISTAKE))), 9)[2:] == [
        "known mistake: no tanh' (no-tanh; seen in: a classic)",
        "question: What is tanh'?",
        "lecture section: One step (tinyrnn read elman/step)",
    ]


def test_lines_that_are_right_are_not_explained_and_those_not_judged_say_why():
    text = str(report(RIGHT, UNJUDGED))
    assert under(text, 9) == []
    assert under(text, 8) == ["da: not judged, it has no partner"]


def test_a_line_that_raises_an_error_says_which():
    assert under(str(report(RAISES)), 10) == ["it raises ValueError: <x>"]


def test_problems_notes_and_wrong_lines_elsewhere_are_said_too():
    text = str(report(replace(WRONG, function="helper"), problems=["no gradient of b"], notes=["judged roughly"]))
    assert text.splitlines()[1] == "problem: no gradient of b"
    assert "helper, line 9\ndW, the gradient of W" in text
    assert text.endswith("\njudged roughly")


# JSON -----------------------------------------------------------------------------------------------------------------


def test_json_holds_everything_and_comes_back():
    made = report(RIGHT, UNJUDGED, replace(WRONG, mistake=MISTAKE), problems=["p"], notes=["n"])
    data = json.loads(made.to_json())
    assert data == made.as_dict()
    assert {key: data[key] for key in ("version", "title", "ok", "problems", "notes")} == {
        "version": 1,
        "title": "the pass",
        "ok": False,
        "problems": ["p"],
        "notes": ["n"],
    }
    assert data["sources"] == [{"function": "back", "lines": {str(n): text for n, text in LINES.items()}}]
    rows = [LineVerdict(**row) for row in data["lines"]]
    assert [replace(row, entry=row.entry and tuple(row.entry)) for row in rows] == made.rows
    assert made.to_json(indent=1).count("\n") > 50


def test_json_has_null_for_numbers_that_are_not_finite_and_plain_numbers_for_numpys():
    row = replace(WRONG, came=np.float64("nan"), expected=np.float32(0.5), error=float("inf"), step=np.int64(2))
    (data,) = json.loads(report(row).to_json())["lines"]
    assert data["came"] is data["error"] is None
    assert data["expected"] == 0.5 and data["step"] == 2
    assert data["entry"] == [0, 1]
    assert "NaN" not in report(replace(WRONG, came=np.float32("nan"))).to_json()


# HTML -----------------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Reads HTML: `text` between tags; fails where a tag is closed that is not open."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_well_formed_and_says_what_the_listing_says():
    made = report(RIGHT, UNJUDGED, replace(WRONG, mistake=MISTAKE), problems=["no gradient of b"], notes=["a note"])
    page = Page(made._repr_html_())
    text = "".join(page.text)
    assert page.tags.count("tr") == 1 + len(LINES)
    for piece in (
        *LINES.values(),
        "WRONG",
        "5e-01",
        "its sign is wrong",
        MISTAKE["question"],
        "no gradient of b",
        "a note",
    ):
        assert piece in text
    assert "da: not judged, it has no partner" in text


def test_html_shows_source_and_messages_as_they_are_written():
    hostile = "<script>alert('1 & 2')</script>"
    made = LineReport(
        hostile,
        [replace(RAISES, function=hostile, line=7, how=[hostile])],
        [hostile],
        [hostile],
        [(hostile, {7: hostile})],
    )
    page = Page(made._repr_html_())
    assert "script" not in page.tags
    assert "".join(page.text).count(hostile) == 6


# several --------------------------------------------------------------------------------------------------------------


def test_several_reports_are_true_if_all_are_and_show_all():
    right, wrong = report(RIGHT), report(WRONG)
    assert LineReports([right, right]) and LineReports([right]).ok
    both = LineReports([right, wrong])
    assert not both and not both.ok
    assert str(both) == f"{right}\n\n{wrong}" == repr(both)
    data = json.loads(both.to_json())
    assert data["ok"] is False and data["reports"] == [right.as_dict(), wrong.as_dict()]
    assert Page(both._repr_html_()).tags.count("table") == 2
