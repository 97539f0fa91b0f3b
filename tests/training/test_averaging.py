"""NT-ASGD: when averaging begins, what is averaged, who sees the mean; and the layer sizes of AWD-LSTM."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.training.test_watching import tiny, validation
from tinyrnn.core.files import read_json
from tinyrnn.nn.saving import named_arrays
from tinyrnn.training.averaging import Averaging
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer

NT_ASGD = {"nonmono": 2, "optimiser": "sgd", "lr": 1.0, "clip_norm": 1.0}


def test_averaging_begins_at_the_first_test_worse_than_all_but_the_last_n():
    averaging, begun = Averaging(2), []
    for loss in (5.0, 4.0, 4.5, 4.2, 4.1, 3.0):  # until 4.1, the best of all but the last two is no better
        averaging.see(loss)
        begun.append(averaging.begun)
    assert begun == [False, False, False, False, True, True]
    never = Averaging(0)
    for loss in (1.0, 2.0, 3.0, 4.0):
        never.see(loss)
    assert not never.begun


def test_the_mean_is_that_of_all_updates_since_and_is_seen_only_where_it_is_asked_for():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(7, 3))
    averaging, params = Averaging(1), {"W": np.zeros(3)}
    for step, value in enumerate(values):
        params["W"][...] = value
        averaging.add(params)
        if step < 3:
            averaging.see(float(step))
    assert averaging.begun and averaging.count == 4
    with averaging.used(params):
        np.testing.assert_allclose(params["W"], values[3:].mean(axis=0), rtol=1e-14)
    np.testing.assert_array_equal(params["W"], values[-1])


def test_a_run_ends_with_the_mean_of_its_weights_and_goes_on_from_them_themselves(tmp_path, monkeypatch):
    settings, seen = tiny(**NT_ASGD), []
    trainer = Trainer(settings, tmp_path / "run")

    def note(params):
        Averaging.add(trainer.averaging, params)
        if trainer.averaging.begun:
            seen.append({name: value.copy() for name, value in params.items()})

    monkeypatch.setattr(trainer.averaging, "add", note)
    result = trainer.run(progress=False)
    losses = [loss for _, loss in validation(tmp_path / "run")]
    first = next(k for k in range(3, len(losses)) if losses[k] > min(losses[: k - 2]))
    assert len(seen) == 60 - 4 * (first + 1) > 1
    for name, value in trainer.model.params.items():
        np.testing.assert_allclose(value, np.mean([each[name] for each in seen], axis=0), rtol=1e-4, atol=1e-5)
    assert trainer.test()["test_loss"] == result["test_loss"]
    checkpoint = load_file(tmp_path / "run" / read_json(tmp_path / "run" / "checkpoint.json")["arrays"])
    for name, value in named_arrays(trainer.model).items():
        if name in seen[-1]:
            np.testing.assert_array_equal(checkpoint[name], seen[-1][name])
            assert checkpoint[f"mean/{name}"].tobytes() == value.tobytes()


def test_an_averaged_run_that_is_interrupted_goes_on_to_the_same_end(tmp_path, monkeypatch):
    expected = Trainer(tiny(**NT_ASGD), tmp_path / "whole").run(progress=False)
    first = Trainer(tiny(**NT_ASGD), tmp_path / "cut")
    monkeypatch.setattr(first, "record", lambda *row: 1 / 0 if first.step == 50 else Trainer.record(first, *row))
    with pytest.raises(ZeroDivisionError):
        first.run(progress=False)
    assert first.averaging.begun
    found = Trainer.resume(tmp_path / "cut").run(progress=False)
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nonmono": 5, "test_every": 0}, "set test_every"),
        ({"nonmono": 5, "cell": "urnn-full"}, "a mean of unitary matrices is none"),
    ],
)
def test_what_cannot_be_averaged_is_refused_in_a_line(changes, message):
    with pytest.raises(ValueError, match=message):
        Trainer(tiny(**changes), folder=None)


def language(**changes):
    return Settings(task="copy", hidden=12, layers=3, tied=True, **changes)


def test_the_last_layer_under_a_tied_readout_is_as_wide_as_the_embedding_as_in_awd_lstm():
    _, model = build(language(embedding=4, cell="lstm", task_options={"delay": 2, "delimiter_class": True}))
    assert [(cell.input_size, cell.hidden_size) for cell in model.layers.layers] == [(4, 12), (12, 12), (12, 4)]
    assert model.readout.input_size == 4 and "readout.W" not in model.params


def test_complex_units_count_twice_and_what_cannot_fit_is_said():
    options = {"delay": 2, "delimiter_class": True}
    _, model = build(language(embedding=6, cell="urnn", task_options=options))
    assert [cell.hidden_size for cell in model.layers.layers] == [12, 12, 3]
    with pytest.raises(ValueError, match="tied: urnn has 24 outputs for 12 units, so that no number of units has"):
        build(language(embedding=5, cell="urnn", task_options=options))
