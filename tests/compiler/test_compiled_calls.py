"""Compiled cells from call to call: what is kept alive, used again or shared by threads never shows in the numbers.

And numbers that are not ordinary: NaN, infinity, denormals; other precisions; gradient checks.
"""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from comparing import (
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
from contract import assert_same, backward
from threadpoolctl import threadpool_info, threadpool_limits

import tinyrnn as tr
from tinyrnn.compiler.runner import Compiled

pytestmark = [needs_compiler, pytest.mark.usefixtures("cache")]


@pytest.fixture(scope="module")
def lstm():
    return perturbed(tr.LSTM(3, 17, rng=0), np.random.default_rng(0))


def probes(cell, n, T=30, B=9, masked=False):
    rng = np.random.default_rng(1)
    return [probe_for(cell, T, B, rng, masked) for _ in range(n)]


def copies(arrays):
    return {name: value.copy() for name, value in arrays.items()}


# from call to call ----------------------------------------------------------------------------------------------------


def test_a_second_call_gives_the_same_to_the_bit(lstm):
    fast, (probe, other) = compiled(lstm), probes(lstm, 2)
    first = copies(results(fast, probe))
    results(fast, other)
    assert_same(results(fast, probe), first)


def test_tapes_may_be_used_in_any_order_and_twice(lstm):
    fast, two = compiled(lstm), probes(lstm, 2)
    tapes = [fast.forward(p.x, p.state, p.mask)[1] for p in two]
    wanted = [results(plain(lstm), p) for p in two]
    for k in (0, 1, 0):
        got = backward(fast, two[k], tapes[k])
        assert_agree(got, {name: wanted[k][name] for name in got})


KEPT = {
    "the tape": lambda h, tape: list(tape.cache.values()) + list(tape.states.values()),
    "a view of a gate": lambda h, tape: [tape["f"][3]],
    "a view of a view": lambda h, tape: [tape["c_prev"][4:9, 1::2, ::-1]],
    "one step of the output": lambda h, tape: [h[2]],
    "one number of the output": lambda h, tape: [h[2, 1, 3:4]],
    "the final state": lambda h, tape: list(tape.state),
    "the same bytes as integers": lambda h, tape: [h.view(np.int64)],
    "an exported buffer": lambda h, tape: [np.asarray(memoryview(h)[5:6])],
    "an iterator": lambda h, tape: [next(iter(tape["o"]))],
}


@pytest.mark.parametrize("what", KEPT)
def test_what_is_still_referred_to_never_changes(lstm, what):
    fast, many = compiled(lstm), probes(lstm, 6)
    kept, wanted = [], []
    for probe in many:
        h, tape = fast.forward(probe.x, probe.state, probe.mask)
        fast.backward(probe.dh, tape, probe.dstate)
        kept += KEPT[what](h, tape)
        wanted += [a.copy() for a in kept[len(wanted) :]]
        del h, tape
        for k, (array, before) in enumerate(zip(kept, wanted, strict=True)):
            assert array.tobytes() == before.tobytes(), f"array {k} was overwritten"


def test_gradients_still_referred_to_never_change(lstm):
    fast, kept, wanted = compiled(lstm), [], []
    for probe in probes(lstm, 6):
        kept.append(backward(fast, probe, fast.forward(probe.x, probe.state)[1], record=True))
        wanted.append(copies(kept[-1]))
    for got, before in zip(kept, wanted, strict=True):
        assert_same(got, before)


def test_memory_is_used_again_once_nobody_refers_to_it(lstm):
    fast, (probe,) = compiled(lstm), probes(lstm, 1)
    addresses = {fast.forward(probe.x)[0].__array_interface__["data"][0] for _ in range(8)}
    assert len(addresses) <= 2


def test_parameters_changed_in_place_are_seen(lstm):
    cell, (probe,) = copy.deepcopy(lstm), probes(lstm, 1)
    fast = compiled(cell)
    before = copies(results(fast, probe))
    for each in cell, fast:
        for value in each.params.values():
            value *= 0.9
    got = results(fast, probe)
    assert_agree(got, results(plain(cell), probe))
    assert (got["h"] != before["h"]).all()


def test_parameters_put_in_place_of_others_are_seen(lstm):
    cell, (probe,) = copy.deepcopy(lstm), probes(lstm, 1)
    fast = compiled(cell)
    results(fast, probe)
    for each in cell, fast:
        each.params["W_h"] = np.asfortranarray(each.params["W_h"] * 0.5)
    assert_agree(results(fast, probe), results(plain(cell), probe))


def test_activation_clipping_may_be_changed_between_calls(lstm):
    cell, (probe,) = copy.deepcopy(lstm), probes(lstm, 1)
    fast = compiled(cell)
    for limit in (None, 0.3, 0.7, None):
        cell.clip_state = fast.clip_state = limit
        assert_agree(results(fast, probe), results(plain(cell), probe))


def test_numbers_that_the_cell_computes_with_may_be_changed_between_calls():
    cell = perturbed(tr.Antisymmetric(3, 17, rng=0), np.random.default_rng(0))
    fast, (probe,) = compiled(copy.deepcopy(cell)), probes(cell, 1)
    for epsilon in (0.01, 0.5):
        cell.epsilon = fast.epsilon = epsilon
        assert_agree(results(fast, probe), results(plain(cell), probe))


def test_matrix_libraries_get_their_threads_back_from_the_last_caller():
    def of_blas():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(3, user_api="blas"):
        first, second = Compiled(1).session(None, None), Compiled(2).session(None, None)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert of_blas() == {1}
        second.__exit__(None, None, None)
        assert of_blas() == {3}


@pytest.mark.few(1)
@pytest.mark.parametrize("B", [1, 5, 8, 23])
def test_the_number_of_threads_does_not_show(lstm, B):
    (probe,) = probes(lstm, 1, B=B, masked=True)
    one = results(compiled(lstm, threads=1), probe)
    for threads in (2, 3, 7):
        several = compiled(lstm, threads)
        got = copies(results(several, probe))
        assert_agree(got, one)
        assert_same(results(several, probe), got)


def test_several_threads_of_the_caller_each_get_their_own_results(lstm):
    fast, many = compiled(lstm), probes(lstm, 8, T=60)
    wanted = [copies(results(fast, probe)) for probe in many]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            for got, w in zip(pool.map(lambda p: copies(results(fast, p)), many), wanted, strict=True):
                assert_same(got, w)


def test_copies_and_pickles_stay_compiled_and_are_independent(lstm):
    fast, (probe,) = compiled(lstm), probes(lstm, 1)
    wanted = copies(results(fast, probe))
    for other in (copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        assert_same(results(other, probe), wanted)
        assert_compiles(other)
        other.params["W_h"][...] = 0
        assert_same(results(fast, probe), wanted)


# extraordinary numbers ------------------------------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize("cell", ["LSTM", "GRU", "Elman", "IRNN", "LMN"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_and_infinity_in_the_input_go_where_they_go_in_plain(cell, value):
    made = perturbed(getattr(tr, cell)(5, 17, rng=0), np.random.default_rng(0))
    (probe,) = probes(made, 1, T=12, B=5)
    probe.x[4, 2, 1] = value
    fast = compare(made, probe)
    h, _ = fast.forward(probe.x, probe.state)
    assert np.isfinite(h[:4]).all() and np.isfinite(h[:, [0, 1, 3, 4]]).all()  # rows do not see each other


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_overflow_goes_to_infinity_at_the_same_step(dtype="float32"):
    made = tr.IRNN(3, 9, rng=0, dtype=dtype)
    made.params["W_h"] *= 100
    (probe,) = probes(made, 1, T=40, B=5)
    slow, fast = plain(made), compiled(made)
    wanted, got = (each.forward(probe.x, probe.state)[0] for each in (slow, fast))
    assert np.isinf(wanted).any() and np.isfinite(wanted[:5]).all()
    assert (np.isfinite(got) == np.isfinite(wanted)).all()
    assert_agree({"h": got[np.isfinite(wanted)]}, {"h": wanted[np.isfinite(wanted)]}, 1e-4)


@pytest.mark.few(1)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vanishing_gradients_vanish_alike(dtype):
    cell = tr.Elman(3, 17, rng=0, dtype=dtype)
    cell.params["W_h"] *= 0.5
    (probe,) = probes(cell, 1, T=1500 if dtype == "float64" else 400, B=5)
    probe = probe._replace(dh=None)
    got, wanted = results(compiled(cell), probe, record=True), results(plain(cell), probe, record=True)
    assert_agree(got, wanted)
    a, b = got["recorded h"], wanted["recorded h"]
    tiny, relative = {"float32": (1e-37, 1e-3), "float64": (1e-306, 1e-9)}[dtype]
    assert (abs(a - b) <= tiny + relative * abs(b).max(axis=(1, 2), keepdims=True)).all()
    assert abs(b[0]).max() < tiny < abs(b[-1]).max()


# other precisions and checks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["complex128", "longdouble"])
def test_other_precisions_go_the_plain_way(lstm, kind):
    fast, slow, (probe,) = compiled(lstm), plain(lstm), probes(lstm, 1)
    for each in fast, slow:
        for name, value in each.params.items():
            each.params[name] = value.astype(kind)
    probe = probe.map(lambda a: a.astype(kind))
    assert_agree(results(fast, probe), results(slow, probe), 1e-14)  # weight gradients are added in other portions
    assert not any(fast.runner.kernels.values())


def test_a_complex_step_through_a_cell_that_has_kernels(lstm):
    fast, (probe,) = compiled(lstm), probes(lstm, 1)
    results(fast, probe)
    probe = probe._replace(x=probe.x + 1e-30j)
    got, wanted = (each.forward(probe.x, probe.state)[0] for each in (fast, plain(lstm)))
    assert_same({"h": got}, {"h": wanted})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GRU", *(pytest.param(n, marks=pytest.mark.slow) for n in ("LSTM", "UnitaryRNN"))])
def test_the_gradient_check_of_a_compiled_cell_passes(name):
    cell = getattr(tr, name)(3, 5, rng=0).compile()
    report = tr.gradcheck(cell)
    assert report.ok, report


@pytest.mark.few(1)
@pytest.mark.parametrize("masked", [False, True])
def test_without_the_gradient_of_the_input_all_others_are_the_same(masked):
    below, above = tr.Bidirectional(tr.GRU(3, 5, rng=0), tr.LSTM(3, 5, rng=1)), tr.LSTM(10, 5, rng=2)
    rng = np.random.default_rng(0)
    x, dh = rng.normal(size=(12, 4, 3)), rng.normal(size=(12, 4, 5))
    mask = rng.random((12, 4)) < 0.7 if masked else None
    for layers in tr.Stack(below, above), tr.Stack(below, above).compile(2):
        _, tape = layers.forward(x, mask=mask)
        whole, rest = (layers.backward(dh, tape, inputs=inputs) for inputs in (True, False))
        assert whole.inputs.shape == x.shape and rest.inputs is None
        for name, d in whole.params.items():
            np.testing.assert_array_equal(rest.params[name], d)
