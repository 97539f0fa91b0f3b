"""No submission, whatever is in it, gets points for wrong numbers, stops the grader, or reaches beyond its process."""

import itertools
import os
import socket
from pathlib import Path

import numpy as np
import pytest
from hostile_texts import BROKEN, DANGEROUS, RIGHT

from tinyrnn.grading.compare import compare
from tinyrnn.grading.sandbox.process import Limits
from tinyrnn.grading.sandbox.sandbox import MODES, Sandbox, protections, works
from tinyrnn.grading.task import EXACT

ENDLESS = {"timeout"}
EVERY_TIME = {  # the others are slow tests, all together
    "a shape that would broadcast",
    "a subclass that lies about its bytes",
    "an array that is far too large",
    "not a number",
    "objects in an array",
    "null bytes",
    "the answers' package",
    "os._exit, as if all were well",
    "os._exit while it is loaded",
    "a loop that catches everything",
    "a list that grows",
    "output that looks like a result",
    "all descriptors closed",
    "a forged reply, then the right one",
    "a verdict sent by hand",
    "numpy changed",
    "processes without end",
    "a daemon that holds the channel, without its parent",
    "a kill of the grader",
    "a kill of everything",
    "a secret file",
    "its own results",
    "everything deleted",
    "limits taken off",
    "the network",
}
NEEDS_NETWORK = {"the network"}
NEEDS_FILES = {"a full disk", "files without end", "a secret file through the root of another process"}


@pytest.fixture(scope="module")
def neighbour():
    """Another submission of the same batch, honest, in a process of its own."""
    with Sandbox({"student.py": RIGHT}, "student.py") as sandbox:
        yield sandbox


@pytest.fixture
def belongings(tmp_path):
    """What the grader has and the submission should not touch: {name: text that stands for it}."""
    folder = tmp_path / "grader"
    folder.mkdir(mode=0o700)
    (folder / "secret").write_text("the hidden cases")
    (folder / "results.json").write_text('{"score": 0}')
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {
            "@SECRET@": str(folder / "secret"),
            "@RESULTS@": str(folder / "results.json"),
            "@PARENT@": str(os.getpid()),
            "@PORT@": str(server.getsockname()[1]),
        }
    assert (folder / "secret").read_text() == "the hidden cases"
    assert (folder / "results.json").read_text() == '{"score": 0}'


def earned(reply, x):
    """Whether a reply is worth points, as marking sees it."""
    if reply.kind != "returned":
        return False
    return all(finding.ok for finding in compare(("y",), reply.value, {"y": 2 * x}, EXACT, {"x": x}))


def check(text, kinds, right, belongings, neighbour, mode=None):
    """Two calls of a submission, and one of its neighbour afterwards."""
    for name, stands_for in belongings.items() if isinstance(text, str) else ():
        text = text.replace(name, stands_for)
    x = np.arange(6.0).reshape(2, 3) + 0.5
    endless = bool(ENDLESS & kinds) or "import" in kinds
    limits = Limits(load=1.0 if "time.sleep" in str(text) else 10.0, patience=1.0, memory=1 << 29)
    with Sandbox({"student.py": text}, "student.py", limits=limits, mode=mode) as sandbox:
        for expected in (right, right is True):
            reply = sandbox.call("double", {"x": x}, seconds=0.5 if endless else 20.0)
            assert reply.kind in kinds, reply
            assert earned(reply, x) == bool(expected), reply
            assert len(reply.printed) < 5000 and "\n" not in reply.message and "\x1b" not in reply.message
            assert "the hidden cases" not in str(reply.value)
        uid = sandbox.child.uid if sandbox.child else None
    if uid is not None:
        assert not processes_of(uid)
    assert earned(neighbour.call("double", {"x": x}), x)


def processes_of(uid):
    """Process numbers of a user, without those that have ended and wait to be asked how."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == uid and not Path(f"/proc/{name}/stat").read_text().split()[2] == "Z":
                found.append(name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def needs(name, mode):
    """Skips where this system does not have what protects from that submission."""
    active = protections() if mode is None else protections() | {"mode": mode, "processes": mode != "plain"}
    if not active["processes"] or (mode or active["mode"]) == "plain":
        pytest.skip("this system gives a child process no processes of its own")
    if name in NEEDS_NETWORK | NEEDS_FILES and (mode or active["mode"]) != "namespaces":
        pytest.skip("this system has no namespaces")


def names(texts):
    """The names of submissions, most of them marked as slow tests."""
    return [name if name in EVERY_TIME else pytest.param(name, marks=pytest.mark.slow) for name in texts]


@pytest.mark.few(1)
@pytest.mark.parametrize("name", names(BROKEN))
def test_a_broken_submission_gets_what_its_numbers_are_worth(name, belongings, neighbour):
    check(*BROKEN[name], belongings, neighbour)


@pytest.mark.few(3)
@pytest.mark.parametrize("name", names(DANGEROUS))
def test_a_dangerous_submission_reaches_nothing_beyond_its_process(name, belongings, neighbour):
    needs(name, None)
    check(*DANGEROUS[name], belongings, neighbour)


@pytest.mark.sample(30)
@pytest.mark.slow
@pytest.mark.parametrize("name, mode", [*zip(BROKEN, itertools.cycle(MODES[1:]))])  # each with one of them
def test_a_broken_submission_gets_the_same_with_less_protection(name, mode, belongings, neighbour):
    if not works(mode):
        pytest.skip(f"there is no mode {mode} here")
    check(*BROKEN[name], belongings, neighbour, mode)


@pytest.mark.slow
@pytest.mark.parametrize("name", DANGEROUS)
def test_a_user_of_its_own_is_enough_against_most(name, belongings, neighbour):
    if not works("user"):
        pytest.skip("there is no mode user here")
    needs(name, "user")
    check(*DANGEROUS[name], belongings, neighbour, "user")
