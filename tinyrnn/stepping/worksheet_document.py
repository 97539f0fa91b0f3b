"""The sheet and the key of a `Worksheet` as blocks of a document (`tinyrnn.stepping.paper`)."""

import inspect
import re

import numpy as np

from tinyrnn.stepping.exercise import FUNCTIONS, STEPS
from tinyrnn.stepping.paper import Heading, Listing, Table, Text

MEANINGS = {  # what stands in the source -> in words
    "@": "`v @ W` is a row times a matrix and `W.T` the matrix transposed; `*` goes entry by entry.",
    "affine(": "`affine(x, W, b)` is `x @ W + b`.",
    "affine_backward(": "At one step `affine_backward(x, W, da)` gives `dx = da @ W.T`, `dW = x.T @ da`, `db = da`.",
    "weight_gradient(": "At one step `weight_gradient(v, da)` is `v.T @ da`: in row i, column j it has v_i da_j.",
    "sum(axis=": "`.sum(axis=(0, 1))` adds up what the steps give.",
    "split(": "`split(a, n)` cuts a row into n equal blocks.",
    "join(": "`join(…)` puts blocks side by side.",
    "sigmoid(": "`sigmoid(z)` is 1 / (1 + e^-z).",
}
ACTIVATIONS = {
    "tanh": "tanh, and `{d}({y})`, its derivative written with its own output, is 1 - {y} * {y}",
    "relu": "ReLU, z where z > 0 and 0 elsewhere, and `{d}({y})` is 1 where {y} > 0 and 0 elsewhere",
    "elu": "ELU, z where z > 0 and e^z - 1 elsewhere, and `{d}({y})` is 1 where {y} > 0 and 1 + {y} elsewhere",
    "identity": "the identity, z, and `{d}({y})` is 1",
}


def document(sheet, key):
    """The blocks of the sheet, or of the key (see `tinyrnn.stepping.paper`)."""
    head = "Solution key" if key else "Backpropagation through time, on paper"
    blocks = [Heading(f"{head}: {sheet.title}", 1)]
    if not key:
        blocks.append(Listing(["Name ______________________________   Date ________________"]))
        rest = "; all others are given" if sheet.given else ""
        blocks.append(Text(f"{sheet.blanks} numbers to fill in, some {sheet.minutes} minutes{rest}."))
    blocks += [Heading("The cell"), Listing(equations(type(sheet.exercise.cell))), *map(Text, meanings(sheet))]
    blocks += [Heading("Given"), *given(sheet)]
    space, (forward, backward, gradients) = 13 if key else 19, sheet.tables
    t = [f"t = {t}" for t in range(STEPS)]
    blocks += [Heading("Forwards: fill in, from left to right")]
    blocks += [Table(["line", "name", *t], filled(sheet, forward, key), space)]
    blocks += [Heading("Backwards: fill in, from left to right")]
    blocks += [Table(["line", "name", *t[::-1]], filled(sheet, backward, key), space)]
    blocks += [Heading("The gradients of the weights")]
    titles = ["line", "name", *(t[::-1] if len(gradients[0][2]) > 1 else []), "sum"]
    blocks += [Table(titles, filled(sheet, gradients, key), space), Heading("And now")]
    for number, (text, id) in enumerate(sheet.closing, 1):
        blocks += [Text(f"{number}. {text}"), Listing([entry(sheet, id, slice(None), key)[0]])]
    return blocks + (check(sheet) if key else [])


