"""Compiled cells compute what plain ones do: every cell, every array, with everything that happens around a cell.

How closely is stated once, in `comparing.BOUND`. Calls one after the other are in `test_compiled_calls.py`, cells that
the compiler cannot take in `test_not_compiled.py`, made-up expressions in `test_expressions.py`.
"""

import zlib
from unittest import mock

import numpy as np
import pytest
from comparing import (
    BOUND,
    assert_agree,
    assert_compiles,
    compare,
    compiled,
    needs_compiler,
    perturbed,
    plain,
    probe_for,
    results,
)
from comparing import cache as cache
from contract import leaves

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.compiler.runner import Compiled
from tinyrnn.core.steps import Plain
from tinyrnn.optim.optimisers import SGD

pytestmark = [needs_compiler, pytest.mark.usefixtures("cache")]
SIZES = (5, 17, 33)  # hidden sizes that no processor's vectors divide
SHAPES = ((1, 1), (3, 7), (45, 2))  # T, B: with the small chunks below, the last one is three chunks
ONCE = ["lstm", "gru", "urnn", "elman-relu"]  # where every cell would tell no more
SAMPLE = [pytest.param(n, marks=[pytest.mark.slow] * (n == "urnn")) for n in ONCE]  # which takes longest to compile


def made(name, dtype="float64", input_size=3, hidden_size=None, **options):
    cls, defaults = CELLS[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    size = hidden_size or SIZES[zlib.crc32(name.encode()) % len(SIZES)]
    return perturbed(cls(input_size, size, rng=rng, dtype=dtype, **{**defaults, **options}), rng)


@pytest.fixture(autouse=True)
def small_chunks():
    with mock.patch.object(Plain, "rows_per_chunk", 8), mock.patch.object(Compiled, "rows_per_chunk", 8):
        yield


def agrees(cell, masked=False, shapes=SHAPES, seed=0, **options):
    """Compare at several shapes with one kernel; returns the compiled cell."""
    fast, slow, rng = compiled(cell), plain(cell), np.random.default_rng(seed)
    for T, B in shapes:
        probe = probe_for(cell, T, B, rng, masked)
        assert_agree(results(fast, probe, **options), results(slow, probe, **options))
    assert_compiles(fast)
    return fast


# every cell -----------------------------------------------------------------------------------------------------------

EACH = [  # two kinds of a few cells; all else is slow, for each is another kernel to be compiled
    pytest.param(
        n,
        d,
        m,
        marks=[pytest.mark.slow] * (m == (d == "float64") or n not in (*ONCE, "lmn") or n == "urnn"),
        id=f"{n}-{d}{'-masked' * m}",
    )
    for n in CELLS
    for d in BOUND
    for m in (False, True)
]


@pytest.mark.sample(14)
@pytest.mark.few(1)
@pytest.mark.parametrize("name, dtype, masked", EACH)
def test_every_cell_agrees_in_every_array(name, dtype, masked):
    agrees(made(name, dtype), masked)


@pytest.mark.sample(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
# one, a vector of some processors, no whole number of them; each is another kernel to be compiled
@pytest.mark.parametrize("hidden_size, dtype", [(1, "float64"), (4, "float32"), (100, "float32")])
def test_every_cell_agrees_at_any_size(name, dtype, hidden_size):
    if name in ("urnn", "urnn-relu", "householder", "svd-rnn") and hidden_size == 1:
        pytest.skip("the reflection of a single number does not depend on v: its gradient is nothing but rounding")
    agrees(made(name, dtype, hidden_size=hidden_size, input_size=1 + hidden_size % 7), shapes=[(6, 9)])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["elman", "lstm", "lmn"])
def test_one_unit_and_one_input_are_no_special_case(name):
    agrees(made(name, input_size=1, hidden_size=1), masked=True, shapes=[(4, 1), (4, 5)])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_the_stated_bound_holds_in_many_draws(name):
    for dtype in BOUND:
        agrees(made(name, dtype), shapes=[(20, 3)] * 20, seed=1)


# what happens around a cell -------------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{"truncate": 4}, {"truncate": 1}, {"average": True}, {"record": True}], ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_options_of_the_backward_pass(options, masked):
    for name in "lstm", "elman-relu":
        agrees(made(name), masked, shapes=[(21, 3)], **options)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_clipped_and_learned_states(name):
    cell = made(name, clip_state=0.4, learn_state=True)
    assert_compiles(agrees(cell, masked=True, shapes=[(9, 3)], record=True))
    probe = probe_for(cell, 6, 3, np.random.default_rng(2))
    assert_compiles(compare(cell, probe._replace(state=None)))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_class_numbers_stand_for_one_hot_rows(name):
    cell, rng = made(name, "float32"), np.random.default_rng(3)
    for masked, integer in ((False, "int64"), (True, "uint8")):
        probe = probe_for(cell, 12, 3, rng, masked)
        compare(cell, probe._replace(x=rng.integers(0, 3, (12, 3)).astype(integer)))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_upstream_on_the_outputs_only_or_the_final_state_only_and_no_initial_state(name):
    cell = made(name)
    probe = probe_for(cell, 20, 3, np.random.default_rng(4), masked=True)
    for left_out in ({"dh": None}, {"dstate": None}, {"state": None}):
        compare(cell, probe._replace(**left_out))
    compare(cell, probe._replace(dstate=(probe.dstate[0], *[None] * (len(cell.states) - 1))))


def in_other_layouts(array):
    """The same numbers, differently in memory."""
    wide = np.full((*array.shape[:-1], 2 * array.shape[-1] + 1), np.nan, array.dtype)
    wide[..., 1::2] = array
    whole = np.full((2 * array.shape[0], array.shape[1] + 2, *array.shape[2:]), np.nan, array.dtype)
    whole[::2, 1:-1] = array
    return (
        wide[..., 1::2],
        whole[::2, 1:-1],
        np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1],
        np.asfortranarray(array),
    )


