"""Deep copies of what a pass keeps: they share nothing with the original, and what was shared within still is."""

import threading

import numpy as np
import pytest

from tinyrnn.sources.copying import Copies, deep_copy


class Layer:
    """What holds arrays, a function, and a layer within."""

    def __init__(self, inner=None):
        self.W, self.inner, self.slope = np.arange(6.0).reshape(2, 3), inner, np.cos
        self.rows = list(self.W)  # views of one memory
        self.kept = {"W": self.W, "kind": Layer}


class Says(Layer):
    """What says itself how it is copied."""

    def __deepcopy__(self, memo):
        made = Says()
        made.said = "copied"
        return made


class Saved(Layer):
    """What is to be written to a file without what it has worked out."""

    def __getstate__(self):
        return {"W": self.W}


class Locked(Saved):
    """What can't be copied as a whole."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


def by_copies(value):
    return Copies(value)()


@pytest.fixture(params=[deep_copy, by_copies], ids=["once", "out of a pickle"])
def copied(request):
    return request.param


def test_a_copy_is_equal_and_shares_no_memory_with_the_original(copied):
    layer = Layer(Layer())
    made = copied(layer)
    for one, other in ((made, layer), (made.inner, layer.inner)):
        np.testing.assert_array_equal(one.W, other.W)
        assert one.W.dtype == other.W.dtype and not np.shares_memory(one.W, other.W)
    assert type(made) is Layer and made.slope is np.cos and made.kept["kind"] is Layer


def test_what_was_one_array_is_one_and_views_of_one_memory_are_such(copied):
    made = copied(Layer())
    assert made.kept["W"] is made.W
    made.rows[1][:] = 7
    np.testing.assert_array_equal(made.W[1], 7)


def test_each_copy_is_of_the_value_as_it_was():
    layer = Layer()
    copies = Copies(layer)
    first = copies()
    first.W[:], layer.W[:] = -1, -2
    np.testing.assert_array_equal(copies().W, Layer().W)


def test_what_says_how_it_is_copied_is_copied_so(copied):
    assert copied([Says()])[0].said == "copied"


def test_what_cannot_be_pickled_is_copied_all_the_same(copied):
    local = type("Local", (Layer,), {})  # a class that no module has
    made = copied([local(), (lambda: 3), iter([1, 2])])
    assert type(made[0]) is local and made[1]() == 3 and list(made[2]) == [1, 2]


def test_a_copy_of_what_says_what_to_write_to_a_file_has_all_that_it_holds(copied):
    layer = Layer(Saved())
    layer.again = layer.inner
    made = copied(layer)
    assert made.again is made.inner is not layer.inner and made.inner.kept["W"] is made.inner.W
    np.testing.assert_array_equal(made.inner.W, layer.inner.W)
    assert not np.shares_memory(made.inner.W, layer.inner.W)


def test_what_cannot_be_copied_as_a_whole_is_copied_as_it_would_be_written_to_a_file(copied):
    made = copied(Layer(Locked()))
    np.testing.assert_array_equal(made.inner.W, Layer().W)
    assert not hasattr(made.inner, "lock")


def test_a_module_that_an_object_holds_stays_the_same(copied):
    layer = Layer(Saved())
    layer.xp = layer.inner.xp = np
    made = copied(layer)
    assert made.xp is made.inner.xp is np and not np.shares_memory(made.W, layer.W)
