"""Ctrl-C in the middle of long work."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def interrupts():
    """Yields a list that the first Ctrl-C within fills, and nothing else, so that it cuts no update in half.

    A second Ctrl-C is a KeyboardInterrupt at once, as usual. Nothing changes outside the main thread, which alone gets
    signals, nor where Ctrl-C already means something else.
    """
    received = []

    def receive(number, frame):
        received.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    in_main = threading.current_thread() is threading.main_thread()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if in_main and usual:
            signal.signal(signal.SIGINT, receive)
        yield received
    finally:
        if in_main and usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
