"""What correlations say about which addends an output knows, against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.analysis.outputs import addends, expected, remembered
from tinyrnn.tasks import Adding
from tinyrnn.tasks.adding import adding_baseline

# all pairs of 60 numbers spread evenly over [0, 1]: nothing about one addend is known from the other, to the last bit
GRID = (np.arange(60) + 0.5) / 60
PAIRS = np.array(np.meshgrid(GRID, GRID)).reshape(2, -1).T
ROOT = np.sqrt(0.5)


@pytest.mark.parametrize(
    ("weights", "constant", "kept", "rho", "count"),
    [
        ((1, 0), 0.5, "the first", (1, 0), 1),
        ((0, 1), 0.5, "the second", (0, 1), 1),
        ((1, 1), 0.0, "both", (ROOT, ROOT), 2),
    ],
)
def test_the_ideal_networks_are_told_apart_and_have_their_baseline(weights, constant, kept, rho, count):
    found = remembered(PAIRS @ weights + constant, PAIRS)
    np.testing.assert_allclose(found.rho, rho, atol=1e-12)
    np.testing.assert_allclose(found.weights, weights, atol=1e-12)
    np.testing.assert_allclose(expected(weights), rho, atol=1e-15)
    assert found.kept == kept and found.explained == pytest.approx(1)
    assert found.loss == pytest.approx(adding_baseline(count), rel=1e-3)  # of a grid of 60, 1 - 1/60² of it


def test_always_one_has_no_correlation_the_loss_one_sixth_and_remembers_neither():
    found = remembered(np.ones(len(PAIRS)), PAIRS)
    assert np.isnan(found.rho).all() and np.isnan(found.explained)
    assert found.kept == "neither addend"
    assert found.loss == pytest.approx(1 / 6, rel=1e-3)
    with pytest.raises(ValueError, match="constant"):
        expected((0, 0))


def test_correlation_is_blind_to_scale_but_the_weights_and_the_loss_are_not():
    found = remembered(1 + PAIRS.sum(axis=1) / 1000, PAIRS)
    np.testing.assert_allclose(found.rho, ROOT, rtol=1e-9)
    np.testing.assert_allclose(found.weights, 1e-3, rtol=1e-9)
    assert found.loss == pytest.approx(1 / 6, rel=5e-3)


def test_an_output_that_hardly_moves_is_judged_without_a_warning():
    found = remembered(1 + 1e-14 * PAIRS[:, 0], PAIRS)
    assert np.isnan(found.rho).all()
    assert remembered(1 + 1e-11 * PAIRS[:, 0], PAIRS).kept == "the first"


@given(st.tuples(*[st.floats(-2, 2)] * 2), st.floats(0.05, 2), st.integers(0, 1000))
def test_the_closed_form_holds_with_noise(weights, noise, seed):
    """The noise is made uncorrelated with the addends, so that what is left is rounding and the grid."""
    epsilon = np.random.default_rng(seed).normal(size=len(PAIRS))
    design = np.column_stack([PAIRS, np.ones(len(PAIRS))])
    epsilon -= design @ np.linalg.lstsq(design, epsilon)[0]
    epsilon *= noise / epsilon.std()
    found = remembered(PAIRS @ weights + epsilon, PAIRS)
    np.testing.assert_allclose(found.rho, expected(weights, noise), atol=1e-3)
    np.testing.assert_allclose(found.weights, weights, atol=1e-9)
    assert found.explained == pytest.approx(sum(r**2 for r in found.rho), abs=1e-9)


def test_the_published_correlation_belongs_to_the_plateau_at_one_twelfth():
    """ρ = 0.991 with one addend, and noise, is a loss of 0.085; the figure's plateau is between 0.083 and 0.09."""
    noise = np.sqrt((0.991**-2 - 1) / 12)
    assert expected((1, 0), noise)[0] == pytest.approx(0.991, abs=1e-12)
    loss = adding_baseline(1) + noise**2
    assert loss == pytest.approx(0.08485, abs=1e-5) and 0.083 < loss < 0.09


@pytest.mark.parametrize("channels", ["value-mark", "mark-value"])
@pytest.mark.parametrize("marks", ["halves", "anywhere"])
def test_addends_come_in_the_order_of_time_and_sum_to_the_target(channels, marks):
    task = Adding(steps=9, channels=channels, marks=marks)
    x, target, _ = task.sample(3, 50, "float64")
    parts = addends(task, x)
    np.testing.assert_allclose(parts.sum(axis=1), target[:, 0], rtol=1e-15)
    value, mark = (0, 1) if channels == "value-mark" else (1, 0)
    first = x[..., mark].argmax(axis=0)
    np.testing.assert_array_equal(parts[:, 0], x[first, np.arange(50), value])


def test_what_does_not_fit_is_refused():
    x, _, _ = Adding(steps=9).sample(0, 4)
    x[..., 1] = 0
    with pytest.raises(ValueError, match="two marks"):
        addends(Adding(steps=9), x)
    with pytest.raises(ValueError, match="at least 3"):
        remembered(np.ones(2), np.ones((2, 2)))
    with pytest.raises(ValueError, match="two addends"):
        remembered(np.ones(5), np.ones((5, 3)))
