"""Reading the past off a state: against regressions written out, closed forms, and the figures of the sources."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.decoding import components_error, decode, driven, explained, final_states, memory
from tinyrnn.init.distributions import chain, random_orthogonal
from tinyrnn.tasks.mnist import SequentialMNIST

N = 100


# Orhan & Pitkow, Figure 2 ---


def figure_2(noise=0.0, activation="identity", count=3000):
    """network -> held-out R² of s_1 from h_100: two thirds of the sequences to fit to, the others to judge by."""
    rng = np.random.default_rng(0)
    Q, v, head = random_orthogonal(N, rng), rng.normal(size=N), np.eye(N)[0]
    v /= np.linalg.norm(v)
    cells = {"chain": (chain(N, 1.0).T, head), "chain 1.02": (chain(N).T, head), "Q": (Q, v), "0.99 Q": (0.99 * Q, v)}
    s = rng.normal(size=(N, count))
    return {
        name: float(decode(driven(W, v, s, noise, activation, rng), s[0], 2 / 3).r2[0])
        for name, (W, v) in cells.items()
    }


def test_without_noise_a_linear_state_gives_back_the_first_input_whatever_the_matrix():
    assert all(1 - 1e-9 < r2 <= 1 for r2 in figure_2(count=600).values())


@pytest.mark.slow
def test_with_noise_the_chain_remembers_more_than_an_orthogonal_matrix():
    """The source's numbers are of another random draw: R² of 1000 rows is known to a few hundredths."""
    wanted = {"chain": 0.465, "chain 1.02": 0.792, "Q": 0.298, "0.99 Q": 0.099}
    assert figure_2(noise=0.1) == pytest.approx(wanted, abs=0.06)


@pytest.mark.slow
def test_with_elu_the_orthogonal_networks_remember_nothing_and_the_chains_do():
    found = figure_2(activation="elu")
    assert found["chain"] == pytest.approx(0.710, abs=0.06) and found["chain 1.02"] == pytest.approx(0.726, abs=0.06)
    assert found["Q"] < 0 and found["0.99 Q"] < 0


@pytest.mark.parametrize("alpha", [0.9, 1.0, 1.02])
def test_what_noise_leaves_of_an_input_in_a_chain_has_a_closed_form(alpha):
    k = np.arange(N)
    left = alpha ** (2 * k)
    found = explained(chain(N, alpha).T, np.eye(N)[0], N, 0.1)
    np.testing.assert_allclose(found, left / (left + 0.01 * np.cumsum(left)), rtol=1e-12)


def test_the_formula_is_what_a_regression_tends_to():
    rng = np.random.default_rng(1)
    W, v = random_orthogonal(4, rng, 0.9), rng.normal(size=4)
    s = rng.normal(size=(6, 200_000))
    found = decode(driven(W, v, s, 0.3, rng=rng), s[::-1].T).r2
    np.testing.assert_allclose(found, explained(W, v, 6, 0.3), atol=0.01)
    assert np.ptp(found) > 0.1  # or any constant would do


def test_without_noise_the_formula_is_refused():
    with pytest.raises(ValueError, match="noise must be above 0, got 0"):
        explained(np.eye(2), np.ones(2), 3, 0)


@pytest.mark.parametrize("activation", ["identity", "elu", "tanh"])
def test_the_driven_network_is_elmans_with_the_matrices_transposed(activation):
    rng = np.random.default_rng(2)
    cell = tr.Elman(1, 5, activation=activation, rng=rng)
    s = rng.normal(size=(7, 3))
    h, _ = cell.forward(s[:, :, None])
    found = driven(cell.params.W_h.T, cell.params.W_x[0], s, activation=activation)
    np.testing.assert_allclose(found, h[-1], rtol=1e-13)


def test_noise_has_the_variance_that_is_asked_for_and_adds_up():
    h = driven(np.eye(2), np.ones(2), np.zeros((9, 50_000)), noise=0.2, rng=3)
    np.testing.assert_allclose(h.var(axis=0), 9 * 0.04, rtol=0.03)


