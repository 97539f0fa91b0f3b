"""What is handed out is made from the masters: the same each time, complete, and without a solution."""

import io
import json
import zipfile

import made_up
import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.grading import answers, signatures
from tinyrnn.grading.build import (
    COMPUTED,
    OVERVIEW,
    OVERVIEW_END,
    PUBLIC,
    ROOT,
    build,
    hand_out,
    masters,
    npz,
    parts,
    with_overview,
)
from tinyrnn.grading.exercise import HANDED_OUT, PICTURE, exercise, exercises

MADE = "cases.py checks.py expected.npz handout.md manifest.json signatures.npz skeleton.py".split()


@pytest.fixture
def built(tmp_path):
    root, out = made_up.write(tmp_path / "exercises"), tmp_path / "out"
    hand_out(root, out)
    return root, out


def test_two_builds_give_the_same_bytes(built, tmp_path):
    root, out = built
    hand_out(root, tmp_path / "again")
    names = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert [name.as_posix() for name in names] == [f"{part}/{name}" for part in ("1_line", "2_curve") for name in MADE]
    for name in names:
        assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_neither_masters_nor_hidden_checks_nor_mistakes_are_handed_out(built):
    names = {path.name for path in built[1].rglob("*") if path.is_file()}
    assert names == {
        *("handout.md", "skeleton.py", "checks.py", "cases.py"),
        *("expected.npz", "signatures.npz", "manifest.json"),
    }


def test_expected_numbers_are_the_masters_and_need_no_pickle(built):
    root, out = built
    first, given = exercise(1, root), exercise(1, out)
    with np.load(out / "1_line" / "expected.npz", allow_pickle=False) as stored:
        assert len(stored) == 3 * (1 + 1 + 2)
        for k in range(3):
            task = given.tasks["line_backward"]  # its cases are drawn by what is handed out
            right = answers.answer(first.master, task, answers.public_inputs(given, task, k))
            for output in "da", "db":
                assert stored[f"line_backward/{k}/{output}"] == right[output]


def test_what_the_master_gives_for_a_judged_task_is_not_handed_out(tmp_path):
    change = (
        "1_line/checks.py",
        '        outputs=("da", "db"),\n',
        '        outputs=("da", "db"),\n        judge=len,\n',
    )
    hand_out(made_up.write(tmp_path / "exercises", change), tmp_path / "out")
    with np.load(tmp_path / "out" / "1_line" / "expected.npz") as stored:
        assert {name.split("/")[0] for name in stored} == {"warm_up", "line"}


def test_a_wrong_answer_agrees_with_the_signature_of_its_own_mistake_only(built):
    root, out = built
    given, wrong = exercise(1, out), exercise(1, root)
    text = (root / "1_line" / "master.py").read_text()
    module = wrong.module("master", text.replace("np.sum(", "np.mean("))
    task = given.tasks["line_backward"]
    found = [answers.answer(module, task, answers.public_inputs(given, task, k))["db"] for k in range(3)]
    rows = [signatures.project(value) for value in found]
    with np.load(out / "1_line" / "signatures.npz") as stored:
        assert set(stored) == {"not-doubled", "intercept-forgotten", "x-forgotten", "mean-for-sum"}
        assert stored["mean-for-sum"].shape == (2, 3, 4)
        assert signatures.agree(rows, stored["mean-for-sum"][1])
        assert not signatures.agree(rows, stored["mean-for-sum"][0])
        assert not signatures.agree(rows, stored["x-forgotten"][1])
        assert not signatures.agree(rows[:2], stored["mean-for-sum"][1])


def test_projections_tell_shapes_and_places_of_nan_apart_but_not_rounding():
    rng = np.random.default_rng(0)
    array = rng.standard_normal((3, 4))
    same = signatures.project(array * (1 + 1e-15))
    assert signatures.agree([signatures.project(array)], [same])
    for other in array.T, array.reshape(4, 3), array[::-1], -array, array * (1 + 1e-6), array + 1j * array:
        assert not signatures.agree([signatures.project(array)], [signatures.project(other)])
    holes = array.copy(), array.copy()
    holes[0][0, 0] = holes[1][0, 1] = np.nan
    assert signatures.agree([signatures.project(holes[0])], [signatures.project(holes[0])])
    assert not signatures.agree([signatures.project(holes[0])], [signatures.project(holes[1])])
    assert signatures.project(np.array(["text"])) is None
    assert signatures.project(np.full(99, 1.7e308)) is None  # too large for a sum: nothing is said of it


def test_projections_are_the_same_numbers_on_every_machine():
    assert signatures.project(np.arange(3.0)).tolist() == [
        0.0063228607177734375,
        0.35222625732421875,
        -1.2978382110595703,
        0.9821491241455078,
    ]


def test_the_manifest_names_the_known_mistakes_and_not_what_is_accepted(built):
    manifest = json.loads((built[1] / "1_line" / "manifest.json").read_text())
    assert manifest["exercise"] == "1_line"
    assert manifest["mistakes"]["mean-for-sum"] == {
        "task": "line_backward",
        "title": "the mean over points where a sum belongs",
    }
    assert "other-order" not in manifest["mistakes"]


