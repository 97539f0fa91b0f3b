"""The initialisers: exact constants from the papers, the distributions, and that chains run the right way."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.init import distributions

EVERY = {
    "glorot_uniform": lambda **kw: distributions.glorot_uniform((6, 8), **kw),
    "glorot_normal": lambda **kw: distributions.glorot_normal((6, 8), **kw),
    "uniform_sqrt": lambda **kw: distributions.uniform_sqrt((6, 8), 8, **kw),
    "random_orthogonal": lambda **kw: distributions.random_orthogonal(6, **kw),
    "gaussian_orthogonal": lambda **kw: distributions.gaussian_orthogonal(6, **kw),
    "gaussian_input": lambda **kw: distributions.gaussian_input(3, 8, **kw),
    "henaff_skew": lambda **kw: distributions.henaff_skew(5, **kw),
    "cayley_skew": lambda **kw: distributions.cayley_skew(5, **kw),
    "unit_state": lambda **kw: distributions.unit_state(5, **kw),
    "phases": lambda **kw: distributions.phases(5, **kw),
    "reflections": lambda **kw: distributions.reflections(5, **kw),
    "small_biases": lambda **kw: distributions.small_biases(5, **kw),
    "reservoir": lambda **kw: distributions.reservoir(20, 0.9, 4, **kw),
    "lstm plain": lambda **kw: distributions.lstm_weights("plain", 3, 8, **kw)[1],
    "lstm orthogonal": lambda **kw: distributions.lstm_weights("orthogonal", 3, 8, **kw)[0],
}
FIXED = {
    "scaled_identity": lambda **kw: distributions.scaled_identity(4, np.float64(0.99), **kw),
    "chain": lambda **kw: distributions.chain(4, np.float64(1.02), **kw),
    "feedback_chain": lambda **kw: distributions.feedback_chain(4, np.float64(0.99), np.float64(0.04), **kw),
    "ramp": lambda **kw: distributions.ramp(4, np.float64(0.01), **kw),
    "source_input": lambda **kw: distributions.source_input(2, 4, np.float64(0.9), **kw),
    "lstm chain": lambda **kw: distributions.lstm_weights("chain", 2, 4, **kw)[0],
    "lstm mixed": lambda **kw: distributions.lstm_weights("mixed", 2, 4, **kw)[1],
}


@pytest.mark.parametrize("name", EVERY)
def test_drawn_weights_depend_on_the_seed_alone_and_on_no_global_state(name):
    drawn = EVERY[name](rng=7)
    np.random.seed(0)  # noqa: NPY002
    np.testing.assert_array_equal(EVERY[name](rng=np.random.default_rng(7)), drawn)
    assert not np.array_equal(EVERY[name](rng=8), drawn)
    generator = np.random.default_rng(7)
    EVERY[name](rng=generator)
    assert not np.array_equal(EVERY[name](rng=generator), drawn)


@pytest.mark.parametrize("name", [*EVERY, *FIXED])
def test_float32_weights_are_the_float64_ones_rounded(name):
    make = FIXED.get(name) or (lambda **kw: EVERY[name](rng=3, **kw))
    assert make().dtype == np.float64
    single = make(dtype="float32")
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, make().astype("float32"))


# Distributions: standard deviations are of 240 000 draws, so 1 % is about seven standard errors.


@pytest.mark.parametrize("shape", [(400, 600), (600, 400), (120, 2000)])
def test_glorot_variance_is_two_over_the_sum_of_the_fans(shape):
    std = math.sqrt(2 / sum(shape))
    uniform, normal = distributions.glorot_uniform(shape, rng=0), distributions.glorot_normal(shape, rng=0)
    for W in (uniform, normal):
        assert W.shape == shape
        assert W.std() == pytest.approx(std, rel=0.01)
        assert W.mean() == pytest.approx(0, abs=std / 100)
    assert 0.999 < abs(uniform).max() / math.sqrt(6 / sum(shape)) <= 1
    assert abs(normal).max() > 4 * std


def test_gain_scales_the_glorot_weights():
    for init in (distributions.glorot_uniform, distributions.glorot_normal):
        np.testing.assert_allclose(init((5, 7), rng=0, gain=0.9), 0.9 * init((5, 7), rng=0), rtol=1e-15)


def test_pytorchs_default_bound_is_one_over_the_root_of_the_hidden_size():
    W = distributions.uniform_sqrt((100, 2400), 25, rng=0)
    assert 0.1999 < abs(W).max() <= 0.2
    assert W.std() == pytest.approx(0.2 / math.sqrt(3), rel=0.01)


def test_gaussian_input_has_nine_tenths_over_root_n_as_standard_deviation():
    W = distributions.gaussian_input(2400, 100, rng=0)
    assert W.shape == (2400, 100)
    assert W.std() == pytest.approx(0.09, rel=0.01)
    assert W.mean() == pytest.approx(0, abs=1e-3)


def test_unit_state_has_unit_norm_in_the_mean():
    n = 128
    rng = np.random.default_rng(0)
    states = np.array([distributions.unit_state(n, rng) for _ in range(1000)])
    assert states.shape == (1000, 2 * n)
    assert (states**2).sum(axis=1).mean() == pytest.approx(1, abs=0.01)
    assert abs(states).max() <= math.sqrt(3 / (2 * n))


# Skew-symmetric matrices, for the exponential


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("init", [distributions.henaff_skew, distributions.cayley_skew])
def test_skew_matrices_have_a_block_for_each_pair_of_units_and_nothing_else(init, n):
    S = init(n, rng=0)
    np.testing.assert_array_equal(S, -S.T)
    assert np.count_nonzero(S) == 2 * (n // 2) == 2 * np.count_nonzero(S.diagonal(1)[::2])


def test_henaff_angles_are_uniform_on_the_whole_circle():
    s = distributions.henaff_skew(4000, rng=0, dtype="float32").diagonal(1)[::2]
    assert 0.99 * np.pi < abs(s).max() <= np.float32(np.pi)
    assert s.mean() == pytest.approx(0, abs=0.1)
    assert s.std() == pytest.approx(np.pi / math.sqrt(3), rel=0.03)


def test_cayley_skew_is_the_cayley_transform_of_rotations_by_up_to_a_right_angle():
    S = distributions.cayley_skew(400, rng=0)
    one = np.eye(400)
    rotation = np.linalg.solve(one - S, one + S)  # rows: a positive s turns unit 0 towards unit 1
    cos, sin = rotation.diagonal()[::2], rotation.diagonal(1)[::2]
    np.testing.assert_allclose(cos**2 + sin**2, 1, rtol=1e-12)
    u = np.arctan2(sin, cos)
    assert 0 <= u.min() < 0.05 and np.pi / 2 - 0.05 < u.max() <= np.pi / 2
    assert u.mean() == pytest.approx(np.pi / 4, abs=0.1)
    np.testing.assert_allclose(S.diagonal(1)[::2], np.tan(u / 2), rtol=1e-12)


@pytest.mark.parametrize(
    ("draw", "bound"),
    [(distributions.phases, math.pi), (distributions.reflections, 1.0), (distributions.small_biases, 0.01)],
)
def test_the_unitary_networks_weights_are_uniform_to_their_bounds(draw, bound):
    values = draw(120_000, rng=0)
    assert 0.999 * bound < abs(values).max() <= bound
    assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.01)
    assert values.mean() == pytest.approx(0, abs=0.01 * bound)


# Orthogonal matrices


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_random_and_nearest_orthogonal_are_orthogonal(n, seed):
    for Q in (distributions.random_orthogonal(n, seed), distributions.gaussian_orthogonal(n, seed)):
        np.testing.assert_allclose(Q.T @ Q, np.eye(n), atol=1e-12)


@pytest.mark.parametrize("shape", [(3, 8), (8, 3)])
def test_rectangular_random_orthogonal_has_orthonormal_rows_or_columns(shape):
    Q = distributions.random_orthogonal(shape, rng=0, scale=0.5)
    assert Q.shape == shape
    np.testing.assert_allclose(Q @ Q.T if shape[0] < shape[1] else Q.T @ Q, 0.25 * np.eye(3), atol=1e-14)


@pytest.mark.parametrize("init", [distributions.random_orthogonal, distributions.gaussian_orthogonal])
def test_orthogonal_matrices_are_haar_distributed(init):
    """E Q_ij = 0, E Q_ij² = 1/n, half are rotations, E tr Q = 0 and E (tr Q)² = 1 (QR with LAPACK's signs fails)."""
    n, count = 3, 4000
    rng = np.random.default_rng(0)
    Q = np.array([init(n, rng) for _ in range(count)])
    trace = np.trace(Q, axis1=1, axis2=2)
    assert abs(Q.mean(axis=0)).max() < 0.04  # 4.4 standard errors
    np.testing.assert_allclose((Q**2).mean(axis=0), 1 / n, atol=0.02)
    assert (np.linalg.det(Q) > 0).mean() == pytest.approx(0.5, abs=0.04)
    assert trace.mean() == pytest.approx(0, abs=0.07)
    assert (trace**2).mean() == pytest.approx(1, abs=0.1)


def test_nearest_orthogonal_is_nearer_than_random_ones_and_than_its_neighbours():
    rng = np.random.default_rng(0)
    A = rng.normal(0, 1 / math.sqrt(5), (5, 5))
    Q = distributions.nearest_orthogonal(A)
    least = np.linalg.norm(A - Q)
    for _ in range(2000):
        assert np.linalg.norm(A - distributions.random_orthogonal(5, rng)) > least
    for i in range(5):
        for j in range(i):
            for angle in (-1e-3, 1e-3):
                turn = np.eye(5)
                turn[[i, j], [i, j]] = math.cos(angle)
                turn[i, j], turn[j, i] = math.sin(angle), -math.sin(angle)
                assert np.linalg.norm(A - Q @ turn) > least


def test_nearest_orthogonal_leaves_orthogonal_matrices_and_its_argument_alone():
    Q = distributions.random_orthogonal(6, rng=0)
    np.testing.assert_allclose(distributions.nearest_orthogonal(3 * Q), Q, atol=1e-14)
    A = np.arange(8, dtype="float32").reshape(2, 4)
    kept = A.copy()
    P = distributions.nearest_orthogonal(A)
    assert P.shape == (2, 4) and P.dtype == np.float32
    np.testing.assert_allclose(P @ P.T, np.eye(2), atol=1e-6)
    np.testing.assert_array_equal(A, kept)


# Chains (Orhan & Pitkow 2020)


def fisher_memory(W, v):
    """J_tot = Σ_k v W^k C⁻¹ (v W^k)ᵀ for h_t = h_{t-1} W + s_t v + noise, with C = Wᵀ C W + I; rows throughout."""
    C = sum_of_powers(W, np.eye(len(W)))
    S = sum_of_powers(W, np.outer(v, v))
    return np.trace(np.linalg.solve(C, S))


def sum_of_powers(W, Q):
    """Σ_k (W^k)ᵀ Q W^k, in which each round doubles the number of terms."""
    while abs(W).max() > 1e-30:
        Q, W = Q + W.T @ Q @ W, W @ W
    return Q


def henrici(W):
    """√(‖W‖² - Σ|λ|²), with Σλ² = tr(W²): the eigenvalues are real, and eigvals is wrong for long chains."""
    return math.sqrt((W**2).sum() - np.trace(W @ W))


def first_unit(n):
    return np.eye(1, n)[0]


@pytest.mark.parametrize(
    ("alpha", "memory", "digits"),
    [(0.9, 2.4343, 4), (1.0, 5.187378, 6), (1.02, 7.606, 3), (1.05, 12.0873, 4)],
)
def test_chain_has_the_published_memory_in_row_convention(alpha, memory, digits):
    assert fisher_memory(distributions.chain(100, alpha), first_unit(100)) == pytest.approx(
        memory, abs=0.6 * 10**-digits
    )


def test_chain_the_wrong_way_round_forgets():
    assert fisher_memory(distributions.chain(100, 1.02).T, first_unit(100)) == pytest.approx(0.000785, abs=6e-7)


@pytest.mark.parametrize(("beta", "memory"), [(0.0, 4.3909), (0.02, 4.6526), (0.04, 5.3460)])
def test_feedback_chain_has_the_published_memory(beta, memory):
    W = distributions.feedback_chain(100, 0.99, beta)
    assert fisher_memory(W, first_unit(100)) == pytest.approx(memory, abs=6e-5)


def test_chains_have_the_published_henrici_index_with_default_settings():
    assert henrici(distributions.chain(100)) == pytest.approx(10.148872, abs=5e-7)
    assert henrici(distributions.feedback_chain(100)) == pytest.approx(9.452381, abs=5e-7)
    assert henrici(distributions.scaled_identity(100, 2.0)) == 0


def test_a_pulse_walks_along_the_chain_from_its_source():
    W_h, W_x = distributions.chain(6, 2.0), distributions.source_input(1, 6)
    h = np.array([1.0]) @ W_x
    for unit in range(6):
        np.testing.assert_allclose(h, 0.9 * 2.0**unit * np.eye(6)[unit])
        h = h @ W_h
    assert not h.any()


def test_feedback_goes_backwards_and_weakens_nothing_forwards():
    expected = np.array([[0, 0.99, 0, 0], [0.04, 0, 0.99, 0], [0, 0.04, 0, 0.99], [0, 0, 0.04, 0]])
    np.testing.assert_array_equal(distributions.feedback_chain(4), expected)
    values = np.sort(np.linalg.eigvals(distributions.feedback_chain(8)).real)
    exact = 2 * math.sqrt(0.99 * 0.04) * np.cos(np.arange(8, 0, -1) * math.pi / 9)
    np.testing.assert_allclose(values, exact, atol=1e-12)


def test_source_input_may_be_wider_or_narrower_than_the_network():
    np.testing.assert_array_equal(distributions.source_input(2, 3), [[0.9, 0, 0], [0, 0.9, 0]])
    np.testing.assert_array_equal(distributions.source_input(3, 2), [[0.9, 0], [0, 0.9], [0, 0]])


def test_ramp_rises_with_the_distance_forwards():
    expected = 0.01 / 3 * np.array([[0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 1], [-3, -2, -1, 0]])
    np.testing.assert_allclose(distributions.ramp(4), expected, atol=1e-18)
    np.testing.assert_array_equal(distributions.ramp(1), [[0]])


# LSTM weights, gate by gate


@pytest.mark.parametrize("kind", ["plain", "orthogonal", "chain", "mixed"])
def test_lstm_weights_have_the_shape_of_four_gates(kind):
    W_x, W_h = distributions.lstm_weights(kind, 3, 5, rng=0)
    assert W_x.shape == (3, 20) and W_h.shape == (5, 20)


def test_plain_and_orthogonal_lstm_gates_are_drawn_one_by_one():
    W_x, W_h = distributions.lstm_weights("plain", 3, 50, rng=0)
    assert abs(W_h).max() == pytest.approx(1 / math.sqrt(50), rel=0.01)
    assert abs(W_x).max() == pytest.approx(1 / math.sqrt(50), rel=0.01)
    W_x, W_h = distributions.lstm_weights("orthogonal", 3, 5, rng=0)
    for A in np.split(W_x, 4, axis=1):
        np.testing.assert_allclose(A @ A.T, np.eye(3), atol=1e-14)
    for Q in np.split(W_h, 4, axis=1):
        np.testing.assert_allclose(Q @ Q.T, np.eye(5), atol=1e-14)
    assert len({Q.tobytes() for Q in np.split(W_h, 4, axis=1)}) == 4


def test_chain_and_mixed_lstm_gates():
    W_x, W_h = distributions.lstm_weights("chain", 3, 5)
    for A, W in zip(np.split(W_x, 4, axis=1), np.split(W_h, 4, axis=1), strict=True):
        np.testing.assert_array_equal(A, distributions.source_input(3, 5))
        np.testing.assert_array_equal(W, distributions.chain(5))
    W_x, W_h = distributions.lstm_weights("mixed", 3, 5)
    i, f, o, g = np.split(W_h, 4, axis=1)
    for gate in (i, f, o):
        np.testing.assert_array_equal(gate, distributions.ramp(5))
    np.testing.assert_array_equal(g, distributions.chain(5))
    np.testing.assert_array_equal(W_x, np.tile(distributions.source_input(3, 5), 4))


def test_unknown_lstm_initialiser_is_refused():
    with pytest.raises(ValueError, match=r"'chian'.*plain, orthogonal, chain, mixed"):
        distributions.lstm_weights("chian", 3, 5)
