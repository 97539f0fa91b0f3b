"""Whether arrays are right is decided before anything is said about them, and nothing that is returned gets past it."""

import numpy as np
import pytest

from tinyrnn.grading.compare import compare
from tinyrnn.grading.task import EXACT


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def one(returned, expected, tolerance=EXACT, **inputs):
    (finding,) = compare(("h",), returned, {"h": expected}, tolerance, inputs)
    return finding


RIGHT = draw(3, 4)


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param(RIGHT.copy(), id="the array"),
        pytest.param(RIGHT * (1 + 1e-14), id="to rounding"),
        pytest.param({"h": RIGHT}, id="a dict with its name"),
        pytest.param(np.asfortranarray(RIGHT), id="another order in memory"),
    ],
)
def test_right_is_right(returned):
    assert one(returned, RIGHT) == ("h", True, "", "", "")


@pytest.mark.parametrize(
    "returned, said",
    [
        pytest.param(None, "is `return` missing", id="None"),
        pytest.param((RIGHT,), "a comma too many", id="a tuple of one"),
        pytest.param((RIGHT, RIGHT), "a tuple came where an array belongs", id="a tuple of two"),
        pytest.param(RIGHT.tolist(), "a list came", id="a list"),
        pytest.param("h", "a text", id="a text"),
        pytest.param({}, "a dict came", id="an empty dict"),
        pytest.param({"h": RIGHT, "c": RIGHT}, "the dict has c in it", id="a key too many"),
        pytest.param({"h": None}, "h: it was not returned", id="None in a dict"),
        pytest.param(RIGHT[None], "an axis of length 1 too many", id="an axis too many"),
        pytest.param(RIGHT[0], "shape (4,) came where (3, 4) belongs", id="a shape that broadcasts"),
        pytest.param(RIGHT[:0], "shape (0, 4)", id="an empty array"),
        pytest.param(RIGHT.T, "transposed? The numbers are right", id="transposed"),
        pytest.param(draw(4, 3), "shape (4, 3) came where (3, 4) belongs: transposed?", id="maybe transposed"),
        pytest.param(np.stack([RIGHT, 0 * RIGHT]), "not summed over axis 0", id="not summed"),
        pytest.param(RIGHT.astype(np.float32), "float32 came where float64 belongs", id="float32"),
        pytest.param(RIGHT.astype(int), "integers came where float64 belong", id="integers"),
        pytest.param(RIGHT > 0, "booleans came", id="booleans"),
        pytest.param(RIGHT + 0j, "is .real missing", id="complex"),
        pytest.param(RIGHT.astype(object), "came where an array belongs", id="objects"),
        pytest.param(RIGHT.astype("U8"), "came where an array belongs", id="texts"),
        pytest.param(np.where(RIGHT == RIGHT.max(), np.nan, RIGHT), "nan came at [", id="NaN in one place"),
        pytest.param(np.full((3, 4), np.nan), "nan came at [0, 0]", id="NaN everywhere"),
        pytest.param(np.where(RIGHT == RIGHT.max(), np.inf, RIGHT), "inf came at [", id="infinity"),
        pytest.param(np.full((3, 4), 1e308), "first wrong value", id="numbers whose difference overflows"),
        pytest.param(RIGHT * 0, "zero everywhere", id="zero"),
        pytest.param(-RIGHT, "sign is wrong", id="sign"),
        pytest.param(RIGHT / 2, "half of what it should be", id="half"),
        pytest.param(RIGHT * (1 + 3e-10), "a numerical derivative", id="central differences"),
        pytest.param(RIGHT * (1 + 3e-7), "single precision", id="computed in single precision"),
        pytest.param(RIGHT + np.eye(3, 4) * 1e-3, "only columns 0 to 2 are wrong (of 4)", id="some columns"),
        pytest.param(RIGHT * [1, 2, 1, 2], "only columns 1, 3 are wrong (of 4), there twice", id="a factor in columns"),
        pytest.param(RIGHT * [[1], [-1], [1]], "only row 1 is wrong (of 3), there its sign is wrong", id="a row"),
        pytest.param(RIGHT + 1e-3 * np.arange(4) * [0, 0, 1, 0], "only column 2 is wrong", id="a column"),
        pytest.param(
            draw(3, 4, seed=1), "first wrong value at [0, 0]: 0.345584 came where 0.12573 belongs", id="other"
        ),
    ],
)
def test_wrong_is_wrong_and_says_how(returned, said):
    finding = one(returned, RIGHT)
    assert finding.ok is False
    assert said in finding.message


def test_a_small_array_entry_is_not_hidden_by_an_absolute_tolerance():
    assert not one(RIGHT * 1e-12 * 1.01, RIGHT * 1e-12).ok
    assert one(RIGHT * 1e-12, RIGHT * 1e-12).ok


def test_the_tolerance_is_the_tasks():
    assert one(RIGHT * (1 + 1e-7), RIGHT, tolerance=1e-6).ok
    assert not one(RIGHT * (1 + 1e-5), RIGHT, tolerance=1e-6).ok


def test_where_zeros_belong_the_inputs_are_the_scale():
    assert one(np.full(3, 1e-13), np.zeros(3), x=np.array([100.0])).ok
    assert not one(np.full(3, 1e-8), np.zeros(3), x=np.array([100.0])).ok
    assert not one(np.full(3, 1e-10), np.zeros(3)).ok
    assert "should be zero" in one(np.ones(3), np.zeros(3)).message


@pytest.mark.parametrize("number", [0.5, np.float64(0.5), np.array(0.5)])
def test_a_number_is_an_array_without_axes(number):
    assert one(number, np.float64(0.5)).ok
    assert not one(number, np.float64(0.25)).ok


