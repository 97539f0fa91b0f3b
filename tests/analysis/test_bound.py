"""The gradient bound of orthogonal networks: that it holds, that it does not help against vanishing, where it ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.bound import (
    derivative_norms,
    gradient_bound,
    inputs_that_hold,
    parameter_gradients,
    power,
    tangential_gain,
)
from tinyrnn.analysis.credit import directions
from tinyrnn.analysis.jacobians import step_jacobian
from tinyrnn.cells import CELLS
from tinyrnn.init.distributions import random_orthogonal

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes


def orthogonal(n, seed, activation="relu"):
    cell = tr.Elman(3, n, activation=activation, rng=seed)
    cell.params["W_h"][...] = random_orthogonal(n, rng=seed)
    return cell


def inputs(T, B, n=3, seed=0):
    return np.random.default_rng(seed).normal(size=(T, B, n))


def free_urnn(n, b, seed=0):
    """A uRNN whose input is added to z as it is."""
    cell = tr.UnitaryRNN(2 * n, n, rng=seed)
    cell.params["V"][...] = np.eye(2 * n)
    cell.params["b"][...] = b
    return cell


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["relu", "tanh", "elu", "identity"]))
def test_no_gradient_grows_on_its_way_back_through_an_orthogonal_network(seed, activation):
    cell = orthogonal(8, seed, activation)
    found = gradient_bound(cell, inputs(12, 3, seed=seed), directions(1, 3, 8, seed)[0])
    slack = 1 + 1e-12
    assert (found.norms[:-1] <= slack * found.norms[1:]).all()
    assert (found.norms <= slack * found.bounds).all() and (found.bounds <= slack * found.norms[-1]).all()
    assert found.norms[-1] == pytest.approx(1)


def test_no_explosion_is_not_no_vanishing():
    n, T = 128, 20
    cell, x = orthogonal(n, 0), inputs(T, 16)
    found = gradient_bound(cell, x, directions(1, 16, n)[0])
    assert (cell.forward(x)[0] > 0).mean() == pytest.approx(0.5, abs=0.05)  # half the units are off
    assert (found.gains == 1).all() and found.bounds == pytest.approx(1)  # so the bound says nothing
    assert 4e-4 < found.norms[0].mean() < 2.5e-3  # 2^-10 if the halves were drawn anew at every step


def test_factors_are_the_norms_of_the_steps_where_w_is_not_orthogonal_either():
    cell = tr.Elman(3, 5, rng=0)
    cell.params["W_h"] *= 2
    x = inputs(6, 2)
    found = gradient_bound(cell, x, directions(1, 2, 5)[0])
    h, _ = cell.forward(x)
    factors = (1 - h**2).max(axis=-1) * np.linalg.norm(cell.params["W_h"], 2)
    np.testing.assert_allclose(found.bounds[:-1] / found.bounds[1:], factors, rtol=1e-12)
    assert (found.norms <= found.bounds * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", ["urnn", "urnn-full", "eurnn", "kronecker"])
def test_modrelu_without_bias_passes_gradients_on_as_they_are(name):
    cls, options = CELLS[name]
    cell = cls(3, 6, rng=0, **options)
    found = gradient_bound(cell, inputs(30, 2), directions(1, 2, 12)[0])
    np.testing.assert_allclose(found.norms, 1, rtol=1e-12)
    np.testing.assert_allclose(found.gains, 1, rtol=1e-12)


@pytest.mark.parametrize("b, lowest, highest", [(-0.1, 1e-3, 0.5), (0.5, 5, 500)])
def test_modrelu_with_a_bias_shrinks_or_stretches_them_on_random_inputs(b, lowest, highest):
    cell = tr.UnitaryRNN(3, 32, rng=0)
    cell.params["b"][...] = b
    found = gradient_bound(cell, inputs(20, 8), directions(1, 8, 64)[0])
    assert lowest < found.norms[0].mean() < highest
    assert (found.norms <= found.bounds * (1 + 1e-12)).all()
    assert (found.bounds[0] > 1).all() == (b > 0)


def test_modrelu_stretches_sixfold_across_a_small_z():
    assert tangential_gain(0.1, 0.5) == pytest.approx(6)
    assert tangential_gain([0.1, 1.0, 0.2], [-0.05, 0, -0.3]).tolist() == pytest.approx([0.5, 1, 0])
    n = 4
    cell = free_urnn(n, 0.5)
    z = np.concatenate([np.full((1, n), 0.1), np.zeros((1, n))], axis=1)  # |z| = 0.1 from the input alone
    J = step_jacobian(cell, z, (np.zeros((1, 2 * n)),))
    np.testing.assert_allclose(np.linalg.svd(J, compute_uv=False), [6] * n + [1] * n, rtol=1e-12)


def test_inputs_that_hold_z_small_make_the_gradient_explode():
    n, T = 16, 20
    cell = free_urnn(n, 0.5)
    x = inputs_that_hold(cell, T, 0.1)
    h, tape = cell.forward(x)
    np.testing.assert_allclose(np.hypot(h[..., :n], h[..., n:]), 0.6, rtol=1e-9)  # |z| + b
    np.testing.assert_allclose(derivative_norms(cell, tape), 6, rtol=1e-9)
    found = gradient_bound(cell, x, directions(1, 1, 2 * n)[0])
    assert 1e10 < found.norms[0, 0] < 6.0**T  # about ((1 + 36) / 2)^10 = 5e12, for half the directions are stretched
    np.testing.assert_allclose(found.bounds[0], 6.0**T, rtol=1e-8)


def test_equal_inputs_that_add_up_reach_the_quadratic_growth():
    cell = tr.IRNN(3, 5, rng=0)
    cell.params["W_x"][...] = np.abs(cell.params["W_x"])
    lengths = [1, 2, 5, 40, 80]
    found = parameter_gradients(cell, np.ones((80, 2, 3)), directions(1, 2, 5)[0], lengths, ("W_h",))
    np.testing.assert_allclose(found / found[1], [T * (T - 1) / 2 for T in lengths], rtol=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_no_input_makes_the_parameters_gradient_grow_faster(seed):
    n, T, rng = 6, 25, np.random.default_rng(seed)
    cell, x = orthogonal(n, seed, "identity"), rng.normal(size=(T, 1, 3))
    found = parameter_gradients(cell, x, directions(1, 1, n, rng)[0], range(1, T + 1), ("W_h",))
    largest = np.linalg.norm(x @ cell.params["W_x"], axis=-1).max()
    lengths = np.arange(1, T + 1)
    assert (found <= largest * lengths * (lengths - 1) / 2 * (1 + 1e-12) + 1e-12).all()


def test_parameters_are_taken_together():
    cell, x, upstream = tr.LSTM(3, 4, rng=0), inputs(6, 2), directions(1, 2, 4)[0]
    alone = [parameter_gradients(cell, x, upstream, [6], (name,))[0] for name in ("W_h", "b")]
    assert parameter_gradients(cell, x, upstream, [6], ("W_h", "b"))[0] == pytest.approx(np.hypot(*alone))
    _, tape = cell.forward(x)
    back = cell.backward(None, tape, (upstream, None))
    assert alone[0] == pytest.approx(np.linalg.norm(back.params["W_h"]))


def test_the_exponent_of_a_power_law_is_found():
    lengths = np.array([3, 10, 50])
    assert power(lengths, 7 * lengths**1.5) == pytest.approx(1.5)


def test_cells_without_such_a_bound_are_refused_in_one_line():
    with pytest.raises(ValueError, match="LSTM: the bound is for Elman cells and those with modReLU"):
        gradient_bound(tr.LSTM(3, 4, rng=0), inputs(5, 2), np.ones((2, 4)))
    with pytest.raises(ValueError, match="needs a square V and biases above 0"):
        inputs_that_hold(tr.UnitaryRNN(3, 4, rng=0), 5, 0.1)
    with pytest.raises(ValueError, match="least bias 0"):
        inputs_that_hold(free_urnn(3, 0.0), 5, 0.1)
