"""The gate table and the pass-through of gradients, on the real LSTM."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis import gates
from tinyrnn.core.ops import sigmoid

VALUES = (0.5, -0.3, 0.8)


@pytest.mark.parametrize(
    "i, f, behaviour, memory",
    [
        (0, 1, "remember", [0.7, 0.7, 0.7, 0.7]),
        (1, 1, "add", [0.7, 1.2, 0.9, 1.7]),
        (0, 0, "erase", [0.7, 0, 0, 0]),
        (1, 0, "overwrite", [0.7, 0.5, -0.3, 0.8]),
    ],
)
def test_the_four_rows_of_the_table(i, f, behaviour, memory):
    run = gates.run_gates(i, f, VALUES, start=0.7)
    assert gates.BEHAVIOURS[i, f] == behaviour
    np.testing.assert_allclose(run.c, memory, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.expected, memory, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.g, VALUES, rtol=0, atol=1e-15)


@given(
    st.sampled_from(list(gates.BEHAVIOURS)),
    st.lists(st.floats(-0.99, 0.99), min_size=1, max_size=20),
    st.floats(-100, 100),
)
def test_the_words_of_the_table_predict_the_lstm(setting, values, start):
    run = gates.run_gates(*setting, values, start)
    np.testing.assert_allclose(run.c, run.expected, rtol=0, atol=1e-12)


def test_gates_that_are_not_saturated_leak():
    run = gates.run_gates(0, 1, VALUES, start=0.7, bias=3.0)
    assert abs(run.c - run.expected).max() > 0.01


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: gates.run_gates(0, 1, [0.5, 1.0]), "between -1 and 1"),
        (lambda: gates.run_gates(0, 1, []), "between -1 and 1"),
        (lambda: gates.set_gates(tr.LSTM(1, 1), 5, g=1), "set to 0 or 1, got g = 1"),
        (lambda: gates.set_gates(tr.LSTM(1, 1), 5, i=2), "set to 0 or 1, got i = 2"),
        (lambda: gates.set_gates(tr.LSTM(1, 1), 0, i=1), "must be positive, got 0"),
        (lambda: gates.passed_through(tr.LSTM(1, 1), np.zeros((3, 2, 1))), r"needed, got shape \(3, 2, 1\)"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# pass-through -----------------------------------------------------------------------------------------------------


def passing(bias, steps=50, weights=1.0):
    """∂c_T/∂c_t of a random LSTM with f open, i and o shut."""
    rng = np.random.default_rng(0)
    cell = tr.LSTM(3, 6, rng=1)
    for name in ("W_x", "W_h"):
        cell.params[name] *= weights
    state = rng.normal(size=(1, 6)), rng.normal(size=(1, 6))
    return gates.passed_through(gates.set_gates(cell, bias, i=0, f=1, o=0), rng.normal(size=(steps, 1, 3)), state)


def test_with_saturated_gates_fifty_steps_pass_the_gradient_through_to_the_last_bit():
    J = passing(bias=45)
    assert J.shape == (51, 6, 6)
    np.testing.assert_array_equal(J, np.broadcast_to(np.eye(6), J.shape))


def test_the_identity_is_approached_as_the_bias_grows():
    distances = [abs(passing(bias)[0] - np.eye(6)).max() for bias in (5, 15, 27, 36)]
    for bias, distance in zip((5, 15, 27, 36), distances, strict=True):
        assert 0.3 < distance / (50 * np.exp(-bias)) < 10
    assert distances[2] < 1e-9


@given(st.floats(0, 30), st.integers(1, 60))
def test_without_weights_the_jacobian_is_the_forget_gate_to_the_power_t(bias, steps):
    J = passing(max(bias, 1e-3), steps, weights=0.0)
    expected = (1 / (1 + np.exp(-max(bias, 1e-3)))) ** np.arange(steps, -1, -1)
    np.testing.assert_allclose(J, expected[:, None, None] * np.eye(6), rtol=1e-12, atol=0)


def test_the_jacobian_is_the_derivative_of_the_forward_pass():
    cell, x = tr.LSTM(2, 3, rng=0), np.random.default_rng(1).normal(size=(4, 1, 2))
    h0, c0 = np.random.default_rng(2).normal(size=(2, 1, 3))
    J = gates.passed_through(cell, x, (h0, c0))[0]
    for k in range(3):
        _, tape = cell.forward(x, state=(h0, c0 + 1e-30j * np.eye(3)[k]))
        np.testing.assert_allclose(J[:, k], tape["c"][-1, 0].imag / 1e-30, rtol=1e-12)


def test_a_float64_sigmoid_is_one_from_37_and_zero_from_39():
    assert sigmoid(np.array(36.0)) < 1 == sigmoid(np.array(37.5))
    assert sigmoid(np.array(-37.0)) > 0 == sigmoid(np.array(-38.5))
