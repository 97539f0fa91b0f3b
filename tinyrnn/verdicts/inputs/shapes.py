"""Shapes of a function's arguments, told from its docstring ("x: data of shape (N, D)") or from their names.

A shape is a tuple of sizes; every letter in it stands for a size of its own, so that no two axes can be mixed up
without notice.
"""

import ast
import math
import re
from dataclasses import dataclass
from itertools import product

LETTERS = {"N": 3, "T": 4, "D": 2, "H": 5, "C": 6, "V": 7, "M": 8}
SAME = {"B": "N", "m": "N", "batch": "N", "batch_size": "N", "T_x": "T", "T_y": "T", "seq_len": "T", "time": "T"}
SAME |= {"n_x": "D", "input_size": "D", "input_dim": "D", "n_a": "H", "n_h": "H", "hidden_size": "H", "hidden_dim": "H"}
SAME |= {"n_y": "C", "output_size": "C", "output_dim": "C", "num_classes": "C", "vocab_size": "V"}
FLATTENED = {"d1": 2, "d_1": 2, "dk": 3, "d_k": 3}  # (N, d_1, ..., d_k) is D = d_1 * ... * d_k when flattened

BRACKETED = re.compile(r"\(([^()\n]{1,60})\)|\[([^\[\]\n]{1,60})\]")
CROSSED = re.compile(r"\b(\w+(?: x \w+)+)\b")  # "N x D"
FAR = 200  # characters from an argument's name to its shape, at most


class Sizes(dict):
    """Letter -> size, all different; a letter not met before gets a size of its own."""

    def __init__(self, T=None, N=None, D=None, H=None):
        super().__init__(FLATTENED)
        fixed = {letter: size for letter, size in (("D", D), ("H", H)) if size is not None}
        taken = set(fixed.values())
        for letter, size in {**LETTERS, "N": N or LETTERS["N"], "T": T or LETTERS["T"]}.items():
            while size in taken and letter not in fixed:
                size += 1
            self[letter] = fixed.get(letter, size)
            taken.add(self[letter])

    def of(self, name):
        name = SAME.get(name, name)
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
        if isinstance(node, ast.Name) and (len(node.id) <= 3 or "_" in node.id or node.id in SAME):
            return sizes.of(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv):
            left, right = value(node.left), value(node.right)
            signs = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
            return signs[type(node.op)] if type(node.op) in signs else left // max(right, 1)
        raise ValueError("no size")

    return [value(tree)]


# what names say -------------------------------------------------------------------------------------------------------

X = "x xs xt xseq input inputs inp data features z a s scores score logits out in ain u v"
STATE = "h h0 hprev prevh hinit hidden state hstate hiddenstate prevstate aprev a0 sprev s0 prevs htm1 hpre hold hlast"
STATE += " c c0 cprev prevc cinit cell cellstate ctm1 cpre cold mprev m0"
W_X = "wx wxh wih wax win wi weightih kernel winput"
W_H = "wh whh waa wrec wr weighthh recurrentkernel whidden"
W_Y = "why wya wy wout who v weightout"
BIAS = "b bh bx ba bias bih bhh biash"
ROLES = {"x": X, "state": STATE, "W_x": W_X, "W_h": W_H, "W_y": W_Y, "b": BIAS, "b_y": "by bout biasy"}
ROLES |= {"y": "y ytrue target targets label labels t captions captionsout", "mask": "mask masks"}
ROLES |= {"chance": "p probs prob proba yhat ypred ypreds pred preds predictions al"}
ROLES |= {"number": "lr reg lam lambda alpha eps epsilon rho momentum slope rate gain dt dloss"}
ROLES |= {"D": "inputsize inputdim nin infeatures nx d insize xdim", "H": "hiddensize hiddendim nhidden nh units"}
ROLES |= {"C": "outputsize outputdim nout numclasses ny outfeatures nclasses", "V": "vocabsize", "rng": "rng seed"}
BY_NAME = {name: role for role, names in ROLES.items() for name in names.split()}
GATE = re.compile(r"^(?P<what>w|u|wx|wh|b)(?P<gate>[fiogczrnu])$")


@dataclass(frozen=True)
class World:
    """How arrays lie: with vectors as rows (N, D), as columns (D, N), one column (D, 1), or alone (D,), where `left`
    matrices stand left of them; what there is for every step: "once" for a step alone; blocks side by side in joined
    weights; whether W works on the state and U on the input, or the other way round."""

    layout: str
    time: str
    blocks: int
    swapped: bool


def worlds(loops):
    """All the `World`s, the likeliest first. loops: whether the function has a loop, over time presumably."""
    times = ("second", "first", "last", "once") if loops else ("once", "second", "first", "last")
    layouts = ("rows", "columns", "column", "alone", "alone-left")
    for layout, time, blocks, swapped in product(layouts, times, (1, 4, 3, 2), (False, True)):
        yield World(layout, time, blocks, swapped)


def role_of(name, names):
    """(role, whether it is one gate's alone) of an argument; role None if its name says nothing.

    names: those of all arguments. `Wf` is made for `[h, x]`, or for x where there is a `Uf`; `Wo` and `bo` are the
    output layer's where no other gate has one.
    """
    flat, all_flat = flattened(name), {flattened(other) for other in names}
    if {"u", "w", "v"} <= all_flat and flat in "vc":  # h = tanh(U x + W h + b), y = V h + c
        return {"v": "W_y", "c": "b_y"}[flat], False
    if name in LETTERS:
        return name, False
    gate = GATE.match(flat)
    alike = [m for o in all_flat if (m := GATE.match(o)) and gate and m["what"] == gate["what"] and m["gate"] != "o"]
    if len(alike) > 1:
        what = gate["what"]
        if what == "w":
            what = "wx" if f"u{gate['gate']}" in all_flat else "joint"
        return {"wx": "W_x", "u": "W_h", "wh": "W_h", "b": "b", "joint": "W_xh"}[what], True
    if flat in ("wo", "bo"):
        return {"wo": "W_y", "bo": "b_y"}[flat], False
    if flat in ("w", "u"):
        hidden = any(BY_NAME.get(other) == "state" for other in all_flat)
        if not hidden and flat == "u":
            return "x", False
        others = {BY_NAME.get(other) for other in all_flat} & {"W_x", "W_h"} or "u" in all_flat
        return ("W_xh" if hidden and not others else "W" if flat == "w" else "U"), False
    if {"gamma", "beta"} <= all_flat and flat in ("gamma", "beta"):
        return "scale", False
    if flat == "v" and not {"w", "u"} & all_flat:
        return "x", False
    return BY_NAME.get(flat, "x" if len(names) == 1 else None), False


def flattened(name):
    return name.replace("_", "").lower()


def shape_of(role, own_gate, world, sizes):
    """The shape of an argument with that role."""
    if role in ("W", "U"):
        role = "W_h" if (role == "U") != world.swapped else "W_x"
    N = () if world.layout.startswith("alone") else (1,) if world.layout == "column" else (sizes["N"],)
    D, H, T = sizes["D"], sizes["H"], (sizes["T"],)
    wide = H if own_gate else world.blocks * H
    rows = world.layout in ("rows", "alone")
    if role in ("x", "chance"):
        vector = (*N, D) if rows else (D, *N)
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
