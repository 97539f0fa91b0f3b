"""The stand-in for CuPy must really refuse what CuPy refuses, or what runs on it would prove nothing."""

import numpy as np
import pytest
import strict_xp

from tinyrnn.core.backend import to_numpy, xp_of

VALUES = np.array([[1.0, 2.0], [3.0, 4.0]])


def with_in_place_sum(a, s):
    a += s


def with_assignment(a, s):
    a[:] = s


@pytest.mark.parametrize(
    "mix",
    [
        lambda a, s: np.tanh(s),
        lambda a, s: np.sum(s),
        lambda a, s: np.stack([s, s]),
        lambda a, s: np.where(s, 1, 0),
        lambda a, s: np.asarray(s),
        lambda a, s: np.array([s]),
        lambda a, s: np.ones_like(s),
        lambda a, s: np.linalg.norm(s),
        lambda a, s: a + s,
        lambda a, s: s + a,
        lambda a, s: a @ s,
        lambda a, s: s @ a,
        lambda a, s: s < a,
        lambda a, s: s[a > 1],
        lambda a, s: s[[0, 1]],
        lambda a, s: s[:, np.array([0])],
        lambda a, s: strict_xp.tanh(a),
        lambda a, s: strict_xp.where(s > 1, s, a),
        lambda a, s: strict_xp.concatenate([s, a]),
        lambda a, s: s.dot(a),
        with_in_place_sum,
        with_assignment,
        lambda a, s: with_in_place_sum(s, a),
        lambda a, s: with_assignment(s, a),
    ],
)
def test_numpy_and_the_device_do_not_mix(mix):
    with pytest.raises(TypeError):
        mix(VALUES.copy(), strict_xp.asarray(VALUES))


@pytest.mark.parametrize("name", ["tolist", "__array_interface__", "__array_struct__", "__cuda_array_interface__"])
def test_there_is_no_other_way_off_the_device(name):
    assert not hasattr(strict_xp.asarray(VALUES), name)


def test_arrays_name_their_module_and_survive_the_round_trip():
    strict = strict_xp.asarray(VALUES)
    assert xp_of(strict) is strict_xp
    assert type(to_numpy(strict)) is np.ndarray and np.array_equal(to_numpy(strict), VALUES)
    to_numpy(strict)[:] = 0
    assert np.array_equal(strict.get(), VALUES)  # get copies


def test_moving_onto_the_device_copies():
    source = VALUES.copy()
    strict = strict_xp.asarray(source)
    source[:] = 0
    assert np.array_equal(strict.get(), VALUES)


def test_functions_methods_and_operators_compute_what_numpys_do():
    s, a = strict_xp.asarray(VALUES), VALUES
    for got, wanted in [
        (strict_xp.tanh(s), np.tanh(a)),
        (2 - s / 3, 2 - a / 3),
        (s.T @ s, a.T @ a),
        (abs(-s), a),
        (s.reshape(-1).sum(axis=0), a.sum()),
        (strict_xp.stack([s, s], axis=1), np.stack([a, a], axis=1)),
        (strict_xp.fft.fft(s, norm="ortho"), np.fft.fft(a, norm="ortho")),
        (strict_xp.linalg.svd(s)[1], np.linalg.svd(a)[1]),
        (s[s > 1.5], a[a > 1.5]),
        (s[::-1, None, 0], a[::-1, None, 0]),
    ]:
        assert type(got) is strict_xp.StrictArray
        assert got.dtype == wanted.dtype and np.array_equal(got.get(), wanted)


def test_results_without_axes_are_still_arrays():
    total = strict_xp.asarray(VALUES).sum()
    assert type(total) is strict_xp.StrictArray and total.shape == ()
    assert float(total) == 10.0 and int(total) == 10 and bool(total > 9)


def test_in_place_work_reaches_every_view():
    s = strict_xp.asarray(VALUES)
    column = s[:, 0]
    column += 1
    s[0, 1] = 7
    strict_xp.add.at(s, strict_xp.asarray([1, 1]), strict_xp.asarray(10.0))
    assert np.array_equal(s.get(), [[2.0, 7.0], [24.0, 24.0]])


def test_real_and_imaginary_parts_can_be_written():
    z = strict_xp.empty(2, complex)
    z.real, z.imag = strict_xp.asarray([1.0, 2.0]), 3
    assert np.array_equal(z.get(), [1 + 3j, 2 + 3j])
    with pytest.raises(TypeError):
        z.real = np.ones(2)
    with pytest.raises(AttributeError):
        z.note = "there is nowhere to put it"


def test_fresh_memory_is_garbage():
    assert np.isnan(strict_xp.empty((2, 3)).get()).all()
    assert np.isnan(strict_xp.empty_like(strict_xp.asarray(VALUES)).get()).all()
    assert strict_xp.empty(2, bool).get().all()
    assert (strict_xp.empty(2, "int32").get() == np.iinfo("int32").min).all()


def test_random_numbers_are_drawn_elsewhere():
    assert not hasattr(strict_xp, "random")
