"""Kernels for a GPU, without one: nvcc compiles them, and the processor runs them as a GPU would (`emulated.py`).

ThreadSanitizer watches for values that are read while another thread may write them.
"""

import shutil
import subprocess

import numpy as np
import pytest
from contract import Case, assert_same, run
from emulated import Emulated, drafts, in_one_file, launches_per_step, on, run_on, texts, watched
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import sample

from tinyrnn.cells import CELLS
from tinyrnn.compiler import gpu
from tinyrnn.compiler.gpu import GpuKernel, table
from tinyrnn.compiler.toolchain import NoCompiler

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

TOLERANCE = {"float64": 1e-12, "float32": 2e-5}  # relative to the largest entry
THREE = ["lstm", "gru-cho", "urnn"]
FEW = ("elman", "lstm", "gru-cho", "urnn", "lmn")  # the others are slow tests: each is another kernel to be compiled
needs_cxx = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ to run the emulation")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")


# the same numbers -----------------------------------------------------------------------------------------------------


@needs_cxx
@pytest.mark.sample(14)
@pytest.mark.parametrize(
    "cell, masked",  # a mask is no part of a cell: with and without one for a few
    [
        pytest.param(c, m, marks=[pytest.mark.slow] * (c not in FEW), id=f"{c}{'-masked' * m}")
        for c in CELLS
        for m in ((False, True) if c in FEW else (True,))
    ],
)
def test_every_cell_gets_the_plain_paths_numbers(cell, masked):
    case = Case(cell, masked=masked, hidden_size=6)  # wide enough for products that are not written out
    network = case.network()
    probe = case.probe(network)
    device = Emulated()
    assert_same(run_on(device, network, probe), run(network, probe), TOLERANCE["float64"])
    assert {blocks for _, blocks, _ in device.launches} == {2}  # one of two rows and one of one


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


@needs_cxx
@pytest.mark.long
@pytest.mark.parametrize(
    ("cells", "masked"),  # a mask is no part of a cell: three without one are enough
    [
        pytest.param(THREE, True, id="three-masked"),
        pytest.param(THREE, False, id="three"),
        pytest.param(sample([c for c in CELLS if c not in THREE], 2), True, id="others-masked"),
    ],
)
def test_no_thread_reads_what_another_may_be_writing(cells, masked):
    status, messages = watched(cells, masked)
    assert status == 0, messages[:2000]


@needs_cxx
@pytest.mark.parametrize("missing", ["            }\n            SYNC;", "    SYNC; /* what was"])
def test_a_missing_sync_is_found(missing):
    """One of the printed text and one of cuda.h. Otherwise the test above would show nothing."""
    status, messages = watched(["urnn"], True, (missing, missing.replace("SYNC;", "")))
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


@pytest.mark.parametrize("cell", ["lstm", "gru", "urnn"])
def test_the_plain_path_launches_tens_of_kernels_for_every_step(cell):
    """The number before; `tinyrnn.compiler.gpu` states what it was."""
    assert min(launches_per_step(cell)) > 20


# nvcc -----------------------------------------------------------------------------------------------------------------


EVERY = [Case(cell, masked=masked, hidden_size=6) for masked in (True, False) for cell in CELLS]
LARGE = [Case(cell, masked=True, hidden_size=n) for cell in ("lstm", "gru-cho", "urnn") for n in (128, 512)]


def some(n):
    return sample(EVERY, n, lambda case: f"{case.cell}{case.masked}")


@needs_nvcc
@pytest.mark.long
@pytest.mark.parametrize(
    ("cases", "dtype", "arch"),
    [
        pytest.param(some(8), "float32", "sm_80", id="float32-sm80"),
        pytest.param(some(8) + LARGE[:3], "float64", "sm_90", id="float64-sm90"),
    ],
)
def test_nvcc_compiles_without_warnings(cases, dtype, arch, tmp_path):
    source = tmp_path / "kernels.cu"
    source.write_text(in_one_file([text for case in cases for text in texts(case, dtype)]))
    # not what the linter calls unused: parts of cuda.h that a kernel does without
    options = ["-std=c++17", f"-arch={arch}", "--ftz=true", "-cubin", "-Werror=all-warnings", "-diag-suppress=177,550"]
    made = subprocess.run(["nvcc", *options, str(source), "-o", str(tmp_path / "x")], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


# errors ---------------------------------------------------------------------------------------------------------------


def test_too_many_arrays_for_the_arguments_of_a_kernel_are_refused_in_one_line():
    direction, draft = next(drafts(Case("lstm")))
    draft.code.arrays.extend(f"more_{k}" for k in range(200))
    with pytest.raises(NoCompiler, match=r"^works with 210 arrays, too many for the arguments of a kernel$"):
        GpuKernel(draft, direction, "float32", Emulated())
