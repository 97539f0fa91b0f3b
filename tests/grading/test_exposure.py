"""Nothing is graded where students' code could read solutions, other submissions or results; and no attack pays."""

import os
import sys

import attacks
import pytest
from sampling import sample
from tiny_work import TINY, tiny

from tinyrnn.commands.main import main
from tinyrnn.grading.classroom import exposure
from tinyrnn.grading.classroom.exposure import refusal, refuse_exposed
from tinyrnn.grading.sandbox import group
from tinyrnn.grading.sandbox.process import Limits
from tinyrnn.grading.sandbox.sandbox import MODES, Sandbox, exposed, protections, works


@pytest.fixture
def readable(monkeypatch):
    """The sandbox as it is where a submission can read everything."""
    monkeypatch.setattr(exposure, "exposed", list)
    monkeypatch.setattr(exposure, "best_mode", lambda: "user")


def test_what_can_be_read_is_refused_with_what_to_do(readable, tmp_path):
    with pytest.raises(
        ValueError, match=rf"could read .*{TINY}.*{tmp_path}: close them \(chmod 700 .*{tmp_path}.*--unp"
    ):
        refuse_exposed(tiny(), tmp_path, tmp_path / "out")


def test_the_command_refuses_and_writes_nothing(readable, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ex1_tiny.py").write_text("")
    words = ["teach", "grade", str(tmp_path / "in"), "--exercise", "1", "--out", str(tmp_path / "out")]
    assert main([*words, "--root", str(TINY)]) == 2
    assert "students' code could read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_where_folders_are_hidden_nothing_is_exposed(tmp_path):
    if not protections()["files"]:
        pytest.skip("files are not hidden here")
    (tmp_path / "secret").write_text("of the teacher")
    assert exposed([tmp_path / "secret", tmp_path, TINY / "1_tiny" / "master.py"]) == []


def test_without_protection_everything_is_exposed_that_the_grader_can_read(tmp_path):
    (tmp_path / "secret").write_text("of the teacher")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in_it").write_text("")
    paths = [tmp_path / "secret", tmp_path / "not_there", tmp_path / "folder"]
    assert exposed(paths, "plain") == [paths[0], paths[2]]


@pytest.mark.skipif(not works("user"), reason="there is no mode user here")
def test_a_closed_folder_is_closed_to_a_user_of_its_own(tmp_path):
    os.chmod(tmp_path, 0o700)
    (tmp_path / "secret").write_text("of the teacher")
    assert exposed([tmp_path / "secret", tmp_path], "user") == []


def test_a_refusal_is_one_line_however_many_folders_there_are():
    said = refusal([f"/a/{k}" for k in range(9)], "plain")
    assert "\n" not in said and "6 more folders" in said and "chmod" not in said


FORKS = """
import os, time
import numpy as np

def grow(x):
    for _ in range(4):
        if os.fork() == 0:
            kept = np.ones(200 << 17)
            time.sleep(60)
            os._exit(0)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory a family of processes uses")
def test_the_memory_of_all_processes_together_is_limited(monkeypatch):
    monkeypatch.setattr(group, "control_group", lambda pid, most: None)
    with Sandbox({"s.py": FORKS}, "s.py", limits=Limits(memory=400 << 20, patience=1.0)) as sandbox:
        reply = sandbox.call("grow", {"x": 1.0}, seconds=40.0)
    assert (reply.kind, reply.message) == ("memory", "all of its processes together need more memory than there is")


def test_a_control_group_is_removed_with_its_child():
    with Sandbox({"s.py": "def f():\n    return 1.0\n"}, "s.py") as sandbox:
        assert sandbox.call("f", {}).value == 1.0
        folder = sandbox.child.group.folder
        assert folder is None or folder.is_dir()
    assert folder is None or not folder.exists()


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_no_attack_gains_a_point(mode, tmp_path):
    if not works(mode):
        pytest.skip(f"there is no mode {mode} here")
    os.chmod(tmp_path, 0o755)
    one = attacks.copy_of_masters(tmp_path)
    refused = attacks.open_in(one, mode)  # so nothing is graded at all
    assert bool(refused) or mode != "plain"
    tried = attacks.texts(one).items()
    if mode != "namespaces":  # the mode that is taken where there is a choice meets all of them
        tried = sample(tried, 4, lambda attack: mode + attack[0])
    for name, text in tried:
        if refused and name == "looks for the masters":
            continue
        points, said = attacks.gained(one, text, mode)
        if "an argument in place" in name:
            assert points == 76 and "c_prev was changed in place" in said
        else:
            assert points == 0, (name, said)
