"""How far long work has come: a bar on a terminal, a plain line per tenth in a file."""

import io
import sys
import threading
import time
from contextlib import contextmanager

from tqdm import tqdm


class Bar(tqdm):
    """tqdm's bar on stderr. Where that is no terminal: a line when another tenth of `total` is done, at most one each
    `mininterval` seconds, and at the end one of all that was done, unless the bar would vanish (`leave=False`).

    Arguments are tqdm's; `disable=None` still means that nothing is shown where there is no terminal.
    """

    def __init__(self, *args, **options):
        self.lines = None if sys.stderr.isatty() else sys.stderr
        self.tenths = None  # of the work, that have been told
        super().__init__(*args, **options, **({"file": io.StringIO()} if self.lines else {}))

    def display(self, msg=None, pos=None):
        """tqdm's own method, by which it shows itself at the start, now and then, and at the end."""
        if self.lines is None:
            return super().display(msg, pos)
        tenths = 10 * self.n // self.total if self.total else 0
        if self.tenths is not None and tenths > self.tenths and msg != "":
            print(self.in_words(), file=self.lines, flush=True)
        self.tenths = max(tenths, self.tenths or 0)
        return True

    @contextmanager
    def paused(self):
        """Within, time does not count: the rate is that of what the bar counts."""
        began = time.time()
        try:
            yield
        finally:
            if not self.disable:
                self.start_t += time.time() - began
                self.last_print_t += time.time() - began

    def in_words(self):
        """What the bar shows, as a line of a log."""
        told = self.format_dict
        done = f"{self.n} of {self.total}" + (f" {plural(self.unit)}" if len(self.unit) > 2 else "")
        words = [f"{done}, {self.format_interval(told['elapsed'])}", *([self.postfix] if self.postfix else [])]
        return f"{told['prefix'].removesuffix(': ') or 'done'}: {', '.join(words)}"


@contextmanager
def said_if_slow(what, after=5.0, every=30.0):
    """Within, a line on stderr says after some seconds that it takes longer, and again from time to time."""
    began, done, out = time.monotonic(), threading.Event(), sys.stderr

    def say():
        wait = after
        while not done.wait(wait):
            print(f"{what} takes long: {time.monotonic() - began:.0f} s so far (Ctrl-C stops)", file=out, flush=True)
            wait = every

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def plural(unit):
    """entry -> entries, analysis -> analyses, step -> steps."""
    for end, ends in (("y", "ies"), ("sis", "ses")):
        if unit.endswith(end):
            return unit.removesuffix(end) + ends
    return f"{unit}s"
