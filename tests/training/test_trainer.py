"""Training runs: the same to the bit however often they are killed, and stopped in time when they diverge."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from safetensors.numpy import load_file
from threadpoolctl import threadpool_info

from tinyrnn.core.files import read_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Diverged, Trainer

OPTIMISERS = {
    "adam": {},
    "rmsprop, arjovsky": {"optimiser": "rmsprop"},
    "rmsprop, keras": {"optimiser": "rmsprop", "optimiser_options": {"variant": "keras"}},
    "rmsprop, torch": {"optimiser": "rmsprop", "optimiser_options": {"variant": "torch"}},
    "momentum": {"optimiser": "sgd", "optimiser_options": {"momentum": 0.9}},
    "plain sgd": {"optimiser": "sgd"},
}


def tiny(updates=30, **changes):
    """A copy run with checkpoints every 5 updates: a few milliseconds an update."""
    return Settings(
        **{
            **{"task": "copy", "task_options": {"delay": 5, "length": 3}, "cell": "lstm", "hidden": 8, "batch": 4},
            **{"updates": updates, "schedule": "cosine", "log_every": 3, "save_every": 5},
            **changes,
        }
    )


def finished(settings, folder):
    """The folder after an uninterrupted run."""
    Trainer(settings, folder).run(progress=False)
    return folder


def checkpoint(folder):
    """(step, arrays): weights, constants and the optimiser's state."""
    record = read_json(folder / "checkpoint.json")
    return record["step"], load_file(folder / record["arrays"])


def assert_same_run(folder, reference):
    """Same final weights and optimiser state to the bit; same log, each row once and in order; same result."""
    (step, arrays), (reference_step, reference_arrays) = checkpoint(folder), checkpoint(reference)
    assert step == reference_step
    assert arrays.keys() == reference_arrays.keys()
    for name, value in reference_arrays.items():
        assert arrays[name].dtype == value.dtype and arrays[name].tobytes() == value.tobytes(), name
    assert without_seconds(RunFolder(folder).rows()) == without_seconds(RunFolder(reference).rows())
    assert without_seconds([read_json(folder / "result.json")]) == without_seconds(
        [read_json(reference / "result.json")]
    )
    assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in reference.iterdir())


def without_seconds(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


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


# resumed --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["gru", *(pytest.param(n, marks=pytest.mark.slow) for n in ("urnn", "lt-ornn"))])
def test_a_resumed_run_is_the_same_for_other_cells_layers_and_directions(cell, tmp_path):
    settings = tiny(cell=cell, layers=2, bidirectional=True, pool=2, updates=7, dtype="float64")
    trainer = Trainer(settings, tmp_path / "stopped")
    trainer.folder.start(dataclasses.asdict(settings))
    for _ in range(4):
        trainer.record(*trainer.update())
    trainer.save()
    Trainer.resume(tmp_path / "stopped").run(progress=False)
    assert_same_run(tmp_path / "stopped", finished(settings, tmp_path / "whole"))


def test_a_finished_run_can_be_made_longer(tmp_path):
    folder = finished(tiny(updates=10, schedule="constant"), tmp_path / "longer")
    result = Trainer.resume(folder, updates=20).run(progress=False)
    assert result["settings"]["updates"] == 20 and read_json(folder / "settings.json")["updates"] == 20
    whole = finished(tiny(updates=20, schedule="constant"), tmp_path / "whole")
    for name, value in checkpoint(whole)[1].items():
        assert np.array_equal(checkpoint(folder)[1][name], value), name


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    folder = finished(tiny(), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"}
    Trainer.resume(folder).run(progress=False)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"} == before


def test_a_run_cannot_be_made_shorter_than_it_is(tmp_path):
    folder = finished(tiny(), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match=r"run is at update 30 already, past 20$"):
        Trainer.resume(folder, updates=20)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_folder_without_a_run_cannot_be_resumed(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no run: there is no settings\.json"):
        Trainer.resume(tmp_path)


def cut(path):
    path.write_bytes(path.read_bytes()[:-7])


DAMAGE = {
    "arrays cut short": lambda run, arrays: cut(arrays),
    "arrays missing": lambda run, arrays: arrays.unlink(),
    "record cut short": lambda run, arrays: cut(run.checkpoint),
    "record without step": lambda run, arrays: run.checkpoint.write_text(json.dumps({"arrays": arrays.name})),
    "record without arrays": lambda run, arrays: run.checkpoint.write_text('{"step": 3}'),
    "record of another sort": lambda run, arrays: run.checkpoint.write_text("[]"),
    "record of another step": lambda run, arrays: change_record(run, step=5),
    "record without labels": lambda run, arrays: run.checkpoint.write_text(json.dumps({"step": 5, "arrays": "gone"})),
    "of a network of another size": lambda run, arrays: change_setting(run, hidden=9),
    "of another cell": lambda run, arrays: change_setting(run, cell="gru"),
    "of another optimiser": lambda run, arrays: change_setting(run, optimiser="rmsprop"),
}


def change_record(run, **changes):
    run.checkpoint.write_text(json.dumps(read_json(run.checkpoint) | changes))


def change_setting(run, **changes):
    run.settings.write_text(json.dumps(read_json(run.settings) | changes))


@pytest.mark.few(6)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_an_error_of_one_line_and_nothing_is_lost(damage, tmp_path):
    folder = finished(tiny(updates=10), tmp_path / "run")
    run = RunFolder(folder)
    DAMAGE[damage](run, folder / read_json(run.checkpoint)["arrays"])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match=r"the checkpoint in .* is damaged .*: delete checkpoint\.json") as error:
        Trainer.resume(folder, updates=20)
    assert "\n" not in str(error.value)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_after_deleting_a_damaged_checkpoint_the_run_begins_again(tmp_path):
    reference = finished(tiny(updates=10), tmp_path / "whole")
    folder = finished(tiny(updates=10), tmp_path / "run")
    (folder / "checkpoint.json").unlink()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match=r"has no checkpoint\.json, though its log goes to update 10: put it back, or"):
        Trainer.resume(folder)  # it may only have been mislaid
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "log.jsonl").unlink()
    Trainer.resume(folder).run(progress=False)
    assert_same_run(folder, reference)


