"""Decoding, memory by lags, h-detach and reconstructed digits, run small: what their numbers say, and of which nets."""

import csv
import json

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.figures import carta, digits
from tinyrnn.figures.detach import below, tenth, typical
from tinyrnn.training.networks import network

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

MINE = """
import numpy as np
import tinyrnn as tr

def step(params, x, state):
    h = np.tanh(x @ params["W"] + 0.9 * state[0])
    return (h,), {"x": x, "out": h}

def step_backward(params, cache, dstate):
    da = dstate[0] * (1 - cache["out"] ** 2)
    return da @ params["W"].T, (0.9 * da,), {"W": cache["x"].T @ da}

mine = tr.StepCell(step, step_backward, params={"W": np.ones((1, 3))}, input_size=1, state_sizes=3)
"""


def analysed(folder, name, *arguments):
    assert main(["analyse", name, *arguments, "--out", str(folder)]) == 0
    assert (folder / f"{name}.png").stat().st_size > 10000
    tables = {}
    for path in folder.glob(f"{name}-*.csv"):
        with open(path) as file:
            rows = list(csv.DictReader(file))
        tables[path.stem.removeprefix(f"{name}-")] = {key: [float(row[key]) for row in rows] for key in rows[0]}
    return json.loads((folder / f"{name}.json").read_text()), tables


@pytest.fixture
def others(tmp_path):
    """A student's cell, a saved one, and a run, which reads ten features."""
    (tmp_path / "hand.py").write_text(MINE)
    tr.interop.save(tmp_path / "kept.safetensors", tr.GRU(1, 4, rng=0))
    copying = ["train", "copy", "--delay", "10", "--hidden", "4", "--updates", "2", "--batch", "4", "--no-compiled"]
    assert main([*copying, "--out", str(tmp_path / "a-run")]) == 0
    return [f"{tmp_path / 'hand.py'}:mine", str(tmp_path / "kept.safetensors"), str(tmp_path / "a-run")]


LAGS = ["--steps", "30", "--longest", "10", "--count", "40", "--fitted", "100", "--units", "12"]


def test_an_autoencoders_memory_goes_back_further_than_an_lstms(tmp_path, capsys):
    arguments = ["--networks", "lmn-laes", "lstm", "--sequences", "generated", "--steps", "60", "--longest", "30"]
    numbers, tables = analysed(tmp_path, "lags", *LAGS, *arguments)
    assert numbers["sequences"] == "generated sequences"
    table = tables["relative-error"]
    assert table["lag"] == list(range(1, 31))
    assert table["lmn-laes"][-1] < 0.1 and table["lstm"][-1] > 0.3
    assert numbers["relative error over all lags"]["lstm"] == pytest.approx(np.mean(table["lstm"]), rel=0.05)
    half = [k for k, share in zip(table["lag"], table["lstm"], strict=True) if share >= 0.5]
    assert numbers["lags until half the variance is wrong"]["lstm"] == (half[0] if half else None)
    assert numbers["lags until half the variance is wrong"]["lmn-laes"] is None
    assert "lmn-laes:" in capsys.readouterr().out


def test_memory_of_any_network_is_measured(others, tmp_path):
    arguments = ["--networks", *others, "rnn-laes", "--sequences", "generated"]
    _, tables = analysed(tmp_path / "out", "lags", *LAGS, *arguments)
    assert set(tables["error"]) == {"lag", "mine", "kept", "a-run", "rnn-laes"}
    assert tables["relative-error"]["mine"][0] < 0.5


def test_where_there_are_no_digits_generated_sequences_stand_in(offline, tmp_path):
    numbers, _ = analysed(tmp_path / "out", "lags", *LAGS, "--networks", "elman")
    assert numbers["sequences"] == "generated sequences"


def test_lags_may_be_of_networks_that_have_learnt_to_tell_digits_apart(small_mnist, tmp_path):
    small = "--steps 784 --count 6 --fitted 50 --longest 4 --units 3 --networks elman".split()
    fresh, _ = analysed(tmp_path / "fresh", "lags", *small)
    moved, _ = analysed(tmp_path / "moved", "lags", *small, *"--updates 2 --rate 0.1 --batch 5".split())
    key = "relative error over all lags"
    assert (fresh["updates"], moved["updates"]) == (0, 2) and moved[key]["elman"] != pytest.approx(fresh[key]["elman"])


def test_digits_are_the_images_pixel_by_pixel(small_mnist):
    x, what = carta.sequence_inputs("digits", 60, 784, rng=0)
    assert what == "digits" and x.shape == (784, 60, 1)
    images = small_mnist["train"][0].reshape(60, 784) / 255
    order = (x[0, :, 0] * 255).round().astype(int)  # image i has first pixel i
    assert sorted(order) == list(range(60)) and list(order) != list(range(60))
    np.testing.assert_array_equal(x[:, :, 0].T, images[order])
    np.testing.assert_array_equal(carta.sequence_inputs("digits", 60, 30, rng=0)[0], x[:30])


