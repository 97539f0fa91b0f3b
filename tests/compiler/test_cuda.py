"""Kernels for a GPU, without one: nvcc compiles them, and the processor runs them as a GPU would.

`emulation.h` makes every thread of a block a thread of the operating system, so that the text that a GPU gets is what
runs here, with fewer threads. ThreadSanitizer watches for values that are read while another thread may write them.
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
from contract import Case, assert_same, backward, run
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.cells import CELLS
from tinyrnn.compiler import gpu, runner
from tinyrnn.compiler.build import NoCompiler
from tinyrnn.compiler.gpu import GpuKernel, table
from tinyrnn.compiler.kernels import draft_backward, draft_forward

HERE = Path(__file__).parent
TOLERANCE = {"float64": 1e-12, "float32": 2e-5}  # relative to the largest entry
SANITISER = "-fsanitize=thread"
FLAGS = "-std=c++17 -shared -fPIC -pthread -Wall -Werror -Wno-unused -Wno-unknown-pragmas".split()

needs_cxx = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ to run the emulation")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")


class Emulated:
    """A device that is none: few threads, arrays are NumPy's, fresh memory is full of NaN. launches: one entry each,
    (kernel, blocks, threads)."""

    def __init__(self, most_threads=8, warp=4, multiprocessors=2, flags=("-O1",), edit=lambda text: text):
        self.most_threads, self.warp, self.multiprocessors = most_threads, warp, multiprocessors
        self.flags, self.edit, self.launches = flags, edit, []

    def asarray(self, array, dtype=None):
        return np.ascontiguousarray(array, dtype)

    def empty(self, shape, dtype):
        return np.full(shape, np.nan, dtype)

    def compile(self, text, name):
        return name, library(f"{self.edit(text)}\nEMULATE({name})", self.flags)

    def launch(self, function, blocks, threads, arguments):
        name, loaded = function
        self.launches.append((name, blocks, threads))
        loaded.launch(ctypes.c_uint(blocks), ctypes.c_void_p(arguments.ctypes.data))


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
    assert there.runner.why_not == {} and {name for name, *_ in device.launches} == {"forward", "backward"}
    return got


def drafts(case, **options):
    """(direction, draft) of the kernels forward and backward for a case."""
    network = case.network(**options)
    probe = case.probe(network)
    tape = network.forward(probe.x, probe.state, probe.mask)[1]
    yield "forward", draft_forward(network, tape.p, tape.x, tape.mask)
    yield "backward", draft_backward(network, tape.p, tape, recorded=False)


# the same numbers -----------------------------------------------------------------------------------------------------


@needs_cxx
@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_gets_the_plain_paths_numbers(cell, masked):
    case = Case(cell, masked=masked, hidden_size=6)  # wide enough for products that are not written out
    network = case.network()
    probe = case.probe(network)
    device = Emulated()
    assert_same(run_on(device, network, probe), run(network, probe), TOLERANCE["float64"])
    assert {blocks for _, blocks, _ in device.launches} == {2}  # of two rows and of one


@needs_cxx
@pytest.mark.parametrize("cell", ["lstm", "gru-cho", "urnn"])
def test_single_precision_follows_too(cell):
    case = Case(cell, masked=True, hidden_size=6)
    network = case.network(dtype="float32")
    probe = case.probe(network).map(lambda a: a if a.dtype == bool else a.astype("float32"))
    assert_same(run_on(Emulated(), network, probe), run(network, probe), TOLERANCE["float32"])


@needs_cxx
@pytest.mark.parametrize("cell", ["lstm-output-matrix", "gru-cho", "urnn"])
@pytest.mark.parametrize(("most_threads", "warp", "multiprocessors"), [(16, 4, 1), (4, 2, 9), (1, 1, 1)])
def test_neither_threads_nor_blocks_change_the_numbers(cell, most_threads, warp, multiprocessors):
    case = Case(cell, T=3, masked=True, hidden_size=5)
    network = case.network(clip_state=0.8)
    probe = case.probe(network)
    device = Emulated(most_threads, warp, multiprocessors)
    assert_same(run_on(device, network, probe), run(network, probe), TOLERANCE["float64"])


@needs_cxx
@pytest.mark.parametrize("cell", ["urnn", "gru-cho"])
def test_scratch_memory_may_be_on_the_chip_or_not(cell, monkeypatch):
    case = Case(cell, T=3, hidden_size=6)
    network = case.network()
    probe = case.probe(network)
    assert all("SCRATCH_SHARED 1" in text for text in texts(case, "float64"))
    monkeypatch.setattr(gpu, "SHARED", 64)
    assert all("SCRATCH_SHARED 0" in text for text in texts(case, "float64"))
    assert_same(run_on(Emulated(), network, probe), run(network, probe), TOLERANCE["float64"])


@needs_cxx
def test_class_numbers_pick_rows_of_the_weights():
    case = Case("lstm", hidden_size=6, input_size=7)
    network = case.network()
    probe = case.probe(network)._replace(x=case.rng.integers(0, 7, (case.T, case.B)))
    assert_same(run_on(Emulated(), network, probe), run(network, probe), TOLERANCE["float64"])


@needs_cxx
@pytest.mark.parametrize("cell", ["lstm", "urnn", "elman-relu"])
def test_nan_stays_in_its_row_and_is_not_lost(cell):
    case = Case(cell, hidden_size=6)
    network = case.network()
    probe = case.probe(network)
    probe.x[2, 1] = np.nan
    there, patched = on(Emulated(), network)
    with patched:
        h = there.forward(probe.x, probe.state)[0]
    np.testing.assert_array_equal(np.isnan(h), np.isnan(network.forward(probe.x, probe.state)[0]))
    assert np.isnan(h[2:, 1]).any() and not np.isnan(h[:, [0, 2]]).any()


# the parts of cuda.h --------------------------------------------------------------------------------------------------

PARTS = """
KERNEL(transform) {
    BEGIN;
    const int n = (int)given.t_to;
    const long long t = 0;
    FOURIER(n, 0, REALS(0), REALS(0) + n, REALS(1), REALS(1) + n, given.scratch);
}
KERNEL(product) {
    BEGIN;
    const long long t = 0;
    GEMM((int)given.t_from, (int)given.t_to, 0, 0, 0, 1, given.direction);
}
KERNEL(total) {
    BEGIN;
    const long long t = 0;
    ROWS for (int k = 0; k < given.t_from; k++) {
        const real *from = REALS(0) + k * given.t_to;
        real sum = 0;
        FOR(j, given.t_to) sum += from[j];
        TOTAL(REALS(1)[k], sum);
    }
}
"""
CONSTANTS = {"REAL_IS_FLOAT": 0, "WARP": 4, "BLOCK": 8, "ROWS_EACH": 3, "ARRAYS": 2, "PARAMS": 1, "PANELS": 1}
CONSTANTS |= {"TWIDDLES": 1, "SCRATCH_SIZE": 1, "SCRATCH_SHARED": 1, "PARTIAL_SIZE": 24}


def part(name, x, out, *numbers, panel=None, twiddles=None, rows=1):
    """Launch one of PARTS on x and out, arrays (rows, …). numbers: t_from, t_to, direction."""
    text = "\n".join([*(f"#define {k} {v}" for k, v in CONSTANTS.items()), gpu.HEADER.read_text(), PARTS])
    device = Emulated()
    scratch = np.full(2 * x.size, np.nan)
    at = [0 if a is None else a.ctypes.data for a in (panel, twiddles, scratch)]
    arrays = [n for a in (x, out) for n in (a.ctypes.data, 0, a.strides[0], 0)]
    arguments = np.array([*arrays, 0, *at, *numbers, rows], np.int64)
    device.launch(device.compile(text, name), -(-rows // CONSTANTS["ROWS_EACH"]), CONSTANTS["BLOCK"], arguments)
    return out


@needs_cxx
@settings(max_examples=40)
@given(n=st.integers(1, 300))
def test_transform_is_numpys_at_any_length(n):
    z = np.random.default_rng(n).normal(size=(1, 2, n))
    re, im = part("transform", z, np.full((1, 2, n), np.nan), 0, n, 0, twiddles=table(n))[0]
    exact = np.fft.fft(z[0, 0] + 1j * z[0, 1], norm="ortho")
    assert np.linalg.norm(re + 1j * im - exact) <= 1e-15 * np.sqrt(n) * np.linalg.norm(exact)


@needs_cxx
@settings(max_examples=40)
@given(rows=st.integers(1, 7), n_in=st.integers(1, 20), n_out=st.integers(1, 20), add=st.booleans())
def test_product_is_numpys_with_any_number_of_rows_terms_and_columns(rows, n_in, n_out, add):
    rng = np.random.default_rng(rows)
    x, W, out = (rng.normal(size=shape) for shape in ((rows, n_in), (n_in, n_out), (rows, n_out)))
    expected = x @ W + add * out
    part("product", x, out, n_in, n_out, int(add), panel=W, rows=rows)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-15 * n_in * max(1, abs(expected).max()))


@needs_cxx
@settings(max_examples=20)
@given(rows=st.integers(1, 4), count=st.integers(1, 3), n=st.integers(1, 30))
def test_totals_follow_each_other_without_mixing(rows, count, n):
    x = np.random.default_rng(n).normal(size=(rows, count, n))
    out = part("total", x, np.full((rows, count), np.nan), count, n, 0, rows=rows)
    np.testing.assert_allclose(out, x.sum(axis=-1), rtol=0, atol=1e-14)


# races ----------------------------------------------------------------------------------------------------------------


def watched(cells, edit="lambda text: text"):
    """Run cells under ThreadSanitizer, in an interpreter of their own: (exit status, messages). 66: a race."""
    runtime = subprocess.run(["g++", "-print-file-name=libtsan.so"], capture_output=True, text=True).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("g++ has no ThreadSanitizer")
    script = f"import test_cuda; test_cuda.run_watched({cells!r}, {edit})"
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


def run_watched(cells, edit):
    for cell in cells:
        for masked in False, True:
            case = Case(cell, T=3, masked=masked, hidden_size=6)
            network = case.network()
            device = Emulated(flags=("-O1", "-g", SANITISER), edit=edit)
            run_on(device, network, case.probe(network))


@needs_cxx
@pytest.mark.parametrize(
    "cells",
    [
        ["lstm", "gru-cho", "urnn"],
        pytest.param([c for c in CELLS if c not in ("lstm", "gru-cho", "urnn")], marks=pytest.mark.slow, id="others"),
    ],
)
def test_no_thread_reads_what_another_may_be_writing(cells):
    status, messages = watched(cells)
    assert status == 0, messages[:2000]


@needs_cxx
def test_a_missing_sync_is_found():
    """Otherwise the test above would show nothing."""
    status, messages = watched(["urnn"], 'lambda text: text.replace("            }\\n            SYNC;", "}", 1)')
    assert status == 66 and "data race" in messages


# launches -------------------------------------------------------------------------------------------------------------


@needs_cxx
@pytest.mark.parametrize("T", [1, 5, 60])
def test_one_launch_each_way_however_long_the_sequence(T):
    case = Case("lstm", T=T, B=2)
    network = case.network()
    device = Emulated(most_threads=4)
    run_on(device, network, case.probe(network))
    assert [name for name, *_ in device.launches] == ["forward", "backward"]


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


@pytest.mark.parametrize(("cell", "expected"), [("lstm", (0, 0)), ("gru", (0, 0)), ("urnn", (0, 0))])
def test_the_plain_path_launches_this_many_for_every_step(cell, expected):
    """The number before. It changes with the cell's source; what matters is that it is far from none."""
    assert launches_per_step(cell) == expected


