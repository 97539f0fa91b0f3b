"""What a student gets is enough to work with, in an empty folder, and holds no solution."""

import io
import os
import re
import subprocess
import sys
import zipfile

import made_up
import pytest
from tiny_work import TINY, solved, tiny

from tinyrnn.commands.main import main
from tinyrnn.grading import submitting
from tinyrnn.grading.build import ROOT, build
from tinyrnn.grading.classroom.archive import package_files, wheel
from tinyrnn.grading.classroom.handout import hand_out, handed_out
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.webpage import VERBATIM, page

pytest.importorskip("markdown_it")
pytest.importorskip("latex2mathml")
WHEEL = "tinyrnn-*+class.*.whl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Both tiny exercises, handed out."""
    out = tmp_path_factory.mktemp("handed") / "out"
    assert main(["teach", "handout", "--root", str(TINY), "--out", str(out)]) == 0
    return out


def inside(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_folder_has_text_page_file_test_wheel_and_a_line_that_installs_it(folder):
    (made,) = folder.glob(WHEEL)
    stems = ("ex1_tiny", "ex2_after")
    expected = {name for stem in stems for name in (f"{stem}.py", f"{stem}.md", f"{stem}.html", f"test_{stem}.py")}
    assert {path.name for path in folder.iterdir()} == expected | {"README.md", made.name}
    assert f"pip install ./{made.name} pytest" in (folder / "README.md").read_text()
    for each in exercises(TINY):
        assert (each.folder / "master.py").read_bytes() not in inside(made).values()


def test_symbols_in_running_text_are_equations_and_names_in_code_are_not():
    text = "The state h_t, W_ij and e^{iθ_j} of `c_prev`; dh_prev, v_prev.\n\n$$\nh_t = 1\n$$\n\n```text\nx_t\n```\n"
    made = page("a title", text)
    assert made.count('display="inline"') == 4  # v_prev too
    assert "<code>c_prev</code>" in made and "dh_prev, " in made and "x_t\n</code>" in made
    assert "h_t" not in made and "W_ij" not in made and "e^{" not in made


LETTERS = {"steps": "T", "sequences in a batch": "B", "features that go in": "m", "units": "n"}


@pytest.mark.parametrize("each", exercises(ROOT), ids=lambda each: each.name)
def test_a_handout_says_what_for_how_long_and_by_which_letters(each):
    """The same letter for the same thing in all exercises, or it says what the others have."""
    text = each.handout
    for part in ("| **You learn to** |", "| **It takes** |", "| **At the end you have** |", "](picture.png)"):
        assert text.count(part) == 1
    rows = re.findall(r"^\| (.+?) \|.*\| (.+?) \|$", text.split("## Symbols\n")[1].split("\n## ")[0], re.M)
    assert len(rows) > 5
    for letters, meanings in rows:
        for letter, meaning in zip(letters.split(", "), meanings.split(", "), strict=False):
            own = meaning.split(" (")[0]
            assert LETTERS.get(own, letter) == letter or "in the other exercises" in meaning, (letter, meaning)


@pytest.mark.parametrize("each", exercises(ROOT), ids=lambda each: each.name)
def test_no_product_with_a_conjugate_is_taken_for_emphasis(each):
    """v*z and, later on, v*v: what stands between the two would be in italics."""
    running = "".join(VERBATIM.split(each.handout)[::2]).replace("**", "")
    assert not re.findall(r"\w\*\w", running)


def test_a_line_of_a_solution_in_a_text_is_refused(tmp_path):
    line = "straight = SCALE * a * x + b"
    root = made_up.write(tmp_path / "mine", ("1_line/handout.md", "Something to fit.", f"Write `{line}`."))
    with pytest.raises(ValueError, match=r"1_line: handout\.md contains line \d+ of the master"):
        hand_out(exercises(root), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_what_was_handed_out_works_alone_in_an_empty_folder(folder, tmp_path):
    """With the package from the wheel: check, and the same as pytest's items."""
    (made,) = folder.glob(WHEEL)
    site, desk = tmp_path / "site", tmp_path / "desk"
    with zipfile.ZipFile(made) as archive:
        archive.extractall(site)
    desk.mkdir()
    for name in ("ex1_tiny.py", "test_ex1_tiny.py"):
        (desk / name).write_bytes((folder / name).read_bytes())
    env = {**os.environ, "PYTHONPATH": str(site)}

    def run(*words):
        start = f"import tinyrnn; assert tinyrnn.__file__.startswith({str(site)!r}), tinyrnn.__file__; "
        code = start + f"from tinyrnn.commands.main import main; raise SystemExit(main({list(words)!r}))"
        return subprocess.run([sys.executable, "-c", code], cwd=desk, env=env, capture_output=True, text=True)

    ran = run("check", "1")
    assert ran.returncode == 1 and "0 of 100 points" in ran.stdout, ran.stderr
    (desk / "ex1_tiny.py").write_text(solved())
    ran = run("check", "1")
    assert ran.returncode == 0 and "All public checks are right" in ran.stdout, ran.stderr
    assert run("read", "lstm").returncode == 0


def test_a_wheel_is_the_same_each_time_and_another_when_an_exercise_changes():
    files = {"1_one/handout.md": b"text"}
    name, data = wheel(files)
    assert wheel(files) == (name, data)
    assert wheel({"1_one/handout.md": b"other"})[0] != name
    held = inside(io.BytesIO(data))
    assert held["tinyrnn/exercises_data/1_one/handout.md"] == b"text"
    assert set(package_files()) <= set(held)
    (record,) = (text.decode() for entry, text in held.items() if entry.endswith("/RECORD"))
    assert {line.split(",")[0] for line in record.splitlines()} == set(held)
    (points,) = (text.decode() for entry, text in held.items() if entry.endswith("/entry_points.txt"))
    assert "tinyrnn = tinyrnn.commands.main:main" in points
    (about,) = (text.decode() for entry, text in held.items() if entry.endswith("/METADATA"))
    assert "Requires-Dist: numpy" in about and f"Version: {name.split('-')[1]}" in about


def test_only_what_is_asked_for_is_written_and_an_old_wheel_goes(tmp_path):
    names = hand_out([tiny()], tmp_path)
    assert not any("ex2" in name for name in names)
    (tmp_path / "tinyrnn-0.0+class.1-py3-none-any.whl").write_text("old")
    hand_out([tiny(2)], tmp_path)
    (made,) = tmp_path.glob(WHEEL)
    held = inside(made)
    assert "tinyrnn/exercises_data/1_tiny/skeleton.py" in held, "later exercises build on it"


def test_a_zip_holds_the_same_as_the_folder(folder, tmp_path):
    hand_out(exercises(TINY), tmp_path / "all.zip")
    assert inside(tmp_path / "all.zip") == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_masters_are_never_overwritten(tmp_path):
    root = made_up.write(tmp_path / "mine")
    with pytest.raises(ValueError, match="holds exercises"):
        hand_out(exercises(root), root)


def test_a_page_draws_equations_and_holds_its_pictures():
    text = "# Head\n\nInline $x_t$ and\n\n$$\n\\frac{a}{b}\n$$\n\n![what](p.png)\n\n<b>no</b>\n\n| a |\n|---|\n| 1 |\n"
    made = page("A & B", text, {"p.png": b"\x89PNG"})
    assert made.count("<math") == 2 and "<mfrac>" in made and "<td>1</td>" in made
    assert 'src="data:image/png;base64,' in made and "p.png" not in made
    assert "<title>A &amp; B</title>" in made and "&lt;b&gt;no" in made


def test_model_answers_show_every_task_with_its_code_and_what_goes_wrong(tmp_path, capsys):
    assert main(["teach", "answers", "1", "--root", str(TINY), "--out", str(tmp_path)]) == 0
    assert "These are solutions" in capsys.readouterr().out
    text = (tmp_path / "ex1_tiny_answers.md").read_text()
    for task in tiny().tasks:
        assert f"## `{task}`: " in text and f"def {task}(" in text
    assert "both parts are weighted by a" in text and "BEGIN SOLUTION" not in text
    assert "<h2><code>leaky</code>" in (tmp_path / "ex1_tiny_answers.html").read_text()


def test_a_picture_and_something_to_run_are_handed_out_with_the_student_s_names(tmp_path):
    root = made_up.write(tmp_path / "mine", ("1_line/handout.md", "Something to fit.", "![it](picture.png)"))
    (root / "1_line" / "picture.py").write_text("def draw(figure):\n    figure.subplots().plot([1, 2])\n")
    (root / "1_line" / "play.py").write_text("import ex1_line\n")
    build(root)
    assert (root / "1_line" / "public" / "picture.png").read_bytes().startswith(b"\x89PNG")
    hand_out(exercises(root), tmp_path / "out")
    made = tmp_path / "out"
    assert (made / "play_ex1_line.py").read_text() == "import ex1_line\n"
    assert "![it](ex1_line.png)" in (made / "ex1_line.md").read_text()
    assert "data:image/png;base64" in (made / "ex1_line.html").read_text()
    desk = tmp_path / "desk"
    desk.mkdir()
    written, _ = submitting.start(exercises(root)[0], desk)
    assert {"play_ex1_line.py", "ex1_line.png"} <= set(written)
    assert not (made / "picture.py").exists() and not any("picture.py" in name for name in written)


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", [f"{each.folder.name}" for each in exercises(ROOT) if (each.folder / "play.py").exists()]
)
def test_what_is_there_to_be_run_runs_with_the_solution(folder, tmp_path):
    """Trains, with the masters in place of the student's files; how well is another matter."""
    for each in exercises(ROOT):
        stem = each.file.removesuffix(".py")
        (tmp_path / each.file).write_text((each.folder / "master.py").read_text(encoding="utf-8"), encoding="utf-8")
        (tmp_path / f"{stem}.md").write_text(each.handout, encoding="utf-8")
    text = (ROOT / folder / "play.py").read_text(encoding="utf-8")
    text = re.sub(r"UPDATES = (.*?)\d+$", r"UPDATES = \g<1>3", text, flags=re.M)
    (tmp_path / "play.py").write_text(text, encoding="utf-8")
    ran = subprocess.run([sys.executable, "play.py"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.split()) > 10


@pytest.mark.slow
def test_the_second_of_two_years_is_another_homework(tmp_path):
    from tinyrnn.grading.editions import write_edition

    made = {}
    for year in (2027, 2028):
        one = exercises(write_edition(ROOT, year, tmp_path / str(year)))[1]
        made[year] = handed_out([one])
    assert made[2027]["ex2_elman.py"] != made[2028]["ex2_elman.py"]
    assert made[2027]["ex2_elman.html"] != made[2028]["ex2_elman.html"]