def test_of_a_single_number_only_the_two_values_are_told():
    assert one(0.5, np.float64(0.25)).message == "h: 0.5 came where 0.25 belongs"
    assert one(np.nan, np.float64(0.25)).message == "h: nan came where 0.25 belongs"


def test_many_columns_are_told_as_ranges():
    right = draw(3, 12)
    wrong = right + 1e-2 * draw(3, 12, seed=1) * np.repeat([1, 0, 1, 0], 3)
    assert "only columns 0 to 2, 6 to 8 are wrong (of 12)" in one(wrong, right).message


def test_python_numbers_of_any_size_are_judged():
    assert one(2, np.float64(2)).ok
    assert not one(10**400, np.float64(2)).ok
    assert not one(10**400, np.int64(2)).ok
    assert not one(True, np.float64(1)).ok
    assert one(2, np.int64(2)).ok
    assert not one(2.0, np.int64(2)).ok


def test_integers_and_booleans_are_compared_entry_by_entry():
    right = np.array([3, 1, 2])
    assert one(np.array([3, 1, 2], dtype=np.uint8), right).ok
    wrong = one(np.array([3, 2, 1]), right)
    assert not wrong.ok
    assert "2 of 3 are wrong; first wrong value at [1]: 2 came where 1 belongs" in wrong.message
    assert not one(np.array([3.0, 1.0, 2.0]), right).ok
    assert one(np.array([True]), np.array([True])).ok


def test_complex_numbers():
    right = draw(5) + 1j * draw(5, seed=1)
    assert one(right * 1, right).ok
    assert "complex conjugate" in one(right.conj(), right).message
    assert "real part is right" in one(right + 0.1j * draw(5), right).message
    assert "complex128 belong" in one(right.real, right).message
    assert not one(right.astype(np.complex64), right).ok


NAMES = ("h", "c")
BOTH = {"h": draw(3, 4), "c": draw(3, 4, seed=1)}


@pytest.mark.parametrize("form", [lambda h, c: (h, c), lambda h, c: [h, c], lambda h, c: {"c": c, "h": h}])
def test_several_outputs_come_as_a_tuple_or_a_dict_in_any_order(form):
    assert all(finding.ok for finding in compare(NAMES, form(BOTH["h"], BOTH["c"]), BOTH))
    first, second = compare(NAMES, form(BOTH["h"], -BOTH["c"]), BOTH)
    assert first.ok and not second.ok


@pytest.mark.parametrize(
    "returned", [None, 3, BOTH["h"], (), (BOTH["h"],), (*BOTH.values(), 1), {"h": 1, "k": 2}, "hc"]
)
def test_other_structures_are_wrong_in_every_output(returned):
    findings = compare(NAMES, returned, BOTH)
    assert [finding.output for finding in findings] == list(NAMES)
    assert not any(finding.ok for finding in findings)
    assert all(finding.message for finding in findings)


def test_a_key_that_is_missing_costs_only_its_own_output():
    first, second = compare(NAMES, {"h": BOTH["h"]}, BOTH)
    assert first.ok and not second.ok
    assert second.message == "c: it was not returned"


def test_outputs_in_each_others_place_are_told():
    first, second = compare(NAMES, (BOTH["c"], BOTH["h"]), BOTH)
    assert "it is c" in first.message
    assert "it is h" in second.message


JUNK = [
    *(np.ones(shape, dtype=kind) for shape in [(), (0,), (3,), (3, 4)] for kind in (*"fdgiQ?FDGSUO", "M8[s]", "m8[s]")),
    np.zeros(3, dtype=[("a", float)]),
    np.array([None, {}]),
    np.float64("nan"),
    b"bytes",
    {1: 2, None: 3},
    {"h": {"h": 1}},
    [[1, 2], [3]],
    10**5000,
    -(2**63),
    complex("nan"),
    float("inf"),
    object(),
    slice(0),
    (),
    "\ud800",
]


@pytest.mark.parametrize("right", [RIGHT, RIGHT > 0, np.arange(3), RIGHT * 1j, np.float64(2), np.int64(2), RIGHT[:0]])
def test_nothing_that_is_returned_raises_here(right):
    for junk in JUNK:
        finding = one(junk, right)
        assert finding.ok is False
        assert finding.message.startswith("h: ") or "came where" in finding.message


def test_a_factor_is_called_by_the_axis_or_the_number_it_is():
    x = draw(7, 2)
    assert "1/7 of what it should be (7 is the length of axis 0 of x)" in one(RIGHT / 7, RIGHT, x=x).message
    assert "minus 7 times" in one(-7 * RIGHT, RIGHT, x=x).message
    assert "which is 1 / (1 - a)" in one(RIGHT / 0.7, RIGHT, a=0.3).message
    assert "1.234 times" in one(RIGHT * 1.234, RIGHT, x=x, a=0.3).message


def test_steps_in_time_are_told():
    right, x = draw(5, 2, 3), draw(5, 2, 4)
    wrong = right.copy()
    wrong[:-1] += draw(4, 2, 3, seed=1)
    assert "the last step is right" in one(wrong, right, x=x).message
    assert "opposite order in time" in one(right[::-1], right, x=x).message
    losses = draw(5, 2)
    assert "only the first step is wrong" in one(losses + np.eye(5, 1), losses, x=x).message


def test_an_argument_that_comes_back_is_recognised():
    assert "it is the argument x" in one(draw(3, 4, seed=3), RIGHT, x=draw(3, 4, seed=3)).message


def test_nearly_equal_numbers_are_printed_with_the_digits_that_differ():
    message = one(np.array([1.0, 2.0000000001]), np.array([1.0, 2.0])).message
    assert "2.0000000001 came where 2 belongs" in message
