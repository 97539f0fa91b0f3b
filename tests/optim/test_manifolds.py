"""The Cayley step: what it does to a matrix, that it goes downhill, and that an optimiser with it can be resumed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.init.distributions import random_orthogonal, random_unitary
from tinyrnn.optim.manifolds import Cayley, Manifold, cayley
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

KINDS = {"unitary": random_unitary, "orthogonal": random_orthogonal}


def as_complex(W):
    n, columns = W.shape
    return W if columns == n else W[:, :n] + 1j * W[:, n:]


def deviation(W):
    """The largest entry of W* W - 1."""
    W = as_complex(W)
    return abs(W.conj().T @ W - np.eye(len(W))).max()


def complex_normal(rng, n):
    return rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))


# one step -------------------------------------------------------------------------------------------------------------


@given(kind=st.sampled_from(list(KINDS)), n=st.integers(1, 12), lr=st.floats(1e-6, 10), rms=st.booleans())
def test_a_step_of_any_length_stays_on_the_manifold(kind, n, lr, rms):
    rng = np.random.default_rng(n)
    W = KINDS[kind](n, rng=rng)
    optimiser = Cayley(kind, lr, rms=rms)
    for _ in range(3):
        optimiser.step({"W": W}, {"W": rng.normal(size=W.shape)})
    assert deviation(W) < 1e-13


def test_it_is_the_papers_formula():
    rng, lr = np.random.default_rng(0), 0.3
    W, G = as_complex(random_unitary(5, rng=rng)), complex_normal(rng, 5)
    Y = G @ W.conj().T - W @ G.conj().T
    wanted = np.linalg.inv(np.eye(5) + lr / 2 * Y) @ (np.eye(5) - lr / 2 * Y) @ W
    np.testing.assert_allclose(cayley(W, G, lr), wanted, atol=1e-14)


def test_rows_and_columns_take_the_same_step():
    rng = np.random.default_rng(0)
    W, G = as_complex(random_unitary(5, rng=rng)), complex_normal(rng, 5)
    np.testing.assert_allclose(cayley(W.T, G.T, 0.3), cayley(W, G, 0.3).T, atol=1e-14)


def test_to_first_order_the_step_is_along_the_gradient_within_the_manifold():
    rng, lr = np.random.default_rng(0), 1e-6
    W, G = as_complex(random_unitary(5, rng=rng)), complex_normal(rng, 5)
    np.testing.assert_allclose((cayley(W, G, lr) - W) / lr, -(G - W @ G.conj().T @ W), atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_the_nearest_matrix_on_the_manifold(kind):
    """min ||W - A||^2 over the manifold, whose solution is the polar factor of A."""
    rng = np.random.default_rng(0)
    W, A = KINDS[kind](4, rng=rng), KINDS[kind](4, rng=rng)
    if kind == "orthogonal":  # a manifold in two pieces, by the sign of the determinant
        for matrix in W, A:
            matrix[:, 0] *= np.linalg.det(matrix)
    A = A + 0.1 * rng.normal(size=A.shape)
    optimiser = Cayley(kind, 0.1)
    for _ in range(800):
        optimiser.step({"W": W}, {"W": 2 * (W - A)})
    U, _, Vh = np.linalg.svd(as_complex(A))
    np.testing.assert_allclose(as_complex(W), U @ Vh, atol=1e-8)


def test_scaled_entry_by_entry_the_gradient_does_not_let_it_rest_there():
    rng = np.random.default_rng(0)
    A = random_unitary(4, rng=rng) + 0.1 * rng.normal(size=(4, 8))
    U, _, Vh = np.linalg.svd(as_complex(A))
    moved = {}
    for rms in False, True:
        W = np.concatenate([(U @ Vh).real, (U @ Vh).imag], axis=1)
        before = W.copy()
        Cayley("unitary", 0.01, rms=rms).step({"W": W}, {"W": 2 * (W - A)})
        moved[rms] = abs(W - before).max()
    assert moved[False] < 1e-15 and moved[True] > 1e-3


def test_the_gradient_is_divided_by_its_running_root_mean_square():
    rng = np.random.default_rng(0)
    W = random_unitary(3, rng=rng)
    plain, v, optimiser = as_complex(W), 0, Cayley("unitary", 0.1, rms=True, rho=0.8, eps=1e-3)
    for _ in range(3):
        g = rng.normal(size=W.shape)
        v = 0.8 * v + 0.2 * g**2
        plain = cayley(plain, as_complex(g / (np.sqrt(v) + 1e-3)), 0.1)
        optimiser.step({"W": W}, {"W": g})
    np.testing.assert_allclose(as_complex(W), plain, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_float32_stays_float32(kind):
    W = KINDS[kind](6, rng=0, dtype="float32")
    g = np.random.default_rng(1).normal(size=W.shape).astype("float32")
    optimiser = Cayley(kind, 0.1, rms=True)
    optimiser.step({"W": W}, {"W": g})
    assert W.dtype == "float32" and deviation(W) < 1e-5
    assert {a.dtype.name for a in optimiser.state_dict().values()} == {"int64", "float32"}


# beside another optimiser ---------------------------------------------------------------------------------------------


def parameters(seed=0):
    rng = np.random.default_rng(seed)
    params = {"W": random_unitary(3, rng=rng), "R": random_orthogonal(4, rng=rng), "b": rng.normal(size=5)}
    return params, lambda: {name: rng.normal(size=value.shape) for name, value in params.items()}


ON = {"W": "unitary", "R": "orthogonal"}


def test_the_other_parameters_are_the_optimisers_own():
    (ours, draw), (alone, _) = parameters(), parameters()
    both, only = Manifold(Adam(0.1), ON), Adam(0.1)
    for _ in range(4):
        grads = draw()
        both.step(ours, grads)
        only.step({"b": alone["b"]}, {"b": grads["b"]})
    assert np.array_equal(ours["b"], alone["b"])
    assert deviation(ours["W"]) < 1e-14 and abs(ours["W"] - alone["W"]).max() > 0.1
    assert deviation(ours["R"]) < 1e-14 and abs(ours["R"] - alone["R"]).max() > 0.1


def test_a_schedule_scales_the_cayley_steps_in_proportion():
    (ours, draw), (theirs, _) = parameters(), parameters()
    grads = draw()
    Manifold(SGD(0.1), ON, lr=0.02).step(ours, grads, lr=0.05)
    Manifold(SGD(0.05), ON, lr=0.01).step(theirs, grads)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-15)


@pytest.mark.parametrize("rms", [False, True], ids=["plain", "rms"])
@pytest.mark.parametrize(
    "make", [lambda: Adam(0.1), lambda: SGD(0.1), lambda: RMSProp(0.1)], ids=["adam", "sgd", "rms"]
)
def test_what_goes_on_from_a_saved_state_is_bit_for_bit_what_never_stopped(make, rms):
    params, draw = parameters()
    first = Manifold(make(), ON, rms=rms)
    for _ in range(3):
        first.step(params, draw())
    second, copied = Manifold(make(), ON, rms=rms), {name: value.copy() for name, value in params.items()}
    second.load_state_dict(first.state_dict())
    for _ in range(3):
        grads = draw()
        first.step(params, grads)
        second.step(copied, grads)
    assert all(np.array_equal(params[name], copied[name]) for name in params)
    assert first.state_dict().keys() == second.state_dict().keys()


def test_a_state_of_another_kind_is_refused():
    params, draw = parameters()
    plain, scaled = Manifold(Adam(0.1), ON), Manifold(Adam(0.1), ON, rms=True)
    scaled.step(params, draw())
    with pytest.raises(ValueError, match="remembers nothing called 'cayley-"):
        plain.load_state_dict(scaled.state_dict())
    with pytest.raises(ValueError, match="no state of cayley"):
        plain.load_state_dict(Adam(0.1).state_dict())


@pytest.mark.parametrize(
    "make, match",
    [
        (lambda: Cayley("sphere"), "unknown manifold 'sphere'; choose from unitary, orthogonal"),
        (lambda: Manifold(Adam(), {"W": "sphere"}), "unknown manifold 'sphere'"),
        (lambda: Cayley("unitary", -1), "lr must be at least 0"),
    ],
)
def test_what_is_no_manifold_is_refused_in_one_line(make, match):
    with pytest.raises(ValueError, match=match) as error:
        make()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind, shape", [("unitary", (3, 3)), ("orthogonal", (3, 6)), ("unitary", (3,))])
def test_a_parameter_of_the_wrong_shape_is_refused(kind, shape):
    with pytest.raises(ValueError, match=f"{kind} parameters are .*, got shape"):
        Cayley(kind).step({"W": np.ones(shape)}, {"W": np.ones(shape)})


def test_a_name_that_is_no_parameter_is_refused():
    with pytest.raises(ValueError, match="'W' is said to be on a manifold, but is no parameter"):
        Manifold(Adam(), {"W": "unitary"}).step({"b": np.ones(2)}, {"b": np.ones(2)})


# in a network and in training -----------------------------------------------------------------------------------------


def test_a_network_says_which_of_its_parameters_are_on_a_manifold():
    layers = tr.Stack(tr.Bidirectional(tr.FullUnitaryRNN(2, 3, rng=0), tr.Elman(2, 3, rng=0)), tr.FullUnitaryRNN(9, 2))
    model = tr.Model(layers, tr.Readout(4, 2, rng=0))
    assert dict(model.manifolds) == {"layers.0.forward.W": "unitary", "layers.1.W": "unitary"}
    assert set(model.manifolds) <= set(model.params)


def settings(**changed):
    options = {"cell": "urnn-full", "task_options": {"delay": 5}, "hidden": 6, "batch": 4, "updates": 6} | changed
    return Settings(**options, dtype="float64", clip_norm=1.0, schedule="cosine", compiled=False, save_every=3)


def test_the_trainer_keeps_the_matrix_unitary_and_trains_all_else_as_before():
    trainer = Trainer(settings(manifold_lr=0.01), None)
    W, V = (trainer.model.params[f"layers.{name}"].copy() for name in "WV")
    for _ in range(5):
        trainer.update()
    assert isinstance(trainer.optimiser, Manifold) and trainer.optimiser.steps["unitary"].lr == 0.01
    assert deviation(trainer.model.params["layers.W"]) < 1e-14
    assert abs(trainer.model.params["layers.W"] - W).max() > 1e-4
    assert abs(trainer.model.params["layers.V"] - V).max() > 1e-4


def test_without_a_manifold_the_trainers_optimiser_is_the_plain_one():
    assert isinstance(Trainer(settings(cell="eurnn"), None).optimiser, Adam)


@pytest.mark.few(1)
@pytest.mark.parametrize("rms", [False, True], ids=["plain", "rms"])
def test_a_run_that_is_resumed_is_bit_for_bit_the_run_that_never_stopped(tmp_path, rms):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    Trainer(settings(manifold_rms=rms, manifold_lr=0.003), whole).run(progress=False)
    trainer = Trainer(settings(manifold_rms=rms, manifold_lr=0.003), cut)
    update, calls = trainer.update, []

    def stop_after_four():
        calls.append(None)
        if len(calls) > 4:
            raise InterruptedError
        return update()

    trainer.update = stop_after_four
    with pytest.raises(InterruptedError):
        trainer.run(progress=False)
    resumed = Trainer.resume(cut)
    assert resumed.step == 3
    resumed.run(progress=False)
    wanted = Trainer.resume(whole).model.params
    assert all(np.array_equal(resumed.model.params[name], wanted[name]) for name in wanted)
