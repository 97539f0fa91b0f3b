"""Recognises a forward pass written by someone else: which cell it is, under which conventions, or with which mistake.

A forward pass that is consistently wrong gets past every gradient check, so its values are compared with those of the
package's own cells. Names say which arrays are states and which one to try first as the input, and no more: the
learner's weights are laid out in every way that fits their shapes (rows or columns, batch or time first, gates in any
order, joined or one by one, state and input in one matrix, with an output layer among them or without), and the cell is
the one whose outputs are found among the learner's values. If none is, the known wrong forward passes and the
other published conventions are tried in the same way.
"""

import ast
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tinyrnn.cells import GRU, LSTM, ChoGRU, Elman, LinearRNN
from tinyrnn.checking.differences import same
from tinyrnn.sources import compile_function, read
from tinyrnn.verdicts.mistakes import FORWARDS, SECTIONS
from tinyrnn.verdicts.name import environment
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.run import arrays_of
from tinyrnn.verdicts.vocabulary import CELL, HIDDEN, X, is_output, likeliest, role_of

CELLS = {  # number of blocks -> (class, options, family)
    1: [
        *((Elman, {"activation": name}, "elman") for name in ("tanh", "relu", "identity")),
        *((LinearRNN, {"activation": name}, "lt-rnn") for name in ("tanh", "relu")),
    ],
    3: [(GRU, {}, "gru"), (ChoGRU, {}, "gru-cho")],
    4: [(LSTM, {}, "lstm")],
}


@dataclass
class Recognised:
    """What a forward pass was found to be. cell: ours, with the learner's weights. order: of the learner's gates.

    x (T, B, n) and state: what it read. variant: the known mistake or other convention it has, or None. family: of its
    known mistakes.
    """

    cell: object
    family: str
    x: np.ndarray
    state: tuple
    order: tuple
    variant: object = None

    def describe(self):
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

        def namer_of(start, stop, after):
            begin = tuple(array[start] for array in states.values())
            known = environment.of_cell(cell, self.x[start:stop], begin, dh[start:stop], after)
            return Namer(self.family, known, cell.gates)

        def of_steps():
            """One for each step by itself, for what a learner works out step by step."""
            whole = namer_of(0, len(h), rest).environment
            after = [whole[f"dnext_{s}"] for s in cell.states[1:]]
            return [namer_of(t, t + 1, [d[t] for d in after]) for t in range(len(h))]

        namer = namer_of(0, len(h), rest)
        namer.make_steps = of_steps
        return namer


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
    """The `Recognised` forward pass of functions that were given `inputs`, name -> array; or None."""
    seen = [e.value for e in truth.events if e.value is not None and e.value.ndim == 2]
    named = [e.value for e in truth.events if e.value is not None and is_output(e.site.name)] + list(outputs_of(truth))
    layouts, found = list(readings(inputs)), {}
    for variants in (False, True):
        for x, state, (W_x, W_h, b) in layouts:
            k, H = len(W_x), W_h[0].shape[0]
            for cls, options, family in CELLS.get(k, ()):
                for variant in [m for m in FORWARDS if m.of == family] if variants else [None]:
                    made = with_variant(cls, variant)
                    for order in permutations(range(k)):
                        cell = made(x.shape[2], H, rng=0, **options)
                        fill(cell, *([blocks[j] for j in order] for blocks in (W_x, W_h, b)))
                        given = tuple(state[: len(cell.states)]) + (np.zeros_like(state[0]),) * (
                            len(cell.states) - len(state)
                        )
                        if is_found(cell, x, given, named if variants else seen):
                            names = tuple(cell.gates[order.index(j)] for j in range(k)) if k > 1 else ()
                            one = Recognised(cell, family, x, given, names, variant)
                            if variant is None:
                                return one
                            found.setdefault(variant.name, one)
    conventions = [one for one in found.values() if one.variant.convention]
    fitting = conventions or list(found.values())
    return fitting[0] if len(fitting) == 1 else None  # of several that fit at this point, none is said to be it


def outputs_of(truth):
    """What the forward pass returned, 2-D arrays, whichever axis time is."""
    for value in arrays_of(truth.result[0]):
        for axis in range(value.ndim) if value.ndim == 3 else ():
            yield from np.moveaxis(value, axis, 0)
        if value.ndim == 2:
            yield value


def is_found(cell, x, state, seen):
    """Whether every output of the cell is among the values seen."""
    try:
        with np.errstate(all="ignore"):
            h, _ = cell.forward(x, state)
    except (ValueError, TypeError, IndexError):
        return False
    new = all(value.any() and not same(value, state[0]) for value in h)  # not a state that was there before
    return new and all(any(same(v, value) or same(v.T, value) for v in seen) for value in h)


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


