"""How long a wrong line is looked for: then what was found so far is told, and that the search was broken off.

How much is tried goes by what a pass works out (`tinyrnn.verdicts.repair.pace`), so that a verdict is the same on every
machine. This is for passes so slow that it would take minutes all the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

SECONDS = 60.0  # of work
AFTERWARDS = 20.0  # for edits of the lines of which values say by then that it may be one of them

_until: float | None = None


class OutOfPatience(Exception):
    """The time for a search is over."""


@contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """While it lasts, `spend` raises `OutOfPatience` after so many seconds of work, `SECONDS` if none are said. Of two
    within each other the outer one decides."""
    global _until
    allowed = SECONDS if seconds is None else seconds
    outer, _until = _until, process_time() + allowed if _until is None else _until
    try:
        yield
    finally:
        _until = outer


def spend() -> None:
    """To be called before each of the many runs that a search consists of."""
    if _until is not None and process_time() > _until:
        raise OutOfPatience
