"""Clipping by the global norm and by value, at all magnitudes a float can have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.optim.clipping import clip_by_norm, clip_by_value, global_norm

SHAPES = {"W": (3, 2), "U": (3, 2), "b": (2,), "s": ()}


@st.composite
def gradients(draw, dtype="float64", largest=1e200):
    """Gradients of four shapes, all of a magnitude anywhere between 1e-200 and 1e200."""
    magnitude = draw(st.sampled_from([0.0, 1e-200, 1e-30, 1e-5, 1.0, 1e3, 1e30, largest]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return {name: np.asarray(magnitude * rng.normal(size=shape), dtype) for name, shape in SHAPES.items()}


limits = st.sampled_from([1e-10, 0.5, 1.0, 10.0, 1e100])


def exact_norm(grads):
    return math.hypot(*(float(x) for g in grads.values() for x in np.ravel(g)))


@given(gradients())
def test_global_norm_is_that_of_all_entries_together_at_every_magnitude(grads):
    assert math.isclose(global_norm(grads), exact_norm(grads), rel_tol=1e-14)


@given(gradients(), limits)
def test_clipping_by_norm_ends_at_the_limit_and_keeps_the_direction(grads, limit):
    clipped, before = clip_by_norm(grads, limit)
    assert before == global_norm(grads)
    assert math.isclose(global_norm(clipped), min(before, limit), rel_tol=1e-14)
    if before > limit:
        for name, g in grads.items():
            np.testing.assert_allclose(clipped[name] / limit, g / before, rtol=1e-13)


@given(gradients(), st.floats(0.01, 0.999))
def test_norm_just_above_the_limit_comes_down_to_just_the_limit(grads, part):
    limit = part * global_norm(grads) or 1.0
    clipped, before = clip_by_norm(grads, limit)
    assert math.isclose(global_norm(clipped), min(before, limit), rel_tol=1e-14)


@given(gradients(), limits)
def test_nothing_is_scaled_up_and_at_or_below_the_limit_nothing_changes(grads, limit):
    clipped, before = clip_by_norm(grads, limit)
    assert clipped.keys() == grads.keys()
    for name, g in grads.items():
        assert (abs(clipped[name]) <= abs(g)).all()
        if before <= limit:
            assert clipped[name] is g
    exactly_at, _ = clip_by_norm(grads, before or 1.0)
    assert all(exactly_at[name] is g for name, g in grads.items())


@given(gradients("float32", largest=1e30), st.sampled_from([1e-5, 1.0, 1e6]))
def test_float32_stays_float32_and_does_not_overflow(grads, limit):
    clipped, before = clip_by_norm(grads, limit)
    assert math.isclose(before, exact_norm(grads), rel_tol=1e-6)
    assert all(g.dtype == np.float32 for g in clipped.values())
    assert math.isclose(global_norm(clipped), min(before, limit), rel_tol=1e-6)


@given(gradients(), limits)
def test_clipping_by_value_cuts_each_entry_by_itself(grads, limit):
    clipped = clip_by_value(grads, limit)
    for name, g in grads.items():
        np.testing.assert_array_equal(clipped[name], np.sign(g) * np.minimum(abs(g), limit))
        assert clipped[name].shape == g.shape and clipped[name].dtype == g.dtype


@pytest.mark.parametrize("clip", [clip_by_norm, clip_by_value])
def test_gradients_passed_in_are_not_modified(clip):
    grads = {"W": np.array([[3.0, -40.0]]), "b": np.array([0.1])}
    before = {name: g.copy() for name, g in grads.items()}
    clip(grads, 1)
    assert all(np.array_equal(grads[name], before[name]) for name in grads)


def test_grosse_equation_4():
    clipped, norm = clip_by_norm({"w": np.array([6.0, 0.0]), "v": np.array([[-8.0]])}, 5)
    assert norm == 10
    np.testing.assert_array_equal(clipped["w"], [3, 0])
    np.testing.assert_array_equal(clipped["v"], [[-4]])


def test_clipping_by_value_takes_arjovskys_one_in_float32():
    clipped = clip_by_value({"w": np.array([-3, -1, 0.5, 7], "float32")}, np.float64(1))
    assert clipped["w"].dtype == np.float32
    np.testing.assert_array_equal(clipped["w"], [-1, -1, 0.5, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_gradient_that_is_not_finite_shows_in_the_norm_and_is_left_alone(bad):
    grads = {"W": np.array([1.0, bad]), "b": np.array([2.0])}
    clipped, norm = clip_by_norm(grads, 1)
    assert not math.isfinite(norm)
    assert clipped["W"] is grads["W"] and clipped["b"] is grads["b"]
    assert not np.isfinite(clip_by_value({"W": np.array([np.nan])}, 1)["W"]).any()


def test_no_gradients_and_empty_gradients_have_norm_zero():
    assert global_norm({}) == 0
    assert global_norm({"W": np.zeros((0, 3))}) == 0
    assert clip_by_norm({}, 1) == ({}, 0)


@pytest.mark.parametrize("clip", [clip_by_norm, clip_by_value])
@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_limit_that_is_not_positive_is_refused(clip, limit):
    with pytest.raises(ValueError, match="limit must be positive"):
        clip({"W": np.ones(2)}, limit)
