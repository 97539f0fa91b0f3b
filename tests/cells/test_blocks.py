"""The blocks of a unitary matrix: each against complex arithmetic, its backward pass against the complex step."""

import numpy as np
import pytest
from contract import assert_same
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.cells.parts import blocks

N = 6
RNG = np.random.default_rng(0)
THETA, V = RNG.uniform(-np.pi, np.pi, N), RNG.normal(size=2 * N)
ORDER = RNG.permutation(N)
PERM = np.concatenate([ORDER, ORDER + N])


def as_complex(z):
    return z[..., : z.shape[-1] // 2] + 1j * z[..., z.shape[-1] // 2 :]


def as_real(z):
    return np.concatenate([z.real, z.imag], axis=-1)


def reflected(z, v):
    v = as_complex(v)
    return z - 2 * v * (z @ v.conj())[..., None] / np.vdot(v, v).real


# name -> forward and backward on [Re; Im], and the same forward on complex numbers
BLOCKS = {
    "phases": (
        lambda z: blocks.phases(z, blocks.phase_weights(THETA)),
        lambda dy: blocks.phases_backward(dy, blocks.phase_weights(THETA)),
        lambda z: z * np.exp(1j * THETA),
    ),
    "reflection": (
        lambda z: blocks.reflection(z, blocks.reflection_weights(V)),
        lambda dy: blocks.reflection_backward(dy, blocks.reflection_weights(V)),
        lambda z: reflected(z, V),
    ),
    "permutation": (
        lambda z: blocks.permutation(z, PERM),
        lambda dy: blocks.permutation_backward(dy, np.argsort(PERM)),
        lambda z: z[..., ORDER],
    ),
    "fourier": (blocks.fourier, blocks.fourier_backward, lambda z: np.fft.fft(z, norm="ortho")),
    "inverse fourier": (
        blocks.inverse_fourier,
        blocks.inverse_fourier_backward,
        lambda z: np.fft.ifft(z, norm="ortho"),
    ),
}


@pytest.mark.parametrize("leading", [(), (3,), (5, 3)], ids=["vector", "batch", "sequence"])
@pytest.mark.parametrize("block", BLOCKS)
def test_block_computes_what_complex_numbers_do(block, leading):
    forward, _, reference = BLOCKS[block]
    z = RNG.normal(size=(*leading, 2 * N))
    before = z.tobytes()
    assert_same({"y": forward(z)}, {"y": as_real(reference(as_complex(z)))}, 1e-14)
    assert z.tobytes() == before


@pytest.mark.parametrize("block", BLOCKS)
def test_block_is_unitary_and_backward_is_its_inverse(block):
    forward, backward, _ = BLOCKS[block]
    matrix = forward(np.eye(2 * N))
    assert abs(matrix @ matrix.T - np.eye(2 * N)).max() < 1e-12
    z = RNG.normal(size=(5, 3, 2 * N))
    np.testing.assert_allclose(backward(forward(z)), z, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(forward(z), axis=-1), np.linalg.norm(z, axis=-1), rtol=1e-14)


@pytest.mark.parametrize("block", BLOCKS)
def test_backward_agrees_with_the_complex_step(block):
    forward, backward, _ = BLOCKS[block]
    z, dy = RNG.normal(size=2 * N), RNG.normal(size=2 * N)
    wanted = [(forward(z + 1e-30j * e) * dy).sum().imag / 1e-30 for e in np.eye(2 * N)]
    np.testing.assert_allclose(backward(dy), wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("leading", [(3,), (5, 3)])
def test_gradient_of_the_phases(leading):
    z, dy = RNG.normal(size=(2, *leading, 2 * N))
    E = blocks.phase_weights(THETA)

    def loss(theta):
        return (blocks.phases(z, blocks.phase_weights(theta)) * dy).sum()

    wanted = [loss(THETA + 1e-30j * e).imag / 1e-30 for e in np.eye(N)]
    before = blocks.phases_gradient(z, blocks.phases_backward(dy, E))
    after = blocks.phases_gradient(blocks.phases(z, E), dy)
    np.testing.assert_allclose(before, wanted, rtol=1e-12)
    np.testing.assert_allclose(after, wanted, rtol=1e-12)


@pytest.mark.parametrize("leading", [(3,), (5, 3)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_gradient_of_the_reflection(leading, scale):
    z, dy = RNG.normal(size=(2, *leading, 2 * N))
    v = scale * V
    R = blocks.reflection_weights(v)

    def loss(v):
        return (blocks.reflection(z, blocks.reflection_weights(v)) * dy).sum()

    wanted = np.array([loss(v + 1e-30j * e).imag / 1e-30 for e in np.eye(2 * N)])
    dv = blocks.reflection_weights_backward(v, blocks.reflection_gradient(z, dy, R))
    assert_same({"dv": dv}, {"dv": wanted}, 1e-11)
    assert abs(dv @ v) <= 1e-12 * np.linalg.norm(dv) * np.linalg.norm(v)  # the length of v does not matter


def test_a_reflection_undoes_itself_and_turns_its_own_vector_round():
    R = blocks.reflection_weights(V)
    z = RNG.normal(size=(3, 2 * N))
    np.testing.assert_allclose(blocks.reflection(blocks.reflection(z, R), R), z, atol=1e-14)
    np.testing.assert_allclose(blocks.reflection(V, R), -V, rtol=1e-14)


@given(n=st.integers(1, 40), seed=st.integers(0, 99))
def test_blocks_keep_the_norm_at_any_size(n, seed):
    rng = np.random.default_rng(seed)
    z, v, theta = rng.normal(size=(2, 2 * n)), rng.normal(size=2 * n), rng.normal(size=n)
    order = rng.permutation(n)
    y = blocks.phases(z, blocks.phase_weights(theta))
    y = blocks.reflection(blocks.permutation(y, np.concatenate([order, order + n])), blocks.reflection_weights(v))
    y = blocks.inverse_fourier(blocks.reflection(blocks.fourier(y), blocks.reflection_weights(-2 * v[::-1])))
    np.testing.assert_allclose(np.linalg.norm(y, axis=1), np.linalg.norm(z, axis=1), rtol=1e-13)


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_keep_float32(block):
    theta, v = THETA.astype("float32"), V.astype("float32")
    z = RNG.normal(size=(3, 2 * N)).astype("float32")
    forward = {
        "phases": lambda z: blocks.phases(z, blocks.phase_weights(theta)),
        "reflection": lambda z: blocks.reflection(z, blocks.reflection_weights(v)),
    }.get(block, BLOCKS[block][0])
    y = forward(z)
    assert y.dtype == "float32"
    np.testing.assert_allclose(y, BLOCKS[block][0](z.astype("float64")), rtol=1e-4, atol=1e-5)
