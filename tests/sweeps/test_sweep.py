"""Sweeps: every combination once, the best chosen by validation, whatever is killed goes on, a row a run."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.image
import pytest

from tinyrnn.commands.main import main
from tinyrnn.sweeps import rows
from tinyrnn.sweeps.execution import sweep
from tinyrnn.sweeps.plan import Sweep, read
from tinyrnn.sweeps.report import CURVES
from tinyrnn.sweeps.rows import LAST, choose
from tinyrnn.sweeps.running import RunsFailed, run_all, updates_done
from tinyrnn.training.plots import STYLES

TOML = """
claim = "an LT-ORNN learns to copy two symbols, a network that does not learn does not"
solved = 0.5
seeds = 2

[shared]
task = "copy"
task_options = { delay = 2, length = 2, symbols = 2 }
updates = 60
batch = 8
test_every = 20
hidden = 12

[contenders.lt-ornn]
cell = "lt-ornn"
[contenders."no learning"]
cell = "elman"
lr = 0.0

[grids.lt-ornn]
lr = [1e-6, 0.02]
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TOML)
    return path


@pytest.fixture
def in_this_process(monkeypatch):
    """Runs one after the other, here: processes take longer to start than these runs."""

    def done(function, work, jobs):
        for key, arguments in work.items():
            try:
                yield key, function(*arguments)
            except Exception as error:
                yield key, error

    monkeypatch.setattr("tinyrnn.parallel.processes.done", done)


def table(folder):
    with open(folder / "runs.csv", newline="") as file:
        return [*csv.DictReader(file)]


def test_by_the_largest_rate_the_largest_counts_of_which_no_run_diverged():
    plan = Sweep({"task": "adding"}, {"a": {}}, grid={"lr": [0.1, 0.01, 0.001]}, seeds=2, screen=1, by="largest rate")

    def chosen(*shares):
        rows = [
            {"contender": "a", "seed": seed, "lr": lr, **dict.fromkeys(LAST, 1.0), "test_loss_over_baseline": share}
            for lr, seed, share in shares
        ]
        return choose(plan, rows)["a"].values["lr"]

    assert chosen((0.1, 0, None), (0.01, 0, 1.99), (0.001, 0, 0.1)) == 0.01
    assert chosen((0.1, 0, 2.01), (0.01, 0, 31.0), (0.001, 0, 0.9)) == 0.001
    assert chosen((0.1, 0, 5.0), (0.01, 0, 9.0), (0.001, 0, None)) == 0.001  # where all did, the smallest
    assert chosen((0.01, 0, 0.5), (0.001, 0, 0.5), (0.01, 1, 7.0)) == 0.01  # by the seeds that all rates have
    assert plan.settings("a", 0).validate  # so that the runs are those of a choice by validation
    with pytest.raises(ValueError, match="by largest rate needs lr in the grid"):
        Sweep({}, {"a": {}}, by="largest rate")


def test_the_best_settings_are_chosen_by_validation_and_everything_is_written(plan, tmp_path, in_this_process):
    swept = sweep(plan, tmp_path / "out", progress=False)
    assert swept.chosen["lt-ornn"].values == {"lr": 0.02}
    assert (swept.chosen["lt-ornn"].solved, len(swept.chosen["lt-ornn"].every)) == (2, 4)
    found = table(tmp_path / "out")
    assert len(found) == 6 and {line["state"] for line in found} == {"finished"}
    assert all(float(line["valid_loss"]) != float(line["test_loss"]) for line in found)
    lines = {line.split("|")[1].strip(): line for line in swept.table.splitlines() if line.startswith("| ")}
    assert (
        "| lr 0.02 |" in lines["lt-ornn"] and "| 2/2 | 2/4 |" in lines["lt-ornn"] and "| 0/2 |" in lines["no learning"]
    )
    assert swept.table in (tmp_path / "out" / "table.md").read_text()
    assert json.loads((tmp_path / "out" / "results.json").read_text())[0]["values"] == {"lr": 0.02}
    assert matplotlib.image.imread(tmp_path / "out" / "curves.png").ndim == 3


