"""Compiled updates: what the source does, on one thread as on several, resumed as never stopped."""

import copy

import numpy as np
import pytest

from tinyrnn.compiler.updates import draft_update
from tinyrnn.optim.manifolds import Manifold
from tinyrnn.optim.optimisers import SGD, Adam, Optimiser, RMSProp

MAKERS = {
    "adam": Adam,
    "adam, decay": lambda: Adam(weight_decay=0.1),
    "rmsprop": RMSProp,
    "rmsprop as in PyTorch": lambda: RMSProp(variant="torch"),
    "sgd": lambda: SGD(0.1),
    "nesterov": lambda: SGD(0.1, momentum=0.9, nesterov=True),
}
SHAPES = {"W": (37, 29), "U": (8, 64), "b": (9,), "s": ()}  # with and without entries behind the last whole row


def arrays(rng, dtype):
    return {name: rng.normal(size=shape).astype(dtype) for name, shape in SHAPES.items()}


def trained(optimiser, dtype, steps=6, rng=0):
    rng = np.random.default_rng(rng)
    params = arrays(rng, dtype)
    for k in range(steps):
        optimiser.step(params, arrays(rng, dtype), lr=0.01 / (k + 1), scale=1.0 if k % 2 else 0.3)
    return params


@pytest.mark.few(3)
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_compiled_update_is_that_of_the_source(maker, dtype):
    plain, compiled = MAKERS[maker](), MAKERS[maker]().compile(1)
    expected, found = trained(plain, dtype), trained(compiled, dtype)
    assert None not in compiled.updates.kernels.values()
    tolerance = {"float32": 2e-6, "float64": 1e-14}[dtype]
    for name in SHAPES:
        np.testing.assert_allclose(found[name], expected[name], rtol=tolerance, atol=tolerance)
    for name, value in plain.state_dict().items():
        np.testing.assert_allclose(compiled.state_dict()[name], value, rtol=tolerance, atol=tolerance)


def test_several_threads_change_no_bit():
    rng = np.random.default_rng(0)
    start, g = ({"W": rng.normal(size=(700, 301)).astype("float32")} for _ in range(2))
    one, two = ({name: value.copy() for name, value in start.items()} for _ in range(2))
    Adam().compile(1).step(one, g)
    Adam().compile(3).step(two, g)
    assert one["W"].tobytes() == two["W"].tobytes() != start["W"].tobytes()


def test_a_resumed_run_goes_on_to_the_bit():
    rng = np.random.default_rng(1)
    optimiser, params = Adam().compile(), arrays(rng, "float32")
    optimiser.step(params, arrays(rng, "float32"))
    resumed, theirs = Adam().compile(), copy.deepcopy(params)
    resumed.load_state_dict(optimiser.state_dict())
    g = arrays(rng, "float32")
    optimiser.step(params, g)
    resumed.step(theirs, g)
    assert all(params[name].tobytes() == theirs[name].tobytes() for name in params)


def test_gradients_are_left_as_they_are_and_settings_changed_later_count():
    optimiser, params = SGD(0.5, momentum=0.5).compile(), {"W": np.ones((2, 64), "float32")}
    g = {"W": np.ones((2, 64), "float32")}
    optimiser.step(params, g)
    optimiser.momentum = 0.0
    optimiser.step(params, g)
    assert (params["W"] == 0).all() and (g["W"] == 1).all()


class Sorted(Optimiser):
    """Does what the compiler does not know."""

    name = "sorted"

    def update(self, lr, p, g):
        p[...] = np.sort(p - lr * g, axis=None).reshape(p.shape)


def test_an_update_that_the_compiler_does_not_know_runs_as_it_stands():
    params = {"W": np.arange(128.0).reshape(2, 64)}
    Sorted(1.0).compile().step(params, {"W": np.arange(128.0).reshape(2, 64) * 2})
    assert (params["W"].ravel() == -np.arange(128.0)[::-1]).all()


def test_what_is_not_contiguous_is_updated_as_the_source_stands():
    whole = np.zeros((64, 128))
    Adam(0.1).compile().step({"W": whole[:, ::2]}, {"W": np.ones((64, 64))})
    np.testing.assert_allclose(whole[:, ::2], -0.1)
    assert (whole[:, 1::2] == 0).all()


def test_copies_of_a_compiled_optimiser_go_their_own_way():
    optimiser, params = Adam().compile(), {"W": np.ones((2, 64))}
    optimiser.step(params, {"W": np.ones((2, 64))})
    twin, theirs = copy.deepcopy(optimiser), copy.deepcopy(params)
    for one, its in ((optimiser, params), (twin, theirs)):
        one.step(its, {"W": np.ones((2, 64))})
    assert (params["W"] == theirs["W"]).all() and twin.t == optimiser.t == 2


def test_on_a_manifold_the_others_are_compiled():
    rng = np.random.default_rng(0)
    start = {"W": np.linalg.qr(rng.normal(size=(8, 8)))[0], "V": rng.normal(size=(8, 16))}
    g = {name: rng.normal(size=value.shape) for name, value in start.items()}
    found, expected = ({name: value.copy() for name, value in start.items()} for _ in range(2))
    compiled, plain = (Manifold(Adam(), {"W": "orthogonal"}) for _ in range(2))
    compiled.compile().step(found, g, scale=0.5)
    plain.step(expected, {name: 0.5 * value for name, value in g.items()})
    for name in start:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-13)
    assert compiled.optimiser.updates.kernels


def test_an_update_is_one_loop():
    draft, _ = draft_update(Adam(), np.dtype("float32"))
    assert draft.code.text.count("FOR(") == 1
    assert draft.code.scratch == 0
