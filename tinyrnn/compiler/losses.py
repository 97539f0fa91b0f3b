"""A loss, compiled: forward and backward pass of each row in one go, from the source of both.

Whatever is told of a loss to the next layer is its gradient times a number, so both passes can be done while a row is
at hand: neither softmax nor one-hot rows nor anything else of the batch's size is ever written to memory.
"""

import numpy as np

from tinyrnn.compiler.draft import make_draft, traced_source
from tinyrnn.compiler.functions import Namespace
from tinyrnn.compiler.gradients import pieces_of
from tinyrnn.compiler.kernels import Kernel, Over, address
from tinyrnn.compiler.nodes import Max, Untraceable
from tinyrnn.compiler.runner import Compiled
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.compiler.totals import Total
from tinyrnn.compiler.trace import Trace
from tinyrnn.compiler.traced import ROWS, Traced
from tinyrnn.core.steps import add_to
from tinyrnn.core.threads import ONE_THREAD

ROWS_AT_ONCE = 64  # whose losses are added up in the precision of y
WORTH_THREADS = 2**24  # multiplications in the product of rows and readout


class OfLoss(Namespace):
    """What a loss computes with: also the largest of a row, ones for each row, and a sum over all there is."""

    def any(self, z, axis=None):
        """False where the loss is one of ours: it asks whether a target is wrong or not to count, which is known by
        then. Untraceable in any other."""
        if not self.trace.checked:
            raise Untraceable("calls any")
        return False

    def max(self, z, axis=None, keepdims=False):
        """Over the last axis; Untraceable for any other."""
        if axis not in (-1, z.ndim - 1) or z.view.shape == ():
            raise Untraceable("takes the largest along other axes than the last one")
        node = self.trace.node(Max, (z.view,), (*z.view.shape[:-1], 1))
        largest = Traced(self.trace, node.view(), z.lead)
        return largest if keepdims else largest[..., 0]

    def ones(self, shape, dtype=None):
        """Ones for each row, or for all numbers of a row."""
        like = next((z for z in (self.trace.y, self.trace.y[..., 0]) if z.shape == tuple(shape)), None)
        if like is None:
            raise Untraceable(f"makes ones of shape {shape}")
        return self.trace.apply("one", like)

    def arange(self, n):
        """0, 1, … as real numbers."""
        return np.arange(n, dtype=self.trace.dtype)

    def sum(self, z, axis=None, keepdims=False):
        """As `Namespace.sum`; without an axis, over each row and then over all rows."""
        if axis is not None or keepdims:
            return z.sum(axis, keepdims)
        while z.ndim > 1:
            z = z.sum(-1)
        return z.sum(0)


class LossTrace(Trace):
    """A trace that knows the number of rows as something to be handed over: 1/(n D) is `share` / D."""

    def __init__(self, dtype, width, checked):
        super().__init__(dtype)
        self.checked = checked
        self.namespace = OfLoss(self)
        self.y = self.row("y", (width,))
        self.share = self.param("share", np.zeros((), dtype))

    def wrap(self, value):
        """As `Trace.wrap`, and the share of one row in the mean."""
        if isinstance(value, float) and 0 < value < 2 / ROWS and value == 1 / (ROWS * (D := round(1 / value / ROWS))):
            return self.share / D if D > 1 else self.share
        return super().wrap(value)


def draft_loss(loss, width, target_width, dtype):
    """The kernel's draft of a `Loss` on rows of so many numbers, or raises Untraceable.

    target_width: numbers of a row of the target; None where it is one class number, which lies there as a real one.
    """
    trace = LossTrace(dtype, width, loss.forward.__module__.startswith("tinyrnn."))
    target = trace.row("target", (target_width or 1,))
    if target_width is None:
        target = Traced(trace, target[..., 0].view, 1, integer=True)
    with traced_source():
        value, cache = loss.forward(trace.y, target)
        dy = loss.backward(cache)
    fits = isinstance(value, Total) and value.shape == () and value.value is not None and not value.products
    if not fits or not isinstance(dy, Traced) or dy.shape != trace.y.shape:
        raise Untraceable("is no sum over rows, or its gradient not like y")
    views = {"dy": dy.view, "sum_loss": value.value.view}
    return make_draft("loss", f"{loss.name}, forward and backward", views, trace, ["sum_loss"])


