"""Whatever is killed, a run with workers says so in one line, leaves nothing behind, and goes on to the same end."""

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from worker_tasks import HERE, as_bytes, tiny, updated, weights

from tinyrnn.tasks import TASKS
from tinyrnn.training import workers
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer
from tinyrnn.training.workers import Processes, Threads, WorkerFailed

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for the workers in Linux's /proc")


@pytest.fixture(autouse=True)
def more_tasks(monkeypatch):
    for name, task in HERE.items():
        monkeypatch.setitem(TASKS, name, task)


FAULTS = {
    "exit": "ended with exit code 3",
    "memory": "failed with MemoryError: Unable to allocate .*",
}


@pytest.mark.parametrize("fault", ["exit", pytest.param("memory", marks=pytest.mark.slow)])
def test_a_worker_that_comes_to_grief_is_named_and_what_was_done_is_saved(fault, tmp_path):
    options = {"fault": fault, "worker": 2, "update": 5}
    trainer = Trainer(tiny(task="ragged", task_options=options, schedule="constant"), tmp_path / "run")
    line = rf"^update 5: worker 2 of 2 {FAULTS[fault]}; go on with: tinyrnn train --resume {tmp_path / 'run'}$"
    with pytest.raises(WorkerFailed, match=line) as error:
        trainer.run(progress=False)
    assert "\n" not in str(error.value) and trainer.workers is None
    step, arrays = weights(tmp_path / "run")
    whole = updated(dataclasses.replace(trainer.settings, updates=4), Threads)
    assert step == 4 and arrays == as_bytes(whole.arrays())


def test_an_error_of_several_lines_becomes_a_part_of_one():
    assert workers.in_words(ValueError("one line\n  and another")) == "ValueError: one line and another"


def test_workers_that_cannot_be_started_are_an_error_of_one_line(monkeypatch):
    def refuse(process):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    settings = tiny()
    sharing = Processes(settings, build(settings)[1])
    monkeypatch.setattr(sharing.context.Process, "start", refuse)
    with pytest.raises(WorkerFailed, match=r"^worker 1 could not be started: BlockingIOError: .*unavailable$"):
        sharing.__enter__()
    assert sharing.pipes == []


# a run from the command line ------------------------------------------------------------------------------------------

# a shell that starts the tests in the background has them ignore Ctrl-C, and all that they start
CTRL_C = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
COMMAND = [
    sys.executable,
    "-c",
    f"{CTRL_C}from tinyrnn.commands.main import main; sys.exit(main(sys.argv[1:]))",
    "train",
]


class Run:
    """`tinyrnn train`, with two workers, as a terminal would start it: in a process group of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def until(self, ready):
        """Waits for `ready()`; returns the workers' process ids."""
        while not ready() and self.process.poll() is None:
            time.sleep(0.005)
        return self.workers()

    def workers(self):
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children")
        pids = [int(word) for word in children.read_text().split()] if children.exists() else []
        return [child for child in pids if b"spawn_main" in command_line(child)]

    def end(self):
        """(exit status, lines of stderr but for the progress bar's)"""
        _, err = self.process.communicate(timeout=60)
        lines = [line for line in re.split("[\r\n]", err) if line and not line.startswith("copy lstm: ")]
        return self.process.returncode, lines


def command_line(pid):
    """What a process was started with; nothing where it has ended since it was listed, as a compiler's may have."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def long_run(folder):
    options = "--delay 5 --length 3 --hidden 8 --batch 5 --updates 100000 --schedule constant --save-every 7"
    return Run("copy", *options.split(), "--workers", "2", "--out", str(folder))


def assert_gone(pids):
    deadline = time.monotonic() + 30
    while remaining := [pid for pid in pids if alive(pid)]:
        assert time.monotonic() < deadline, f"still there: {remaining}"
        time.sleep(0.01)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def assert_goes_on_as_if_uninterrupted(folder, monkeypatch):
    """From its newest checkpoint, ten updates more: the weights of a run that never stopped, to the bit.

    With threads, which is quicker, and the same (test_workers).
    """
    monkeypatch.setattr(workers, "interpreter_lock", lambda: False)
    trainer = Trainer.resume(folder, updates=weights(folder)[0] + 10)
    trainer.run(progress=False)
    values = {**dataclasses.asdict(trainer.settings), "updates": trainer.step}
    whole = updated(Settings(**values), Threads)
    assert weights(folder) == (trainer.step, as_bytes(whole.arrays()))


@proc
def test_a_run_that_is_killed_leaves_no_worker_and_no_memory_and_goes_on_to_the_same_weights(tmp_path, monkeypatch):
    run = long_run(tmp_path / "run")
    pids = run.until((tmp_path / "run" / "checkpoint.json").exists)
    assert len(pids) == 2
    shared = [line for line in Path(f"/proc/{pids[0]}/maps").read_text().splitlines() if "/pym-" in line]
    assert shared and all(line.endswith("(deleted)") for line in shared)  # mapped, and without a name to be left over
    run.process.kill()
    assert_gone(pids)
    assert run.end() == (-signal.SIGKILL, [])
    assert_goes_on_as_if_uninterrupted(tmp_path / "run", monkeypatch)


@proc
def test_a_run_whose_worker_is_killed_ends_with_one_line_and_goes_on_to_the_same_weights(tmp_path, monkeypatch):
    run = long_run(tmp_path / "run")
    first, second = run.until((tmp_path / "run" / "checkpoint.json").exists)
    os.kill(first, signal.SIGKILL)
    status, (line,) = run.end()
    assert status == 1
    assert re.fullmatch(
        r"tinyrnn: update \d+: worker 1 of 2 was killed by SIGKILL \(perhaps out of memory\); "
        rf"go on with: tinyrnn train --resume {tmp_path / 'run'}",
        line,
    )
    assert_gone([first, second])
    assert_goes_on_as_if_uninterrupted(tmp_path / "run", monkeypatch)


@proc
def test_ctrl_c_while_the_workers_start_is_the_trainers_alone(tmp_path):
    def importing():
        pids = run.workers()
        return len(pids) == 2 and all("numpy" in Path(f"/proc/{pid}/maps").read_text() for pid in pids)

    run = long_run(tmp_path / "run")
    pids = run.until(importing)
    os.killpg(run.process.pid, signal.SIGINT)  # what a terminal does: to all of them
    status, (line,) = run.end()
    assert status == 130 and line.startswith("tinyrnn: interrupted at update ")
    assert_gone(pids)
    assert weights(tmp_path / "run")[0] >= 1  # the update that was begun has been finished
