"""Runs a cell's source on symbolic arrays and writes down what it does: the compiler's front end.

A cell asks its arrays which module to compute with (`xp_of`), so it can be handed arrays that compute nothing but note
every operation. What comes out is a graph for *one row* of the batch at *one time step*: rows do not see each other
within a step, and that is the one thing assumed. Whatever cannot be noted down (a branch on a value, an operation that
mixes rows, an unknown function) raises `Untraceable`, and the cell is run as it stands.

`Traced` is the array that the cell sees, a `View` into the result of a `Node`. Slices and flips of a sum become sums
of slices and flips, so `split(a + h @ W, 4)` costs nothing and each gate reads its own part.
"""

import math
from dataclasses import dataclass

import numpy as np

ROWS = 1_000_003  # stands for the number of rows where a cell asks for a shape
SMALL = 4  # products with so few terms, or results, are written out rather than done as matrix products


class Untraceable(Exception):
    """The cell does something that the compiler does not know."""


@dataclass(eq=False)
class Node:
    """One operation. kind: "row" (an input, one row of it), "param", "op", "matmul", "sum", "join", "gather", "pick" or
    "fourier"; op: which operation; args: `View`s and numbers; shape: of the result, for one row."""

    kind: str
    op: str
    args: tuple
    shape: tuple
    rows: bool  # whether it differs from row to row
    boolean: bool = False
    name: str = ""

    @property
    def size(self):
        return math.prod(self.shape)

    def view(self):
        return View(self, self.shape, strides_of(self.shape), 0)


@dataclass(frozen=True)
class View:
    """A strided look at the result of a node, as NumPy's views are, counted in elements."""

    node: Node
    shape: tuple
    strides: tuple
    offset: int

    @property
    def whole(self):
        """Whether it is all of the node's values in their order, in whatever shape."""
        return self.offset == 0 and math.prod(self.shape) == self.node.size and self.contiguous

    @property
    def as_made(self):
        """Whether it is the node's result as it is, but for axes of length 1."""
        return self.whole and [n for n in self.shape if n > 1] == [n for n in self.node.shape if n > 1]

    def squeezed(self):
        """Without axes of length 1."""
        axes = [k for k, n in enumerate(self.shape) if n > 1]
        return View(self.node, tuple(self.shape[k] for k in axes), tuple(self.strides[k] for k in axes), self.offset)

    def stretched(self, shape):
        """The squeezed view with the axes of length 1 that `shape` has."""
        strides = iter(self.strides)
        return View(self.node, shape, tuple(0 if n == 1 else next(strides) for n in shape), self.offset)

    @property
    def contiguous(self):
        return all(a == b for a, b, n in zip(self.strides, strides_of(self.shape), self.shape, strict=True) if n > 1)

    def broadcast(self, shape):
        missing = len(shape) - len(self.shape)
        own = (1,) * missing + self.shape
        if missing < 0 or any(n not in (1, m) for n, m in zip(own, shape, strict=True)):
            raise Untraceable(f"shapes {self.shape} and {shape} do not fit")
        strides = (0,) * missing + self.strides
        kept = tuple(0 if n == 1 else s for n, s in zip(own, strides, strict=True))
        return View(self.node, shape, kept, self.offset)


def strides_of(shape):
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))


class Trace:
    """The nodes noted down so far; the same operation on the same operands is one node."""

    def __init__(self, dtype="float64"):
        self.dtype = dtype
        self.known = {}
        self.orders = {}  # node -> the integers that it stands for
        self.constants = {}  # arrays that the cell brought along itself, name -> array

    def node(self, kind, op, args, shape, rows, boolean=False):
        key = (kind, op, args, shape)
        if key not in self.known:
            self.known[key] = Node(kind, op, args, shape, rows, boolean)
        return self.known[key]

    def row(self, name, shape, lead=1):
        """An input that has one row for each of the batch."""
        return Traced(self, self.node("row", name, (), shape, True).view(), lead)

    def param(self, name, array):
        """An array that is the same for all rows."""
        node = self.node("param", name, (), array.shape, False, array.dtype.kind in "iub")
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
        node = self.node("op", op, within, tuple(n for n in shape if n > 1), rows, boolean)
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
                if node.kind == "op" and node.op == "add" and other.view.as_made:
                    terms = [Traced(self, v, int(v.node.rows)) if isinstance(v, View) else v for v in node.args]
                    for k, term in enumerate(terms):
                        if isinstance(term, Traced) and term.is_product and term.view.shape == one.view.shape:
                            return self.apply("add", self.merged(term, one), terms[1 - k]).led(other.lead)
        return None

    def merged(self, a, b):
        args = a.view.node.args + b.view.node.args
        return Traced(self, self.node("matmul", "", args, a.view.shape, True).view(), max(a.lead, b.lead))

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
        if W.view.node.kind != "param":
            raise Untraceable("knows products with parameters and derived weights only, not with computed ones")
        x = self.apply("copy", x) if x.view.node.kind == "pick" else x.stored()
        node = self.node("matmul", "", ((x.view, W.view),), (n,), True)
        return Traced(self, node.view(), x.lead)

    def join(self, parts):
        parts = [self.wrap(part) for part in parts]
        lead = max(part.lead for part in parts)
        first = parts[0].view
        if all(p.view.node is first.node and p.view.contiguous for p in parts) and first.offset == 0:
            ends = [p.view.offset + p.size for p in parts]
            if [0, *ends[:-1]] == [p.view.offset for p in parts] and ends[-1] == first.node.size:
                return Traced(self, View(first.node, (first.node.size,), (1,), 0), lead)  # taken apart and put together
        if any(len(part.view.shape) != 1 for part in parts):
            raise Untraceable("joins rows of numbers along the last axis only")
        node = self.node("join", "", tuple(p.view for p in parts), (sum(p.view.shape[-1] for p in parts),), lead > 0)
        return Traced(self, node.view(), lead)


