"""A time limit for other people's code, which may train, or loop for ever, where one function of it is wanted."""

import contextlib
import gc
import signal
import threading
import weakref
from _thread import interrupt_main
from collections.abc import Iterator
from time import monotonic, process_time
from types import FrameType

RUN_SECONDS = 5.0  # for one run of a function on inputs of a few numbers
AGAIN = 0.2  # seconds from one attempt to break off to the next
PATIENCE = 3  # times the limit, for what waits, or works on a machine that is busy with something else


class TooLong(BaseException):
    """Code was still running when its time was up; the message says for how long.

    No `Exception`, so that it is not taken for an error of that code by those who catch such and go on.
    """


@contextlib.contextmanager
def cut_off(seconds: float) -> Iterator[None]:
    """What runs in the block is broken off by `TooLong` after so many seconds of work, or `PATIENCE` times that in all.

    In the main thread only: elsewhere Python has no way to break off, and there is no limit. Where the system has no
    timer signal, sleeping and reading are waited for. Of two blocks within each other the outer one decides.
    """
    if threading.current_thread() is not threading.main_thread() or is_running():
        yield
    elif hasattr(signal, "setitimer"):
        with alarm(seconds):
            yield
    else:
        with interruption(seconds):
            yield


def is_running() -> bool:
    """Whether the system's timer is set, by an outer block or by somebody else."""
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


@contextlib.contextmanager
def one_run() -> Iterator[None]:
    """`cut_off` for one run of a function that is judged, with a note on what to do."""
    try:
        with cut_off(RUN_SECONDS):
            yield
    except TooLong as error:
        error.add_note("is there a loop that never ends? What is only slow can be judged with smaller inputs")
        raise


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """`cut_off` by the system's timer, which also ends what sleeps or waits for input."""

    began, worked = monotonic(), process_time()

    def ring(number: int, frame: FrameType | None) -> None:
        if process_time() - worked < 0.9 * seconds and monotonic() - began < PATIENCE * seconds:
            return
        if frame is None or not must_end(frame):
            raise TooLong(told(seconds))

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # again and again, should somebody's `except` swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def must_end(frame: FrameType) -> bool:
    """Whether an error does harm there: where objects are cleared away, errors are printed and forgotten; where
    coverage.py notes lines, its lock would stay locked, and the next line wait for ever."""
    collecting = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    measuring = str(frame.f_globals.get("__name__")).startswith("coverage.")
    return measuring or frame.f_code.co_filename == weakref.__file__ or frame.f_code in collecting


@contextlib.contextmanager
def interruption(seconds: float) -> Iterator[None]:
    """`cut_off` by a thread that does what Ctrl-C does."""
    rung = threading.Event()

    def ring() -> None:
        rung.set()
        interrupt_main()

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, Ctrl-C may do nothing
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if rung.is_set():
            raise TooLong(told(seconds)) from None
        raise
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def told(seconds: float) -> str:
    """The message of `TooLong`."""
    return f"still running after {seconds:g} s"
