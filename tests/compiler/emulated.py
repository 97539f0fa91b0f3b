"""Kernels for a GPU on the processor: what the tests of `tinyrnn.compiler.gpu` stand on.

`emulation.h` makes every thread of a block a thread of the operating system, so that the very text that a GPU gets is
what runs here, with fewer threads.
"""

import copy
import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import strict_xp
from comparing import of_blocks
from contract import Case, backward, run

from tinyrnn.compiler import runner
from tinyrnn.compiler.draft import draft_backward, draft_forward
from tinyrnn.compiler.gpu import GpuKernel

HERE = Path(__file__).parent
FLAGS = "-std=c++17 -shared -fPIC -pthread -Wall -Werror -Wno-unused -Wno-unknown-pragmas".split()


class Emulated:
    """A device that is none: few threads, arrays are NumPy's, fresh memory is full of NaN. launches: one entry each,
    (kernel, blocks, threads)."""

    def __init__(self, most_threads=8, warp=4, multiprocessors=2, flags=("-O0",), edit=("", "")):
        self.most_threads, self.warp, self.multiprocessors = most_threads, warp, multiprocessors
        self.flags, self.edit, self.launches = flags, edit, []

    def asarray(self, array, dtype=None):
        return np.ascontiguousarray(array, dtype)

    def empty(self, shape, dtype):
        return np.full(shape, np.nan, dtype)

    def compile(self, text, name):
        return name, f"{text.replace(*self.edit, 1)}\nEMULATE({name})"  # compiled once it is launched

    def launch(self, function, blocks, threads, arguments):
        name, text = function
        self.launches.append((name, blocks, threads))
        library(text, self.flags).launch(ctypes.c_uint(blocks), ctypes.c_void_p(arguments.ctypes.data))


@functools.cache
def library(text, flags):
    constants, rest = text.split("/* What the generated text", 1)
    text = f'{constants}\n#include "emulation.h"\n/* What the generated text{rest}'
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "kernel.cpp", Path(folder) / "kernel.so"
        source.write_text(text)
        command = ["g++", *FLAGS, *flags, f"-I{HERE}", str(source), "-o", str(made)]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return ctypes.CDLL(str(made))


def on(device, network):
    """A copy of a cell whose steps run on an emulated device."""
    network = copy.deepcopy(network)
    network.runner = runner.Compiled(threads=1)
    return network, mock.patch.object(runner, "Kernel", functools.partial(GpuKernel, device=device))


def run_on(device, network, probe):
    there, patched = on(device, network)
    with patched:
        got = run(there, probe)
    assert set(there.runner.why_not) == ({"gradients"} if of_blocks(network) else set())
    assert {name for name, *_ in device.launches} == {"forward", "backward"}
    return got


def drafts(case, **options):
    """(direction, draft) of the kernels forward and backward for a case."""
    network = case.network(**options)
    probe = case.probe(network)
    tape = network.forward(probe.x, probe.state, probe.mask)[1]
    yield "forward", draft_forward(network, tape.p, tape.x, tape.mask)
    yield "backward", draft_backward(network, tape.p, tape, recorded=False)


def texts(case, dtype, rows_each=2):
    device = Emulated(most_threads=1024, warp=32)
    with mock.patch.object(device, "compile"):
        return [GpuKernel(draft, direction, dtype, device).text(rows_each) for direction, draft in drafts(case)]


def in_one_file(sources):
    """Many kernels for one run of nvcc: each in its own namespace, and its macros forgotten after it."""
    pieces = []
    for k, text in enumerate(sources):
        names = re.findall(r"^#define (\w+)", text, re.M)
        text = re.sub(r"^KERNEL\((\w+)\)", rf"KERNEL(\1_{k})", text, flags=re.M)
        pieces += [f"namespace number_{k} {{", text, "}", *(f"#undef {name}" for name in names)]
    return "\n".join(pieces)


def watched(cells, masked, edit=("", "")):
    """Run cells under ThreadSanitizer, in an interpreter of their own: (exit status, messages). 66: a race.

    edit: what to replace, once, in each kernel's text, and by what."""
    runtime = subprocess.run(["g++", "-print-file-name=libtsan.so"], capture_output=True, text=True).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("g++ has no ThreadSanitizer")
    script = f"import emulated; emulated.run_watched({cells!r}, {masked!r}, {edit!r})"
    environment = os.environ | {
        "LD_PRELOAD": str(Path(runtime).resolve()),
        "TSAN_OPTIONS": "exitcode=66 report_signal_unsafe=0",
        "PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parent, HERE.parents[1]))),
        "OPENBLAS_NUM_THREADS": "1",
    }
    # without randomised addresses, for which older versions of the tool leave no room
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    result = subprocess.run([*fixed, sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    if result.returncode not in (0, 66):
        if "ThreadSanitizer" in result.stderr and "FATAL" in result.stderr:
            pytest.skip(f"ThreadSanitizer does not run here: {result.stderr.strip().splitlines()[0]}")
        raise AssertionError(result.stderr)
    return result.returncode, result.stderr


def run_watched(cells, masked, edit):
    for cell in cells:
        case = Case(cell, T=2, masked=masked, hidden_size=6)
        network = case.network()
        device = Emulated(flags=("-O0", "-g", "-fsanitize=thread"), edit=edit)
        run_on(device, network, case.probe(network))


def launches_per_step(cell, hidden_size=128):
    """What the plain path launches for a time step forward and backward: operations that make a new array, and copies
    into the tape. Counted with the stand-in for CuPy."""
    counts = []
    for T in 1, 11:
        case = Case(cell, T=T, hidden_size=hidden_size)
        network = case.network().to(strict_xp)
        probe = case.probe(network).map(strict_xp.asarray)
        with counting() as count:
            _, tape = network.forward(probe.x, probe.state)
            forward = count[0]
            backward(network, probe, tape)
            counts.append((forward, count[0] - forward))
    return tuple((after - before) / 10 for before, after in zip(*counts, strict=True))


class counting:
    """A list of one number: arrays that the stand-in has computed, and assignments to parts of arrays."""

    def __enter__(self):
        count, wrap, assign = [0], strict_xp.wrap, strict_xp.StrictArray.__setitem__

        def counted_wrap(value):
            count[0] += isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.base is None)
            return wrap(value)

        def counted_assign(self, key, value):
            count[0] += 1
            assign(self, key, value)

        self.patches = [
            mock.patch.object(strict_xp, "wrap", counted_wrap),
            mock.patch.object(strict_xp.StrictArray, "__setitem__", counted_assign),
        ]
        for patch in self.patches:
            patch.start()
        return count

    def __exit__(self, *_):
        for patch in self.patches:
            patch.stop()
