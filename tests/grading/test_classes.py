"""A class is graded whole: nobody's submission costs anybody else a point, and nothing is lost or done twice."""

import csv
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import zipfile

import pytest
from tiny_work import SECRET, TINY, changed, solved, tiny, untouched, with_mistake

from tinyrnn.commands.main import main
from tinyrnn.grading.classroom import classes
from tinyrnn.grading.classroom.classes import Done, grade
from tinyrnn.grading.classroom.handed_in import file_name
from tinyrnn.grading.classroom.summary import report
from tinyrnn.grading.feedback import fenced, markdown, page
from tinyrnn.grading.marking import mark
from tinyrnn.grading.sandbox.sandbox import best_mode, is_root
from tinyrnn.parallel import processes

FILE = "ex1_tiny.py"
pytestmark = pytest.mark.skipif(best_mode() == "plain" and is_root(), reason=classes.AS_ROOT)


def zipped(path, *entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)


def a_class(folder):
    """Submissions of many kinds: student -> (points, a part of the remark)."""
    folder.mkdir()
    unknown = changed("du = dh * a", "du = dh * a * a")
    zipped(folder / "ada.zip", (FILE, solved()), ("manifest.json", "{}"))
    zipped(folder / "bob.zip", (f"work/{FILE}", with_mistake("kept-twice")), ("work/conftest.py", "boom"))
    for name, text in (
        ("cy", unknown),
        ("di", unknown.replace("    du =", "    # my own\n    du =")),
        ("ed", untouched()),
    ):
        (folder / name).mkdir()
        (folder / name / FILE).write_text(text)
    (folder / "exit").mkdir()
    (folder / "exit" / FILE).write_text("import os\nos._exit(0)\n")
    (folder / "broken.zip").write_bytes(b"PK\3\4 and then nothing")
    (folder / "empty").mkdir()
    (folder / "other").mkdir()
    (folder / "other" / "notes.txt").write_text("no code")
    (folder / "twice").mkdir()
    (folder / "twice" / FILE).write_text(solved())
    zipped(folder / "twice.zip", (FILE, solved()))
    (folder / "linked").mkdir()
    (folder / "linked" / FILE).symlink_to(TINY / "1_tiny" / "master.py")
    (folder / "=1+1").mkdir()
    (folder / "=1+1" / FILE).write_text("def leaky(:\n")
    (folder / "list.csv").write_text("ada,bob\n")
    return {
        "ada": (100, ""),
        "bob": (30, ""),
        "broken": (0, "cannot be read (BadZipFile)"),
        "cy": (60 + 13.5, ""),
        "di": (60 + 13.5, ""),
        "ed": (0, ""),
        "empty": (0, "it is empty"),
        "exit": (0, "does not load"),
        "linked": (0, "is a link"),
        "other": (0, f"no {FILE}"),
        "twice": (0, "handed in twice: twice and twice.zip"),
        "=1+1": (0, "does not load"),
    }


