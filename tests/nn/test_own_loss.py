"""A loss that the package does not know is one object: it trains, is checked, stepped through, drawn and saved."""

import dataclasses
import math
from typing import ClassVar

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.nn.losses import LOSSES, Loss, find_loss
from tinyrnn.nn.ridge import check_readout
from tinyrnn.nn.saving import load, save
from tinyrnn.optim.optimisers import Adam
from tinyrnn.tasks import TASKS
from tinyrnn.tasks.adding import Adding
from tinyrnn.tasks.task import Batch
from tinyrnn.training.plots import draw_curves, new_figure
from tinyrnn.training.settings import TASK_DEFAULTS, Settings
from tinyrnn.training.trainer import Trainer


def log_cosh(y, target, mask=None):
    """Mean of ln cosh(y - target): squares where it is small, a straight line where it is large."""
    error = y - target if mask is None else (y - target) * mask.reshape((*target.shape[: mask.ndim], 1))
    n = y.size if mask is None else mask.sum() * y.shape[-1]
    return np.log(np.cosh(error)).sum() / n, (error, n)


def log_cosh_backward(kept, dloss=1.0):
    error, n = kept
    dy = dloss * np.tanh(error) / n
    return dy


LOG_COSH = Loss("log_cosh", log_cosh, log_cosh_backward, unit="ln cosh")


def wrong_backward(kept, dloss=1.0):
    return 1.5 * log_cosh_backward(kept, dloss)


class RobustAdding(Adding):
    """The adding problem, with a loss of this file."""

    name: ClassVar = "robust-adding"
    loss: ClassVar = LOG_COSH


@pytest.fixture
def known_task(monkeypatch):
    monkeypatch.setitem(TASKS, "robust-adding", RobustAdding)
    monkeypatch.setitem(TASK_DEFAULTS, "robust-adding", {})


def model(loss=LOG_COSH, **options):
    return tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(4, 3, rng=1), loss=loss, **options)


def batch(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 3, 2)), rng.normal(size=(6, 3, 3))


@pytest.mark.few(1)
@pytest.mark.parametrize("at", ["every", "last"])
def test_its_gradients_are_checked(at):
    report = tr.gradcheck(model(at=at), rng=0)
    assert report.ok, report
    wrong = dataclasses.replace(LOG_COSH, backward=wrong_backward)
    assert not tr.gradcheck(model(wrong, at=at), rng=0).ok


def test_it_trains_in_a_loop_of_ones_own_and_in_windows():
    network, opt, (x, target) = model(), Adam(lr=0.02), batch()
    losses = []
    for _ in range(100):
        out = network.gradients(x, target)
        opt.step(network.params, out.params)
        losses.append(out.loss)
    assert losses[-1] < 0.3 * losses[0]
    windows = network.gradients(x, target, checkpoint=2)
    assert math.isclose(windows.loss, network.gradients(x, target).loss, rel_tol=1e-12)


@pytest.mark.slow
def test_a_run_trains_tests_and_draws_with_it(known_task, tmp_path):
    small = {"hidden": 3, "updates": 4, "batch": 5, "log_every": 1}
    trainer = Trainer(Settings(task="robust-adding", task_options={"steps": 6}, **small), tmp_path / "run")
    result = trainer.run(progress=False)
    [x, target, _] = trainer.task.sample(0, 5)
    assert trainer.model.loss is LOG_COSH and "test_accuracy" not in result
    assert trainer.model.gradients(x, target).loss == pytest.approx(
        float(log_cosh(trainer.model.forward(x)[0], target)[0])
    )
    assert (tmp_path / "run" / "curve.png").exists() and "% of baseline" in trainer.in_words(1.0)
    _, axes = new_figure()
    draw_curves(axes, {"gru": trainer.folder.rows()}, trainer.task)
    assert axes.get_ylabel() == "training loss (ln cosh)" and axes.get_yscale() == "log"


