"""A cell's `gradients`, compiled: all that goes row by row in one loop over the rows, then products over all of them.

Rows here are those of all time steps, one after the other. They are cut into pieces, each with sums of its own, whose
number depends on that of the rows alone, so that the result does not depend on the number of threads, to the bit.
"""

import math
from dataclasses import dataclass

import numpy as np

from tinyrnn.compiler.draft import begin, class_numbers, flatten, make_draft, row_like, source_of
from tinyrnn.compiler.kernels import Kernel, Over, address
from tinyrnn.compiler.nodes import Input, Untraceable
from tinyrnn.compiler.totals import Total, turned
from tinyrnn.compiler.traced import Traced
from tinyrnn.core.ops import is_index

PIECES = 4  # that rows are cut into at most, whatever the number of threads
ROWS_EACH = 256  # with fewer, a piece's products cost less than adding them up to the others'


def pieces_of(rows):
    """How many pieces so many rows are cut into."""
    return max(1, min(PIECES, rows // ROWS_EACH))


@dataclass(frozen=True)
class Columns:
    """Numbers `start` to `stop` of each row of an array, which are a factor of a product over all rows."""

    array: str
    start: int
    stop: int

    def __str__(self):
        return f"{self.array}[:, {self.start}:{self.stop}]"

    def of(self, arrays, first, last):
        """A view of these columns in the rows `first` up to `last`; arrays: name -> (rows, n)."""
        return arrays[self.array][first:last, self.start : self.stop]


def draft_gradients(cell, p, x, da, needs):
    """The kernel of the weight gradients, or raises Untraceable. Arguments as those of `cell.gradients`."""
    trace, traced = begin(cell, p)
    structure = flatten(da, "da", named := {})

    def leaf(name, array):
        return row_like(trace, name, array, lead=2)

    def symbolic(structure):
        if isinstance(structure, tuple):
            return tuple(symbolic(part) for part in structure)
        return leaf(structure, named[structure])

    given = class_numbers(trace) if is_index(x) else leaf("x", x)
    asked = {name: leaf(f"tape_{name}", array) for name, array in needs.items()}
    with source_of(cell):
        dx, totals = cell.gradients(traced, given, symbolic(structure), **asked)
        totals = dict(totals)
    if not (dx is None and is_index(x)) and (not isinstance(dx, Traced) or dx.lead != 2 or dx.boolean or dx.integer):
        raise Untraceable("the gradient of the input is not a row of real numbers for each of its rows")
    for name, total in totals.items():
        if not isinstance(total, Total) or (total.value is None and not total.products):
            raise Untraceable(f"the gradient of {name} is no plain sum over rows")

    views, products = {} if dx is None else {"dx": dx.view}, []
    for name, total in totals.items():
        products += [(name, columns(left, views), columns(right, views)) for left, right in total.products]
    sums = {f"sum_{name}": total.value.view for name, total in totals.items() if total.value is not None}
    shapes = {name: total.shape for name, total in totals.items()}
    title = f"{cell.name}, what a row adds to the gradients of the weights"
    draft = make_draft("gradients", title, views | sums, trace, sums, shapes=shapes, products=products)
    lines = [f"/* left to products over all rows: d{name} += {a}.T @ {b} */\n" for name, a, b in products]
    draft.code.text += "".join(lines)
    return draft


def columns(rows, views):
    """Where a factor of a product is to be found: in an input, or else it joins the `views` that are to be written."""
    node, start = rows.view.node, rows.view.offset
    if isinstance(node, Input) and rows.view.contiguous:
        return Columns(node.name, start, start + rows.size)
    name = next((known for known, view in views.items() if view == rows.view), f"factor_{len(views)}")
    views[name] = rows.view
    return Columns(name, 0, rows.size)


class GradientsKernel(Kernel):
    """A compiled draft."""

    def __init__(self, draft, dtype):
        super().__init__(draft, "gradients", dtype)

    def add(self, dparams, prepared, x, da, needs, empty, map_pieces):
        """Add to the dict `dparams` what `cell.gradients` returns for these x, da and needs; returns dx.

        prepared: what `prepare` made of the parameters. empty: shape -> array over these time steps and the batch.
        map_pieces: the results of a function for each of a range, in order, shared out among threads.
        """
        T, B = x.shape[:2]
        draft, rows = self.draft, T * B
        pieces = pieces_of(rows)
        arrays = {"x": x[..., None].astype(np.int64) if is_index(x) else x}
        flatten(da, "da", arrays)
        arrays |= {f"tape_{name}": array for name, array in needs.items()}
        arrays |= {name: empty(shape) for name, shape in draft.outputs.items()}
        arrays = {name: row_by_row(array) for name, array in arrays.items()}
        summed = [name for name in draft.shapes if f"sum_{name}" in draft.plan.sums]
        sums = {name: self.zeros(pieces, math.prod(draft.shapes[name])) for name in summed}
        totals = {name: self.zeros(pieces, *draft.shapes[name]) for name, *_ in draft.products}
        table = {name: Over(array[None], still=True) for name, array in arrays.items()}
        table |= {f"sum_{name}": Over(array[:, None]) for name, array in sums.items()}  # its "time" is the piece
        table = self.with_work(table, rows)
        take = self.bound(prepared, table)

        def piece(k):
            first, last = rows * k // pieces, rows * (k + 1) // pieces
            take(range(k, k + 1), first, last)
            for name, *sides in draft.products:
                self.add_product(*(side.of(arrays, first, last) for side in sides), totals[name][k])

        map_pieces(piece, range(pieces))
        for name, parts in totals.items():
            add_parts(dparams, name, parts)
        for name, parts in sums.items():
            add_parts(dparams, name, [turned(part, draft.shapes[name]) for part in parts])
        return arrays["dx"].reshape(x.shape) if "dx" in arrays else None

    def zeros(self, *shape):
        """An array of zeros in memory that is used again."""
        array = self.buffers.empty(shape, self.dtype)
        array[...] = 0
        return array

    def add_product(self, left, right, total):
        """total += left^T right; where `left` are class numbers, the rows of `right` are added up by them."""
        rows, n = right.shape
        y = address(right), right.strides[0] // right.itemsize
        if is_index(left):
            self.products.add_rows(rows, n, address(left), *y, address(total))
        else:
            x = address(left), left.strides[0] // left.itemsize
            self.products.add_products(rows, left.shape[1], n, *x, *y, address(total))


def add_parts(dparams, name, parts):
    """Add arrays that are ours to a gradient, in order."""
    for part in parts:
        if name in dparams:
            dparams[name] += part
        else:
            dparams[name] = part


def row_by_row(array):
    """(T, B, …) as (T B, …), numbers of a row side by side; a copy only if it must be."""
    return np.ascontiguousarray(array).reshape(-1, *array.shape[2:])
