"""Timed arrays: every NumPy call is seen once and put under its kind, nothing is computed differently, and the matrix
products can be made again on their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.profiling.costs import Size, subject
from tinyrnn.profiling.measure import alone, ones_in, timed_run
from tinyrnn.profiling.timed_arrays import Tally, timed_class


def counts(tally):
    """kind -> calls, over all phases."""
    return {kind: sum(n for (_, k), n in tally.calls.items() if k == kind) for _, kind in tally.calls}


# what is seen ---------------------------------------------------------------------------------------------------------


class Counted(tr.Cell):
    """h = tanh(h_prev W + x U): few enough calls to count them by hand."""

    def init(self, rng):
        return {"U": np.ones((self.input_size, self.hidden_size)), "W": np.eye(self.hidden_size) / 2}

    def project(self, p, x):
        return x @ p.U

    def step(self, p, a, h_prev):
        h = np.tanh(h_prev @ p.W + a)
        return (h,), {}

    def step_backward(self, p, dh, *, h):
        da = dh * (1 - h * h)
        return da, (da @ p.W.T,)

    def gradients(self, p, x, da, *, h_prev):
        dU = x.reshape(-1, x.shape[-1]).T @ da.reshape(-1, da.shape[-1])
        dW = h_prev.reshape(-1, h_prev.shape[-1]).T @ da.reshape(-1, da.shape[-1])
        return da @ p.U.T, {"U": dU, "W": dW}


def test_the_calls_of_a_small_cell_are_those_that_its_source_makes():
    T, B, n, H = 4, 2, 3, 5
    rng = np.random.default_rng(0)
    tally = timed_run(Counted(n, H), rng.normal(size=(T, B, n)), rng.normal(size=(T, B, H)))
    calls = tally.calls
    assert calls["projection", "products"] == 1 and calls["projection", "arithmetic"] == 0
    assert calls["forward loop", "products"] == T
    assert calls["forward loop", "arithmetic"] == 2 * T  # sum and tanh
    assert calls["forward loop", "copies"] == T + 1  # each h to its place, and the initial one
    assert calls["backward loop", "products"] == T
    assert calls["weight gradients", "products"] == 3
    assert calls["weight gradients", "arithmetic"] == 0
    assert len(tally.products) == 2 * T + 4
    assert {key for key in tally.seconds if tally.seconds[key] < 0} == set()


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_computes_the_same_on_timed_arrays(name):
    cell, x, dh = subject(name, Size(4, 2, 3, 5))
    tally = Tally()
    kind = timed_class(tally)
    h, tape = cell.forward(x.view(kind))
    back = cell.backward(dh.view(kind), tape)
    expected, plain_tape = cell.forward(x)
    plain_back = cell.backward(dh, plain_tape)
    np.testing.assert_array_equal(np.asarray(h), expected)
    np.testing.assert_array_equal(np.asarray(back.inputs), plain_back.inputs)
    for param, value in plain_back.params.items():
        np.testing.assert_array_equal(np.asarray(back.params[param]), value)
    assert counts(tally)["products"] > 0


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda a: a @ a, "products"),
        (lambda a: np.einsum("ij,jk->ik", a, a), "products"),
        (lambda a: np.fft.fft(a), "products"),
        (lambda a: a * a, "arithmetic"),
        (lambda a: np.tanh(a), "arithmetic"),
        (lambda a: a.sum(axis=0), "arithmetic"),
        (lambda a: np.where(np.asarray(a) > 2, a, 0), "arithmetic"),
        (lambda a: np.multiply(a, 2, out=a), "arithmetic"),
        (lambda a: np.concatenate([a, a]), "copies"),
        (lambda a: a.__setitem__(0, a[1]), "copies"),
        (lambda a: a[[1, 0]], "copies"),
        (lambda a: a.__array_namespace__().zeros(3) + 1, "arithmetic"),
    ],
)
def test_each_call_is_put_down_once_under_its_kind(call, kind):
    tally = Tally()
    call(np.arange(9.0).reshape(3, 3).view(timed_class(tally)))
    assert counts(tally) == {kind: 1}


@pytest.mark.parametrize(
    "view", [lambda a: a.T, lambda a: a[1:], lambda a: a.reshape(-1), lambda a: np.swapaxes(a, 0, 1)]
)
def test_views_are_no_calls(view):
    tally = Tally()
    kind = timed_class(tally)
    assert type(view(np.ones((2, 3)).view(kind))) is kind
    assert counts(tally) == {}


def test_results_go_where_out_says():
    kind = timed_class(Tally())
    a, out = np.full(3, 2.0).view(kind), np.zeros(3).view(kind)
    assert np.multiply(a, 3, out=out) is out
    a += 1
    np.testing.assert_array_equal([np.asarray(out), np.asarray(a)], [[6, 6, 6], [3, 3, 3]])


# products alone -------------------------------------------------------------------------------------------------------


def test_the_floor_makes_the_same_products_on_arrays_of_the_same_layout():
    seen = []

    def product(a, b, **options):
        seen.append((a.shape, a.strides, b.shape, b.strides, a.dtype, options))
        return a @ b

    tally = Tally(phase="one")
    a, b = np.ones((4, 3), "float32"), np.ones((5, 3), "float32")
    for phase, left, right in (("one", a, b.T), ("two", b, a.T), ("one", a, b.T)):
        tally.phase = phase
        tally.timed("products", product, (left, right), {})
    expected = [seen[0], seen[2]]
    run = alone(tally.products, "one")
    seen.clear()
    run()
    assert seen == expected
    run = alone(tally.products)
    seen.clear()
    run()
    assert len(seen) == 3


def test_what_a_library_signals_of_made_up_operands_is_not_warned_of():
    signalling = ("one", np.divide, [np.zeros(1), np.zeros(1)], {})
    alone([signalling])()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_twins_lie_in_memory_as_the_original(shape, data):
    original = np.empty(shape, "float32").transpose(data.draw(st.permutations(range(len(shape)))))
    original = original[..., : data.draw(st.integers(1, original.shape[-1]))]
    twin = ones_in(original.shape, original.strides, original.dtype)
    assert (twin.shape, twin.strides, twin.dtype) == (original.shape, original.strides, original.dtype)
    assert (twin == 1).all()
