"""The array that a traced cell sees: it computes nothing, but has every operation noted down."""

import math
from dataclasses import dataclass

import numpy as np

from tinyrnn.compiler.nodes import Elementwise, Param, Pick, Product, Sum, Untraceable, View, look, strides_of
from tinyrnn.compiler.totals import Transposed, summed

ROWS = 1_000_003  # stands for the number of rows where a cell asks for a shape


@dataclass(eq=False)
class Traced:
    """A symbolic array: `lead` batch axes (2 in `project`, 1 in a step, 0 for weights) before those of the view."""

    trace: object
    view: View
    lead: int
    integer: bool = False
    __array_ufunc__ = None  # NumPy's own arrays leave mixed expressions to us
    real = property(lambda self: self)
    boolean = property(lambda self: self.view.node.boolean and not self.integer)
    is_product = property(lambda self: isinstance(self.view.node, Product) and self.view.whole)
    ndim = property(lambda self: len(self.shape))

    @property
    def shape(self):
        """The shape that the cell sees: `lead` axes of `ROWS`, then those of one row."""
        return (ROWS,) * self.lead + self.view.shape

    @property
    def size(self):
        """How many numbers it has for one row."""
        return math.prod(self.view.shape)

    @property
    def dtype(self):
        """int64, bool, or the dtype of the trace."""
        return np.dtype("int64" if self.integer else "bool" if self.boolean else self.trace.dtype)

    def __array_namespace__(self):
        return self.trace.namespace

    def led(self, lead):
        """The same with another number of batch axes."""
        return Traced(self.trace, self.view, lead, self.integer)

    def looking(self, view):
        """Another look at the same memory."""
        return Traced(self.trace, view, self.lead, self.integer)

    def beside(self, others):
        """The same to be broadcast with `others`, some of which have batch axes: these must not meet any other axis."""
        axes = max(len(v.view.shape) for v in others if v.lead)
        extra = len(self.view.shape) - axes
        if (self.lead and extra) or (extra > 0 and any(n != 1 for n in self.view.shape[:extra])):
            raise Untraceable("broadcasts the batch against another axis")
        return self if extra <= 0 else self[(0,) * extra]

    def stored(self):
        """The same as a look at memory, one element after the other."""
        return self if self.view.contiguous else self.trace.apply("copy", self)

    def __bool__(self):
        raise Untraceable("branches on a value")

    def __iter__(self):
        if self.lead:
            raise Untraceable("goes through the batch row by row")
        return (self[k] for k in range(self.view.shape[0]))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        if isinstance(key, Traced):
            return self.picked(key)
        key = key if isinstance(key, tuple) else (key,)
        used = sum(k is not None and k is not Ellipsis for k in key)
        if Ellipsis not in key:
            key = (*key, Ellipsis)
        at = key.index(Ellipsis)
        key = key[:at] + (slice(None),) * (len(self.shape) - used) + key[at + 1 :]
        batch, rest = key[: self.lead], key[self.lead :]
        if any(k != slice(None) for k in batch):
            raise Untraceable("looks at single rows or time steps")
        return Traced(self.trace, self.sliced(self.view, rest), self.lead, self.integer)

    def sliced(self, view, key):
        """The `View` of a slice; of an elementwise result only the slice is computed, from slices of what it reads."""
        node = view.node
        if not isinstance(node, Elementwise) or not view.as_made:
            return look(view, key)
        stretched = [a.stretched(view.shape) if isinstance(a, View) else a for a in node.args]
        args = tuple(self.sliced(a, key) if isinstance(a, View) else a for a in stretched)
        shape = next(a.shape for a in args if isinstance(a, View))
        return self.trace.operation(node.op, args, shape, node.rows, node.boolean)

    def picked(self, index):
        """`W[x]`: a row of the weights for each class number."""
        is_matrix = (
            self.lead == 0 and isinstance(self.view.node, Param) and len(self.view.shape) == 2 and self.view.whole
        )
        if not index.integer or index.lead == 0 or not is_matrix:
            raise Untraceable("looks up other things than rows of a matrix")
        node = self.trace.node(Pick, (self.view, index.view), self.view.shape[1:])
        return Traced(self.trace, node.view(), index.lead)

    @property
    def T(self):
        """Rows transposed, for a product over all rows, or a matrix of weights; Untraceable for any other."""
        if self.lead == 1:
            return Transposed(self)
        if self.lead or len(self.view.shape) != 2:
            raise Untraceable("transposes other things than matrices of weights and rows")
        v = self.view
        return self.looking(View(v.node, v.shape[::-1], v.strides[::-1], v.offset))

    def reshape(self, *shape):
        """As NumPy's, within a row, or (T, B, …) to (T B, …) and back; Untraceable where rows would join other axes."""
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        lead = self.lead
        if lead and shape[0] == -1 and math.prod(shape[1:]) == self.size:
            lead = 1  # the rows of all time steps, one after the other
        elif lead == 1 and shape[:2] == (ROWS, ROWS):
            lead = 2  # and back again
        elif shape[:lead] != (ROWS,) * lead:
            raise Untraceable("joins rows with other axes")
        shape = tuple(shape[lead:])
        if -1 in shape:
            rest = math.prod(n for n in shape if n != -1)
            shape = tuple(self.size // rest if n == -1 else n for n in shape)
        if math.prod(shape) != self.size:
            raise Untraceable(f"shape {self.view.shape} does not fit {shape}")
        view = self.stored().view
        return self.looking(View(view.node, shape, strides_of(shape), view.offset)).led(lead)

    def sum(self, axis=None, keepdims=False):
        """Of rows: over the last axis, or over all of them (a `Total`); Untraceable for anything else."""
        over_rows = [tuple(range(self.lead))] + [0] * (self.lead == 1)
        if self.lead and axis in over_rows and not keepdims:
            return summed(self)
        if self.lead == 0 or self.view.shape == () or axis not in (-1, self.ndim - 1):
            raise Untraceable("sums over other axes than the last one")
        view = self.view
        node = self.trace.node(Sum, (view,), (*view.shape[:-1], 1))
        result = Traced(self.trace, node.view(), self.lead)
        return result if keepdims else result[..., 0]

    def astype(self, dtype, copy=True):
        """As floating-point numbers of the trace's dtype; Untraceable for any other kind."""
        if np.dtype(dtype).kind != "f":
            raise Untraceable(f"converts to {np.dtype(dtype)}")
        return self * 1.0 if not self.boolean else self.trace.apply("real", self)

    def __matmul__(self, other):
        return self.trace.matmul(self, other)

    def __rmatmul__(self, other):
        return self.trace.matmul(other, self)

    def __neg__(self):
        return self.trace.apply("neg", self)

    def __abs__(self):
        return self.trace.apply("abs", self)

    def __invert__(self):
        return self.trace.apply("not", self, boolean=True)

    def __pow__(self, power):
        if power == 2:
            return self * self
        if power == 0.5:
            return self.trace.apply("sqrt", self)
        raise Untraceable(f"raises to the power {power!r}")

    def refuse(self, *_):
        """Raises Untraceable: nothing may be changed in place."""
        raise Untraceable("changes an array in place")

    __setitem__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = refuse


def operator(op, swapped=False, boolean=False):
    """A method that notes the operation of two arrays; swapped: with self as the second one."""

    def method(self, other):
        values = (other, self) if swapped else (self, other)
        return self.trace.apply(op, *values, boolean=boolean)

    return method


for op, name in {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv"}.items():
    setattr(Traced, f"__{name}__", operator(op))
    setattr(Traced, f"__r{name}__", operator(op, swapped=True))
for op in ("lt", "le", "gt", "ge", "eq", "ne", "and", "or"):
    setattr(Traced, f"__{op}__", operator(op, boolean=True))
Traced.__hash__ = object.__hash__  # type: ignore[method-assign]
