"""A cell's `gradients`, compiled: all that goes row by row in one loop over the rows, then products over all of them.

Rows here are those of all time steps, one after the other. They are cut into pieces, each with sums of its own, whose
number depends on that of the rows alone, so that the result does not depend on the number of threads, to the bit.
"""

import math
from dataclasses import dataclass

import numpy as np

from tinyrnn.compiler.draft import begin, class_numbers, flatten, make_draft, row_like, source_of
from tinyrnn.compiler.kernels import Kernel, Over, address, aligned, for_team
from tinyrnn.compiler.nodes import Input, Untraceable
from tinyrnn.compiler.team import team
from tinyrnn.compiler.totals import Total, turned
from tinyrnn.compiler.traced import Traced
from tinyrnn.core.ops import is_index

PIECES = 4  # that rows are cut into at most, whatever the number of threads
WORTH_A_THREAD = 2**18  # multiplications
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

    def of(self, arrays):
        """A view of these columns; arrays: name -> (rows, n)."""
        return arrays[self.array][:, self.start : self.stop]


def draft_gradients(cell, p, x, da, needs, inputs=True, ones=True):
    """The kernel of the weight gradients, or raises Untraceable. Arguments as those of `cell.gradients`; inputs:
    whether the gradient of x is wanted; ones: as for `draft_rows`."""
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
    title = f"{cell.name}, what a row adds to the gradients of the weights"
    return draft_rows("gradients", title, {"dx": dx.view} if inputs and dx is not None else {}, totals, trace, ones)


def draft_rows(function, title, views, totals, trace, ones=True):
    """The kernel that writes `views` for each row, and what `totals` (name of a parameter -> `Total`) need of it, or
    raises Untraceable. ones: whether rows that are at hand are added up as a product with ones (None in its place), by
    whoever takes the products."""
    for name, total in totals.items():
        if not isinstance(total, Total) or (total.value is None and not total.products):
            raise Untraceable(f"the gradient of {name} is no plain sum over rows")
    views, products, sums = dict(views), [], {}
    for name, total in totals.items():
        products += [(name, columns(left, views), columns(right, views)) for left, right in total.products]
    for name, total in totals.items():
        if ones and total.value is not None and is_at_hand(total.value.view, views):
            products.append((name, None, columns(total.value, views)))
        elif total.value is not None:
            sums[f"sum_{name}"] = total.value.view
    products.sort(key=lambda product: str(product[2]))
    shapes = {name: total.shape for name, total in totals.items()}
    draft = make_draft(function, title, views | sums, trace, sums, shapes=shapes, products=products)
    terms = [f"d{name} += {'1' if left is None else left}.T @ {right}" for name, left, right in products]
    draft.code.text += "".join(f"/* left to products over all rows: {term} */\n" for term in terms)
    return draft


def is_at_hand(view, views):
    """Whether what is to be summed up is a row that is given, or written anyway."""
    return len(view.shape) == 1 and (view in views.values() or (isinstance(view.node, Input) and view.contiguous))


def columns(rows, views):
    """Where a factor of a product is to be found: in an input, or else it joins the `views` that are to be written."""
    node, start = rows.view.node, rows.view.offset
    if isinstance(node, Input) and rows.view.contiguous:
        return Columns(node.name, start, start + rows.size)
    name = next((known for known, view in views.items() if view == rows.view), f"factor_{len(views)}")
    views[name] = rows.view
    return Columns(name, 0, rows.size)


class RowsKernel(Kernel):
    """A compiled draft of `draft_rows`."""

    def add_up(self, prepared, arrays, rows, pieces, threads):
        """Fill those of the arrays (name -> (rows, n)) that it writes; name -> what is to be added up for it: its
        products over all rows, and what it sums up in each of the pieces, in order."""
        draft, found = self.draft, {name: [] for name in self.draft.shapes}
        summed = [name for name in draft.shapes if f"sum_{name}" in draft.plan.sums]
        sums = {name: self.zeros(pieces, math.prod(draft.shapes[name])) for name in summed}
        table = {name: Over(array[None], still=True) for name, array in arrays.items()}
        table |= {f"sum_{name}": Over(array[:, None]) for name, array in sums.items()}  # its "time" is the piece
        if draft.plan.outputs:
            self.take(prepared, self.with_work(table, rows), None, rows, pieces, threads)
        for name, total in self.products_over_rows(arrays, rows, threads):
            found[name].append(total)
        for name, parts in sums.items():
            found[name] += [turned(part, draft.shapes[name]) for part in parts]
        return found

    def zeros(self, *shape):
        """An array of zeros in memory that is used again."""
        array = self.buffers.empty(shape, self.dtype)
        array[...] = 0
        return array

    def products_over_rows(self, arrays, rows, threads):
        """(Name of a parameter, a product over all rows that its gradient has), for all of them."""
        found, factors = [], []
        for name, left, right in self.draft.products:
            shape = self.draft.shapes[name]
            total = self.buffers.empty(shape, self.dtype) if rows else self.zeros(*shape)
            found.append((name, total))
            factors.append((None if left is None else left.of(arrays), right.of(arrays), total))
        if factors:
            sum_products(self.products, factors, self.buffers, threads)
        return found


def sum_products(library, factors, buffers, threads):
    """out = x^T y for each (x, y, out) of `factors`: (rows, k) and (rows, n) to (k, n), or for class numbers x (rows,
    1) to (classes, n), or for None in place of ones to (n,). Those with the same y should lie side by side."""
    table, work, width = [], 0, 0
    for x, y, out in factors:
        where, x_row, k = 0, 0, 1
        if x is not None:
            where, x_row, k = address(x), x.strides[0] // x.itemsize, 0 if is_index(x) else x.shape[1]
        rows, n = y.shape
        table.append((where, address(y), address(out), x_row, y.strides[0] // y.itemsize, rows, k, n, len(out)))
        work, width = work + rows * n * max(k, 1), max(width, min(k, n))
    pieces = max(1, min(threads, work // WORTH_A_THREAD))
    width *= library.panel_width()
    _memory, start = aligned(pieces * width, out.dtype, buffers)  # which lives until this returns
    table = np.array(table, np.int64)
    job = np.array([address(table), len(table), pieces, start, width], np.int64)
    team().run(for_team(library.sum_products), address(job), pieces, threads)


class GradientsKernel(RowsKernel):
    """The gradients of a cell's weights."""

    def add(self, dparams, prepared, x, da, needs, empty, threads):
        """Add to the dict `dparams` what `cell.gradients` returns for these x, da and needs; returns dx.

        prepared: what `prepare` made of the parameters. empty: shape -> array over these time steps and the batch.
        """
        T, B = x.shape[:2]
        arrays = {"x": x[..., None].astype(np.int64) if is_index(x) else x}
        flatten(da, "da", arrays)
        arrays |= {f"tape_{name}": array for name, array in needs.items()}
        arrays |= {name: empty(shape) for name, shape in self.draft.outputs.items()}
        arrays = {name: row_by_row(array) for name, array in arrays.items()}
        found = self.add_up(prepared, arrays, T * B, pieces_of(T * B), threads)
        for name, parts in found.items():
            for part in parts:
                if name in dparams:
                    dparams[name] += part
                else:
                    dparams[name] = part
        return arrays["dx"].reshape(x.shape) if "dx" in arrays else None


def row_by_row(array):
    """(T, B, …) as (T B, …), numbers of a row side by side; a copy only if it must be."""
    return np.ascontiguousarray(array).reshape(-1, *array.shape[2:])
