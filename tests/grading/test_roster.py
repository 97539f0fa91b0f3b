"""Deadlines, extra time and corrections count as the class file says, and stay when a class is graded again."""

import csv
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_work import SECRET, solved, tiny, with_mistake

from tinyrnn.commands.main import main
from tinyrnn.grading.classroom.classes import AS_ROOT, grade, without_marks
from tinyrnn.grading.classroom.roster import read_roster
from tinyrnn.grading.classroom.summary import report
from tinyrnn.grading.sandbox.sandbox import best_mode, is_root
from tinyrnn.parallel import processes

DEADLINE = 1_700_000_000  # 2023-11-14T22:13:20+00:00
TEXT = """
drop_worst = 1
[deadlines]
tiny = 2023-11-14T22:13:20+00:00
[late]
grace = 10
per_day = 20
days = 3
[[students]]
id = "4711"
name = "Jane Doe"
mail = "jane@example.org"
[[students]]
id = "4712"
name = "John Roe"
also = ["team7"]
[[students]]
id = "4713"
name = "Absent Student"
[[extra_time]]
student = "4712"
hours = 24
[[corrections]]
student = "Jane Doe"
exercise = 1
task = "leaky"
points = 2.5
reason = "the order of the outputs"
"""


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "class.toml"
    path.write_text(TEXT)
    return read_roster(path)


def marks_of(points):
    marks = without_marks(tiny(), "")
    marks.tasks[1].outputs[0].cents = 100 * points
    return marks


@pytest.mark.parametrize(
    ("name", "id", "expected"),
    [
        ("Jane Doe", "", "4711"),
        ("doejane", "", "4711"),
        ("jane_doe", "", "4711"),
        ("jane", "", "4711"),
        ("whoever", "4712", "4712"),
        ("s4712", "", "4712"),
        ("team7", "", "4712"),
        ("somebody", "", None),
    ],
)
def test_a_submission_finds_its_student(roster, name, id, expected):
    found = roster.find(name, id)
    assert (found and found.id) == expected


@pytest.mark.parametrize(
    ("minutes", "days", "total"),
    [(-5, 0, 50), (9, 0, 50), (11, 1, 40), (24 * 60, 1, 40), (24 * 60 + 1, 2, 30), (3 * 24 * 60 + 1, 4, 0)],
)
def test_every_day_that_has_begun_costs_and_the_grace_does_not(roster, minutes, days, total):
    found = roster.counted(None, "1_tiny", marks_of(50), DEADLINE + 60 * minutes)
    assert (found.late, found.total) == (days, total)


def test_extra_time_is_for_who_has_it(roster):
    time = DEADLINE + 23 * 3600
    assert roster.counted(roster.find("team7"), "1_tiny", marks_of(50), time).total == 50
    assert roster.counted(roster.find("jane"), "2_after", marks_of(50), time).total == 50, "no deadline there"
    found = roster.counted(roster.find("jane"), "1_tiny", marks_of(50), time)
    assert (found.points, found.corrected, found.off, found.total) == (50, 2.5, 20, 42)
    assert found.said == (
        "corrected by hand, `leaky`: +2.5 points: the order of the outputs",
        "late by 1 day: 20 % off",
    )


@given(st.floats(0, 100), st.floats(-1e6, 1e7))
def test_a_total_is_never_below_zero_nor_more_than_was_got(points, seconds):
    roster = read_roster_text(TEXT)
    found = roster.counted(roster.find("John Roe"), "1_tiny", marks_of(int(points)), DEADLINE + seconds)
    assert 0 <= found.total <= int(points)