class LossKernel(Kernel):
    """A compiled loss."""

    def __init__(self, loss, width, target_width, dtype):
        super().__init__(draft_loss(loss, width, target_width, dtype), "loss", dtype)

    def ready(self, rows):
        """What the kernel reads beside a batch of so many rows, for `run_on`."""
        return self.prepare({"share": np.array(1 / rows, self.dtype)})

    def run_on(self, ready, y, target):
        """(Their part of the loss, its gradient) for rows y (n, width); target: reals (n, …)."""
        total, dy = np.zeros((1, 1, 1), self.dtype), np.empty_like(y)
        rows = {"y": y, "target": target, "dy": dy}
        arrays = {name: Over(array[None], still=True) for name, array in rows.items()} | {"sum_loss": Over(total)}
        table = np.array([arrays[name].entry() for name in self.draft.code.arrays], np.int64)
        scratch = np.empty(self.draft.code.scratch + 1, self.dtype)
        loss, table[self.draft.code.arrays.index("sum_loss"), 2] = 0.0, 0  # all rows add to the same number
        for first in range(0, len(y), ROWS_AT_ONCE):  # which are added up in double precision
            total[...] = 0
            last = min(first + ROWS_AT_ONCE, len(y))
            self.function(address(table), *ready.addresses, address(scratch), 0, 1, 1, first, last)
            loss += float(total[0, 0, 0])
        return loss, dy


class Top:
    """A network's readout and loss, forward and backward, in pieces of rows that are shared out among threads where it
    is large: with 2400 rows, 128 units and 10 classes, two threads wait for the interpreter longer than they compute.

    The pieces depend on the sizes alone, so that the result is the same to the bit for any number of threads.
    """

    def __init__(self, threads=None):
        self.runner, self.kernels = Compiled(threads), {}

    def __reduce__(self):
        """A copy starts without kernels, which are loaded code."""
        return Top, (self.runner.threads,)

    def kernel(self, loss, width, target_width, dtype):
        """The `LossKernel`, made when it is first asked for; None where there can be none."""
        key = loss.forward, loss.backward, width, target_width, dtype
        if key not in self.kernels:
            try:
                self.kernels[key] = LossKernel(loss, width, target_width, dtype)
            except (Untraceable, NoCompiler):  # it runs as it stands
                self.kernels[key] = None
        return self.kernels[key]

    def gradients(self, readout, loss, h, target, outputs=True):
        """(loss, y, dh, the readout's gradients) of h (..., n), all targets counting; None where that cannot be done,
        be it that an argument is wrong. outputs: whether y is wanted, else it is None."""
        if not self.fits(readout, loss, h, target):
            return None
        width, target_width = readout.output_size, None if loss.classes else target.shape[-1]
        kernel = self.kernel(loss, width, target_width, h.dtype)
        if kernel is None:
            return None
        rows = h.reshape(-1, h.shape[-1])
        wanted = np.ascontiguousarray(target.reshape(len(rows), -1), h.dtype)
        is_small = rows.size * width < WORTH_THREADS
        pieces, ready = 1 if is_small else pieces_of(len(rows)), kernel.ready(len(rows))
        cuts = [len(rows) * k // pieces for k in range(pieces + 1)]
        dh = self.runner.empty(rows.shape, h.dtype, np)
        all_y = self.runner.empty((len(rows), width), h.dtype, np) if outputs else None

        def piece(first, last):
            y, kept = readout.forward(rows[first:last])
            part, dy = kernel.run_on(ready, y, wanted[first:last])
            if outputs:
                all_y[first:last] = y
            dh[first:last], dparams = readout.backward(dy, kept)
            return part, dparams

        with ONE_THREAD:
            parts, dparams = zip(*self.runner.map(piece, cuts[:-1], cuts[1:]), strict=True)
        total = dparams[0]
        for d in dparams[1:]:
            add_to(total, d)
        y = all_y.reshape(*h.shape[:-1], width) if outputs else None
        return sum(parts), y, dh.reshape(h.shape), total

    def fits(self, readout, loss, h, target):
        """Whether these are what a kernel can read, and every target counts."""
        if type(h) is not np.ndarray or type(target) is not np.ndarray or h.dtype not in (np.float32, np.float64):
            return False
        if readout.dtype != h.dtype or h.size == 0:
            return False
        if not loss.classes:
            return target.dtype.kind in "fiu" and target.ndim == h.ndim and target.shape[:-1] == h.shape[:-1]
        is_class = target.dtype.kind in "iu" and target.shape == h.shape[:-1]
        return is_class and target.min() >= 0 and target.max() < readout.output_size
