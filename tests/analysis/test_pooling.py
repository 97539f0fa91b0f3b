"""Pools of a rotating state: still where the rotations are, and only there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.constructions import draw_angles, rotations
from tinyrnn.analysis.pooling import activity, fluctuation, invariant_pools, pools
from tinyrnn.init.distributions import gaussian_orthogonal


def test_pools_are_lengths_of_neighbours():
    assert np.allclose(pools(np.array([3.0, 4.0, 0.0, -2.0, 5.0])), [5, 2])
    assert np.allclose(pools(np.array([3.0, 4.0, 12.0]), size=2, stride=1), [5, 160**0.5])


@given(st.integers(0, 300), st.integers(1, 8), st.integers(0, 2**32))
def test_rotations_of_pairs_do_not_change_the_pools(m, blocks, seed):
    rng = np.random.default_rng(seed)
    V, h = rotations(draw_angles(blocks, 300, rng, "uniform")), rng.normal(size=2 * blocks)
    turned = np.linalg.matrix_power(V, m) @ h
    assert np.abs(pools(turned) - pools(h)).max() <= 1e-12 * np.abs(h).max()
    assert np.abs(invariant_pools(V, turned) - invariant_pools(V, h)).max() <= 1e-12 * np.abs(h).max()


def test_pools_are_invariant_to_a_few_units_of_rounding():
    V, h = rotations(draw_angles(32, 110, rng=0)), np.random.default_rng(1).normal(size=64)
    assert max(np.abs(pools(np.linalg.matrix_power(V, m) @ h) - pools(h)).max() for m in (1, 2, 5, 10)) < 2e-14


def test_pools_that_are_not_the_pairs_that_turn_do_change():
    V, h = rotations(draw_angles(4, 50, rng=0, kind="uniform")), np.random.default_rng(1).normal(size=8)
    over_time = np.array([np.linalg.matrix_power(V, m) @ h for m in range(50)])
    assert fluctuation(pools(over_time)) < 1e-13
    assert fluctuation(pools(over_time, size=2, stride=1)) > 0.1
    assert fluctuation(over_time) > 0.8


@given(st.integers(2, 9), st.integers(0, 2**32))
def test_every_orthogonal_matrix_has_planes_in_which_pools_stand_still(n, seed):
    rng = np.random.default_rng(seed)
    V, h = gaussian_orthogonal(n, rng), rng.normal(size=n)
    over_time = np.array([np.linalg.matrix_power(V, m) @ h for m in range(20)])
    still = invariant_pools(V, over_time)
    assert np.abs(still - still[0]).max() < 1e-11
    assert np.allclose((still**2).sum(axis=1), h @ h)  # the planes are orthogonal and all there are


def test_a_matrix_without_planes_of_rotation_is_refused():
    with pytest.raises(ValueError, match="not normal"):
        invariant_pools(np.array([[1.0, 1.0], [0.0, 1.0]]), np.ones(2))


def test_the_phase_is_what_pools_lose():
    readout = tr.PooledReadout(2, 1, rng=0)
    readout.params.W[:] = 0
    h = np.array([[1.0, 0.0], [0.0, -1.0], [0.6, 0.8]])
    y, _ = readout.forward(h)
    assert np.allclose(y, y[0])


def test_fluctuation_of_what_stands_still_and_of_what_swings():
    assert fluctuation(np.full((7, 3), 2.5)) == 0 and fluctuation(np.zeros((4, 2))) == 0
    t = np.arange(20)
    assert fluctuation(np.cos(2 * np.pi * t / 20)) == pytest.approx(1)
    assert fluctuation(np.array([[1.0], [3.0]])) == pytest.approx(1 / 5**0.5)


def test_activity_is_the_change_in_each_part():
    h = np.cumsum([[0.0], [1], [1], [1], [5], [5], [2], [2], [2]], axis=0)
    assert np.allclose(activity(h, (4, 6)), [1, 5, 2])
    assert np.allclose(activity(h, ()), [(65 / 8) ** 0.5])
    for cuts in ((1,), (4, 4), (6, 4), (9,)):
        with pytest.raises(ValueError, match="without a change"):
            activity(h, cuts)
