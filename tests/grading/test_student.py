"""start, check, hint and submit, in an empty folder, as a student types them."""

import hashlib
import io
import json
import zipfile

import pytest
import tiny_work
from tiny_work import solved, untouched, with_mistake

from tinyrnn.commands import check
from tinyrnn.commands.main import main
from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.hints import FILE, next_hint, read_levels


@pytest.fixture(scope="module")
def exercises(tmp_path_factory):
    return tiny_work.hand_out(tmp_path_factory.mktemp("handed") / "out")


@pytest.fixture
def desk(tmp_path, monkeypatch, capsys, exercises):
    """An empty folder and `tinyrnn` in it: a function of the words typed that returns (status, printed, errors)."""
    monkeypatch.chdir(tmp_path)

    def tinyrnn(*words):
        status = main([*words, "--exercises", str(exercises)])
        return status, *capsys.readouterr()

    tinyrnn.folder, tinyrnn.exercises = tmp_path, exercises
    return tinyrnn


def test_start_writes_three_files_and_says_what_is_next(desk):
    status, printed, _ = desk("start", "1")
    assert status == 0
    word = {"tinyrnn.toml", ".tinyrnn-exercises"}  # of which exercises they are
    assert {path.name for path in desk.folder.iterdir()} == {"ex1_tiny.py", "ex1_tiny.md", "test_ex1_tiny.py", *word}
    assert (desk.folder / "ex1_tiny.py").read_text() == untouched()
    assert (desk.folder / "ex1_tiny.md").read_text().startswith("# A leaky unit")
    assert "4 graded tasks, 100 points" in printed
    assert "tinyrnn check 1" in printed


@pytest.mark.slow
def test_beside_the_masters_a_student_gets_the_same_to_the_letter_and_no_solution(desk, tmp_path, monkeypatch, capsys):
    """As in a clone: `start` writes the same files, `check` and `hint` say the same."""
    said = {}
    for root in tiny_work.TINY, desk.exercises:
        folder = tmp_path / root.name
        folder.mkdir()
        monkeypatch.chdir(folder)
        said[root] = []
        for words in ("start", "1"), ("check", "1"), ("check", "1", "--json"), ("hint", "1"):
            main([*words, "--exercises", str(root)])
            said[root].append(capsys.readouterr())
        said[root].append({path.name: path.read_text() for path in folder.glob("*ex1*")})
        (folder / "ex1_tiny.py").write_text(with_mistake("kept-twice"))
        main(["check", "1", "--exercises", str(root)])
        said[root].append(capsys.readouterr())
    masters, handed_out = said.values()
    assert masters == handed_out
    assert masters[-2]["ex1_tiny.py"] == untouched() and "known mistake" in masters[-1].out


def test_start_takes_a_name_and_leaves_what_is_there(desk):
    (desk.folder / "ex1_tiny.py").write_text("my work")
    _, printed, _ = desk("start", "tiny")
    assert (desk.folder / "ex1_tiny.py").read_text() == "my work"
    assert "ex1_tiny.py is there already and stays as it is" in printed
    assert (desk.folder / "ex1_tiny.md").exists()


def test_start_names_the_earlier_files_it_builds_on(desk):
    _, printed, _ = desk("start", "2")
    assert "builds on ex1_tiny.py" in printed
    (desk.folder / "ex1_tiny.py").write_text(solved())
    _, printed, _ = desk("start", "2")
    assert "builds on" not in printed


@pytest.mark.parametrize("command", ["start", "check", "hint", "submit"])
def test_an_exercise_that_there_is_not_is_one_line(desk, command):
    status, _, errors = desk(command, "9")
    assert status == 2
    assert errors == (
        "tinyrnn: there is no exercise '9'; there are 1 (tiny), 2 (after); "
        "one that was handed out later comes with its own wheel\n"
    )


