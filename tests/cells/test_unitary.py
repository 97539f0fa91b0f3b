"""The unitary RNN: its transition really is unitary, and as cheap as it claims; modReLU is the paper's."""

import tracemalloc

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.cells.unitary import modrelu, modrelu_backward


def transition(cell):
    """The complex n x n matrix W of z = W h: no input, and a modReLU with b = 0 changes nothing."""
    n = cell.hidden_size
    cell.params["b"][...] = 0
    zero_input = np.zeros((1, 2 * n, cell.input_size))
    rows, _ = cell.forward(zero_input, (np.eye(2 * n),))
    real = rows[0].T  # columns are the images of the basis vectors e_k and i e_k
    W = real[:n, :n] + 1j * real[n:, :n]
    np.testing.assert_allclose(real, np.block([[W.real, -W.imag], [W.imag, W.real]]), atol=1e-14)
    return W


@pytest.mark.parametrize("n", [1, 2, 5, 16, 64])
def test_transition_of_the_urnn_is_unitary(n):
    W = transition(tr.UnitaryRNN(1, n, rng=n))
    assert abs(W.conj().T @ W - np.eye(n)).max() < 1e-12
    np.testing.assert_allclose(abs(np.linalg.eigvals(W)), 1, rtol=1e-12)


def test_transition_of_the_urnn_is_the_product_of_its_blocks():
    """W = D_3 R_2 F^-1 D_2 Pi R_1 F D_1 (Arjovsky, Shah & Bengio 2015, section 4)."""
    n = 7
    cell = tr.UnitaryRNN(1, n, rng=0)
    p = cell.params

    def reflection(v):
        v = v[:n] + 1j * v[n:]
        return np.eye(n) - 2 * np.outer(v, v.conj()) / np.vdot(v, v)

    F = np.fft.fft(np.eye(n), norm="ortho")
    Pi = np.eye(n)[cell.constants["permutation"]]
    D_1, D_2, D_3 = (np.diag(np.exp(1j * p[f"theta_{k}"])) for k in (1, 2, 3))
    product = D_3 @ reflection(p["v_2"]) @ F.conj().T @ D_2 @ Pi @ reflection(p["v_1"]) @ F @ D_1
    np.testing.assert_allclose(transition(cell), product, atol=1e-14)


def test_state_and_gradient_of_the_urnn_keep_their_norm_over_a_thousand_steps():
    cell = tr.UnitaryRNN(1, 32, rng=0)
    rng = np.random.default_rng(0)
    h_0, dh_T = rng.normal(size=(2, 3, 64))
    _, tape = cell.forward(np.zeros((1000, 3, 1)), (h_0,))
    back = cell.backward(None, tape, (dh_T,))
    np.testing.assert_allclose(np.linalg.norm(tape.state[0], axis=1), np.linalg.norm(h_0, axis=1), rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(back.state[0], axis=1), np.linalg.norm(dh_T, axis=1), rtol=1e-11)


def test_initial_state_of_the_urnn_is_learned_and_of_unit_expected_norm():
    squares = [(tr.UnitaryRNN(1, 50, rng=seed).params["h_0"] ** 2).sum() for seed in range(200)]
    assert np.mean(squares) == pytest.approx(1, abs=0.03)
    assert "h_0" not in tr.UnitaryRNN(1, 50, rng=0, learn_state=False).params


def step_with_memory(n):
    """The most bytes in use at once in a forward and backward step of an uRNN with n units."""
    cell = tr.UnitaryRNN(1, n, rng=0)
    x = np.ones((1, 1, 1))
    tracemalloc.start()
    h, tape = cell.forward(x)
    back = cell.backward(h, tape)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(np.isfinite(d).all() for d in back.params.values())
    return peak


def test_a_urnn_of_100_000_units_runs_in_memory_proportional_to_its_size():
    small, large = step_with_memory(25_000), step_with_memory(100_000)
    assert large < 4.2 * small
    assert large < 150 * 100_000 * 8  # an n x n matrix would be 100 000 * 100 000 * 8


def test_modrelu_is_the_papers_formula():
    rng = np.random.default_rng(0)
    z, b = rng.normal(size=(50, 3, 10)), rng.normal(size=5)
    h, u, gain = modrelu(z, b)
    zc = z[..., :5] + 1j * z[..., 5:]
    wanted = np.where(abs(zc) + b >= 0, (abs(zc) + b) * zc / abs(zc), 0)
    assert (wanted == 0).any() and (wanted != 0).any()
    np.testing.assert_allclose(h[..., :5] + 1j * h[..., 5:], wanted, atol=1e-14)
    np.testing.assert_allclose(u[..., :5] + 1j * u[..., 5:], zc / abs(zc), rtol=1e-13)
    np.testing.assert_allclose(gain, abs(wanted) / abs(zc), rtol=1e-12, atol=1e-14)


def test_modrelu_passes_gradients_as_the_complex_step_says():
    rng = np.random.default_rng(0)
    z, b, dh = rng.normal(size=10), rng.normal(size=5), rng.normal(size=10)
    _, u, gain = modrelu(z, b)
    assert (gain == 0).any() and (gain != 0).any()
    dz, db = modrelu_backward(dh, u, gain)
    wanted_dz = [(modrelu(z + 1e-30j * e, b)[0] * dh).sum().imag / 1e-30 for e in np.eye(10)]
    wanted_db = [(modrelu(z, b + 1e-30j * e)[0] * dh).sum().imag / 1e-30 for e in np.eye(5)]
    np.testing.assert_allclose(dz, wanted_dz, atol=1e-13)
    np.testing.assert_allclose(db, wanted_db, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("b", [-0.5, 0.0, 0.5])
def test_modrelu_at_zero_is_zero_and_has_a_finite_gradient(b, dtype):
    z, bias = np.zeros((1, 4), dtype), np.full(2, b, dtype)
    h, u, gain = modrelu(z, bias)
    dz, db = modrelu_backward(np.ones_like(h), u, gain)
    assert not h.any() and not u.any()
    assert np.isfinite(dz).all() and np.isfinite(db).all()
    assert {a.dtype for a in (h, u, gain, dz, db)} == {np.dtype(dtype)}


def test_relu_on_the_parts_cuts_each_off_by_itself():
    """With the same weights z is that of the network with modReLU, which a bias of zero leaves as it is."""
    rng = np.random.default_rng(0)
    cell, linear = tr.UnitaryRNN(2, 6, activation="relu", rng=0), tr.UnitaryRNN(2, 6, rng=0)
    cell.params["b"] += rng.normal(0, 0.3, 12)
    x, state = rng.normal(size=(1, 40, 2)), (rng.normal(size=(40, 12)),)
    h, z = cell.forward(x, state)[0], linear.forward(x, state)[0]
    np.testing.assert_allclose(h, np.maximum(z + cell.params["b"], 0), atol=1e-13)
    real, imaginary = h[..., :6] > 0, h[..., 6:] > 0
    assert (real & ~imaginary).any() and (imaginary & ~real).any() and (~real & ~imaginary).any()


def test_another_activation_of_the_urnn_is_refused_in_one_line():
    with pytest.raises(ValueError, match="unknown activation 'tanh'; choose from modrelu, relu"):
        tr.UnitaryRNN(2, 6, activation="tanh")
