"""What a run does besides following the loss downhill: it follows from the settings, and is repeatable to the bit."""

import dataclasses

import numpy as np
import pytest
from safetensors.numpy import load_file
from worker_tasks import HERE, updated
from worker_tasks import tiny as tiny_of_workers

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.core.files import read_json
from tinyrnn.nn.dropout import cells_of
from tinyrnn.nn.regularisers import ActivationChange, RandomPoints, SoftOrthogonality
from tinyrnn.tasks import TASKS
from tinyrnn.training import tricks
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer
from tinyrnn.training.workers import Processes, Threads

EVERYTHING = {
    "layers": 2,
    "embedding": 6,
    "detach": 0.4,
    "dropout_input": 0.2,
    "dropout_layers": 0.2,
    "dropout_output": 0.3,
    "dropout_embedding": 0.1,
    "weight_drop": 0.2,
    "regularisers": {"soft-orthogonality": 1e-3, "random-points": 0.1, "norm-stabiliser": 0.1, "ar": 0.1, "tar": 0.1},
}


@pytest.fixture
def more_tasks(monkeypatch):
    for name, task in HERE.items():
        monkeypatch.setitem(TASKS, name, task)


def tiny(**changes):
    base = {"task_options": {"delay": 5, "length": 3}, "hidden": 8, "batch": 4, "updates": 12}
    return Settings(**{**base, "log_every": 1, "save_every": 5, **changes})


def cells(settings):
    return [cell for _, cell in cells_of(build(settings)[1].layers)]


def final(folder):
    return load_file(folder / read_json(folder / "checkpoint.json")["arrays"])


# repeatable -----------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.mark.few(1)
@pytest.mark.parametrize("at", [3, 5, 8])
def test_a_run_that_is_resumed_drops_and_detaches_the_same_to_the_bit(at, tmp_path, monkeypatch):
    settings = tiny(**EVERYTHING, detach_anneal=0.25)
    Trainer(settings, tmp_path / "whole").run(progress=False)

    def die(trainer, *rest):
        if trainer.step == at:
            raise Killed
        return update(trainer, *rest)

    update = Trainer.update
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "update", die)
        with pytest.raises(Killed):
            Trainer(settings, tmp_path / "killed").run(progress=False)
    Trainer.resume(tmp_path / "killed").run(progress=False)
    whole, killed = final(tmp_path / "whole"), final(tmp_path / "killed")
    assert whole.keys() == killed.keys()
    assert all(whole[name].tobytes() == killed[name].tobytes() for name in whole)
    rows = [[{k: v for k, v in row.items() if k != "seconds"} for row in RunFolder(tmp_path / name).rows()]
            for name in ("whole", "killed")]  # fmt: skip
    assert rows[0] == rows[1] and all(row["penalty"] > 0 for row in rows[0])
    assert read_json(tmp_path / "whole" / "settings.json")["regularisers"] == EVERYTHING["regularisers"]


def test_what_is_drawn_depends_on_the_update_and_the_seed_and_on_nothing_else():
    settings = tiny(**EVERYTHING)
    draws = [tricks.drawn(s, step)["rng"].random() for s, step in ((settings, 0), (settings, 0), (settings, 1))]
    other = tricks.drawn(dataclasses.replace(settings, seed=1), 0)["rng"].random()
    assert draws[0] == draws[1] and len({*draws, other}) == 3
    x = build(settings)[0].batch(0, 0, 4).x
    assert not np.array_equal(tricks.drawn(settings, 0)["rng"].integers(0, 8, x.shape), x)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["copy", "ragged", "ragged-last"])
@pytest.mark.parametrize("workers", [2, 3])
def test_workers_drop_and_detach_what_one_process_would(task, workers, more_tasks):
    """Gradients of one process and of several, with penalties on weights, to rounding."""
    wanted = {**EVERYTHING, "regularisers": {"soft-orthogonality": 0.1, "random-points": 0.1}, "workers": workers}
    options = {"task": task, **({} if task == "copy" else {"task_options": {}})}
    settings = tiny_of_workers(**options, **wanted)
    one = Trainer(settings, None)
    expected = one.gradients()
    with Threads(settings, one.model) as sharing:
        found = sharing.gradients(0)
    assert found.loss == pytest.approx(expected.loss, rel=1e-12)
    assert found.penalty == pytest.approx(expected.penalty, rel=1e-12) and found.penalty > 0
    for name, d in expected.params.items():
        np.testing.assert_allclose(found.params[name], d, rtol=0, atol=1e-12 * abs(d).max() + 1e-15, err_msg=name)


