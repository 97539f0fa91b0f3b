"""Networks in safetensors files: what is loaded is what was saved, and a bad file is an error of one line."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import tinyrnn as tr
from tinyrnn.nn.interop import load, save
from tinyrnn.nn.saving import describe


def model(cell=tr.LSTM, loss="squared_error", at="last", rng=0):
    rng = np.random.default_rng(rng)
    layers = tr.Stack(tr.Bidirectional(cell(3, 4, rng=rng), cell(3, 4, rng=rng)), cell(8, 5, rng=rng))
    readout = tr.PooledReadout(5, 2, size=3, stride=1, rng=rng)
    return tr.Model(layers, readout, loss=loss, at=at, embedding=tr.Embedding(7, 3, rng=rng))


NETWORKS = {
    **{name: lambda cls=cls, options=options: cls(3, 4, rng=1, **options) for name, (cls, options) in tr.CELLS.items()},
    "float32": lambda: tr.GRU(3, 4, rng=1, dtype="float32"),
    "learned state": lambda: tr.LSTM(3, 4, rng=1, learn_state=True, forget_bias=np.float64(2)),
    "clipped state": lambda: tr.Elman(3, 4, rng=1, clip_state=0.5),
    "urnn without h_0": lambda: tr.UnitaryRNN(3, 4, rng=1, learn_state=False),
    "stack": lambda: tr.Stack(tr.Elman(3, 4, rng=1), tr.Stack(tr.LSTM(4, 2, rng=2), tr.UnitaryRNN(2, 3, rng=3))),
    "eleven layers": lambda: tr.Stack(*[tr.Elman(k, k + 1, rng=k) for k in range(1, 12)]),
    "bidirectional": lambda: tr.Bidirectional(tr.GRU(3, 2, rng=1), tr.UnitaryRNN(3, 4, rng=2)),
}
HEADS = {
    "readout": lambda: tr.Readout(4, 2, rng=1),
    "readout without bias": lambda: tr.Readout(4, 2, rng=1, bias=False, dtype="float32"),
    "pooled readout": lambda: tr.PooledReadout(5, 2, size=3, stride=1, rng=1),
    "embedding": lambda: tr.Embedding(4, 2, rng=1),
}


def same_arrays(one, other):
    return one.keys() == other.keys() and all(
        one[k].dtype == other[k].dtype and np.array_equal(one[k], other[k]) for k in one
    )


@pytest.mark.parametrize("name", [*NETWORKS, *HEADS])
def test_a_loaded_network_is_the_saved_one_to_the_bit(name, tmp_path):
    network = {**NETWORKS, **HEADS}[name]()
    for k, value in enumerate(network.params.values()):
        value += np.random.default_rng(k).normal(size=value.shape).astype(value.dtype)
    save(tmp_path / "it.safetensors", network)
    loaded = load(tmp_path / "it.safetensors")
    assert type(loaded) is type(network) and repr(loaded) == repr(network)
    assert same_arrays(loaded.params, network.params) and same_arrays(loaded.constants, network.constants)
    assert describe(loaded) == describe(network)  # all options, even those that show in no array


@pytest.mark.parametrize("name", NETWORKS)
def test_a_loaded_network_computes_what_the_saved_one_computed(name, tmp_path):
    network = NETWORKS[name]()
    save(tmp_path / "it.safetensors", network)
    x = np.random.default_rng(0).normal(size=(4, 2, network.input_size))
    assert np.array_equal(load(tmp_path / "it.safetensors").forward(x)[0], network.forward(x)[0])


@pytest.mark.parametrize("loss, at", [("squared_error", "last"), ("cross_entropy", "every")])
def test_a_whole_model_is_saved_with_its_loss(loss, at, tmp_path):
    network = model(loss=loss, at=at)
    save(tmp_path / "model.safetensors", network)
    loaded = load(tmp_path / "model.safetensors")
    assert (loaded.loss_name, loaded.loss, loaded.at) == (loss, network.loss, at)
    x = np.random.default_rng(0).integers(0, 7, (5, 3))
    assert np.array_equal(loaded.forward(x)[0], network.forward(x)[0])


def test_a_file_is_plain_safetensors_with_readable_names(tmp_path):
    save(tmp_path / "it.safetensors", tr.UnitaryRNN(2, 3, rng=0))
    arrays = load_file(tmp_path / "it.safetensors")
    assert arrays["params/theta_1"].shape == (3,) and arrays["constants/permutation"].dtype.kind == "i"


def test_saving_again_replaces_the_file_and_a_failure_leaves_it(tmp_path):
    path = tmp_path / "it.safetensors"
    save(path, tr.Elman(2, 3, rng=0))
    second = tr.Elman(2, 3, rng=1)
    save(path, second)
    assert same_arrays(load(path).params, second.params)
    third = tr.Elman(2, 3, rng=2)
    third.clip_state = object()
    with pytest.raises(TypeError, match=r"^save: the argument <object .* cannot be written as JSON$"):
        save(path, third)
    assert same_arrays(load(path).params, second.params)
    assert [p.name for p in tmp_path.iterdir()] == ["it.safetensors"]


def test_weights_go_into_a_network_built_like_the_saved_one(tmp_path):
    saved, mine = model(rng=0), model(rng=1)
    arrays = dict(mine.params)
    save(tmp_path / "model.safetensors", saved)
    assert load(tmp_path / "model.safetensors", into=mine) is mine
    assert same_arrays(mine.params, saved.params)
    assert all(mine.params[name] is array for name, array in arrays.items())  # in place, as optimisers need it


def test_weights_keep_the_precision_of_the_network_they_go_into(tmp_path):
    save(tmp_path / "it.safetensors", tr.LSTM(2, 3, rng=0))
    mine = load(tmp_path / "it.safetensors", into=tr.LSTM(2, 3, rng=1, dtype="float32"))
    assert mine.dtype == np.float32
    assert np.array_equal(mine.params.W_x, tr.LSTM(2, 3, rng=0).params.W_x.astype("float32"))


def test_weights_that_do_not_fit_change_nothing(tmp_path):
    save(tmp_path / "it.safetensors", tr.Elman(2, 3, rng=0))
    wrong = {
        r"'params/W_x' has shape \(2, 3\), in Elman\(2 -> 4, float64\) \(2, 4\)": tr.Elman(2, 4, rng=1),
        r"'params/U' is in LinearRNN\(2 -> 3, float64\), not in ": tr.LinearRNN(2, 3, rng=1),
    }
    for message, network in wrong.items():
        before = {name: value.copy() for name, value in network.params.items()}
        with pytest.raises(ValueError, match=message):
            load(tmp_path / "it.safetensors", into=network)
        assert same_arrays(network.params, before)


def my_step(params, x, state):
    h = x @ params["W"] + state[0]
    return (h,), {"x": x}


def my_step_backward(params, cache, dstate):
    return dstate[0] @ params["W"].T, dstate, {"W": cache["x"].T @ dstate[0]}


class Leaky(tr.Elman):
    """A cell that is not tinyrnn's, with an option that it does not keep."""

    def __init__(self, input_size, hidden_size, *, rate=1, **options):
        super().__init__(input_size, hidden_size, **options)


