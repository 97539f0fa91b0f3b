"""What a training run does, and that it stops in time when it diverges."""

import numpy as np
import pytest
from short_runs import OPTIMISERS, checkpoint, finished, tiny
from threadpoolctl import threadpool_info

from tinyrnn.core.files import read_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.trainer import Diverged, Trainer

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


@pytest.mark.few(1)
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
