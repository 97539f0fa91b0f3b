"""The machine's C compiler: how it is found, what it is told, and how it makes a library."""

import functools
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HEADERS = Path(__file__).parent
FLAGS = "-O3 -std=gnu11 -shared -ffp-contract=fast -fno-math-errno -fno-trapping-math -fopenmp-simd".split()
# Not every compiler takes these: some know their own processor by one name only, or make no other code than such as
# can be loaded anywhere. The first that works is used.
FOR_THIS_MACHINE: tuple[list[str], ...] = (["-march=native"], ["-mcpu=native"], [])
TO_BE_LOADED = ([],) if sys.platform == "win32" else (["-fPIC"], [])
# GCC's code for Windows can crash where it uses long vectors: it does not align the stack for them (GCC bug 54412).
KNOWN = ("clang",) if sys.platform == "win32" else ("cc", "gcc", "clang")
LIBRARIES = [] if sys.platform == "win32" else ["-lm"]  # there, mathematics is part of the C library


class NoCompiler(Exception):
    """There is no C compiler, or it does not do what it should; the message is one line."""


@functools.cache
def find_compiler():
    """The C compiler as a command, a tuple of words: $CC; or the first of KNOWN; or the one that comes with the package
    ziglang. Raises NoCompiler."""
    if wish := os.environ.get("CC"):
        if found := command(wish):
            return found
        raise NoCompiler(f"found no C compiler (looked for {wish}, which CC names)")
    for name in KNOWN:
        if found := command(name):
            return found
    if importlib.util.find_spec("ziglang"):
        return sys.executable, "-m", "ziglang", "cc"
    raise NoCompiler(
        "found no C compiler (looked for cc, gcc, clang; pip install 'tinyrnn[compiler]' brings one along)"
    )


def command(text):
    """The words of a command, a program and what it is always told; None where there is no such program."""
    if path := shutil.which(text):  # its path may have spaces, and backslashes
        return (path,)
    try:
        program, *rest = shlex.split(text)
    except ValueError:  # nothing, or a quote that does not end
        return None
    return (path, *rest) if (path := shutil.which(program)) else None


@functools.cache
def version():
    """What the compiler says of itself. Raises NoCompiler."""
    return run("--version").stdout


def make_library(source, to):
    """Compile the C file `source` to the library `to`. Raises NoCompiler with the compiler's first error."""
    for flags in all_flags():
        made = run(*flags, f"-I{HEADERS}", source, "-o", to, *LIBRARIES)
        if made.returncode == 0:
            WORKING[find_compiler()] = flags
            return
    lines = made.stderr.strip().splitlines() or ["no message"]
    reason = next((line for line in lines if "error" in line), lines[0])
    raise NoCompiler(f"{shlex.join(find_compiler())} failed: {reason}")


WORKING: dict = {}  # compiler -> the flags that it took before


def all_flags():
    """Lists of flags, the ones to be tried first coming first."""
    if known := WORKING.get(find_compiler()):
        return [known]
    return [[*FLAGS, *loaded, *machine] for loaded in TO_BE_LOADED for machine in FOR_THIS_MACHINE]


def run(*arguments):
    """The compiler's answer, a `subprocess.CompletedProcess`. Raises NoCompiler where it cannot be run at all."""
    try:
        command = [*find_compiler(), *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise NoCompiler(f"cannot run {shlex.join(find_compiler())}: {error.strerror}") from None
