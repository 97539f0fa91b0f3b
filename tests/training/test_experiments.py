"""Experiments: every contender runs once a seed, finished runs are kept, and the table says what came out."""

import json
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.image
import pytest

from tinyrnn.commands.main import main
from tinyrnn.training import experiments
from tinyrnn.training.comparison import solved_after
from tinyrnn.training.experiments import Experiment, reproduce

TINY = Experiment(
    claim="an LT-ORNN learns to copy two symbols, a network without memory does not",
    source="made for this test",
    shared={
        "task": "copy",
        "task_options": {"delay": 2, "length": 2, "symbols": 2},
        "updates": 60,
        "batch": 8,
        "test_every": 20,
        "hidden": 12,
    },
    contenders={"lt-ornn": {"cell": "lt-ornn", "lr": 0.05}, "no learning": {"cell": "elman", "lr": 0.0}},
    solved=0.5,
)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(experiments.EXPERIMENTS, "tiny", TINY)


@pytest.mark.parametrize("seeds", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_it_writes_a_table_the_numbers_and_a_picture_and_says_who_solved_the_task(tiny, tmp_path, capsys, seeds):
    assert reproduce("tiny", seeds, 2, tmp_path, progress=False) == 0
    table = (tmp_path / "table.md").read_text()
    assert table.splitlines()[-3] in capsys.readouterr().out
    rows = {line.split("|")[1].strip(): line for line in table.splitlines() if line.startswith("| ")}
    never = ", ".join("-" * seeds)
    assert f"| {seeds}/{seeds} |" in rows["lt-ornn"] and f"| 0/{seeds} | {never} |" in rows["no learning"]
    results = json.loads((tmp_path / "results.json").read_text())
    assert [(r["contender"], r["seed"]) for r in results] == [(c, k) for c in TINY.contenders for k in range(seeds)]
    assert all((r["solved_after"] is None) == (r["contender"] == "no learning") for r in results)
    assert matplotlib.image.imread(tmp_path / "curves.png").ndim == 3


@pytest.mark.slow
def test_finished_runs_are_kept_and_an_interrupted_one_goes_on(tiny, tmp_path):
    reproduce("tiny", 1, 1, tmp_path, progress=False)
    finished, interrupted = tmp_path / "lt-ornn-0", tmp_path / "no-learning-0"
    before = (finished / "result.json").stat().st_mtime_ns
    (interrupted / "result.json").unlink()
    reproduce("tiny", 1, 1, tmp_path, progress=False)
    assert (finished / "result.json").stat().st_mtime_ns == before
    assert (interrupted / "result.json").exists()


@pytest.mark.slow
def test_a_folder_with_other_settings_is_refused_in_one_line(tiny, tmp_path, monkeypatch, capsys):
    reproduce("tiny", 1, 1, tmp_path, progress=False)
    other = Experiment(**{**vars(TINY), "shared": {**TINY.shared, "updates": 61}})
    monkeypatch.setitem(experiments.EXPERIMENTS, "tiny", other)
    assert main(["reproduce", "tiny", "--seeds", "1", "--jobs", "1", "--out", str(tmp_path)]) == 2
    assert "holds a run with other settings" in capsys.readouterr().err


def test_solved_means_that_the_test_loss_stays_below_the_mark():
    def rows(*losses):
        return [{"step": 10 * k, "loss": 1.0, "test_loss": loss * TINY.mark} for k, loss in enumerate(losses, 1)]

    assert solved_after(TINY, rows(2, 0.9, 2, 0.9, 0.8)) == {"solved_first": 20, "solved_after": 40}
    assert solved_after(TINY, rows(0.5, 2)) == {"solved_first": 10, "solved_after": None}
    assert solved_after(TINY, rows(0.5, 0.5)) == {"solved_first": 10, "solved_after": 10}


@pytest.mark.slow
def test_of_many_contenders_the_picture_is_where_they_ended_and_one_that_diverged_is_a_result(tmp_path, monkeypatch):
    contenders = {f"rate {k}": {"cell": "lt-ornn", "lr": 0.01 * k} for k in range(1, 10)}
    contenders |= {"too fast": {"cell": "elman-identity", "optimiser": "sgd", "lr": 1e6}}
    fewer = {"rate 1": 1}
    notes = {"rate 2": "a guess"}
    many = Experiment(**{**vars(TINY), "contenders": contenders, "seeds": fewer, "notes": notes})
    monkeypatch.setitem(experiments.EXPERIMENTS, "many", many)
    assert reproduce("many", 2, 2, tmp_path, progress=False) == 0
    rows = {
        line.split("|")[1].strip(): line for line in (tmp_path / "table.md").read_text().splitlines() if "|" in line
    }
    assert "| diverged, diverged | 0/2 | -, - |" in rows["too fast"]
    assert rows["rate 1"].count("%") == 1 and rows["rate 3"].count("%") == 2
    assert rows["rate 2"].endswith("| a guess |")
    assert "update" in json.loads((tmp_path / "too-fast-1" / "result.json").read_text())["diverged"]
    before = (tmp_path / "too-fast-0" / "result.json").stat().st_mtime_ns
    assert reproduce("many", 2, 2, tmp_path, progress=False) == 0
    assert (tmp_path / "too-fast-0" / "result.json").stat().st_mtime_ns == before
    assert matplotlib.image.imread(tmp_path / "curves.png").shape[0] > 400


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for the workers in Linux's /proc")
def test_no_run_goes_on_when_what_started_it_was_killed(tmp_path):
    command = [sys.executable, "-m", "tinyrnn", "reproduce", "copy-100", "--jobs", "1", "--out", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "urnn-0" / "log.jsonl").exists():
            assert process.poll() is None
            time.sleep(0.01)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    finally:
        process.kill()
        process.wait()
    assert children
    until = time.monotonic() + 60
    while any(is_running(pid) for pid in children):
        assert time.monotonic() < until, "a run goes on"
        time.sleep(0.01)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
