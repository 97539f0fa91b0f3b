"""Henrici's index and the commutator: the values of the closed forms, and the trap."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import schur

from tinyrnn.analysis.normality import commutator, henrici, henrici_bounds
from tinyrnn.init import distributions


def test_normal_matrices_have_the_index_zero():
    Q = distributions.random_orthogonal(100, 0)
    for W in (Q, np.eye(100), Q + Q.T, Q - Q.T, 0 * Q, distributions.ramp(100)):
        assert henrici(W) < 1e-11 and commutator(W) < 1e-11


def test_the_index_of_chains():
    assert abs(henrici(distributions.chain(100, 1.02)) - 10.148872) < 5e-7
    assert np.isclose(henrici(distributions.chain(100, 1.02)), 1.02 * np.sqrt(99), rtol=1e-14)
    W = distributions.feedback_chain(100, 0.99, 0.04)
    assert abs(henrici(W) - 9.452381) < 5e-7 and abs(henrici(W, real=True) - 9.452381) < 5e-7
    assert np.isclose(henrici(W), 0.95 * np.sqrt(99), rtol=1e-13)
    assert abs(henrici(distributions.feedback_chain(50, 0.99, 0.04)) - 6.65) < 5e-3


@pytest.mark.parametrize(("n", "wrong", "right"), [(100, 7.51, 9.45), (50, 6.47, 6.65), (25, 4.654, 4.654)])
def test_the_trap_that_numpys_eigenvalues_are(n, wrong, right):
    W = distributions.feedback_chain(n, 0.99, 0.04).T
    naive = np.sqrt(np.linalg.norm(W) ** 2 - (abs(np.linalg.eigvals(W)) ** 2).sum())
    assert abs(naive - wrong) < 0.05 and abs(henrici(W) - right) < 5e-3


def test_an_index_that_cannot_be_trusted_is_reported_with_bounds():
    Q = distributions.random_orthogonal(100, 0)
    W = Q @ distributions.feedback_chain(100, 0.99, 0.04).T @ Q.T
    with pytest.warns(RuntimeWarning, match="lost to rounding") as caught:
        found = henrici(W)
    low, high = henrici_bounds(W)
    assert low <= found <= high and np.isclose(high, 9.452381, atol=1e-6)
    assert "between 0.070185 and 9.45238" in str(caught[0].message)
    assert np.isclose(henrici(W, real=True), 9.452381, atol=1e-6)


@given(st.integers(0, 10_000))
def test_index_of_random_matrices_is_the_strict_part_of_their_schur_form(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    W = rng.normal(size=(n, n)) + rng.choice([0, 10]) * np.eye(n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d = henrici(W)
    assert np.isclose(d, np.linalg.norm(np.triu(schur(W.astype(complex))[0], 1)), rtol=1e-6)
    low, high = henrici_bounds(W)
    assert low <= d * (1 + 1e-9) and d <= high * (1 + 1e-9)
    assert np.isclose(henrici(3 * W), 3 * d) and np.isclose(henrici(W.T), d)


def test_small_departures_are_not_lost_in_the_difference():
    Q = distributions.random_orthogonal(30, 0)
    W = Q @ (np.diag(np.linspace(1, 2, 30)) + 1e-9 * np.eye(30, k=1)) @ Q.T
    assert np.isclose(henrici(W), 1e-9 * np.sqrt(29), rtol=1e-3)


def test_the_commutator_sees_the_ends_of_a_chain_only():
    for n in (3, 100):
        assert np.isclose(commutator(distributions.chain(n, 1.02)), np.sqrt(2) * 1.02**2)
        assert np.isclose(commutator(distributions.feedback_chain(n, 0.99, 0.04)), np.sqrt(2) * (0.99**2 - 0.04**2))
