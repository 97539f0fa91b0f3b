"""Exercise 8 hands in weights: that the parent's forward pass is the cell's, and what it makes of other weights."""

from pathlib import Path

import numpy as np
import pytest

from tinyrnn.grading.exercise import Exercise

FOLDER = Path(__file__).parents[2] / "exercises" / "8_training"


@pytest.fixture(scope="module")
def exercise():
    return Exercise(FOLDER)


@pytest.fixture
def weights(exercise):
    rng = np.random.default_rng(0)
    drawn = exercise.master.start(rng, 2, 5, 1, bias=0.5)
    return {name: w + 0.3 * rng.normal(size=w.shape) for name, w in drawn.items()}


def test_the_networks_that_judge_and_train_are_the_same_function(exercise, weights):
    checks, master = exercise.checks, exercise.master
    x = np.random.default_rng(1).normal(size=(9, 4, 2))
    parts, problem = checks.unpacked(master.packed(weights), 2, 1)
    assert problem == ""
    judged = checks.answers(parts, x, "squared_error")
    trained = master.network(weights, "squared_error").forward(x)[0]
    assert abs(judged - trained).max() < 1e-13
    h = c = np.zeros((4, 5))
    for x_t in x:
        h, c, *_ = master.cell_step(x_t, h, c, *(weights[name] for name in ("Wx", "Wh", "p", "b")))
    assert abs(judged - (h @ weights["V"] + weights["d"])).max() < 1e-13


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (lambda row: row[:-1], "fit no network"),
        (lambda row: row[None], "one row"),
        (lambda row: row.astype(np.float32), "float32"),
        (lambda row: 1e5 * row, "blown up"),
        (lambda row: np.zeros(0), "fit no network"),
        (lambda row: row, "is good enough"),
    ],
)
def test_weights_that_are_not_trained_or_not_packed_are_refused_with_a_reason(exercise, weights, row, said):
    (finding,) = exercise.checks.adds(row(exercise.master.packed(weights)), {"T": 16})
    assert finding.ok is False
    assert said in finding.message


def test_the_number_of_units_follows_from_the_length_alone(exercise):
    for m, outputs in ((2, 1), (28, 10)):
        for n in range(1, exercise.checks.MOST_UNITS + 1):
            drawn = exercise.master.start(np.random.default_rng(n), m, n, outputs, bias=1.0)
            parts, _ = exercise.checks.unpacked(exercise.master.packed(drawn), m, outputs)
            assert all((parts[name] == w).all() for name, w in drawn.items())


def test_without_mnist_digits_are_made_up_and_nothing_is_downloaded(exercise, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYRNN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("tinyrnn.tasks.data.download", lambda *args: pytest.fail("a check must not download"))
    cases = exercise.module("cases")
    case = cases.digits(np.random.default_rng(0))
    assert case["source"].startswith("made up")
    assert case["images"].shape == (1000, 28, 28) and case["images"].dtype == np.uint8
    assert set(case["labels"]) == set(range(10))
    images, _ = cases.unseen_digits()
    learnt = {image.tobytes() for image in case["images"]}
    assert not any(image.tobytes() in learnt for image in images)


def test_a_data_folder_that_is_none_does_not_stop_a_check(exercise, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYRNN_DATA", str(tmp_path / "nowhere"))
    assert exercise.module("cases").all_digits()[2].startswith("made up")
