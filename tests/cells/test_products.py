"""Matrices as products of small ones: each against the matrix written out, its gradients against the complex step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.cells.parts import blocks, products
from tinyrnn.core.cell import Params
from tinyrnn.init.distributions import random_unitary


def as_complex(a):
    return a[..., : a.shape[-1] // 2] + 1j * a[..., a.shape[-1] // 2 :]


def assert_slopes(function, arguments, gradients, dy):
    """Each gradient is that of sum(dy * function(arguments)), by the complex step."""
    for k, (value, gradient) in enumerate(zip(arguments, gradients, strict=True)):
        assert gradient.shape == value.shape
        wanted = np.empty(value.shape)
        for index in np.ndindex(value.shape):
            moved = [a.astype(complex) for a in arguments]
            moved[k][index] += 1e-30j
            wanted[index] = (function(*moved) * dy).sum().imag / 1e-30
        np.testing.assert_allclose(gradient, wanted, rtol=1e-11, atol=1e-12)


# a matrix written out -------------------------------------------------------------------------------------------------


def test_a_complex_matrix_acts_on_rows_as_the_real_one_does():
    rng = np.random.default_rng(0)
    W, z = rng.normal(size=(3, 8)), rng.normal(size=(5, 6))
    M = blocks.complex_matrix(W)
    np.testing.assert_allclose(as_complex(z @ M), as_complex(z) @ as_complex(W), atol=1e-14)
    y = rng.normal(size=(5, 8))
    np.testing.assert_allclose(as_complex(y @ M.T), as_complex(y) @ as_complex(W).conj().T, atol=1e-14)


def test_gradient_of_a_complex_matrix():
    rng = np.random.default_rng(0)
    W, dM = rng.normal(size=(3, 8)), rng.normal(size=(6, 8))
    assert_slopes(blocks.complex_matrix, [W], [blocks.complex_matrix_backward(dM)], dM)


# layers of rotations --------------------------------------------------------------------------------------------------

KINDS = [("tunable", 1), ("tunable", 2), ("tunable", 5), ("fft", 0)]


def angles(n, pairing, capacity, rng):
    layers = products.pairs_of_layers(n, pairing, capacity)
    count = sum(len(first) for first, _ in layers)
    return layers, rng.normal(size=count), rng.normal(size=count), rng.normal(size=n)


def weights(theta, phi, layers, n):
    return Params(products.rotation_weights(theta, phi, layers, n))


def written_out(layers, theta, phi, n):
    """R_L ... R_1 as a complex matrix that acts on columns."""
    W, count = np.eye(n, dtype=complex), 0
    for first, second in layers:
        R = np.eye(n, dtype=complex)
        for j, k in zip(first, second, strict=True):
            c, s, turn = np.cos(theta[count]), np.sin(theta[count]), np.exp(1j * phi[count])
            R[np.ix_([j, k], [j, k])] = [[turn * c, -s], [turn * s, c]]
            count += 1
        W = R @ W
    return W


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("pairing, capacity", KINDS)
def test_layers_of_rotations_are_the_papers_matrices(pairing, capacity, n):
    rng = np.random.default_rng(n)
    layers, theta, phi, _ = angles(n, pairing, capacity, rng)
    z = rng.normal(size=(4, 3, 2 * n))
    y = products.rotations(z, weights(theta, phi, layers, n))
    np.testing.assert_allclose(as_complex(y), as_complex(z) @ written_out(layers, theta, phi, n).T, atol=1e-13)


@given(st.sampled_from(KINDS), st.integers(1, 20), st.integers(0, 99))
def test_layers_of_rotations_keep_the_norm_and_are_undone_by_their_backward_pass(kind, n, seed):
    rng = np.random.default_rng(seed)
    layers, theta, phi, _ = angles(n, *kind, rng)
    p, z = weights(theta, phi, layers, n), rng.normal(size=(2, 2 * n))
    y = products.rotations(z, p)
    np.testing.assert_allclose(np.linalg.norm(y, axis=-1), np.linalg.norm(z, axis=-1), rtol=1e-13)
    np.testing.assert_allclose(products.rotations_backward(y, p), z, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("pairing, capacity", KINDS)
def test_gradients_of_layers_of_rotations(pairing, capacity, n):
    rng = np.random.default_rng(0)
    layers, *parameters = angles(n, pairing, capacity, rng)
    z, dy = rng.normal(size=(2, 3, 2, 2 * n))

    def product(z, theta, phi, omega):
        return blocks.phases(products.rotations(z, weights(theta, phi, layers, n)), blocks.phase_weights(omega))

    p = weights(*parameters[:2], layers, n)
    dz = products.rotations_backward(blocks.phases_backward(dy, blocks.phase_weights(parameters[2])), p)
    assert_slopes(product, [z, *parameters], [dz, *products.rotations_gradient(z, dz, p)], dy)


@given(st.integers(1, 40), st.integers(1, 6))
def test_tunable_layers_pair_neighbours_in_turn(n, capacity):
    layers = products.pairs_of_layers(n, "tunable", capacity)
    assert len(layers) == capacity
    for k, (first, second) in enumerate(layers):
        assert (second == first + 1).all() and (first % 2 == k % 2).all()
        ends = {*([0] if k % 2 else []), *([n - 1] if (n - k) % 2 else [])}
        assert set(range(n)) - {*first, *second} == ends


@given(st.integers(1, 70))
def test_fft_layers_pair_each_unit_once_and_mix_all_where_n_is_a_power_of_two(n):
    layers = products.pairs_of_layers(n, "fft", 0)
    assert len(layers) == int(np.ceil(np.log2(n)))
    for first, second in layers:
        assert len({*first, *second}) == 2 * len(first)
        assert len({*(second - first)}) <= 1
    if n & (n - 1) == 0:
        assert all(len(first) == n // 2 for first, _ in layers)
        W = written_out(layers, *np.full((2, n * len(layers)), 0.3), n)
        assert (abs(W) > 0).all()


# Kronecker products ---------------------------------------------------------------------------------------------------

SIZES = [[1], [2], [2, 2], [2, 2, 2], [3, 2], [2, 3, 5], [5]]


def kronecker_of(W, sizes):
    made = np.eye(1)
    for rows in products.complex_rows(W, sizes):
        made = np.kron(made, as_complex(rows))
    return made


@pytest.mark.parametrize("leading", [(4,), (5, 3)])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_kronecker_product_is_the_matrix_written_out(sizes, leading):
    rng, n = np.random.default_rng(0), int(np.prod(sizes))
    W, z = rng.normal(size=sum(2 * q * q for q in sizes)), rng.normal(size=(*leading, 2 * n))
    y = products.kronecker(z, products.kronecker_weights(W, sizes), sizes)
    np.testing.assert_allclose(as_complex(y), as_complex(z) @ kronecker_of(W, sizes), atol=1e-12)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_gradients_of_a_kronecker_product(sizes):
    rng, n = np.random.default_rng(0), int(np.prod(sizes))
    W = rng.normal(size=sum(2 * q * q for q in sizes))
    z, dy = rng.normal(size=(2, 1, 2, 2 * n))
    M = products.kronecker_weights(W, sizes)

    def product(z, W):
        return products.kronecker(z, products.kronecker_weights(W, sizes), sizes)

    dz = products.kronecker_backward(dy, M, sizes)
    dW = products.kronecker_weights_backward(products.kronecker_gradient(z, dy, M, sizes), sizes)
    assert_slopes(product, [z, W], [dz, dW], dy)


@given(st.integers(1, 500))
def test_prime_factors_are_prime_ascending_and_multiply_to_the_number(n):
    factors = products.prime_factors(n)
    assert np.prod(factors) == n and factors == sorted(factors)
    assert n == 1 or all(q > 1 and all(q % d for d in range(2, q)) for q in factors)


def test_a_random_unitary_matrix_has_no_preferred_phase():
    draws = np.stack([as_complex(random_unitary(3, rng=seed)) for seed in range(2000)])
    assert abs(np.swapaxes(draws.conj(), 1, 2) @ draws - np.eye(3)).max() < 1e-14
    assert abs(draws.mean(axis=0)).max() < 0.05  # some 4 standard deviations; without the phases it is 0.3
    np.testing.assert_allclose((abs(draws) ** 2).mean(axis=0), 1 / 3, atol=0.03)