def test_decoding_ranks_chains_above_orthogonal_matrices_under_noise(others, tmp_path):
    arguments = ["--units", "20", "--count", "600", "--noise", "0.3", "--networks", *others, "elman"]
    numbers, tables = analysed(tmp_path / "out", "decoding", *arguments)
    first = numbers["R^2 of s_1 from h_20"]
    plain = first["linear, no noise"]
    assert plain.pop("identity") < 0.2  # about 1 / 20: all that was read is one sum
    assert all(r2 > 1 - 1e-9 for r2 in plain.values())
    noisy = first["linear, noise 0.3"]
    assert noisy["chain 1.02"] > noisy["chain"] > noisy["0.99 orthogonal"]
    assert set(first["networks, no noise"]) == {"mine", "kept", "a-run", "elman"}
    blank = tables["networks-no-noise"]["a-run"][:9]  # the delay of the copy task, in which nothing varies
    assert np.isnan(blank).all() and not np.isnan(tables["networks-no-noise"]["a-run"][-10:]).any()
    population = tables["noise-infinitely-many-rows"]
    assert population["chain"][-1] == pytest.approx(1 / (1 + 20 * 0.09))
    np.testing.assert_allclose(tables["linear-noise-0-3"]["chain"], population["chain"], atol=0.2)


def test_with_every_step_detached_the_gradient_keeps_its_length(others, tmp_path, capsys):
    arguments = ["--steps", "40", "--fitted", "50", "--units", "8", "--draws", "2", "--sequences", "generated"]
    networks = ["--networks", "lmn-laes", "lt-ornn", *others[:2]]
    numbers, tables = analysed(tmp_path / "out", "detach", *arguments, *networks, "--probabilities", "0", "1")
    ratios = numbers["LMN-ortho: norm at step 0 / at the end, draw by draw"]
    np.testing.assert_allclose(ratios["p=1"], 1, atol=1e-12)
    assert min(abs(np.log(ratios["p=0"]))) > 0.01
    assert tables["detach"]["p=0 draw 1"][0] == ratios["p=0"][1] and tables["detach"]["p=0 draw 1"][-1] == 1
    assert tables["detach"]["t"] == list(range(41))
    np.testing.assert_allclose(tables["network-lt-ornn"]["norm"], 1, rtol=1e-12)
    assert tables["network-lmn-laes"]["norm"][0] < 1 and len(tables["network-mine"]["norm"]) == 41
    assert numbers["norm at step 0 / at the end"]["kept"] == tables["network-kept"]["norm"][0]
    assert "p = 1: the gradient at step 0 is 1 times" in capsys.readouterr().out


def test_a_run_is_looked_at_with_its_own_tasks_inputs(others, tmp_path):
    arguments = ["--steps", "20", "--fitted", "20", "--draws", "1", "--probabilities", "1", "--networks", others[2]]
    _, tables = analysed(tmp_path / "out", "detach", *arguments, "--sequences", "generated", "--units", "4")
    assert len(tables["network-a-run"]["norm"]) == 21


def test_a_model_with_an_embedding_is_fed_below_it_or_with_class_numbers(tmp_path):
    """What is kept of a model says nothing of its task, so that its layers get noise; a run has the task's classes."""
    embedding = tr.Embedding(5, 3, rng=0)
    model = tr.Model(tr.LSTM(3, 4, rng=1), tr.Readout(4, 5, rng=2), embedding=embedding)
    found = network(model)
    x = carta.inputs_for(found, np.zeros((6, 2, 1)))
    assert x.shape == (6, 2, 3)
    layers, read = below(found, x)
    assert layers is model.layers and read is x
    classes = np.arange(12).reshape(6, 2) % 5
    np.testing.assert_array_equal(below(found, classes)[1], embedding.forward(classes)[0])
    assert carta.inputs_for(network("elman", input_size=1), x[:, :, :1]).shape == (6, 2, 1)


def test_norms_are_averaged_as_ratios_and_a_tenth_is_counted_from_the_end():
    norms = np.array([[1.0, 4.0], [2.0, 2.0], [10.0, 1.0]])
    np.testing.assert_allclose(typical(norms), [np.sqrt(0.1 * 4), np.sqrt(0.2 * 2), 1])
    assert tenth(np.array([0.0, 0.2, 0.09, 0.5, 1.0])) == 2 and tenth(np.ones(3)) is None


SMALL = ["--images", "50", "--tested", "10", "--shown", "3", "--units", "6"]


