"""Find the bug: a backward pass of the package with one of the known mistakes planted in it, and what a check sees.

A round shows the source of `step_backward` with one line exchanged, and the table of `tinyrnn.gradcheck` for it; the
player accuses a line. A seed stands for the same ten mistakes on the page and in the terminal (`chosen`).
"""

import ast
import inspect
import linecache
import textwrap
import zlib
from functools import cache
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.checking.gradcheck import gradcheck
from tinyrnn.core import ops
from tinyrnn.core.cell import keyword_names
from tinyrnn.play.drawing import source
from tinyrnn.verdicts.mistakes import JOINED, OF_CELLS, SECTIONS, KnownMistake

PLAYED = {"elman": "elman", "lt-rnn": "lt-ornn", "lmn": "lmn", "lstm": "lstm", "gru": "gru"}  # family -> cell
ROUNDS = 10
T, B, INPUTS, UNITS = 3, 2, 2, 3  # of what is checked
EXPRESSIONS = {"np": np, **{name: getattr(ops, name) for name in ("tanh", "sigmoid", "split", "join")}}


class Round(NamedTuple):
    """mistake: what is planted. cell: the name of the cell. lines: of its step back, (number in the file, text), of
    which `wrong` is the place of the exchanged one and `right` its own text. table: of the check, (what, errors at each
    step and in total, whether it is wrong)."""

    mistake: KnownMistake
    cell: str
    lines: tuple
    wrong: int
    right: str
    table: tuple

    def as_json(self):
        """What the page needs of it."""
        m = self.mistake
        words = {"name": m.name, "title": m.title, "question": m.question, "hint": m.hint, "section": m.section}
        shown = {
            "forwards": [line.text for line in source(made(self.cell), "step")],
            "cell": self.cell,
            "lines": self.lines,
            "wrong": self.wrong,
            "right": self.right,
            "table": self.table,
        }
        return {**words, "about": SECTIONS[m.section], **shown}


@cache
def candidates():
    """The mistakes that can be planted in a line of a cell's step back, by name."""
    return {m.name: m for m in OF_CELLS if m.of in PLAYED and not m.convention and planted(m) is not None}


def chosen(seed, names=None, count=ROUNDS):
    """The names of `count` mistakes for a seed, of all or of those in `names`, in the order in which they are played:
    those whose name hashes lowest, each about another line as long as there are others."""
    found, seen, first, again = candidates(), set(), [], []
    for name in sorted(names or found, key=lambda name: zlib.crc32(f"{seed}:{name}".encode())):
        key = found[name].of, found[name].line
        (again if key in seen else first).append(name)
        seen.add(key)
    return (first + again)[:count]


@cache
def make_round(name):
    """The `Round` of a mistake; ValueError, in one line, where there is none of that name that can be planted."""
    if name not in candidates():
        raise ValueError(f"no mistake {name!r} that can be planted; `tinyrnn play --bugs --list` lists them")
    mistake = candidates()[name]
    cell_name = PLAYED[mistake.of]
    broken, place, text = planted(mistake)
    lines = [[line.number, line.text] for line in source(made(cell_name), "step_backward")]
    right = lines[place][1]
    lines[place] = [lines[place][0], text]
    cell = broken(INPUTS, UNITS, rng=0, **CELLS[cell_name][1])
    return Round(mistake, cell_name, tuple(map(tuple, lines)), place, right, table(cell))


def made(name):
    """The cell of that name, as it should be."""
    cls, options = CELLS[name]
    return cls(INPUTS, UNITS, rng=0, **options)


@cache
def planted(mistake):
    """(The cell's class with the mistake in its step back, which line that is, the line as it reads now); None where
    the mistake is about no line of it, or reads what a step back does not have."""
    cls, _ = CELLS[PLAYED[mistake.of]]
    method = cls.step_backward
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(method))).body
    instead = ast.parse(mistake.instead, mode="eval").body
    before = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)} - {"self"}
    fitting = [k for k, each in enumerate(function.body) if fits(each, mistake)]
    if not fitting:
        return None
    place = fitting[0]
    is_named = function.body[place].targets[0].id == mistake.line  # what follows goes by that name, then
    for k in fitting[: 1 if is_named else None]:
        exchange(function.body[k], mistake, instead)
    statement = function.body[place]
    before |= {name for each in function.body[:place] for name in names(each, ast.Store)}
    asked = names(instead, ast.Load) - before - EXPRESSIONS.keys()
    if asked - on_tape(cls):
        return None
    function.args.kwonlyargs += [ast.arg(name) for name in sorted(asked)]
    function.args.kw_defaults += [None] * len(asked)
    text = ast.unparse(ast.Module([function], []))
    file = f"<{mistake.name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # so that its source can be shown
    space = {**method.__globals__, **EXPRESSIONS}
    exec(compile(text, file, "exec"), space)
    broken = type(cls.__name__, (cls,), {"step_backward": space["step_backward"]})
    broken.step_needs = keyword_names(broken.step_backward)
    return broken, place, ast.unparse(statement)


def fits(statement, mistake):
    """Whether an assignment, or its block of a join, is the line that a mistake is about."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return False
    is_join = isinstance(statement.value, ast.Call)
    return target.id == mistake.line or (is_join and mistake.line in blocks_of(target, mistake))


def blocks_of(target, mistake):
    """The names of what is joined under a name."""
    return JOINED.get(mistake.of, {}).get(target.id, ())


def exchange(statement, mistake, instead):
    """Put the wrong expression into a statement that fits."""
    target = statement.targets[0]
    if target.id == mistake.line:
        statement.value = instead
    else:
        statement.value.args[blocks_of(target, mistake).index(mistake.line)] = instead


def names(node, kind):
    """The names that are read (ast.Load) or assigned (ast.Store) in a node."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}


@cache
def on_tape(cls):
    """The names that a step back may ask for."""
    cell = cls(INPUTS, UNITS, rng=0)
    return set(cell.forward(np.zeros((1, 1, INPUTS)))[1].names) - {"a"}


def table(cell):
    """Of the gradient check: (what, errors at each step and in total as texts, whether it is wrong) for each row."""
    rows = {}
    for row in gradcheck(cell, T=T, B=B, rng=0).rows:
        what = row.name if row.gate is None else f"{row.name} [{row.gate}]"
        rows.setdefault(what, []).append(row)
    return tuple((what, texts(found), any(row.verdict == "wrong" for row in found)) for what, found in rows.items())


def texts(rows):
    """The errors of one line of the table, at each step and in total; empty where a step has none."""
    at = {row.t: f"{row.error:.0e}" for row in rows}
    return tuple(at.get(t, "") for t in (*range(T), None))
