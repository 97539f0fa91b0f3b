"""Memory that is used again: a tape of hundreds of megabytes costs more to get from the system than to fill."""

import sys

import numpy as np

KEPT = 64  # buffers at most


class Buffers:
    """Arrays that nobody else refers to any more are handed out again."""

    def __init__(self):
        self.arrays = []

    def empty(self, shape, dtype):
        """An array with arbitrary content, as `numpy.empty`.

        Whatever is in use, a view of it included, is known by its reference count; where the interpreter's counts are
        not exact (free threading), nothing is used again.
        """
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if exact_counts():
            for k in range(len(self.arrays)):
                # two references: the list's, and getrefcount's own argument
                if self.arrays[k].nbytes == size and sys.getrefcount(self.arrays[k]) == 2:
                    return self.arrays[k].view(dtype).reshape(shape)
        array = np.empty(size, np.uint8)
        self.arrays = [*self.arrays[-KEPT + 1 :], array]
        return array.view(dtype).reshape(shape)


def exact_counts():
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
