"""Unitary RNNs and their kin: what is unitary, stays unitary in training; what is only near it, is measured."""

import numpy as np
import pytest
from test_unitary import transition

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.cells.kronecker import Unitarity
from tinyrnn.cells.parts.products import kronecker_weights, matrices
from tinyrnn.cells.unitary import modrelu, modrelu_backward, modrelu_bias_gradient
from tinyrnn.nn.recompute.inverse import invert
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

UNITARY = ("urnn", "urnn-full", "urnn-naive", "eurnn", "eurnn-fft")


def made(name, n, input_size=2, **options):
    cls, defaults = CELLS[name]
    return cls(input_size, n, rng=n, **{**defaults, **options})


def deviation(W):
    """The largest entry of W* W - 1."""
    return abs(W.conj().T @ W - np.eye(len(W))).max()


# the transition -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17])
@pytest.mark.parametrize("name", [*UNITARY, "kronecker"])
def test_the_transition_is_unitary_to_begin_with(name, n):
    assert deviation(transition(made(name, n))) < 1e-13


@pytest.mark.parametrize("name", UNITARY)
def test_state_and_gradient_keep_their_norm_over_a_thousand_steps(name):
    cell, rng = made(name, 12), np.random.default_rng(0)
    h_0, dh_T = rng.normal(size=(2, 3, 24))
    _, tape = cell.forward(np.zeros((1000, 3, 2)), (h_0,))
    back = cell.backward(None, tape, (dh_T,))
    np.testing.assert_allclose(np.linalg.norm(tape.state[0], axis=1), np.linalg.norm(h_0, axis=1), rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(back.state[0], axis=1), np.linalg.norm(dh_T, axis=1), rtol=1e-11)


@pytest.mark.parametrize("name", UNITARY)
def test_the_state_before_is_found_from_the_state_after(name):
    cell, rng = made(name, 6), np.random.default_rng(0)
    cell.params["b"][...] = 0.05
    x, state = rng.normal(size=(30, 3, 2)), rng.normal(size=(3, 12))
    _, tape = cell.forward(x, (state,))
    np.testing.assert_allclose(invert(cell, x, tape.state)[0], state, atol=1e-11)


def test_the_gradient_of_the_bias_is_the_part_of_dz_along_its_direction():
    rng = np.random.default_rng(0)
    z, b, dh = rng.normal(size=(5, 3, 12)), rng.normal(-0.5, 0.5, 6), rng.normal(size=(5, 3, 12))
    z[0, 0] = 0
    _, u, gain = modrelu(z, b)
    dz, dshifted = modrelu_backward(dh, u, gain)
    assert (gain == 0).any() and (gain > 0).any()
    np.testing.assert_allclose(modrelu_bias_gradient(u, dz), dshifted.sum(axis=(0, 1)), atol=1e-13)


# a thousand updates ---------------------------------------------------------------------------------------------------


def trained(name, updates, **changed):
    """A cell after updates of the copy task, with everything in the way that training has in it."""
    settings = Settings(
        **{"cell": name, "task_options": {"delay": 3}, "hidden": 8, "batch": 4, "dtype": "float64", "lr": 3e-3}
        | {"schedule": "cosine", "clip_norm": 1.0, "updates": updates, "compiled": False}
        | changed
    )
    trainer = Trainer(settings, None)
    before = {name: value.copy() for name, value in trainer.model.params.items()}
    for _ in range(updates):
        trainer.update()
    assert all(abs(value - before[name]).max() > 1e-3 for name, value in trainer.model.params.items())
    return trainer.model.layers


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("name, rms", [*((name, False) for name in UNITARY), ("urnn-full", True)])
def test_it_is_unitary_after_a_thousand_updates(name, rms):
    found = deviation(transition(trained(name, 1000, manifold_rms=rms)))
    print(f"{name}: {found:.1e}")
    assert found < 1e-10


@pytest.mark.parametrize("name", UNITARY)
def test_it_is_unitary_after_thirty_updates(name):
    assert deviation(transition(trained(name, 30))) < 1e-12


@pytest.mark.slow
def test_the_penalty_keeps_kronecker_factors_nearer_to_unitary_the_stronger_it_is():
    options = [{"compiled": True, "cell_options": {"unitarity": strength}} for strength in (0, 0.1, 1.0)]
    found = [deviation(transition(trained("kronecker", 1000, **each).interpret())) for each in options]
    print(", ".join(f"{value:.1e}" for value in found))
    assert found[2] < found[1] < found[0]


# full capacity, naive -------------------------------------------------------------------------------------------------