def fill(cell, W_x, W_h, b):
    """Put blocks of weights, in the cell's order, into a cell."""
    p = cell.params
    W_x, b = np.concatenate(W_x, axis=1), np.concatenate(b)
    if isinstance(cell, LinearRNN):
        p["U"], p["V"], p["b"] = W_x, W_h[0], b
        return
    p["W_x"], p["b"] = W_x, b
    if isinstance(cell, ChoGRU):
        p["W_rz"], p["W_n"] = np.concatenate(W_h[:2], axis=1), W_h[2]
    else:
        p["W_h"] = np.concatenate(W_h, axis=1)
    if isinstance(cell, GRU):
        p["b_n"] = np.zeros_like(p["b_n"])


# reading the learner's arrays ----------------------------------------------------------------------------------------


def readings(inputs):
    """(x (T, B, n), states, (blocks of W_x, of W_h, of b)), in every way the shapes of named arrays allow."""
    inputs = {name.split(".")[-1]: value for name, value in inputs.items() if "grad" not in name}
    roles = {name: role_of(name, list(inputs))[0] for name in inputs}
    named_states = {name: value for name, value in inputs.items() if roles[name] == "state"}
    h, c = likeliest(HIDDEN, named_states), likeliest(CELL, named_states)
    rest = {name: value for name, value in inputs.items() if value is not h and value is not c}
    sequences = {name: value for name, value in rest.items() if value.ndim in (2, 3)}
    x = likeliest(X, sequences)
    for name, one in sequences.items():
        if x is None or one is x:
            others = {n: value for n, value in rest.items() if n != name}
            cell_only = {n: value for n, value in others.items() if roles[n] not in ("W_y", "b_y")}
            for weights in (cell_only, others) if len(cell_only) < len(others) else (others,):
                yield from layouts(one, h, c, list(weights.values()))


def layouts(x, h, c, others):
    """The same for arrays of which it is known what they are; others: weights and biases."""
    weights = [v for v in others if v.ndim == 2 and 1 not in v.shape]
    biases = [v.reshape(-1) for v in others if v.ndim == 1 or (v.ndim == 2 and 1 in v.shape)]
    for columns, xs in inputs_as_time_major(x):
        _, B, n = xs.shape
        states = [s.T if columns else s for s in (h, c) if s is not None and s.ndim == 2]
        sizes = {s.shape[1] for s in states} or {size for w in weights for size in w.shape}
        if any(s.shape[0] != B for s in states):
            continue
        for H in sizes:
            start = states or [np.zeros((B, H))]
            for parts in split_weights(weights, biases, n, H, columns):
                yield xs, start, parts


def inputs_as_time_major(x):
    """(whether features come before the batch, x as (T, B, n)) for each order of axes."""
    if x.ndim == 2:
        yield False, x[None]
        yield True, x.T[None]
    elif x.ndim == 3:
        yield False, x
        yield False, x.swapaxes(0, 1)
        yield True, x.swapaxes(1, 2)
        yield True, x.transpose(1, 2, 0)


def split_weights(weights, biases, n, H, columns):
    """(blocks of W_x (n, H), blocks of W_h (H, H), blocks of b (H,)) in every way the shapes allow."""
    if columns:
        weights = [w.T for w in weights]
    joined_x = [w for w in weights if w.shape[0] == n and w.shape[1] % H == 0]
    joined_h = [w for w in weights if w.shape[0] == H and w.shape[1] % H == 0]
    both = [w for w in weights if w.shape == (n + H, H)]
    found = []
    if len(joined_x) == len(joined_h) and joined_x:
        found.append((blocks(joined_x, H), blocks(joined_h, H)))
    if both:
        found.append(([w[H:] for w in both], [w[:H] for w in both]))
        found.append(([w[:n] for w in both], [w[n:] for w in both]))
    for W_x, W_h in found:
        k = len(W_x)
        if len(W_h) != k:
            continue
        options = [
            [b for b in biases if b.shape == (H,)],
            [p for b in biases if b.shape == (k * H,) for p in np.split(b, k)],
        ]
        for b in options:
            if len(b) == k:
                yield W_x, W_h, b
                break
        else:
            yield W_x, W_h, [np.zeros(H)] * k


def blocks(matrices, H):
    return [block for w in matrices for block in np.split(w, w.shape[1] // H, axis=1)]
