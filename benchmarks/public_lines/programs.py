"""Public programs with hand-written backward passes, and mistakes planted in them.

No line of those programs is kept here: `fetch.py` gets the files, and a `Subject` names the definitions that are taken
from them, what has to be changed so that they can be called (weights that were globals become arguments), and how. A
`Mistake` replaces a few characters of one statement. README.md lists the repositories, commits and licences.
"""

import ast
import importlib.util
import json
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FILES = HERE / "files"  # where fetch.py puts them; not part of the repository
SOURCES = tomllib.loads((HERE / "sources.toml").read_text(encoding="utf-8"))
MISTAKES = {
    key: rows
    for path in sorted(HERE.glob("mistakes*.toml"))
    for key, rows in tomllib.loads(path.read_text(encoding="utf-8")).items()
}


@dataclass(frozen=True)
class Mistake:
    """In the functions named in `changes`, [(function or "Class.method", old, new), ...], each `old` becomes `new`.

    name: a pattern for the name of the known mistake that this is; empty if it is none.
    """

    name: str
    changes: tuple

    def __str__(self):
        return "; ".join(f"{where}: {new!r} for {old!r}" for where, old, new in self.changes)


@dataclass(frozen=True)
class Part:
    """A module made of the definitions `take` of a file, with text put `before` and `after` them, and `edits`."""

    path: str
    take: str
    edits: tuple = ()
    before: str = ""
    after: str = ""
    module: str = "program"


@dataclass
class Given:
    """What the line verdicts are given: forward, backward (None for a function that returns a loss and its gradients)
    and inputs; and for those who check it by differences: the arrays, changed in place, `value()`, `gradients()`."""

    forward: Callable
    backward: Callable | None
    inputs: dict
    arrays: dict
    value: Callable
    gradients: Callable


@dataclass(frozen=True)
class Subject:
    """`make(module)` is the `Given` of a program; the last of its `parts` is that module.

    published: what it is as published, "right" or why it is wrong; edits that put it right are then in `parts`.
    """

    program: str
    name: str
    parts: tuple
    make: Callable
    published: str = "right"

    @property
    def mistakes(self):
        """The mistakes planted in it, in the order of mistakes.toml."""
        return [mistake(row) for row in MISTAKES.get(f"{self.program}: {self.name}", ())]


def mistake(row):
    """A row of mistakes.toml: [name, function, old, new], and more triples for several mistakes at once."""
    name, *rest = row
    return Mistake(name, tuple(tuple(rest[k : k + 3]) for k in range(0, len(rest), 3)))


# how programs are called ----------------------------------------------------------------------------------------------


def numbers(seed=0):
    """A function that makes arrays of normal numbers, of the shape it is called with."""
    rng = np.random.default_rng(seed)
    return lambda *shape: rng.normal(size=shape)


def above(value, k=0):
    """The gradient that comes from above in the check by differences: fixed, and of everything."""
    return np.cos(np.arange(np.size(value)) * 1.3 + k).reshape(np.shape(value))