# regressions ---


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 0.5, 0.8]))
def test_a_decoder_is_the_least_squares_one_of_the_first_rows_judged_on_the_others(seed, share):
    rng = np.random.default_rng(seed)
    states, target = rng.normal(1, 2, (60, 4)), rng.normal(3, 1, (60, 2))
    cut = round(60 * share)
    design = np.hstack([states, np.ones((60, 1))])
    weights = np.linalg.lstsq(design[:cut], target[:cut], rcond=None)[0]
    off = design[cut:] @ weights - target[cut:]
    found = decode(states, target, share)
    np.testing.assert_allclose(np.vstack([found.W, found.b]), weights, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.mse, (off**2).mean(axis=0), rtol=1e-8)
    total = ((target[cut:] - target[cut:].mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.r2, 1 - (off**2).sum(axis=0) / total, atol=1e-8)


@pytest.mark.parametrize(
    ("states", "target", "share", "message"),
    [
        (np.ones((5, 2)), np.ones((4, 1)), 0.5, r"do not fit, got \(5, 2\) and \(4, 1\)"),
        (np.ones(5), np.ones(5), 0.5, "do not fit"),
        (np.ones((5, 2)), np.ones(5), 1.0, "of 5 rows, a share of 1 leaves none"),
        (np.ones((5, 2)), np.ones(5), 0.0, "leaves none"),
    ],
)
def test_states_and_targets_that_cannot_be_decoded_are_refused(states, target, share, message):
    with pytest.raises(ValueError, match=message):
        decode(states, target, share)


# memory, lag by lag ---


def step(params, x, state):
    h = np.tanh(x @ params["W"] + 0.9 * state[0])
    return (h,), {"h_new": h}


def step_backward(params, cache, dstate):
    raise AssertionError("nothing here goes backwards")


def student():
    return tr.StepCell(step, step_backward, params={"W": np.ones((2, 3))}, input_size=2, state_sizes=3)


LAYERS = {
    "gru": lambda: tr.GRU(2, 5, rng=0),
    "stack": lambda: tr.Stack(tr.LSTM(2, 4, rng=0), tr.Bidirectional(tr.Elman(4, 2, rng=1), tr.Elman(4, 3, rng=2))),
    "model": lambda: tr.Model(tr.LMN(2, 4, rng=0), tr.Readout(4, 3, rng=1)),
    "student": student,
}


@pytest.mark.parametrize("kind", LAYERS)
def test_every_lag_has_the_regression_that_one_would_write_for_it_alone(kind):
    layers, rng = LAYERS[kind](), np.random.default_rng(3)
    T, lags = 12, [0, 1, 4]
    x = rng.normal(size=(T, 40, 2)).cumsum(axis=0)
    before = x.copy()
    found = memory(layers, x, lags, train=0.75, batch=7)
    h, _ = (layers.layers if kind == "model" else layers).forward(x)
    for i, k in enumerate(lags):
        design = np.concatenate([h[4:], np.ones((T - 4, 40, 1))], axis=-1)
        past = x[4 - k : T - k]
        rows = lambda array, part: array[:, part].reshape(-1, array.shape[-1])  # noqa: E731
        fit, judge = slice(0, 30), slice(30, 40)
        weights = np.linalg.lstsq(rows(design, fit), rows(past, fit), rcond=None)[0]
        error = ((rows(design, judge) @ weights - rows(past, judge)) ** 2).mean()
        assert found.mse[i] == pytest.approx(error, rel=1e-7)
        assert found.variance[i] == pytest.approx(rows(past, judge).var(axis=0).mean(), rel=1e-10)
    np.testing.assert_array_equal(x, before)


def test_a_delay_line_remembers_as_many_steps_as_it_has_units_and_none_more():
    cell = tr.initialise(tr.LinearRNN(1, 8, rng=0), "chain", alpha=1.0)
    found = memory(cell, np.random.default_rng(4).normal(size=(30, 200, 1)), np.arange(12))
    assert (found.r2[:8] > 1 - 1e-12).all()
    assert (abs(found.r2[8:]) < 0.02).all()


def test_class_numbers_are_read_off_as_one_hot_rows_and_an_embedding_as_what_it_gives():
    x = np.random.default_rng(5).integers(0, 3, (9, 30))
    cell = tr.LinearRNN(3, 30, rng=0)  # more units than there are numbers to remember
    np.testing.assert_allclose(memory(cell, x, [0, 2]).mse, memory(cell, np.eye(3)[x], [0, 2]).mse, atol=1e-14)
    assert (memory(cell, x, [0, 2]).r2 > 1 - 1e-10).all()
    embedding = tr.Embedding(3, 2, rng=0)
    model = tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(4, 3, rng=0), embedding=embedding)
    np.testing.assert_array_equal(
        memory(model, x, [1, 3]).mse, memory(model.layers, embedding.forward(x)[0], [1, 3]).mse
    )


