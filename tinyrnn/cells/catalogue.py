"""The table of all cells, made from the cells: what each is, its source, state, parameters, cost and use.

Words come from the docstrings: `Name (Source).` at the beginning and `Good for: …` at the end. Numbers come from the
cells themselves: parameters are counted, operations are counted while a step runs on symbolic arrays
(`tinyrnn.compiler`), both at several sizes, and the formula is the one that fits all of them exactly.
"""

import inspect
import itertools
import math
import re
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.compiler.draft import draft_forward
from tinyrnn.compiler.nodes import Elementwise, Fourier, Gather, Pick, Product, Sum, Untraceable

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
SIZES = [(n, H) for H in (32, 64, 128, 256, 512) for n in (5, 11)]  # above the defaults of options such as a rank
ONE_EACH = (Elementwise, Gather, Pick)  # operations for every entry of the result

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
        """Its line of the table."""
        names = ", ".join(f"`{name}`" for name in self.names)
        return f"| {' | '.join((names, *self[1:]))} |\n"


def catalogue():
    """A list of `Entry`: one for each cell, or for several of one class and size, of which the first is counted."""
    entries = {}
    for name, (cls, options) in CELLS.items():
        made = {size: cls(*size, rng=0, **options) for size in SIZES}
        parameters = formula({size: count_parameters(cell) for size, cell in made.items()})
        if (cls, parameters) not in entries:
            found = *words(cls), state(made), parameters, operations(made), good_for(cls)
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
    """The paragraphs of a class's docstring, each in one line."""
    return [" ".join(part.split()) for part in inspect.cleandoc(cls.__doc__).split("\n\n")]


# numbers --------------------------------------------------------------------------------------------------------------


def state(made):
    """The state's parts with their sizes, such as "h (H), c (H)". made: (n, H) -> cell."""
    names = next(iter(made.values())).states
    sizes = [formula({size: cell.state_sizes[k] for size, cell in made.items()}) for k in range(len(names))]
    return ", ".join(f"{name} ({size})" for name, size in zip(names, sizes, strict=True))


def count_parameters(cell):
    """How many numbers a cell learns."""
    return sum(value.size for value in cell.params.values())


def operations(made):
    """The formula of the number of operations of a step, or why there is none."""
    try:
        return formula({size: count_operations(cell) for size, cell in made.items()})
    except Untraceable as reason:
        return f"not counted: it {reason}"


def count_operations(cell):
    """How many operations one step of `cell` takes for one sequence; raises Untraceable where it cannot be traced."""
    x = np.zeros((1, 1, cell.input_size), cell.dtype)
    nodes = draft_forward(cell, cell.derive(cell.params), x, None).plan.nodes
    products = {pair for node in nodes if isinstance(node, Product) for pair in node.args}
    total = sum(math.prod(W.shape) for _, W in products)
    for node in nodes:
        if isinstance(node, Fourier):
            total += round(5 * node.shape[1] * math.log2(node.shape[1]))
        elif isinstance(node, Sum):
            total += math.prod(node.args[0].shape)
        elif isinstance(node, ONE_EACH) and node.rows and node.op != "real":  # a truth value as a number costs nothing
            total += node.size
    return total


def formula(counts):
    """The sum of the fewest terms that gives all these counts, as text. ValueError if there is none.

    counts: (n, H) -> a number. As there are five H, and five terms of H alone, no two sums give the same counts.
    """
    for size in range(6):
        for terms in itertools.combinations(TERMS, size):
            factors = fit(counts, terms)
            if factors is not None:
                written = [
                    f"{'+' if k > 0 else '−'} {factored(abs(k), t)}" for k, t in zip(factors, terms, strict=True)
                ]
                return " ".join(written).removeprefix("+ ") or "0"
    raise ValueError(f"no sum of {', '.join(TERMS)} is {counts}")


def fit(counts, terms):
    """The factors of `terms`, Fractions, with which they give the counts exactly, or None."""
    A = np.array([[TERMS[term](n, H) for term in terms] for n, H in counts], float).reshape(len(counts), len(terms))
    b = np.array(list(counts.values()), float)
    scale = abs(A).max(axis=0, initial=0)  # so that a squared term does not drown a constant
    found = np.linalg.lstsq(A / scale, b, rcond=None)[0] / scale
    factors = [Fraction(round(2 * k), 2) for k in found]
    return factors if np.array_equal(np.round(A @ np.array(factors, float), 6), b) else None


def factored(k, term):
    """One summand of a formula as text."""
    if term == "1":
        return str(k) if k.denominator == 1 else str(float(k))
    return term if k == 1 else f"{k if k.denominator == 1 else float(k)} {term}"