@pytest.mark.slow
def test_a_grid_is_tried_with_some_seeds_and_only_the_best_of_it_with_all(plan, tmp_path, in_this_process):
    plan.write_text(TOML.replace("seeds = 2", "seeds = 3\nscreen = 1"))
    assert read(plan).asked(lambda run: False) == {"lt-ornn": 4, "no learning": 3}
    swept = sweep(plan, tmp_path / "out", progress=False)
    assert [(line["contender"], line["seed"], line["lr"]) for line in table(tmp_path / "out")] == [
        *[("lt-ornn", "0", "1e-06"), ("lt-ornn", "0", "0.02"), ("no learning", "0", "")],
        *[("lt-ornn", "1", "0.02"), ("lt-ornn", "2", "0.02"), ("no learning", "1", ""), ("no learning", "2", "")],
    ]
    assert swept.chosen["lt-ornn"].values == {"lr": 0.02} and len(swept.chosen["lt-ornn"].rows) == 3
    done = {line["folder"] for line in swept.rows}
    assert sum(read(plan).asked(lambda run: run.folder in done).values()) == 0


@pytest.mark.slow
def test_nothing_is_run_twice_not_even_by_a_larger_sweep(plan, tmp_path, in_this_process):
    first = sweep(plan, tmp_path / "out", progress=False)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").glob("*/result.json")}
    assert len(before) == len(first.rows)
    plan.write_text(TOML.replace("[1e-6, 0.02]", "[1e-6, 0.02, 0.01]"))
    assert len(sweep(plan, tmp_path / "out", progress=False).rows) == 8
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


@pytest.mark.slow
def test_a_run_that_diverged_is_a_row_and_is_never_chosen(plan, tmp_path, in_this_process):
    text = TOML.replace("lr = [1e-6, 0.02]", 'lr = [1e-6, 1e6]\noptimiser = ["sgd"]').replace("seeds = 2", "seeds = 1")
    plan.write_text(text.replace('cell = "lt-ornn"', 'cell = "elman-identity"'))
    swept = sweep(plan, tmp_path / "out", progress=False)
    lost = [line for line in table(tmp_path / "out") if line["state"] == "diverged"]
    assert [line["lr"] for line in lost] == ["1000000.0"] and lost[0]["test_loss"] == ""
    assert swept.chosen["lt-ornn"].values["lr"] == 1e-6


