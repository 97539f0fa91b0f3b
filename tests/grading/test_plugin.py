"""Plain pytest in a student's folder: an item for each task, and the student's code stays out of pytest's process."""

import os
import subprocess
import sys

import pytest
import tiny_work
from tiny_work import solved, with_mistake

from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import exercise


def run_pytest(folder, *words):
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    root = tiny_work.hand_out(tmp_path / "handed out")
    desk = tmp_path / "desk"
    desk.mkdir()
    for number in (1, 2):
        submitting.start(exercise(number, root), desk)
    return desk


def test_each_task_is_an_item_and_waiting_ones_are_skipped(folder):
    outside = "\nimport sys\nassert 'pytest' not in sys.modules and 'tinyrnn' not in sys.modules\n"
    (folder / "ex1_tiny.py").write_text(with_mistake("kept-twice") + outside)
    ran = run_pytest(folder, "-v", "-rs", "--junitxml", "result.xml")
    assert ran.returncode == 1
    assert "test_ex1_tiny.py::test_task[twice] PASSED" in ran.stdout
    assert "test_ex1_tiny.py::test_task[leaky] FAILED" in ran.stdout
    assert "test_ex1_tiny.py::test_task[leaky_backward] SKIPPED (waits for: leaky)" in ran.stdout
    assert "known mistake (your numbers are exactly what it gives): both parts are weighted by a" in ran.stdout
    assert "test_ex2_after.py::test_task[run] FAILED" in ran.stdout and "not written yet" in ran.stdout
    assert "Traceback" not in ran.stdout and "plugin.py:" not in ran.stdout.split("short test summary")[0]
    assert 'failures="2"' in (folder / "result.xml").read_text()


@pytest.mark.slow
def test_when_all_is_right_all_pass(folder):
    (folder / "ex1_tiny.py").write_text(solved(1).replace("return 2 * x", "raise NotImplementedError"))
    (folder / "ex2_after.py").write_text(solved(2))
    ran = run_pytest(folder, "-q")
    assert ran.returncode == 0
    assert "5 passed, 1 skipped" in ran.stdout


@pytest.mark.slow
def test_a_file_that_is_gone_or_does_not_load_fails_every_task(folder):
    (folder / "ex1_tiny.py").unlink()
    (folder / "ex2_after.py").write_text("def run(:")
    ran = run_pytest(folder, "-q")
    assert ran.returncode == 1
    assert "6 failed" in ran.stdout
    assert "there is no ex1_tiny.py here" in ran.stdout
    assert "ex2_after.py does not load" in ran.stdout
