"""What cells may do in `gradients`: compiled it gives what it gives as it stands, whatever is summed over the rows."""

import numpy as np
import pytest
from comparing import BOUND, assert_agree, cache, compiled, needs_compiler, partly_compiled, plain  # noqa: F401 (a fixture)
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.cells.parts.blocks import pairs
from tinyrnn.compiler.buffers import Buffers
from tinyrnn.compiler.gradients import sum_products
from tinyrnn.compiler.kernels import products
from tinyrnn.core.ops import affine, affine_backward, tanh, weight_gradient

pytestmark = [needs_compiler, partly_compiled, pytest.mark.usefixtures("cache")]
H = 8


class Summing(tr.Cell):
    """h' = tanh(x W + h); dQ is whatever `q` makes of h, da and x. Q itself does nothing."""

    def init(self, rng):
        return {"W": rng.normal(size=(self.input_size, H)), "Q": rng.normal(size=self.shape)}

    def project(self, p, x):
        return affine(x, p.W)

    def step(self, p, a, h_prev):
        return (tanh(a + h_prev),), {}

    def step_backward(self, p, dh, *, h):
        da = dh * (1 - h * h)
        return da, (da,)

    def gradients(self, p, x, da, *, h_prev):
        dx, dW, _ = affine_backward(x, p.W, da)
        return dx, {"W": dW, "Q": self.q(p, h_prev, da)}


def cell(q, shape, dtype="float64", n=3):
    made = type("Made", (Summing,), {"q": staticmethod(q), "shape": shape})
    return made(n, H, rng=0, dtype=dtype)


