"""Eigenvalues that NumPy gets wrong, errors that say so, pseudospectra, and powers that grow before they decay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.analysis import spectrum
from tinyrnn.init import distributions


@pytest.mark.parametrize("n", [2, 25, 50, 100])
def test_eigenvalues_of_a_chain_with_feedback_by_formula_and_solver(n):
    W = distributions.feedback_chain(n, 0.99, 0.04).T
    found = spectrum.eigenvalues(W)
    exact = spectrum.feedback_chain_eigenvalues(n, 0.99, 0.04)
    assert np.allclose(np.sort(found.values.real), np.sort(exact), atol=1e-13) and (found.values.imag == 0).all()
    assert np.isclose(found.radius, 2 * np.sqrt(0.99 * 0.04) * np.cos(np.pi / (n + 1)), rtol=1e-13)
    assert found.trusted and found.error < 1e-14


def test_the_trap_is_there_and_is_avoided():
    W = distributions.feedback_chain(100, 0.99, 0.04).T
    assert abs(abs(np.linalg.eigvals(W)).max() - 0.739) < 0.02
    assert abs(spectrum.spectral_radius(W) - 0.398) < 5e-4
    order = np.random.default_rng(0).permutation(100)
    assert abs(spectrum.spectral_radius(W[np.ix_(order, order)]) - 0.398) < 5e-4


def test_eigenvalues_that_are_lost_are_known_to_be():
    """In other coordinates nothing can be scaled any more; the estimate covers the error."""
    Q = distributions.random_orthogonal(100, 0)
    found = spectrum.eigenvalues(Q @ distributions.feedback_chain(100, 0.99, 0.04).T @ Q.T)
    assert not found.trusted and found.error > 0.05  # how much is lost is up to the rounding, 0.1 or so
    assert found.radius > 0.6


def test_a_chain_has_its_diagonal_as_eigenvalues_exactly():
    order = np.random.default_rng(1).permutation(50)
    W = distributions.chain(50, 1.05).T + np.diag(np.linspace(-0.5, 0.5, 50))
    found = spectrum.eigenvalues(W[np.ix_(order, order)])
    assert (np.sort(found.values.real) == np.linspace(-0.5, 0.5, 50)).all() and found.error == 0


@given(st.integers(0, 10_000))
def test_of_ordinary_matrices_they_are_numpys(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    W = rng.normal(size=(n, n)) * (rng.random((n, n)) < rng.uniform(0.2, 1))
    found = spectrum.eigenvalues(W)
    assert np.isclose(np.prod(found.values), np.linalg.det(W), atol=1e-8)
    assert np.isclose(found.values.sum(), np.trace(W), atol=1e-8)
    assert np.isclose((found.values**2).sum(), np.trace(W @ W), atol=1e-8)


@given(st.integers(0, 10_000), st.integers(-30, 30))
def test_scaling_units_does_not_change_them(seed, power):
    rng = np.random.default_rng(seed)
    W, D = rng.normal(size=(5, 5)), 2.0 ** (power * rng.random(5)).round()
    found = spectrum.eigenvalues(W * D[:, None] / D)
    assert np.allclose(np.sort_complex(found.values), np.sort_complex(np.linalg.eigvals(W)), atol=1e-6)


def test_coinciding_eigenvalues_of_normal_matrices_are_trusted():
    Q = distributions.random_orthogonal(20, 0)
    reflection = np.eye(20) - 2 * np.outer(Q[0], Q[0])
    for W in (Q, reflection, Q @ np.diag([1.0] * 19 + [0.5]) @ Q.T):
        assert spectrum.eigenvalues(W).trusted


@pytest.mark.parametrize(
    "W",
    [
        distributions.glorot_uniform((20, 20), 0),
        distributions.random_orthogonal(20, 0),
        distributions.chain(20, 1.0),
        distributions.chain(20, 1.0).T,
    ],
)
def test_pseudospectra_are_the_smallest_singular_values(W):
    z = np.array([[0.7 + 0.4j, 1.3], [-1.2j, -0.9 + 0.1j]])
    wanted = [[np.linalg.svd(each * np.eye(20) - W, compute_uv=False)[-1] for each in row] for row in z]
    assert np.allclose(spectrum.smallest_singular_value(W, z), wanted, rtol=2e-3)


def test_pseudospectrum_far_below_rounding_where_w_is_triangular():
    sigma = spectrum.smallest_singular_value(distributions.chain(100, 1.0).T, np.array([0.5, 0.0, 1e-3]))
    assert np.isclose(sigma[0], 0.5**100 * 0.75, rtol=1e-6)  # to first order z^N (1 - z²)
    assert sigma[1] == sigma[2] == 0


def test_of_a_normal_matrix_it_is_the_distance_to_the_nearest_eigenvalue():
    values = np.array([0.5, -0.3, 0.9])
    Q = distributions.random_orthogonal(3, 0)
    z = np.array([0.5, 1.0 + 1.0j, -2.0, 0.1j])
    distance = abs(z[:, None] - values).min(axis=1)
    assert np.allclose(spectrum.smallest_singular_value(Q @ np.diag(values) @ Q.T, z), distance, atol=1e-8)


def test_powers_grow_first_whatever_the_radius():
    W = np.array([[0.5, 100], [0, 0.5]])
    norms = spectrum.power_norms(W, 5)
    assert norms[0] == 1 and abs(norms[5] - 31.25) < 2e-3 and abs(norms[1] - 100) < 3e-3
    assert spectrum.spectral_radius(W) == 0.5
    assert np.allclose(spectrum.power_norms(distributions.chain(10, 1.02), 12), [*1.02 ** np.arange(10), 0, 0, 0])


def test_what_is_no_square_matrix_is_refused():
    for W in (np.ones((2, 3)), np.ones(3), np.full((2, 2), np.nan)):
        with pytest.raises(ValueError, match="W "):
            spectrum.eigenvalues(W)
    with pytest.raises(ValueError, match="same sign"):
        spectrum.feedback_chain_eigenvalues(5, 1.0, -0.1)