def meanings(sheet):
    """What the names in the source mean, as far as they occur, and how numbers are to be rounded."""
    source = " ".join([sheet.exercise.text_of_projection(), *(row[0] for rows in sheet.tables for row in rows)])
    words = [text for sign, text in MEANINGS.items() if re.search(rf"(?<!\w){re.escape(sign)}", source)]
    for f, y in (("phi", "h"), ("sigma", "a")):
        if f"self.{f}(" in source:
            text = ACTIVATIONS[sheet.exercise.cell.activation].format(d=f"self.d{f}", y=y)
            words.append(f"`self.{f}` is {text}.")
    wide = next((name for rows in sheet.tables for _, name, _ in rows if name in ("a", "da")), "a")
    if sheet.exercise.cell.gates:
        gates = sheet.exercise.cell.gates
        told = "`x @ W_x + b`, before h comes in," if wide == "a" else f"`{wide}`"
        label = blocks_of(wide, np.empty(len(gates) * sheet.exercise.cell.hidden_size), sheet.exercise.cell)[0][0]
        words.append(f"`{label}` is the block of {told} that belongs to {gates[0]}, and so on.")
    rule = (
        "No number needs more than two decimals: nothing has to be rounded."
        if sheet.exact
        else "Round every number to three decimals as you write it down, and go on with what you wrote. An answer "
        f"counts as right if it is off by no more than {sheet.tolerance}. The functions are in a table below."
    )
    return [" ".join(words), rule]


def given(sheet):
    """Blocks of what is given: weights, inputs and gradients from above; for rounded sheets the functions as well."""
    cell, blocks, lines = sheet.exercise.cell, [], []
    for name, index in sheet.recording.data["params"].items():
        lines += matrix(name, sheet.recording.array(index), cell)
    x = {e.t: e.value.ravel() for e in sheet.recording if e.name == "x" and not e.backward}
    width = max(len(f"{v:g}") for v in [*cell.params.values(), sheet.exercise.x, sheet.exercise.dh] for v in v.flat)
    rows = [[[f"t = {t}"], [listed(x[t], width)], [listed(sheet.exercise.dh[t, 0], width)]] for t in range(STEPS)]
    states = " and ".join(f"{state}_prev" for state in cell.states)
    out = cell.states[0]
    words = f"Time steps count from 0; at t = 0, {states} {'is' if len(cell.states) == 1 else 'are'} zero. "
    words += f"The loss is the sum over t of {out} times what comes from above, entry by entry: "
    words += f"what comes from above is the gradient d{out} of the step's own part of the loss."
    if len(cell.states) > 1:
        words += f" Nothing comes from above to {cell.states[1]}."
    blocks += [Listing(lines), Table(["", "input x", f"d{out} from above"], rows), Text(words)]
    return blocks if sheet.exact else [*blocks, *functions(sheet)]


def functions(sheet):
    """Tables of tanh and the like at the values that occur: the outputs are recorded, and looked up backwards."""
    found = {}
    for function, value in sheet.exercise.activations():
        outputs = value[value < 0] if function == "elu" else value
        found.setdefault(function, set()).update((three(FUNCTIONS[function](y)), three(y)) for y in outputs)
    blocks = [Text("The functions where you need them; take the nearest z.")]
    for function, pairs in found.items():
        pairs, wide = sorted(pairs, key=lambda pair: float(pair[0])), 8
        name = "e^z - 1" if function == "elu" else function
        lines = []
        for k in range(0, len(pairs), wide):
            for title, n in (("z", 0), (name, 1)):
                lines.append(f"{title:>8}" + "".join(f"{pair[n]:>8}" for pair in pairs[k : k + wide]))
            lines.append("")
        blocks.append(Listing(lines[:-1]))
    return blocks


def filled(sheet, rows, key):
    """The rows of a `Table`, blank or filled in; a value of all gates has a row for each."""
    table, cell, last = [], sheet.exercise.cell, None
    for text, name, ids in rows:
        if not ids:
            table.append([[text], [name], *[[""]] * STEPS])
        for label, part in blocks_of(name, sheet.asked[ids[-1]].answer, cell) if ids else ():
            table.append([["" if text == last else text], [label], *(entry(sheet, id, part, key) for id in ids)])
            last = text
    return table