def is_float(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def pair(forward, backward, results, outputs=1, **inputs):
    """forward(**inputs) -> outputs, cache; backward(*gradients from above, cache) -> gradients of `results`."""

    def run():
        returned = forward(**copied(inputs))
        return returned[:outputs], returned[-1]

    def gradients():
        out, cache = run()
        found = backward(*(above(o, k) for k, o in enumerate(out)), cache)
        return dict(zip(results.split(), found if isinstance(found, tuple) else (found,), strict=True))

    def value():
        return sum(np.sum(above(o, k) * o) for k, o in enumerate(run()[0]))

    return Given(forward, backward, inputs, inputs, value, gradients)


def loss(function, results, **inputs):
    """function(**inputs) -> loss, gradients of `results`, and what else there is."""

    def run():
        return function(**copied(inputs))

    def gradients():
        found = run()[1]
        found = found if isinstance(found, dict) else run()[1:]
        names = results.split()
        return {n: found[n] for n in names} if isinstance(found, dict) else dict(zip(names, found, strict=False))

    return Given(function, None, inputs, inputs, lambda: np.sum(run()[0]), gradients)


def layer(make, gradients_of, forward="forward", backward="backward", weights=None, **inputs):
    """make() -> object with methods; gradients_of(object, what backward returned) -> {input or weight: gradient}.

    weights: {name: array} that `make` builds the object with.
    """

    def run():
        made = make()
        return made, getattr(made, forward)(**copied(inputs))

    def outputs(returned):
        return returned if isinstance(returned, tuple) else (returned,)

    def gradients():
        made, returned = run()
        ups = [above(o, k) for k, o in enumerate(outputs(returned))]
        return gradients_of(made, getattr(made, backward)(*ups))

    def value():
        return sum(np.sum(above(o, k) * o) for k, o in enumerate(outputs(run()[1])))

    made = make()
    return Given(getattr(made, forward), getattr(made, backward), inputs, inputs | (weights or {}), value, gradients)


def copied(value):
    """A copy of arrays in dicts, lists and tuples."""
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(copied(entry) for entry in value)
    return value.copy() if isinstance(value, np.ndarray) else value


# sources --------------------------------------------------------------------------------------------------------------


@dataclass
class Built:
    """A program in a folder: its main module, and {(file, first line): last line} of the statements changed."""

    module: object
    changed: dict = field(default_factory=dict)


def source_of(program, path):
    """The text of a file as published; of a notebook, that of its code cells."""
    text = (FILES / program / path).read_text(encoding="utf-8")
    if not path.endswith(".ipynb"):
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def text_of(program, part):
    """The text of a part: the definitions taken, one after another."""
    source = source_of(program, part.path)
    pieces = [definition(source, name) for name in part.take.split()]
    text = "\n\n\n".join(["import numpy as np", part.before, *pieces, part.after, ""])
    for old, new in part.edits:
        if old not in text:
            raise ValueError(f"{program}, {part.path}: there is no {old!r} to be changed")
        text = text.replace(old, new)
    return text


def definition(source, name):
    """The text of a function or class of this name at the left margin, found without parsing, as some is Python 2."""
    lines = source.splitlines()
    starts = [
        k for k, line in enumerate(lines) if line.startswith((f"def {name}(", f"class {name}(", f"class {name}:"))
    ]
    starts += [k for k, line in enumerate(lines) if line.startswith(f"class {name} ")]
    if len(starts) > 1:  # some may be in a string
        heads = {node.lineno - 1 for node in ast.parse(source).body}
        starts = [k for k in starts if k in heads]
    if len(starts) != 1:
        raise ValueError(f"there are {len(starts)} definitions of {name}")
    end = next((k for k in range(starts[0] + 1, len(lines)) if lines[k][:1] not in ("", *" \t#)]")), None)
    return "\n".join(lines[starts[0] : end]).rstrip()


def build(subject, folder, planted=None):
    """Write the modules of a subject into `folder`, with a mistake in them, and import the last: a `Built`."""
    built, texts, changes = Built(None), {}, list(planted.changes) if planted else []
    for part in subject.parts:
        text, before = text_of(subject.program, part), len(changes)
        file = Path(folder) / f"{part.module}.py"
        for change in [c for c in changes if extents(text, c[0])]:
            text, place = plant(text, *change)
            changes.remove(change)
            built.changed[str(file), place[0]] = place[1]
        assert len(changes) <= before
        texts[part.module] = file
        file.write_text(text, encoding="utf-8")
    if changes:
        raise ValueError(f"{subject.name}: there is no function {changes[0][0]}")
    sys.path.insert(0, str(folder))
    try:
        for name, file in texts.items():
            spec = importlib.util.spec_from_file_location(name, file)
            built.module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(built.module)
    finally:
        sys.path.remove(str(folder))
    return built


def extents(text, where):
    """[(first, last) line, counted from 1] of the functions of this name."""
    nodes = [ast.parse(text)]
    for name in where.split("."):
        nodes = [child for node in nodes for child in ast.walk(node) if getattr(child, "name", None) == name]
    return [(node.lineno, node.end_lineno) for node in nodes]


def plant(text, where, old, new):
    """(the text with `new` for `old` in the function `where`, (first, last) line of the statement changed)."""
    first, last = extents(text, where)[0]
    lines = text.splitlines(keepends=True)
    body = "".join(lines[first - 1 : last])
    if body.count(old) != 1:
        raise ValueError(f"{where} has {old!r} {body.count(old)} times, not once")
    line = first + body[: body.index(old)].count("\n")
    made = "".join(lines[: first - 1]) + body.replace(old, new) + "".join(lines[last:])
    return made, statement_at(made, line)


def statement_at(text, line):
    """(first, last) line of the innermost statement at a line; of a loop or branch, those of its head."""
    found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and n.lineno <= line <= n.end_lineno]
    node = max(found, key=lambda n: (n.lineno, -n.end_lineno))
    body = getattr(node, "body", None)
    return node.lineno, max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
