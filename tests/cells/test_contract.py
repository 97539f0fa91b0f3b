"""The contract suite: every cell in `CELLS`, alone and in layers, through every check in `checks.py`.

A new cell takes part by its line in `CELLS`. In layers only a few cells, one of each kind of state, are looked at:
layers do not look into cells. Gradients of any cell in any layers are among what hypothesis draws.
"""

import checks
import numpy as np
import pytest
from checks import CHECKS
from contract import BUILDS, LARGEST, SIZES, SMALLEST, Case, assert_same, assert_slopes, complex_slopes
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import sample

from tinyrnn.cells import CELLS

BETWEEN = 48  # cases of the sizes between, for cells that are not in layers
IN_LAYERS = ("elman", "lstm", "urnn", "lmn")  # one state, two, a learned one twice as wide, one that is no h
CASES = [
    Case(cell, build, T, B, masked)
    for cell in CELLS
    for build in (BUILDS if cell in IN_LAYERS else ("alone",))
    for T, B in (SIZES if build == "alone" else (SMALLEST, LARGEST))
    for masked in (False, True)
]


def is_between(case):
    return (case.T, case.B) not in (SMALLEST, LARGEST) and case.cell not in IN_LAYERS


def parameters():
    """What the simpler builds show, the largest shows too, and the sizes between the smallest and the largest seldom
    show more: they are slow, but for one cell and one of each kind of state; of the sizes between some are drawn.
    Layers of the uRNN are slow, too."""
    between = [case for case in CASES if is_between(case)]
    drawn = sample(between, BETWEEN)
    cases = [case for case in CASES if case in drawn or case not in between]
    for name, check in CHECKS.items():
        for case in cases:
            if check.applies(case):
                slow = case.build in ("stacked", "bidirectional") and case.cell != "lstm"
                slow |= is_between(case) or (case.cell, case.build) == ("urnn", "stacked-bidirectional")
                yield pytest.param(case, check, id=f"{case}-{name}", marks=[pytest.mark.slow] * slow)


@pytest.mark.parametrize(("case", "check"), list(parameters()))
def test_contract(case, check):
    check(case)


@settings(max_examples=60)
@given(
    cell=st.sampled_from(list(CELLS)),
    build=st.sampled_from(BUILDS),
    T=st.integers(1, 6),
    B=st.integers(1, 4),
    masked=st.booleans(),
    input_size=st.integers(1, 4),
    hidden_size=st.integers(1, 5),
)
def test_gradients_are_right_at_any_size(**sizes):
    case = Case(**sizes)
    network = case.network()
    # no central differences: among so many sizes, one of them would land on a kink some day
    assert_slopes(case, network, case.probe(network), methods=[(complex_slopes, 1e-10)])


@pytest.mark.parametrize("cell", CELLS)
def test_a_gpu_gives_the_same_numbers(cell):
    try:
        import cupy
    except ImportError:
        pytest.skip("CuPy is not installed")
    try:
        cupy.zeros(1)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no CUDA device: {error}")
    for build in BUILDS:
        for masked in False, True:
            checks.same_numbers_on(cupy, Case(cell, build, *LARGEST, masked), tolerance=1e-10)


def test_a_broken_gradient_is_reported_with_its_place():
    wanted = {"dx": np.zeros((5, 3, 2)), "dW": np.ones((2, 4))}
    got = {"dx": np.zeros((5, 3, 2)), "dW": np.ones((2, 4))}
    got["dx"][4, 1, 0] = 0.5
    with pytest.raises(AssertionError, match=r"dx\[4, 1, 0\] is 0.5, should be 0"):
        assert_same(got, wanted, 1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_never_passes(value):
    with pytest.raises(AssertionError, match="dx is not finite"):
        assert_same({"dx": np.array([value, 1.0])}, {"dx": np.array([value, 1.0])}, 1e-6)


def test_shapes_are_not_broadcast():
    with pytest.raises(AssertionError, match=r"db has shape \(4,\), not \(1, 4\)"):
        assert_same({"db": np.ones(4)}, {"db": np.ones((1, 4))}, 1e-6)
