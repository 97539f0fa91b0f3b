"""A student's functions in a child process: what honest code gets back, and what every reply can be relied on for."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from tinyrnn.grading.build import ROOT
from tinyrnn.grading.sandbox.pipes import Closed, Late, Pipes
from tinyrnn.grading.sandbox.process import Limits, Reply, clean
from tinyrnn.grading.sandbox.sandbox import MODES, Sandbox, line_verdicts, protections, works
from tinyrnn.grading.sandbox.system import SandboxError
from tinyrnn.grading.task import Source

HONEST = """
import numpy as np

calls = 0


def twice(x, scale=1.0):
    return {"y": 2 * scale * x, "more": (x.sum(), [None, True, "text"])}


def in_place(x):
    x *= 0
    return x


def count():
    global calls
    calls += 1
    return calls


def apply(f, x):
    return f(x)


def talk(n):
    print("said" * n)
    return n


def sleep():
    while True:
        pass


def fail(x):
    return helper(x)


def helper(x):
    return x @ np.ones(7)


def order():
    return [len(w) for w in {"a", "bb", "ccc", "dddd", "eeeee"}], np.random.normal(size=3)


def surroundings():
    import os
    return list(os.environ), os.listdir("."), os.getuid() if hasattr(os, "getuid") else -1
"""


def sandbox(text=HONEST, **options):
    return Sandbox({"ex1_try.py": text}, "ex1_try.py", **options)


@pytest.fixture(scope="module")
def child():
    with sandbox() as made:
        yield made


def test_what_a_function_returns_comes_back_in_its_structure(child):
    x = np.arange(6.0).reshape(2, 3)
    reply = child.call("twice", {"x": x, "scale": 0.5})
    assert reply.kind == "returned" and reply.message == reply.line == ""
    assert np.array_equal(reply.value["y"], x) and reply.value["y"].dtype == np.float64
    assert float(reply.value["more"][0]) == 15 and reply.value["more"][1] == [None, True, "text"]


def test_arguments_are_copies(child):
    x = np.ones(3)
    assert np.array_equal(child.call("in_place", {"x": x}).value, np.zeros(3))
    assert np.array_equal(x, np.ones(3))


def test_a_function_among_the_arguments_is_made_where_it_is_called(child):
    reply = child.call("apply", {"f": Source("lambda x: np.tanh(x) + 1"), "x": np.zeros(2)})
    assert np.array_equal(reply.value, np.ones(2))


def test_one_child_serves_many_calls(child):
    first = child.call("count", {}).value
    assert child.call("count", {}).value == first + 1


def test_an_error_comes_with_the_innermost_line_of_the_submission(child):
    reply = child.call("fail", {"x": np.ones(3)})
    line = 1 + HONEST.split("\n").index("    return x @ np.ones(7)")
    assert reply.kind == "raised" and reply.message.startswith("ValueError: ") and reply.line == f"ex1_try.py:{line}"


def test_wrong_arguments_point_at_the_function(child):
    reply = child.call("fail", {"y": 1})
    line = 1 + HONEST.split("\n").index("def fail(x):")
    assert reply.kind == "raised" and "unexpected keyword" in reply.message and reply.line == f"ex1_try.py:{line}"


def test_prints_belong_to_their_call_and_are_cut(child):
    assert child.call("talk", {"n": 1}).printed == "said\n"
    assert child.call("count", {}).printed == ""
    assert len(child.call("talk", {"n": 10**6}).printed) < 5000
    assert child.call("talk", {"n": 2}).printed == "saidsaid\n"
    assert [child.call("talk", {"n": 10**6}).printed[-11:] for _ in range(6)] == [
        "\n(and more)"
    ] * 6  # not all together


def test_after_a_timeout_the_next_call_has_a_new_child():
    with sandbox(limits=Limits(patience=1.0)) as child:
        assert child.call("count", {}, seconds=30.0).value == 1
        reply = child.call("sleep", {}, seconds=0.2)
        assert (reply.kind, reply.message) == ("timeout", "took more than 0.2 s")
        assert child.call("count", {}, seconds=30.0).value == 1


def test_processor_time_ends_a_call_before_the_clock_does():
    if not protections()["memory"]:
        pytest.skip("this system has no limits")
    with sandbox(limits=Limits(patience=1000.0)) as child:
        assert child.call("sleep", {}, seconds=0.2).kind == "timeout"


def test_the_time_for_all_calls_together_is_limited():
    with sandbox(limits=Limits(patience=1.0, total=1.0)) as child:
        child.call("sleep", {}, seconds=5.0)
        reply = child.call("count", {})
        assert (reply.kind, reply.message) == ("timeout", "all calls together took more than 1 s")


def test_a_file_that_does_not_load_is_loaded_once():
    with sandbox("import time\nprint('here')\n1 / 0\n") as child:
        first = child.call("f", {})
        assert first.kind == "import" and first.line == "ex1_try.py:3" and "ZeroDivisionError" in first.message
        assert child.child is None and child.call("g", {}) == first


def test_files_of_earlier_exercises_can_be_imported_and_theirs_are_named():
    files = {"ex1_numbers.py": "def one(x):\n    return 1 / x\n", "ex2_elman.py": "from ex1_numbers import one\n"}
    with Sandbox(files, "ex2_elman.py") as child:
        assert child.call("one", {"x": 2}).value == 0.5
        assert child.call("one", {"x": 0}).line == "ex1_numbers.py:2"


def test_files_beside_the_submission_do_not_take_the_place_of_what_it_imports():
    planted = {name: "raise SystemExit" for name in ("numpy.py", "json.py", "conftest.py", "sitecustomize.py")}
    with Sandbox({"ex1_try.py": HONEST, **planted}, "ex1_try.py") as child:
        assert child.call("count", {}).value == 1


def test_a_package_can_be_imported_only_if_it_was_asked_for():
    text = "def f():\n    import scipy.special\n    return scipy.special.expit(0.0)\n"
    with sandbox(text) as child:
        assert child.call("f", {}).message.startswith("ModuleNotFoundError")
    with sandbox(text, packages=("numpy", "scipy")) as child:
        assert float(child.call("f", {}).value) == 0.5


@pytest.mark.slow  # it walks through all folders there are
def test_a_submission_that_has_the_package_does_not_find_the_masters_of_the_clone_beside_it():
    if not protections()["files"]:
        pytest.skip("files are not hidden here")
    text = """
