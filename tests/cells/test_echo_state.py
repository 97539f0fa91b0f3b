"""The echo-state network, and weights that training leaves alone."""

import json

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.init import distributions
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer


@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("radius", [0.5, 0.9, 1.2])
def test_a_reservoir_has_the_spectral_radius_that_was_asked_for(n, radius):
    for seed in range(5):
        W = distributions.reservoir(n, radius, connections=3, rng=seed)
        assert abs(np.linalg.eigvals(W)).max() == pytest.approx(radius, rel=1e-9)


def test_every_unit_is_driven_by_as_many_units_as_asked_for():
    W = distributions.reservoir(50, connections=7, rng=0)
    assert ((W != 0).sum(axis=0) == 7).all()
    assert len({tuple(np.flatnonzero(column)) for column in W.T}) > 40  # not the same ones for all
    assert (distributions.reservoir(4, connections=7, rng=0) != 0).all()


def test_the_first_state_is_forgotten_below_radius_one():
    cell = tr.EchoStateNetwork(1, 50, spectral_radius=0.8, rng=0)
    rng = np.random.default_rng(1)
    x = np.repeat(rng.normal(size=(200, 1, 1)), 2, axis=1)
    h, _ = cell.forward(x, (rng.normal(size=(2, 50)),))
    gap = abs(h[:, 0] - h[:, 1]).max(axis=1)
    assert gap[0] > 0.1 and gap[-1] < 1e-8


def test_the_leak_slows_the_units_down():
    x = np.ones((1, 1, 2))
    full = tr.EchoStateNetwork(2, 6, rng=0).forward(x)[0]
    np.testing.assert_allclose(tr.EchoStateNetwork(2, 6, leak=0.25, rng=0).forward(x)[0], 0.25 * full, rtol=1e-14)


@pytest.mark.parametrize(
    "option", [dict(leak=0), dict(leak=1.5), dict(connections=0), dict(connections=2.5), dict(spectral_radius=-1)]
)
def test_options_that_make_no_sense_are_refused(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        tr.EchoStateNetwork(2, 3, **option)


# fixed weights --------------------------------------------------------------------------------------------------------


def test_a_network_names_its_fixed_weights_as_it_names_its_parameters():
    esn = tr.EchoStateNetwork(3, 4)
    layers = tr.Stack(tr.Bidirectional(esn, tr.EchoStateNetwork(3, 4)), tr.LSTM(8, 5))
    model = tr.Model(layers, tr.Readout(5, 2), embedding=tr.Embedding(7, 3))
    wanted = {f"layers.0.{side}.{name}" for side in ("forward", "backward") for name in ("W_x", "W_h", "b")}
    assert set(model.fixed) == wanted and wanted < set(model.params)
    assert tr.Model(tr.LSTM(2, 3), tr.Readout(3, 1)).fixed == ()


@pytest.mark.parametrize("optimiser", ["sgd", "rmsprop", "adam"])
def test_training_leaves_fixed_weights_alone_and_counts_only_the_others_in_the_norm(optimiser):
    settings = Settings(
        task="adding", task_options={"steps": 8}, cell="esn", hidden=6, updates=4, batch=5, optimiser=optimiser, lr=0.1
    )
    settings = Settings(**{**settings.__dict__, "cell_options": {"learn_state": True}, "clip_norm": 1e-3})
    trainer = Trainer(settings, None)
    before = {name: value.copy() for name, value in trainer.model.params.items()}
    gradients = trainer.gradients().params
    _, norm, _ = trainer.update()
    trained = ["layers.h_0", "readout.W", "readout.b"]
    assert all(gradients[f"layers.{name}"].any() for name in ("W_x", "W_h", "b"))  # they have gradients all the same
    assert norm == pytest.approx(np.sqrt(sum((gradients[name] ** 2).sum() for name in trained)), rel=1e-5)
    for _ in range(3):
        trainer.update()
    changed = [name for name, value in trainer.model.params.items() if not np.array_equal(value, before[name])]
    assert sorted(changed) == trained
    assert not any("W_h" in name for name in trainer.optimiser.state_dict())


def test_a_run_with_fixed_weights_goes_on_where_it_stopped(tmp_path):
    def run(folder, *arguments):
        assert main(["train", *arguments]) == 0
        return json.loads((folder / "result.json").read_text())

    common = ("adding", "--steps", "8", "--cell", "esn", "--hidden", "6", "--schedule", "constant", "--no-compiled")
    whole = run(tmp_path / "a", *common, "--updates", "6", "--out", str(tmp_path / "a"))
    run(tmp_path / "b", *common, "--updates", "3", "--out", str(tmp_path / "b"))
    resumed = run(tmp_path / "b", "--resume", str(tmp_path / "b"), "--updates", "6")
    assert resumed["test_loss"] == whole["test_loss"]
