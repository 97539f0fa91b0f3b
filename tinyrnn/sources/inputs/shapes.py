"""Shapes of a function's arguments, told from its docstring ("x: data of shape (N, D)") or from their names.

A shape is a tuple of sizes; every letter in it stands for a size of its own, so that no two axes can be mixed up
without notice.
"""

import ast
import math
import re
from dataclasses import dataclass
from itertools import product

from tinyrnn.sources.vocabulary import SAME_SIZE, SIZES

LETTERS = dict(zip(SIZES, (3, 4, 2, 5, 6, 7, 8), strict=True))
FILTER = dict.fromkeys(("HH", "WW", "FH", "FW", "KH", "KW", "filter_height", "filter_width"), 3)
FLATTENED = {"d1": 2, "d_1": 2, "dk": 3, "d_k": 3}  # (N, d_1, ..., d_k) is D = d_1 * ... * d_k when flattened

BRACKETED = re.compile(r"\(([^()\n]{1,60})\)|\[([^\[\]\n]{1,60})\]")
CROSSED = re.compile(r"\b(\w+(?: x \w+)+)\b")  # "N x D"
FAR = 200  # characters from an argument's name to its shape, at most


class Sizes(dict):
    """Letter -> size, all different; a letter not met before gets a size of its own."""

    def __init__(self, T=None, N=None, D=None, H=None):
        super().__init__(FLATTENED | FILTER)
        fixed = {letter: size for letter, size in (("D", D), ("H", H)) if size is not None}
        taken = set(fixed.values())
        for letter, size in {**LETTERS, "N": N or LETTERS["N"], "T": T or LETTERS["T"]}.items():
            while size in taken and letter not in fixed:
                size += 1
            self[letter] = fixed.get(letter, size)
            taken.add(self[letter])

    def of(self, name):
        """The size that a letter or word stands for, a new one, unlike all others, where it is met first."""
        name = SAME_SIZE.get(name, name)
        if name not in self:
            self[name] = max(self.values()) + 1
        return self[name]


# what docstrings say --------------------------------------------------------------------------------------------------


def documented(name, doc, others, sizes):
    """(shape, what is said about it) of the argument `name` in a docstring; (None, "") if it is not said.

    others: the names of all arguments: where the entry of another one begins, that of `name` ends.
    """
    begins = "|".join(re.escape(other) for other in others if other != name)
    other = re.compile(rf"(?<![\w.'\"])(?:{begins})(?:\s*[:(]|\s+\(|\s+--?\s|\s+(?:is|are|of)\s)") if begins else None
    several = r"(?:\s*(?:,|and|&)\s*[A-Za-z_]\w*\b(?!\s*[=.]))*"  # x, h and c (N, H): shared by all of them
    for match in re.finditer(rf"(?<![\w.])`*{re.escape(name)}`*{several}(?![\w.])", doc):
        text = re.split(r"\n\s*\n|->|\breturns?\b", doc[match.end() : match.end() + FAR], maxsplit=1, flags=re.I)[0]
        interrupted = other.search(text) if other else None
        text = text[: interrupted.start()] if interrupted else text
        entry = re.split(r"\n\s*[-*]?\s*`*\w+`*\s*(?:,\s*\w+\s*)*(?::|--)", text, maxsplit=1)[0]
        for start, end, found in shapes_in(entry):
            shape = evaluated(found, sizes)
            if shape is not None:
                before = re.split(r"[,;:.()\n]", doc[: match.start()])[-1]
                after = re.split(r"[,;\n]", entry[end:])[0]
                return shape, f"{before}{name}{entry[:start]}{after}"
    return None, ""


def shapes_in(text):
    """[(start, end, text)] of what may be a shape, in order: `N, D` of "(N, D)" or "[N, D]", and of "N x D"."""
    found = [(*m.span(), next(g for g in m.groups() if g is not None)) for m in BRACKETED.finditer(text)]
    return sorted(found + [(*m.span(), m[1].replace(" x ", ",")) for m in CROSSED.finditer(text)])


