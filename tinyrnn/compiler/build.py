"""Turns C text into a loaded library, and keeps the result for the next time.

Libraries are kept in a cache folder under a name made of everything they depend on (the text, the compiler, its flags
and the processor) and of what is in them: one that was damaged, or that somebody else may have put there, is not run.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import platform
import sys
import tempfile
import threading
from pathlib import Path

from tinyrnn.compiler import toolchain
from tinyrnn.compiler.toolchain import HEADERS, NoCompiler
from tinyrnn.core.files import cache_folder

KEPT = 500  # libraries in the cache folder, some 50 kB each
SUFFIX = ".dll" if sys.platform == "win32" else ".so"
LOADING = threading.Lock()  # two threads that need the same library have it made once


@functools.cache
def machine():
    """What a library depends on beside its text: compiler, flags, processor and headers."""
    cpu = platform.processor() + platform.machine() + sys.platform
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        cpu += "".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted(HEADERS.glob("*.h")))
    return " ".join([toolchain.version(), *toolchain.FLAGS, cpu, headers])


def folder():
    """Where this user's libraries are kept; it need not exist."""
    return cache_folder() / (f"compiled-{os.geteuid()}" if hasattr(os, "geteuid") else "compiled")


def is_own(path):
    """Whether a file or folder is this user's, or the machine's, and nobody else can change it."""
    if not hasattr(os, "geteuid"):  # Windows, where a user's folders are nobody else's
        return True
    status = path.lstat()
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


def load(text):
    """The library that C `text` makes, a `ctypes.CDLL`, the same for all threads. Raises NoCompiler."""
    with LOADING:
        return loaded(text)


@functools.cache
def loaded(text):
    """The library of a C text, a `ctypes.CDLL`, from the cache if it is there and intact; raises NoCompiler."""
    key = hashlib.sha256((text + machine()).encode()).hexdigest()[:24]
    if folder().is_dir() and not is_own(folder()):
        raise NoCompiler(f"{folder()} is somebody else's, or others may write to it")
    for path in folder().glob(f"{key}-*{SUFFIX}"):
        with contextlib.suppress(OSError):  # another process may have deleted it by now, as one of the oldest
            if is_own(path) and path.stem == f"{key}-{digest(path)}":
                return ctypes.CDLL(str(path))
            path.unlink()
    path = make(text, key)
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise NoCompiler(f"cannot load what was compiled: {str(error).removeprefix(f'{path}: ')}") from None
    tidy()
    return library


def make(text, key):
    """Compile the C text; returns the path of the library."""
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder()) as workshop:
            source, library = Path(workshop) / "cell.c", Path(workshop) / f"cell{SUFFIX}"
            source.write_text(text, encoding="utf-8")
            toolchain.make_library(source, library)
            library.chmod(0o700)
            path = folder() / f"{key}-{digest(library)}{SUFFIX}"
            if not path.exists():  # else another process was faster, and on Windows it has it in use
                os.replace(library, path)
            return path
    except OSError as error:
        raise NoCompiler(f"cannot write {folder()}: {error.strerror}") from None


def digest(path):
    """The first 32 hexadecimal digits of the SHA-256 of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def tidy():
    """Delete the libraries that were made first, if there are more than KEPT. Other processes may be doing the same."""
    with contextlib.suppress(OSError):
        for old in sorted(folder().glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            with contextlib.suppress(OSError):  # gone; or, on Windows, in use
                old.unlink()
