"""Small products keep the matrix library to one thread while a cell runs, and only then; large ones do not."""

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import tinyrnn as tr
from tinyrnn.core import threads
from tinyrnn.core.threads import ONE_THREAD, for_products

pytestmark = pytest.mark.skipif(
    not ThreadpoolController().select(user_api="blas").info(), reason="no matrix library whose threads are known"
)


@pytest.fixture
def two():
    """The matrix library has two threads; returns a function that says how many it uses now."""
    threads.libraries.cache_clear()  # another test may have loaded SciPy's since they were counted
    controller = ThreadpoolController().select(user_api="blas")
    with controller.limit(limits=2):
        yield lambda: max(library["num_threads"] for library in controller.info())


class Watching(tr.LSTM):
    """Notes how many threads each method may use."""

    def step(self, p, a, h, c):
        self.seen.add(("forward", self.now()))
        return super().step(p, a, h, c)

    def step_backward(self, p, dh, dc, *, i, f, g, o, tanh_c, c_prev):
        self.seen.add(("backward", self.now()))
        return super().step_backward(p, dh, dc, i=i, f=f, g=g, o=o, tanh_c=tanh_c, c_prev=c_prev)


@pytest.mark.parametrize("B, threads_used", [(1, 2), (64, 1), (2**13, 2)])
def test_a_cell_that_is_interpreted_uses_one_thread_for_small_products(B, threads_used, two):
    cell = Watching(8, 32, rng=0).interpret()
    cell.seen, cell.now = set(), two
    h, tape = cell.forward(np.ones((2, B, 8)))
    cell.backward(np.ones_like(h), tape)
    assert cell.seen == {("forward", threads_used), ("backward", threads_used)}
    assert two() == 2, "the limit was not taken back"


def test_the_limit_is_taken_back_after_an_error(two):
    with pytest.raises(ValueError, match="x must have shape"):
        tr.LSTM(8, 64, rng=0).forward(np.ones((50, 32, 7)))
    assert two() == 2


def test_of_two_that_overlap_the_first_does_not_take_the_limit_back_from_the_other(two):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with ONE_THREAD:
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=other)
    with ONE_THREAD:
        thread.start()
        assert inside.wait(30) and two() == 1
    assert two() == 1
    leave.set()
    thread.join()
    with ONE_THREAD:  # by the thread that has set the limit: the other's wish may have been ignored
        assert two() == 1
    assert two() == 2


def test_where_threads_make_no_difference_the_library_is_not_asked(monkeypatch):
    monkeypatch.setattr(threads, "libraries", lambda: pytest.fail("asked"))
    tr.LSTM(3, 4, rng=0).forward(np.ones((5, 2, 3)))  # so small that there is one thread anyway
    for x in ([[1.0]], np.ones(3)):
        with for_products({"W": np.ones((900, 900))}, x):
            pass
