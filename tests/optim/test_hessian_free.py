"""Hessian-free: the Gauss-Newton product against matrices written out, conjugate gradients, and whole steps."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.optim.hessian_free import HessianFree, conjugate_gradients, flat, gauss_newton, put


def network(loss, at, cell="elman", embedding=False):
    rng = np.random.default_rng(0)
    classes = loss == "cross_entropy"
    cls, options = tr.CELLS[cell]
    model = tr.Model(
        cls(2, 3, rng=1, **options),
        tr.Readout(3 if cell != "urnn" else 6, 4, rng=2),
        loss=loss,
        at=at,
        embedding=tr.Embedding(5, 2, rng=3) if embedding else None,
    )
    for value in model.params.values():
        value += rng.normal(0, 0.3, value.shape)
    T, B = 5, 3
    x = rng.integers(0, 5, (T, B)) if embedding else rng.normal(size=(T, B, 2))
    shape = (T, B) if at == "every" else (B,)
    target = rng.integers(0, 4, shape) if classes else rng.normal(size=(*shape, 4))
    return model, x, target


@pytest.mark.parametrize(
    ("loss", "at", "cell", "embedding"),
    [
        ("squared_error", "last", "elman", False),
        ("cross_entropy", "every", "lstm", True),
        ("cross_entropy", "last", "urnn", False),
    ],
)
def test_the_product_is_that_of_the_jacobian_and_the_losss_second_derivative(loss, at, cell, embedding):
    model, x, target = network(loss, at, cell, embedding)
    mask = np.arange(5)[:, None] < [5, 4, 2]
    kept, start = mask if at == "every" else None, flat(model.params)

    def output(p):
        put(model.params, p)
        return model.forward(x, mask=mask)[0].ravel()

    def slope(y):
        return model.loss.backward(model.loss(y.reshape(shape), target, kept)[1]).ravel()

    y = output(start)
    shape = (*target.shape, 4) if loss == "cross_entropy" else target.shape

    def columns(f, at):
        return np.stack([(f(at + e) - f(at - e)) / 2e-5 for e in 1e-5 * np.eye(len(at))], axis=1)

    J, H = columns(output, start), columns(slope, y)
    put(model.params, start)
    product = gauss_newton(model, x, target, mask)
    v = np.random.default_rng(1).normal(size=len(start))
    np.testing.assert_allclose(product(v), J.T @ H @ (J @ v), rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(flat(model.params), start)


def test_conjugate_gradients_solve_a_linear_system_and_take_no_more_steps_than_it_has_unknowns():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(8, 8))
    A, b = B @ B.T + np.eye(8), rng.normal(size=8)
    d, count = conjugate_gradients(lambda v: A @ v, b, np.zeros(8), 100)
    np.testing.assert_allclose(A @ d, b, atol=1e-8)
    assert count <= 20
    again, count = conjugate_gradients(lambda v: A @ v, b, np.linalg.solve(A, b), 3)
    np.testing.assert_allclose(again, d, atol=1e-8)


def test_a_step_is_newtons_on_the_damped_gauss_newton_matrix():
    model, x, target = network("squared_error", "last")
    start, hf = flat(model.params), HessianFree(model, damping=0.5, iterations=400)
    g, product = flat(model.gradients(x, target).params), gauss_newton(model, x, target)
    G = np.stack([product(e) for e in np.eye(len(start))], axis=1)
    np.testing.assert_allclose(G, G.T, atol=1e-12)
    wanted = np.linalg.solve(G + 0.5 * np.eye(len(start)), -g)
    done = hf.step(x, target)
    assert done.share == 1 and done.after == hf.loss(x, target, None) < done.before
    np.testing.assert_allclose(flat(model.params) - start, wanted, rtol=0.02, atol=0.002)  # it stops early
    assert done.ratio == pytest.approx((done.after - done.before) / (g @ wanted / 2), rel=0.01)


def test_steps_go_down_the_damping_follows_the_ratio_and_nothing_moves_where_nothing_falls():
    model, x, target = network("squared_error", "last")
    hf, losses = HessianFree(model), []
    for _ in range(15):
        used = hf.damping
        done = hf.step(x, target)
        losses.append(done.after)
        assert done.after <= done.before and done.damping == used
        wanted = used / 1.5 if done.ratio > 0.75 else used * 1.5 if done.ratio < 0.25 else used
        assert hf.damping == pytest.approx(wanted)
    assert losses[-1] < 0.01 * losses[0]
    start = flat(model.params)
    assert hf.search(start, np.ones_like(start), lambda: float("nan"), 1.0, -1.0) == (0.0, 1.0)
    np.testing.assert_array_equal(flat(model.params), start)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda model: HessianFree(model, damping=0), "must be above 0, at least 1 and in"),
        (
            lambda model: HessianFree(tr.Model(tr.LSTM(2, 3, dtype="float32"), tr.Readout(3, 4, dtype="float32"))),
            "must be in float64",
        ),
        (
            lambda model: HessianFree(tr.Model(tr.CELLS["esn"][0](2, 3), tr.Readout(3, 4))),
            "has weights that are not trained",
        ),
    ],
)
def test_what_it_cannot_do_is_refused_in_a_line(make, message):
    with pytest.raises(ValueError, match=message):
        make(network("squared_error", "last")[0])