def entry(sheet, id, part, key):
    """A value as lines of text, one for each row of a matrix: numbers in the key, lines to write on otherwise."""
    answer = np.atleast_2d(sheet.asked[id].answer)[:, part]
    width = 6 if max(answer.shape[1], sheet.exercise.cell.output_size) < 3 else 5
    if not key and id not in sheet.given:
        return ["  ".join(["_" * width] * answer.shape[1])] * len(answer)
    width = width if sheet.exact else 6
    exact = sheet.exact or sheet.asked[id].tolerance == 0
    return ["  ".join(f"{plain(v) if exact else three(v):>{width}}" for v in row) for row in answer]


def check(sheet):
    """The numerical gradients beside the key, line by line."""
    rows, off = [], 0.0
    for line in sheet.exercise.lines("step_backward") + sheet.exercise.lines("gradients"):
        steps = [t for t in range(STEPS)[::-1] if t in line.numerical]
        off = max([off, *(abs(line.numerical[t] - line.values[t]).max() for t in steps)])
        name = f"{line.name} arriving" if line.arriving else line.name
        for label, part in blocks_of(name, next(iter(line.values.values())), sheet.exercise.cell):
            parts = [np.atleast_2d(line.numerical[t])[:, part] if t in steps else None for t in range(STEPS)[::-1]]
            shown = [[] if p is None else ["  ".join(f"{three(v):>6}" for v in row) for row in p] for p in parts]
            rows.append([[label], *(cell or [""] for cell in shown)])
    words = "The gradient of each line worked out in another way, by small changes in the forward pass; weights: "
    words += f"what each step contributes. The largest difference from the key is {off:.0e}.".replace("0e+00", "0")
    titles = ["name", *(f"t = {t}" for t in range(STEPS)[::-1])]
    return [Heading("Self-check: numerical gradients"), Text(words), Table(titles, rows)]


# numbers and names ----------------------------------------------------------------------------------------------------


def equations(cls):
    """The equations in a cell's docstring, or in that of the class it is made from: the first part that is indented."""
    for base in cls.__mro__:
        for part in inspect.cleandoc(base.__dict__.get("__doc__") or "").split("\n\n"):
            lines = part.split("\n")
            if all(line.startswith("    ") for line in lines):
                return [line.removeprefix("    ") for line in lines]
    return [cls.__name__]


def blocks_of(name, value, cell):
    """[(label, slice)]: the blocks of the last axis, one for each gate, if there are any.

    `a_i` is what gate i is made of, and `ax_i` its block of the projection; a weight of GRU is called `b_n`, and the
    block of b is `b of n`.
    """
    H, wide = cell.hidden_size, np.shape(value)[-1]
    if not cell.gates or wide <= H or wide % H or wide // H > len(cell.gates):
        return [(name, slice(None))]
    is_weight = name.removeprefix("d") in cell.params
    start = f"{name} of " if is_weight else "ax_" if name == "a" else f"{name}_"
    return [(f"{start}{gate}", slice(k * H, k * H + H)) for k, gate in enumerate(cell.gates[: wide // H])]


def matrix(name, value, cell):
    """A weight as aligned lines, its blocks under the names of their gates."""
    blocks = blocks_of(name, value, cell)
    rows = [[listed(row[part], 4) for _, part in blocks] for row in np.atleast_2d(value)]
    starts = [f"{name:>6} =", *[" " * 8] * (len(rows) - 1)]
    lines = [f"{start}  {'   |   '.join(row)}" for start, row in zip(starts, rows, strict=True)]
    if len(blocks) > 1:
        titles = [label.removeprefix(f"{name} of ").rjust(len(rows[0][0])) for label, _ in blocks]
        lines.insert(0, f"{' ' * 8}  {'   |   '.join(titles)}")
    return [*lines, ""]


def listed(values, width):
    """Values in one line, each `width` wide, two blanks between them."""
    return "  ".join(f"{plain(value):>{width}}" for value in values)


def plain(value):
    """A number as short text, six digits; -0 is written 0."""
    return f"{value + 0.0:g}"


def three(value):
    """Three decimals, and no minus before zero."""
    return f"{round(float(value), 3) + 0.0:.3f}"