def test_the_command_line_trains_with_it_too(known_task, tmp_path, capsys):
    settings = Settings(task="robust-adding", task_options={"steps": 6}, hidden=3, updates=2, batch=5)
    Trainer(settings, tmp_path / "run").run(progress=False)
    assert main(["train", "--resume", str(tmp_path / "run"), "--updates", "3"]) == 0
    assert "of the baseline" in capsys.readouterr().out


def test_a_loss_that_may_be_negative_has_no_shares_and_no_logarithm(known_task, monkeypatch):
    monkeypatch.setattr(RobustAdding, "loss", dataclasses.replace(LOG_COSH, signed=True))
    trainer = Trainer(Settings(task="robust-adding", task_options={"steps": 6}, hidden=3), None)
    assert "%" not in trainer.in_words(-1.0)
    _, axes = new_figure()
    draw_curves(axes, {"gru": [{"step": 1, "loss": -1.0}]}, trainer.task)
    assert axes.get_yscale() == "linear"


def test_it_is_stepped_through_line_by_line():
    x, target = batch()
    recording = tr.trace(model(), x, target=target)
    [dy] = [event for event in recording if event.function == "log_cosh_backward" and event.name == "dy"]
    error = model().forward(x)[0] - target
    np.testing.assert_allclose(dy.value, np.tanh(error) / error.size, rtol=1e-8)


def test_its_name_is_in_the_file_and_its_code_is_not(tmp_path):
    network = model()
    save(tmp_path / "it.safetensors", network)
    with pytest.raises(
        ValueError, match=r"holds a Model with the loss 'log_cosh', whose code is not in it: .* into=it"
    ):
        load(tmp_path / "it.safetensors")
    mine = load(tmp_path / "it.safetensors", into=model())
    assert np.array_equal(mine.params["layers.W_h"], network.params["layers.W_h"])


def test_a_network_that_grows_keeps_it():
    small = tr.Model(tr.MultiScaleLMN(2, 3, modules=2, module_size=2, rng=0), tr.Readout(4, 3, rng=1), loss=LOG_COSH)
    assert tr.grow(small, rng=2).loss is LOG_COSH


def test_a_readout_in_closed_form_fits_it_unless_it_says_otherwise():
    check_readout(model())
    with pytest.raises(ValueError, match="not the loss log_cosh"):
        check_readout(model(dataclasses.replace(LOG_COSH, least_squares=False)))


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_packages_own_are_meant_by_name_object_and_function(loss):
    assert find_loss(loss.name) is find_loss(loss) is find_loss(loss.forward) is loss


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match=r"^Model: there is another loss called 'squared_error': give yours a name"):
        model(dataclasses.replace(LOG_COSH, name="squared_error"))


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_random_target_fits_the_output(loss):
    y = np.random.default_rng(0).normal(size=(4, 3, 6))
    value, kept = loss(y, loss.probe(np.random.default_rng(1), y.shape))
    assert np.isfinite(value) and loss.backward(kept).shape == y.shape


class Gappy(TASKS["copy"]):
    """Copying, with gaps in the target that no mask tells of."""

    name: ClassVar = "gappy"

    def sample(self, rng, size, dtype="float32"):
        x, target, mask = super().sample(rng, size, dtype)
        target = target.copy()
        target[::3, : size // 2] = -100
        return Batch(x, target, mask)


def test_workers_and_windows_weigh_what_counts_where_targets_are_minus_100(monkeypatch):
    from tinyrnn.training.workers import Threads

    monkeypatch.setitem(TASKS, "gappy", Gappy)
    options = {"task_options": {"delay": 3, "length": 3}, "hidden": 3, "batch": 5, "dtype": "float64"}
    one = Trainer(Settings(task="gappy", **options), None)
    expected = one.gradients()
    with Threads(Settings(task="gappy", workers=2, **options), one.model) as sharing:
        found = sharing.gradients(0)
    assert found.loss == pytest.approx(expected.loss, rel=1e-12)
    windows = one.model.gradients(*one.task.batch(0, 0, 5, "float64"), checkpoint=4)
    for name, d in expected.params.items():
        np.testing.assert_allclose(found.params[name], d, atol=1e-12)
        np.testing.assert_allclose(windows.params[name], d, atol=1e-12)
