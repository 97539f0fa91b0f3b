"""Recognises a forward pass written by someone else: which cell it is, under which conventions, or with which mistake.

A forward pass that is consistently wrong gets past every gradient check, so its values are compared with those of the
package's own cells. Names say which arrays are states and which one to try first as the input, and no more: the
learner's weights are laid out in every way that fits their shapes (rows or columns, batch or time first, gates in any
order, joined or one by one, state and input in one matrix, with an output layer among them or without), and the cell is
the one whose outputs are found among the learner's values. If none is, the known wrong forward passes and the
other published conventions are tried in the same way.
"""

import ast
import functools
import time
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tinyrnn.cells import GRU, LSTM, ChoGRU, Elman, LinearRNN
from tinyrnn.checking.differences import SAME, same
from tinyrnn.sources import compile_function, read
from tinyrnn.sources.vocabulary import is_output
from tinyrnn.verdicts.mistakes import FORWARDS, SECTIONS
from tinyrnn.verdicts.name import environment
from tinyrnn.verdicts.name.layouts import readings
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.run import arrays_of

MOST_SECONDS = 5.0  # of the processor for what is known to be wrong in a forward pass, or another convention
BY_BLOCKS = {  # number of blocks -> (class, options)
    1: [
        *((Elman, {"activation": name}) for name in ("tanh", "relu", "identity")),
        *((LinearRNN, {"activation": name}) for name in ("tanh", "relu")),
    ],
    3: [(GRU, {}), (ChoGRU, {})],
    4: [(LSTM, {})],
}


@dataclass
class Recognised:
    """What a forward pass was found to be. cell: ours, with the learner's weights. order: of the learner's gates.

    x (T, B, n) and state: what it read. variant: the known mistake or other convention it has, or None.
    """

    cell: object
    x: np.ndarray
    state: tuple
    order: tuple
    variant: object = None

    @property
    def is_mistaken(self):
        """Whether the forward pass is the cell's only but for a known mistake, rather than by a convention."""
        return self.variant is not None and not self.variant.convention

    def describe(self):
        """A sentence: which cell it is, the order of its gates, and by what convention or mistake it differs."""
        gates = f", gates in the order {', '.join(self.order)}" if len(self.order) > 1 else ""
        what = f"{self.cell.name}{gates}"
        if self.variant is None:
            return f"the forward pass is that of the package's {what}"
        if self.variant.convention:
            return f"the forward pass is the package's {what} by another convention: {self.variant.title}"
        return (
            f"the forward pass is the package's {what} but for a known mistake, which no gradient check can see: "
            f"{self.variant.title} ({self.variant.name}). {self.variant.question} "
            f"(lecture section {self.variant.section}: {SECTIONS[self.variant.section]})"
        )

    def lines(self, truth):
        """{(scope, line)} of the forward pass that are done with when the last output is there: they do as the cell
        does, but what reads the outputs may be wrong."""
        h, _ = self.cell.forward(self.x, self.state)
        numbers = {}  # {(scope, line): the number of its last event}
        for event in truth.events:
            numbers[event.site.scope, event.site.line] = event.number
        there = (event.number for event in truth.events if event.value is not None and event.value in Among([h[-1]]))
        last = next(there, np.inf)
        return frozenset(place for place, number in numbers.items() if number <= last)

    def namer(self, truth):
        """A `Namer` of mistakes in the backward pass; None where the forward pass has its own."""
        if self.variant is not None:
            return None
        h, tape = self.cell.forward(self.x, self.state)
        dh = [gradient_of(truth, value) for value in h]
        if any(d is None for d in dh):
            return None
        dh, rest = np.stack(dh), []
        if len(self.cell.states) > 1:  # LSTM: of what reaches c at the end, not what came through h
            dc, tanh_c = gradient_of(truth, tape["c"][-1]), tape["tanh_c"][-1]
            through_h = dh[-1] * tape["o"][-1] * (1 - tanh_c**2)
            rest = [np.zeros_like(dh[-1]) if dc is None else dc - through_h]
        cell, states = self.cell, tape.states

        def namer_of(start, stop, after, make_steps=None):
            begin = tuple(array[start] for array in states.values())
            known = environment.of_cell(cell, self.x[start:stop], begin, dh[start:stop], after)
            return Namer(cell.family, known, cell.gates, make_steps)

        def of_steps():
            """One for each step by itself, for what a learner works out step by step."""
            whole = namer_of(0, len(h), rest).environment
            after = [whole[f"dnext_{s}"] for s in cell.states[1:]]
            return [namer_of(t, t + 1, [d[t] for d in after]) for t in range(len(h))]

        return namer_of(0, len(h), rest, of_steps)


@dataclass
class Unrecognised:
    """A forward pass that is no cell's. tried: what was tried, in words."""

    tried: list

    def __bool__(self):
        return False

    def describe(self):
        """A sentence: that no cell of the package fits, and what was tried."""
        return "the forward pass is not known to be that of one of the package's cells: " + "; ".join(self.tried)


def gradient_of(truth, value):
    """The true gradient of the first value of the forward pass that equals `value` (B, n), as it is or transposed."""
    for event in truth.events:
        if event.value is None or event.value.size != value.size or event.site.kind in ("load", "carry", "return"):
            continue
        for turn in (lambda a: a, np.transpose):
            if event.value.ndim == 2 and same(turn(event.value), value):
                found = truth.of_events([event.number], event.value.shape)
                return None if found is None else turn(found)
    return None


def recognise(inputs, truth):
    """What the forward pass of functions is that were given `inputs`, name -> array: `Recognised` or `Unrecognised`."""
    search = CellSearch(inputs, truth)
    return search.as_it_is() or search.by_another_line() or Unrecognised(search.tried())


