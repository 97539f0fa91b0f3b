"""Runs that are resumed, made longer, damaged or interrupted."""

import dataclasses
import json
import signal
import threading

import numpy as np
import pytest
from short_runs import assert_same_run, checkpoint, finished, tiny

from tinyrnn.core.files import read_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.trainer import Trainer

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


@pytest.mark.few(3)
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
