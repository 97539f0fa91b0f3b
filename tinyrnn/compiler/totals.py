"""Sums over rows: what `gradients` makes of time steps and batch, on symbolic arrays.

A step takes each row by itself; the gradient of a weight is what all rows add up to. Here such a sum is noted down as
what one row adds to it. Where that is a whole matrix, a product of all rows at once is best, so that its factors are
noted down instead.
"""

from dataclasses import dataclass

from tinyrnn.compiler.nodes import Untraceable, View

SMALL = 4  # products with so few terms, or results, are written out rather than done as matrix products


@dataclass(eq=False)
class Total:
    """A sum over rows.

    shape: of the result. value: a `Traced`, what one row adds, transposed where `is_turned(shape)`; or None. products:
    (left, right) pairs of `Traced`, whose products left^T right are added as well; left may be class numbers, which
    stand for one-hot rows.
    """

    shape: tuple
    value: object = None
    products: tuple = ()

    @property
    def T(self):
        """Transposed; Untraceable where a matrix has one-hot rows for a factor."""
        if len(self.shape) != 2 or any(left.integer for left, _ in self.products):
            raise Untraceable("transposes other things than products of rows with rows")
        rows = self.value  # noted down the same way for a matrix and its transpose, unless it is square
        if rows is not None and self.shape[0] == self.shape[1]:
            view = rows.view
            rows = rows.looking(View(view.node, view.shape[::-1], view.strides[::-1], view.offset))
        return Total(self.shape[::-1], rows, tuple((right, left) for left, right in self.products))

    def __mul__(self, number):
        if not isinstance(number, int | float):
            raise Untraceable("computes with what it has summed over rows")
        value = None if self.value is None else self.value * number
        return Total(self.shape, value, tuple((left * number, right) for left, right in self.products))

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __add__(self, other):
        if not isinstance(other, Total) or other.shape != self.shape:
            raise Untraceable("computes with what it has summed over rows")
        values = [v for v in (self.value, other.value) if v is not None]
        return Total(self.shape, sum(values[1:], values[0]) if values else None, self.products + other.products)

    def __sub__(self, other):
        return self + -other


def is_turned(shape):
    """Whether a matrix of this shape is summed up as its transpose: loops are best over the longer axis."""
    return len(shape) == 2 and shape[0] > shape[1]


def turned(array, shape):
    """The result of the given shape, out of an array with its axes as summed up."""
    return array.reshape(shape[::-1]).T if is_turned(shape) else array.reshape(shape)


def summed(rows):
    """The total of a `Traced` over all rows."""
    view = rows.view
    if is_turned(view.shape):
        rows = rows.looking(View(view.node, view.shape[::-1], view.strides[::-1], view.offset))
    return Total(view.shape, rows)


@dataclass(eq=False)
class Transposed:
    """Rows, transposed: only good for a product with other rows."""

    rows: object  # Traced

    def __matmul__(self, right):
        left, shapes = self.rows, (self.rows.view.shape, right.view.shape)
        if (left.lead, right.lead) != (1, 1) or [len(shape) for shape in shapes] != [1, 1]:
            raise Untraceable(f"multiplies {shapes[0]} and {shapes[1]} over all rows")
        shape = *shapes[0], *shapes[1]
        if min(shape) > SMALL:
            return Total(shape, products=((left, right),))
        first, second = (right, left) if is_turned(shape) else (left, right)
        return Total(shape, first[..., :, None] * second[..., None, :])
