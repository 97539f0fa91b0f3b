"""Capacity, Markovian bias, interpolation and drawings: what their numbers are for networks of which one knows them."""

import numpy as np
import pytest

from tinyrnn.figures import diagrams, interpolation
from tinyrnn.figures.untrained import explained_by, run_capacity, run_markovian
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

pytestmark = pytest.mark.slow


def test_capacity_is_below_the_number_of_units_and_larger_where_tanh_is_linear():
    found = run_capacity(units=8, radii=(0.8,), scales=(0.01, 2.0), lags=20, steps=60).numbers["capacity"]
    small, large = found["radius 0.8, inputs 0.01"], found["radius 0.8, inputs 2"]
    assert 1 < large < small <= 8.2  # estimated on few sequences


def test_states_that_are_a_function_of_the_last_symbols_are_explained_by_them_and_random_ones_are_not():
    rng = np.random.default_rng(0)
    symbols = rng.integers(0, 4, (2, 3000))
    codes = rng.normal(size=(4, 5))
    assert explained_by(codes[symbols[1]], symbols[1:]) == pytest.approx(1)
    both = codes[symbols[1]] + codes[symbols[0]]
    assert explained_by(both, symbols[1:]) == pytest.approx(0.5, abs=0.05)
    assert explained_by(both, symbols) == pytest.approx(1)
    assert abs(explained_by(rng.normal(size=(3000, 5)), symbols)) < 0.02


def test_what_contracts_is_more_markovian_than_what_keeps_everything():
    shares = run_markovian(networks=("esn", "urnn"), units=20, suffix=3, count=600).numbers
    esn, urnn = shares["share of the variance that the last k symbols explain"].values()
    assert esn == sorted(esn) and esn[-1] > 0.9 and urnn[-1] < 0.3


def test_the_line_goes_from_the_first_weights_to_the_last():
    settings = {"task": "copy", "task_options": {"delay": 3, "length": 2}, "cell": "elman", "hidden": 8}
    settings = Settings(**settings, updates=30, lr=0.01, threads=1)
    line = np.linspace(-0.5, 1.5, 5)
    losses, way = interpolation.along(settings, line)
    trainer = Trainer(settings, folder=None)
    assert losses[1] == pytest.approx(trainer.test()["test_loss"], rel=0.05)
    first = {name: value.copy() for name, value in trainer.model.params.items()}
    for _ in range(30):
        trainer.update()
    assert losses[3] == pytest.approx(trainer.test()["test_loss"], rel=0.05) and losses[3] < losses[1]
    moved = sum(((value - first[name]) ** 2).sum() for name, value in trainer.model.params.items())
    assert way == pytest.approx(np.sqrt(moved), rel=1e-4)


def test_drawings_show_as_many_words_as_asked_for():
    result = diagrams.run(words=3)
    texts = {text.get_text() for axes in result.figure.axes for text in axes.texts}
    assert {"$x_{3}$", "$y_{3}$", "$s_{3}$"} <= texts and "$x_{4}$" not in texts
    assert result.numbers["steps from the first word read to the last one written"] == 5
    with pytest.raises(ValueError, match="words must be at least 2"):
        diagrams.run(words=1)
