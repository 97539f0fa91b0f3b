"""Runs a compiled cell: the counterpart of `tinyrnn.core.steps.Plain`, with the same methods.

Kernels are made when they are first needed, one for each kind of tape (masked or not, …). Rows of the batch are shared
out among threads, which the interpreter lets run side by side while they are in compiled code; weight gradients, sums
over all rows, are taken in a fixed number of pieces. So the result is the same to the bit for any number of threads.
"""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import cache, partial

import numpy as np

from tinyrnn.compiler.buffers import Buffers
from tinyrnn.compiler.draft import draft_backward, draft_forward, is_strict
from tinyrnn.compiler.gpu import GpuKernel
from tinyrnn.compiler.gradients import PIECES, GradientsKernel, draft_gradients
from tinyrnn.compiler.kernels import Kernel, Over, obstacle
from tinyrnn.compiler.nodes import Untraceable
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.core.backend import cores, xp_of
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import is_index
from tinyrnn.core.steps import Plain, add_to
from tinyrnn.core.threads import ONE_THREAD

UNCOMPILED = "cells run as they stand in the source, uncompiled: {}"


class Compiled(Plain):
    """threads: how many to use, None for one per core that the process may use. wanted: somebody asked for it, and is
    told once what cannot be compiled. why_not: "forward", "backward" or "gradients" -> what keeps a kernel from being
    made, so that this part of the cell runs as it stands."""

    rows_per_chunk = 4096  # to be cut into PIECES

    def __init__(self, threads=None, wanted=False):
        self.threads, self.wanted = threads or cores(), wanted
        self.kernels = {}
        self.why_not = {}
        self.told = set()
        self.buffers = Buffers()

    def __reduce__(self):
        """A copy starts without kernels, which are loaded code."""
        return Compiled, (self.threads, self.wanted)

    def empty(self, shape, dtype, xp):
        """An array for a tape, not yet filled; NumPy's memory is used again when nobody refers to it any more."""
        return self.buffers.empty(shape, dtype) if xp is np else xp.empty(shape, dtype)

    def empty_chunk(self, tape, steps, shape, dtype, xp=np):
        """An array over some time steps (steps, B, …). However few they are, they get the memory of a whole chunk, so
        that it will do for the next one too."""
        T, B = tape.x.shape[:2]
        return self.empty((max(steps, self.chunk_size(T, B)), B, *shape), dtype, xp)[:steps]

    def kernel(self, direction, cell, tape, make, *details):
        """What `make()` returns, made once for each kind of tape, cell and details; None where there can be none."""
        dtype = dtype_of(tape)
        where = xp_of(tape.x).__name__
        if where not in ("numpy", "cupy") or dtype not in (np.float32, np.float64):
            return None
        key = direction, where, dtype, tape.mask is not None, is_index(tape.x), *attributes(cell), *details
        if key not in self.kernels:
            self.kernels[key] = self.made(direction, cell, make)
        return self.kernels[key]

    def made(self, direction, cell, make):
        """What `make()` returns; None where it cannot be made, and the reason is told and kept in `why_not`.

        A mistake of the compiler's own is raised where `is_strict()`.
        """
        try:
            return make()
        except NoCompiler as error:
            self.why_not[direction] = str(error)
            self.tell(UNCOMPILED.format(error))
        except Untraceable as error:
            self.why_not[direction] = str(error)
            self.tell(f"{cell.name}: {direction} runs as it stands in the source, uncompiled: the cell {error}")
        except Exception as error:  # a mistake of the compiler's own costs speed, not the result
            if is_strict():
                raise
            self.why_not[direction] = f"the compiler fails with {type(error).__name__}: {error}"
            self.tell(UNCOMPILED.format(self.why_not[direction]))

    def look_ahead(self, cell):
        """Say so where nothing of the cell will be compiled on this machine."""
        if type(next(iter(cell.params.values()))) is np.ndarray and (reason := obstacle(cell.dtype)):
            self.tell(UNCOMPILED.format(reason))

    def tell(self, text):
        """Warn whoever wanted the cell compiled, but not twice of the same."""
        if self.wanted and text not in self.told:
            self.told.add(text)
            warnings.warn(text, stacklevel=4)  # look_ahead, compile, and the line that calls it

    def step_kernel(self, direction, cell, tape, recorded=False):
        """The `Kernel` (or `GpuKernel`) of a direction, "forward" or "backward", for this kind of tape; or None."""

        def make():
            kind = Kernel if type(tape.x) is np.ndarray else GpuKernel
            if direction == "forward":
                return kind(draft_forward(cell, tape.p, tape.x, tape.mask), direction, dtype_of(tape))
            return kind(draft_backward(cell, tape.p, tape, recorded), direction, dtype_of(tape))

        return self.kernel(direction, cell, tape, make, recorded)

    def gradients_kernel(self, cell, tape, da, needs, inputs):
        """The `GradientsKernel` for this kind of tape, or None."""

        def make():
            draft = draft_gradients(cell, tape.p, tape.x, da, needs, inputs)
            return GradientsKernel(draft, "gradients", dtype_of(tape))

        return self.kernel("gradients", cell, tape, make, inputs)

    def forward_steps(self, cell, tape, chunk):
        """All time steps at once where the kernel projects the input itself, else `chunk`."""
        kernel = self.step_kernel("forward", cell, tape)
        return len(tape) if kernel is not None and kernel.draft.projects else chunk

    def forward(self, cell, tape, start, stop):
        """As `Plain.forward`, by the kernel where there is one."""
        kernel = self.step_kernel("forward", cell, tape)
        if kernel is None:
            return super().forward(cell, tape, start, stop)
        xp, (T, B), draft = xp_of(tape.x), tape.x.shape[:2], kernel.draft
        if "forward" not in tape.prepared:
            tape.prepared["forward"] = kernel.prepare(tape.p, self.threads)
            for name, shape in draft.outputs.items():
                if name not in cell.states:
                    kept = name.removeprefix("own_") if name.removeprefix("own_") in cell.states else name
                    tape.cache[kept] = self.empty((T, B, *shape), kernel.dtype, xp)
        arrays = given(tape)
        if not draft.projects:
            a = xp.ascontiguousarray(cell.project(tape.p, tape.x[start:stop]), kernel.dtype)
            if "a" in (*cell.step_needs, *cell.gradients_needs):
                tape.keep(slice(start, stop), {"a": a})
            arrays["a"] = Over(a, -start)
        for name, array in tape.states.items():
            arrays[f"{name}_prev"], arrays[name] = Over(array), Over(array, 1)
        for name in draft.outputs:
            if name not in cell.states:
                arrays[name] = Over(tape.cache[name.removeprefix("own_") if name not in tape.cache else name])
        kernel.run(tape.prepared["forward"], arrays, range(start, stop), B, self.threads)

    def backward(self, cell, tape, start, stop, dh, dstate, recorded):
        """As `Plain.backward`, by the kernel where there is one."""
        kernel = self.step_kernel("backward", cell, tape, recorded is not None)
        if kernel is None:
            return super().backward(cell, tape, start, stop, dh, dstate, recorded)
        xp, B, draft = xp_of(tape.x), tape.x.shape[1], kernel.draft
        if "backward" not in tape.prepared:
            tape.prepared["backward"] = kernel.prepare(tape.p, self.threads)
        arrays = given(tape)
        for name in cell.step_needs:
            arrays[f"tape_{name}"] = Over(inner_contiguous(tape.asked(cell, name)))
        if cell.clip_state is not None:
            arrays["clipped"], arrays["clip_scale"] = Over(tape[cell.states[0]]), Over(tape["clip_scale"])
        if dh is None:
            arrays["upstream"] = Over(xp.zeros((1, B, cell.output_size), kernel.dtype), still=True)
        else:
            arrays["upstream"] = Over(inner_contiguous(dh))
        pairs = {}
        for name, d in zip(cell.states, dstate, strict=True):
            pairs[name] = xp.empty((2, *d.shape), kernel.dtype)
            pairs[name][stop % 2] = d
            arrays[f"carried_d{name}"], arrays[f"d{name}_prev"] = Over(pairs[name], wrap=1), Over(pairs[name], wrap=2)
        das = {}
        for name, shape in draft.outputs.items():
            if name in named(draft.structure):
                das[name] = self.empty_chunk(tape, stop - start, shape, kernel.dtype, xp)
                arrays[name] = Over(das[name], -start)
        for name, array in (recorded or {}).items():
            arrays[f"total_d{name}"] = Over(array)
        kernel.run(tape.prepared["backward"], arrays, range(stop - 1, start - 1, -1), B, self.threads)
        return arranged(draft.structure, das), [pair[start % 2] for pair in pairs.values()]

    def gradients(self, cell, tape, start, stop, da, needs, dparams, inputs=True):
        """As `Plain.gradients`: by the kernel, or in pieces on several threads that are added up in a fixed order."""
        xp = xp_of(tape.x)
        now = {name: values[start:stop] for name, values in needs.items()}
        kernel = self.gradients_kernel(cell, tape, da, now, inputs) if xp is np else None
        if kernel is not None:
            if kernel not in tape.prepared:
                tape.prepared[kernel] = kernel.prepare(tape.p, self.threads)
            empty = partial(self.empty_chunk, tape, stop - start, dtype=kernel.dtype)
            return kernel.add(dparams, tape.prepared[kernel], tape.x[start:stop], da, now, empty, self.threads)
        pieces = min(PIECES, max(1, (stop - start) // 2)) if cell.chunked and xp is np else 1
        cuts = [start + (stop - start) * k // pieces for k in range(pieces + 1)]

        def piece(k):
            a, b = cuts[k], cuts[k + 1]
            now = {name: values[a:b] for name, values in needs.items()}
            return cell.gradients(tape.p, tape.x[a:b], part(da, a - start, b - start), **now)

        results = self.map(piece, range(pieces))
        for _, d in results:  # in order, whichever was ready first
            add_to(dparams, d)
        return xp.concat([dx for dx, _ in results]) if inputs and results[0][0] is not None else None

    def map(self, function, *arguments):
        """The results of function(*one of each), shared out; this thread takes whatever no other has begun."""
        calls = list(zip(*arguments, strict=True))
        if self.threads == 1 or len(calls) == 1:
            return [function(*call) for call in calls]
        # in the caller's context: whether NumPy may warn of what is not finite is for the caller to say
        futures = [pool(self.threads - 1).submit(copy_context().run, function, *call) for call in calls[1:]]
        mine = {0: function(*calls[0])}
        for k in reversed(range(1, len(calls))):
            if futures[k - 1].cancel():
                mine[k] = function(*calls[k])
        return [mine[k] if k in mine else futures[k - 1].result() for k in range(len(calls))]

    def session(self, cell, x):
        """While it is open, the matrix library keeps to one thread: the threads here are ours. Where all of the cell is
        known to run compiled, that library has nothing to do."""
        everything = len({direction for direction, *_ in self.kernels}) == 3 and not self.why_not
        return nullcontext() if everything and type(cell).derive is Cell.derive else ONE_THREAD


def dtype_of(tape):
    """The dtype of a tape's first state."""
    return next(iter(tape.states.values())).dtype


def attributes(cell):
    """A cell's own numbers and words, such as a rate: they are constants in a kernel, so another rate needs another."""
    return tuple((name, v) for name, v in vars(cell).items() if isinstance(v, int | float | str | None))


def given(tape):
    """The input and the mask as kernels read them."""
    if "given" not in tape.prepared:
        arrays = {"x": Over(inner_contiguous(tape.x[..., None].astype(np.int64) if is_index(tape.x) else tape.x))}
        if tape.mask is not None:
            arrays["live"] = Over(tape.mask[..., None].astype(next(iter(tape.states.values())).dtype))
        tape.prepared["given"] = arrays
    return dict(tape.prepared["given"])


def inner_contiguous(array):
    """The array itself if each row's numbers lie side by side, else a copy."""
    return array if array[0, 0].flags.c_contiguous else xp_of(array).ascontiguousarray(array)


def arranged(structure, arrays):
    """Arrays in the place of their names; structure: a name, or nested tuples of names."""
    if isinstance(structure, tuple):
        return tuple(arranged(part, arrays) for part in structure)
    return arrays[structure]


def named(structure):
    """All names in it."""
    return {name for part in structure for name in named(part)} if isinstance(structure, tuple) else {structure}


def part(da, start, stop):
    """Steps `start` up to `stop` of da, an array or nested tuples of arrays over time."""
    return tuple(part(d, start, stop) for d in da) if isinstance(da, tuple) else da[start:stop]


@cache
def pool(threads):
    """A `ThreadPoolExecutor` with this many threads; always the same one for the same number."""
    return ThreadPoolExecutor(threads, thread_name_prefix="tinyrnn")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: pool.cache_clear())  # threads do not survive a fork
