"""Runs on a device, as a stand-in for CuPy sees them: everything moves there, and nothing else changes."""

import json

import numpy as np
import pytest

import tests.strict_xp as strict
import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.core import backend
from tinyrnn.training import settings as training_settings
from tinyrnn.training import updater
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

RUNS = {
    "copy": {"task": "copy", "task_options": {"delay": 3, "length": 2}, "cell": "lstm"},
    "adding": {"task": "adding", "task_options": {"steps": 6}, "cell": "gru", "layers": 2, "clip_norm": 1.0},
    "unitary": {"task": "copy", "task_options": {"delay": 3, "length": 2}, "cell": "urnn", "optimiser": "rmsprop"},
    "kept": {"task": "adding", "task_options": {"steps": 6}, "cell": "elman", "keep_best": True, "test_every": 2},
}


@pytest.fixture
def device(monkeypatch):
    """ "cuda" is the stand-in."""
    for module in (training_settings, updater):
        monkeypatch.setattr(module, "module_of", lambda name: strict if name == "cuda" else np)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_on_a_device_ends_as_the_same_run_on_the_processor(name, device, tmp_path):
    common = {
        "hidden": 6,
        "batch": 4,
        "updates": 4,
        "compiled": False,
        "dtype": "float64",
        "save_every": 2,
        **RUNS[name],
    }
    results, weights = {}, {}
    for where in ("cpu", "cuda"):
        trainer = Trainer(Settings(**common, device=where), tmp_path / where)
        results[where] = trainer.run(progress=False)
        weights[where] = tr.load(tmp_path / where / "model.safetensors").params
    assert type(next(iter(trainer.model.params.values()))) is strict.StrictArray
    assert abs(results["cuda"]["test_loss"] - results["cpu"]["test_loss"]) < 1e-9
    for parameter, value in weights["cpu"].items():
        np.testing.assert_allclose(weights["cuda"][parameter], value, rtol=1e-9, atol=1e-11)


def test_a_run_on_a_device_is_resumed_there(device, tmp_path):
    settings = Settings(**RUNS["copy"], hidden=6, batch=4, updates=6, compiled=False, device="cuda", save_every=2)
    whole = Trainer(settings, tmp_path / "whole").run(progress=False)
    first = Trainer(settings, tmp_path / "cut")
    first.record = lambda *row: 1 / 0 if first.step == 5 else Trainer.record(first, *row)
    with pytest.raises(ZeroDivisionError):
        first.run(progress=False)
    again = Trainer.resume(tmp_path / "cut").run(progress=False)
    assert again["test_loss"] == whole["test_loss"]


def test_without_cupy_a_device_is_refused_in_a_line_before_anything_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    assert main(["train", "copy", "--delay", "9", "--device", "cuda", "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err.startswith("tinyrnn: device cuda takes CuPy: pip install")
    assert not (tmp_path / "run").exists()


def test_an_unknown_device_is_refused_in_a_line():
    with pytest.raises(ValueError, match="device must be cpu or cuda, got 'tpu'"):
        Settings(device="tpu")
    with pytest.raises(ValueError, match="device must be cpu or cuda, got 'gpu'"):
        backend.module_of("gpu")


def test_runs_from_before_there_were_devices_are_on_the_processor(tmp_path, device):
    settings = Settings(**RUNS["copy"], hidden=6, batch=4, updates=2, compiled=False)
    Trainer(settings, tmp_path / "run").run(progress=False)
    path = tmp_path / "run" / "settings.json"
    old = json.loads(path.read_text())
    del old["device"]
    path.write_text(json.dumps(old))
    assert Trainer.resume(tmp_path / "run", 3).settings.device == "cpu"
