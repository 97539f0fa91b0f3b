"""Memory that is used again: a tape of hundreds of megabytes costs more to get from the system than to fill."""

import math
import sys
import threading

import numpy as np


class Buffers:
    """Arrays that nobody else refers to any more are handed out again."""

    def __init__(self):
        self.arrays = []  # the one that was handed out last comes last
        self.lock = threading.Lock()

    def empty(self, shape, dtype):
        """An array with arbitrary content, as `numpy.empty`.

        Whatever is in use, a view of it included, is known by its reference count; where the interpreter's counts are
        not exact (free threading), nothing is used again. When nothing free is of about the right size, as much of what
        is free is kept as there is in use: the next sequence may be computed while the last one's tape is still held.
        """
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if not exact_counts() or size == 0:
            return np.empty(shape, dtype)
        with self.lock:
            return self.found(size)[:size].view(dtype).reshape(shape)

    def found(self, size):
        """A free array of at least `size` bytes."""
        # two references are nobody's: the list's, and getrefcount's own argument
        free = [k for k in range(len(self.arrays)) if sys.getrefcount(self.arrays[k]) == 2]
        fitting = [k for k in free if size <= self.arrays[k].nbytes <= 2 * size]
        if fitting:
            array = self.arrays.pop(min(fitting, key=lambda k: self.arrays[k].nbytes))
        else:
            self.give_back(free, size)
            array = np.empty(size, np.uint8)
        self.arrays.append(array)
        return array

    def give_back(self, free, size):
        """Forget free arrays, by their numbers, but for the last ones that fit beside `size` in as much as is used."""
        room = size + sum(array.nbytes for k, array in enumerate(self.arrays) if k not in free)
        for k in reversed(free):
            room -= self.arrays[k].nbytes
            if room < 0:
                del self.arrays[k]


def exact_counts():
    """Whether reference counts are exact here: in CPython with its global lock."""
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
