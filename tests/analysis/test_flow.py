"""Norms of gradients and states over time, against numbers worked out by hand or numerically."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.flow import gradient_norms, row_norms, state_norms
from tinyrnn.tasks import Adding, Copy

T, B = 12, 3


def adding_model(layers, at="last"):
    return tr.Model(layers, tr.Readout(layers.output_size, 1, rng=1), loss="squared_error", at=at)


def batch_of(size=B, steps=T):
    return Adding(steps=steps).sample(5, size, "float64")


def step_gradient(model, batch, t, b):
    """The derivative of sequence b's own loss with respect to every state after step t, by central differences."""
    x, target = batch.x[:, b : b + 1], batch.target[b : b + 1]
    before = model.layers.forward(x[: t + 1])[1].state

    def loss(state):
        y, _ = model.forward(x[t + 1 :], state)
        return ((y - target) ** 2).sum()

    gradients = []
    for k, part in enumerate(before):
        gradient, h = np.zeros(part.shape[1]), 1e-6
        for j in range(len(gradient)):
            values = []
            for sign in (1, -1):
                state = [s.copy() for s in before]
                state[k][0, j] += sign * h
                values.append(loss(tuple(state)))
            gradient[j] = (values[0] - values[1]) / (2 * h)
        gradients.append(gradient)
    return gradients


@pytest.mark.parametrize("cell", [tr.LSTM, tr.GRU, tr.UnitaryRNN])
def test_norms_are_those_of_numerical_gradients_of_every_state(cell):
    model, batch = adding_model(cell(2, 4, rng=0)), batch_of()
    norms = gradient_norms(model, batch)
    assert list(norms) == list(model.layers.states) and norms["h"].shape == (T, B)
    for t, b in ((0, 0), (5, 2), (T - 2, 1)):
        numerical = [np.linalg.norm(g) for g in step_gradient(model, batch, t, b)]
        np.testing.assert_allclose([n[t, b] for n in norms.values()], numerical, rtol=1e-6)


def test_the_last_steps_norm_is_twice_the_error_times_that_of_the_readouts_weights():
    model, batch = adding_model(tr.GRU(2, 4, rng=0)), batch_of()
    error = model.forward(batch.x)[0] - batch.target
    expected = 2 * abs(error[:, 0]) * np.linalg.norm(model.params["readout.W"])
    np.testing.assert_allclose(gradient_norms(model, batch)["h"][-1], expected, rtol=1e-12)


@pytest.mark.parametrize("layers", [tr.LinearRNN(2, 6, rng=0), tr.UnitaryRNN(2, 6, rng=0)])
def test_gradients_of_orthogonal_and_of_new_unitary_networks_keep_their_norm(layers):
    """modReLU with b = 0 is the identity, so that before training the unitary network is linear."""
    norms = gradient_norms(adding_model(layers), batch_of(steps=300))["h"]
    np.testing.assert_allclose(norms, norms[-1:].repeat(300, axis=0), rtol=1e-11)


def test_with_an_orthogonal_matrix_and_relu_no_gradient_grows_backwards_but_many_vanish():
    cell = tr.Elman(2, 32, activation="relu", rng=0)
    cell.params["W_h"][...] = tr.LinearRNN(2, 32, rng=0).params["V"]
    norms = gradient_norms(adding_model(cell), batch_of(steps=21))["h"]
    assert (np.diff(norms, axis=0) >= -1e-12).all()
    assert (norms[0] < 0.1 * norms[-1]).all()


@pytest.mark.parametrize(("scale", "kept"), [(0.9, False), (1.3, True)])
def test_a_tanh_network_that_oscillates_by_itself_keeps_gradients_along_its_cycle(scale, kept):
    cell = tr.Elman(2, 2, rng=0)
    cell.params["W_x"][...] = 0  # nothing from outside, and
    cell.params["b"][...] = [0.3, 0]  # not at rest
    cell.params["W_h"][...] = scale * np.array([[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]])
    norms = gradient_norms(adding_model(cell), batch_of(steps=1000))["h"]
    if kept:
        late = norms[100:900] / norms[-1]  # on the cycle
        assert late.max() < 5 * late.min() and late.min() > 0.1
    else:
        assert (norms[0] < 1e-40).all()


