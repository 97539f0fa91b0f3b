"""What is uploaded to Gradescope runs in a tree like theirs, and leaves a result that they take."""

import json
import os
import stat
import subprocess
import sys
import zipfile

import pytest
from tiny_work import SECRET, TINY, solved, tiny, untouched, with_mistake

from tinyrnn.commands.main import main
from tinyrnn.grading.classroom import on_gradescope
from tinyrnn.grading.classroom.archive import requirements
from tinyrnn.grading.classroom.classes import AS_ROOT
from tinyrnn.grading.classroom.gradescope import TEMPLATES, export_github, export_gradescope, workflow
from tinyrnn.grading.classroom.on_gradescope import crashed, results, unreadable
from tinyrnn.grading.marking import mark
from tinyrnn.grading.sandbox.sandbox import best_mode, is_root, protections

SCHEMA = json.loads((TEMPLATES / "gradescope" / "results.schema.json").read_text())
ONE, TWO = "ex1_tiny.py", "ex2_after.py"
# What setup.sh makes, without installing anything: an interpreter that finds the package of the zip first.
PYTHON = """#!/bin/sh
exec '{python}' -I -B -W error -c 'import runpy, sys; sys.path.insert(0, "{package}"); del sys.argv[1:5]
import tinyrnn
assert tinyrnn.__file__.startswith("{package}")
runpy.run_module("tinyrnn.grading.classroom.on_gradescope", run_name="__main__", alter_sys=True)' "$@"
"""


def valid(content):
    jsonschema = pytest.importorskip(
        "jsonschema"
    )  # half a second or more, which who runs other tests need not wait for
    jsonschema.validate(content, SCHEMA, cls=jsonschema.Draft202012Validator)
    return content


def graded(text, **options):
    return valid(results(tiny(), mark(tiny(), {ONE: text}, secret=SECRET, hidden=True, feedback=False, **options)))


def by_name(content):
    return {test["name"]: test for test in content["tests"]}


@pytest.fixture
def autograder(tmp_path):
    """A tree like Gradescope's with the zip for exercise 2 unpacked in it; the folder that is /autograder there."""
    export_gradescope(tiny(2), tmp_path / "export.zip", SECRET)
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    subprocess.run(["unzip", "-q", tmp_path / "export.zip", "-d", root / "source"], check=True)
    (made,) = (root / "source").glob("tinyrnn-*.whl")
    subprocess.run(["unzip", "-q", made, "-d", root / "source" / "package"], check=True)
    (root / "run_autograder").write_bytes((root / "source" / "run_autograder").read_bytes())
    (root / "run_autograder").chmod(0o755)
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON.format(python=sys.executable, package=root / "source" / "package"))
    python.chmod(0o755)
    return root


def run(root, **files):
    """Runs the autograder on submitted files; returns (results.json, what was printed)."""
    for name, text in files.items():
        (root / "submission" / f"{name}.py").write_text(text)
    environment = {**os.environ, "AUTOGRADER": str(root), "TINYRNN_VENV": str(root.parent / "venv")}
    done = subprocess.run([root / "run_autograder"], env=environment, capture_output=True, text=True, cwd=root)
    assert done.returncode == 0
    return valid(json.loads((root / "results" / "results.json").read_text())), done.stdout + done.stderr


@pytest.mark.slow
def test_a_submission_is_graded_in_a_tree_like_theirs(autograder):
    content, printed = run(autograder, ex1_tiny=solved(), ex2_after=solved(2))
    assert "ended with status" not in printed
    assert sum(test["score"] for test in content["tests"]) == tiny(2).points == 100
    assert {test["visibility"] for test in content["tests"]} == {"visible", "after_published"}
    assert [path.name for path in (autograder / "results").iterdir()] == ["results.json"]
    for name in ("source", "submission", "results"):
        assert stat.S_IMODE((autograder / name).stat().st_mode) == 0o700


HOSTILE = """
import os, sys
for path in ("{root}/results/results.json", "{root}/source/secret.txt", "{root}/run_autograder"):
    for mode in ("r", "w"):
        try:
            with open(path, mode) as file:
                print(file.read() if mode == "r" else file.write('{{"score": 100}}'))
        except OSError:
            pass
"""