def broadcast_shapes(shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise Untraceable(str(error)) from None


@dataclass(eq=False)
class Traced:
    """A symbolic array: `lead` batch axes (2 in `project`, 1 in a step, 0 for weights) before those of the view."""

    trace: Trace
    view: View
    lead: int
    integer: bool = False
    __array_ufunc__ = None  # NumPy's own arrays leave mixed expressions to us
    real = property(lambda self: self)
    boolean = property(lambda self: self.view.node.boolean and not self.integer)
    is_product = property(lambda self: self.view.node.kind == "matmul" and self.view.whole)
    ndim = property(lambda self: len(self.shape))

    @property
    def shape(self):
        return (ROWS,) * self.lead + self.view.shape

    @property
    def size(self):
        return math.prod(self.view.shape)

    @property
    def dtype(self):
        return np.dtype("int64" if self.integer else "bool" if self.boolean else self.trace.dtype)

    def __array_namespace__(self):
        from tinyrnn.compiler.functions import Namespace

        return Namespace(self.trace)

    def led(self, lead):
        """The same with another number of batch axes."""
        return Traced(self.trace, self.view, lead, self.integer)

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
        node = view.node
        if node.kind != "op" or not view.as_made:
            return look(view, key)
        stretched = [a.stretched(view.shape) if isinstance(a, View) else a for a in node.args]
        args = tuple(self.sliced(a, key) if isinstance(a, View) else a for a in stretched)
        shape = next(a.shape for a in args if isinstance(a, View))
        return self.trace.operation(node.op, args, shape, node.rows, node.boolean)

    def picked(self, index):
        """`W[x]`: a row of the weights for each class number."""
        is_matrix = self.view.node.kind == "param" and len(self.view.shape) == 2 and self.view.whole
        if not index.integer or index.lead == 0 or not is_matrix:
            raise Untraceable("looks up other things than rows of a matrix")
        node = self.trace.node("pick", "", (self.view, index.view), self.view.shape[1:], True)
        return Traced(self.trace, node.view(), index.lead)

    @property
    def T(self):
        if self.lead or len(self.view.shape) != 2:
            raise Untraceable("transposes other things than matrices of weights")
        v = self.view
        return Traced(self.trace, View(v.node, v.shape[::-1], v.strides[::-1], v.offset), 0)

    def reshape(self, *shape):
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        if shape[: self.lead] != (ROWS,) * self.lead:
            raise Untraceable("joins rows with other axes")
        shape = tuple(shape[self.lead :])
        if -1 in shape:
            rest = math.prod(n for n in shape if n != -1)
            shape = tuple(self.size // rest if n == -1 else n for n in shape)
        if math.prod(shape) != self.size:
            raise Untraceable(f"shape {self.view.shape} does not fit {shape}")
        view = self.stored().view
        return Traced(self.trace, View(view.node, shape, strides_of(shape), view.offset), self.lead)

    def sum(self, axis=None, keepdims=False):
        if self.lead == 0 or self.view.shape == () or axis not in (-1, self.ndim - 1):
            raise Untraceable("sums over other axes than the last one")
        view = self.view
        node = self.trace.node("sum", "", (view,), (*view.shape[:-1], 1), True)
        result = Traced(self.trace, node.view(), self.lead)
        return result if keepdims else result[..., 0]

    def astype(self, dtype, copy=True):
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
        raise Untraceable("changes an array in place")

    __setitem__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = refuse


def look(view, key):
    """NumPy's basic indexing on a strided view: integers, slices with any step, and None."""
    shape, strides, offset, axis = [], [], view.offset, 0
    for k in key:
        if k is None:
            shape, strides = [*shape, 1], [*strides, 0]
            continue
        n, s = view.shape[axis], view.strides[axis]
        axis += 1
        if isinstance(k, slice):
            picked = range(n)[k]
            if len(picked) == 0:
                raise Untraceable("makes an empty array")
            shape, strides, offset = [*shape, len(picked)], [*strides, s * picked.step], offset + s * picked.start
        elif isinstance(k, int | np.integer) and -n <= k < n:
            offset += s * (k % n)
        else:
            raise Untraceable(f"indexes with {type(k).__name__}")
    return View(view.node, tuple(shape), tuple(strides), offset)


def operator(op, swapped=False, boolean=False):
    def method(self, other):
        values = (other, self) if swapped else (self, other)
        return self.trace.apply(op, *values, boolean=boolean)

    return method


for op, name in {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv"}.items():
    setattr(Traced, f"__{name}__", operator(op))
    setattr(Traced, f"__r{name}__", operator(op, swapped=True))
for op in ("lt", "le", "gt", "ge", "eq", "ne", "and", "or"):
    setattr(Traced, f"__{op}__", operator(op, boolean=True))
Traced.__hash__ = object.__hash__
