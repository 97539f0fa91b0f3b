"""Drafts compiled: kernels that take rows through time steps, and what they are given."""

import ctypes
from dataclasses import dataclass

import numpy as np

from tinyrnn.compiler.buffers import Buffers
from tinyrnn.compiler.build import load
from tinyrnn.compiler.fourier import twiddles
from tinyrnn.compiler.toolchain import NoCompiler

CACHE_LINE = 64  # bytes


def library(header, dtype, text=""):
    """What a header and a C text behind it make, for numbers of this dtype."""
    return load(f'#define REAL_IS_FLOAT {int(dtype == "float32")}\n#include "{header}"\n\n{text}')


def products(dtype):
    """The library of matrix products, which all kernels share."""
    made = library("gemm.h", dtype)
    number, numbers, rows = ctypes.c_long, ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_long]
    made.pack.argtypes = [numbers] * 2 + [number] * 4
    made.add_products.argtypes = [number] * 3 + rows * 2 + [numbers]
    made.add_rows.argtypes = [number] * 2 + [numbers, *rows, numbers]
    return made


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
        self.loaded, self.products = library("cpu.h", self.dtype, draft.code.text), products(self.dtype)
        gemm = ctypes.cast(self.products.gemm, ctypes.c_void_p)
        ctypes.c_void_p.in_dll(self.loaded, "gemm_").value = gemm.value
        self.function = getattr(self.loaded, direction)
        self.function.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 5
        self.function.restype = None
        self.buffers = Buffers()
        self.twiddles = [twiddles(n, self.dtype) for n in draft.code.fourier]

    def prepare(self, p):
        """The parameters as the kernel wants them: arrays to read and panels for the products."""
        p = {**p, **self.draft.constants}
        code = self.draft.code
        params = [p[name] for name in code.params]
        params = [np.ascontiguousarray(v, "int64" if v.dtype.kind in "iub" else self.dtype) for v in params]
        by_name = dict(zip(code.params, params, strict=True))
        width, panels = self.products.panel_width(), []
        for name, view in code.panels:
            k, n = view.shape
            W = by_name[name]
            panel = aligned(k * -(-n // width) * width, self.dtype, self.buffers)
            self.products.pack(address(W) + view.offset * W.itemsize, address(panel), k, n, *view.strides)
            panels.append(panel)
        return Prepared(params, panels, self.twiddles)

    def run(self, prepared, arrays, steps, rows, map_rows):
        """Take time steps `steps` (a range) with the arrays (name -> `Over`), the rows shared out by `map_rows`."""
        arrays = self.with_work(arrays, rows)
        take = self.bound(prepared, arrays)
        map_rows(lambda first, last: take(steps, first, last), rows)

    def with_work(self, arrays, rows):
        """The arrays, and those for intermediates of all rows."""
        work = {name: np.empty((1, rows, size), self.dtype) for name, size in self.draft.code.work.items()}
        return {**arrays, **{name: Over(array, still=True) for name, array in work.items()}}

    def bound(self, prepared, arrays):
        """A function of time steps (a range), the first row and the one after the last. Whoever calls it keeps the
        arrays alive: a thread may let go of the function late, and they are to be used again."""
        code = self.draft.code
        table = np.array([arrays[name].entry() for name in code.arrays], np.int64)
        scratch_size = code.scratch + 8 * max([0, *code.fourier]) + 16

        def take(steps, first, last):
            scratch = np.empty(scratch_size, self.dtype)
            self.function(
                address(table),
                *prepared.addresses,
                address(scratch),
                steps.start,
                steps.stop,
                steps.step,
                first,
                last,
            )

        return take


class Prepared:
    """Lists of arrays as C sees them: lists of addresses. Keeps them alive."""

    def __init__(self, *lists):
        self.lists = lists
        self.tables = [np.array([address(a) for a in arrays] or [0], np.uint64) for arrays in lists]
        self.addresses = [address(table) for table in self.tables]


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
    """An array of so many numbers that begins on a cache line, so that no vector of a panel lies on two of them."""
    memory = buffers.empty((size * dtype.itemsize + CACHE_LINE,), np.uint8)
    begin = -address(memory) % CACHE_LINE
    return memory[begin : begin + size * dtype.itemsize].view(dtype)


def address(array):
    """Where an array's first number is in memory, an int."""
    return array.__array_interface__["data"][0]
