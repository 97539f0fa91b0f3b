"""The linear autoencoder for sequences: exactness, the three ways to fit it, what its matrices are, and starts."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.laes import fitting
from tinyrnn.init import distributions
from tinyrnn.tasks import data

SETS = {"equal": ((5, 5, 5), 2), "mixed": ((7, 4, 6, 3), 3), "scalar": ((12,) * 6, 1)}
RANKS = {"equal": 10, "mixed": 17, "scalar": 12}


def sequences(name, rng=0):
    lengths, k = SETS[name]
    rng = np.random.default_rng(rng)
    return [rng.normal(size=(T, k)) for T in lengths]


def walks(T=20, count=30, k=1, rng=0):
    return np.random.default_rng(rng).normal(size=(T, count, k)).cumsum(axis=0)


def prefixes(sequences, mean):
    """Xi, row by row as it is defined, and the shift by one row within each sequence."""
    L, k = max(map(len, sequences)), sequences[0].shape[1]
    rows, previous = [], []
    for x in sequences:
        for t in range(len(x)):
            previous.append(len(rows) - 1 if t else None)
            row = np.zeros((L, k))
            row[: t + 1] = (x - mean)[t::-1]
            rows.append(row.ravel())
    shift = np.zeros((len(rows), len(rows)))
    for i, j in enumerate(previous):
        if j is not None:
            shift[i, j] = 1
    return np.array(rows), shift


def relative(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


# what it is -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_with_as_many_units_as_the_rank_every_training_sequence_is_reconstructed_exactly(name, mean):
    seen = sequences(name)
    autoencoder = tr.LinearAutoencoder.fit(seen, mean=mean)
    assert autoencoder.size == RANKS[name]
    for x in seen:
        for T in range(1, len(x) + 1):  # every prefix, from its own state
            assert np.abs(autoencoder.reconstruct(x[:T, None])[:, 0] - x[:T]).max() < 1e-12
    A, B = autoencoder.A, autoencoder.B
    np.testing.assert_allclose(A @ A.T + B @ B.T, np.eye(len(A)), atol=1e-13)
    assert autoencoder.kept == pytest.approx(1, abs=1e-13)


def test_unseen_sequences_are_reconstructed_exactly_only_where_the_rank_is_full():
    for name, (lengths, k) in SETS.items():
        autoencoder = tr.LinearAutoencoder.fit(sequences(name))
        unseen = np.random.default_rng(9).normal(size=(max(lengths), 5, k))
        error = relative(autoencoder.reconstruct(unseen), unseen)
        assert error > 0.2 if name == "mixed" else error < 1e-12  # rank 17 of 21; 10 of 10; 12 of 12


@pytest.mark.parametrize("p", [2, 5, 10, 15, None])
def test_the_matrices_are_those_of_the_formula_on_the_side_of_time(p):
    seen = sequences("mixed")
    autoencoder = tr.LinearAutoencoder.fit(seen, p)
    Xi, shift = prefixes(seen, np.concatenate(seen).mean(axis=0))
    V, sigma, Ut = np.linalg.svd(Xi, full_matrices=False)
    p = p or 17
    V, sigma = V[:, :p], sigma[:p]
    A = Ut[:p, :3]
    sign = np.sign([row[np.argmax(abs(row))] for row in A])
    B = (V / sigma).T @ shift @ V * sigma
    np.testing.assert_allclose(autoencoder.A, sign[:, None] * A, atol=1e-13)
    np.testing.assert_allclose(autoencoder.B, sign[:, None] * B * sign, atol=1e-12)
    np.testing.assert_allclose(autoencoder.singular_values, sigma, rtol=1e-12)
    assert autoencoder.kept == pytest.approx(np.sum(sigma**2) / np.sum(Xi**2), rel=1e-12)


@pytest.mark.parametrize("name", ["equal", "scalar"])
def test_at_full_rank_it_is_a_rotated_delay_line(name):
    lengths, k = SETS[name]
    L = lengths[0]
    autoencoder = tr.LinearAutoencoder.fit(sequences(name))
    Ut = np.hstack(list(autoencoder.responses(L)))  # all that U is, found from A and B alone
    np.testing.assert_allclose(Ut @ Ut.T, np.eye(L * k), atol=1e-12)
    chain = np.kron(distributions.chain(L, 1.0).T, np.eye(k))  # every block hands its numbers on to the next
    np.testing.assert_allclose(Ut.T @ autoencoder.B @ Ut, chain, atol=1e-12)
    powers = [np.linalg.matrix_power(autoencoder.B, j) for j in (L - 1, L)]
    assert np.linalg.norm(powers[0]) == pytest.approx(np.sqrt(k)) and np.abs(powers[1]).max() < 1e-12


def test_with_fewer_units_it_forgets_slowly_and_keeps_what_varies_most():
    x = walks()
    full = tr.LinearAutoencoder.fit(list(x.swapaxes(0, 1)))
    errors = [relative(full.truncated(p).reconstruct(x), x) for p in (3, 8, 20)]
    assert errors[0] > errors[1] > 0.01 and errors[2] < 1e-12
    for p in 3, 8:
        small = full.truncated(p)
        assert 0.8 < small.spectral_radius < 1
        again = tr.LinearAutoencoder.fit(list(x.swapaxes(0, 1)), p)
        np.testing.assert_allclose(small.B, again.B, atol=1e-12)
        assert small.kept == pytest.approx(again.kept) and 0.9 < small.kept < 1


# three ways to the same ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("at_once", [1, 2, 5, 50])
@pytest.mark.parametrize("name", SETS)
def test_slice_by_slice_is_the_same_where_nothing_is_cut_off(name, at_once, gram):
    exact = tr.LinearAutoencoder.fit(sequences(name))
    sliced = tr.LinearAutoencoder.fit_slices(sequences(name), exact.size, at_once, gram=gram)
    tolerance = 1e-8 if gram else 1e-12
    for found, wanted in (sliced.A, exact.A), (sliced.B, exact.B), (sliced.singular_values, exact.singular_values):
        np.testing.assert_allclose(found, wanted, atol=tolerance)
    assert sliced.kept == pytest.approx(1)


def test_slice_by_slice_is_nearly_the_same_where_units_are_cut_off():
    x = walks()
    seen = list(x.swapaxes(0, 1))
    for p, most in (5, 0.02), (10, 0.006):
        exact, sliced = tr.LinearAutoencoder.fit(seen, p), tr.LinearAutoencoder.fit_slices(seen, p)
        differ = np.abs(sliced.singular_values / exact.singular_values - 1).max()
        assert 0 < differ < most
        errors = [np.mean((each.reconstruct(x) - x) ** 2) for each in (sliced, exact)]
        assert errors[0] == pytest.approx(errors[1], rel=0.01) and errors[0] != errors[1]


def test_slice_by_slice_needs_less_memory_than_all_prefixes():
    seen = list(np.random.default_rng(0).normal(size=(20, 60, 1)).cumsum(axis=1))
    dense = 20 * 60 * 60 * 8
    peaks = {}
    for name in "fit", "fit_slices":
        tracemalloc.start()
        getattr(tr.LinearAutoencoder, name)(seen, 4)
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks["fit_slices"] < dense < peaks["fit"]


@given(
    st.integers(1, 7),
    st.integers(1, 3),
    st.integers(8, 20),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_second_moments_are_enough_for_equal_lengths(L, k, extra, chunk, mean, seed):
    x = np.random.default_rng(seed).normal(size=(L, L * k + extra, k)) + 1
    seen = list(x.swapaxes(0, 1))
    exact = tr.LinearAutoencoder.fit(seen, mean=mean)
    found = tr.LinearAutoencoder.fit_moments(x, mean=mean, chunk=chunk)
    np.testing.assert_allclose(found.singular_values, exact.singular_values, rtol=1e-9)
    np.testing.assert_allclose(found.mean, exact.mean, atol=1e-13)
    assert found.energy == pytest.approx(exact.energy)
    unseen = np.random.default_rng(1).normal(size=(L, 3, k))
    np.testing.assert_allclose(found.reconstruct(unseen), unseen, atol=1e-8)
    for p in range(
        1, L * k
    ):  # the vectors themselves turn where two singular values are close; the projection does not
        s = exact.singular_values
        if s[p - 1] - s[p] > 1e-3 * s[0]:
            one, other = (each.truncated(p).reconstruct(unseen) for each in (found, exact))
            np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(("L", "k"), [(1, 1), (9, 1), (5, 3)])
def test_all_that_counts_of_the_prefixes_are_sums_along_the_diagonals(L, k):
    x = np.random.default_rng(0).normal(size=(13, L, k))
    Xi, _ = prefixes(list(x), 0)
    flat = x.reshape(13, L * k)
    np.testing.assert_allclose(fitting.summed_along_diagonals(flat.T @ flat, k), Xi.T @ Xi, atol=2e-12)


def test_bytes_batches_and_layouts_give_the_same():
    pixels = np.random.default_rng(0).integers(0, 256, (70, 12), dtype=np.uint8)
    kept = pixels.copy()
    wanted = tr.LinearAutoencoder.fit_moments((pixels / 255).T[:, :, None], 5)
    chunks = (pixels[start : start + 30] for start in range(0, 70, 30))
    for found in (
        tr.LinearAutoencoder.fit_moments(pixels, 5, scale=1 / 255),
        tr.LinearAutoencoder.fit_moments(chunks, 5, scale=1 / 255),
    ):
        for name in "A", "B", "mean", "singular_values", "energy":
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-11, rtol=1e-12)
    assert np.array_equal(pixels, kept)


def test_bytes_are_never_all_converted():
    pixels = np.random.default_rng(0).integers(0, 256, (20000, 60), dtype=np.uint8)
    tracemalloc.start()
    tr.LinearAutoencoder.fit_moments(pixels, 5, chunk=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < pixels.nbytes  # in float64 they would be eight times as large


# encoding and decoding ----------------------------------------------------------------------------------------------


def test_encoder_and_decoder_are_the_recursions():
    x = walks(k=2)[:, :4]
    autoencoder = tr.LinearAutoencoder.fit_moments(walks(k=2), 9)
    A, B, mean = autoencoder.A, autoencoder.B, autoencoder.mean
    m, states = np.zeros((4, 9)), autoencoder.encode(x)
    for t in range(20):
        m = (A @ (x[t] - mean).T + B @ m.T).T
        np.testing.assert_allclose(states[t], m, atol=1e-12)
    np.testing.assert_allclose(autoencoder.final(x), m, atol=1e-12)
    decoded = autoencoder.decode(m, 20)
    for t in reversed(range(20)):
        np.testing.assert_allclose(decoded[t], m @ A + mean, atol=1e-12)
        m = m @ B
    np.testing.assert_allclose(autoencoder.reconstruct(x), decoded, atol=1e-12)
    np.testing.assert_allclose(autoencoder.encode(x[12:], states[11]), states[12:], atol=1e-12)


def test_as_a_cell_of_the_package_it_does_the_same():
    x = walks(k=2)
    autoencoder = tr.LinearAutoencoder.fit_moments(x, 9)
    h, _ = autoencoder.to_cell().forward(x)
    np.testing.assert_allclose(h, autoencoder.encode(x), atol=1e-12)
    assert autoencoder.to_cell("float32").dtype == np.float32


# a start for other networks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scale", "lmn", "rnn"), [(0.1, (1e-5, 1e-4), (0.1, 0.3)), (1, (2e-3, 1e-2), (0.6, 0.9))])
def test_a_linear_memory_network_keeps_the_memory_that_an_elman_network_squashes(scale, lmn, rnn):
    x = scale * 0.05 * walks(60, 40)
    autoencoder = tr.LinearAutoencoder.fit_moments(x, 24)
    wanted = autoencoder.encode(x)
    for cls, (least, most) in (tr.LMN, lmn), (tr.Elman, rnn):
        cell = tr.initialise(cls(1, 24, rng=0), "laes", autoencoder=autoencoder)
        assert least < relative(cell.forward(x)[0], wanted) < most


def test_in_the_tanh_s_straight_part_both_are_the_autoencoder_mean_and_all():
    x = 3e-6 + 1e-6 * walks(20, 30, k=2)
    autoencoder = tr.LinearAutoencoder.fit_moments(x, 9)
    assert np.abs(autoencoder.mean).min() > 1e-7
    for cls in tr.LMN, tr.Elman:
        cell = tr.initialise(cls(2, 9, rng=0), "laes", autoencoder=autoencoder)
        assert relative(cell.forward(x)[0], autoencoder.encode(x)) < 1e-8


def test_a_linear_memory_network_without_memory_of_its_own_is_an_elman_network():
    elman = tr.Elman(3, 7, rng=0)
    lmn = tr.LMN(3, 7, rng=1)
    own = {"W_xh": elman.params.W_x, "W_mh": elman.params.W_h, "W_hm": np.eye(7), "W_mm": np.zeros((7, 7))}
    for name, value in own.items():
        lmn.params[name][...] = value
    x = np.random.default_rng(0).normal(size=(15, 4, 3))
    assert np.array_equal(elman.forward(x)[0], lmn.forward(x)[0])


def test_what_does_not_fit_is_refused_in_one_line():
    autoencoder = tr.LinearAutoencoder.fit_moments(walks(), 9)
    for cell, message in (
        (tr.LMN(1, 8), "has 1 inputs and 9 units, LMN has 1 inputs and 8 units"),
        (tr.LMN(1, 9, memory_size=8), "LMN has 1 inputs and 9 and 8 units"),
        (tr.Elman(2, 9), "Elman has 2 inputs and 9 units"),
        (tr.GRU(1, 9), "'laes' is not for GRU, only for LinearRNN, Elman"),
    ):
        before = {name: value.copy() for name, value in cell.params.items()}
        with pytest.raises(ValueError, match=message):
            tr.initialise(cell, "laes", autoencoder=autoencoder)
        assert all(np.array_equal(value, before[name]) for name, value in cell.params.items())
    with pytest.raises(ValueError, match="needs an autoencoder"):
        tr.initialise(tr.LMN(1, 9), "laes")


# errors ---------------------------------------------------------------------------------------------------------------

LAES = tr.LinearAutoencoder


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LAES.fit([]), "no sequences"),
        (lambda: LAES.fit([np.ones((3, 2)), np.ones((3, 1))]), r"of shape \(T, 2\), got float64 \(3, 1\)"),
        (lambda: LAES.fit([np.ones(3)]), r"of shape \(T, k\)"),
        (lambda: LAES.fit([np.full((3, 1), np.nan)]), "finite"),
        (lambda: LAES.fit(sequences("mixed"), 18), "p must be a whole number from 1 to 17"),
        (lambda: LAES.fit(sequences("mixed"), 2.0), "p must be a whole number"),
        (lambda: LAES.fit([np.zeros((4, 1))]), "constant"),
        (lambda: LAES.fit_slices(sequences("mixed"), 18), "from 1 to 17"),
        (lambda: LAES.fit_slices(sequences("mixed"), 2, 0), "slices_at_once must be at least 1"),
        (lambda: LAES.fit_moments([]), "no sequences"),
        (lambda: LAES.fit_moments(np.ones(4)), r"numbers \(N, L\) or \(L, N, k\)"),
        (lambda: LAES.fit_moments(np.full((4, 3), np.inf)), "finite"),
        (lambda: LAES.fit_moments([np.ones((4, 3)), np.ones((4, 2))]), r"equally long, \(3, N, 1\), got \(2, 4, 1\)"),
        (lambda: LAES.fit_moments(np.eye(4), 5), "from 1 to 4"),
        (lambda: LAES.fit_moments(np.zeros((4, 3))), "constant"),
        (lambda: LAES.fit(sequences("equal")).encode(np.ones((4, 2))), r"x must be numbers of shape \(T, B, 2\)"),
        (lambda: LAES.fit(sequences("equal")).decode(np.ones((4, 2)), 3), r"m must have shape \(B, 10\)"),
        (lambda: LAES.fit(sequences("equal")).decode(np.ones((4, 10)), -1), "steps must be at least 0"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# real digits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("permuted", "accuracy", "kept", "norms"),
    [(False, 0.8565, 0.92, (0.66, 0.44, 0.41, 0.12)), (True, 0.8410, 0.36, (0.85, 0.59, 0.20, 0.06))],
)
def test_a_tenth_of_the_digits_gives_what_the_paper_has_with_all_of_them(data_dir, permuted, accuracy, kept, norms):
    images, labels = data.mnist("test")
    rng = np.random.default_rng(0)
    chosen = rng.permutation(10000)
    order = rng.permutation(784) if permuted else np.arange(784)
    x = images.reshape(-1, 784)[chosen][:, order]
    train, test = slice(0, 8000), slice(8000, None)
    autoencoder = tr.LinearAutoencoder.fit_moments(x[train], 128, scale=1 / 255)
    m = autoencoder.final((x / np.float32(255)).T[:, :, None])
    wanted = np.eye(10)[labels[chosen]]
    W = np.linalg.lstsq(m[train], wanted[train], rcond=None)[0]
    found = np.mean(np.argmax(m[test] @ W, axis=1) == np.argmax(wanted[test], axis=1))
    assert abs(found - accuracy) < 0.015
    assert 0.997 < autoencoder.spectral_radius < 0.9995
    assert autoencoder.kept == pytest.approx(kept, abs=0.03)
    lags = autoencoder.responses(784)[[0, 100, 400, 783]]
    np.testing.assert_allclose(np.linalg.norm(lags, axis=(1, 2)), norms, atol=0.05)
