"""Matrices of cells: each does to a column what the cell, made linear, does to its state."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.analysis.jacobians import step_jacobian
from tinyrnn.analysis.recurrent import linearised, matrices
from tinyrnn.cells import CELLS
from tinyrnn.training.settings import construct

LINEAR = {  # name -> options with which a step without input and bias is the matrix and nothing else
    "elman": {"activation": "identity"},
    "lt-ornn": {},
    "householder": {"slope": 1.0},
    "svd-rnn": {"activation": "identity"},
    "exprnn": {},
    "urnn": {},
    "urnn-full": {},
    "urnn-naive": {},
    "eurnn": {},
    "eurnn-fft": {},
    "kronecker": {},
}


def made(name, hidden=6, **options):
    cls, own = CELLS[name]
    return construct(name, cls, {**own, **options}, 2, hidden, rng=3, dtype="float64")


def moved(cell, rng):
    for value in cell.params.values():
        value += rng.normal(0, 0.1, value.shape)
    return cell


@pytest.mark.parametrize("name", LINEAR)
def test_a_linear_step_is_the_product_with_the_matrix(name):
    rng = np.random.default_rng(0)
    cell = moved(made(name, **LINEAR[name]), rng)
    cell.params["b"][:] = 0
    h = rng.normal(size=(4, *cell.state_sizes))
    _, tape = cell.forward(np.zeros((1, 4, 2)), (h,))
    (W,) = matrices(cell).values()
    assert np.allclose(tape.state[0], h @ W.T, atol=1e-12)


def test_gates_are_taken_apart_in_their_order():
    lstm, gru, cho = (moved(made(name), np.random.default_rng(1)) for name in ("lstm", "gru", "gru-cho"))
    for cell in (lstm, gru, cho):
        cell.params["b"][:] = 0
    gru.params["b_n"][:] = 0
    found = matrices(lstm)
    assert list(found) == ["W_h[i]", "W_h[f]", "W_h[o]", "W_h[g]"]
    A, _ = linearised(lstm)  # at rest all gates are half open: c = ½ W_g h, and h = ½ c
    assert np.allclose(A[6:, :6], found["W_h[g]"] / 2) and np.allclose(A[:6, :6], found["W_h[g]"] / 4)
    assert np.allclose(linearised(gru)[0], np.eye(6) / 2 + matrices(gru)["W_h[n]"] / 4)
    assert list(matrices(cho)) == ["W_rz[r]", "W_rz[z]", "W_n"]
    assert np.allclose(linearised(cho)[0], np.eye(6) / 2 + matrices(cho)["W_n"] / 4)
    for k, block in enumerate(found.values()):
        assert (block == lstm.params.W_h[:, 6 * k : 6 * k + 6].T).all()


def test_derived_weights_are_given_as_the_cell_uses_them():
    cell = moved(made("antisymmetric"), np.random.default_rng(2))
    cell.params["b"][:] = 0
    M = matrices(cell)["M"]
    assert np.allclose(M + M.T, -2 * cell.gamma * np.eye(6))
    assert np.allclose(linearised(cell)[0], np.eye(6) + cell.epsilon * M)
    scales = made("lmn-multiscale", 4, modules=2)
    scales.params["W_mm"][:] = 1
    assert (matrices(scales)["M"] == np.kron([[1, 1], [0, 1]], np.ones((4, 4)))).all()  # slow ones drive fast ones
    product = made("multiplicative")
    assert np.allclose(matrices(product)["W_fh W_hf"].T, product.params.W_fh @ product.params.W_hf)


def test_every_cell_has_square_matrices_of_its_own_that_may_be_changed():
    for name in CELLS:
        cell = made(name)
        before = {key: value.copy() for key, value in cell.params.items()}
        for W in matrices(cell).values():
            assert W.ndim == 2 and W.shape[0] == W.shape[1] and W.dtype == np.float64
            W[:] = np.nan
        assert all((value == before[key]).all() for key, value in cell.params.items())


def test_layers_and_models_have_their_parts_names_in_front():
    stack = tr.Stack(tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.GRU(2, 3, rng=1)), tr.Elman(6, 4, rng=2))
    found = matrices(tr.Model(stack, tr.Readout(4, 1)))
    assert list(found) == ["0.forward.W_h", "0.backward.W_h[r]", "0.backward.W_h[z]", "0.backward.W_h[n]", "1.W_h"]
    assert (found["1.W_h"] == stack.layers[1].params.W_h.T).all()


def test_a_cell_without_names_has_the_jacobian_of_a_step():
    W = np.random.default_rng(4).normal(size=(3, 3))

    def my_step(p, x, state):
        return (np.tanh(state[0] @ p["W"] + x @ p["U"]),), (x, state[0], np.tanh(state[0] @ p["W"] + x @ p["U"]))

    def my_backward(p, cache, dstate):
        x, h_prev, h = cache
        da = dstate[0] * (1 - h**2)
        return da @ p["U"].T, (da @ p["W"].T,), {"W": h_prev.T @ da, "U": x.T @ da}

    U = np.random.default_rng(5).normal(size=(2, 3))
    cell = tr.StepCell(my_step, my_backward, params={"W": W, "U": U}, input_size=2, state_sizes=3)
    assert np.allclose(matrices(cell)["jacobian"], W.T)
    assert np.allclose(linearised(cell)[1], U.T)
    state, x = [np.array([0.3, -0.2, 0.5])], np.array([0.1, 0.7])
    A, B = linearised(cell, state, x)
    slope = 1 - np.tanh(state[0] @ W + x @ U) ** 2
    assert np.allclose(A, slope[:, None] * W.T) and np.allclose(B, slope[:, None] * U.T)


def test_linearised_agrees_with_the_jacobian_of_a_step():
    for name in ("lstm", "qrnn", "scrn", "lmn-multiscale"):
        cell = moved(made(name), np.random.default_rng(6))
        zeros = tuple(np.zeros((1, n)) for n in cell.state_sizes)
        assert np.allclose(linearised(cell)[0], step_jacobian(cell, np.zeros((1, 2)), zeros), atol=1e-14)


def test_what_has_no_recurrent_layers_is_refused():
    with pytest.raises(ValueError, match="Readout has no recurrent matrices"):
        matrices(tr.Readout(3, 2))