def step_cell(seed):
    W = np.random.default_rng(seed).normal(size=(2, 3))
    return tr.StepCell(my_step, my_step_backward, params={"W": W}, input_size=2, state_sizes=3)


@pytest.mark.parametrize(
    "make, name",
    [(step_cell, "StepCell"), (lambda seed: Leaky(2, 3, rng=seed), "Leaky")],
)
def test_a_cell_of_ones_own_is_saved_and_loaded_into_another(make, name, tmp_path):
    path = tmp_path / "it.safetensors"
    save(path, tr.Stack(make(0)))
    with pytest.raises(ValueError, match=rf"holds a \S+{name}, whose code is not in it.*into=it\)$"):
        load(path)
    mine = load(path, into=tr.Stack(make(1)))
    assert same_arrays(mine.params, tr.Stack(make(0)).params)


BAD_FILES = {
    "missing": (lambda path, whole: None, FileNotFoundError, "it.safetensors"),
    "empty": (lambda path, whole: path.write_bytes(b""), ValueError, "cannot be read"),
    "cut short": (lambda path, whole: path.write_bytes(whole[:-5]), ValueError, "cannot be read"),
    "not safetensors": (lambda path, whole: path.write_bytes(b"PK" * 100), ValueError, "cannot be read"),
    "not tinyrnn's": (lambda path, whole: save_file({"W": np.ones(3)}, path), ValueError, "no description"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_an_error_of_one_line(case, tmp_path):
    spoil, kind, message = BAD_FILES[case]
    path = tmp_path / "it.safetensors"
    save(path, tr.Elman(2, 3, rng=0))
    whole = path.read_bytes()
    path.unlink()
    spoil(path, whole)
    with pytest.raises(kind, match=message) as error:
        load(path)
    assert "\n" not in str(error.value)


@settings(max_examples=60)
@given(st.data())
def test_a_bit_that_flips_is_noticed_or_changes_nothing(data):
    cell = tr.Elman(2, 3, rng=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it.safetensors"
        save(path, cell)
        whole = bytearray(path.read_bytes())
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(whole)
        try:
            loaded = load(path)
        except ValueError as error:
            assert "\n" not in str(error)
        else:
            assert same_arrays(loaded.params, cell.params)


def test_a_weight_that_is_not_what_was_written_is_said(tmp_path):
    path = tmp_path / "it.safetensors"
    save(path, tr.Elman(2, 3, rng=0))
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="is damaged: it is not what was written"):
        load(path)


@pytest.mark.parametrize(
    "description",
    [
        "{",
        "[]",
        "{}",
        '{"class": "Elman"}',
        '{"class": "Elman", "options": {"input_size": 2, "hidden_size": 3, "speed": 9}}',
        '{"class": "Elman", "options": {"input_size": 2, "hidden_size": -3}}',
        '{"class": ["Elman"], "options": {}}',
    ],
)
def test_a_damaged_description_is_an_error_of_one_line(description, tmp_path):
    path = tmp_path / "it.safetensors"
    save_file({"params/W": np.ones(3)}, path, {"tinyrnn": description})
    with pytest.raises(ValueError, match="description of the network is damaged"):
        load(path)


@pytest.mark.parametrize(
    "label, said",
    [
        ({"version": 2}, "has version 2 of the format tinyrnn-network; this tinyrnn knows them up to 1"),
        ({"format": "tinyrnn-run"}, "is of the format 'tinyrnn-run', not 'tinyrnn-network'"),
    ],
)
def test_a_newer_or_a_foreign_file_is_said_so_in_a_line(label, said, tmp_path):
    path = tmp_path / "it.safetensors"
    save_file({"params/W": np.ones(3)}, path, {"tinyrnn": json.dumps(describe(tr.Elman(2, 3)) | label, default=str)})
    with pytest.raises(ValueError) as error:
        load(path)
    assert str(error.value) == f"{path} {said}"


def test_a_description_and_its_weights_must_fit(tmp_path):
    path = tmp_path / "it.safetensors"
    cell = tr.Elman(2, 3, rng=0)
    arrays = {f"params/{name}": value for name, value in cell.params.items()} | {"params/b": np.zeros(4)}
    save_file(arrays, path, {"tinyrnn": json.dumps(describe(cell) | {"class": "Elman"}, default=str)})
    with pytest.raises(ValueError, match=r"'params/b' has shape \(4,\), in Elman.* \(3,\)"):
        load(path)


def test_no_code_is_imported_for_a_file(tmp_path):
    path = tmp_path / "it.safetensors"
    save_file({"params/W": np.ones(3)}, path, {"tinyrnn": '{"class": "this.Zen", "options": {}}'})
    with pytest.raises(ValueError, match=r"this\.Zen, whose code is not in it"):
        load(path)