TAKEN = {
    "a product": (lambda p, h, da: weight_gradient(h, da), (H, H)),
    "a product and a number": (lambda p, h, da: 2.5 * weight_gradient(h, da), (H, H)),
    "a difference of products": (lambda p, h, da: weight_gradient(h, da) - weight_gradient(da, h), (H, H)),
    "minus a product": (lambda p, h, da: -weight_gradient(h, da), (H, H)),
    "few columns": (lambda p, h, da: weight_gradient(h, da[..., 2:5]), (H, 3)),
    "few rows": (lambda p, h, da: weight_gradient(da[..., :2], h), (2, H)),
    "one column, twice": (lambda p, h, da: weight_gradient(h, da[..., :1]) + weight_gradient(da, h[..., 3:4]), (H, 1)),
    "one entry": (lambda p, h, da: weight_gradient(h[..., 7:], da[..., :1]), (1, 1)),
    "part of a row": (lambda p, h, da: weight_gradient(h[..., 1:7], da[..., 2:]), (6, 6)),
    "a factor in another order": (lambda p, h, da: weight_gradient(h[..., ::-1], da[..., ::-1]), (H, H)),
    "computed factors": (lambda p, h, da: weight_gradient(h * h, tanh(h + da)), (H, H)),
    "one computed factor twice": (lambda p, h, da: weight_gradient(h * h, h * h), (H, H)),
    "a product with weights within": (lambda p, h, da: weight_gradient(h @ p.Q, da), (H, H)),
    "a sum over time and batch": (lambda p, h, da: (h * da).sum(axis=(0, 1)), (H,)),
    "a sum over rows": (lambda p, h, da: (h * da).reshape(-1, H).sum(axis=0), (H,)),
    "sums, added and scaled": (lambda p, h, da: 3 * h.sum(axis=(0, 1)) - (da + h).sum(axis=(0, 1)), (H,)),
    "one number": (lambda p, h, da: (h * da).sum(axis=-1, keepdims=True).sum(axis=(0, 1)), (1,)),
    "a matrix for each row": (lambda p, h, da: (pairs(h) * pairs(da)[..., ::-1, :]).sum(axis=(0, 1)), (2, H // 2)),
    "a tall matrix for each row": (lambda p, h, da: (h[..., :, None] * da[..., None, :2]).sum(axis=(0, 1)), (H, 2)),
}
REFUSED = {
    "a product with a sum": (lambda p, h, da: weight_gradient(h, da) @ p.Q, (H, H)),
    "a sum times an array": (lambda p, h, da: weight_gradient(h, da) * p.Q, (H, H)),
    "a branch": (lambda p, h, da: weight_gradient(h, da) * (2 if (h > 0).any() else 3), (H, H)),
    "no sum at all": (lambda p, h, da: 0 * p.Q, (H, H)),
    "a sum over time only": (lambda p, h, da: h.sum(axis=0).sum(axis=0), (H,)),
    "single rows": (lambda p, h, da: h[0, 0] * 0, (H,)),
}
NO_SUM = {  # of chunks of time steps one cannot make what they would be of the whole sequence, in any path
    "a sum and an array": (lambda p, h, da: weight_gradient(h, da) + p.Q, (H, H)),
    "the largest": (lambda p, h, da: h.max(axis=(0, 1)), (H,)),
    "the mean": (lambda p, h, da: h.reshape(-1, H).sum(axis=0) * (1 / h.reshape(-1, H).shape[0]), (H,)),
}


def gradients(cell, x, dh):
    tape = cell.forward(x)[1]
    grads = cell.backward(dh, tape)
    return {**grads.params, **({} if grads.inputs is None else {"x": grads.inputs})}


def agree(q, shape, T, B, dtype="float64", n=3, index=False, threads=2):
    """Plain and compiled gradients agree; returns the compiled cell."""
    one, rng = cell(q, shape, dtype, n), np.random.default_rng(T)
    x = rng.integers(0, n, (T, B)) if index else rng.normal(size=(T, B, n)).astype(dtype)
    dh = rng.normal(size=(T, B, H)).astype(dtype)
    fast = compiled(one, threads)
    assert_agree(gradients(fast, x, dh), gradients(plain(one), x, dh), BOUND[dtype])
    return fast


FEW = ("a difference of products", "few columns", "computed factors", "sums, added and scaled", "one number")


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [n if n in FEW else pytest.param(n, marks=pytest.mark.slow) for n in TAKEN])
def test_sums_over_rows_are_compiled_right(name):
    for T, B in (1, 1), (3, 1), (7, 3):  # also fewer rows than pieces
        assert agree(*TAKEN[name], T, B).runner.why_not == {}
    assert agree(*TAKEN[name], 9, 5, "float32", n=6).runner.why_not == {}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_plain_sum_over_rows_runs_as_it_stands_and_says_why(name):
    fast = agree(*REFUSED[name], 7, 3)
    assert set(fast.runner.why_not) == {"gradients"} and "\n" not in fast.runner.why_not["gradients"]


@pytest.mark.parametrize("name", NO_SUM)
def test_what_does_not_add_up_over_rows_is_not_compiled(name):
    fast = compiled(cell(*NO_SUM[name]))
    gradients(fast, np.ones((7, 3, 3)), np.ones((7, 3, H)))
    assert set(fast.runner.why_not) == {"gradients"}


@pytest.mark.parametrize("index", [False, True])
def test_many_chunks_and_a_short_one_add_up(monkeypatch, index):
    monkeypatch.setattr("tinyrnn.compiler.runner.Compiled.rows_per_chunk", 48)
    for name in "a product", "few columns", "a sum over time and batch":
        assert agree(*TAKEN[name], 53, 3, index=index).runner.why_not == {}


def test_the_number_of_threads_changes_no_bit():
    q, shape = TAKEN["few columns"]
    rng = np.random.default_rng(0)
    x, dh = rng.normal(size=(40, 7, 3)).astype("float32"), rng.normal(size=(40, 7, H)).astype("float32")
    found = [gradients(compiled(cell(q, shape, "float32"), threads), x, dh) for threads in (1, 2, 3)]
    for other in found[1:]:
        assert all((other[name] == array).all() for name, array in found[0].items())


def test_explain_shows_what_a_row_adds_and_what_is_left_to_products_over_all_rows():
    text = tr.explain(tr.LSTM(1, 16))
    assert "Gradients of the weights" in text and "db += 1.T @ da[:, 0:64]" in text
    assert "left to products over all rows: dW_h += tape_h_prev[:, 0:16].T @ da[:, 0:64]" in text
    assert "Gradients of the weights: runs as it stands, for the cell calls stack" in tr.explain(tr.EURNN(1, 8))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(rows=st.integers(1, 600), k=st.integers(1, 20), n=st.integers(1, 70), gap=st.integers(0, 3))
def test_products_over_all_rows_are_right_whatever_the_sizes_and_the_gaps_between_rows(dtype, rows, k, n, gap):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape).astype(dtype) for shape in ((rows, k + gap), (rows, n + gap)))
    numbers = rng.integers(0, k, (rows, 1))
    expected = x[:, :k].T @ y[:, :n], (numbers == np.arange(k)).T.astype(dtype) @ y[:, :n], y[:, :n].sum(0)
    for threads in (1, 3):
        found = [np.full_like(array, np.nan) for array in expected]
        factors = zip((x[:, :k], numbers, None), [y[:, :n]] * 3, found, strict=True)
        sum_products(products(np.dtype(dtype)), list(factors), Buffers(), threads)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e3 * np.finfo(dtype).eps)