@pytest.mark.slow
def test_workers_with_everything_on_find_the_same_every_time():
    settings = tiny_of_workers(**EVERYTHING, updates=4)
    processes, threads = updated(settings, Processes), updated(settings, Threads)
    for name, value in processes.arrays().items():
        assert threads.arrays()[name].tobytes() == value.tobytes(), name
    assert processes.losses == threads.losses


# what the settings mean -----------------------------------------------------------------------------------------------


def test_detaching_ends_before_the_last_share_of_the_updates():
    settings = tiny(detach=0.3, detach_anneal=0.25)
    assert [bool(tricks.drawn(settings, step)) for step in range(12)] == [True] * 9 + [False] * 3
    assert tricks.drawn(settings, 0)["detach"] == 0.3
    always = tiny(detach=0.3)
    assert all(tricks.drawn(always, step)["detach"] == 0.3 for step in range(12))
    plain, never = tiny(), tiny(detach=0.3, detach_anneal=1.0)
    one, two = (Trainer(s, None) for s in (plain, never))
    one.update(), two.update()
    for name, value in one.model.params.items():
        assert two.model.params[name].tobytes() == value.tobytes()


def test_a_run_without_any_of_it_draws_nothing():
    assert tricks.drawn(tiny(), 0) == tricks.drawn(tiny(regularisers={"ar": 1.0, "soft-orthogonality": 0.1}), 0) == {}


def test_weights_are_penalised_in_every_layer_and_changes_in_the_last_one_only():
    terms = {"soft-orthogonality": 0.1, "tar": 2.0, "random-points": 0.3, "random-point-norms": 0.4}
    lower, *upper = cells(tiny(layers=2, bidirectional=True, cell="gru", regularisers=terms, batch=7))
    everywhere = (SoftOrthogonality(0.1), RandomPoints(0.3, 7), RandomPoints(0.4, 7, "norms"))
    assert lower.regularisers == upper[0].regularisers == everywhere
    for cell in upper[1:]:
        assert cell.regularisers == (everywhere[0], ActivationChange(2.0), *everywhere[1:])
    assert tr.GRU.regularisers == ()


def test_the_network_is_what_the_settings_say(more_tasks):
    settings = Settings(task="ragged", hidden=8, embedding=8, tied=True, clip_state=3.0, weight_drop=0.5)
    _, model = build(settings)
    assert isinstance(model.readout, tr.TiedReadout) and model.readout.embedding is model.embedding
    assert model.layers.clip_state == 3.0 and model.dropout == tr.Dropout(weight=0.5)
    assert "readout.W" not in model.params
    assert cells(tiny(clip_state=3.0, cell_options={"clip_state": 2.0}))[0].clip_state == 2.0


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_and_penalties_leave_tests_alone(layers, tmp_path):
    """Nothing is dropped when the network is tested, and the loss in the log is the task's."""
    trainer = Trainer(tiny(**{**EVERYTHING, "layers": layers, "dropout_layers": 0.1 * (layers > 1)}), None)
    assert trainer.test() == trainer.test()
    plain = Trainer(tiny(layers=layers, embedding=6), None)
    assert trainer.test() == plain.test()


@pytest.mark.slow
def test_a_regularised_run_ends_nearer_to_orthogonal():
    ends = []
    for terms in ({}, {"soft-orthogonality": 1.0}):
        trainer = Trainer(tiny(cell="elman", updates=150, lr=1e-2, schedule="cosine", regularisers=terms), None)
        for _ in range(150):
            trainer.update()
        W = trainer.model.params["layers.W_h"]
        ends.append(abs(W.T @ W - np.eye(len(W))).max())
    assert ends[1] < 0.05 < 0.2 < ends[0]


