"""The table of all cells, made from the cells: what each is, its source, state, parameters, cost and use.

Words come from the docstrings: `Name (Source).` at the beginning and `Good for: …` at the end. Numbers come from the
cells themselves: parameters are counted, operations are counted while a step runs on symbolic arrays
(`tinyrnn.compiler`), both at several sizes, and the formula is the one that fits all of them exactly.
"""

import inspect
import math
import re
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.compiler.kernels import draft_forward
from tinyrnn.compiler.nodes import Untraceable

# What a count may be made of; n: input_size, H: hidden_size.
TERMS = {
    "H²": lambda n, H: H * H,
    "n H": lambda n, H: n * H,
    "H log₂ H": lambda n, H: H * math.log2(H),
    "H": lambda n, H: H,
    "log₂ H": lambda n, H: math.log2(H),
    "n": lambda n, H: n,
    "1": lambda n, H: 1,
}
SIZES = [(n, H) for H in (8, 16, 32, 64, 128, 256) for n in (5, 11)]  # more than there are terms
ELEMENTWISE = ("op", "gather", "pick")

HEADER = """\
# Every cell

Made by `tinyrnn cells` from the cells themselves. n is `input_size`, H is `hidden_size`; a complex unit is two reals.
Parameters include a learned initial state where it is the default. Operations are those of one step forward for one
sequence, input and state: a multiplication with its addition counts as one, so does any function of one number, and a
Fourier transform of m numbers counts as 5 m log₂ m. Weights that are derived from other weights are made once a
sequence and not counted.

| name | what it is | source | state | parameters | operations a step | good for |
|---|---|---|---|---|---|---|
"""


class Entry(NamedTuple):
    """One line of the table; everything is text, `names` the cell's names on the command line."""

    names: list
    what: str
    source: str
    state: str
    parameters: str
    operations: str
    good_for: str

    @property
    def row(self):
        names = ", ".join(f"`{name}`" for name in self.names)
        return f"| {' | '.join((names, *self[1:]))} |\n"


def catalogue():
    """A list of `Entry`: one for each cell, or for several of one class and size, of which the first is counted."""
    entries = {}
    for name, (cls, options) in CELLS.items():
        parameters = formula(counted(cls, options, count_parameters))
        if (cls, parameters) not in entries:
            found = *words(cls), state(cls, options), parameters, operations(cls, options), good_for(cls)
            entries[cls, parameters] = Entry([], *found)
        entries[cls, parameters].names.append(name)
    return list(entries.values())


def markdown():
    """The whole page, `lectures/cells.md`."""
    return HEADER + "".join(entry.row for entry in catalogue())


# words ----------------------------------------------------------------------------------------------------------------


def words(cls):
    """What the cell is, and its source, from `Name (Source).`, how a cell's docstring begins."""
    found = re.match(r"([^(]+) \((.+?)\)", paragraphs(cls)[0])
    if not found:
        raise ValueError(f"the docstring of {cls.__name__} must begin with: Name (Source).")
    return found.groups()


def good_for(cls):
    """The sentence behind `Good for:`, the last paragraph of a cell's docstring."""
    last = paragraphs(cls)[-1]
    if not last.startswith("Good for: "):
        raise ValueError(f"the docstring of {cls.__name__} must end with a paragraph: Good for: …")
    return last.removeprefix("Good for: ")


def paragraphs(cls):
    return [" ".join(part.split()) for part in inspect.cleandoc(cls.__doc__).split("\n\n")]


# numbers --------------------------------------------------------------------------------------------------------------


def counted(cls, options, count):
    """(n, H) -> count(cell), for cells of all `SIZES`."""
    return {size: count(cls(*size, rng=0, **options)) for size in SIZES}


def state(cls, options):
    """The state's parts with their sizes, such as "h (H), c (H)"."""
    sizes = [formula(counted(cls, options, lambda cell, k=k: cell.state_sizes[k])) for k in range(len(cls.states))]
    return ", ".join(f"{part} ({size})" for part, size in zip(cls.states, sizes, strict=True))


def count_parameters(cell):
    return sum(value.size for value in cell.params.values())


def operations(cls, options):
    """The formula of the number of operations of a step, or why there is none."""
    try:
        return formula(counted(cls, options, count_operations))
    except Untraceable as reason:
        return f"not counted: it {reason}"


def count_operations(cell):
    """How many operations one step of `cell` takes for one sequence; raises Untraceable where it cannot be traced."""
    x = np.zeros((1, 1, cell.input_size), cell.dtype)
    nodes = draft_forward(cell, cell.derive(cell.params), x, None).plan.nodes
    products = {pair for node in nodes if node.kind == "matmul" for pair in node.args}
    total = sum(math.prod(W.shape) for _, W in products)
    for node in nodes:
        if node.kind == "fourier":
            total += round(5 * node.shape[1] * math.log2(node.shape[1]))
        elif node.kind == "sum":
            total += math.prod(node.args[0].shape)
        elif node.kind in ELEMENTWISE and node.rows:
            total += node.size
    return total


def formula(counts):
    """The sum of terms that gives all these counts, as text. counts: (n, H) -> a number. ValueError if there is none.

    Of all sums that fit, one with few terms: terms are left out, the last first, as long as the rest still fits.
    """
    terms = list(TERMS)
    for term in reversed(TERMS):
        if (rest := [t for t in terms if t != term]) and fit(counts, rest) is not None:
            terms = rest
    factors = fit(counts, terms)
    if factors is None:
        raise ValueError(f"no sum of {', '.join(TERMS)} is {counts}")
    written = [("+" if k > 0 else "−", factored(abs(k), term)) for k, term in zip(factors, terms, strict=True) if k]
    text = " ".join(f"{sign} {factor}" for sign, factor in written) or "0"
    return text.removeprefix("+ ")


def fit(counts, terms):
    """The factors of `terms`, Fractions, with which they give the counts exactly, or None."""
    A = np.array([[TERMS[term](n, H) for term in terms] for n, H in counts], float)
    b = np.array(list(counts.values()), float)
    scale = abs(A).max(axis=0)  # so that a squared term does not drown a constant
    found = np.linalg.lstsq(A / scale, b, rcond=None)[0] / scale
    factors = [Fraction(round(2 * k), 2) for k in found]
    return factors if np.array_equal(np.round(A @ np.array(factors, float), 6), b) else None


def factored(k, term):
    if term == "1":
        return str(k) if k.denominator == 1 else str(float(k))
    return term if k == 1 else f"{k if k.denominator == 1 else float(k)} {term}"
