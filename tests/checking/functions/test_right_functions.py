"""Right gradients are never called wrong: kinks, saturation, randomness, single precision, any scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr

FUNCTIONS = {
    "tanh": (lambda x: np.tanh(x).sum(), lambda x: 1 - np.tanh(x) ** 2),
    "relu": (lambda x: np.maximum(x, 0).sum(), lambda x: (x > 0).astype(x.dtype)),
    "magnitude": (lambda x: abs(x).sum(), np.sign),
    "squared": (lambda x: 0.5 * (x**2).sum(), lambda x: x),
    "hinge": (lambda x: (np.maximum(0, 1 - x) ** 2).sum(), lambda x: -2 * np.maximum(0, 1 - x)),
    "clip": (lambda x: np.clip(x, -1, 1).sum(), lambda x: (abs(x) < 1).astype(x.dtype)),
    "norm": (lambda x: np.sqrt((x**2).sum() + 1), lambda x: x / np.sqrt((x**2).sum() + 1)),
    "log-sum-exp": (
        lambda x: x.max() + np.log(np.exp(x - x.max()).sum()),
        lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
    ),
    "sorted": (
        lambda x: (np.sort(x.ravel()) * np.arange(x.size)).sum(),
        lambda x: np.argsort(np.argsort(x.ravel())).reshape(x.shape).astype(x.dtype),
    ),
    "product": (lambda x: np.prod(1 + 0.1 * x), lambda x: 0.1 * np.prod(1 + 0.1 * x) / (1 + 0.1 * x)),
    "constant": (lambda x: 3.0, lambda x: np.zeros_like(x)),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    scale=st.sampled_from([1e-6, 1e-2, 1.0, 30.0]),
    grid=st.booleans(),
    dtype=st.sampled_from(["f8", "f4"]),
)
def test_right_gradients_are_never_wrong(name, seed, scale, grid, dtype):
    f, gradient = FUNCTIONS[name]
    x = scale * np.random.default_rng(seed).normal(size=(2, 3))
    x = np.round(x * 2) / 2 if grid else x  # on kinks and ties
    report = tr.gradcheck(f, gradient, x.astype(dtype))
    assert report.verdict == "right", report


def test_kinks_are_named_with_the_input_that_sits_there():
    report = tr.gradcheck(lambda x: np.maximum(x, 0).sum(), lambda x: (x > 0) * 1.0, np.array([1.0, 0.0, -1.0]))
    assert report.ok
    assert report.rows[0].kind == "kink"
    assert [str(n) for n in report.notices if n.kind == "kink"] == [
        "the function has a kink at x[1] (slopes 0 and 1): any value between is right there"
    ]


def test_a_wrong_value_at_a_kink_is_wrong():
    report = tr.gradcheck(lambda x: np.maximum(x, 0).sum(), lambda x: (x > 0) * 1.0 - (x == 0), np.array([1.0, 0.0]))
    assert report.verdict == "right"  # right beside it: the value at the kink itself is a matter of convention
    report = tr.gradcheck(lambda x: np.maximum(x, 0).sum(), lambda x: (x > 0) * 3.0, np.array([0.0, 0.0]))
    assert (report.verdict, report.rows[0].kind) == ("wrong", "stale")  # right there, and not a little further on
    report = tr.gradcheck(lambda x: np.maximum(x, 0).sum(), lambda x: (x >= 0) * 3.0, np.array([0.0, 0.0]))
    assert report.verdict == "wrong"


def test_a_saturated_function_is_right_and_said_to_be_flat():
    report = tr.gradcheck(lambda x: np.tanh(x).sum(), lambda x: 1 - np.tanh(x) ** 2, np.array([40.0, 50.0]))
    assert (report.verdict, report.rows[0].kind) == ("right", "saturated")


def test_a_network_of_rectifiers_without_complex_numbers():
    rng = np.random.default_rng(3)
    data, w, v = rng.normal(size=(30, 8)), rng.normal(size=(8, 12)), rng.normal(size=(12, 2))

    def loss(p):
        a = data @ p["w"]
        out = np.abs(a) @ p["v"]
        return 0.5 * (out**2).sum(), {"w": data.T @ (out @ p["v"].T * np.sign(a)), "v": np.abs(a).T @ out}

    report = tr.gradcheck(loss, {"w": w, "v": v}, jac=True)
    assert report.ok, report
    assert report.rows[0].method == "central differences"


def test_one_that_computes_in_single_precision_inside():
    rng = np.random.default_rng(4)
    data, w = rng.normal(size=(30, 8)).astype("f4"), rng.normal(size=(8, 3))

    def loss(w):
        return np.float64(np.tanh(data @ w.astype("f4")).sum())

    def gradient(w):
        h = np.tanh(data @ w.astype("f4"))
        return (data.T @ (1 - h * h)).astype("f8")

    report = tr.gradcheck(loss, gradient, w)
    assert report.ok, report
    assert "precision" in [notice.kind for notice in report.notices]
    assert report.rows[0].resolution < 1e-2
    assert tr.gradcheck(loss, lambda w: 1.05 * gradient(w), w).verdict == "wrong"


def test_dropout_gets_the_same_random_numbers_in_every_call():
    def dropout(x, p):
        mask = (np.random.rand(*x.shape) < p) / p  # noqa: NPY002
        return x * mask, mask

    report = tr.gradcheck(dropout, lambda dout, mask: dout * mask, (np.ones((3, 4)), 0.5))
    assert report.ok
    assert "random" in [notice.kind for notice in report.notices]


def test_a_generator_of_ones_own_is_wound_back_too():
    rng = np.random.default_rng(0)
    report = tr.gradcheck(lambda x: (x * rng.normal(size=4)).sum(), lambda x: rng.normal(size=4), np.ones(4))
    assert report.ok, report


def test_what_cannot_be_made_to_repeat_itself_is_not_decided():
    count = iter(range(10**9))
    report = tr.gradcheck(lambda x: x @ x + next(count), lambda x: 2 * x, np.ones(3))
    assert (report.verdict, report.rows[0].kind) == ("not decided", "random")


@pytest.mark.parametrize(
    ("f", "gradient", "x", "kind"),
    [
        (np.sqrt, lambda x: np.inf, 0.0, "infinite slope here"),
        (np.log, lambda x: 1 / x, -1.0, "not finite here"),
        (lambda x: x + np.floor(x), lambda x: 0.5, 1.0, "discontinuous here"),
        (lambda x: np.round(x, 2), lambda x: 0.5, 0.503, "noise of this precision"),
    ],
)
def test_what_has_no_derivative_is_not_decided(f, gradient, x, kind):
    report = tr.gradcheck(f, gradient, x)
    assert (report.verdict, report.rows[0].kind) in {("not decided", kind), ("wrong", report.rows[0].kind)}
    if report.verdict == "wrong":  # beside the point it is
        assert kind in ("discontinuous here", "noise of this precision")