def test_digits_are_redrawn_and_what_was_trained_can_be_given_again(small_mnist, others, tmp_path):
    networks = ["--networks", "elman", *others[:2]]
    numbers, tables = analysed(tmp_path / "out", "digits", *SMALL, *networks)
    errors = numbers["mean squared error of a pixel"]
    assert set(errors) == {
        digits.LAES,
        digits.FITTED,
        "elman",
        "mine",
        "kept",
        "principal components",
        "the mean image",
    }
    test = small_mnist["test"][0].reshape(25, 784) / 255
    shown = np.reshape(tables["digits"]["original"], (3, 784))
    assert [list(image) in test.tolist() for image in shown] == [True] * 3
    train = small_mnist["train"][0].reshape(60, 784) / 255
    assert errors["the mean image"] == pytest.approx(test.var(axis=0).mean(), rel=0.1)
    assert numbers["relative to the mean image"]["the mean image"] == 1
    assert numbers["relative to the variance of all pixels"][digits.LAES] == pytest.approx(
        errors[digits.LAES] / train.var(), rel=0.1
    )

    folder = ["--updates", "2", "--batch", "20", "--folder", str(tmp_path / "kept")]
    trained, _ = analysed(tmp_path / "trained", "digits", *SMALL, "--networks", "elman", *folder)
    run = ["train", "mnist", "--hidden", "4", "--updates", "1", "--batch", "4", "--no-compiled"]
    assert main([*run, "--out", str(tmp_path / "read")]) == 0
    networks = ["--networks", str(tmp_path / "kept/elman.safetensors"), str(tmp_path / "read")]
    again, _ = analysed(tmp_path / "again", "digits", *SMALL, *networks)
    assert np.isfinite(again["relative to the mean image"]["read"])
    key = "mean squared error of a pixel"
    assert again[key]["elman"] == pytest.approx(trained[key]["elman"], rel=1e-6) and trained["updates"] == 2
    assert isinstance(tr.interop.load(tmp_path / "kept/elman.safetensors"), tr.Model)


def test_training_brings_the_error_down():
    x = np.random.default_rng(0).random((6, 40, 1)).astype("float32")
    cell = network("elman", hidden_size=12, rng=0, dtype="float32").layers
    pixels = np.ascontiguousarray(x[:, :, 0].T)
    model = carta.train(cell, x, pixels, "squared_error", 6, 300, 1e-2, 20, seed=0)
    assert model.gradients(x, x[:, :, 0].T).loss < 0.3 * x.var() and model.layers is cell


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("lags", ["--longest", "784"], "longest must be from 1 to 783, one less than steps, got 784"),
        ("lags", ["--count", "1"], "count must be at least 2 and fitted at least 1, got 1 and 5000"),
        ("lags", ["--sequences", "letters"], "sequences must be digits or generated, got 'letters'"),
        ("lags", ["--updates", "1", "--sequences", "generated"], "networks are trained on digits"),
        (
            "lags",
            ["--updates", "1", "--batch", "0"],
            "updates must be at least 0, and batch from 1 to 5000, got 1 and 0",
        ),
        ("lags", ["--networks", "elmann"], "'elmann' is no cell, run or file"),
        ("detach", ["--draws", "0"], "draws, count and fitted must be at least 1"),
        ("detach", ["--probabilities", "0.5", "1.5"], "probabilities must be from 0 to 1, got 0.5 1.5"),
        ("detach", ["--steps", "785"], "a digit has 784 pixels, fewer than 785 steps"),
        ("decoding", ["--units", "1"], "units and count must be at least 2, noise above 0, got 1"),
        ("decoding", ["--noise", "0"], "noise above 0"),
        ("digits", ["--images", "61"], "there are 60 images in MNIST's train part"),
        ("digits", ["--images", "9"], "images must be at least 10"),
        ("digits", [*SMALL, "--updates", "-1"], "updates must be at least 0"),
        ("digits", [*SMALL, "--updates", "1"], "batch from 1 to 50, got 1 and 64"),
        ("digits", [*SMALL, "--shown", "11"], "shown from 1 to the 10 tested, got 50 and 11"),
    ],
)
def test_what_cannot_be_is_one_line(small_mnist, tmp_path, capsys, name, arguments, message):
    extra = ["--fitted", "10", "--count", "2"] if "letters" in arguments or "elmann" in arguments else []
    assert main(["analyse", name, *arguments, *extra, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error.splitlines()[-1] and not (tmp_path / "out").exists()


def test_without_digits_the_command_says_where_they_should_be(offline, tmp_path, capsys):
    assert main(["analyse", "digits", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "mnist/train-images-idx3-ubyte.gz is not on this machine" in error and error.count("\n") == 1


def test_a_network_that_reads_more_than_a_pixel_a_step_is_refused(small_mnist, tmp_path, capsys):
    tr.interop.save(tmp_path / "wide.safetensors", tr.GRU(2, 3, rng=0))
    networks = ["--networks", str(tmp_path / "wide.safetensors")]
    assert main(["analyse", "digits", *SMALL, *networks, "--out", str(tmp_path / "out")]) == 2
    assert "wide reads 2 numbers a step, and a pixel is one" in capsys.readouterr().err