@pytest.mark.slow
def test_runs_that_fail_are_said_in_a_line_when_the_others_are_done(plan, tmp_path, in_this_process, capsys):
    (broken,) = (run for run in read(plan).runs() if run.values.get("lr") == 0.02 and run.settings.seed == 1)
    folder = tmp_path / "out" / "runs" / broken.folder
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{")
    assert main(["sweep", str(plan), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("tinyrnn: 1 of 6 runs failed") and broken.folder in said
    assert len(table(tmp_path / "out")) == 5


def test_a_random_part_of_the_grid_is_the_same_every_time():
    grid = {"lr": [float(k) for k in range(1, 21)], "seed_of_nothing": [1]}
    whole = Sweep({"task": "copy"}, {"a": {}, "b": {}}, grid={"lr": grid["lr"]}, part=0.25)
    drawn = whole.combinations("a")
    assert len(drawn) == 5 and drawn == whole.combinations("a") != whole.combinations("b")


def test_a_dot_reaches_into_options_and_a_contenders_own_come_on_top():
    shared = {"task": "copy", "task_options": {"delay": 3}, "init": "chain", "init_options": {"alpha": 1.0}}
    plan = Sweep(shared, {"a": {"task_options": {"length": 2}}}, grid={"init_options.alpha": [0.9, 1.1]})
    assert [run.settings.init_options for run in plan.runs()] == [{"alpha": 0.9}, {"alpha": 1.1}]
    assert plan.runs()[0].settings.task_options == {"delay": 3, "length": 2}
    assert plan.runs()[0].folder != plan.runs()[1].folder


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[1e-6, 0.02]", "0.02"), "must be a list of values"),
        (("seeds = 2", "seeds = 0"), "seeds must be a whole number of at least 1"),
        (("seeds = 2", "seeds = 2\nscreen = 3"), "screen must be a whole number from 0 to 2"),
        (("seeds = 2", "sedes = 2"), "a sweep has no 'sedes'"),
        (("[grids.lt-ornn]", "[grids.gru]"), "'gru' is none of the contenders"),
        (("hidden = 12", "hiden = 12"), "there is no setting 'hiden'"),
        (("lr = [1e-6, 0.02]", "lr = [1e-6, 0.02"), "tiny.toml"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_in_a_line(plan, change, message, capsys, tmp_path):
    plan.write_text(TOML.replace(*change))
    assert main(["sweep", str(plan), "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_dry_run_lists_the_runs_and_makes_none(plan, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", str(plan), "--dry-run"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6 and not (tmp_path / "runs").exists()


def test_a_grid_may_have_dicts_for_values():
    plan = Sweep({}, {"pools": {}}, {"regularisers": [{"random-points": 1.0}, {}]})
    found = [
        {"contender": "pools", "seed": 0, "regularisers": values, **dict.fromkeys(rows.LAST), "valid_loss": loss}
        for values, loss in (({"random-points": 1.0}, 0.5), ({}, 0.25))
    ]
    assert rows.choose(plan, found)["pools"].values == {"regularisers": {}}


def test_solved_means_that_the_loss_stays_below_the_mark():
    def log(*losses):
        return [{"step": 10 * k, "loss": 1.0, "test_loss": loss} for k, loss in enumerate(losses, 1)]

    assert rows.solved_after(log(2, 0.9, 2, 0.9, 0.8), 1.0) == {"solved_first": 20, "solved_after": 40}
    assert rows.solved_after(log(0.5, 2), 1.0) == {"solved_first": 10, "solved_after": None}
    assert rows.solved_after(log(0.5, 0.5), 1.0) == {"solved_first": 10, "solved_after": 10}


def test_the_updates_done_are_those_of_the_last_whole_row(tmp_path):
    log = tmp_path / "log.jsonl"
    assert updates_done(log) == 0
    log.write_text("".join(json.dumps({"step": k, "loss": 0.123456789}) + "\n" for k in range(1, 400)) + '{"step": 4')
    assert updates_done(log) == 399


@pytest.mark.slow
def test_a_search_draws_the_same_trials_again_and_runs_none_of_them_twice(plan, tmp_path, in_this_process):
    pytest.importorskip("optuna", reason="Optuna is not installed: pip install 'tinyrnn[search]'")
    only = {"lt-ornn": read(plan).contenders["lt-ornn"]}
    search = Sweep(read(plan).shared, only, search={"lr": {"low": 1e-6, "high": 0.1, "log": True}}, trials=4)
    first = sweep(search, tmp_path / "out", progress=False)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").glob("*/result.json")}
    again = sweep(search, tmp_path / "out", progress=False)
    assert len(before) == 4 and again.rows == first.rows
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


@pytest.mark.slow
def test_no_two_contenders_of_one_panel_look_alike():
    assert len({colour for colour, _ in STYLES}) == len({str(line) for _, line in STYLES}) == len(STYLES) >= CURVES


@pytest.mark.slow
def test_of_many_contenders_the_picture_is_where_they_ended(tmp_path, plan, in_this_process):
    shared = {**read(plan).shared, "updates": 20}
    many = {f"rate {k}": {"cell": "lt-ornn", "lr": 0.01 * k} for k in range(1, 10)}
    swept = sweep(Sweep(shared, many, solved=0.5, fewer={"rate 1": 1}, seeds=2), tmp_path / "out", progress=False)
    assert len(swept.rows) == 17
    assert matplotlib.image.imread(tmp_path / "out" / "curves.png").shape[0] > 350


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_to_the_same_end_to_the_bit(plan, tmp_path):
    plan.write_text(TOML.replace("updates = 60", "updates = 400"))
    whole = sweep(plan, tmp_path / "whole", progress=False)
    command = [sys.executable, "-m", "tinyrnn", "sweep", str(plan), "--out", str(tmp_path / "cut")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not any((tmp_path / "cut" / "runs").glob("*/checkpoint.json")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.wait()
    cut = sweep(plan, tmp_path / "cut", progress=False)
    assert [{**line, "seconds": 0} for line in cut.rows] == [{**line, "seconds": 0} for line in whole.rows]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for the processes in Linux's /proc")
def test_no_run_goes_on_when_what_started_it_was_killed(plan, tmp_path):
    plan.write_text(TOML.replace("updates = 60", "updates = 100000"))
    command = [sys.executable, "-m", "tinyrnn", "sweep", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not any((tmp_path / "out" / "runs").glob("*/log.jsonl")):
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
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_folder_with_other_settings_is_refused(plan, tmp_path, in_this_process):
    run, other = read(plan).runs()[:2]
    with pytest.raises(RunsFailed, match="other settings"):
        run_all({tmp_path / "a": run.settings}, progress=False)
        (tmp_path / "a" / "result.json").unlink()
        run_all({tmp_path / "a": other.settings}, progress=False)
