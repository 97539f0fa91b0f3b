"""Memory is handed out again only when nobody refers to it, and not kept for a size that is no longer asked for."""

import sys

import numpy as np
import pytest

from tinyrnn.compiler.buffers import Buffers, exact_counts

pytestmark = pytest.mark.skipif(not exact_counts(), reason="without exact reference counts nothing is used again")


def address(array):
    return array.__array_interface__["data"][0]


def tape(buffers, T=50):
    return [buffers.empty((T, 3, n), "float32") for n in (8, 8, 24)]


def kept(buffers):
    """Bytes that the buffers hold."""
    return sum(array.nbytes for array in buffers.arrays)


def test_what_is_in_use_is_never_handed_out_again():
    buffers = Buffers()
    whole = buffers.empty((4, 5), "float64")
    view = whole[1:, ::2]
    before = address(whole)
    del whole
    others = [buffers.empty((4, 5), "float64") for _ in range(5)]
    assert before not in [address(other) for other in others]
    assert len({address(other) for other in others}) == 5
    assert view.base is not None


def test_what_is_free_is_handed_out_again():
    buffers = Buffers()
    first = address(buffers.empty((100, 10), "float32"))
    assert address(buffers.empty((100, 10), "float32")) == first
    assert address(buffers.empty((60, 5), "float64")) == first  # fewer bytes, another dtype


def test_a_sequence_computed_while_the_last_tape_is_held_needs_no_new_memory_after_the_second():
    buffers, seen = Buffers(), []
    held = tape(buffers)
    for _ in range(6):
        new = tape(buffers)
        held = new  # only now is the last one free, as in `h, tape = cell.forward(x)`
        seen.append({address(array) for array in held})
        scratch = buffers.empty((5, 3, 24), "float32")
        seen[-1].add(address(scratch))
        del new, scratch
    assert seen[4] == seen[2] and seen[5] == seen[3]
    assert kept(buffers) == 2 * 50 * 3 * 40 * 4 + 5 * 3 * 24 * 4


def test_memory_of_a_size_that_is_no_longer_asked_for_is_given_back():
    buffers = Buffers()
    del_me = tape(buffers, T=1000)
    large = kept(buffers)
    del del_me
    for _ in range(3):
        tape(buffers, T=10)
    assert kept(buffers) <= 4 * 10 * 3 * 40 * 4 < large / 10


def test_an_array_of_no_elements_takes_no_memory():
    buffers = Buffers()
    assert buffers.empty((0, 3), "float32").shape == (0, 3)
    assert kept(buffers) == 0


def test_without_exact_reference_counts_nothing_is_used_again(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    buffers = Buffers()
    array = buffers.empty((3, 3), "float64")
    assert array.dtype == np.float64 and kept(buffers) == 0
