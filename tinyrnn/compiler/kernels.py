"""Drafts compiled: kernels that take rows through time steps, and what they are given."""

import ctypes
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from tinyrnn.compiler.buffers import Buffers
from tinyrnn.compiler.build import load
from tinyrnn.compiler.fourier import twiddles
from tinyrnn.compiler.team import team
from tinyrnn.compiler.toolchain import NoCompiler

CACHE_LINE = 64  # bytes
WORTH_A_THREAD = 2**16  # numbers to be packed
ROWS_EACH = 4  # fewer rows are not worth another thread


def library(header, dtype, text=""):
    """What a header and a C text behind it make, for numbers of this dtype."""
    return load(f'#define REAL_IS_FLOAT {int(dtype == "float32")}\n#include "{header}"\n\n{text}')


def products(dtype):
    """The library of matrix products, which all kernels share."""
    return library("gemm.h", dtype)


def for_team(function):
    """A function of a library as `Team.run` wants it."""
    return ctypes.cast(function, ctypes.c_void_p)


def obstacle(dtype):
    """What keeps all kernels for numbers of this dtype from being made, in words; None where nothing does."""
    if dtype not in (np.float32, np.float64):
        return f"there are kernels for float32 and float64, not for {dtype}"
    try:
        products(dtype)
    except NoCompiler as error:
        return str(error)


class Kernel:
    """A compiled draft: `run` takes rows through time steps."""

    def __init__(self, draft, direction, dtype):
        self.draft, self.dtype = draft, np.dtype(dtype)
        self.products = products(self.dtype)
        if draft.plan.outputs:  # else all is left to products
            loaded = library("cpu.h", self.dtype, draft.code.text)
            ctypes.c_void_p.in_dll(loaded, "gemm_").value = for_team(self.products.gemm).value
            self.function = for_team(getattr(loaded, direction))
        self.buffers = Buffers()
        self.twiddles = [twiddles(n, self.dtype) for n in draft.code.fourier]
        line = CACHE_LINE // self.dtype.itemsize
        self.scratch_size = -(-(draft.code.scratch + 8 * max([0, *draft.code.fourier]) + 1) // line) * line

    def prepare(self, p, threads):
        """The parameters as the kernel wants them: arrays to read and panels for the products."""
        p = {**p, **self.draft.constants}
        code = self.draft.code
        params = [p[name] for name in code.params]
        params = [np.ascontiguousarray(v, "int64" if v.dtype.kind in "iub" else self.dtype) for v in params]
        by_name = dict(zip(code.params, params, strict=True))
        width = self.products.panel_width()
        sizes = [view.shape[0] * -(-view.shape[1] // width) * width for _, view in code.panels]
        memory, start = aligned(sum(sizes), self.dtype, self.buffers)
        panels = [start + before * self.dtype.itemsize for before in accumulate(sizes, initial=0)][:-1]
        table = [
            (address(by_name[name]) + view.offset * self.dtype.itemsize, panel, *view.shape, *view.strides)
            for (name, view), panel in zip(code.panels, panels, strict=True)
        ]
        if table:
            pieces = max(1, min(threads, sum(sizes) // WORTH_A_THREAD))
            table = np.array(table, np.int64)
            job = np.array([address(table), len(table), pieces], np.int64)
            team().run(for_team(self.products.pack_weights), address(job), pieces, threads)
        return Prepared([address(v) for v in params], panels, list(map(address, self.twiddles)), (params, memory))

    def run(self, prepared, arrays, steps, rows, threads):
        """Take time steps `steps` (a range) with the arrays (name -> `Over`), the rows shared out among threads."""
        pieces = max(1, min(threads, rows // ROWS_EACH))
        self.take(prepared, self.with_work(arrays, rows), steps, rows, pieces, threads)

    def take(self, prepared, arrays, steps, rows, pieces, threads):
        """Take the rows, in so many pieces, through time steps; steps: None where each piece is a time step itself."""
        table = [arrays[name].entry() for name in self.draft.code.arrays]
        self.take_from(table, prepared, steps, rows, pieces, threads)

    def take_from(self, table, prepared, steps, rows, pieces, threads):
        """The same with what `Over.entry` says of each array, in the order in which the code has them."""
        table = np.array(table, np.int64)
        _memory, start = aligned(pieces * self.scratch_size, self.dtype, self.buffers)  # which lives until this returns
        times = (0, 0, 1) if steps is None else (steps.start, steps.stop, steps.step)
        given = address(table), *prepared.addresses, start, self.scratch_size
        work = np.array([*given, *times, rows, pieces, steps is None], np.int64)
        team().run(self.function, address(work), pieces, threads)

    def with_work(self, arrays, rows):
        """The arrays, and those for intermediates of all rows."""
        work = {name: self.buffers.empty((1, rows, size), self.dtype) for name, size in self.draft.code.work.items()}
        return {**arrays, **{name: Over(array, still=True) for name, array in work.items()}}


class Prepared:
    """Parameters, panels and twiddles as C sees them, three lists of addresses; alive: what these are the addresses of,
    to be kept."""

    def __init__(self, params, panels, twiddles, alive):
        self.alive = alive
        self.table = np.array([*params, *panels, *twiddles, 0], np.uint64)
        first = address(self.table)
        starts = 0, len(params), len(params) + len(panels)
        self.addresses = [first + 8 * start for start in starts]


@dataclass
class Over:
    """An array over time (T, B, …) for a kernel: entry t + shift belongs to time step t. wrap: it holds two time steps
    only, in turn, and is written (1) or read (2). still: it holds one, which is always the same."""

    array: np.ndarray
    shift: int = 0
    wrap: int = 0
    still: bool = False

    def entry(self):
        """(Address of time step 0, bytes from one step to the next, bytes from one row to the next, wrap), for C."""
        time, row = self.array.strides[:2]
        time = 0 if self.still else time
        return address(self.array) + self.shift * time, time, row, self.wrap


def aligned(size, dtype, buffers):
    """Memory for so many numbers, and where in it a cache line begins, so that no vector lies on two of them."""
    memory = buffers.empty((size * dtype.itemsize + CACHE_LINE,), np.uint8)
    start = address(memory)
    return memory, start + -start % CACHE_LINE


def address(array):
    """Where an array's first number is in memory, an int."""
    return array.__array_interface__["data"][0]
