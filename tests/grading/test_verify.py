"""`tinyrnn teach verify` notices every way in which an exercise may not keep its word, and nothing else."""

import made_up
import pytest

from tinyrnn.commands.main import main
from tinyrnn.grading import verify as verifying
from tinyrnn.grading.inspection import statements, table
from tinyrnn.grading.verify import verify


@pytest.fixture
def findings(tmp_path, monkeypatch):
    """`findings(kinds, *changes)`: what `verify` finds in exercise 1, changed so, by some kinds of its work."""

    def found(kinds, *changes):
        def chosen(work, jobs, progress, all_done=verifying.done):
            return all_done([each for each in work if each[4] in kinds.split()], jobs, progress)

        monkeypatch.setattr(verifying, "done", chosen)
        return list(verify(made_up.write(tmp_path / "exercises", *changes), [1]).findings)

    return found


def test_an_exercise_that_keeps_its_word_passes(tmp_path):
    report = verify(made_up.write(tmp_path / "exercises"), ["curve"])
    assert report.ok and report.checked == ("2_curve",) and report.runs == 5
    assert str(report) == "2_curve: 5 submissions marked, all is well"


MASTER, CHECKS, MISTAKES, HANDOUT = (
    f"1_line/{name}" for name in ("master.py", "checks.py", "mistakes.py", "handout.md")
)
RUN = {
    "a skeleton that solves a task": (
        (
            "skeleton",
            MASTER,
            "    # BEGIN SOLUTION\n    straight",
            "    return SCALE * (x * a) + b * 1\n    # BEGIN SOLUTION\n    straight",
        ),
        ["the skeleton gets 60 points, not 0", "line: the skeleton is right in it: its function is there"],
    ),
    "a master that needs luck": (
        ("master", MASTER, "return straight", "return straight + 1e-6 * np.random.default_rng().random()"),
        ["the master is wrong in line: ", "the master is waiting in line_backward: waits for: line"],
    ),
    "a submission whose marks change": (
        ("master twice", MASTER, "return straight", "return straight + 1e-6 * np.random.default_rng().random()"),
        [
            "the master is wrong in line: ",
            "the master is waiting in line_backward: waits for: line",
            "the same submission, graded twice, got two different results",
        ],
    ),
    "a judge that refuses the master": (
        ("master", CHECKS, 'outputs=("da",', 'judge=lambda returned, inputs: [],\n        outputs=("da",'),
        ["the master is wrong in line_backward: da: nothing was found out about it"],
    ),
    "hidden cases that the master cannot take": (
        ("other", "1_line/hidden.py", "number=2", "number=2, case=lambda rng: {}"),
        ["with other hidden cases the master makes the grader crash: line: 0, grader crashed, tell staff"],
    ),
    "a mistake that does not show": (
        ("mistake", MISTAKES, '" + b\\n", "\\n"', '" + b\\n", " + b + 0\\n"'),
        ["mistake intercept-forgotten: it is right in every public case of line"],
    ),
    "a mistake like another": (
        (
            *("mistake", MISTAKES, '    Mistake("other'),
            '    Mistake("through-zero", "line", " + b\\n", " + 0 * b\\n", "zero"),\n    Mistake("other',
        ),
        [
            "mistake intercept-forgotten: another one gives the same numbers: the line goes through the origin; or",
            "mistake through-zero: it is taken for intercept-forgotten",
        ],
    ),
    "a mistake that raises": (
        ("mistake", MISTAKES, '"return 3 * x"', '"return 3 * X"'),
        ["mistake not-doubled: it is not named (NameError: name 'X' is not defined (ex1_line.py:"],
    ),
    "a task that does not say what it stands on": (
        ("mistake", MASTER, "    straight = SCALE * a * x + b\n", "    straight = SCALE * a * warm_up(x) / 2 + b\n"),
        ["mistake not-doubled: it costs points in line, which does not wait for warm_up: "],
    ),
    "a mistake whose task waits because of it": (
        ("mistake", MISTAKES, '"line_backward", "np.sum(", "np.mean("', '"line_backward", " + b\\n", " - b\\n"'),
        ["mistake mean-for-sum: line_backward waits for: line, in which it is wrong already"],
    ),
    "an alternative that is none": (
        ("accepted", MISTAKES, "b + a * x * SCALE", "b - a * x * SCALE"),
        [
            "other-order, which is to be accepted, is waiting in line_backward: waits for: line",
            "other-order, which is to be accepted, is wrong in line: ",
        ],
    ),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", RUN)
def test_what_marking_shows_is_found(findings, name):
    (kinds, *change), told = RUN[name]
    found = findings(kinds, tuple(change))
    assert len(found) == len(told), found
    for line, start in zip(sorted(found), sorted(told), strict=True):
        assert line.startswith(f"1_line: {start}") and "\n" not in line


SEEN = {
    "points that do not add up": (
        (CHECKS, "points=60", "points=50"),
        ["the tasks have 90 points together, not 100", "line: 60 points in the handout, 50 in checks.py"],
    ),
    "half points": ((CHECKS, "points=60", "points=59.5"), ["line: points are whole numbers from 0, not 59.5"]),
    "points for practice": (
        (HANDOUT, "| `warm_up` | practice |", "| `warm_up` | 5 |\n| `cool_down` | 5 |"),
        ["the points table of the handout has cool_down, which is no task"],
    ),
    "a task that the table has not": (
        (HANDOUT, "| `line` | 60 |\n", ""),
        ["line: the points table of the handout has no row for it"],
    ),
    "a section that is not there": (
        (HANDOUT, "## Its slope backwards", "## Backwards"),
        ["line_backward: the handout has no section 'Its slope backwards'"],
    ),
    "waiting for a later task": (
        (CHECKS, 'name="line",', 'name="line",\n        after=("line_backward",),'),
        ["line: it waits for line_backward, no earlier task"],
    ),
    "a task without a function": (
        (CHECKS, 'name="line",', 'name="line",\n        pair=("line", "line_backwards"),'),
        ["line: there is no function line_backwards in the master"],
    ),
    "a task without a known mistake": (
        (MISTAKES, '"intercept-forgotten", "line", ', '"intercept-forgotten", "line_backward", '),
        ["line: no mistake is known, so nothing shows that the check notices one"],
    ),
    "two mistakes of one name": (
        (MISTAKES, '"x-forgotten"', '"mean-for-sum"'),
        ["there are 2 mistakes called mean-for-sum"],
    ),
    "a tolerance that lets anything pass": (
        (CHECKS, 'name="line",', 'name="line",\n        tolerance=0.5,'),
        ["line: a tolerance of 0.5 is not sensible"],
    ),
    "hints that are one": (
        (CHECKS, '"What does b do?"', '"Where does it start?"'),
        ["line: two of its hints are the same"],
    ),
    "a hidden check of no task": (
        ("1_line/hidden.py", '{"line"', '{"lines"'),
        ["hidden.py has lines, which is no task"],
    ),
    "a hint with a short line of the solution": (
        (CHECKS, "Both numbers are needed.", "Try  SCALE*a*x + b, perhaps."),
        [],
    ),
    "a hint with a line of the solution": (
        (CHECKS, "All of them do: add up.", "It is db = added_up( dy )!"),
        ["line_backward: hint 3 contains a line of the solution: db = added_up(dy)"],
    ),
    "a title with a line of the solution": (
        (MISTAKES, '"every point pulls alike"', '"db=added_up(dy) is right, but"'),
        ["line_backward: the title of mistake x-forgotten contains a line of the solution: db = added_up(dy)"],
    ),
    "a handout with a solution": (
        (HANDOUT, "Something to fit.", "Write `da = added_up(dy *\nx * SCALE)`."),
        ["handout.md contains line 27 of the master of 1_line: da = added_up(dy * x * SCALE)"],
    ),
    "checks with a solution in pieces": (
        (CHECKS, '"Everything else stands on it."', '"straight = " "SCALE * a"\n        " * x + b"'),
        [
            "a text in checks.py contains line 18 of the master of 1_line: straight = SCALE * a * x + b",
            "line: the reason why contains a line of the solution: straight = SCALE * a * x + b",
        ],
    ),
    "cases with a solution of a later exercise": (
        ("1_line/cases.py", "def only_x", "def curve(x):\n    y = line(x, 2.0, 1.0) ** 2\n\n\ndef only_x"),
        ["cases.py contains line 9 of the master of 2_curve: y = line(x, 2.0, 1.0) ** 2"],
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_can_be_seen_without_marking_is_found(findings, name):
    change, told = SEEN[name]
    assert sorted(findings("inspect", change)) == sorted(f"1_line: {text}" for text in told)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            (MASTER, "import numpy as np\n", "from ex2_curve import curve\n"),
            "No module named 'ex2_curve'",
        ),
        (
            (MASTER, "    # END SOLUTION\n\n\ndef line(", "\n\ndef line("),
            "line 16: # BEGIN SOLUTION inside the solution",
        ),
        (
            (MISTAKES, '"return 2 * x"', '"return 4 * x"'),
            "mistake not-doubled: 'return 4 * x' stands in the master 0 times",
        ),
        ((CHECKS, "TASKS = (", "TASKS = ("[:-1]), "SyntaxError"),
    ],
)
def test_an_exercise_broken_as_a_whole_is_one_finding_and_others_are_checked(tmp_path, change, told):
    report = verify(made_up.write(tmp_path / "exercises", change), [1])
    (found,) = report.findings
    assert found.startswith("1_line: ") and told in found and "\n" not in found


