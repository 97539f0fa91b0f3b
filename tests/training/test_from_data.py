"""Runs whose weights are learnt from the training inputs before the first update."""

import dataclasses
import json

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.tasks import Adding
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

ADDING = ["train", "adding", "--steps", "12", "--hidden", "8", "--no-compiled", "--init", "laes"]


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ([], "add --readout ridge-start --lr 1e-4\n"),
        (["--lr", "1e-4"], "add --readout ridge-start\n"),
        (["--readout", "ridge-start"], "add --lr 1e-4\n"),
        (["--readout", "ridge-start", "--lr", "1e-5"], ""),
        (["--readout", "ridge"], ""),  # nothing is trained
    ],
)
def test_who_starts_from_an_autoencoder_alone_is_told_what_to_add(options, missing, tmp_path, capsys):
    assert main([*ADDING, "--cell", "lmn", "--updates", "1", *options, "--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().err
    assert missing in said if missing else "--init laes" not in said


@pytest.mark.parametrize("cell", ["lmn", "elman"])
def test_a_run_starts_as_the_autoencoder_of_its_own_training_inputs(tmp_path, cell):
    run = ["--init-option", "sequences=500", "--updates", "1", "--lr", "0", "--seed", "3"]
    assert main([*ADDING, "--cell", cell, *run, "--out", str(tmp_path / "run")]) == 0
    found = tr.interop.load(tmp_path / "run" / "model.safetensors").params
    batches = [Adding(steps=12).batch(3, step, 250).x for step in range(2)]
    wanted = tr.LinearAutoencoder.fit_moments(batches, 8)
    inputs, memory = {"lmn": ("W_xh", "W_mm"), "elman": ("W_x", "W_h")}[cell]
    np.testing.assert_allclose(found[f"layers.{inputs}"], wanted.A.T, atol=1e-6)
    np.testing.assert_allclose(found[f"layers.{memory}"], wanted.B.T, atol=1e-6)
    assert json.loads((tmp_path / "run" / "result.json").read_text())["settings"]["init"] == "laes"


def test_a_resumed_run_does_not_start_again(tmp_path):
    options = {"task": "adding", "task_options": {"steps": 12}, "cell": "lmn", "init": "laes", "hidden": 8}
    settings = Settings(**options, init_options={"sequences": 250}, compiled=False, updates=6, save_every=3)
    whole = Trainer(settings, tmp_path / "whole")
    whole.run(progress=False)
    first = Trainer(settings, tmp_path / "parts")
    record = first.record

    def stop(*arguments):
        record(*arguments)
        if first.step == 3:
            raise KeyboardInterrupt

    first.record = stop
    with pytest.raises(KeyboardInterrupt):
        first.run(progress=False)
    second = Trainer.resume(tmp_path / "parts")
    assert second.step == 3
    second.run(progress=False)
    for name, value in whole.model.params.items():
        assert np.array_equal(value, second.model.params[name])


def test_digits_are_read_once_each_without_those_that_are_held_out(small_mnist, tmp_path):
    run = ["--order", "rows", "--valid", "20", "--hidden", "8", "--batch", "10", "--updates", "1", "--lr", "0"]
    more = ["--no-compiled", "--cell", "lmn", "--init", "laes", "--out", str(tmp_path / "run")]
    assert main(["train", "mnist", *run, *more]) == 0
    found = tr.interop.load(tmp_path / "run" / "model.safetensors").params
    images = small_mnist["train"][0][:40] / 255
    wanted = tr.LinearAutoencoder.fit_moments(images.swapaxes(0, 1), 8)
    np.testing.assert_allclose(found["layers.W_mm"], wanted.B.T, atol=1e-5)
    np.testing.assert_allclose(found["layers.b_m"], -wanted.A @ wanted.mean, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cell", "lstm"], "'laes' is not for LSTM"),
        (["--cell", "lmn", "--layers", "2"], "for a single layer that reads the task's own inputs"),
        (["--cell", "lmn", "--bidirectional"], "for a single layer that reads the task's own inputs"),
        (["--cell", "lmn", "--init-option", "alpha=1"], "has no option 'alpha'; choose from sequences"),
        (["--cell", "lmn", "--init-option", "sequences=0"], "sequences must be a whole number of at least 1, got 0"),
        (["--cell", "lmn", "--hidden", "25"], "p must be a whole number from 1 to 24"),
        (["--cell", "lmn", "--steps", "3000"], "sequences of 3000 steps with 2 features or classes are too large"),
    ],
)
def test_what_cannot_start_so_is_one_line_and_no_run(tmp_path, capsys, arguments, message):
    assert main([*ADDING, *arguments, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_readout_that_starts_in_closed_form_is_the_best_of_the_training_data_and_is_then_trained(tmp_path):
    options = {"task": "adding", "task_options": {"steps": 12}, "cell": "lmn", "init": "laes", "hidden": 24}
    settings = Settings(**options, readout="ridge-start", compiled=False, updates=1, lr=0.0)
    start = Trainer(settings, tmp_path / "start").run(progress=False)
    plain = Trainer(dataclasses.replace(settings, readout="gradient"), tmp_path / "plain").run(progress=False)
    closed = dataclasses.replace(settings, readout="ridge", updates=10_000 // 250, batch=250)
    closed = Trainer(closed, tmp_path / "closed").run(progress=False)
    assert abs(start["test_loss"] / closed["test_loss"] - 1) < 1e-3 and start["test_loss"] < 0.9 * plain["test_loss"]
    on = dataclasses.replace(settings, updates=400, lr=1e-4, batch=100)
    assert Trainer(on, tmp_path / "on").run(progress=False)["test_loss"] < start["test_loss"]
