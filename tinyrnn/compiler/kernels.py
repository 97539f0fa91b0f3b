"""From a cell to kernels: its steps are traced, planned, printed and compiled, for one shape of tape each."""

import ctypes
import sys
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tinyrnn.compiler.build import load
from tinyrnn.compiler.c_code import Code, print_c
from tinyrnn.compiler.fourier import twiddles
from tinyrnn.compiler.nodes import Untraceable
from tinyrnn.compiler.plan import Plan, make_plan
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.compiler.trace import Trace
from tinyrnn.compiler.traced import Traced
from tinyrnn.core import steps
from tinyrnn.core.ops import is_index


@dataclass(eq=False)
class Draft:
    """A kernel that is not compiled yet.

    outputs: what it writes, name -> shape for one row. structure: of da, a name or a tuple of names. projects: whether
    the projection of the input is part of it. constants: arrays of the cell's own that it reads.
    """

    plan: Plan
    code: Code
    outputs: dict
    structure: object
    projects: bool
    constants: dict


def draft_forward(cell, p, x, mask):
    """The kernel of the forward steps, or raises Untraceable. p: derived parameters, x: (T, B, …), mask: or None."""
    try:
        return draft_step(cell, p, x, mask, projects=True)
    except Exception:  # Untraceable, or anything that comes of computing with arrays that are none
        return draft_step(cell, p, x, mask, projects=False)


def draft_step(cell, p, x, mask, projects):
    trace, traced = begin(cell, p)
    if projects:
        leaf = class_numbers(trace) if is_index(x) else trace.row("x", x.shape[2:], lead=2)
        a = cell.project(traced, leaf).led(1)
    else:
        shape = cell.project(p, x[:1]).shape[2:]
        a = trace.row("a", shape)
    prev = [trace.row(f"{name}_prev", (n,)) for name, n in zip(cell.states, cell.state_sizes, strict=True)]
    with local_names(cell):
        new, kept = steps.step(cell, traced, a, prev, live(trace, mask))
    outputs = dict(zip(cell.states, new, strict=True))
    outputs |= {own(cell, name): value for name, value in kept.items()}
    if projects and "a" in (*cell.step_needs, *cell.gradients_needs):
        outputs.setdefault("a", a)
    sizes = dict(zip(cell.states, cell.state_sizes, strict=True))
    return finish(cell, trace, outputs, sizes, None, projects, "forward")


def draft_backward(cell, p, tape, recorded):
    """The kernel of the backward steps over what is on `tape`."""
    trace, traced = begin(cell, p)
    carried = [trace.row(f"carried_d{name}", (n,)) for name, n in zip(cell.states, cell.state_sizes, strict=True)]
    carried[0] = carried[0] + trace.row("upstream", (cell.state_sizes[0],))
    for name in cell.step_needs:
        if tape.asked(cell, name).dtype != tape.states[cell.states[0]].dtype:
            raise Untraceable(f"{name} on the tape is {tape.asked(cell, name).dtype}")
    needs = {name: trace.row(f"tape_{name}", tape.asked(cell, name).shape[2:]) for name in cell.step_needs}
    clipped = None
    if cell.clip_state is not None:
        clipped = [trace.row("clipped", (cell.state_sizes[0],)), trace.row("clip_scale", (1,))]
    with local_names(cell):
        da, dprev = steps.step_backward(cell, traced, carried, needs, live(trace, tape.mask), clipped)
    outputs, structure = {}, flatten(da, "da", outputs_of := {})
    outputs |= outputs_of | {f"d{name}_prev": d for name, d in zip(cell.states, dprev, strict=True)}
    if recorded:
        outputs |= {f"total_d{name}": d for name, d in zip(cell.states, carried, strict=True)}
    sizes = {f"d{name}_prev": n for name, n in zip(cell.states, cell.state_sizes, strict=True)}
    return finish(cell, trace, outputs, sizes, structure, False, "backward")


def begin(cell, p):
    trace = Trace(cell.dtype)
    params = type(p)({name: trace.param(name, value) for name, value in p.items()})
    return trace, params


def class_numbers(trace):
    """The input x where it is one class number a row."""
    return Traced(trace, trace.row("x", (1,), lead=2)[..., 0].view, 2, integer=True)


@contextmanager
def local_names(cell):
    """Meanwhile, what the local variables of the cell's methods refer to when they return is called by their names."""

    def returned(frame, event, value):
        if event == "return" and frame.f_locals.get("self") is cell:
            for name, value in frame.f_locals.items():
                if isinstance(value, Traced) and value.view.whole and not value.view.node.name:
                    value.view.node.name = name

    before = sys.getprofile()
    sys.setprofile(returned)
    try:
        yield
    finally:
        sys.setprofile(before)


def live(trace, mask):
    return None if mask is None else trace.row("live", (1,))


def own(cell, name):
    """Output for what a step keeps under `name`: a cell's own h is not the state h where that is clipped."""
    return f"own_{name}" if name in cell.states else name


def flatten(da, name, found):
    """Names for all arrays in da, in the same structure; they go into the dict `found`."""
    if isinstance(da, tuple):
        return tuple(flatten(part, f"{name}_{k}", found) for k, part in enumerate(da))
    found[name] = da
    return name


def finish(cell, trace, outputs, sizes, structure, projects, direction):
    """sizes: name -> units, of those outputs that must be states."""
    for name, value in outputs.items():
        if not isinstance(value, Traced) or value.lead != 1 or value.boolean or value.integer:
            raise Untraceable(f"{name} is not one row of real numbers for each sequence")
        if not name.isidentifier():
            raise Untraceable(f"{name!r} is no name in C")
    for name, n in sizes.items():
        if outputs[name].view.shape != (n,):
            raise Untraceable(f"{name} has shape {outputs[name].view.shape}, not {(n,)}")
    plan = make_plan({name: value.view for name, value in outputs.items()})
    if taken := {node.op for node in plan.kind("row")} & set(outputs):
        raise Untraceable(f"keeps something under the name {min(taken)!r}, which already means something else")
    code = print_c(direction, plan, f"{cell.name}, one step {direction}")
    shapes = {name: value.view.shape for name, value in outputs.items()}
    return Draft(plan, code, shapes, structure, projects, trace.constants)


def library(header, dtype, text=""):
    """What a header and a C text behind it make, for numbers of this dtype."""
    return load(f'#define REAL_IS_FLOAT {int(dtype == "float32")}\n#include "{header}"\n\n{text}')


def products(dtype):
    """The library of matrix products, which all kernels share."""
    return library("gemm.h", dtype)


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
        self.products.pack.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 4
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
            panel = np.empty(k * -(-n // width) * width, self.dtype)
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
        time, row = self.array.strides[:2]
        time = 0 if self.still else time
        return address(self.array) + self.shift * time, time, row, self.wrap


def address(array):
    return array.__array_interface__["data"][0]