# nvcc -----------------------------------------------------------------------------------------------------------------


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


@needs_nvcc
@pytest.mark.parametrize(
    ("dtype", "arch"),
    [
        ("float32", "sm_80"),
        *(
            pytest.param(dtype, arch, marks=pytest.mark.slow)
            for dtype, arch in (("float32", "sm_90"), ("float64", "sm_80"), ("float64", "sm_90"))
        ),
    ],
)
def test_nvcc_compiles_every_cell(dtype, arch, tmp_path):
    cases = [Case(cell, masked=masked, hidden_size=6) for cell in CELLS for masked in (False, True)]
    cases += [Case(cell, masked=True, hidden_size=128) for cell in ("lstm", "gru-cho", "urnn")]
    source = tmp_path / "kernels.cu"
    source.write_text(in_one_file([text for case in cases for text in texts(case, dtype)]))
    options = ["-std=c++17", f"-arch={arch}", "--ftz=true", "-cubin", "-Werror=all-warnings", "-diag-suppress=177,550"]
    made = subprocess.run(["nvcc", *options, str(source), "-o", str(tmp_path / "x")], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


# errors ---------------------------------------------------------------------------------------------------------------


def test_too_many_arrays_for_the_arguments_of_a_kernel_are_refused_in_one_line():
    direction, draft = next(drafts(Case("lstm")))
    draft.code.arrays.extend(f"more_{k}" for k in range(200))
    with pytest.raises(NoCompiler, match=r"^works with 211 arrays, too many for the arguments of a kernel$"):
        GpuKernel(draft, direction, "float32", Emulated())