def test_variance_of_inputs_with_a_large_mean_keeps_its_digits():
    x = 1e6 + np.random.default_rng(6).normal(size=(5, 400, 1))
    found = memory(tr.Elman(1, 3, rng=0), x, [1])
    np.testing.assert_allclose(found.variance, x[:4, 200:].var(), rtol=1e-8)


def test_what_does_not_vary_has_no_share_that_is_explained():
    x = np.random.default_rng(9).normal(size=(6, 20, 1))
    x[2] = 0
    found = memory(tr.Elman(1, 3, rng=0), x, [1, 3, 5])
    assert list(np.isnan(found.r2)) == [False, True, False] and found.variance[1] == 0


@pytest.mark.parametrize(
    ("lags", "share", "message"),
    [
        ([], 0.5, "lags must be"),
        ([-1], 0.5, "lags must be"),
        ([0.5], 0.5, "lags must be"),
        ([6], 0.5, "a lag of 6 needs sequences of more steps than that, got 6"),
        ([1], 1.0, "of 4 sequences, a share of 1 leaves none"),
    ],
)
def test_lags_that_are_not_there_are_refused(lags, share, message):
    with pytest.raises(ValueError, match=message):
        memory(tr.Elman(1, 3, rng=0), np.zeros((6, 4, 1)), lags, train=share)


def test_final_states_are_those_of_one_run_over_all_sequences():
    layers = tr.Stack(tr.LSTM(2, 3, rng=0), tr.Bidirectional(tr.GRU(3, 2, rng=1), tr.GRU(3, 2, rng=2)))
    x = np.random.default_rng(7).normal(size=(5, 11, 2))
    wanted = layers.final(layers.forward(x)[1].state)
    np.testing.assert_allclose(final_states(layers, x, batch=4), wanted, rtol=1e-13)
    assert final_states(tr.LSTM(2, 3, rng=0, dtype="float32"), x).dtype == np.float64


# digits ---


def test_principal_components_are_the_best_linear_code():
    rng = np.random.default_rng(8)
    data = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6)) + 5
    centred = data - data.mean(axis=0)
    sigma = np.linalg.svd(centred, compute_uv=False)
    for size in (0, 2, 6):
        assert components_error(data, data, size) == pytest.approx((sigma[size:] ** 2).sum() / data.size, abs=1e-12)


def test_a_linear_autoencoder_of_128_units_gets_an_eighth_of_the_variance_of_real_digits_wrong(data_dir):
    """8000 images to fit to and 2000 to judge by, drawn from the test file; 0.121 of the variance in another draw."""
    [batch] = SequentialMNIST().test_batches(10_000, "float64")
    x = batch.x[:, np.random.default_rng(0).permutation(10_000)]
    autoencoder = tr.LinearAutoencoder.fit_moments(x[:, :8000], 128)
    away = autoencoder.reconstruct(x[:, 8000:]) - x[:, 8000:]
    share = (away**2).sum() / ((x[:, 8000:] - autoencoder.mean) ** 2).sum()
    assert share == pytest.approx(0.121, abs=0.004)
