"""The numerical derivatives against calculus."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.checking.numeric import central_differences, complex_step, one_sided

# f, its gradient
FUNCTIONS = {
    "cubic": (lambda x: (x**3).sum(), lambda x: 3 * x**2),
    "exponential": (lambda x: np.exp(x).sum(), np.exp),
    "product": (lambda x: np.prod(np.sin(x)), lambda x: np.prod(np.sin(x)) / np.tan(x)),
}
every_function = pytest.mark.parametrize("f, gradient", FUNCTIONS.values(), ids=FUNCTIONS)


def point(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@every_function
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 1, 2)])
def test_complex_step_is_exact_to_rounding(f, gradient, shape):
    x = point(shape)
    np.testing.assert_allclose(complex_step(f, x), gradient(x), rtol=1e-13)


@every_function
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 1, 2)])
def test_central_differences_have_nine_digits(f, gradient, shape):
    x = point(shape)
    np.testing.assert_allclose(central_differences(f, x), gradient(x), rtol=1e-8, atol=1e-9)


@given(scale=st.floats(1, 1e12), seed=st.integers(0, 99))
def test_steps_grow_with_the_argument_so_that_large_numbers_are_moved_at_all(scale, seed):
    x = scale * (1 + point((3,), seed) ** 2)
    f = lambda x: (x * x).sum() / scale**2  # noqa: E731
    np.testing.assert_allclose(central_differences(f, x), 2 * x / scale**2, rtol=1e-6)
    left, right = one_sided(f, x, (1,))
    np.testing.assert_allclose([left, right], 2 * x[1] / scale**2, rtol=1e-6)


def test_one_sided_derivatives_differ_at_a_kink_and_agree_beside_it():
    f = lambda x: abs(x).sum() + 3 * x[1] ** 2  # noqa: E731
    left, right = one_sided(f, np.array([0.0, 1.0]), (0,))
    np.testing.assert_allclose([left, right], [-1, 1], atol=1e-9)
    left, right = one_sided(f, np.array([0.0, 1.0]), (1,))
    np.testing.assert_allclose([left, right], [7, 7], atol=1e-8)


@pytest.mark.parametrize("derivative", [complex_step, central_differences])
def test_neither_x_nor_the_next_call_suffers_from_a_function_that_changes_its_argument(derivative):
    def f(x):
        total = (x * x).sum()
        x[...] = 7
        return total

    x = point((2, 2))
    before = x.copy()
    np.testing.assert_allclose(derivative(f, x), 2 * before, rtol=1e-7)
    np.testing.assert_array_equal(x, before)
