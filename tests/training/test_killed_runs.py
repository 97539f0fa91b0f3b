"""A run is the same to the bit however often it is killed, wherever that is."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from short_runs import OPTIMISERS, assert_same_run, finished, tiny

from tinyrnn.core.files import read_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.trainer import Trainer

# killed by SIGKILL ----------------------------------------------------------------------------------------------------


def command(settings, folder):
    """The command line of a new run with `settings`, or of going on with the one in `folder`."""
    s = settings
    start = [sys.executable, "-m", "tinyrnn", "train"]
    if (folder / "settings.json").exists():
        return [*start, "--resume", str(folder)]
    options = {"cell": s.cell, "hidden": s.hidden, "batch": s.batch, "updates": s.updates, "schedule": s.schedule}
    options |= {"log-every": s.log_every, "save-every": s.save_every, "optimiser": s.optimiser}
    options |= {"clip-norm": s.clip_norm, "out": folder}
    flags = [text for name, value in {**s.task_options, **options}.items() for text in (f"--{name}", str(value))]
    more = [f"--optimiser-option={name}={value}" for name, value in s.optimiser_options.items()]
    return [*start, s.task, *flags, *more]


def kill_when(settings, folder, ready, delay):
    """Run, and kill -9 it `delay` seconds after `ready()`; returns whether it was killed before its end."""
    process = subprocess.Popen(command(settings, folder), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not ready() and process.poll() is None:
        time.sleep(0.002)
    time.sleep(delay)
    process.kill()
    return process.wait() == -signal.SIGKILL


def kill_and_resume(settings, folder, delays):
    """Kill once for each delay, counted from the next checkpoint, and finish; returns how often it was killed."""
    kills = 0
    for delay in delays:
        before = read_json(folder / "checkpoint.json") if (folder / "checkpoint.json").exists() else None

        def saved(before=before):
            return (folder / "checkpoint.json").exists() and read_json(folder / "checkpoint.json") != before

        kills += kill_when(settings, folder, saved, delay)
    Trainer.resume(folder).run(progress=False)
    return kills


@pytest.mark.parametrize("optimiser", ["adam", pytest.param("rmsprop, arjovsky", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_to_the_same_weights_to_the_bit(optimiser, tmp_path):
    settings = tiny(updates=150, **OPTIMISERS[optimiser])
    delay = np.random.default_rng().uniform(0, 0.05)
    assert kill_and_resume(settings, tmp_path / "killed", [delay]) == 1, "it was over before it could be killed"
    assert_same_run(tmp_path / "killed", finished(settings, tmp_path / "whole"))


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_run_killed_many_times_goes_on_to_the_same_weights_to_the_bit(optimiser, tmp_path):
    settings = tiny(updates=1000, **OPTIMISERS[optimiser])
    delays = np.random.default_rng().uniform(0, 0.3, 5)
    assert kill_and_resume(settings, tmp_path / "killed", delays) >= 1, "it was over before it could be killed"
    assert_same_run(tmp_path / "killed", finished(settings, tmp_path / "whole"))


@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_begins_again(tmp_path):
    settings = tiny(updates=200, save_every=1000)
    folder = tmp_path / "killed"
    log = folder / "log.jsonl"
    assert kill_when(settings, folder, lambda: log.exists() and log.stat().st_size > 500, 0)
    assert not (folder / "checkpoint.json").exists() and RunFolder(folder).rows()
    Trainer.resume(folder).run(progress=False)
    assert_same_run(folder, finished(settings, tmp_path / "whole"))


# killed at each file in turn ------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for SIGKILL: no `except Exception` of ours sees it."""


def die_at(monkeypatch, owner, name, count, dying_act=lambda *args: None):
    """Make call number `count` (0, 1, …) of owner.name the last: does `dying_act` instead, and dies."""
    real, calls = getattr(owner, name), iter(range(count))

    def call(*args):
        if next(calls, None) is None:
            dying_act(*args)
            raise Killed
        return real(*args)

    monkeypatch.setattr(owner, name, call)


@pytest.mark.slow
@pytest.mark.parametrize(
    "optimiser", [o if o == "adam" else pytest.param(o, marks=pytest.mark.slow) for o in OPTIMISERS]
)
def test_a_run_that_dies_before_any_of_its_files_is_in_place_goes_on_to_the_same_end(optimiser, tmp_path, monkeypatch):
    settings = tiny(updates=12, **OPTIMISERS[optimiser])
    reference = finished(settings, tmp_path / "whole")
    deaths = 0
    for count in range(100):
        folder = tmp_path / f"dies-{count}"
        with monkeypatch.context() as patch:
            die_at(patch, os, "replace", count)
            try:
                Trainer(settings, folder).run(progress=False)
                break  # that was one more than there are
            except Killed:
                deaths += 1
        again = Trainer.resume(folder) if (folder / "settings.json").exists() else Trainer(settings, folder)
        again.run(progress=False)
        assert_same_run(folder, reference)
    assert deaths == 10  # settings, three checkpoints of two files each, result, model and curve


def test_a_run_that_dies_while_it_writes_the_log_goes_on_to_the_same_end(tmp_path, monkeypatch):
    settings = tiny(updates=12)
    reference = finished(settings, tmp_path / "whole")

    def half_a_line(folder, row):
        with open(folder.log, "a") as file:
            file.write(json.dumps(row)[:20])

    for count in range(4):
        folder = tmp_path / f"dies-{count}"
        with monkeypatch.context() as patch:
            die_at(patch, RunFolder, "append", count, half_a_line)
            with pytest.raises(Killed):
                Trainer(settings, folder).run(progress=False)
        (folder / ".unfinished-123-checkpoint.json").write_text("{")  # what SIGKILL leaves and an exception does not
        Trainer.resume(folder).run(progress=False)
        assert_same_run(folder, reference)