import os
from pathlib import Path
import tinyrnn
def f(root):
    inside = Path(tinyrnn.__file__).resolve().parents[1]
    return [sum("master.py" in names for _, _, names in os.walk(folder)) for folder in ("/", inside, root)]
"""
    assert list(ROOT.glob("*/master.py"))
    with sandbox(text, packages=("numpy", "tinyrnn"), limits=Limits(memory=3 << 30)) as child:
        assert child.call("f", {"root": str(ROOT)}, seconds=60.0).value == [0, 0, 0]


def test_results_do_not_depend_on_the_process():
    replies = []
    for _ in range(2):
        with sandbox() as child:
            replies.append(child.call("order", {}).value)
    assert replies[0][0] == replies[1][0] and np.array_equal(replies[0][1], replies[1][1])


def test_the_child_sees_no_environment_of_the_graders_and_an_empty_folder(child, monkeypatch):
    monkeypatch.setenv("TINYRNN_SECRET", "hidden")
    with sandbox() as fresh:
        environment, folder, user = fresh.call("surroundings", {}).value
    assert folder == [] and not any("TINYRNN" in name or "PATH" in name for name in environment)
    assert user != 0 or not protections()["user"]


@pytest.mark.parametrize("mode", MODES)
def test_messages_and_prints_name_files_as_their_author_does(mode):
    if not works(mode):
        pytest.skip(f"there is no mode {mode} here")
    text = "def f():\n    print(__file__)\n    raise ValueError(__file__)\n"
    with sandbox(text, mode=mode) as child:
        reply = child.call("f", {})
    assert reply == Reply("raised", None, "ValueError: ex1_try.py", "ex1_try.py:3", "ex1_try.py\n")


@pytest.mark.parametrize("names", [("../ex1.py",), ("a/b.py",), ("",), (".hidden",), ("ex 1.py",), ("a\n.py",)])
def test_names_that_are_no_plain_file_names_are_refused(names):
    with pytest.raises(ValueError, match=r"^no plain file name: .*$"):
        Sandbox({"ex1.py": "", **dict.fromkeys(names, "")}, "ex1.py")


def test_a_main_file_that_is_not_there_and_a_package_that_is_not_installed_are_refused():
    with pytest.raises(ValueError, match="no Python file"):
        Sandbox({"ex1.py": ""}, "ex2.py")
    with pytest.raises(ValueError, match="not installed"):
        sandbox(packages=("no_such_package",))


def test_a_child_that_does_not_start_is_the_graders_trouble_and_not_the_submissions(monkeypatch):
    monkeypatch.setattr("tinyrnn.grading.sandbox.process.CHILD", "/no/such/file.py")
    with sandbox(mode="plain") as child, pytest.raises(SandboxError, match="does not start") as caught:
        child.call("count", {})
    assert "\n" not in str(caught.value)


def test_nothing_is_left_on_disk(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # as /tmp is: the child's user has to come through
        monkeypatch.setattr("tempfile.tempdir", folder)
        for mode in filter(works, MODES):
            with sandbox(mode=mode) as child:
                child.call("count", {})
        assert os.listdir(folder) == []


def test_what_a_killed_grader_left_is_removed_by_the_next_one(tmp_path, monkeypatch):
    os.chmod(tmp_path, 0o755)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    left, alive = tmp_path / f"tinyrnn-child-{ended.pid}-x", tmp_path / f"tinyrnn-child-{os.getpid()}-y"
    for folder in (left, alive, tmp_path / "tinyrnn-child-of-mine-z"):
        folder.mkdir()
    with sandbox(mode="plain") as child:
        child.call("count", {})
    assert {path.name for path in tmp_path.iterdir()} == {alive.name, "tinyrnn-child-of-mine-z"}


GRADER = """
import sys
from tinyrnn.grading.sandbox.sandbox import Sandbox
with Sandbox({"a.py": "import time\\ndef f():\\n    time.sleep(600)\\ndef g():\\n    return 1\\n"}, "a.py") as sandbox:
    sandbox.call("g", {})
    print(sandbox.child.process.pid, flush=True)
    sandbox.call("f", {}, seconds=600.0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_the_child_ends_with_a_grader_that_is_killed():
    with subprocess.Popen([sys.executable, "-c", GRADER], stdout=subprocess.PIPE, text=True) as grader:
        pid = int(grader.stdout.readline())
        family = [pid, *descendants(pid)]
        grader.kill()
    assert all(gone(each) for each in family)


def descendants(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *descendants(child))]


