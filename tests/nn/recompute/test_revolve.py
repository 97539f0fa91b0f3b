"""What to keep of a long sequence: the schedule is the best there is, the plan keeps to its budget."""

import tracemalloc
from functools import lru_cache
from unittest import mock

import numpy as np
import pytest
from contract import Case
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.nn.recompute.revolve import advances, budget, plan, schedule, window_starts
from tinyrnn.nn.recompute.windows import backpropagate

# the schedule ---------------------------------------------------------------------------------------------------------


@lru_cache(None)
def optimum(n, k):
    """The fewest windows run forward without a tape, by trying where to keep the next state."""
    if n == 1:
        return 0
    if k == 1:
        return n * (n - 1) // 2
    return min(m + optimum(n - m, k - 1) + optimum(m, k) for m in range(1, n))


@pytest.mark.parametrize("k", [*range(1, 9), 20])
def test_no_order_recomputes_less(k):
    for n in range(1, 45):
        assert advances(n, k) == sum(j - i for i, j, _ in schedule(n, k)) == optimum(n, k)


@given(n=st.integers(1, 300), k=st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_the_schedule_reverses_every_window_once_from_the_last_and_never_keeps_more_than_k_states(n, k):
    kept, reversed_ = {0}, []
    for i, j, keep in schedule(n, k):
        assert i in kept and i <= j < n
        if keep:
            kept.add(j)
        else:
            reversed_.append(j)
            kept.discard(j)
        assert len(kept) <= k
    assert reversed_ == list(range(n))[::-1]


def test_the_number_of_steps_run_is_what_the_plan_says():
    case = Case("lstm", T=41, B=2)
    cell = case.network()
    probe = case.probe(cell)
    for checkpoint in ((3, 2), (3, 4), (1, 5), 6):
        made = plan(cell, probe.x, checkpoint)
        n, length = len(made.starts), made.starts[1]
        assert made.recomputed == length * optimum(n, made.states)
        with mock.patch.object(cell, "step", wraps=cell.step) as step:
            backpropagate(cell, probe.x, probe.dh, checkpoint=checkpoint)
        assert step.call_count == 41 + made.recomputed + 16  # 16 steps are run to see what one costs


@given(T=st.integers(1, 200), length=st.integers(1, 220), truncate=st.none() | st.integers(1, 220))
def test_windows_cover_the_sequence_and_do_not_cross_a_cut(T, length, truncate):
    starts = window_starts(T, length, truncate)
    assert starts[0] == 0 and list(starts) == sorted(set(starts)) and starts[-1] < T
    assert max(np.diff([*starts, T])) <= length
    if truncate is not None:
        for start, stop in zip(starts, (*starts[1:], T), strict=True):
            # either within one stretch between cuts, or beginning at a cut
            assert start % truncate == 0 or start // truncate == (stop - 1) // truncate


@pytest.mark.parametrize(("text", "size"), [("512 MiB", 2**29), ("1GB", 10**9), ("2e6", 2 * 10**6), ("1.5 kib", 1536)])
def test_budgets_are_read(text, size):
    assert budget(text) == size


@pytest.mark.few(2)
@pytest.mark.parametrize("size", ["300 kB", "1 MB", "100 MB"])
@pytest.mark.parametrize("cell", ["lstm", "gru", "urnn"])
def test_the_memory_taken_is_within_the_budget(cell, size):
    cls, options = CELLS[cell]
    model = tr.Model(c := cls(1, 40, rng=0, **options), tr.Readout(c.output_size, 10, rng=1))
    rng = np.random.default_rng(0)
    x, target = rng.normal(size=(500, 1, 1)), rng.integers(0, 10, (500, 1))
    made = plan(model, x, size)
    assert made.memory <= budget(size)
    model.gradients(x[:3], target[:3])  # so that what Python sets up once is not counted
    tracemalloc.start()
    model.gradients(x, target, checkpoint=size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    parameters = sum(p.nbytes for p in model.params.values())
    assert peak <= made.memory + 6 * parameters + x.nbytes + 50_000  # and Python's own objects


def test_a_larger_budget_never_means_more_work():
    cell, x = tr.LSTM(1, 8, rng=0), np.zeros((5000, 1, 1))
    sizes = ["10 kB", "20 kB", "50 kB", "100 kB", "1 MB", "10 MB", "1 GB"]
    work = [plan(cell, x, size).recomputed for size in sizes]
    assert work == sorted(work, reverse=True) and work[0] > 5000 and work[-1] == 0
