"""A network's readout and loss, compiled: forward and backward pass of each row in one go, from the sources of both.

Whatever is told of a loss to the layer below is its gradient times a number, so both passes can be done while a row is
at hand: neither softmax nor one-hot rows nor anything else of the batch's size is ever written to memory.
"""

import numpy as np

from tinyrnn.compiler.draft import traced_source
from tinyrnn.compiler.functions import Namespace
from tinyrnn.compiler.gradients import RowsKernel, draft_rows
from tinyrnn.compiler.nodes import Max, Untraceable
from tinyrnn.compiler.runner import Compiled, attributes
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.compiler.totals import Total
from tinyrnn.compiler.trace import Trace
from tinyrnn.compiler.traced import ROWS, Traced
from tinyrnn.core.cell import Params

ROWS_AT_ONCE = 64  # that are taken from h to dh at a time; their losses are added up in the precision of y


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

    def arange(self, n, dtype=None):
        """0, 1, … as real numbers, if they are not to be others."""
        return np.arange(n, dtype=dtype or self.trace.dtype)

    def sum(self, z, axis=None, keepdims=False):
        """As `Namespace.sum`; without an axis, over each row and then over all rows."""
        if axis is not None or keepdims:
            return z.sum(axis, keepdims)
        while z.ndim > 1:
            z = z.sum(-1)
        return z.sum(0)


class LossTrace(Trace):
    """A trace that knows the number of rows as something to be handed over: 1/(n D) is `share` / D."""

    def __init__(self, dtype, checked):
        super().__init__(dtype)
        self.checked = checked
        self.namespace = OfLoss(self)
        self.share = self.param("share", np.zeros((), dtype))
        self.y = None  # known when the readout has been traced

    def wrap(self, value):
        """As `Trace.wrap`, and the share of one row in the mean."""
        if isinstance(value, float) and 0 < value < 2 / ROWS and value == 1 / (ROWS * (D := round(1 / value / ROWS))):
            return self.share / D if D > 1 else self.share
        return super().wrap(value)


def draft_top(readout, loss, target_width, dtype, outputs):
    """The kernel's draft of a readout and a `Loss` on rows h, or raises Untraceable.

    target_width: numbers of a row of the target; None where it is one class number, which lies there as a real one.
    outputs: whether the readout's y is written.
    """
    trace = LossTrace(dtype, loss.forward.__module__.startswith("tinyrnn."))
    h = trace.row("h", (readout.input_size,))
    target = trace.row("target", (target_width or 1,))
    if target_width is None:
        target = Traced(trace, target[..., 0].view, 1, integer=True)
    with traced_source():
        weights = {name: trace.param(name, array) for name, array in readout.weights.items()}
        twin = readout.with_weights(Params(weights))
        trace.y, kept = twin.forward(h)
        value, cache = loss.forward(trace.y, target)
        dy = loss.backward(cache)
        dh, totals = twin.backward(dy, kept)
    fits = isinstance(value, Total) and value.shape == () and value.value is not None and not value.products
    if not fits or not isinstance(dh, Traced) or dh.shape != h.shape:
        raise Untraceable("is no sum over rows, or its gradient not like h")
    views = {"dh": dh.view} | ({"y": trace.y.view} if outputs else {})
    title = f"{type(readout).__name__} and {loss.name}, forward and backward"
    return draft_rows("top", title, views, {"loss": value, **totals}, trace)


class TopKernel(RowsKernel):
    """A readout and a loss."""

    def gradients(self, weights, h, target, empty, threads):
        """(loss, y or None, dh, the readout's gradients) of rows h (n, units) and target: reals (n, …).

        weights: the readout's. empty: shape -> array.
        """
        rows = len(h)
        prepared = self.prepare({**weights, "share": np.array(1 / rows, self.dtype)}, threads)
        arrays = {"h": h, "target": target}
        arrays |= {name: empty((rows, *shape)) for name, shape in self.draft.outputs.items()}
        found = self.add_up(prepared, arrays, rows, -(-rows // ROWS_AT_ONCE), threads)
        loss = sum(float(part) for part in found.pop("loss"))  # in double precision
        return loss, arrays.get("y"), arrays["dh"], {name: added(parts) for name, parts in found.items()}


def added(parts):
    """Arrays that are ours, added up in order."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total


class Top:
    """What stands above a network's layers, its readout and loss, run compiled."""

    def __init__(self, threads=None):
        self.runner, self.kernels = Compiled(threads), {}

    def __reduce__(self):
        """A copy starts without kernels, which are loaded code."""
        return Top, (self.runner.threads,)

    def kernel(self, readout, loss, target_width, dtype, outputs):
        """The `TopKernel`, made when it is first asked for; None where there can be none."""
        key = type(readout), *attributes(readout), loss.forward, loss.backward, target_width, dtype, outputs
        if key not in self.kernels:
            try:
                draft = draft_top(readout, loss, target_width, dtype, outputs)
                self.kernels[key] = TopKernel(draft, "top", dtype)
            except (Untraceable, NoCompiler):  # it runs as it stands
                self.kernels[key] = None
        return self.kernels[key]

    def gradients(self, readout, loss, h, target, outputs=True):
        """(loss, y, dh, the readout's gradients) of h (..., n), all targets counting; None where that cannot be done,
        be it that an argument is wrong. outputs: whether y is wanted, else it is None."""
        if not self.fits(readout, loss, h, target):
            return None
        target_width = None if loss.classes else target.shape[-1]
        kernel = self.kernel(readout, loss, target_width, h.dtype, outputs)
        if kernel is None:
            return None
        rows = np.ascontiguousarray(h).reshape(-1, h.shape[-1])
        wanted = np.ascontiguousarray(target.reshape(len(rows), -1), h.dtype)

        def empty(shape):
            return self.runner.empty(shape, h.dtype, np)

        value, y, dh, dparams = kernel.gradients(readout.weights, rows, wanted, empty, self.runner.threads)
        y = y if y is None else y.reshape(*h.shape[:-1], -1)
        return value, y, dh.reshape(h.shape), dparams

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