class CellSearch:
    """The search for a cell that does what a forward pass did, over all `layouts` of its arrays."""

    def __init__(self, inputs, truth):
        self.layouts, self.shapes = list(readings(inputs)), {name: value.shape for name, value in inputs.items()}
        self.seen = [e.value for e in truth.events if e.value is not None and e.value.ndim == 2]
        named = [e.value for e in truth.events if e.value is not None and is_output(e.site.name)]
        self.seen, self.outputs = Among(self.seen), Among([*named, *outputs_of(truth)])
        self.nearest = 0, None  # how many of a cell's outputs were found, and what that cell is
        self.count = 0

    def as_it_is(self):
        """The first cell that fits, or None."""
        for layout in self.layouts:
            for cls, options in BY_BLOCKS.get(layout.blocks, ()):
                for one in self.fitting(layout, cls, options, None, self.seen):
                    return one
        return None

    def by_another_line(self):
        """The cell that fits if one line of its forward pass is changed in a known way; of several that fit at this
        point, none is said to be it."""
        found, begun = {}, time.process_time()
        for layout in self.layouts:
            for cls, options in BY_BLOCKS.get(layout.blocks, ()):
                for variant in [m for m in FORWARDS if m.of == cls.family]:
                    if time.process_time() - begun > MOST_SECONDS:
                        return None
                    changed = with_variant(cls, variant)
                    for one in self.fitting(layout, changed, options, variant, self.outputs):
                        found.setdefault(variant.name, one)
        conventions = [one for one in found.values() if one.variant.convention]
        fitting = conventions or list(found.values())
        return fitting[0] if len(fitting) == 1 else None

    def fitting(self, layout, cls, options, variant, values):
        """The cells of that class, one for each order of the gates, all of whose outputs are among the values."""
        for order in permutations(range(layout.blocks)):
            weights = ([blocks[k] for k in order] for blocks in (layout.W_x, layout.W_h, layout.b))
            cell = cls.from_blocks(*weights, **options)
            state = layout.state[: len(cell.states)]
            state += (np.zeros_like(state[0]),) * (len(cell.states) - len(state))
            if self.is_found(cell, layout.x, state, values):
                gates = tuple(cell.gates[order.index(k)] for k in range(len(order))) if len(order) > 1 else ()
                yield Recognised(cell, layout.x, state, gates, variant)

    def is_found(self, cell, x, state, values):
        """Whether every output of the cell is among the values."""
        self.count += 1
        try:
            with np.errstate(all="ignore"):
                h, _ = cell.forward(x, state)
        except (ValueError, TypeError, IndexError):
            return False
        if not all(value.any() and not same(value, state[0]) for value in h):  # a state that was there before
            return False
        number = 0
        for value in h:
            if value not in values:
                break
            number += 1
        if number > self.nearest[0]:
            self.nearest = number, f"{cell.name}, of which {number} of {len(h)} outputs"
        return number == len(h)

    def tried(self):
        """What was tried in vain, in words."""
        shapes = ", ".join(f"{name} {shape}" for name, shape in self.shapes.items())
        if not self.layouts:
            return [f"no way was found to take {shapes} for the input, the state and the weights of one"]
        blocks = sorted({layout.blocks for layout in self.layouts})
        names = sorted({cls.__name__ for k in blocks for cls, _ in BY_BLOCKS.get(k, ())})
        what = ", ".join(names) if names else "none has so many blocks of weights"
        number = " or ".join(map(str, blocks))
        ways = f"{shapes} can be a cell's in {len(self.layouts)} ways, with {number} blocks of weights"
        nearest = f"the nearest was {self.nearest[1]} are there" if self.nearest[1] else "no output of any is there"
        return [ways, f"{self.count} cells were run ({what})", nearest]


class Among:
    """Arrays, of which it can be asked whether one of them, or its transpose, is the `same` as another."""

    def __init__(self, values):
        shaped = {}
        for value in values:
            if np.isfinite(value).all():
                for one in (value, value.T):
                    shaped.setdefault(one.shape, []).append(one)
        self.stacks = {shape: np.stack(several) for shape, several in shaped.items()}
        self.scales = {shape: largest(stack) for shape, stack in self.stacks.items()}

    def __contains__(self, value):
        stack = self.stacks.get(value.shape)
        if stack is None or not np.isfinite(value).all():
            return False
        scales = np.maximum(self.scales[value.shape], abs(value).max(initial=0))
        return bool((largest(stack - value) <= SAME * scales).any())


def largest(stack):
    """The largest size of a number in each of the arrays of a stack."""
    return abs(stack).reshape(len(stack), -1).max(axis=1, initial=0)


def outputs_of(truth):
    """What the forward pass returned, 2-D arrays, whichever axis time is."""
    for value in arrays_of(truth.result[0]):
        for axis in range(value.ndim) if value.ndim == 3 else ():
            yield from np.moveaxis(value, axis, 0)
        if value.ndim == 2:
            yield value


@functools.cache
def with_variant(cls, variant):
    """The class with one line of its forward pass changed."""
    if variant is None:
        return cls
    for name in ("step", "project"):
        function = getattr(cls, name)
        tree = read(function)
        for node in ast.walk(tree):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            target = target.elts[0] if isinstance(target, ast.Tuple) else target
            is_line = isinstance(target, ast.Name) and target.id == variant.line
            is_line |= name == "project" and variant.line == "a" and isinstance(node, ast.Return)
            if is_line:
                node.value = ast.parse(variant.instead, mode="eval").body
                for part in ast.walk(node.value):
                    ast.copy_location(part, node)
                changed = compile_function(function, tree, {"np": np})
                return type(cls.__name__, (cls,), {name: changed, "__module__": cls.__module__})
    return cls