def test_arrays_need_not_be_contiguous():
    cell = made("lstm")
    probe = probe_for(cell, 20, 3, np.random.default_rng(5))
    wanted = results(plain(cell), probe)
    for x, dh in zip(in_other_layouts(probe.x), in_other_layouts(probe.dh), strict=True):
        assert (x == probe.x).all() and not x.flags.c_contiguous
        assert_agree(results(compiled(cell), probe._replace(x=x, dh=dh)), wanted)
    for k in range(4):
        state, dstate = [tuple(in_other_layouts(s[None])[k][0] for s in each) for each in (probe.state, probe.dstate)]
        assert_agree(results(compiled(cell), probe._replace(state=state, dstate=dstate)), wanted)


def test_broadcast_misaligned_and_foreign_arrays_are_read_right():
    cell = made("gru")
    probe = probe_for(cell, 20, 3, np.random.default_rng(6))
    raw = np.zeros(probe.x.nbytes + 1, np.uint8)
    misaligned = raw[1:].view(probe.x.dtype).reshape(probe.x.shape)
    misaligned[...] = probe.x
    shared = np.broadcast_to(probe.x[:, :1], probe.x.shape)
    swapped = probe.x.astype(probe.x.dtype.newbyteorder())
    packed = np.zeros(probe.x.shape[:2], [("flag", "u1"), ("x", "f8", 3)])
    packed["x"] = probe.x
    for x in (misaligned, shared, swapped, packed["x"]):
        compare(cell, probe._replace(x=x))


@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_passed_in_is_modified(name):
    cell = made(name)
    compare(cell, probe_for(cell, 20, 3, np.random.default_rng(7), masked=True), record=True, average=True)


@pytest.mark.few(1)
@pytest.mark.parametrize("masked", [False, True])
def test_stacks_and_both_directions(masked):
    network = tr.Stack(tr.Bidirectional(made("lstm", hidden_size=5), made("gru", hidden_size=6)),
                       made("elman", input_size=11, hidden_size=7))  # fmt: skip
    probe = probe_for(leaves(network)[0], 19, 3, np.random.default_rng(8), masked)
    rng = np.random.default_rng(9)
    outer = {"state": network.state_sizes, "dstate": network.state_sizes}
    probe = probe._replace(dh=rng.normal(size=(19, 3, network.output_size)))
    probe = probe._replace(**{k: tuple(rng.normal(size=(3, n)) for n in sizes) for k, sizes in outer.items()})
    assert_compiles(compare(network, probe))


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", [*SAMPLE, *(pytest.param(n, marks=pytest.mark.slow) for n in CELLS if n not in ONCE)])
def test_three_steps_of_training_on_class_numbers_lead_to_the_same_parameters(name):
    cell, rng = made(name), np.random.default_rng(10)
    x, target = rng.integers(0, 3, (12, 4)), rng.integers(0, 2, (12, 4))
    model = tr.Model(cell, tr.Readout(cell.output_size, 2, rng=1))
    before = {key: value.copy() for key, value in model.params.items()}
    trained = [train(each, x, target) for each in (compiled(model), plain(model))]
    assert_agree(*trained)
    assert all((value != before[key]).any() for key, value in trained[0].items())


def train(model, x, target):
    optimiser = SGD(0.1)
    for _ in range(3):
        optimiser.step(model.params, model.gradients(x, target).params)
    return model.params
