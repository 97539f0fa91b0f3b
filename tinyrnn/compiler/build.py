"""Turns C text into a loaded library, with the C compiler of the machine, and keeps the result for the next time.

Libraries are kept in a cache folder under a name made of everything they depend on: the text, the compiler, its flags
and the processor. Without a compiler nothing is lost but speed.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from tinyrnn.core.files import cache_folder

FLAGS = (
    "-O3 -march=native -std=gnu11 -shared -fPIC -ffp-contract=fast -fno-math-errno -fno-trapping-math -fopenmp-simd"
).split()
KEPT = 500  # libraries in the cache folder, some 50 kB each
HEADERS = Path(__file__).parent
LOADING = threading.Lock()  # two threads that need the same library have it made once


class NoCompiler(Exception):
    """There is no C compiler, or it does not do what it should; the message is one line."""


@functools.cache
def find_compiler():
    """The path of the C compiler: $CC, or the first of cc, gcc and clang. Raises NoCompiler."""
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    for name in names:
        if path := shutil.which(name):
            return path
    raise NoCompiler(f"found no C compiler (looked for {', '.join(names)})")


@functools.cache
def machine():
    """What a library depends on beside its text: compiler, flags, processor and headers."""
    version = subprocess.run([find_compiler(), "--version"], capture_output=True, text=True).stdout
    cpu = platform.processor() + platform.machine() + sys.platform
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu += "".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))
    headers = "".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    return " ".join([version, *FLAGS, cpu, headers])


def load(text):
    """The library that C `text` makes, a `ctypes.CDLL`, the same for all threads. Raises NoCompiler."""
    with LOADING:
        return loaded(text)


@functools.cache
def loaded(text):
    key = hashlib.sha256((text + machine()).encode()).hexdigest()[:24]
    path = cache_folder() / "compiled" / f"{key}.so"
    if path.exists():
        with contextlib.suppress(OSError):  # another process may have deleted it by now, as one of the oldest
            return ctypes.CDLL(str(path))
    compile_to(text, path)
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise NoCompiler(f"cannot load what was compiled: {error}") from None
    tidy(path.parent)
    return library


def compile_to(text, path):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            source, made = Path(folder) / "cell.c", Path(folder) / "cell.so"
            source.write_text(text)
            command = [find_compiler(), *FLAGS, f"-I{HEADERS}", str(source), "-o", str(made), "-lm"]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                lines = run.stderr.strip().splitlines() or ["no message"]
                reason = next((line for line in lines if "error" in line), lines[0])
                raise NoCompiler(f"{command[0]} failed: {reason}")
            os.replace(made, path)
    except OSError as error:
        raise NoCompiler(f"cannot write {path.parent}: {error}") from None


def tidy(folder):
    """Delete the libraries that were made first, if there are more than KEPT. Other processes may be doing the same."""
    with contextlib.suppress(OSError):
        for old in sorted(folder.glob("*.so"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
