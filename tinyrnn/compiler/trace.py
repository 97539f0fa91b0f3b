"""Runs a cell's source on symbolic arrays and writes down what it does: the compiler's front end.

A cell asks its arrays which module to compute with (`xp_of`), so it can be handed arrays that compute nothing but note
every operation. What comes out is a graph for *one row* of the batch at *one time step*: rows do not see each other
within a step, and that is the one thing assumed. Whatever cannot be noted down (a branch on a value, an operation that
mixes rows, an unknown function) raises `Untraceable`, and the cell is run as it stands.

`Traced` is the array that the cell sees, a `View` into the result of a `Node`. Slices and flips of a sum become sums
of slices and flips, so `split(a + h @ W, 4)` costs nothing and each gate reads its own part.
"""

import numpy as np

from tinyrnn.compiler.functions import Namespace
from tinyrnn.compiler.nodes import (
    Elementwise,
    Given,
    Input,
    Join,
    Param,
    Pick,
    Product,
    Untraceable,
    View,
    broadcast_shapes,
    strides_of,
)
from tinyrnn.compiler.totals import SMALL
from tinyrnn.compiler.traced import ROWS, Traced


class Trace:
    """The nodes noted down so far; the same operation on the same operands is one node."""

    def __init__(self, dtype="float64"):
        self.dtype = dtype
        self.namespace = Namespace(self)
        self.known = {}
        self.orders = {}  # node -> the integers that it stands for
        self.constants = {}  # arrays that the cell brought along itself, name -> array

    def node(self, kind, args, shape, rows=True, *, op="", name="", boolean=False):
        """The node of this kind, a class."""
        key = (kind, op, args, shape, name if issubclass(kind, Given) else "")
        if key not in self.known:
            self.known[key] = kind(op, args, shape, rows, boolean, name)
        return self.known[key]

    def row(self, name, shape, lead=1):
        """An input that has one row for each of the batch."""
        return Traced(self, self.node(Input, (), shape, name=name).view(), lead)

    def param(self, name, array):
        """An array that is the same for all rows."""
        node = self.node(Param, (), array.shape, rows=False, name=name, boolean=array.dtype.kind in "iub")
        if array.dtype.kind in "iu":
            self.orders[node] = array
        return Traced(self, node.view(), 0, integer=array.dtype.kind in "iu")

    def wrap(self, value):
        """A `Traced`, or a number, for whatever stands in an expression."""
        if isinstance(value, Traced):
            return value
        if isinstance(value, (int, float, np.bool_, np.number)) and not isinstance(value, complex | np.complexfloating):
            if value in (ROWS, 1 / ROWS):
                raise Untraceable("computes with the number of rows")
            return float(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            if value.size == 1 and value.dtype.kind == "f":
                return float(value.reshape(()))
            name = f"constant_{len(self.constants)}"
            self.constants[name] = value
            return self.param(name, value)
        raise Untraceable(f"does not compute with {type(value).__name__}")

    def apply(self, op, *values, boolean=False):
        """An elementwise operation; the operands are broadcast."""
        values = [self.wrap(v) for v in values]
        arrays = [v for v in values if isinstance(v, Traced)]
        lead = max(v.lead for v in arrays)
        if op == "add" and len(arrays) == 2 and all(v.boolean for v in arrays):
            return self.apply("or", *values, boolean=True)
        folded = self.fold(op, values)
        if folded is not None:
            return folded
        if lead:
            values = [v.beside(arrays) if isinstance(v, Traced) else v for v in values]
            arrays = [v for v in values if isinstance(v, Traced)]
        shape = broadcast_shapes(v.view.shape for v in arrays)
        args = tuple(v.view.broadcast(shape) if isinstance(v, Traced) else v for v in values)
        return Traced(self, self.operation(op, args, shape, lead > 0, boolean), lead)

    def operation(self, op, args, shape, rows, boolean):
        """The view of an elementwise operation on views of one shape. Its node does without axes of length 1."""
        within = tuple(a.squeezed() if isinstance(a, View) else a for a in args)
        node = self.node(Elementwise, within, tuple(n for n in shape if n > 1), rows, op=op, boolean=boolean)
        strides = iter(strides_of(node.shape))
        return View(node, shape, tuple(0 if n == 1 else next(strides) for n in shape), 0)

    def fold(self, op, values):
        """What needs no operation: x + 0, x * 1; and sums of matrix products, which are one product in the end."""
        a, b = [*values, None][:2]
        neutral = {"add": 0.0, "mul": 1.0}.get(op)
        for number, other in ((a, b), (b, a)):
            if isinstance(number, float) and number == neutral and not other.boolean:
                return other
        if op == "add" and isinstance(a, Traced) and isinstance(b, Traced):
            for one, other in ((a, b), (b, a)):
                if not one.is_product:
                    continue
                if other.is_product and one.shape == other.shape:
                    return self.merged(one, other)
                node = other.view.node
                if isinstance(node, Elementwise) and node.op == "add" and other.view.as_made:
                    terms = [Traced(self, v, int(v.node.rows)) if isinstance(v, View) else v for v in node.args]
                    for k, term in enumerate(terms):
                        if isinstance(term, Traced) and term.is_product and term.view.shape == one.view.shape:
                            return self.apply("add", self.merged(term, one), terms[1 - k]).led(other.lead)
        return None

    def merged(self, a, b):
        """The sum of two products as one node, the `Product` of all their pairs."""
        args = a.view.node.args + b.view.node.args
        return Traced(self, self.node(Product, args, a.view.shape).view(), max(a.lead, b.lead))

    def matmul(self, x, W):
        """Rows times a matrix of weights. Products with very few terms or results are written out."""
        x, W = self.wrap(x), self.wrap(W)
        if not (isinstance(x, Traced) and isinstance(W, Traced)) or x.lead == 0 or W.lead or len(W.view.shape) != 2:
            raise Untraceable("knows products of rows with a matrix of weights only")
        k, n = W.view.shape
        if x.view.shape != (k,):
            raise Untraceable(f"shapes {x.view.shape} and {(k, n)} do not fit")
        if k <= SMALL:
            terms = [x[..., i : i + 1] * W[i] for i in range(k)]
            return sum(terms[1:], terms[0])
        if n <= SMALL:
            return self.join([(x * W[:, j]).sum(axis=-1, keepdims=True) for j in range(n)])
        if not isinstance(W.view.node, Param):
            raise Untraceable("knows products with parameters and derived weights only, not with computed ones")
        x = self.apply("copy", x) if isinstance(x.view.node, Pick) else x.stored()
        node = self.node(Product, ((x.view, W.view),), (n,))
        return Traced(self, node.view(), x.lead)

    def join(self, parts):
        """Parts (N,) put into one row; without copying where they are a node taken apart. May raise Untraceable."""
        parts = [self.wrap(part) for part in parts]
        lead = max(part.lead for part in parts)
        first = parts[0].view
        if all(p.view.node is first.node and p.view.contiguous for p in parts) and first.offset == 0:
            ends = [p.view.offset + p.size for p in parts]
            if [0, *ends[:-1]] == [p.view.offset for p in parts] and ends[-1] == first.node.size:
                return Traced(self, View(first.node, (first.node.size,), (1,), 0), lead)  # taken apart and put together
        if any(len(part.view.shape) != 1 for part in parts):
            raise Untraceable("joins rows of numbers along the last axis only")
        shape = (sum(p.view.shape[-1] for p in parts),)
        node = self.node(Join, tuple(p.view for p in parts), shape, lead > 0)
        return Traced(self, node.view(), lead)
