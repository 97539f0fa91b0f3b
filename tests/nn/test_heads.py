"""Readouts and embeddings: their formulas, and their gradients against the complex step."""

import copy

import array_api_strict
import numpy as np
import pytest
from contract import assert_same
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn import Embedding, LinearRNN, PooledReadout, Readout
from tinyrnn.core.backend import to_numpy

RNG = np.random.default_rng(0)


def gradients(head, h, dy):
    dh, dparams = head.backward(dy, head.forward(h)[1])
    return {"dh": dh, **dparams}


def complex_step(head, h, dy):
    """Gradients of sum(y * dy), every entry by the complex step."""
    head, h = copy.deepcopy(head), h.astype(complex)
    head.params.update({name: value.astype(complex) for name, value in head.params.items()})
    result = {}
    for name, array in {"dh": h, **head.params}.items():
        result[name] = np.empty(array.shape)
        for index in np.ndindex(array.shape):
            array.imag[index] = 1e-30
            result[name][index] = (head.forward(h)[0] * dy).sum().imag / 1e-30
            array.imag[index] = 0
    return result


def moved(head):
    """The head with no parameter zero."""
    for value in head.params.values():
        value += RNG.normal(0, 0.3, value.shape)
    return head


@pytest.mark.parametrize("leading", [(3,), (5, 3)], ids=["last step", "every step"])
@pytest.mark.parametrize(
    "head",
    [
        Readout(6, 2, rng=0),
        Readout(6, 2, rng=0, bias=False),
        PooledReadout(6, 2, rng=0),
        PooledReadout(6, 2, rng=0, size=3, stride=2),
    ],
    ids=["linear", "no bias", "pooled", "overlapping"],
)
def test_readout_gradients(head, leading):
    head = moved(head)
    h, dy = RNG.normal(size=(*leading, 6)), RNG.normal(size=(*leading, 2))
    h_before, dy_before = h.tobytes(), dy.tobytes()
    got = gradients(head, h, dy)
    assert_same(got, complex_step(head, h, dy), 1e-12)
    assert list(got)[1:] == list(head.params)
    assert (h.tobytes(), dy.tobytes()) == (h_before, dy_before)


@given(
    units=st.integers(1, 9),
    size=st.integers(1, 9),
    stride=st.integers(1, 5),
    zeros=st.sets(st.integers(0, 8)),
    seed=st.integers(0, 99),
)
def test_pools_of_any_size_and_stride(units, size, stride, zeros, seed):
    size = min(size, units)
    head = PooledReadout(units, 2, size=size, stride=stride, rng=seed)
    rng = np.random.default_rng(seed)
    h, dy = rng.normal(size=(2, units)), rng.normal(size=(2, 2))
    starts = range(0, units - size + 1, stride)
    assert head.params["W_p"].shape == (len(starts), 2)
    pooled = np.stack([np.sqrt((h[:, i : i + size] ** 2).sum(axis=1)) for i in starts], axis=1)
    y = h @ head.params["W"] + pooled @ head.params["W_p"] + head.params["b"]
    assert_same({"y": head.forward(h)[0]}, {"y": y}, 1e-12)
    assert_same(gradients(head, h, dy), complex_step(head, h, dy), 1e-12)
    h[:, [i for i in zeros if i < units]] = 0  # some pools may now be zero as a whole
    got = gradients(head, h, dy)
    if pools_are_alive(h, starts, size):
        assert_same(got, complex_step(head, h, dy), 1e-12)
    assert all(np.isfinite(d).all() for d in got.values())


def pools_are_alive(h, starts, size):
    return all(h[:, i : i + size].any(axis=1).all() for i in starts)


def test_a_pool_that_is_exactly_zero_passes_nothing_back():
    head = PooledReadout(6, 2, rng=0)
    h = np.array([[0.0, 0.0, 3.0, 4.0, 0.0, 1e-200]])
    y, (_, pooled) = head.forward(h)
    np.testing.assert_array_equal(pooled[0, :2], [0.0, 5.0])
    dy = np.ones((1, 2))
    through_pools = gradients(head, h, dy)["dh"] - dy @ head.params["W"].T
    np.testing.assert_array_equal(through_pools[0, :2], 0)
    np.testing.assert_allclose(through_pools[0, 2:4], np.array([0.6, 0.8]) * head.params["W_p"][1].sum(), rtol=1e-12)
    assert np.isfinite(y).all() and np.isfinite(through_pools).all()


def test_units_after_the_last_full_pool_are_seen_unpooled_only():
    head = PooledReadout(5, 2, rng=0)
    assert head.params["W_p"].shape == (2, 2)
    h = RNG.normal(size=(1, 5))
    head.params["W"][...] = 0
    assert not gradients(head, h, np.ones((1, 2)))["dh"][0, 4]


