"""A chain of single units: the hand recursion, the formula and the network's backward pass say the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.analysis import univariate
from tinyrnn.analysis.maps import iterate, tanh_unit


def three_ways(w, h1, steps, activation):
    """∂h_T/∂h_1 by the recursion, by the formula, and by the network."""
    _, slopes = univariate.forward(w, h1, steps, activation)
    recursion, formula = univariate.backward(w, slopes)[0], univariate.jacobian(w, slopes)
    return recursion, formula, univariate.by_the_network(w, h1, steps, activation)[1][0]


@pytest.mark.parametrize("w, right, printed", [(1.1, 106.72, 117.39), (0.9, 0.005726, 0.005154)])
def test_after_fifty_steps_a_linear_unit_has_w_to_the_49_and_the_lecture_w_to_the_50(w, right, printed):
    for jacobian in three_ways(w, 0.3, 50, "identity"):
        assert jacobian == pytest.approx(w**49, rel=1e-12)
        assert jacobian == pytest.approx(right, rel=1e-4)
    for jacobian in three_ways(w, 0.3, 51, "identity"):
        assert jacobian == pytest.approx(printed, rel=1e-4)


@given(st.floats(-3, 3), st.floats(-2, 2), st.integers(2, 30), st.sampled_from(["tanh", "elu", "identity"]))
def test_recursion_formula_and_network_agree(w, h1, steps, activation):
    recursion, formula, network = three_ways(w, h1, steps, activation)
    assert recursion == pytest.approx(formula, rel=1e-9, abs=1e-290)
    assert network == pytest.approx(formula, rel=1e-9, abs=1e-290)


@given(st.floats(-2, 2), st.floats(-2, 2), st.integers(1, 10))
def test_the_jacobian_is_the_derivative_of_the_iterated_function(w, h1, applied):
    step = iterate(tanh_unit(w).f, h1 + 1e-30j, applied)[-1]
    _, slopes = univariate.forward(w, h1, applied + 1)
    assert univariate.jacobian(w, slopes) == pytest.approx(step.imag / 1e-30, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("w, slope", [(1.5, 7.6), (2.0, 32), (2.5, 98)])
def test_five_steps_of_tanh_are_steep_at_zero_and_flat_elsewhere(w, slope):
    _, steep = univariate.by_the_network(w, [0.0], 6)
    assert steep == pytest.approx([w**5], rel=1e-12)
    assert steep == pytest.approx([slope], rel=0.01)
    value, flat = univariate.by_the_network(w, [-0.9, 0.5, 0.9], 6)
    assert (abs(value) > 0.84).all() and (flat < 0.08).all()


def test_one_step_with_w_15_is_within_014_of_the_identity():
    h = np.linspace(-1, 1, 2001)
    distance = abs(univariate.by_the_network(1.5, h, 2)[0] - h)
    # where w (1 - tanh²) = 1, which is where tanh² = 1/3
    closed = np.sqrt(1 / 3) - np.arctanh(np.sqrt(1 / 3)) / 1.5
    assert distance.max() == pytest.approx(closed, abs=1e-6)
    assert closed == pytest.approx(0.14, abs=0.005)


def test_the_gradient_vanishes_in_an_attractor_and_explodes_between_two():
    inside, edge = (three_ways(1.5, h1, 50, "tanh")[2] for h1 in (0.5, 1e-9))
    assert inside < 1e-15 and edge > 1e8


def test_backward_gives_the_gradient_at_every_step_and_scales_with_the_last():
    slopes = np.array([[0.5, 1.0], [2.0, 3.0]])
    np.testing.assert_array_equal(univariate.backward(2.0, slopes), [[4, 12], [4, 6], [1, 1]])
    np.testing.assert_array_equal(univariate.backward(2.0, slopes, 10.0), [[40, 120], [40, 60], [10, 10]])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: univariate.forward(1, 0, 0), "at least one time step"),
        (lambda: univariate.by_the_network(1, 0, 1), "at least two time steps"),
        (lambda: univariate.forward(1, 0, 3, "sine"), "unknown activation 'sine'"),
        (lambda: univariate.power_norms(np.zeros((2, 3)), [1]), r"square matrix is needed, got shape \(2, 3\)"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# matrices ---------------------------------------------------------------------------------------------------------


def test_powers_of_a_matrix_of_radius_one_half_may_grow_first():
    W = np.array([[0.5, 100], [0, 0.5]])
    norms, radius = univariate.power_norms(W, range(40))
    assert radius == 0.5
    assert norms[5] == pytest.approx(31, abs=0.5)
    for k in range(40):  # W^k = 2^-k [[1, 200 k], [0, 1]], whose singular values s and 1/s have s - 1/s = 200 k
        s = 100 * k + np.sqrt((100 * k) ** 2 + 1)
        assert norms[k] == pytest.approx(s / 2**k, rel=1e-12)
    assert norms.argmax() in (1, 2) and norms[-1] < 1e-7


def test_it_is_the_modulus_of_an_eigenvalue_that_counts():
    norms, radius = univariate.power_norms(np.diag([-1.1, 0.5]), [49])
    assert radius == pytest.approx(1.1)
    assert norms == pytest.approx([106.72], rel=1e-4)