@pytest.mark.parametrize("command", ["check", "hint", "submit"])
def test_without_the_file_it_says_how_to_begin(desk, command):
    status, _, errors = desk(command, "1")
    assert status == 2
    assert errors == "tinyrnn: there is no ex1_tiny.py here; `tinyrnn start 1` makes one\n"


def test_check_says_what_is_wrong_and_has_a_status_for_it(desk):
    (desk.folder / "ex1_tiny.py").write_text(with_mistake("kept-twice"))
    status, printed, _ = desk("check", "1")
    assert status == 1
    assert "known mistake (your numbers are exactly what it gives): both parts are weighted by a" in printed
    assert "waits for: leaky" in printed
    (desk.folder / "ex1_tiny.py").write_text(solved())
    status, printed, _ = desk("check", "1")
    assert status == 0
    assert "All public checks are right. Hidden checks" in printed


def test_check_uses_earlier_files_of_the_folder(desk):
    (desk.folder / "ex1_tiny.py").write_text(solved(1))
    (desk.folder / "ex2_after.py").write_text(solved(2))
    assert desk("check", "2")[0] == 0
    (desk.folder / "ex1_tiny.py").unlink()
    status, printed, _ = desk("check", "2")
    assert status == 1
    assert "ex2_after.py does not load: ModuleNotFoundError: No module named 'ex1_tiny'" in printed


def test_check_as_json(desk):
    (desk.folder / "ex1_tiny.py").write_text(solved())
    status, printed, _ = desk("check", "1", "--json")
    assert status == 0
    assert [result["passed"] for result in json.loads(printed)["results"]] == [True] * 5


def test_a_file_that_is_not_text_is_one_line(desk):
    (desk.folder / "ex1_tiny.py").write_bytes(b"x = 1\n# \xe4\n")
    status, _, errors = desk("check", "1")
    assert status == 2
    assert errors == "tinyrnn: ex1_tiny.py:2 is not UTF-8 text: save it as UTF-8\n"


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(desk, exercises):
    (desk.folder / "ex1_tiny.py").write_bytes(b"\xef\xbb\xbf" + solved().replace("\n", "\r\n").encode())
    assert submitting.read(exercise(1, exercises), desk.folder) == {"ex1_tiny.py": solved()}


def test_watching_checks_again_when_a_file_is_saved(desk, exercises, capsys):
    file = desk.folder / "ex1_tiny.py"
    saved = iter([None, untouched(), None, None])

    def wait(_):
        content = next(saved)
        if content is not None:
            file.write_text(content)

    file.write_text(solved())
    status = check.watch(exercise(1, exercises), desk.folder, wait=wait, rounds=4)
    printed = capsys.readouterr().out
    assert status == 1
    assert printed.count("Ctrl-C ends it") == 2
    assert printed.index("All public checks are right") < printed.index("not yet")


def test_watching_ends_with_an_interrupt_and_outlives_a_missing_file(desk, exercises, capsys):
    def wait(_):
        raise KeyboardInterrupt

    assert check.watch(exercise(1, exercises), desk.folder, wait=wait) == 1
    assert "there is no ex1_tiny.py here" in capsys.readouterr().out
    assert desk("check", "1", "--watch", "--json")[0] == 2


def test_hints_come_one_at_a_time_for_the_first_wrong_task(desk):
    (desk.folder / "ex1_tiny.py").write_text(with_mistake("kept-twice"))
    hints = ["What is kept?", "Look at a.", "The kept part and the new part add up to one."]
    for level, hint in enumerate(hints, start=1):
        status, printed, _ = desk("hint", "1")
        assert status == 0
        assert f"leaky: hint {level} of 3\n  {hint}\n" in printed
        assert not any(later in printed for later in hints[level:])
    assert '"One step" in ex1_tiny.md' in printed
    _, printed, _ = desk("hint", "1")
    assert all(hint in printed for hint in hints)
    assert json.loads((desk.folder / FILE).read_text()) == {"1_tiny": {"leaky": 3}}


