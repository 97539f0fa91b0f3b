"""The graph that a trace leaves: operations, and strided looks at their results."""

import math
from dataclasses import dataclass

import numpy as np


class Untraceable(Exception):
    """The cell does something that the compiler does not know."""


@dataclass(eq=False)
class Node:
    """The result of one operation, for one row of the batch; each kind of operation is a subclass.

    op: which, of those of its kind. args: `View`s and numbers. rows: whether it differs from row to row. name: the
    source's own for it, if it has one.
    """

    op: str
    args: tuple
    shape: tuple
    rows: bool
    boolean: bool = False
    name: str = ""

    is_given = False  # it is in memory before anything is computed
    is_stored = True  # it needs memory of its own, whoever reads it
    fills_its_place = True  # it writes all its values one after the other, which may be into an output
    reads_anywhere = False  # not, or not only, the entries at its own place

    @property
    def size(self):
        """How many numbers it has for one row."""
        return math.prod(self.shape)

    @property
    def reads(self):
        """The views that it is computed from."""
        return tuple(a for a in self.args if isinstance(a, View))

    @property
    def within(self):
        """The shape of the loop that computes it; None if none does."""
        return self.shape

    def stage(self, below):
        """Its stage (see `tinyrnn.compiler.plan`), given those of what it reads."""
        return max([0, *below])

    def view(self):
        """All of it as a contiguous `View`."""
        return View(self, self.shape, strides_of(self.shape), 0)


class Given(Node):
    """Base of what is in memory already."""

    is_given = True
    fills_its_place = False

    def stage(self, below):
        """-1, before the first stage: it is there from the beginning."""
        return -1


class Input(Given):
    """One row of the array `name`."""


class Param(Given):
    """The array `name`, which is the same for all rows."""


class Pick(Node):
    """A row of a matrix, by the class number in an input: only an address."""

    is_given = True
    fills_its_place = False


class Elementwise(Node):
    """An operation on entries at the same place."""

    is_stored = False  # a register will often do


class Gather(Node):
    """Entries of a row in a fixed order: args are the row and the order."""

    is_stored = False
    reads_anywhere = True


class Sum(Node):
    """A sum over the last axis."""

    fills_its_place = False

    @property
    def within(self):
        """The shape of the loop that adds it up."""
        return self.args[0].squeezed().shape


class Max(Sum):
    """The largest along the last axis; what is not a number is passed over."""


class Join(Node):
    """Rows put one after the other, each part by itself."""


class Fourier(Node):
    """The unitary Fourier transform of (real parts, imaginary parts)."""

    reads_anywhere = True
    within = None  # it is no loop


class Product(Node):
    """A sum of products of rows with matrices: args are pairs of views."""

    @property
    def reads(self):
        """Both views of every pair in it, a flat tuple."""
        return tuple(view for pair in self.args for view in pair)

    def stage(self, below):
        """The stage after all that it reads is done; below: the stages of that."""
        return max(b + 1 for b in below)  # it reads all of each row


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
        """Whether its entries follow each other in C order; axes of length 1 do not matter."""
        return all(a == b for a, b, n in zip(self.strides, strides_of(self.shape), self.shape, strict=True) if n > 1)

    def broadcast(self, shape):
        """The view stretched to a shape as NumPy would, with strides of 0; Untraceable where it does not fit."""
        missing = len(shape) - len(self.shape)
        own = (1,) * missing + self.shape
        if missing < 0 or any(n not in (1, m) for n, m in zip(own, shape, strict=True)):
            raise Untraceable(f"shapes {self.shape} and {shape} do not fit")
        strides = (0,) * missing + self.strides
        kept = tuple(0 if n == 1 else s for n, s in zip(own, strides, strict=True))
        return View(self.node, shape, kept, self.offset)


def strides_of(shape):
    """Strides of a contiguous array in C order, counted in entries."""
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))


def broadcast_shapes(shapes):
    """As `numpy.broadcast_shapes` of a list of shapes, but raises Untraceable."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise Untraceable(str(error)) from None


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