def evaluated(text, sizes):
    """The shape that "N, 4*H" stands for; None for what is none."""
    text = re.sub(r"(\d)\s*([A-Za-z])", r"\1*\2", text.replace("×", "*"))
    parts = [part.strip() for part in text.split(",")]
    comma = len(parts) > 1 and parts[-1] == ""
    parts = parts[:-1] if comma else parts
    if not parts or (len(parts) == 1 and not comma and not re.fullmatch(r"\d*\*?[A-Z]\w*", parts[0])):
        return None
    try:
        shape = [size for part in parts for size in dimension(part, sizes)]
    except (SyntaxError, ValueError):
        return None
    if any(part in ("...", "…") for part in parts):
        sizes["D"] = math.prod(shape[1:])
    return tuple(shape) if all(1 <= size <= 100 for size in shape) else None


def dimension(text, sizes):
    """The sizes a part of a shape stands for: one, or none for "...", which adds nothing to its neighbours."""
    if text in ("...", "…"):
        return []
    tree = ast.parse(text, mode="eval").body

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and (len(node.id) <= 3 or "_" in node.id or node.id in SAME_SIZE):
            return sizes.of(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv):
            left, right = value(node.left), value(node.right)
            signs = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
            return signs[type(node.op)] if type(node.op) in signs else left // max(right, 1)
        raise ValueError("no size")

    return [value(tree)]


# how arrays lie -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """How arrays lie: with vectors as rows (N, D), as columns (D, N), one column (D, 1), one row (1, D), or alone (D,),
    where `left` matrices stand left of them; where the axis of steps is: "once" for a step alone, "within" where the
    one column or row has one beside it for each step, (D, T); blocks side by side in joined weights; whether W works on
    the state and U on the input, or the other way round."""

    layout: str
    time: str
    blocks: int
    swapped: bool

    @property
    def is_single(self):
        """Whether there is one sequence, rather than a batch."""
        return self.layout not in ("rows", "columns")


def worlds(loops, single=False, steps=None):
    """All the `World`s, the likeliest first. loops: whether the function has a loop, over time presumably. single:
    whether the source takes one sequence, so that what has a batch is tried last. steps: where it takes its steps from,
    a path of `uses`."""
    times = ("second", "first", "last", "once") if loops else ("once", "second", "first", "last")
    if steps is not None and (steps[0] == "i" or single):
        times = ("first", "second", "last", "once")
    layouts = ("rows", "columns", "column", "alone", "alone-left")
    if single:
        layouts = ("column", "alone-left", "row", "alone", "columns", "rows")
    if steps is not None and "c" in steps:
        times = ("within", *times)
        layouts = ("row", *layouts) if steps[0] == "c" else layouts
    for layout, time, blocks, swapped in product(layouts, times, (1, 4, 3, 2), (False, True)):
        yield World(layout, time, blocks, swapped)


def batch_of(world, sizes):
    """The axis of sequences, as a tuple: none where vectors are alone."""
    if world.layout.startswith("alone"):
        return ()
    return (1,) if world.is_single else (sizes["N"],)


def class_shape(world, sizes):
    """The shape of class numbers, one where the data has a vector: their features are no axis."""
    N = () if world.is_single else batch_of(world, sizes)
    if world.time == "once":
        return N
    return (sizes["T"], *N) if world.time == "first" else (*N, sizes["T"])


def shape_of(role, own_gate, world, sizes):
    """The shape of an argument with that role."""
    if role in ("W", "U"):
        role = "W_h" if (role == "U") != world.swapped else "W_x"
    N = batch_of(world, sizes)
    D, H, T = sizes["D"], sizes["H"], (sizes["T"],)
    wide = H if own_gate else world.blocks * H
    rows = world.layout in ("rows", "row", "alone")
    if role in ("x", "chance"):
        vector = (*N, D) if rows else (D, *N)
        if world.time == "within":
            return (*T, D) if rows else (D, *T)
        cut = {"first": 0, "second": 1, "last": len(vector)}.get(world.time)
        return vector if cut is None else (*vector[:cut], *T, *vector[cut:])
    if role == "scale":
        return (D,) if rows or not N else (D, 1)
    if role == "state":
        return (*N, H) if rows else (H, *N)
    if role in ("b", "b_y"):
        width = wide if role == "b" else sizes["C"]
        return (width,) if rows or not N else (width, 1)
    into, out = {"W_x": (D, wide), "W_h": (H, wide), "W_xh": (D + H, wide), "W_y": (H, sizes["C"])}[role]
    return (into, out) if rows else (out, into)
