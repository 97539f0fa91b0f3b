"""Files that a program reads, as if it ran where its author ran it; a made-up text stands in for one that is nowhere.

Most character models begin with `open("input.txt").read()`, and what comes below needs the size of the vocabulary, but
not that very text, which a program is often published without.
"""

import builtins
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import PurePath
from types import FrameType
from typing import Any

TEXT = """the rain in the hills
is a small thing
a bird sings
the rain falls on the sea
no one hears it
the bird is gone
a small boat
on a big sea
the sea is old
the hills are green
a man in the boat
sings to the bird
it rains again
and the man goes on
the boat is small
the night is long
no bird sings
"""  # few characters, so that the arrays of a program are small
SUFFIXES = ("", ".txt", ".text", ".md")  # tables, arrays and settings have a form that no text has
THROUGH = ("pathlib", "codecs")  # what opens a file for somebody else


@contextlib.contextmanager
def as_the_author(folder: str, say: Callable[[str], None], is_own: Callable[[str], bool]) -> Iterator[None]:
    """Meanwhile a file to be read that is not in the current folder is looked for in `folder`, and in that which is the
    current one now.

    A text that is in none of them is a made-up one, if it is opened for reading as such by code of which `is_own` says,
    by its file, that it is somebody's own; `say` is told once of each.
    """
    real, places, told = io.open, (folder, os.getcwd()), set()

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        try:
            return real(file, mode, *args, **options)
        except FileNotFoundError:
            if not isinstance(file, (str, os.PathLike)) or set(mode) & set("wax+"):
                raise
            path = os.fspath(file)
            for place in places:
                if os.path.isfile(os.path.join(place, path)):
                    return real(os.path.join(place, path), mode, *args, **options)
            caller, through = who_opens(sys._getframe(1))
            binary = "b" in mode and through != "codecs"
            if not path or binary or PurePath(path).suffix.lower() not in SUFFIXES or not is_own(caller):
                raise
            if path not in told:
                told.add(path)
                say(f"there is no file {path}: a made-up text of {len(TEXT)} characters stands in for it")
            return io.BytesIO(TEXT.encode()) if "b" in mode else io.StringIO(TEXT)

    before = builtins.open, io.open
    builtins.open = io.open = opened
    try:
        yield
    finally:
        builtins.open, io.open = before


def who_opens(frame: FrameType | None) -> tuple[str, str]:
    """(file of the code that opens a file, name of the module that does it for that code, "" if none)."""
    through = ""
    while frame is not None:
        module = str(frame.f_globals.get("__name__")).partition(".")[0]
        if module not in THROUGH and frame.f_code.co_filename != __file__:
            break
        frame, through = frame.f_back, module if module in THROUGH else through
    return ("<nobody>" if frame is None else frame.f_code.co_filename), through


@contextlib.contextmanager
def nothing_written() -> Iterator[None]:
    """Meanwhile what is written to files goes nowhere: a model that somebody has trained stays as it is."""
    before = builtins.open, io.open

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        is_written = isinstance(mode, str) and bool(set(mode) & set("wax+"))
        return before[0](os.devnull if is_written else file, mode.replace("x", "w"), *args, **options)

    builtins.open = io.open = opened
    try:
        yield
    finally:
        builtins.open, io.open = before


@contextlib.contextmanager
def inside(folder: str) -> Iterator[None]:
    """Meanwhile a folder is the current one, as it is for a file that is run where it lies.

    What is put on sys.path there counts from there afterwards, too.
    """
    home, before = os.getcwd(), list(sys.path)
    sys.path[:] = [os.path.abspath(place) for place in before]
    os.chdir(folder)
    try:
        yield
    finally:
        sys.path[:] = [os.path.join(folder, place) for place in sys.path]
        for place in [place for place in sys.path_importer_cache if not os.path.isabs(place)]:
            del sys.path_importer_cache[place]  # ".." is another folder the next time
        os.chdir(home)
