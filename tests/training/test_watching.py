"""Validation while training: when a run ends early, and with which weights; and sets of examples that come again."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from tinyrnn.core.files import read_json
from tinyrnn.nn.saving import named_arrays
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, batch_of, build
from tinyrnn.training.trainer import Trainer
from tinyrnn.training.watching import Watch


def tiny(**changes):
    """A run on so few examples that its validation loss soon goes up again."""
    return Settings(
        **{
            **{"task": "copy", "task_options": {"delay": 2, "length": 3}, "cell": "elman", "hidden": 16},
            **{"batch": 4, "examples": 8, "updates": 60, "lr": 0.05, "test_every": 4, "save_every": 6, **changes},
        }
    )


def validation(folder):
    """[(update, validation loss)] of the log."""
    return [(row["step"], row["valid_loss"]) for row in RunFolder(folder).rows() if "valid_loss" in row]


def test_a_watch_is_over_after_so_many_tests_without_a_new_best_one():
    watch, seen = Watch(patience=2, keep=False), []
    for step, loss in enumerate([3.0, 2.0, 2.5, 1.0, 1.0, 1.5]):
        watch.see(step, loss, weights=None)
        seen.append(watch.over)
    assert seen == [False, False, False, False, False, True]
    assert (watch.best, watch.step) == (1.0, 3)


def test_a_run_ends_when_validation_gets_no_better_and_is_tested_there(tmp_path):
    result = Trainer(tiny(patience=3), tmp_path / "run").run(progress=False)
    losses = validation(tmp_path / "run")
    best = min(range(len(losses)), key=lambda k: losses[k][1])
    assert len(losses) == best + 4 and losses[-1][0] == result["updates_done"] < 60
    assert "test_loss" in result


def test_a_run_that_keeps_its_best_weights_ends_with_them(tmp_path):
    trainer = Trainer(tiny(keep_best=True), tmp_path / "run")
    result = trainer.run(progress=False)
    step, loss = min(validation(tmp_path / "run"), key=lambda pair: pair[1])
    assert result["best_update"] == step < 60 and result["valid_loss"] == loss
    assert trainer.found("valid_", trainer.task.valid_batches)["valid_loss"] == loss
    assert trainer.test()["test_loss"] == result["test_loss"]
    kept = load_file(tmp_path / "run" / "model.safetensors")
    for name, value in named_arrays(trainer.model).items():
        np.testing.assert_array_equal(kept[name], value)


@pytest.mark.parametrize("changes", [{"patience": 3}, {"keep_best": True}], ids=str)
def test_a_watched_run_that_is_interrupted_goes_on_to_the_same_end(changes, tmp_path, monkeypatch):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    expected = Trainer(tiny(**changes), whole).run(progress=False)
    first = Trainer(tiny(**changes), cut)
    monkeypatch.setattr(first, "record", lambda *row: 1 / 0 if first.step == 14 else Trainer.record(first, *row))
    with pytest.raises(ZeroDivisionError):
        first.run(progress=False)
    found = Trainer.resume(cut).run(progress=False)
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
    ends = [load_file(folder / read_json(folder / "checkpoint.json")["arrays"]) for folder in (whole, cut)]
    assert ends[0].keys() == ends[1].keys()
    assert all(ends[0][name].tobytes() == ends[1][name].tobytes() for name in ends[0])


def test_of_a_fixed_set_the_same_batches_come_again():
    settings = tiny(examples=9)
    task = build(settings)[0]
    inputs = [batch_of(settings, task, step).x.tobytes() for step in range(5)]
    assert inputs[0] == inputs[2] == inputs[4] != inputs[1] == inputs[3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"examples": 3}, "examples must be at least the batch's 4"),
        ({"patience": 2, "test_every": 0}, "set test_every"),
        ({"task": "mnist", "task_options": {}}, "mnist has its own examples"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(changes, message):
    with pytest.raises(ValueError, match=message):
        build(tiny(**changes))