def test_pooling_throws_away_exactly_the_phase():
    """With V of 2 x 2 rotations and pools of two, P(V^m h) = P(h) (Henaff et al. 2016)."""
    n, steps = 8, 200
    cell = LinearRNN(1, n, rng=0)
    cell.params["V"][...] = 0
    for k, angle in enumerate(RNG.uniform(0, 2 * np.pi, n // 2)):
        pair = slice(2 * k, 2 * k + 2)
        cell.params["V"][pair, pair] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    h_0 = RNG.normal(size=(3, n))
    head = PooledReadout(n, n // 2, rng=0)
    head.params["W"][...], head.params["W_p"][...] = 0, np.eye(n // 2)
    h, _ = cell.forward(np.zeros((steps, 3, 1)), (h_0,))
    assert abs(h[-1] - h_0).max() > 0.5
    assert abs(head.forward(h)[0] - head.forward(h_0)[0]).max() < 4e-15 * np.sqrt(steps)
    assert abs(head.forward(h[:10])[0] - head.forward(h_0)[0]).max() < 4e-15


@pytest.mark.parametrize(("size", "stride"), [(0, None), (2, 0), (7, None), (-1, 1)])
def test_impossible_pools_are_refused(size, stride):
    with pytest.raises(ValueError, match="PooledReadout: cannot pool 6 units by size"):
        PooledReadout(6, 2, size=size, stride=stride)


def test_embedding_looks_rows_up_and_adds_their_gradients():
    head = Embedding(4, 2, rng=0)
    x = np.array([[0, 3, 3], [3, 1, 0]])
    y, kept = head.forward(x)
    np.testing.assert_array_equal(y, head.params["W"][x])
    dy = RNG.normal(size=(2, 3, 2))
    dx, dparams = head.backward(dy, kept)
    assert dx is None and list(dparams) == ["W"]
    wanted = [dy[0, 0] + dy[1, 2], dy[1, 1], [0, 0], dy[0, 1] + dy[0, 2] + dy[1, 0]]
    np.testing.assert_allclose(dparams["W"], wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((2, 3)), r"Embedding: x must hold class numbers \(integers\), got float64"),
        (np.array([[0, 4]]), r"Embedding: class numbers must lie in 0..3"),
        (np.array([[-1, 0]]), r"Embedding: class numbers must lie in 0..3"),
    ],
)
def test_embedding_refuses_what_is_no_class(x, message):
    with pytest.raises(ValueError, match=message):
        Embedding(4, 2, rng=0).forward(x)


HEADS = [(Readout, RNG.normal(size=(5, 3, 4))), (PooledReadout, RNG.normal(size=(5, 3, 4)))]
HEADS += [(Embedding, RNG.integers(0, 4, (5, 3)))]


@pytest.mark.parametrize(("cls", "x"), HEADS)
def test_heads_keep_float32(cls, x):
    head = cls(4, 2, rng=0, dtype="float32")
    x = x if x.dtype.kind == "i" else x.astype("float32")
    y, kept = head.forward(x)
    dx, dparams = head.backward(y, kept)
    arrays = [y, *dparams.values(), *([] if dx is None else [dx])]
    assert head.dtype == "float32" and {a.dtype for a in arrays} == {np.dtype("float32")}


@pytest.mark.parametrize(("cls", "x"), HEADS)
def test_heads_work_where_their_arrays_live(cls, x):
    here, there = cls(4, 2, rng=0), cls(4, 2, rng=0).to(array_api_strict)
    y, kept = here.forward(x)
    y_there, kept_there = there.forward(array_api_strict.asarray(x))
    dx, dparams = here.backward(y, kept)
    dx_there, dparams_there = there.backward(y_there, kept_there)
    assert_same({"y": to_numpy(y_there)}, {"y": y}, 1e-14)
    assert_same({name: to_numpy(d) for name, d in dparams_there.items()}, dparams, 1e-14)
    assert dx is None if dx_there is None else np.array_equal(to_numpy(dx_there), dx)


@pytest.mark.parametrize("cls", [Readout, PooledReadout, Embedding])
def test_the_same_seed_gives_the_same_weights(cls):
    one, two, other = cls(4, 2, rng=7), cls(4, 2, rng=7), cls(4, 2, rng=8)
    assert all(np.array_equal(one.params[name], two.params[name]) for name in one.params)
    assert not np.array_equal(one.params["W"], other.params["W"])
    assert "b" not in one.params or not one.params["b"].any()


def test_heads_print_their_sizes():
    assert repr(Readout(6, 2, rng=0, dtype="float32")) == "Readout(6 -> 2, float32)"