def test_a_build_keeps_beside_the_masters_what_must_be_computed_and_nothing_else(built):
    root, out = built
    build(root)
    for each in exercises(out):
        public = root / each.folder.name / PUBLIC
        assert {path.name for path in public.iterdir()} == set(COMPUTED)
        for name in COMPUTED:
            assert (public / name).read_bytes() == (each.folder / name).read_bytes()


def test_a_build_replaces_exercises_that_are_gone_and_leaves_other_files(built):
    root, out = built
    (out / "notes.txt").write_text("mine")
    (root / "2_curve").rename(root / "3_curve")
    hand_out(root, out)
    assert {path.name for path in out.iterdir()} == {"1_line", "3_curve", "notes.txt"}


def test_masters_are_never_overwritten(built):
    with pytest.raises(ValueError, match="holds masters"):
        hand_out(built[0], built[0])
    assert (built[0] / "1_line" / "master.py").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("1_line/mistakes.py", "return 2 * x", "return 4 * x"), "not-doubled: .* stands in the master 0 times, not 1"),
        (("1_line/mistakes.py", "return 3 * x", "return 3 *"), "not-doubled does not compile"),
        (("1_line/master.py", "    # END SOLUTION\n\n\ndef line(", "\n\ndef line("), "1_line: line 16: # BEGIN"),
        (("1_line/master.py", "return 2 * x", "return object()"), "warm_up/0/y is no array of numbers"),
        (("1_line/master.py", "return da, db", "return da"), "line_backward: .* came where 2 values belong"),
    ],
)
def test_what_cannot_be_handed_out_is_told_in_a_line(tmp_path, change, told):
    root = made_up.write(tmp_path / "exercises", change)
    with pytest.raises(ValueError, match=told) as error:
        hand_out(root, tmp_path / "out")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=told):
        build(root)
    assert not (tmp_path / "out").exists() and not list(root.rglob(PUBLIC))


def test_the_command_builds_and_says_what(tmp_path, capsys):
    root = made_up.write(tmp_path / "exercises")
    assert main(["teach", "build", "--root", str(root), "--out", str(tmp_path / "out")]) == 0
    assert "1 line: 2 graded tasks and 1 for practice, 100 points, 4 known mistakes" in capsys.readouterr().out
    assert [e.name for e in exercises(tmp_path / "out")] == ["line", "curve"]
    assert not list(root.rglob(PUBLIC))
    assert main(["teach", "build", "--root", str(root)]) == 0
    assert "made: public/ of each" in capsys.readouterr().out
    assert len(list(root.rglob("expected.npz"))) == 2
    assert main(["teach", "build", "--root", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_build_makes_the_teachers_table_anew_and_leaves_the_rest_of_the_page(tmp_path):
    root = made_up.write(tmp_path / "exercises")
    page = f"before\n{OVERVIEW}\nold\n{OVERVIEW_END}\nafter\n"
    (root / "README.md").write_text(page)
    build(root)
    made = (root / "README.md").read_text()
    assert made.startswith("before\n<!--") and made.endswith("-->\nafter\n") and "old" not in made
    assert "| 1 line | `line_backward` | the slope's gradient | 40 |" in made
    assert "| 1 line | `warm_up` | twice | practice |" in made
    assert "| **all** | **3 graded tasks** | | **200** |" in made
    (root / "README.md").write_text("nothing marked")
    with pytest.raises(ValueError, match="has not once each"):
        build(root)


def test_npz_files_hold_no_date_and_read_back():
    data = npz({"b/0/y": np.arange(6.0).reshape(2, 3).T, "a": np.float64(2.0)})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(io.BytesIO(data)) as back:
        assert back["a"].shape == () and np.array_equal(back["b/0/y"], np.arange(6.0).reshape(2, 3).T)


@pytest.mark.slow
@pytest.mark.parametrize("each", masters(), ids=lambda each: each.name)
def test_what_is_committed_is_what_a_build_makes(each):
    """To rounding: another machine adds up in another order."""
    made, folder = parts(each), each.folder / PUBLIC
    assert {path.name for path in folder.iterdir()} - {PICTURE} == set(COMPUTED)  # that is drawn, not computed
    assert (folder / "manifest.json").read_bytes() == made["manifest.json"], "make it anew: tinyrnn teach build"
    for name in "expected.npz", "signatures.npz":
        with np.load(io.BytesIO(made[name])) as fresh, np.load(folder / name) as old:
            assert set(fresh) == set(old)
            for key in fresh:
                np.testing.assert_allclose(fresh[key], old[key], rtol=1e-9, atol=1e-9, err_msg=f"{name}: {key}")


def test_in_a_clone_students_commands_read_the_teachers_folder():
    assert HANDED_OUT == ROOT


def test_the_table_of_tasks_in_the_teachers_page_is_that_of_the_exercises():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_overview(page, masters()) == page, "make it anew: tinyrnn teach build"


def test_there_are_forty_graded_tasks_and_all_exercises_have_a_hundred_points():
    found = masters()
    assert sum(not task.practice for each in found for task in each.tasks.values()) >= 40
    assert [each.points for each in found] == [100] * len(found)