@pytest.fixture
def at_once(monkeypatch):
    """Work is done in this process, so that a test can look on: a list of the students graded."""
    seen = []

    def done(function, work, jobs):
        for key, arguments in work.items():
            seen.append(key)
            yield key, function(*arguments)

    monkeypatch.setattr(processes, "done", done)
    return seen


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class graded by two processes: (folder of submissions, folder of results, what is expected)."""
    folder = tmp_path_factory.mktemp("class")
    expected = a_class(folder / "in")
    done = grade(tiny(), folder / "in", folder / "out", secret=SECRET, jobs=2, feedback=False)
    assert done == Done(12, 12, 0, 5, 0)
    report(folder / "out")
    return folder / "in", folder / "out", expected


def rows(out):
    text = (out / "grades.csv").read_text(encoding="utf-8")
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def snapshot(out):
    return {path.name: path.read_bytes() for path in (out / "results").iterdir()}


@pytest.mark.slow
def test_everybody_gets_what_their_own_submission_is_worth(graded):
    _, out, expected = graded
    table = rows(out)
    assert set(table) == {f"'{name}" if name.startswith("=") else name for name in expected}
    for student, (points, remark) in expected.items():
        row = table["'=1+1" if student == "=1+1" else student]
        assert float(row["total"]) == pytest.approx(points, abs=0.01), student
        tasks = sum(float(row[name]) for name in ("leaky", "leaky_backward", "step_weights", "slope"))
        assert float(row["total"]) == pytest.approx(tasks)
        assert remark in row["remark"] and bool(remark) == bool(row["remark"])


def test_a_class_gives_the_marks_that_marking_gives(graded):
    folder, out, _ = graded
    alone = mark(tiny(), {FILE: (folder / "cy" / FILE).read_text()}, secret=SECRET, hidden=True, feedback=False)
    assert json.loads((out / "results" / "cy.json").read_text())["marks"] == alone.as_dict()


def test_everybody_gets_feedback_in_two_forms(graded):
    _, out, expected = graded
    files = {path.name for path in (out / "feedback").iterdir()}
    assert files == {f"{file_name(name)}.{kind}" for name in expected for kind in ("md", "html")}
    text = (out / "feedback" / "bob.md").read_text()
    assert "30 of 100 points" in text and "A unit that keeps a part of what it was." in text
    assert "0 of 30" in text and "waits for: leaky" in text
    assert "Mistakes were not named" in (out / "commonest.md").read_text()
    assert "Begin with `leaky`" in text and "in the handout: " in text
    assert "Begin with" not in (out / "feedback" / "ada.md").read_text()
    web = (out / "feedback" / "bob.html").read_text()
    assert "waits for: leaky" in web and "src=" not in web and "href=" not in web


def test_equal_wrong_numbers_are_counted_as_one_unknown_mistake(graded):
    text = (graded[1] / "report.md").read_text()
    assert "**2** times in `leaky_backward`" in text and ": cy, di" in text


def test_known_mistakes_are_counted_and_not_called_unknown(tmp_path, at_once):
    for name in ("ada", "bob"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / FILE).write_text(with_mistake("kept-twice"))
    grade(tiny(), tmp_path / "in", tmp_path / "out", secret=SECRET)
    said = report(tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text()
    assert "| 2 | `leaky` | both parts are weighted by a |" in text
    assert "unknown mistakes: 0" in said and "## Unknown mistakes\n\nNone." in text


def with_result(out, student, change):
    """Lets a student's result be another one."""
    path = out / "results" / f"{student}.json"
    content = json.loads(path.read_text())
    change(content["marks"])
    path.write_text(json.dumps(content))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "change",
    [
        lambda marks: marks["tasks"][1].update(status="\ud800"),
        lambda marks: marks["tasks"][1].update(lines=7, status="wrong"),
        lambda marks: marks["tasks"][1].update(points="many"),
        lambda marks: marks["tasks"][1].update(status="wrong", message={"not": "a text"}),
        lambda marks: marks.update(problem=3),
    ],
)
def test_no_report_depends_on_what_is_in_every_result(tmp_path, graded, change):
    shutil.copytree(graded[1], tmp_path / "out")
    out = tmp_path / "out"
    before = rows(out), (out / "feedback" / "bob.md").read_bytes()
    with_result(out, "ada", change)
    said = report(out)
    after = rows(out)
    told = "ada: no report can be made of the result" in said or "1 not yet" in said
    assert told and after == {name: row for name, row in before[0].items() if name != "ada"}
    assert (out / "feedback" / "bob.md").read_bytes() == before[1]
    assert "ada" in (out / "report.md").read_text().split("## Remarks")[1]


def test_letters_that_are_none_reach_every_table_as_their_numbers(tmp_path, graded):
    shutil.copytree(graded[1], tmp_path / "out")
    odd = "\ud800\x1b[2J`|\r\n# <b>"
    with_result(tmp_path / "out", "ada", lambda marks: marks["tasks"][1].update(message=odd, status="wrong", why=odd))
    report(tmp_path / "out")
    assert set(rows(tmp_path / "out")) == set(rows(graded[1]))
    assert "\\ud800" in (tmp_path / "out" / "feedback" / "ada.md").read_text(encoding="utf-8")