# on the command line --------------------------------------------------------------------------------------------------


def test_the_command_line_reaches_all_of_it(tmp_path):
    line = (
        "train copy --delay 5 --length 3 --hidden 8 --batch 4 --updates 3 --layers 2 --embedding 6 --log-every 1 "
        "--detach 0.5 --detach-anneal 0.4 --regulariser soft-orthogonality=1e-3 --regulariser tar=2 --clip-state 9 "
        "--dropout-input 0.1 --dropout-layers 0.1 --dropout-output 0.1 --dropout-embedding 0.1 --weight-drop 0.1 "
        f"--clip-norm 1 --clip-value 0.5 --average --truncate 4 --out {tmp_path / 'run'}"
    )
    assert main(line.split()) == 0
    saved = read_json(tmp_path / "run" / "settings.json")
    assert saved["regularisers"] == {"soft-orthogonality": 1e-3, "tar": 2}
    assert (saved["detach"], saved["detach_anneal"], saved["clip_state"], saved["weight_drop"]) == (0.5, 0.4, 9.0, 0.1)
    assert (saved["clip_norm"], saved["clip_value"], saved["average"], saved["truncate"]) == (1, 0.5, True, 4)
    assert all("penalty" in row for row in RunFolder(tmp_path / "run").rows())


def test_every_trick_is_in_the_one_list_and_on_the_command_line(capsys):
    with pytest.raises(SystemExit):
        main(["train", "copy", "--help"])
    text = capsys.readouterr().out
    for name in ("clip_norm", "clip_value", "clip_state", "average", "truncate", "detach", "dropout_input", "tied"):
        assert name in tricks.__doc__ and f"--{name.replace('_', '-')}" in text
    assert "--regulariser NAME=VALUE" in text and "random-points" in text


REFUSED = {
    "share": ({"detach": 1.5}, "detach must be in [0, 1], got 1.5"),
    "nothing left": ({"weight_drop": 1.0}, "weight_drop must be in [0, 1), got 1.0"),
    "name": (
        {"regularisers": {"weight-decay": 1}},
        "unknown regulariser 'weight-decay'; choose from soft-orthogonality",
    ),
    "strength": (
        {"regularisers": {"ar": "much"}},
        "Activation: strength must be a number of at least 0, got 'much'",
    ),
    "no recurrent matrix": (
        {"cell": "urnn", "regularisers": {"soft-orthogonality": 1}},
        "UnitaryRNN names no recurrent matrix (`recurrent`) that could be made orthogonal",
    ),
    "no h": ({"cell": "gru", "detach": 0.5}, "GRU: no h-detach for this cell, which names no weights that read h"),
    "outputs in windows": (
        {"regularisers": {"tar": 1}, "checkpoint": "4"},
        "ActivationChange needs all outputs at once, which a checkpoint does without",
    ),
    "inverse": (
        {"cell": "lt-ornn", "dropout_output": 0.1, "checkpoint": "inverse"},
        "no dropout where states are recomputed by the inverse: give checkpoint a memory budget",
    ),
    "one layer": ({"dropout_layers": 0.1}, "dropout: there are no features between layers, for there is one layer"),
    "no words": ({"dropout_embedding": 0.1}, "dropout: there is no embedding whose words could be dropped"),
    "no features": ({"dropout_input": 0.1}, "copy has no features to be dropped without an embedding"),
    "tied to nothing": ({"tied": True}, "tied needs an embedding, whose weights the readout reads"),
    "tied to others": (
        {"tied": True, "embedding": 8},
        "TiedReadout: 8 features to 9 classes need an embedding the other",
    ),
    "tied and pooled": (
        {"tied": True, "embedding": 8, "pool": 2},
        "a tied readout is trained by gradients, and has no pool",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_an_error_of_one_line_before_anything_is_written(case, tmp_path):
    changes, message = REFUSED[case]
    with pytest.raises(ValueError) as error:
        Trainer(tiny(**changes), tmp_path / "run").run(progress=False)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()