@pytest.mark.skipif(
    protections()["mode"] == "plain", reason="nothing keeps a submission from its own user's files here"
)
def test_a_hostile_submission_changes_nothing_and_learns_nothing(autograder):
    for name in ("conftest", "sitecustomize", "numpy", "json", "tinyrnn"):
        (autograder / "submission" / f"{name}.py").write_text("raise SystemExit(0)\n")
    program = (autograder / "run_autograder").read_bytes()
    content, printed = run(autograder, ex1_tiny=HOSTILE.format(root=autograder) + untouched(), ex2_after=solved(2))
    assert "ended with status" not in printed
    assert sum(test["score"] for test in content["tests"]) == 0
    assert SECRET not in json.dumps(content) and SECRET not in printed
    assert (autograder / "source" / "secret.txt").read_text().strip() == SECRET
    assert (autograder / "run_autograder").read_bytes() == program


def test_when_the_grader_does_not_even_start_there_is_a_result(autograder):
    (autograder / "source" / "settings.json").unlink()
    content, printed = run(autograder, ex1_tiny=solved(), ex2_after=solved(2))
    assert content == crashed() and "ended with status 1" in printed


def test_root_does_not_run_students_code_as_root(tmp_path, monkeypatch):
    monkeypatch.setattr(on_gradescope, "protections", lambda: {"mode": "plain"})
    monkeypatch.setattr(on_gradescope, "is_root", lambda: True)
    with pytest.raises(RuntimeError, match="as root"):
        on_gradescope.main([str(tmp_path)])


@pytest.mark.skipif(best_mode() == "plain" and is_root(), reason=AS_ROOT)
def test_an_upload_without_the_file_says_what_is_missing(tmp_path, monkeypatch):
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "exercises").symlink_to(TINY)
    (tmp_path / "source" / "settings.json").write_text('{"exercise": 2}')
    (tmp_path / "source" / "secret.txt").write_text(SECRET)
    (tmp_path / "submission" / "homework.txt").write_text("done!")
    assert on_gradescope.main([str(tmp_path)]) == 0
    content = valid(json.loads((tmp_path / "results" / "results.json").read_text()))
    assert content["score"] == 0 and f"there is no {TWO} in it" in content["output"]


@pytest.mark.parametrize("text", [solved(), untouched(), with_mistake("tanh-at-its-input"), "def broken(:\n"])
def test_scores_add_up_to_the_marks(text):
    marks = mark(tiny(), {ONE: text}, secret=SECRET, hidden=True, feedback=False)
    content = valid(results(tiny(), marks))
    assert sum(test["score"] for test in content["tests"]) == pytest.approx(marks.points)
    assert sum(test["max_score"] for test in content["tests"]) == 100
    for test in content["tests"]:
        assert 0 <= test["score"] <= test["max_score"]
        if test["max_score"]:
            assert (test["status"] == "passed") == (test["score"] == test["max_score"])


WRONG_IN_HIDDEN = "    u = np.tanh(x @ W)\n    h = (1 - a) * h_prev + a * u\n    return h if a != 1.0 else -h"


def test_of_hidden_checks_there_is_a_name_and_nothing_else():
    text = solved().replace("    u = np.tanh(x @ W)\n    h = (1 - a) * h_prev + a * u\n    return h", WRONG_IN_HIDDEN)
    tests = by_name(graded(text))
    assert tests["leaky: one step"]["status"] == "passed" and tests["leaky: one step"]["output"] == "right"
    hidden = tests["leaky: hidden checks"]
    assert hidden == {
        "number": "2.2",
        "name": "leaky: hidden checks",
        "score": 0.0,
        "max_score": 30.0,
        "status": "failed",
        "output": "",
        "visibility": "after_published",
    }
    assert "hidden" not in " ".join(test["output"] for test in tests.values())


def test_a_crash_of_the_grader_is_told_to_staff_and_worth_nothing():
    class Broken:
        def __init__(self, *_, **__):
            raise OSError("no more processes")

    content = graded(solved(), sandbox=Broken)
    assert content["score"] == 0 and content["output"].startswith("0, grader crashed, tell staff")
    valid(crashed())
    valid(unreadable("it is empty", 100))


