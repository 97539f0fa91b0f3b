"""Fisher memory: closed forms against matrices, SciPy against doubling, and what must be refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.analysis import fisher
from tinyrnn.init import distributions


def source(n):
    return np.eye(n)[0]


def chain(n, alpha):
    return distributions.chain(n, alpha).T  # for columns


TOTALS = {(100, 0.9): 2.4343, (100, 1.0): 5.1874, (100, 1.02): 7.606, (100, 1.05): 12.0873, (100, 2.0): 75.3158}
SCALING = {(50, 1.0): 4.50, (100, 1.0): 5.19, (200, 1.0): 5.88, (400, 1.0): 6.57}
SCALING |= {(50, 1.05): 7.43, (100, 1.05): 12.09, (200, 1.05): 21.38, (400, 1.05): 39.98}


@pytest.mark.parametrize(("n", "alpha"), [*TOTALS, *SCALING])
def test_total_memory_of_chains_by_closed_form_and_from_the_matrices(n, alpha):
    exact = fisher.chain_total(n, alpha)
    wanted, digits = (TOTALS[n, alpha], 5e-5) if (n, alpha) in TOTALS else (SCALING[n, alpha], 5e-3)
    assert abs(exact - wanted) <= digits
    assert np.isclose(fisher.total_memory(chain(n, alpha), source(n)), exact, rtol=1e-12)


def test_at_one_the_total_is_the_harmonic_number():
    harmonic = (1 / np.arange(1, 101)).sum()
    assert abs(harmonic - 5.187378) < 5e-7
    assert np.isclose(fisher.chain_total(100, 1.0), harmonic, rtol=1e-14)
    assert np.isclose(fisher.total_memory(chain(100, 1.0), source(100)), harmonic, rtol=1e-13)


@pytest.mark.parametrize(("beta", "total"), [(0, 4.3909), (0.02, 4.6526), (0.04, 5.3460)])
@pytest.mark.parametrize("method", ["doubling", "lyapunov"])
def test_total_memory_of_chains_with_feedback(beta, total, method):
    W = distributions.feedback_chain(100, 0.99, beta).T
    assert abs(fisher.total_memory(W, source(100), method) - total) < 5e-5
    assert abs(fisher.memory_curve(W, source(100), 3000, method).sum() - total) < 5e-5


def test_a_chain_the_wrong_way_round_forgets_at_once():
    W = chain(100, 1.02)
    assert abs(fisher.total_memory(W, source(100)) - 7.606) < 5e-4
    assert abs(fisher.total_memory(W.T, source(100)) - 0.000785) < 5e-7
    last = np.eye(100)[-1]
    assert np.isclose(fisher.total_memory(W.T, last), fisher.chain_total(100, 1.02))


@pytest.mark.parametrize("alpha", [0.5, 0.9, 1.0, 1.02, 1.5])
def test_chain_covariance_and_curve_entry_by_entry(alpha):
    C = fisher.noise_covariance(chain(100, alpha))
    exact = fisher.chain_covariance(100, alpha)
    assert np.allclose(np.diag(C), np.diag(exact), rtol=1e-12) and (C == np.diag(np.diag(C))).all()
    curve = fisher.memory_curve(chain(100, alpha), source(100), 120)
    assert np.allclose(curve, fisher.chain_curve(100, alpha, 120), rtol=1e-12)
    assert (curve[:100] > 0).all() and (curve[100:] == 0).all()
    k = np.arange(100)
    if alpha != 1:
        assert np.allclose(curve[:100], (1 - alpha**-2) / (1 - alpha ** (-2.0 * (k + 1))), rtol=1e-10)
    J = fisher.memory_matrix(chain(100, alpha), source(100), 120)
    assert np.allclose(J, np.diag(curve))  # no lag is mixed up with another


@given(st.floats(0.05, 0.98), st.integers(0, 1000))
def test_every_normal_network_has_a_total_of_one(radius, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    Q, v = distributions.random_orthogonal(n, rng), rng.normal(size=n)
    v /= np.linalg.norm(v)
    for W in (radius * Q, radius * (Q + Q.T) / 2, radius * np.eye(n)):
        assert np.isclose(fisher.total_memory(W, v), 1, rtol=1e-9)
    J = fisher.memory_curve(radius * Q, v, 30)
    assert np.allclose(J, fisher.normal_curve(radius, 30), rtol=1e-9)


def test_a_vector_of_ones_counts_n_times():
    assert np.isclose(fisher.total_memory(0.99 * np.eye(100), np.ones(100)), 100)


def test_towards_an_orthogonal_network_each_lag_vanishes_but_not_the_total():
    Q = distributions.random_orthogonal(20, 0)
    for radius in (0.9, 0.999, 0.9999999):
        assert np.isclose(fisher.total_memory(radius * Q, source(20)), 1, rtol=1e-6)
        assert np.isclose(fisher.memory_curve(radius * Q, source(20), 1)[0], 1 - radius**2, rtol=1e-6)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_doubling_and_scipy_solve_the_same_equation(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))  # SciPy changes its method at 10
    W = rng.normal(size=(n, n))
    W *= rng.uniform(0.1, 0.97) / abs(np.linalg.eigvals(W)).max()
    C = fisher.noise_covariance(W)
    assert np.allclose(C, fisher.noise_covariance(W, "lyapunov"), rtol=1e-7, atol=1e-9 * abs(C).max())
    assert np.allclose(C, W @ C @ W.T + np.eye(n), rtol=1e-9, atol=1e-12 * abs(C).max())
    v = rng.normal(size=n)
    total = fisher.total_memory(W, v)
    assert 0 < total <= n * (v @ v) * (1 + 1e-9)
    assert np.isclose(total, fisher.memory_curve(W, v, 3000).sum(), rtol=1e-6)
    J = fisher.memory_matrix(W, v, 5)
    powers = np.array([np.linalg.matrix_power(W, k) @ v for k in range(5)])
    assert np.allclose(J, powers @ np.linalg.solve(C, powers.T), rtol=1e-6, atol=1e-9 * J[0, 0])


def test_memory_does_not_depend_on_the_coordinates():
    Q, W = distributions.random_orthogonal(100, 1), chain(100, 1.02)
    assert np.isclose(fisher.total_memory(Q @ W @ Q.T, Q @ source(100)), fisher.chain_total(100, 1.02), rtol=1e-9)


def test_where_scipy_is_lost_it_is_said_and_doubling_is_exact():
    W = chain(100, 2.0)
    with pytest.raises(ValueError, match="SciPy's noise covariance of this W is lost"):
        fisher.total_memory(W, source(100), "lyapunov")
    assert np.allclose(np.diag(fisher.noise_covariance(W)), np.diag(fisher.chain_covariance(100, 2.0)), rtol=1e-12)


@pytest.mark.parametrize(
    "W", [np.eye(3), distributions.random_orthogonal(100, 0), np.array([[-1.0]]), 1.02 * np.eye(2)]
)
def test_a_radius_of_one_and_above_is_refused(W):
    with pytest.raises(ValueError, match=r"spectral radius"):
        fisher.noise_covariance(W)


def test_stability_is_told_where_eigenvalues_cannot_be():
    """Number its units in another order, and NumPy takes the stable chain for unstable."""
    stable, unstable = distributions.feedback_chain(100, 2, 0.05).T, distributions.feedback_chain(100, 2, 0.26).T
    assert 2 * np.sqrt(2 * 0.05) < 1 < 2 * np.sqrt(2 * 0.26)
    place = np.random.default_rng(0).permutation(100)
    shuffled = stable[np.ix_(place, place)]
    assert abs(np.linalg.eigvals(shuffled)).max() > 1
    assert np.isclose(
        fisher.total_memory(shuffled, source(100)[place]), fisher.total_memory(stable, source(100)), rtol=1e-9
    )
    assert 75 < fisher.total_memory(stable, source(100)) < 100
    with pytest.raises(ValueError, match="not below 1"):
        fisher.total_memory(unstable, source(100))
    edge = 1 / (2 * np.cos(np.pi / 101))  # the α = β at which 2 √(αβ) cos(π/(N+1)) is 1
    fisher.check_stable(distributions.feedback_chain(100, 0.999 * edge, 0.999 * edge))
    with pytest.raises(ValueError, match="spectral radius"):
        fisher.check_stable(distributions.feedback_chain(100, 1.001 * edge, 1.001 * edge))


def test_the_factor_is_that_of_the_covariance():
    W = distributions.feedback_chain(30, 1.5, 0.1).T
    L = fisher.noise_factor(W)
    assert (L == np.tril(L)).all()
    C = fisher.noise_covariance(W)
    size = np.sqrt(np.diag(C))
    assert np.allclose(L @ L.T / size / size[:, None], C / size / size[:, None], atol=1e-13)


def test_bad_arguments_are_refused_in_a_line():
    W = chain(4, 1.0)
    with pytest.raises(ValueError, match="v must be a vector of W's 4 units"):
        fisher.total_memory(W, np.ones(3))
    with pytest.raises(ValueError, match="method must be"):
        fisher.noise_covariance(W, "schur")
    with pytest.raises(ValueError, match="square matrix"):
        fisher.noise_covariance(np.ones((2, 3)))
    with pytest.raises(ValueError, match="radius must be in"):
        fisher.normal_curve(1.0, 3)
