"""Memory that is used again: a tape of hundreds of megabytes costs more to get from the system than to fill."""

import math
import sys

import numpy as np

KEPT_FOR = 64  # requests that a buffer waits for the next one of its size; a training step makes about 30


class Buffers:
    """Arrays that nobody else refers to any more are handed out again."""

    def __init__(self):
        self.buffers = []  # pairs [array of bytes, number of the request that it served last]
        self.requests = 0

    def empty(self, shape, dtype):
        """An array with arbitrary content, as `numpy.empty`.

        Whatever is in use, a view of it included, is known by its reference count; where the interpreter's counts are
        not exact (free threading), nothing is used again.
        """
        self.requests += 1
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if not exact_counts() or size == 0:
            return np.empty(shape, dtype)
        self.buffers = [b for b in self.buffers if b[1] > self.requests - KEPT_FOR or in_use(b)]
        for buffer in self.buffers:
            if buffer[0].nbytes == size and not in_use(buffer):
                buffer[1] = self.requests
                return buffer[0].view(dtype).reshape(shape)
        self.buffers.append([np.empty(size, np.uint8), self.requests])
        return self.buffers[-1][0].view(dtype).reshape(shape)


def in_use(buffer):
    """Two references are nobody's: the pair's, and getrefcount's own argument."""
    return sys.getrefcount(buffer[0]) > 2


def exact_counts():
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