def test_the_histogram_is_a_picture(graded):
    assert (graded[1] / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_is_graded_twice(graded, at_once):
    folder, out, _ = graded
    before = snapshot(out)
    assert grade(tiny(), folder, out, secret=SECRET, feedback=False) == Done(12, 0, 12, 5, 0)
    assert at_once == [] and snapshot(out) == before


@pytest.mark.slow
def test_only_who_handed_in_anew_is_graded_anew(tmp_path, at_once):
    folder, out = tmp_path / "in", tmp_path / "out"
    for name in ("ada", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / FILE).write_text(untouched())
    grade(tiny(), folder, out, secret=SECRET, feedback=False)
    (folder / "bob" / FILE).write_text(solved())
    grade(tiny(), folder, out, secret=SECRET, feedback=False)
    assert at_once == ["ada", "bob", "bob"]
    report(out)
    assert rows(out)["bob"]["total"] == "100" and rows(out)["ada"]["total"] == "0"
    grade(tiny(), folder, out, secret="another secret, for other hidden cases", feedback=False)
    assert at_once[3:] == ["ada", "bob"]


@pytest.mark.parametrize("damage", ["", '{"format": 1', "[]", "null", '{"format": 1, "key": 3}'])
def test_a_result_that_is_not_whole_is_made_again(tmp_path, at_once, damage):
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / FILE).write_text(untouched())
    grade(tiny(), folder, out, secret=SECRET, feedback=False)
    before = snapshot(out)
    (out / "results" / "ada.json").write_text(damage)
    grade(tiny(), folder, out, secret=SECRET, feedback=False)
    assert at_once == ["ada", "ada"] and snapshot(out) == before


def test_when_the_grader_crashes_staff_are_told_and_the_next_run_tries_again(tmp_path, monkeypatch):
    folder, out = tmp_path / "in", tmp_path / "out"
    for name in ("ada", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / FILE).write_text(solved())

    def half(function, work, jobs):
        for key, arguments in work.items():
            yield key, MemoryError("no more") if key == "bob" else function(*arguments)

    monkeypatch.setattr(processes, "done", half)
    assert grade(tiny(), folder, out, secret=SECRET, feedback=False).crashed == 1
    assert "bob: 0, grader crashed, tell staff (MemoryError: no more)" in report(out)
    assert rows(out)["ada"]["total"] == "100" and rows(out)["bob"]["total"] == "0"
    assert "grader crashed, tell staff" in (out / "feedback" / "bob.md").read_text()
    monkeypatch.setattr(processes, "done", lambda function, work, jobs: [(key, function(*work[key])) for key in work])
    assert grade(tiny(), folder, out, secret=SECRET, feedback=False) == Done(2, 1, 1, 0, 0)
    report(out)
    assert rows(out)["bob"]["total"] == "100"


def test_nothing_of_a_students_runs_as_root(monkeypatch):
    monkeypatch.setattr(classes, "best_mode", lambda: "plain")
    monkeypatch.setattr(classes, "is_root", lambda: True)
    with pytest.raises(RuntimeError, match="as root"):
        classes.graded(str(TINY / "1_tiny"), {FILE: solved()}, SECRET, False)


def square_or_die(n):
    if n == 3:
        os._exit(9)
    return n * n


@pytest.mark.slow
def test_a_process_that_dies_takes_no_other_work_with_it():
    found = dict(processes.done(square_or_die, {n: (n,) for n in range(6)}, 2))
    assert isinstance(found.pop(3), processes.Died)
    assert found == {0: 0, 1: 1, 2: 4, 4: 16, 5: 25}


def test_what_is_raised_comes_back_with_its_key():
    found = dict(processes.done(int, {"a": ("7",), "b": ("x",)}, 1))
    assert found["a"] == 7 and isinstance(found["b"], ValueError)


SLOW = "import time\ntime.sleep(0.4)\n"


