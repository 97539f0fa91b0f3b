"""Kernels for a GPU: the printed text with `cuda.h` in place of `cpu.h`, compiled at run time by way of CuPy.

One launch takes all rows through all time steps that it is given; nothing waits for it. The plain path launches (new
arrays, copies into the tape) for each step forward and backward: LSTM 27 + 25, GRU 24 + 21, unitary RNN 44 + 31.

Not yet run on a device, so nothing was timed: nvcc compiles what is printed here, and the tests run it on the
processor, a thread for a thread. How many threads and rows a block has was chosen by counting, not by measurement.
"""

from pathlib import Path

import numpy as np

from tinyrnn.compiler.fourier import radices, roots
from tinyrnn.compiler.kernels import Over
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.core.backend import xp_of

HEADER = Path(__file__).with_name("cuda.h")
FEWEST_THREADS = 256  # where there are products: what a row's columns leave over shares out their terms
MOST_ROWS = 8  # that a block takes; a thread keeps a sum for each
SHARED = 48 * 1024  # bytes of memory on the chip that every device has for a block
ARGUMENTS = 4096  # bytes that can be passed to a kernel


class GpuKernel:
    """A draft for the GPU, with the methods of `tinyrnn.compiler.kernels.Kernel`.

    draft: what to compile. direction: "forward" or "backward". dtype: float32 or float64. device: what compiles and
    launches (see `Device`), None for CuPy's current device. Raises NoCompiler where it cannot be compiled.
    """

    def __init__(self, draft, direction, dtype, device=None):
        self.draft, self.direction, self.dtype = draft, direction, np.dtype(dtype)
        self.device = Device() if device is None else device
        self.twiddles = [self.device.asarray(table(n).astype(self.dtype)) for n in draft.code.fourier]
        self.threads = threads(draft, self.device)
        self.most_rows = min(MOST_ROWS, SHARED // 2 // (self.threads * self.dtype.itemsize)) or 1
        self.scratch_size = draft.code.scratch + 2 * max([0, *draft.code.fourier]) + 16
        self.functions = {}  # rows that a block takes -> what to launch
        self.function(1)

    def function(self, rows_each):
        """The compiled kernel whose blocks take `rows_each` rows."""
        if rows_each not in self.functions:
            self.functions[rows_each] = self.device.compile(self.text(rows_each), self.direction)
        return self.functions[rows_each]

    def text(self, rows_each):
        """The whole source: constants, what the macros mean, and what was printed."""
        code = self.draft.code
        split = any(2 * view.shape[1] <= self.threads for _, view in code.panels)  # sums of products, see gemm_
        partial = max(self.threads // self.device.warp, rows_each * self.threads if split else 0)
        shared = (partial + self.scratch_size) * self.dtype.itemsize <= SHARED
        tables = [max(1, len(t)) for t in (code.arrays, code.params, code.panels, code.fourier)]
        if 8 * (4 * tables[0] + sum(tables[1:]) + 5) > ARGUMENTS:
            raise NoCompiler(f"works with {len(code.arrays)} arrays, too many for the arguments of a kernel")
        constants = dict(zip(("ARRAYS", "PARAMS", "PANELS", "TWIDDLES"), tables, strict=True))
        constants |= dict(REAL_IS_FLOAT=int(self.dtype == "float32"), WARP=self.device.warp, BLOCK=self.threads)
        constants |= dict(ROWS_EACH=rows_each, PARTIAL_SIZE=partial)
        constants |= dict(SCRATCH_SIZE=self.scratch_size, SCRATCH_SHARED=int(shared))
        return "\n".join(
            [*(f"#define {k} {v}" for k, v in constants.items()), HEADER.read_text(encoding="utf-8"), code.text]
        )

    def prepare(self, p, threads=None):
        """The parameters as the kernel wants them, arrays to read and contiguous matrices for the products: where they
        are (an empty table has one entry all the same), and they themselves, so that they live as long."""
        p = {**p, **self.draft.constants}
        code = self.draft.code
        params = [self.device.asarray(p[k], "int64" if p[k].dtype.kind in "iub" else self.dtype) for k in code.params]
        by_name = dict(zip(code.params, params, strict=True))
        panels = [matrix(by_name[name], view) for name, view in code.panels]
        tables = params, panels, self.twiddles
        return [a for table in tables for a in [address(array) for array in table] or [0]], tables

    def run(self, prepared, arrays, steps, rows, threads=None):
        """Take time steps `steps` (a range) with the arrays (name -> `Over`) in one launch. The blocks share out the
        rows, so that `threads` is not looked at."""
        code = self.draft.code
        each = min(self.most_rows, -(-rows // self.device.multiprocessors))
        blocks = -(-rows // each)
        work = {name: self.device.empty((1, rows, size), self.dtype) for name, size in code.work.items()}
        arrays = {**arrays, **{name: Over(array, still=True) for name, array in work.items()}}
        scratch = self.device.empty((blocks * self.scratch_size,), self.dtype)
        numbers = [number for name in code.arrays for number in entry(arrays[name])]
        numbers += [*prepared[0], address(scratch), steps.start, steps.stop, steps.step, rows]
        self.device.launch(self.function(each), blocks, self.threads, np.array(numbers, np.int64))


class Device:
    """CuPy's current device: the only part that needs CuPy."""

    warp, most_threads = 32, 1024

    def __init__(self):
        import cupy

        self.cupy, self.empty = cupy, cupy.empty
        self.multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]

    def asarray(self, array, dtype=None):
        """The array on the device, contiguous."""
        return self.cupy.ascontiguousarray(self.cupy.asarray(array), dtype)

    def compile(self, text, name):
        """The kernel `name` in `text`; CuPy keeps what it has compiled on disk. Raises NoCompiler."""
        try:
            return self.cupy.RawModule(code=text, options=("--std=c++17", "--ftz=true")).get_function(name)
        except self.cupy.cuda.compiler.CompileException as error:
            lines = [line for line in str(error).splitlines() if "error" in line] or ["no message"]
            raise NoCompiler(f"the CUDA compiler failed: {lines[0].strip()}") from None

    def launch(self, function, blocks, threads, arguments):
        """arguments: int64, the kernel's one argument, which is passed by value."""
        function((blocks,), (threads,), (arguments.view(f"V{arguments.nbytes}"),))


def threads(draft, device):
    """Threads for a block: enough for the widest loop or product, a whole number of warps."""
    loops = [loop for stage in draft.plan.stages for loop in stage.loops]
    widths = [loop.shape[-1] for loop in loops if loop.shape] + [view.shape[1] for _, view in draft.code.panels]
    widest = max([1, *widths, *draft.code.fourier])
    wanted = max(widest, FEWEST_THREADS if draft.code.panels else 1)
    return min(device.most_threads, -(-wanted // device.warp) * device.warp)


def table(n):
    """What `fft_` in cuda.h needs for length n: roots of unity, then the number of passes and their radices."""
    factors = radices(n) or [1]
    return np.concatenate([*roots(np.arange(n), n), [len(factors), *factors]])


def matrix(W, view):
    """The matrix that `view` looks at in the contiguous array W, row by row."""
    strides = tuple(s * W.dtype.itemsize for s in view.strides)
    xp = xp_of(W)
    return xp.ascontiguousarray(xp.lib.stride_tricks.as_strided(W.ravel()[view.offset :], view.shape, strides))


def entry(over):
    """An `Over` as the structure `array` of cuda.h."""
    time, row = 0 if over.still else over.array.strides[0], over.array.strides[1]
    return address(over.array) + over.shift * time, time, row, over.wrap


def address(array):
    """Where an array's numbers begin, in the memory of the processor or of the device."""
    interface = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    return interface["data"][0]