def test_the_command_prints_findings_and_fails(tmp_path, capsys):
    root = str(made_up.write(tmp_path / "exercises", (CHECKS, "points=60", "points=50")))
    assert main(["teach", "verify", "--root", root, "--jobs", "1", "line"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "1_line: 9 submissions marked, 2 findings"
    assert main(["teach", "verify", "--root", root, "7"]) == 2
    assert capsys.readouterr().err == "tinyrnn: there is no exercise '7'; there are 1 (line), 2 (curve)\n"
    assert main(["teach", "verify", "--root", root, "--jobs", "0"]) == 2


@pytest.mark.long
@pytest.mark.slow
def test_all_exercises_of_a_folder_are_checked(tmp_path):
    report = verify(made_up.write(tmp_path / "exercises"))
    assert report.ok and report.checked == ("1_line", "2_curve") and report.runs == 14


@pytest.mark.slow
def test_several_processes_find_what_one_does(tmp_path):
    root = made_up.write(tmp_path / "exercises", (MISTAKES, '" + b\\n", "\\n"', '" + b\\n", " + b + 0\\n"'))
    assert verify(root, jobs=2) == verify(root, jobs=1)


def test_rows_of_a_table_are_read_whatever_is_around_them():
    rows = (
        "| task | what | points |",
        "|---|---|---:|",
        "| 1 | `one` | **12** |",
        "| `two` and `six` | 3 |",
        "| all | 100 |",
    )
    text = "\n".join(rows)
    assert table(text) == {"one": 12}


def test_statements_are_those_that_have_something_worked_out_in_them():
    found = statements(made_up.MASTER)
    assert "da = added_up(dy * x * SCALE)" in found and "db = added_up(dy)" in found
    assert "straight" not in found and "da, db" not in found


@pytest.mark.long
@pytest.mark.slow
def test_all_exercises_keep_their_word(capsys, request):
    """With some of the known mistakes of each, all of them with --whole."""
    some = ["--whole"] if request.config.option.whole else ["--sample", "3"]
    assert main(["teach", "verify", "--again", *some]) == 0, capsys.readouterr().out


def test_a_task_that_is_dropped_is_said_in_words(tmp_path):
    """Nothing of it is left in checks.py; everything else still speaks of it."""
    root = made_up.write(tmp_path / "exercises")
    path = root / "1_line" / "checks.py"
    text = path.read_text()
    path.write_text(text[: text.index('    Task(\n        name="line_backward"')] + ")\n")
    for static in (True, False):
        found = "\n".join(verify(root, [1], static=static).findings)
        assert "KeyError" not in found
        assert "1_line: mistake x-forgotten: there is no task line_backward" in found
        assert "1_line: the points table of the handout has line_backward, which is no task" in found
        assert "1_line: the master has a solution of line_backward, which is no task in checks.py" in found
        assert "1_line: the tasks have 60 points together, not 100" in found


def test_an_error_in_an_exercise_says_where(tmp_path):
    root = made_up.write(tmp_path / "exercises", ("1_line/cases.py", "case = points(rng)", "case = pionts(rng)"))
    assert verify(root, [1]).findings == ("1_line: NameError: name 'pionts' is not defined (cases.py, line 9)",)


@pytest.mark.slow
def test_what_has_not_changed_is_not_verified_again(tmp_path):
    root, known = made_up.write(tmp_path / "exercises"), tmp_path / "cache" / "verified.json"
    assert verify(root, [2], known=known).checked == ("2_curve",)
    again = verify(root, [2], known=known)
    assert (again.checked, again.runs, again.kept) == ((), 0, ("2_curve",))
    assert str(again) == "2_curve: unchanged since all was well (--again verifies them all the same)"
    (root / "1_line" / "cases.py").write_text((root / "1_line" / "cases.py").read_text() + "\n# on which it builds\n")
    assert verify(root, [2], known=known, static=True).checked == ("2_curve",)
    changed = verify(root, [2], known=known)
    assert changed.checked == ("2_curve",) and changed.ok
    (root / "2_curve" / "handout.md").write_text("# A curve\n\n## A curve\n\n| `curve` | 99 |\n")
    for _ in range(2):  # what is not well is looked at each time
        assert not verify(root, [2], known=known).ok
    known.write_text("{")
    (root / "2_curve" / "handout.md").write_text(made_up.SECOND["handout.md"])
    assert verify(root, [2], known=known).checked == ("2_curve",)
