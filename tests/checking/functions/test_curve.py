"""The V of error against step: derivatives with honest errors, and what kinds of points its slopes tell apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.checking.functions.curve import ladder, look


def slope_of(f, x):
    size = abs(x) or 1.0

    def phi(t):
        return (x + t) - x, f(x + t)

    return look(phi, ladder(0.1 * max(1.0, size), 1e-13 * min(1.0, size)))


SMOOTH = {
    "sin": (np.sin, np.cos),
    "exp": (np.exp, np.exp),
    "tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "cube": (lambda x: x**3, lambda x: 3 * x**2),
    "steep": (lambda x: np.sin(300 * x), lambda x: 300 * np.cos(300 * x)),
    "on a hill": (lambda x: 1e6 + np.cos(x), lambda x: -np.sin(x)),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", SMOOTH)
@given(x=st.floats(-3, 3))
def test_the_error_it_states_is_not_exceeded(name, x):
    f, derivative = SMOOTH[name]
    slope = slope_of(f, x)
    assert slope.kind in ("smooth", "flat")
    assert abs(slope.value - derivative(x)) <= slope.error + 1e-13 * abs(derivative(x))
    assert slope.error <= 1e-5 * (1 + abs(derivative(x)))


@given(x=st.floats(1e-9, 10))
def test_it_finds_its_way_close_to_the_edge_of_what_is_defined(x):
    slope = slope_of(np.log, x)
    assert abs(slope.value - 1 / x) <= slope.error <= 1e-6 / x


@pytest.mark.parametrize(
    ("f", "kind", "left", "right"),
    [
        (lambda x: max(x, 0.0), "kink", 0, 1),
        (abs, "kink", -1, 1),
        (lambda x: math.sin(x) + 1e-3 * abs(x), "kink", 1 - 1e-3, 1 + 1e-3),
        (lambda x: min(x, 0.0) * 3 + math.exp(x), "kink", 4, 1),
    ],
)
def test_both_slopes_of_a_kink_are_measured(f, kind, left, right):
    slope = slope_of(f, 0.0)
    assert slope.kind == kind
    assert slope.left == pytest.approx(left, abs=1e-7)
    assert slope.right == pytest.approx(right, abs=1e-7)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9])
def test_a_kink_nearby_does_not_mislead(distance):
    slope = slope_of(lambda x: max(x, 0.0) + x**2, distance)
    assert slope.kind == "smooth"
    assert abs(slope.value - (1 + 2 * distance)) <= slope.error <= 1e-3


@pytest.mark.parametrize(
    ("f", "kind"),
    [
        (lambda x: x + (x >= 0), "jump"),
        (lambda x: math.copysign(1, x) * abs(x) ** 0.5, "infinite"),
        (lambda x: np.sqrt(x), "infinite"),
        (lambda x: np.log(x), "undefined"),
        (lambda x: np.sqrt(x) ** 4 + x, "edge"),
        (lambda x: 3.0, "flat"),
    ],
)
def test_what_is_not_smooth_has_its_own_word(f, kind):
    assert slope_of(f, 0.0).kind == kind


@given(x=st.floats(0.1, 3), seed=st.integers(0, 10))
def test_single_precision_inside_widens_the_error_and_not_the_verdict(x, seed):
    slope = slope_of(lambda x: float(np.sin(np.float32(x))), x)
    assert abs(slope.value - math.cos(x)) <= slope.error
    assert 1e-8 < slope.error < 1e-2


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-11])
def test_flat_ground_with_a_kink_nearby_is_flat(distance):
    slope = slope_of(lambda x: 1 + max(x, 0.0), -distance)
    assert abs(slope.value) <= slope.error <= 1e-3