@pytest.mark.parametrize(
    "change",
    [
        {"tests": [{"score": 1.0, "visibility": "secret"}]},
        {"tests": [{"score": "1"}]},
        {"tests": [{"name": "no score"}]},
        {"tests": [{"score": 1.0, "state": "passed"}]},
        {"score": None},
        {"tests": []},
    ],
)
def test_the_schema_refuses_what_is_not_documented(change):
    with pytest.raises(pytest.importorskip("jsonschema").ValidationError):
        valid(change)


def test_the_zip_is_the_same_for_the_same_secret_and_has_all_at_its_root(tmp_path):
    for name in ("one.zip", "two.zip"):
        export_gradescope(tiny(2), tmp_path / name, SECRET)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        names = set(archive.namelist())
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert {"setup.sh", "run_autograder", "requirements.txt", "secret.txt", "crashed.json"} <= names
    assert {
        "exercises/1_tiny/master.py",
        "exercises/2_after/cases.py",
    } <= names
    assert sum(name.startswith("tinyrnn-") and name.endswith(".whl") for name in names) == 1
    assert modes["run_autograder"] & 0o100 and modes["setup.sh"] & 0o100
    assert not any("__pycache__" in name or "exercises_data" in name for name in names)


def test_later_exercises_are_not_exported(tmp_path):
    export_gradescope(tiny(1), tmp_path / "one.zip", SECRET)
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert not any(name.startswith("exercises/2") for name in archive.namelist())


def test_given_wheels_are_carried_so_that_nothing_is_downloaded(tmp_path):
    with pytest.raises(ValueError, match="there are no wheels in"):
        export_gradescope(tiny(), tmp_path / "one.zip", SECRET, wheels=tmp_path)
    (tmp_path / "numpy-9-any.whl").write_bytes(b"numbers")
    export_gradescope(tiny(), tmp_path / "one.zip", SECRET, wheels=tmp_path)
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.read("wheels/numpy-9-any.whl") == b"numbers"
    export_github(tiny(2), tmp_path / "repository", wheels=tmp_path)
    made = {path.name for path in (tmp_path / "repository" / ".github" / "wheels").iterdir()}
    assert len(made) == 2 and "numpy-9-any.whl" in made
    (own,) = made - {"numpy-9-any.whl"}
    with zipfile.ZipFile(tmp_path / "repository" / ".github" / "wheels" / own) as archive:
        held = {name for name in archive.namelist() if "exercises_data" in name}
    assert {"tinyrnn/exercises_data/1_tiny/expected.npz", "tinyrnn/exercises_data/2_after/skeleton.py"} <= held
    assert not any("master" in name or "hidden" in name or "mistakes" in name for name in held)


def test_all_packages_are_pinned():
    lines = requirements().splitlines()
    assert all(line.count("==") == 1 for line in lines)
    assert {"numpy", "scipy", "safetensors", "tqdm"} <= {line.split("==")[0] for line in lines}


def test_the_scripts_are_bash():
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", TEMPLATES / "gradescope" / name], check=True)


def test_the_command_writes_both_exports(tmp_path, capsys):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    path = tmp_path / "out.zip"
    more = ["--root", str(TINY), "--secret-file", str(secret)]
    assert main(["teach", "export", "gradescope", "1", "--out", str(path), *more]) == 0
    assert "keep it to yourself" in capsys.readouterr().out and path.exists()
    assert main(["teach", "export", "github", "1", "--out", str(tmp_path), "--root", str(TINY)]) == 0
    assert (tmp_path / ".github" / "workflows" / "exercise_1.yml").read_text() == workflow(tiny())


def test_the_workflow_runs_the_public_checks_and_knows_no_secret():
    yaml = pytest.importorskip("yaml")
    content = yaml.safe_load(workflow(tiny()))
    steps = content["jobs"]["checks"]["steps"]
    (check,) = [step["run"] for step in steps if step.get("name") == "Check"]
    assert check == f"python -m pytest -v --junitxml=results.xml test_{ONE}"
    assert content["permissions"] == {"contents": "read"}
    assert not any(word in workflow(tiny()) for word in ("NUMBER", "TEST", "secrets."))
    (install,) = [step["run"] for step in steps if step.get("name") == "Install"]
    assert ".github/wheels/tinyrnn-*.whl" in install