def test_eigenvectors_of_the_naive_construction_stay_where_they_are():
    cell = trained("urnn-naive", 30)
    W, Q = transition(cell).T, cell.constants["Q"]  # T: of rows
    Q = Q[:, :8] + 1j * Q[:, 8:]
    np.testing.assert_allclose(Q.conj().T @ W @ Q, np.diag(np.exp(1j * cell.params["theta"])), atol=1e-13)


def test_the_full_matrix_is_what_its_rows_say():
    cell = made("urnn-full", 4)
    W = cell.params["W"]
    np.testing.assert_allclose(transition(cell).T, W[:, :4] + 1j * W[:, 4:], atol=1e-15)


# EURNN ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 4, 5])
def test_with_n_layers_every_direction_on_the_manifold_is_reached(n):
    """The unitary matrices are n^2-dimensional, and so is the neighbourhood that the angles can reach."""
    cell = made("eurnn", n, capacity=n)
    angles = ("theta", "phi", "omega")
    assert sum(cell.params[name].size for name in angles) == n * n
    W, slopes = transition(cell), []
    for name in angles:
        for k in range(cell.params[name].size):
            cell.params[name][k] += 1e-6
            slopes.append(((transition(cell) - W) / 1e-6).ravel())
            cell.params[name][k] -= 1e-6
    slopes = np.array(slopes)
    values = np.linalg.svd(np.concatenate([slopes.real, slopes.imag], axis=1), compute_uv=False)
    assert len(values) == n * n and values.min() > 1e-5  # rounding is 1e-10


@pytest.mark.parametrize("pairing, count", [("tunable", 4 + 3), ("fft", 3 * 4)])
def test_the_angles_of_an_eurnn_are_two_a_pair_and_one_a_unit(pairing, count):
    params = made("eurnn", 8, pairing=pairing).params
    assert params["theta"].shape == params["phi"].shape == (count,) and params["omega"].shape == (8,)


@pytest.mark.parametrize(
    "cls, options, match",
    [
        (tr.EURNN, {"capacity": 0}, "capacity must be a positive number of layers, got 0"),
        (tr.EURNN, {"capacity": 2.0}, "capacity must be a positive number of layers, got 2.0"),
        (tr.EURNN, {"pairing": "ring"}, 'pairing must be "tunable" or "fft", got \'ring\''),
        (tr.KroneckerRNN, {"unitarity": -1}, "unitarity must be at least 0, got -1"),
        (tr.KroneckerRNN, {"unitarity": float("nan")}, "unitarity must be at least 0, got nan"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(cls, options, match):
    with pytest.raises(ValueError, match=match) as error:
        cls(2, 4, rng=0, **options)
    assert "\n" not in str(error.value)


# Kronecker ------------------------------------------------------------------------------------------------------------


def perturbed_kronecker(n):
    cell = tr.KroneckerRNN(2, n, unitarity=0.3, rng=0)
    cell.params["W"] += np.random.default_rng(1).normal(0, 0.3, cell.params["W"].shape)
    return cell


def test_parameters_of_the_recurrence_are_eight_a_digit():
    assert tr.KroneckerRNN(2, 64, rng=0).params["W"].shape == (8 * 6,)


@pytest.mark.parametrize("n", [1, 4, 6, 5])
def test_the_penalty_is_the_distance_of_each_factor_from_unitary(n):
    cell = perturbed_kronecker(n)
    (penalty,) = cell.regularisers
    wanted = 0
    for M in matrices(kronecker_weights(cell.params["W"], cell.sizes), cell.sizes):
        q = len(M) // 2
        W = M[:q, :q] + 1j * M[:q, q:]
        wanted += 0.3 * (abs(W.conj().T @ W - np.eye(q)) ** 2).sum()
    assert penalty.weights(cell)[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("n", [1, 4, 6, 5])
def test_the_gradient_of_the_penalty_is_that_of_central_differences(n):
    cell, penalty = perturbed_kronecker(n), Unitarity(0.3)
    W, gradient = cell.params["W"], penalty.weights(cell)[1]["W"]
    for k in range(W.size):
        ends = []
        for step in 1e-6, -2e-6:
            W[k] += step
            ends.append(penalty.weights(cell)[0])
        W[k] += 1e-6
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


def test_the_penalty_begins_at_zero_and_is_left_out_with_strength_zero():
    cell = tr.KroneckerRNN(2, 12, rng=0)
    value, gradients = cell.regularisers[0].weights(cell)
    assert value < 1e-28 and abs(gradients["W"]).max() < 1e-14 and cell.regularisers[0].strength == cell.unitarity
    assert tr.KroneckerRNN(2, 12, rng=0, unitarity=0).regularisers == ()


def test_the_penalty_keeps_float32():
    cell = tr.KroneckerRNN(2, 12, rng=0, dtype="float32")
    assert cell.regularisers[0].weights(cell)[1]["W"].dtype == "float32"
