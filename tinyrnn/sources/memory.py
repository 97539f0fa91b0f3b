"""A limit for the memory that code may take which is tried out: an edit of a size or of a loop asks for any amount."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

PART = 0.25  # of the machine's memory, that may be taken beyond what is
SIZES = Path("/proc/self/statm")  # in pages, of this process; the first is all that it has asked for


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """What asks for more than a quarter of the machine's memory in the block gets a `MemoryError`, where the system may
    otherwise end the whole process once that is used. On Linux only: elsewhere there is no limit."""
    if not SIZES.exists():
        yield
        return
    import resource  # which Windows has not

    page, (soft, hard) = os.sysconf("SC_PAGE_SIZE"), resource.getrlimit(resource.RLIMIT_AS)
    most = int(SIZES.read_text(encoding="ascii").split()[0]) * page + int(PART * os.sysconf("SC_PHYS_PAGES")) * page
    is_lower = soft == resource.RLIM_INFINITY or most < soft
    if is_lower:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        if is_lower:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