def read_roster_text(text):
    import tomllib

    from tinyrnn.grading.classroom.roster import checked

    return checked(tomllib.loads(text))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("drop_worst = 1", "drop_worst = -1", "drop_worst is a whole number"),
        ("drop_worst = 1", "dropworst = 1", "there is no 'dropworst' in a class file"),
        ("per_day = 20", "per_dya = 20", "late has grace"),
        ("points = 2.5", 'points = "2.5"', "number 1 of corrections: points = '2.5' is not understood"),
        ('reason = "the order of the outputs"', "", "number 1 of corrections: reason is missing"),
        ('student = "4712"', 'student = "4721"', "extra_time: there is no student '4721'"),
        ('id = "4712"', 'id = "4711"', "two students have the id '4711'"),
        ("2023-11-14T22:13:20+00:00", "2023-11-14", "a deadline is a date and a time"),
        ("[late]", "[late", "class.toml: "),
    ],
)
def test_what_is_wrong_in_a_class_file_is_said_in_a_line(tmp_path, old, new, said):
    path = tmp_path / "class.toml"
    assert old in TEXT
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(ValueError) as raised:
        read_roster(path)
    assert said in str(raised.value) and "class.toml" in str(raised.value) and "\n" not in str(raised.value)


def rows(path):
    return {row["student"]: row for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))}


@pytest.mark.slow
@pytest.mark.skipif(best_mode() == "plain" and is_root(), reason=AS_ROOT)
def test_a_class_with_a_class_file_from_grading_to_the_table_over_all(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(processes, "done", lambda function, work, jobs: ((key, function(*work[key])) for key in work))
    folder, out, path = tmp_path / "in", tmp_path / "out", tmp_path / "class.toml"
    path.write_text(TEXT)
    folder.mkdir()
    for name, text in (("doejane_4711_1_ex1_tiny.py", with_mistake("kept-twice")), ("team7_ex1_tiny.py", solved())):
        (folder / name).write_text(text)
        os.utime(folder / name, (DEADLINE + 3600, DEADLINE + 3600))
    (folder / "unreadable.zip").write_bytes(b"PK")
    for _ in range(2):  # a corrected mark survives grading again
        grade(tiny(), folder, out, secret=SECRET, class_file=path)
        said = report(out)
        found = rows(out / "grades.csv")
        (out / "results" / "doejane.json").unlink()
    jane, john, absent = found["Jane Doe"], found["John Roe"], found["Absent Student"]
    assert (jane["points"], jane["corrected"], jane["days late"], jane["total"]) == ("30", "2.5", "1", "26")
    assert (john["days late"], john["total"]) == ("0", "100")
    assert absent["total"] == "0" and "nothing handed in" in absent["remark"]
    assert "mean 63.0" in said and "1 of them could not be read" in said and "1 of the class handed in nothing" in said
    assert "late by 1 day" in (out / "feedback" / "doejane.md").read_text()
    assert "26 count" in (out / "feedback" / "doejane.html").read_text()
    assert "unreadable: not in the class file" in (out / "report.md").read_text()
    moodle = list(csv.DictReader(io.StringIO((out / "for_moodle.csv").read_text(encoding="utf-8"))))
    assert moodle[0]["ID number"] == "4711" and moodle[0]["A leaky unit (points)"] == "26"
    canvas = (out / "for_canvas.csv").read_text(encoding="utf-8")
    assert canvas.startswith("Student,ID,SIS User ID,SIS Login ID,Section,A leaky unit")
    assert "Absent Student,4713,,0,100,Missing" in (out / "for_gradescope.csv").read_text(encoding="utf-8")
    assert "both parts are weighted by a" in (out / "commonest.md").read_text()
    grade(tiny(), folder, out, secret=SECRET, feedback=False, class_file=path)
    capsys.readouterr()
    assert main(["teach", "table", str(out), str(out), "--out", str(tmp_path / "all.csv")]) == 0
    table = rows(tmp_path / "all.csv")
    assert table["Jane Doe"]["total"] == "26" and table["Jane Doe"]["of"] == "100", "the worst of two is dropped"
    assert main(["teach", "grade", str(folder), "--exercise", "1", "--out", str(out), "--class", "no.toml"]) == 2
    assert "there is no class file" in capsys.readouterr().err