def test_a_hint_can_be_had_for_any_task(desk):
    assert "Look at tanh." not in desk("hint", "1", "--task", "leaky_backward")[1]
    assert "hint 2 of 3\n  Look at tanh." in desk("hint", "1", "--task", "leaky_backward")[1]
    printed = desk("hint", "1", "--task", "leaky_backward")[1]
    assert "tinyrnn lines ex1_tiny.py:leaky_backward" in printed
    status, _, errors = desk("hint", "1", "--task", "other")
    assert status == 2
    assert "exercise 1 has no task 'other'; it has twice, leaky," in errors


def test_there_are_no_hints_for_what_is_right_or_does_not_load(desk):
    (desk.folder / "ex1_tiny.py").write_text(solved())
    assert desk("hint", "1")[1] == "Nothing is wrong in the public checks.\n"
    (desk.folder / "ex1_tiny.py").write_text("def leaky(:")
    status, _, errors = desk("hint", "1")
    assert status == 2 and "does not load" in errors


@pytest.mark.parametrize(
    "content", ["", "[]", '{"1_tiny": 3}', '{"1_tiny": {"leaky": "x"}}', '{"1_tiny": {"leaky": [1]}}', "\x00"]
)
def test_a_damaged_memory_of_hints_is_none(tmp_path, content):
    (tmp_path / FILE).write_text(content)
    assert read_levels(tmp_path).get("1_tiny", {}) == {}
    assert "hint 1 of 3" in next_hint(tiny_work.tiny(), "leaky", tmp_path)


def test_submit_packs_the_files_and_says_what_is_missing(desk):
    (desk.folder / "ex1_tiny.py").write_text(with_mistake("kept-twice"))
    (desk.folder / "notes.py").write_text("mine")
    status, printed, _ = desk("submit", "1")
    assert status == 0
    assert "wrote ex1_tiny.zip with ex1_tiny.py in it" in printed
    assert "wrong: leaky\n" in printed and "waiting: leaky_backward\n" in printed
    assert "public checks: 30 of 100 points. Hidden checks" in printed
    with zipfile.ZipFile(desk.folder / "ex1_tiny.zip") as archive:
        assert archive.namelist() == ["ex1_tiny.py", "manifest.json"]
        assert archive.read("ex1_tiny.py").decode() == with_mistake("kept-twice")
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["exercise"] == "1_tiny"
    assert manifest["sha256"] == {"ex1_tiny.py": hashlib.sha256(with_mistake("kept-twice").encode()).hexdigest()}
    assert manifest["grader"]


def test_submit_includes_earlier_exercises_and_misses_those_that_are_imported(desk):
    (desk.folder / "ex2_after.py").write_text(solved(2))
    _, printed, _ = desk("submit", "2")
    assert "missing: ex1_tiny.py, which is imported" in printed
    (desk.folder / "ex1_tiny.py").write_text(solved(1))
    _, printed, _ = desk("submit", "2")
    assert "with ex1_tiny.py, ex2_after.py in it" in printed
    assert "missing" not in printed
    assert zipfile.ZipFile(desk.folder / "ex2_after.zip").namelist() == ["ex1_tiny.py", "ex2_after.py", "manifest.json"]


def test_the_same_files_make_the_same_zip():
    files = {"ex2_after.py": solved(2), "ex1_tiny.py": solved(1)}
    one = submitting.pack(tiny_work.tiny(2), files)
    assert one == submitting.pack(tiny_work.tiny(2), dict(sorted(files.items())))
    assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in zipfile.ZipFile(io.BytesIO(one)).infolist())


def test_in_the_package_the_test_file_names_no_folder(tmp_path):
    text = submitting.TEST.format(file="ex3_gates.py", number=3)
    assert "public_checks(__file__, 3)\n" in text
    compile(text, "test_ex3_gates.py", "exec")
