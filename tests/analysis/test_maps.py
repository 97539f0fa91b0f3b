"""Iterated maps: the lecture's fixed points, orbits and cycle, each by two paths, and the Mandelbrot set."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.analysis import maps

PARABOLA, LOGISTIC = maps.square_plus(0.15), maps.logistic(3.5)
CYCLE = (0.38282, 0.82694, 0.50088, 0.87500)


def complex_step(f, x):
    return np.imag(f(x + 1e-30j)) / 1e-30


# fixed points -----------------------------------------------------------------------------------------------------


def test_the_fixed_points_of_the_parabola_are_the_lectures_with_the_sink_at_018():
    sink, source = maps.fixed_points(PARABOLA, (-2, 2))
    assert (sink.kind, source.kind) == ("sink", "source")
    closed = [(1 - math.sqrt(0.4)) / 2, (1 + math.sqrt(0.4)) / 2]
    assert [sink.x, source.x] == pytest.approx(closed, abs=1e-14)
    assert closed == pytest.approx([0.183772, 0.816228], abs=5e-7)
    assert (sink.multiplier, source.multiplier) == (pytest.approx(0.368, abs=5e-4), pytest.approx(1.632, abs=5e-4))


def test_a_derivative_below_minus_one_makes_a_source():
    zero, other = maps.fixed_points(LOGISTIC, (-0.5, 1.5))
    assert (zero.x, zero.multiplier, zero.kind) == (0.0, 3.5, "source")
    assert other.x == pytest.approx(5 / 7, abs=1e-14)
    assert other.multiplier == pytest.approx(-1.5, abs=1e-13)
    assert other.multiplier < 1 and other.kind == "source"


@given(st.floats(-3, 1))
def test_fixed_points_are_the_roots_of_the_quadratic_formula(c):
    found = [p.x for p in maps.fixed_points(maps.square_plus(c), (-4, 4), points=997)]
    if abs(1 - 4 * c) > 1e-3:
        root = math.sqrt(max(1 - 4 * c, 0))
        expected = [(1 - root) / 2, (1 + root) / 2] if c < 0.25 else []
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "map_, x, multiplier", [(maps.square_plus(0.25), 0.5, 1), (maps.logistic(3.0), 2 / 3, -1)], ids=["touch", "flip"]
)
def test_where_the_modulus_is_one_the_fixed_point_is_neutral(map_, x, multiplier):
    found = maps.fixed_points(map_, (0.1, 1.0))
    assert [(p.x, p.multiplier, p.kind) for p in found] == [
        (pytest.approx(x, abs=1e-9), pytest.approx(multiplier, abs=1e-9), "neutral")
    ]


@pytest.mark.parametrize("w, attractor", [(1.5, 0.859), (2.0, 0.958), (2.5, 0.986)])
def test_a_tanh_unit_with_w_above_one_has_two_sinks_and_a_source_between_them(w, attractor):
    found = maps.fixed_points(maps.tanh_unit(w), (-1.2, 1.2))
    assert [p.kind for p in found] == ["sink", "source", "sink"]
    assert [p.x for p in found] == pytest.approx([-attractor, 0, attractor], abs=5e-4)
    assert maps.iterate(maps.tanh_unit(w).f, 0.01, 200)[-1] == pytest.approx(found[2].x, abs=1e-14)


def test_a_fixed_point_at_a_place_scanned_is_found_once():
    assert [p.x for p in maps.fixed_points(maps.tanh_unit(0.5), (-1, 1), points=3)] == [0.0]


def test_an_empty_interval_is_refused():
    with pytest.raises(ValueError, match="must not be empty, got 1 to 1"):
        maps.fixed_points(PARABOLA, (1, 1))


# orbits and cycles ------------------------------------------------------------------------------------------------


def test_orbits_of_the_parabola_go_to_the_sink_or_to_infinity():
    listed = [0.6, 0.51, 0.4101, 0.3182, 0.2512, 0.2131, 0.1954, 0.1882]
    np.testing.assert_allclose(maps.iterate(PARABOLA.f, 0.6, 7), listed, rtol=0, atol=5e-5)
    assert maps.iterate(PARABOLA.f, 0.6, 60)[-1] == pytest.approx(0.183772, abs=5e-7)
    assert maps.iterate(PARABOLA.f, 0.83, 12)[-1] == pytest.approx(9.6e5, rel=5e-3)
    assert maps.iterate(PARABOLA.f, 0.83, 40)[-1] == np.inf


def test_the_logistic_orbit_ends_in_the_cycle_of_four():
    cycle = maps.attracting_cycle(LOGISTIC, 0.2)
    np.testing.assert_allclose(cycle.points, CYCLE, rtol=0, atol=5e-6)
    np.testing.assert_allclose(LOGISTIC.f(cycle.points), np.roll(cycle.points, -1), rtol=0, atol=1e-9)
    assert abs(cycle.multiplier) < 1


def test_the_cycle_of_four_is_what_attracts_under_four_steps_at_once():
    cycle, four = maps.attracting_cycle(LOGISTIC, 0.2), maps.compose(LOGISTIC, 4)
    sinks = [p for p in maps.fixed_points(four, (0, 1)) if p.kind == "sink"]
    np.testing.assert_allclose([p.x for p in sinks], np.sort(cycle.points), rtol=0, atol=1e-9)
    np.testing.assert_allclose([p.multiplier for p in sinks], cycle.multiplier, rtol=1e-6)
    assert complex_step(four.f, cycle.points[0]) == pytest.approx(cycle.multiplier, rel=1e-9)


@pytest.mark.parametrize("map_, x0", [(PARABOLA, 0.83), (maps.logistic(4.0), 0.2)], ids=["shoots off", "chaos"])
def test_an_orbit_that_settles_nowhere_has_no_cycle(map_, x0):
    assert maps.attracting_cycle(map_, x0) is None


def test_a_sink_is_a_cycle_of_one():
    cycle = maps.attracting_cycle(PARABOLA, 0.6)
    assert cycle.points == pytest.approx([0.183772], abs=5e-7)
    assert cycle.multiplier == pytest.approx(2 * cycle.points[0])


@given(st.floats(0, 1), st.integers(1, 6))
def test_the_derivative_of_many_steps_is_the_product_along_the_orbit(x, n):
    for map_ in (PARABOLA, LOGISTIC, maps.tanh_unit(1.5, 0.2)):
        many = maps.compose(map_, n)
        assert many.derivative(x) == pytest.approx(complex_step(many.f, x), rel=1e-9, abs=1e-9)


def test_a_map_applied_no_times_is_refused():
    with pytest.raises(ValueError, match="at least once, not 0 times"):
        maps.compose(PARABOLA, 0)


def test_a_cobweb_goes_to_the_graph_and_then_to_the_diagonal():
    corners = maps.cobweb(PARABOLA.f, 0.6, 5)
    assert corners.shape == (11, 2)
    assert tuple(corners[0]) == (0.6, 0.6)
    np.testing.assert_array_equal(corners[1::2, 1], PARABOLA.f(corners[1::2, 0]))
    np.testing.assert_array_equal(corners[2::2, 0], corners[2::2, 1])
    np.testing.assert_array_equal(corners[::2, 0], maps.iterate(PARABOLA.f, 0.6, 5))


# the Mandelbrot set -----------------------------------------------------------------------------------------------


def by_hand(c, iterations):
    z = 0
    for n in range(1, iterations + 1):
        z = z * z + c
        if abs(z) > 2:
            return n
    return 0


def test_escape_times_are_those_of_a_plain_loop_whatever_goes_together():
    c = np.random.default_rng(0).uniform(-2.2, 1.2, (9, 13)) + 1j * np.random.default_rng(1).uniform(-1.3, 1.3, (9, 13))
    expected = [[by_hand(value, 40) for value in row] for row in c.tolist()]
    for at_once in (1, 10, 1000):
        np.testing.assert_array_equal(maps.escape_times(c, 40, at_once), expected)


def test_on_the_real_axis_the_set_is_from_minus_two_to_a_quarter():
    inside, outside = np.linspace(-2, 0.25, 301), np.r_[-2.01, np.linspace(0.27, 3, 50)]
    assert not maps.escape_times(inside, 500).any()
    assert maps.escape_times(outside, 500).all()
    assert (maps.escape_times(np.array([2.1, -3, 2.5j, 1e200]), 5) == 1).all()


def test_the_cardioid_and_the_disc_beside_it_are_inside():
    turn = np.exp(2j * np.pi * np.linspace(0, 1, 200))
    for edge in (turn / 2 - turn**2 / 4, -1 + turn / 4):
        centre = edge.mean()
        assert not maps.escape_times(centre + 0.97 * (edge - centre), 300).any()


def test_the_area_left_is_near_the_known_15066():
    x, y = np.linspace(-2.1, 0.7, 421), np.linspace(-1.3, 1.3, 391)
    left = maps.escape_times(x + 1j * y[:, None], 300) == 0
    assert left.mean() * 2.8 * 2.6 * (420 / 421) == pytest.approx(1.5066, abs=0.04)
    np.testing.assert_array_equal(left, left[::-1])


@given(st.floats(1, 4), st.floats(0, 1))
def test_the_logistic_map_is_a_point_of_the_mandelbrot_family(r, x):
    """z = r (1/2 - x) turns one into the other."""
    z, c = r * (0.5 - x), maps.quadratic_parameter(r)
    assert maps.square_plus(c).f(z) == pytest.approx(r * (0.5 - maps.logistic(r).f(x)), abs=1e-12)


def test_the_lectures_two_maps_lie_in_the_set():
    c = np.array([0.15, maps.quadratic_parameter(3.5)])
    assert c[1] == -1.3125
    assert not maps.escape_times(c, 1000).any()


def test_no_iterations_are_refused():
    with pytest.raises(ValueError, match="at least one iteration"):
        maps.escape_times(np.zeros(1), 0)