def gone(pid):
    """Waits for the process, up to half a minute."""
    for _ in range(600):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


PAIR = """
import numpy as np


def forward(x, W):
    a = x @ W
    h = np.tanh(a)
    return h, (x, W, h)


def backward(dh, cache):
    x, W, h = cache
    da = dh * (1 - h)
    dW = x.T @ da
    dx = da @ W.T
    return {"x": dx, "W": dW}
"""
INPUTS = {"x": np.linspace(-1, 1, 6).reshape(2, 3), "W": np.linspace(-0.5, 1, 12).reshape(3, 4)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_line_verdicts_come_as_lines_of_text(mode):
    if not works(mode):
        pytest.skip(f"there is no mode {mode} here")
    lines = line_verdicts({"ex1_try.py": PAIR}, "ex1_try.py", "forward", "backward", INPUTS, mode=mode)
    (wrong,) = [line for line in lines if " WRONG " in line]
    assert wrong.endswith("| " + "    da = dh * (1 - h)") and not any(re.search(r"(^|\W)/\w", line) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["def forward(", "def forward(x, W):\n    raise SystemExit\nbackward = 1\n", "1 / 0"])
def test_there_are_no_line_verdicts_on_what_cannot_be_run(text):
    assert line_verdicts({"ex1_try.py": text}, "ex1_try.py", "forward", "backward", INPUTS) is None


def test_what_is_shown_has_no_control_characters():
    assert clean("a\x1b[31mb\x07\tc\n\x9b\ud800d" + "e" * 9, 10) == "ab\tc\ndeeee"


ECHO = "import os\nwhile data := os.read(0, 100): os.write(1, data)"


@pytest.mark.parametrize("polled", [pytest.param(True, marks=pytest.mark.skipif(os.name != "posix", reason="")), False])
def test_pipes_pass_on_what_is_written_and_keep_their_deadlines(polled):
    with started(ECHO) as process:
        pipes, later = Pipes(process, polled), time.monotonic() + 60
        pipes.send(b"x" * 1000, later)
        assert pipes.receive(1000, later) == b"x" * 1000
        with pytest.raises(Late):
            pipes.receive(1, time.monotonic() + 0.1)
        process.kill()
        with pytest.raises(Closed):
            pipes.receive(1, later)


def started(code):
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no poll for pipes")
def test_pipes_do_not_wait_for_what_else_holds_them_open():
    with started(
        "import os, signal\nif os.fork(): os._exit(0)\nprint(os.getpid(), flush=True)\nsignal.pause()"
    ) as process:
        pipes, later = Pipes(process), time.monotonic() + 60
        process.wait()
        digits = b""
        while not digits.endswith(b"\n"):
            digits += pipes.receive(1, later)
        with pytest.raises(Closed):
            pipes.receive(1, later)
        os.kill(int(digits), signal.SIGKILL)


@pytest.mark.parametrize("mode", MODES)
def test_a_strict_umask_of_the_grader_changes_nothing(mode):
    if not works(mode):
        pytest.skip(f"there is no mode {mode} here")
    before = os.umask(0o077)
    try:
        with sandbox("def f():\n    return 1.0\n", mode=mode) as child:
            assert child.call("f", {}).value == 1.0
    finally:
        os.umask(before)
