"""Units by the time of their peak: a shuffled chain comes out in order, in matrices and in cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis import ordering
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.init import distributions


@given(st.integers(2, 101), st.integers(0, 1000), st.floats(0.5, 1.5))
def test_a_shuffled_chain_is_recovered_exactly(n, seed, alpha):
    place = np.random.default_rng(seed).permutation(n)
    W, v = distributions.chain(n, alpha).T[np.ix_(place, place)], np.eye(n)[0][place]
    order = ordering.peak_order(ordering.linear_response(W, v), seed)
    assert (place[order] == np.arange(n)).all()
    offsets, means = ordering.weight_profile(W, order)
    assert np.isclose(means[offsets == 1], alpha) and not means[offsets != 1].any()
    assert (offsets == np.arange(1 - n, n)).all()


def test_a_transposed_matrix_has_the_mirrored_profile():
    W, order = np.random.default_rng(0).normal(size=(7, 7)), np.random.default_rng(1).permutation(7)
    assert np.allclose(ordering.weight_profile(W.T, order)[1], ordering.weight_profile(W, order)[1][::-1])


def test_the_profile_is_the_mean_over_pairs():
    W, order = np.random.default_rng(0).normal(size=(5, 5)), np.array([3, 0, 4, 1, 2])
    offsets, means = ordering.weight_profile(W, order)
    for offset, mean in zip(offsets, means, strict=True):
        pairs = [W[order[i], order[j]] for i in range(5) for j in range(5) if i - j == offset]
        assert np.isclose(mean, np.mean(pairs))


def test_a_chain_in_a_cell_is_found_from_its_outputs():
    """Biases move the units for ever; only what the pulse changes counts."""
    cell = tr.initialise(tr.Elman(1, 40, activation="elu", rng=0), "chain", alpha=1.0)
    place = np.random.default_rng(2).permutation(40)
    cell.params["W_h"][:] = cell.params.W_h[np.ix_(place, place)]
    cell.params["W_x"][:] = cell.params.W_x[:, place]
    cell.params["b"][:] = np.random.default_rng(3).uniform(0, 0.5, 40)
    h = ordering.response(cell)
    assert h.shape == (101, 40)
    order = ordering.peak_order(h)
    assert (place[order] == np.arange(40)).all()
    offsets, means = ordering.weight_profile(matrices(cell)["W_h"], order)
    assert means[offsets == 1] == 1 and not means[offsets != 1].any()


def test_a_pulse_may_enter_by_one_input_alone():
    cell = tr.Elman(2, 5, activation="identity", rng=0)
    with_second = ordering.response(cell, 3, np.array([0.0, 1.0]))
    assert np.allclose(with_second[0], cell.params.W_x[1])
    assert np.allclose(ordering.response(cell, 3)[0], cell.params.W_x.sum(axis=0))
    assert np.allclose(with_second[2], cell.params.W_x[1] @ cell.params.W_h @ cell.params.W_h)


def test_an_lstm_of_chains_is_ordered_in_every_gate():
    cell = tr.initialise(tr.LSTM(1, 20, rng=0), "chain")
    order = ordering.peak_order(ordering.response(cell, 400))
    for W in matrices(cell).values():
        offsets, means = ordering.weight_profile(W, order)
        assert means[offsets == 1] > 0.9 and ordering.forward_excess(offsets, means) > 0.15


def test_ties_are_broken_at_random_and_silent_units_come_last():
    h = np.zeros((4, 6))
    h[2, [0, 1, 2, 3]] = 1
    h[0, 5] = -1
    orders = [tuple(ordering.peak_order(h, seed)) for seed in range(20)]
    assert all(order[0] == 5 and order[-1] == 4 for order in orders)
    assert len(set(orders)) > 5
    assert orders[0] == tuple(ordering.peak_order(h, 0))


def test_excess_is_the_difference_of_the_two_sides():
    offsets = np.arange(-3, 4)
    assert ordering.forward_excess(offsets, offsets.astype(float), 2) == 3
    assert ordering.forward_excess(offsets, abs(offsets).astype(float), 2) == 0


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="each once"):
        ordering.weight_profile(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match="vector of W's 3 units"):
        ordering.linear_response(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="unknown activation"):
        ordering.linear_response(np.eye(3), np.ones(3), activation="sin")