@pytest.mark.slow
def test_after_kill_9_nothing_is_lost_and_nothing_graded_twice(tmp_path):
    folder, out, secret = tmp_path / "in", tmp_path / "out", tmp_path / "secret"
    secret.write_text(SECRET)
    for k in range(8):
        (folder / f"s{k}").mkdir(parents=True)
        (folder / f"s{k}" / FILE).write_text(f"{SLOW}# {k}\n{untouched() if k % 2 else solved()}")
    command = ["teach", "grade", str(folder), "--exercise", "1", "--out", str(out), "--root", str(TINY), "--jobs", "2"]
    command += ["--secret-file", str(secret), "--points-only"]
    run = "import sys; from tinyrnn.commands.main import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen([sys.executable, "-c", run, *command], stderr=subprocess.DEVNULL)
    results = out / "results"
    while len(list(results.glob("s*.json")) if results.exists() else []) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.glob("s*.json")}
    assert 2 <= len(before) < 8
    assert main(command) == 0
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.iterdir()}
    assert len(after) == 8
    assert {name: after[name] for name in before} == before
    assert [rows(out)[f"s{k}"]["total"] for k in range(8)] == ["100", "0"] * 4


@pytest.mark.slow
def test_one_process_and_two_write_the_same_bytes(graded, tmp_path, at_once):
    folder, out, _ = graded
    grade(tiny(), folder, tmp_path / "out", secret=SECRET, feedback=False)
    report(tmp_path / "out")
    for name in ("grades.csv", "report.md", "class.json"):
        assert (tmp_path / "out" / name).read_bytes() == (out / name).read_bytes()
    assert snapshot(tmp_path / "out") == snapshot(out)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bytes(graded, tmp_path):
    distributed = pytest.importorskip("distributed")
    folder, out, _ = graded
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        done = grade(tiny(), folder, tmp_path, secret=SECRET, scheduler=address, feedback=False)
    assert done == Done(12, 12, 0, 5, 0)
    assert snapshot(tmp_path) == snapshot(out)


def test_without_a_secret_one_is_drawn_once_and_kept_to_the_teacher(tmp_path, at_once):
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / FILE).write_text(solved())
    for _ in range(2):
        grade(tiny(), tmp_path / "in", tmp_path / "out", feedback=False)
    secret = tmp_path / "out" / "secret.txt"
    assert at_once == ["ada"] and len(secret.read_text().strip()) == 64
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_the_commands_say_in_a_line_what_is_wrong(tmp_path, capsys):
    short = tmp_path / "short"
    short.write_text("abc")
    (tmp_path / "none").mkdir()
    base = ["--exercise", "1", "--root", str(TINY), "--out", str(tmp_path / "out")]
    for command, said in (
        (["grade", str(tmp_path / "missing"), *base], "is no folder"),
        (["grade", str(tmp_path / "none"), *base], "holds no submissions"),
        (["grade", str(tmp_path), *base, "--secret-file", str(short)], "too short"),
        (["grade", str(tmp_path), *base, "--secret-file", str(tmp_path / "no")], "cannot be read"),
        (["grade", str(tmp_path), *base, "--jobs", "0"], "jobs must be at least 1"),
        (["grade", str(tmp_path), *base], "is among the submissions"),
        (["report", str(tmp_path)], "no class.json"),
        (["export", "github", "9", "--root", str(TINY)], "there is no exercise"),
    ):
        assert main(["teach", *command]) != 0
        error = capsys.readouterr().err
        assert said in error and "Traceback" not in error


def test_results_of_two_exercises_do_not_mix(graded):
    folder, out, _ = graded
    with pytest.raises(ValueError, match="holds results of 1_tiny"):
        grade(tiny(2), folder, out, secret=SECRET)


def test_feedback_shows_texts_as_texts(graded):
    marks = classes.without_marks(tiny(), "<script>alert(1)</script> ```")
    assert "<script>" not in page("<b>ada</b>", marks) and "<b>ada" not in page("<b>ada</b>", marks)
    assert "<b>" not in markdown("<b>", marks).replace("\\<b\\>", "")
    assert fenced(["a ```` b"])[0] == "`````text"
