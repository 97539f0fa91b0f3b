"""Which arrays a cell takes, and what it says to all others: one line with what to write instead, and nothing moved."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.core.backend import xp_of

T, B = 3, 2
X = np.random.default_rng(0).normal(size=(T, B, 3))


class ArrayImpl:
    """A stand-in for JAX's arrays: they name a module that keeps to the standard, but cannot be written to."""

    __module__ = "jaxlib._jax"

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape, self.dtype, self.ndim = self.values.shape, self.values.dtype, self.values.ndim

    def __array_namespace__(self, api_version=None):
        return jax_numpy

    def __setitem__(self, key, value):
        raise TypeError("JAX arrays are immutable and do not support in-place item assignment.")


jax_numpy = SimpleNamespace(__name__="jax.numpy", asarray=ArrayImpl)


class OutOfMemory(Exception):
    pass


def full_after(arrays):
    """A module that keeps to the standard, on a device with room for so many arrays."""
    room = iter(range(arrays))

    class Array(np.ndarray):
        def __array_namespace__(self, api_version=None):
            return module

    def asarray(value):
        if next(room, None) is None:
            raise OutOfMemory
        return np.array(value).view(Array)

    module = SimpleNamespace(__name__="small", asarray=asarray)
    return module


def torch():
    return pytest.importorskip("torch")


def lstm(input_size=3):
    return tr.LSTM(input_size, 4, rng=0)


def stack():
    return tr.Stack(tr.UnitaryRNN(3, 4, rng=0), lstm(8))


def model():
    return tr.Model(lstm(), tr.Readout(4, 2, rng=0))


# where a cell can live -----------------------------------------------------------------------------------------------


def arrays_of(network):
    return {**network.params, **getattr(network, "constants", {})}


@pytest.mark.parametrize("make", [lstm, stack, model])
@pytest.mark.parametrize(
    ("place", "message"),
    [
        (torch, r"no cell can live in torch, only in numpy, cupy and the like; .* tinyrnn.interop.to_torch$"),
        (jax_numpy, r"no cell can live in jax.numpy, only in numpy, cupy and the like$"),
        ("cuda", r"expected a module, numpy or cupy, got 'cuda': for a GPU, import cupy and write .to\(cupy\)$"),
        (lambda: torch().device("cpu"), r"expected a module, numpy or cupy, got device\(type='cpu'\)"),
        (None, r"expected a module, numpy or cupy, got None"),
    ],
)
def test_a_place_where_no_cell_can_live_is_refused_in_one_line(make, place, message):
    network = make()
    before = arrays_of(network)
    with pytest.raises(TypeError, match=message):
        network.to(place() if callable(place) else place)
    assert all(arrays_of(network)[name] is value for name, value in before.items())


@pytest.mark.parametrize("make", [lstm, stack, model])
def test_a_move_that_fails_halfway_moves_nothing(make):
    network = make()
    before = arrays_of(network)
    with pytest.raises(OutOfMemory):
        network.to(full_after(3))
    assert all(arrays_of(network)[name] is value for name, value in before.items())


def test_arrays_that_do_not_name_their_module_are_cupys(monkeypatch):
    """CuPy's arrays, as of version 14, have no `__array_namespace__`."""
    cupy = SimpleNamespace(__name__="cupy")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert xp_of(type("ndarray", (), {"__module__": "cupy"})()) is cupy


# what a cell is given ------------------------------------------------------------------------------------------------

S = np.zeros((B, 4))
MASK = np.ones((T, B), bool)
DH = np.ones((T, B, 4))

GIVEN = {
    "x": lambda kind: lstm().forward(kind(X)),
    "state[1]": lambda kind: lstm().forward(X, (S, kind(S))),
    "mask": lambda kind: lstm().forward(X, mask=kind(MASK)),
    "dh": lambda kind: lstm().backward(kind(DH), lstm().forward(X)[1]),
    "dstate[0]": lambda kind: lstm().backward(None, lstm().forward(X)[1], (kind(S), None)),
    "target": lambda kind: model().gradients(X, kind(np.zeros((T, B), int))),
}
KINDS = {
    "torch.Tensor: write {}.numpy(force=True)": lambda values: torch().from_numpy(values),
    "jax.ArrayImpl: write numpy.asarray({})": ArrayImpl,
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("message", KINDS)
def test_an_array_of_another_module_is_refused_in_one_line(name, message):
    with pytest.raises(TypeError) as caught:
        GIVEN[name](KINDS[message])
    assert str(caught.value) == f"{name} must be a numpy array, got {message.format(name)}"


@pytest.mark.parametrize(("x", "kind"), [(X.tolist(), "list"), (None, "NoneType"), (3.0, "float")])
def test_what_is_no_array_is_refused_in_one_line(x, kind):
    with pytest.raises(TypeError, match=rf"^x must be a numpy array, got {kind}: write numpy.asarray\(x\)$"):
        lstm().forward(x)


def test_embeddings_refuse_arrays_of_another_module():
    with pytest.raises(TypeError, match=r"x must be a numpy array, got torch.Tensor"):
        tr.Embedding(5, 3).forward(torch().zeros((T, B), dtype=torch().int64))


REAL = {name: GIVEN[name] for name in ("x", "state[1]", "dh", "dstate[0]")}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (lambda a: a + 1j, "complex128: write {}.real"),
        (lambda a: a.astype(object), "object: write {}.astype(float)"),
        (lambda a: a.astype("U5"), "<U5: write {}.astype(float)"),
    ],
    ids=["complex", "object", "text"],
)
def test_what_holds_no_real_numbers_is_refused_in_one_line(name, kind, said):
    with pytest.raises(TypeError) as caught:
        REAL[name](kind)
    assert str(caught.value) == f"{name} must hold real numbers, got {said.format(name)}"


def test_complex_numbers_that_are_real_count_as_real():
    h, _ = lstm().forward(X.astype(complex))
    assert h.dtype == "float64" and np.array_equal(h, lstm().forward(X)[0])


def test_booleans_and_whole_numbers_count_as_numbers():
    bits = X > 0
    h, _ = lstm().forward(bits, (S.astype(int), S))
    assert np.array_equal(h, lstm().forward(bits.astype(float))[0])


def test_a_complex_step_goes_through():
    cell, step = lstm(), 1e-20
    h, tape = cell.forward(X + 1j * step)
    back = cell.backward(DH, cell.forward(X)[1])
    assert h.dtype == tape.state[1].dtype == "complex128"
    np.testing.assert_allclose(h.imag.sum() / step, back.inputs.sum(), rtol=1e-12)