def test_a_sequences_norms_do_not_depend_on_who_is_beside_it():
    model, (x, target, _) = adding_model(tr.LSTM(2, 4, rng=0)), batch_of()
    together = gradient_norms(model, (x, target, None))
    alone = gradient_norms(model, (x[:, 1:2], target[1:2], None))
    for name, norms in together.items():
        np.testing.assert_allclose(norms[:, 1:2], alone[name], rtol=1e-10)


def test_only_the_steps_that_count_send_gradients():
    task = Copy(delay=4, length=2)
    model = tr.Model(tr.GRU(10, 4, rng=0), tr.Readout(4, 9, rng=1))
    batch = task.sample(0, B, "float64")
    counted = np.zeros(batch.target.shape, bool)
    counted[:3] = True
    norms = gradient_norms(model, batch, counted)["h"]
    assert (norms[:3] > 0).all() and (norms[3:] == 0).all()
    assert (gradient_norms(model, batch)["h"] > 0).all()


def test_layers_put_together_are_named_as_in_the_backward_pass():
    stack = tr.Stack(tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.LSTM(2, 3, rng=1)), tr.Elman(6, 3, rng=2))
    names = ["0.forward.h", "0.backward.h", "0.backward.c", "1.h"]
    assert list(gradient_norms(adding_model(stack), batch_of())) == names
    assert list(state_norms(stack, batch_of().x)) == names


def test_a_students_cell_will_do():
    def step(params, x, state):
        (h_prev,) = state
        h = np.tanh(x @ params["W"] + h_prev @ params["U"])
        return (h,), (x, h_prev, h)

    def step_backward(params, cache, dstate):
        x, h_prev, h = cache
        da = dstate[0] * (1 - h**2)
        return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}

    ours = tr.Elman(2, 4, rng=0)
    params = {"W": ours.params["W_x"], "U": ours.params["W_h"]}
    theirs = tr.StepCell(step, step_backward, params=params, input_size=2, state_sizes=4)
    expected, got = (gradient_norms(adding_model(cell), batch_of())["h"] for cell in (ours, theirs))
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_norms_of_rows_whose_squares_are_no_numbers_are_right():
    rows = np.array([[3e-200, 4e-200], [3e200, 4e200], [0, 0], [3, -4]])
    np.testing.assert_allclose(row_norms(rows), [5e-200, 5e200, 0, 5], rtol=1e-15)


@given(st.integers(0, 2**32 - 1), st.floats(-100, 100))
def test_norms_of_rows_are_the_euclidean_ones_at_any_scale(seed, exponent):
    rows = np.random.default_rng(seed).normal(size=(2, 3, 5))
    expected = np.linalg.norm(rows, axis=-1)
    np.testing.assert_allclose(row_norms(rows * 10**exponent) / 10**exponent, expected, rtol=1e-12)


def test_a_state_that_turns_keeps_its_size_and_its_distance_is_a_chord():
    angle = 0.3
    cell = tr.Elman(1, 2, activation="identity", rng=0)
    cell.params["W_x"][...] = 0
    cell.params["W_h"][...] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    norms = state_norms(cell, np.zeros((T, B, 1)), (np.full((B, 2), [3.0, 4.0]),))["h"]
    np.testing.assert_allclose(norms.size, 5, rtol=1e-12)
    chord = 10 * abs(np.sin(angle / 2 * np.arange(T)[::-1]))
    np.testing.assert_allclose(norms.distance, chord[:, None].repeat(B, axis=1), atol=1e-12)


@given(st.floats(0.1, 50), st.integers(0, 100))
def test_an_lstm_of_128_units_cannot_have_the_norm_38_that_the_papers_figure_shows(scale, seed):
    cell = tr.LSTM(2, 128, rng=seed)
    for value in cell.params.values():
        value *= scale
    norms = state_norms(cell, batch_of().x)["h"]
    assert norms.size.max() <= np.sqrt(128) < 11.32
    assert norms.distance.max() <= 2 * np.sqrt(128) < 22.63
