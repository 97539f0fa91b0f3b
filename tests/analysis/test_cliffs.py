"""Losses along a weight, and gradient descent at a cliff: gradients against numerical ones, and what clipping does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis import cliffs


def leaky(params, x, state):
    h = 0.5 * state[0] + np.tanh(x @ params["W"] + state[0] @ params["W_h"])
    return (h,), (x, state[0], np.tanh(x @ params["W"] + state[0] @ params["W_h"]))


def leaky_backward(params, cache, dstate):
    x, h_prev, y = cache
    da = dstate[0] * (1 - y * y)
    return da @ params["W"].T, (0.5 * dstate[0] + da @ params["W_h"].T,), {"W": x.T @ da, "W_h": h_prev.T @ da}


def of_a_student():
    params = {"W": np.ones((1, 1)), "W_h": np.ones((1, 1))}
    return tr.StepCell(leaky, leaky_backward, params=params, input_size=1, state_sizes=1)


# one weight -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [cliffs.unit, lambda: tr.GRU(1, 1, rng=0), of_a_student], ids=["unit", "gru", "own"])
def test_the_gradient_along_a_weight_is_that_of_the_mean_loss(make):
    x, target = cliffs.first_sign(3, 7, steps=6)
    near = 0.8 + 1e-5 * np.arange(-1, 2)
    sweep = cliffs.sweep(make(), x, target, near)
    assert sweep.losses.shape == (3, 7)
    slope = (sweep.losses[2] - sweep.losses[0]).mean() / 2e-5
    assert sweep.gradients[1] == pytest.approx(slope, rel=1e-6)


def test_the_gradient_of_the_mean_is_the_mean_of_the_examples_gradients():
    x, target = cliffs.first_sign(0, 5)
    values = np.linspace(0, 3, 7)
    together = cliffs.sweep(cliffs.unit(), x, target, values)
    alone = [cliffs.sweep(cliffs.unit(), x[:, k : k + 1], target[k : k + 1], values) for k in range(5)]
    np.testing.assert_allclose(np.concatenate([each.losses for each in alone], axis=1), together.losses, rtol=1e-9)
    np.testing.assert_allclose(np.mean([each.gradients for each in alone], axis=0), together.gradients, rtol=1e-9)


def test_the_cell_keeps_its_weights_and_any_of_them_can_be_moved():
    cell = tr.Elman(1, 3, rng=0)
    before = {name: value.copy() for name, value in cell.params.items()}
    x = np.random.default_rng(0).normal(size=(4, 2, 1))
    sweep = cliffs.sweep(cell, x, np.zeros((2, 3)), (-1.0, 0.0, 1.0), "b", 2)
    assert np.ptp(sweep.losses, axis=0).min() > 0.01
    for name, value in before.items():
        np.testing.assert_array_equal(cell.params[name], value)


def test_an_example_has_cliffs_where_the_mean_has_none():
    x, target = cliffs.first_sign(0, 400)
    values = np.linspace(1, 2.5, 61)
    losses = cliffs.sweep(cliffs.unit(), x, target, values).losses
    jumps = abs(np.diff(losses, axis=0))
    assert np.quantile(jumps.max(axis=0), 0.6) > 2  # of 4 at most
    assert abs(np.diff(losses.mean(axis=1))).max() < 0.15


def test_halving_finds_the_face_of_a_cliff_that_a_grid_steps_over():
    x, target = cliffs.first_sign(0, 6)
    x, target, values = x[:, 5:], target[5:], np.linspace(1.85, 1.95, 11)
    sweep = cliffs.sweep(cliffs.unit(), x, target, values)
    w, gradient = cliffs.steepest(cliffs.unit(), x, target, 1.85, 1.95)
    assert abs(np.diff(sweep.losses[:, 0])).max() > 3.5
    assert abs(sweep.gradients).max() < 5
    assert abs(gradient) > 1e4 and 1.85 < w < 1.95
    assert cliffs.sweep(cliffs.unit(), x, target, (w,)).gradients[0] == gradient


def test_more_examples_do_not_change_the_first():
    for few, many in zip(cliffs.first_sign(1, 3), cliffs.first_sign(1, 9), strict=True):
        np.testing.assert_array_equal(few, many[:, :3] if many.ndim == 3 else many[:3])


def test_what_is_to_be_remembered_is_the_first_input():
    x, target = cliffs.first_sign(0, 300, steps=20, noise=0.25)
    np.testing.assert_array_equal(x[0], target)
    assert set(target[:, 0]) == {-1.0, 1.0}
    assert x[1:].std() == pytest.approx(0.25, rel=0.05)


# two weights ------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.floats(0, 8), st.floats(-4, 1), st.integers(1, 60))
def test_the_networks_loss_and_gradient_are_those_of_the_surface(w, b, steps):
    loss, grads = cliffs.loss_and_gradient(w, b, steps)
    assert loss == pytest.approx(float(cliffs.surface(w, b, steps)), rel=1e-6, abs=1e-12)
    eps = 1e-30

    def loss_at(w, b):  # the formula of the paper, which complex numbers may enter
        x = 0.5
        for _ in range(steps):
            x = w / (1 + np.exp(-x)) + b
        return (1 / (1 + np.exp(-x)) - 0.7) ** 2

    assert loss_at(w, b) == pytest.approx(loss, rel=1e-6, abs=1e-12)
    for name, point in {"w": (w + 1j * eps, b), "b": (w, b + 1j * eps)}.items():
        assert float(grads[name]) == pytest.approx(loss_at(*point).imag / eps, rel=1e-4, abs=1e-9)


def test_clipped_steps_are_as_long_as_the_limit_allows_and_point_down_the_same_way():
    start = (4.9, -2.55)
    free, held = (cliffs.descend(start, 0.5, 1, limit) for limit in (None, 1e-3))
    step, short = (np.diff(d.points, axis=0)[0] for d in (free, held))
    assert np.linalg.norm(short) == pytest.approx(0.5e-3)
    np.testing.assert_allclose(short / np.linalg.norm(short), step / np.linalg.norm(step), rtol=1e-12)
    assert free.norms == held.norms == pytest.approx(np.linalg.norm(step) / 0.5)


def test_without_clipping_one_step_from_the_cliff_leaves_the_valley_for_good():
    free, held = (cliffs.descend((5.5, -2.0), 0.5, 60, limit) for limit in (None, 0.05))
    assert free.norms.max() > 100 and np.linalg.norm(np.diff(free.points, axis=0), axis=1).max() > 50
    assert free.losses[-1] == pytest.approx(0.09) and free.norms[-1] < 1e-12  # σ = 1, and no way back
    assert np.linalg.norm(np.diff(held.points, axis=0), axis=1).max() <= 0.5 * 0.05 * (1 + 1e-12)
    assert held.losses.min() < 0.01 and (abs(held.points - (5, -2.3)) < 0.8).all()


def test_a_limit_that_is_never_reached_changes_nothing():
    free, held = (cliffs.descend((4.0, -1.0), 0.1, 5, limit) for limit in (None, 100.0))
    np.testing.assert_array_equal(free.points, held.points)


@pytest.mark.parametrize(
    "rate, limit, message",
    [(0, 1, "learning rate must be positive, got 0"), (1, -1, "clipping limit must be positive")],
)
def test_rates_and_limits_must_be_positive(rate, limit, message):
    with pytest.raises(ValueError, match=message):
        cliffs.descend((1, 1), rate, 1, limit)
