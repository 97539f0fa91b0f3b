"""Work for several processes, none of which can take the others' work with it when it dies."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool


class Died(RuntimeError):
    """The process that did a piece of work ended before it was done."""


def done(function, work, jobs):
    """(key, `function(*arguments)` or the exception it raised) for every piece of `work`, as it is finished.

    work: key -> arguments. No more pieces are under way than there are processes. When a process dies, which pieces it
    takes with it is unknown: those under way are done again, each alone; one that dies alone is given up with `Died`.
    """
    left, alone = deque(work), []
    while left or alone:
        waiting = left or deque([alone.pop()])
        suspect = waiting is not left
        pool = new_pool(1 if suspect else jobs)
        running = {}
        try:
            while waiting or running:
                while waiting and len(running) < (1 if suspect else jobs):
                    running[pool.submit(function, *work[waiting[0]])] = waiting[0]
                    waiting.popleft()
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    error = future.exception()
                    if isinstance(error, BrokenProcessPool):
                        raise error
                    yield running.pop(future), error or future.result()
        except BrokenProcessPool:
            if suspect:
                yield from ((key, Died("the process that did it died")) for key in [*running.values(), *waiting])
            else:
                alone += running.values()
        finally:
            pool.shutdown(cancel_futures=True)


def new_pool(jobs):
    """A `ProcessPoolExecutor` of new processes that end when this one does."""
    # Started anew, not forked: the children must not inherit threads of numerical libraries.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=end_with_parent)


def end_with_parent():
    """This process ends when the one that started it does, however that ended, and not by an interrupt meant for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch():
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