# interrupted ----------------------------------------------------------------------------------------------------------


def press_ctrl_c(trainer, at_update, times=1):
    """Ctrl-C in the middle of an update: when its batch has been drawn and nothing else."""
    draw = trainer.task.batch

    def batch(seed, step, *args):
        if step == at_update - 1:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return draw(seed, step, *args)

    object.__setattr__(trainer.task, "batch", batch)  # tasks are frozen


@pytest.fixture
def usual_ctrl_c():
    """Ctrl-C raises KeyboardInterrupt, whatever started pytest; and it is as it was when the run is over."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    during = signal.signal(signal.SIGINT, before)
    assert during is signal.default_int_handler


def test_ctrl_c_ends_after_the_update_with_a_checkpoint_that_goes_on_to_the_bit(tmp_path, usual_ctrl_c):
    trainer = Trainer(tiny(), tmp_path / "run")
    press_ctrl_c(trainer, at_update=13)
    with pytest.raises(KeyboardInterrupt):
        trainer.run(progress=False)
    assert checkpoint(tmp_path / "run")[0] == trainer.step == 13
    Trainer.resume(tmp_path / "run").run(progress=False)
    assert_same_run(tmp_path / "run", finished(tiny(), tmp_path / "whole"))


def test_a_second_ctrl_c_ends_at_once_and_leaves_the_last_checkpoint(tmp_path, usual_ctrl_c):
    trainer = Trainer(tiny(), tmp_path / "run")
    press_ctrl_c(trainer, at_update=13, times=2)
    with pytest.raises(KeyboardInterrupt):
        trainer.run(progress=False)
    assert checkpoint(tmp_path / "run")[0] == 10 and trainer.step == 12
    Trainer.resume(tmp_path / "run").run(progress=False)
    assert_same_run(tmp_path / "run", finished(tiny(), tmp_path / "whole"))


def test_a_run_works_in_a_thread_which_no_signal_reaches(tmp_path):
    thread = threading.Thread(target=finished, args=(tiny(updates=5), tmp_path / "run"))
    thread.start()
    thread.join()
    assert (tmp_path / "run" / "result.json").exists()


# diverging ------------------------------------------------------------------------------------------------------------


def test_a_diverging_run_stops_and_leaves_the_checkpoint_before(tmp_path):
    settings = tiny(cell="elman-identity", optimiser="sgd", lr=30.0, schedule="constant", updates=1000, save_every=1)
    with pytest.raises(Diverged) as error:
        Trainer(settings, tmp_path / "run").run(progress=False)
    step, arrays = checkpoint(tmp_path / "run")
    assert 1 <= step < 1000
    message = str(error.value)
    assert message.startswith(f"update {step + 1}: loss ") and "gradient not finite in layers.W_x" in message
    assert "one update before, the largest gradient was " in message and message.endswith("--clip-norm 1")
    assert "\n" not in message
    assert all(np.isfinite(value).all() for value in arrays.values())
    assert not (tmp_path / "run" / "result.json").exists()


def test_the_message_names_only_the_parameters_whose_gradient_blew_up():
    trainer = Trainer(tiny(), None)
    trainer.norms = {"layers.b": 1.0, "readout.W": 1e6}
    grads = {"layers.W_h": np.array([1.0, np.inf]), "layers.b": np.ones(3), "readout.W": np.array([np.nan])}
    message = trainer.diagnosis(0.5, grads)
    assert message.startswith("update 1: loss 0.5, gradient not finite in layers.W_h, readout.W; ")
    assert "the largest gradient was readout.W's, of norm 1e+06" in message
    assert "gradients still finite" in trainer.diagnosis(np.nan, {"layers.b": np.ones(3)})


def test_weights_that_the_last_update_ruined_are_no_result():
    trainer = Trainer(tiny(), None)
    trainer.model.params["readout.b"][0] = np.nan
    with pytest.raises(Diverged, match="update 0: test loss nan"):
        trainer.test()


# what a run does ------------------------------------------------------------------------------------------------------


def test_training_gets_below_the_baseline_on_a_small_copy_task(tmp_path):
    task = {"delay": 3, "length": 2, "symbols": 3}
    settings = tiny(task_options=task, cell="lt-ornn", hidden=16, batch=20, updates=150, lr=0.01)
    result = Trainer(settings, tmp_path / "run").run(progress=False)
    assert result["test_loss"] < 0.3 * result["baseline"]
    assert result["test_loss_over_baseline"] == result["test_loss"] / result["baseline"]
    assert result["test_accuracy"] > 0.95
    assert read_json(tmp_path / "run" / "result.json") == result


def test_a_run_with_squared_error_has_a_test_loss_and_no_accuracy(tmp_path):
    settings = tiny(task="adding", task_options={"steps": 6}, updates=6)
    result = Trainer(settings, tmp_path / "run").run(progress=False)
    assert result["test_loss"] > 0 and "test_accuracy" not in result


def test_the_progress_bar_shows_the_loss_against_the_baseline(tmp_path, capsys):
    trainer = Trainer(tiny(updates=5, log_every=1), tmp_path / "run")
    trainer.run()
    loss = trainer.folder.rows()[-1]["loss"]
    last = capsys.readouterr().err.splitlines()[-1]
    assert "5 of 5 updates" in last and f"loss {loss:.4f} = {loss / trainer.task.baseline:.0%} of baseline" in last


def test_the_log_has_tests_where_they_are_asked_for(tmp_path):
    rows = RunFolder(finished(tiny(updates=10, log_every=5, test_every=4), tmp_path / "run")).rows()
    assert [(row["step"], "test_loss" in row) for row in rows] == [(4, True), (5, False), (8, True), (10, True)]
    assert all(row["loss"] > 0 and row["grad_norm"] > 0 and row["lr"] > 0 and row["seconds"] >= 0 for row in rows)


@pytest.mark.few(8)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("task", ["copy", "adding"])
def test_weights_and_optimiser_keep_the_precision_of_the_run(task, optimiser, dtype):
    options = {"copy": {"delay": 5}, "adding": {"steps": 6}}[task]
    more = {"dtype": dtype, "clip_norm": 0.1, "clip_value": 0.1, "average": True, "truncate": 3, "pool": 2}
    trainer = Trainer(tiny(task=task, task_options=options, **more, **OPTIMISERS[optimiser]), None)
    for _ in range(3):
        trainer.update()
    arrays = {name: value for name, value in trainer.arrays().items() if value.dtype.kind == "f"}
    assert {value.dtype for value in arrays.values()} == {np.dtype(dtype)}, arrays


def test_every_option_of_the_gradient_reaches_it():
    def weights(**changes):
        trainer = Trainer(tiny(task_options={"delay": 8}, optimiser="sgd", lr=1.0, **changes), None)
        trainer.update()
        return trainer.model.params["layers.W_h"]

    for change in {"clip_norm": 0.01}, {"clip_value": 0.001}, {"average": True}, {"truncate": 2}:
        assert not np.array_equal(weights(**change), weights()), change


def test_a_new_run_does_not_go_where_another_one_is(tmp_path):
    folder = finished(tiny(updates=5), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FileExistsError, match="already holds a run: use --resume"):
        Trainer(tiny(updates=9), folder).run(progress=False)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_run_without_its_data_leaves_no_folder(tmp_path, offline):
    with pytest.raises(FileNotFoundError, match="mnist"):
        Trainer(tiny(task="mnist", task_options={"order": "rows"}), tmp_path / "run").run(progress=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("threads, during", [(2, 2), (0, 1)])
def test_matrix_products_use_the_threads_that_the_settings_say_and_get_the_rest_back(threads, during, tmp_path):
    def of_blas():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    seen, before = [], of_blas()
    trainer = Trainer(tiny(updates=2, threads=threads), tmp_path / "run")
    update = trainer.update
    trainer.update = lambda: (seen.append(of_blas()), update())[1]
    trainer.run(progress=False)
    assert seen == 2 * [[during] * len(before)]
    assert of_blas() == before
