"""Jacobians through time: against the complex step, for every cell; and the growth rates of known matrices."""

import numpy as np
import pytest
from contract import Case
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.jacobians import (
    jacobians_through_time,
    lyapunov_exponents,
    products,
    singular_values,
    state_slices,
    step_jacobian,
    step_jacobians,
)
from tinyrnn.cells import CELLS

H = 1e-20


def probe(case, T=4):
    """(network, x, initial state) with nothing at zero."""
    network, rng = case.network(), case.rng
    state = tuple(rng.normal(size=(1, n)) for n in network.state_sizes)
    return network, rng.normal(size=(T, 1, network.input_size)), state


def run_on(network, x, state):
    """The whole state after x, side by side, (B, n)."""
    return np.concatenate(network.forward(x, state)[1].state, axis=1)


def by_complex_step(network, x, state):
    """ds_T / ds_0, column j by moving entry j of the initial state: (n, n)."""
    s, ends = np.concatenate(state, axis=1), np.cumsum(network.state_sizes)[:-1]
    moved = s + 1j * H * np.eye(s.shape[1])
    return run_on(network, np.repeat(x, len(moved), axis=1), tuple(np.split(moved, ends, axis=1))).imag.T / H


def linear(W):
    """h_t = W h_{t-1}, with W acting on columns as on paper."""
    cell = tr.Elman(1, len(W), activation="identity", rng=0)
    cell.params["W_h"][...] = np.transpose(W)
    return cell


@pytest.mark.parametrize("case", [Case(name) for name in CELLS], ids=str)
def test_a_step_jacobian_is_the_derivative_of_the_whole_state(case):
    network, x, state = probe(case, T=1)
    wanted = by_complex_step(network, x, state)
    np.testing.assert_allclose(step_jacobian(network, x[0], state), wanted, rtol=1e-11, atol=1e-13)
    assert np.abs(wanted).max() > 1e-3


@pytest.mark.parametrize(
    "case",
    [Case(name) for name in CELLS] + [Case(name, "stacked") for name in ("elman", "lstm", "qrnn", "urnn")],
    ids=str,
)
def test_jacobians_through_time_are_the_derivatives_of_the_last_state(case):
    network, x, state = probe(case)
    found = jacobians_through_time(network, x, state)
    assert len(found) == len(x) + 1
    for t in range(len(x)):
        here = network.forward(x[:t], state)[1].state if t else state
        np.testing.assert_allclose(found[t], by_complex_step(network, x[t:], here), rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(found[-1], np.eye(sum(network.state_sizes)))


@pytest.mark.parametrize("name", ["gru", "lmn-multiscale", "qrnn-ifo"])
def test_they_are_the_products_of_the_step_jacobians(name):
    network, x, state = probe(Case(name))
    steps = step_jacobians(network, x, state)
    np.testing.assert_allclose(products(steps), jacobians_through_time(network, x, state), rtol=1e-11, atol=1e-14)


def test_steps_are_taken_in_pieces_where_there_are_many(monkeypatch):
    network, x, state = probe(Case("lstm"), T=7)
    whole = step_jacobians(network, x, state)
    monkeypatch.setattr("tinyrnn.analysis.jacobians.ROWS", 3 * 8)  # three steps of 8 numbers
    np.testing.assert_allclose(step_jacobians(network, x, state), whole, rtol=1e-12)


def test_a_students_own_cell_is_looked_into_like_any_other():
    def step(p, x, state):
        h = np.tanh(x @ p["V"] + state[0] @ p["W"])
        return (h,), (x, state[0], h)

    def step_backward(p, cache, dstate):
        x, h_prev, h = cache
        da = dstate[0] * (1 - h * h)
        return da @ p["V"].T, (da @ p["W"].T,), {"V": x.T @ da, "W": h_prev.T @ da}

    rng = np.random.default_rng(0)
    params = {"V": rng.normal(size=(2, 3)), "W": rng.normal(size=(3, 3))}
    own = tr.StepCell(step, step_backward, params=params, input_size=2, state_sizes=3)
    ours = tr.Elman(2, 3, rng=0)
    ours.params["W_x"][...], ours.params["W_h"][...] = params["V"], params["W"]
    x = rng.normal(size=(5, 1, 2))
    for look in (jacobians_through_time, step_jacobians):
        np.testing.assert_allclose(look(own, x), look(ours, x), rtol=1e-13)


def test_they_begin_at_the_learned_initial_state_and_read_class_numbers():
    cell = tr.UnitaryRNN(4, 3, rng=0)
    cell.params["b"][...] = 0.2  # so that the state matters
    numbers = np.array([[1], [3], [0]])
    one_hot = np.eye(4)[numbers]
    state = (cell.params["h_0"][None],)
    np.testing.assert_array_equal(jacobians_through_time(cell, numbers), jacobians_through_time(cell, one_hot, state))
    np.testing.assert_array_equal(step_jacobians(cell, numbers), step_jacobians(cell, one_hot, state))


@pytest.mark.parametrize("w, wanted", [(1.1, 106.72), (0.9, 0.005726), (1.0, 1.0)])
def test_fifty_steps_of_one_linear_unit_have_the_power_of_49_between_first_and_last(w, wanted):
    found = jacobians_through_time(linear([[w]]), np.zeros((50, 1, 1)))
    assert found[1, 0, 0] == pytest.approx(w**49, rel=1e-12)
    assert found[1, 0, 0] == pytest.approx(wanted, rel=1e-4)
    assert found[0, 0, 0] == pytest.approx(w**50, rel=1e-12)


def test_a_spectral_radius_below_one_does_not_keep_a_power_small():
    W = np.array([[0.5, 100], [0, 0.5]])
    found = jacobians_through_time(linear(W), np.zeros((5, 1, 1)))[0]
    np.testing.assert_allclose(found, np.linalg.matrix_power(W, 5), rtol=1e-13)
    assert np.linalg.norm(found, 2) == pytest.approx(31.25, rel=1e-3)
    assert np.abs(np.linalg.eigvals(W)).max() == 0.5


def test_an_lstm_that_keeps_everything_passes_the_gradient_of_c_on_unchanged():
    cell, rng = tr.LSTM(2, 4, rng=0), np.random.default_rng(0)
    for gate, bias in (("i", -40), ("f", 40), ("o", -40)):
        k = cell.gates.index(gate)
        cell.params["b"][4 * k : 4 * k + 4] = bias
    c = state_slices(cell)["c"]
    found = jacobians_through_time(cell, rng.normal(size=(50, 1, 2)), tuple(rng.normal(size=(2, 1, 4))))
    assert np.abs(found[0][c, c] - np.eye(4)).max() < 8e-11


@pytest.mark.parametrize("name", ["urnn", "urnn-full", "urnn-naive", "eurnn", "kronecker", "lt-ornn"])
def test_unitary_transitions_keep_every_direction(name):
    cls, options = CELLS[name]
    cell = cls(2, 6, rng=1, **options)
    x = np.random.default_rng(0).normal(size=(30, 1, 2))
    np.testing.assert_allclose(singular_values(jacobians_through_time(cell, x)), 1, rtol=1e-12)
    np.testing.assert_allclose(lyapunov_exponents(step_jacobians(cell, x)), 0, atol=1e-13)


def test_exponents_of_a_matrix_that_stretches_along_the_axes_are_logarithms():
    steps = np.broadcast_to(np.diag([0.001, -2.0, 0.5]), (400, 3, 3))
    np.testing.assert_allclose(lyapunov_exponents(steps), np.log([2, 0.5, 0.001]), rtol=1e-12)


def test_exponents_tend_to_the_logarithms_of_the_eigenvalues_moduli():
    W = np.array([[0.5, 0], [100, 0.5]])
    found = [lyapunov_exponents(np.broadcast_to(W, (T, 2, 2)))[0] for T in (10, 100, 1000)]
    assert found[0] > found[1] > found[2] > np.log(0.5)
    assert found[2] == pytest.approx(np.log(0.5), abs=0.02)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5))
