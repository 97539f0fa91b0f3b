"""What the program writes to: a terminal, and which, or a file."""

import os
import sys


def is_terminal():
    """Whether there is a terminal at both ends, and one whose cursor can be moved."""
    unsaid = "" if sys.platform == "win32" else "dumb"  # Windows's own does not say what it is
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", unsaid) != "dumb"


def has_colours():
    """Whether stdout shows colours, and they are wanted."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def take_every_letter():
    """From now on stdout and stderr do: √, ‖ and Greek ones are missing in Windows's old encodings. A terminal that
    cannot show them shows question marks, and whatever else reads it gets UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and (stream.encoding or "").lower() not in ("utf-8", "utf8"):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
