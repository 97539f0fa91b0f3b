"""Numerical derivatives with error estimates that hold, on functions whose derivatives are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr

A = np.random.default_rng(0).normal(size=(3, 3))


def rounded(x):
    """A function in single precision."""
    return np.float64(np.float32(np.sin(np.float32(x)).sum()))


FUNCTIONS = {  # f, its gradient, its matrix of second derivatives
    "quadratic": (lambda x: 0.5 * x @ A @ x, lambda x: 0.5 * (A + A.T) @ x, lambda x: 0.5 * (A + A.T)),
    "sines": (lambda x: np.sin(x).sum(), np.cos, lambda x: np.diag(-np.sin(x))),
    "exp": (
        lambda x: np.exp(x.sum()),
        lambda x: np.exp(x.sum()) * np.ones(3),
        lambda x: np.exp(x.sum()) * np.ones((3, 3)),
    ),
    "without complex": (
        lambda x: np.sin(abs(x)).sum(),
        lambda x: np.sign(x) * np.cos(abs(x)),
        lambda x: np.diag(-np.sin(abs(x))),
    ),
    "on a hill": (lambda x: 1e6 + np.cos(x).sum(), lambda x: -np.sin(x), lambda x: np.diag(-np.cos(x))),
}


def points():
    return st.lists(st.floats(0.1, 3) | st.floats(-3, -0.1), min_size=3, max_size=3).map(np.array)


@pytest.mark.few(4)
@pytest.mark.parametrize("method", ["auto", "richardson", "central"])
@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=20)
@given(x=points())
def test_the_error_of_a_gradient_is_not_larger_than_stated(name, method, x):
    f, gradient, _ = FUNCTIONS[name]
    found = tr.numerical.gradient(f, x, method)
    assert (abs(found.value - gradient(x)) <= found.error + 1e-14 * abs(gradient(x))).all()
    assert (found.error <= (1e-3 if method == "central" else 1e-4) * (1 + abs(gradient(x)).max())).all()


def test_the_complex_step_is_taken_where_it_can_be_and_only_there():
    x = np.array([0.3, -0.7, 1.1])
    assert tr.numerical.gradient(FUNCTIONS["sines"][0], x).method == "complex"
    assert tr.numerical.gradient(FUNCTIONS["without complex"][0], x).method == "richardson"
    with pytest.raises(ValueError, match=r"the complex step cannot be taken: .*imaginary part gets lost"):
        tr.numerical.gradient(FUNCTIONS["without complex"][0], x, "complex")


def test_single_precision_inside_shows_in_the_stated_error():
    x = np.array([0.3, -0.7, 1.1])
    found = tr.numerical.gradient(rounded, x)
    assert (abs(found.value - np.cos(x)) <= found.error).all()
    assert (found.error > 1e-7).all()


@given(x=points(), u=points(), v=points())
@settings(max_examples=20)
def test_jacobians_and_their_products(x, u, v):
    def f(x):
        return np.tanh(A @ x)

    jacobian = (1 - f(x) ** 2)[:, None] * A
    assert np.allclose(tr.numerical.jacobian(f, x).value, jacobian, rtol=1e-10, atol=1e-14)
    assert np.allclose(tr.numerical.jvp(f, x, v).value, jacobian @ v, rtol=1e-10, atol=1e-13)
    assert np.allclose(tr.numerical.vjp(f, x, u).value, u @ jacobian, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives(name):
    f, gradient, hessian = FUNCTIONS[name]
    x, v = np.array([0.3, -0.7, 1.1]), np.array([1.0, 0.5, -2.0])
    for found in (tr.numerical.hvp(f, x, v), tr.numerical.hvp(f, x, v, grad=gradient)):
        assert (abs(found.value - hessian(x) @ v) <= found.error + 1e-12).all()
        assert (found.error < 1e-2 * (1 + abs(hessian(x)).max())).all()
    assert np.allclose(tr.numerical.hessian(f, x, gradient).value, hessian(x), atol=1e-6)


def test_shapes_are_those_of_output_and_input():
    x = np.ones((2, 3))
    assert tr.numerical.jacobian(lambda x: x @ np.ones((3, 4)), x).value.shape == (2, 4, 2, 3)
    assert tr.numerical.gradient(np.sin, 1.0).value.shape == ()
    assert tr.numerical.gradient(np.sum, x).value.shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n: n.gradient(np.sin, np.ones(3)), "returns a number"),
        (lambda n: n.gradient(np.sum, np.ones(3), "magic"), "method must be one of auto"),
        (lambda n: n.jvp(np.sin, np.ones(3), np.ones(2)), r"v must have shape \(3,\)"),
        (lambda n: n.gradient(lambda z: abs(z), 1j), "real numbers"),
    ],
)
def test_bad_calls_are_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(tr.numerical)