def test_exponents_add_up_to_the_growth_of_volumes(seed, T, n):
    steps = np.random.default_rng(seed).normal(size=(T, n, n))
    _, logs = np.linalg.slogdet(steps)
    assert lyapunov_exponents(steps).sum() == pytest.approx(logs.mean(), rel=1e-8, abs=1e-8)


def test_a_direction_that_is_forgotten_at_once_has_no_growth_at_all():
    assert lyapunov_exponents(np.array([[[1.0, 0.0], [0.0, 0.0]]])).tolist() == [0, -np.inf]


def test_the_parts_of_the_state_are_side_by_side_in_the_order_of_the_layers():
    stack = tr.Stack(tr.LSTM(2, 3, rng=0), tr.GRU(3, 4, rng=0))
    assert state_slices(stack) == {"0.h": slice(0, 3), "0.c": slice(3, 6), "1.h": slice(6, 10)}


def test_nothing_that_goes_in_is_modified():
    network, x, state = probe(Case("lstm"))
    before = [a.copy() for a in (x, *state, *network.params.values())]
    jacobians_through_time(network, x, state)
    step_jacobians(network, x, state)
    for now, then in zip((x, *state, *network.params.values()), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_float32_stays_float32():
    cell = tr.GRU(2, 3, rng=0, dtype="float32")
    x = np.ones((3, 1, 2), "float32")
    assert jacobians_through_time(cell, x).dtype == step_jacobians(cell, x).dtype == np.float32


@pytest.mark.parametrize("look", [jacobians_through_time, step_jacobians])
def test_what_has_no_one_jacobian_is_refused_in_one_line(look):
    both = tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.GRU(2, 3, rng=1))
    x = np.zeros((4, 1, 2))
    with pytest.raises(ValueError, match="does not run forward in time"):
        look(both, x)
    with pytest.raises(ValueError, match="does not run forward in time"):
        look(tr.Stack(both, tr.GRU(6, 2, rng=0)), x)
    with pytest.raises(ValueError, match=r"one sequence, x \(T, 1, …\); got \(4, 2, 2\)"):
        look(tr.GRU(2, 3, rng=0), np.zeros((4, 2, 2)))
