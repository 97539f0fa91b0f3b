"""How many threads the matrix library uses while a cell runs.

Threads of a matrix product wait for each other in busy loops. Where other programs run beside, that costs more than it
gains until products are large: an LSTM as it stands in the source, on two cores with ten jobs beside it, took with a
second thread ten times as long at 32 x 64 and at 32 x 256 (rows x units), five times at 32 x 512 and 1.3 times at
128 x 1024.
"""

from contextlib import nullcontext
from functools import cache
from threading import Lock

import numpy as np

ALONE = 2**18  # multiplications up to which the library takes one thread by itself
SMALL = 2**24  # in a product of one time step, up to which a second thread is not worth its risk
CHUNK = 1024  # rows in the products over many time steps (`tinyrnn.core.steps.Plain`)


class OneThread:
    """Limits the matrix libraries from when the first caller enters until the last one leaves.

    threadpoolctl lets one thread of the program set OpenBLAS's limit and ignores all others while that one lives. If
    another leaves last, the limit stays until that one leaves the next time.
    """

    def __init__(self):
        self.lock, self.callers, self.limits = Lock(), 0, None
        self.before = []  # each library's threads

    def __enter__(self):
        with self.lock:
            self.callers += 1
            if self.callers == 1 and self.limits is None:
                self.before = in_use()
                self.limits = libraries().limit(limits=1, user_api="blas")

    def __exit__(self, *_):
        with self.lock:
            self.callers -= 1
            if self.callers == 0:
                self.limits.restore_original_limits()
                if in_use() == self.before:
                    self.limits = None


@cache
def libraries():
    """The matrix libraries that are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_use():
    """How many threads each library would use now."""
    return [library.num_threads for library in libraries().lib_controllers]


ONE_THREAD = OneThread()


def for_products(params, x):
    """A context in which the matrix library uses one thread if the products of these parameters with rows of x are
    small, and as many as it likes if they are large, or so small that it takes one anyway."""
    if type(x) is not np.ndarray or x.ndim < 2:
        return nullcontext()
    largest = max((value.size for value in params.values()), default=0)
    steps, rows = x.shape[:2]
    if rows * largest > SMALL or min(steps * rows, max(CHUNK, rows)) * largest <= ALONE:
        return nullcontext()
    return ONE_THREAD


def matrix_threads(n):
    """Within, matrix products use n threads (0: as many as the library likes).

    On small matrices a second thread gains nothing, and where other programs run beside it can cost a factor of ten:
    threads that wait for each other do so in busy loops.
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(n or None, user_api="blas")
