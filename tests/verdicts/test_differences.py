"""What is said of how a gradient differs from the true one: each phrase where it holds, and nowhere else."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.checking.differences import describe, same, worst_entry

GATES = ("i", "f", "g")
SIZES = (("B", 3), ("T", 4), ("H", 5))


def arrays(count=1, shape=(4, 3, 6), seed=0):
    """`count` random arrays of 4 values in time; no entry is near zero."""
    rng = np.random.default_rng(seed)
    made = [rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape) for _ in range(count)]
    return made if count > 1 else made[0]


def changed(array, where, by=lambda part: part + 0.1):
    """A copy with the part at the index `where` put through `by`; by default, no simple relation holds there."""
    array = array.copy()
    array[where] = by(array[where])
    return array


def spoilt(part):
    return part + 0.1 * np.arange(1, part.size + 1).reshape(part.shape) ** 2


# the whole array ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, phrases",
    [
        (lambda a: -a, ["its sign is wrong"]),
        (lambda a: 0 * a, ["it is zero everywhere"]),
        (lambda a: 3 * a, ["it is B = 3 times what it should be"]),
        (lambda a: a / 4, ["it is 1/T = 1/4 times what it should be"]),
        (lambda a: -5 * a, ["it is -H = -5 times what it should be"]),
        (lambda a: 2 * a, ["it is 2 times what it should be"]),
        (lambda a: -0.3 * a, ["it is -0.3 times what it should be"]),
        (lambda a: a[::-1], ["it is in the opposite order in time"]),
        (lambda a: changed(a, (1, 1, 1), lambda _: np.nan), ["it is not finite (NaN or infinity)"]),
        (lambda a: changed(a, (1, 1, 1), lambda _: np.inf), ["it is not finite (NaN or infinity)"]),
        (spoilt, []),
    ],
)
def test_relations_of_the_whole_array_are_named(change, phrases):
    expected = arrays()
    assert describe(change(expected), expected, sizes=SIZES) == phrases


def test_square_arrays_can_be_transposed():
    expected = arrays(shape=(1, 5, 5))
    assert describe(expected.swapaxes(1, 2), expected) == ["it is transposed"]


@pytest.mark.parametrize("number, said", [(1, "1"), (2, "2")])
def test_a_factor_is_not_called_after_a_size_that_may_be_any_factor(number, said):
    expected = arrays()
    (phrase,) = describe(7 * number * expected, expected, sizes=[("B", number), ("T", 7 * number + 1)])
    assert phrase == f"it is {7 * number} times what it should be" and f"B = {said}" not in phrase


@pytest.mark.parametrize("by", [1e-9, 1e-6])
def test_a_mistake_below_the_precision_of_single_is_called_nearly_right(by):
    expected = arrays()
    (phrase,) = describe(expected + by * np.sin(arrays(seed=1)), expected)
    assert phrase.startswith("it is nearly right")
    assert describe(expected + 1e-4 * np.sin(arrays(seed=1)), expected) == []


def test_large_numbers_where_zero_belongs_are_described_without_an_overflow():
    got = np.random.default_rng(0).normal(0, 1e5, (3, 4))
    assert describe(got, np.zeros((3, 4))) == []  # "nearly right" divides by what belongs there


def test_one_number_alone_is_no_constant_factor():
    expected = arrays(shape=(1, 1, 1))
    assert describe(1.7 * expected, expected) == []
    assert describe(-expected, expected) == ["its sign is wrong"]


# shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, phrases",
    [
        (lambda a: a.T, ["it is transposed", "it has shape (6, 3) where (3, 6) belongs"]),
        (lambda a: 2 * a.T, ["it has shape (6, 3) where (3, 6) belongs"]),
        (lambda a: a[:2], ["it has shape (2, 6) where (3, 6) belongs"]),
    ],
)
def test_shapes_that_differ_are_told(change, phrases):
    expected = arrays(shape=(3, 6))
    assert describe(change(expected)[None], expected[None]) == phrases


@pytest.mark.parametrize("axis", [0, 1])
def test_a_forgotten_sum_is_told_with_its_axis(axis):
    got = arrays(shape=(3, 6))
    told, why = describe(got[None], got.sum(axis=axis)[None])
    assert told.startswith("it has shape (3, 6)") and why == f"it is not summed over axis {axis}"


# another gradient -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, phrase",
    [
        (lambda a, b: b, "it is dc"),
        (lambda a, b: a - b, "dc is missing from it"),
        (lambda a, b: a + b, "it has dc in it that does not belong there"),
    ],
)
def test_another_gradient_that_was_taken_forgotten_or_added_is_named(make, phrase):
    expected, other, third = arrays(3)
    others = {"da": expected.copy(), "db": third, "dc": other, "dd": other[:2], "de": 0 * other}
    assert describe(make(expected, other), expected, others=others) == [phrase]


# where it differs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "steps, phrase",
    [
        ([0], "only the first step is wrong"),
        ([3], "only the last step is wrong"),
        ([0, 1, 2], "the last step is right and all before it are wrong: look at what comes from the later step"),
        ([1, 2, 3], "only the first step is right"),
        ([1, 3], "wrong at steps 1, 3"),
    ],
)
def test_the_steps_that_are_wrong_are_named(steps, phrase):
    expected = arrays()
    assert describe(changed(expected, steps, spoilt), expected, times="step") == [phrase]
    assert phrase not in describe(changed(expected, steps, spoilt), expected)
    also = describe(changed(expected, steps, lambda part: -part), expected, times="step")
    assert also == [phrase, "there its sign is wrong"]


@pytest.mark.parametrize(
    "columns, phrase",
    [([2, 3], "only gate f is wrong"), ([0, 1, 4, 5], "only the gates i, g are wrong")],
)
def test_the_gates_that_are_wrong_are_named(columns, phrase):
    expected = arrays()
    wrong = changed(expected, (..., columns), lambda part: 2 * part)
    assert describe(wrong, expected, gates=GATES) == [phrase, "there it is 2 times what it should be"]
    assert phrase not in describe(wrong, expected)
    assert describe(spoilt(expected), expected, gates=GATES) == []


def test_a_single_row_or_column_that_is_wrong_is_named():
    expected = arrays()
    assert describe(changed(expected, (slice(None), 1), spoilt), expected) == ["only row 1 is wrong"]
    assert describe(changed(expected, (..., 4), spoilt), expected) == ["only column 4 is wrong"]
    assert describe(changed(expected, (..., [1, 4]), spoilt), expected) == []


# no phrase without a reason -------------------------------------------------------------------------------------------


def holds(phrase, got, expected, others):
    """Whether a phrase is true, worked out anew from what it says."""
    wrong = ~np.isclose(got, expected, rtol=1e-7, atol=1e-7)
    steps, rows, columns = (np.flatnonzero(wrong.any(axis=axes)) for axes in ((1, 2), (0, 2), (0, 1)))
    close = np.allclose
    if factor := re.fullmatch(r"it is (?:-?[A-Z] = |-?1/[A-Z] = )?(-?[\d./e+-]+) times what it should be", phrase):
        top, _, bottom = factor[1].partition("/")
        return close(got, float(top) / float(bottom or 1) * expected, rtol=1e-5)
    if gates := re.fullmatch(r"only (?:gate|the gates) (.*?) (?:is|are) wrong", phrase):
        return set(gates[1].split(", ")) == {GATES[column // 2] for column in columns}
    if index := re.fullmatch(r"only (row|column) (\d) is wrong", phrase):
        here = rows if index[1] == "row" else columns % 2 if np.ptp(columns // 2) == 0 else columns
        return set(here) == {int(index[2])} or set(columns) == {int(index[2])}
    named = {
        "its sign is wrong": lambda: close(got, -expected),
        "it is zero everywhere": lambda: not got.any(),
        "it is in the opposite order in time": lambda: close(got, expected[::-1]),
        "it is dc": lambda: close(got, others["dc"]),
        "dc is missing from it": lambda: close(got + others["dc"], expected),
        "it has dc in it that does not belong there": lambda: close(got - others["dc"], expected),
        "only the first step is wrong": lambda: list(steps) == [0],
        "only the last step is wrong": lambda: list(steps) == [3],
        "only the first step is right": lambda: list(steps) == [1, 2, 3],
        f"wrong at steps {', '.join(map(str, steps))}": lambda: len(steps) < 4,
    }
    if phrase.startswith("the last step is right and all before it are wrong"):
        return list(steps) == [0, 1, 2]
    return named[phrase]()


subset = st.sets(st.integers(0, 5), min_size=1).map(sorted)


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1),
    subset.map(lambda s: sorted({k % 4 for k in s})),
    subset.map(lambda s: sorted({k % 3 for k in s})),
    subset,
    st.sampled_from(["spoilt", "-", "0", "2", "1/4", "reversed", "other", "missing", "added"]),
)
def test_nothing_is_said_that_does_not_hold(seed, steps, rows, columns, change):
    expected, other = arrays(2, seed=seed)
    with_change = {
        "spoilt": spoilt(expected),
        "-": -expected,
        "0": 0 * expected,
        "2": 2 * expected,
        "1/4": expected / 4,
        "reversed": expected[::-1],
        "other": other,
        "missing": expected - other,
        "added": expected + other,
    }[change]
    got, here = expected.copy(), np.ix_(steps, rows, columns)
    got[here] = with_change[here]
    phrases = describe(got, expected, sizes=SIZES, gates=GATES, times="step", others={"dc": other})
    for phrase in phrases:
        if phrase.startswith("there "):
            inner = phrase.removeprefix("there ")
            assert inner.startswith(("its sign", "it is"))
            assert change != "spoilt"
        else:
            assert holds(phrase, got, expected, {"dc": other}), (phrase, steps, rows, columns)
    if len(steps) == 4 and len(rows) == 3 and len(columns) == 6:
        assert len(phrases) == (change != "spoilt")


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_nothing_is_said_of_unrelated_arrays(seed, n, rows):
    got, expected, other = arrays(3, (n, rows, 6), seed)
    assert describe(got, expected, sizes=SIZES, gates=GATES, times="step", others={"dc": other}) == []


# comparing ------------------------------------------------------------------------------------------------------------


def test_same_holds_to_rounding_and_for_finite_arrays_of_one_shape_only():
    a = arrays()
    assert same(a, a * (1 + 1e-9)) and same(0 * a, 0 * a)
    assert not same(a, a + 1e-5) and not same(a, 0 * a) and not same(a, a[:2])
    assert not same(changed(a, (0, 0, 0), lambda _: np.nan), a)


@given(st.integers(0, 2**32 - 1), st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 5)))
def test_the_worst_entry_is_the_one_that_differs_most_or_is_not_finite(seed, index):
    expected = arrays(seed=seed)
    near = expected + 0.01
    assert worst_entry(changed(near, index), expected) == index
    assert worst_entry(changed(spoilt(near), index, lambda _: np.nan), expected) == index


def test_arrays_of_different_shapes_have_no_worst_entry():
    assert worst_entry(arrays(), arrays()[:2]) is None
    assert worst_entry(np.empty((1, 0)), np.empty((1, 0))) is None
