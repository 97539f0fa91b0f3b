"""Makes up inputs for a forward function: from `example_inputs` in its file, else from docstrings, else from names.

What fits is found by trying: of all ways in which the arrays may lie, the first in which forward and backward pass run
and each gradient has the shape of what it is the gradient of; or which comes closest to that.
"""

import ast
import inspect
import math
from dataclasses import dataclass, field

import numpy as np

from tinyrnn.backend import as_rng
from tinyrnn.sources import NoSource, read
from tinyrnn.sources.reading import undecorated
from tinyrnn.verdicts.run import fresh
from tinyrnn.verdicts.shapes import Sizes, documented, role_of, shape_of, worlds

INTEGER_WORDS = ("label", "integer", "index", "indices", "class", "token", " ids")
LABEL_FUNCTIONS = ("softmax", "cross_entropy", "crossentropy", "nll", "svm", "hinge")
ADVICE = "define example_inputs(rng) in the file, a function that returns a dict with all arguments by name"
MOST_TRIED = 12  # ways that run, of which the one that fits best is taken


@dataclass
class Argument:
    """What is known of one argument. shape: as documented, or None. said: what the docstring says of it. parts: the
    arguments inside a dict or tuple. role, own_gate: see `tinyrnn.verdicts.shapes.role_of`."""

    name: str
    shape: tuple | None = None
    said: str = ""
    parts: list = field(default_factory=list)
    kind: type | None = None
    role: str | None = None
    own_gate: bool = False

    @property
    def known(self):
        return self.role is not None or self.shape is not None or bool(self.parts)

    def shown_in(self, whole):
        return f'{whole.name}["{self.name}"]' if whole.kind is dict else f"{self.name} (of {whole.name})"


def example_inputs(function, rng, maker=None):
    """The arguments that `example_inputs(rng)`, in the module of `function`, gives for it; None without one.

    It returns a dict, name -> value, good for every function of the file, or {name of a function or class: such a
    dict}. maker: a class to be constructed too; then (arguments of the class, arguments of the function).
    """
    make = undecorated(function).__globals__.get("example_inputs")
    if make is None:
        return None
    given = make(rng) if inspect.signature(make).parameters else make()
    if not isinstance(given, dict):
        raise ValueError(f"example_inputs must return a dict, name -> value, got {type(given).__name__}")
    given = given.get((maker or function).__name__, given)
    found = [chosen(f, given) for f in (maker, function) if f is not None]
    return found[0] if maker is None else tuple(found)


def chosen(function, given):
    """The entries of a dict that are arguments of a function; ValueError if some are missing."""
    parameters = [p for p in inspect.signature(function).parameters.values() if is_plain(p) and p.name != "self"]
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in given]
    if missing:
        raise ValueError(f"example_inputs gives no {', '.join(missing)}, which {function.__qualname__} wants")
    return {p.name: given[p.name] for p in parameters if p.name in given}


def is_plain(parameter):
    return parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


# arguments ------------------------------------------------------------------------------------------------------------


def arguments_of(function, docs, sizes):
    """The `Argument`s of a function that have no default value, or whose name is a size's."""
    parameters = [p for p in inspect.signature(function).parameters.values() if is_plain(p) and p.name != "self"]
    if inspect.isclass(function):
        source = None if "__init__" not in vars(function) else function.__init__
    else:
        source = function
    inner = inside(source)
    names = [p.name for p in parameters] + [name for _, entries in inner.values() for name in entries]
    found = []
    for p in parameters:
        if p.default is not p.empty and role_of(p.name, names)[0] not in ("D", "H", "C", "V"):
            continue
        found.append(argument(p.name, names, docs, sizes))
        if p.name in inner:
            found[-1].kind, entries = inner[p.name]
            found[-1].parts = [argument(name, names, docs, sizes) for name in entries]
    return found


def argument(name, names, docs, sizes):
    shape, said = next((f for doc in docs if (f := documented(name, doc, names, sizes))[0] is not None), (None, ""))
    return Argument(name, shape, said, [], None, *role_of(name, names))


def inside(function):
    """{argument: (dict, keys) or (tuple, names)}: arguments that the source takes apart, and what it takes from
    them."""
    try:
        tree = read(function)
    except (NoSource, TypeError):
        return {}
    arguments = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in arguments:
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                keys = found.setdefault(node.value.id, (dict, []))[1]
                keys += [node.slice.value] if node.slice.value not in keys else []
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in arguments:
            target = node.targets[0]
            if isinstance(target, ast.Tuple | ast.List) and all(isinstance(t, ast.Name) for t in target.elts):
                found[node.value.id] = tuple, [t.id for t in target.elts]
    return found


# values ---------------------------------------------------------------------------------------------------------------


class Maker:
    """Makes the values of one attempt. world: a `World`, or None if only documented shapes are to be used."""

    def __init__(self, function_name, world, labels, sizes, rng):
        self.function_name, self.world, self.sizes, self.rng = function_name.lower(), world, sizes, rng
        self.labels = labels  # how classes are given: "numbers" or "one-hot"

    def values(self, arguments, use_docs=True):
        """{name: value}; KeyError if one is not to be told."""
        order = sorted(arguments, key=lambda a: a.role in ("y", "mask"))  # these go by the shape of others
        self.made = {}
        for a in order:
            self.made[a.name] = self.value(a, use_docs)
        return {a.name: self.made[a.name] for a in arguments}

    def value(self, a, use_docs=True):
        if a.parts:
            values = {part.name: self.value(part, use_docs) for part in a.parts}
            return values if a.kind is dict else tuple(values.values())
        shape = a.shape if use_docs else None
        if a.role == "rng":
            return np.random.default_rng(0)
        if a.role == "number" and shape is None:
            return 0.3
        if a.role in self.sizes:
            return self.sizes[a.role]
        if a.role == "y":
            return self.classes(a, shape)
        if a.role == "mask":
            shape = shape or self.like().shape[:-1]
            return (np.arange(math.prod(shape)) % 3 != 1).reshape(shape)
        if shape is None and a.role is None:
            raise KeyError(a.name)
        shape = shape or shape_of(a.role, a.own_gate, self.world, self.sizes)
        if any(word in a.said.lower() for word in INTEGER_WORDS) and a.role == "x":
            return self.rng.integers(0, self.sizes["V"], shape)
        return self.floats(a, shape)

    def floats(self, a, shape):
        """Numbers none of which is near zero; weights such that the sums they make are of order 1."""
        if a.role == "chance" or "probabilit" in a.said.lower():
            return self.rng.uniform(0.1, 0.9, shape)
        size = 0.2 + 0.8 * abs(self.rng.normal(size=shape))
        scale = (
            0.5 if a.role in ("b", "b_y") else 1 if a.role in ("x", "state") or len(shape) < 2 else max(shape) ** -0.5
        )
        return scale * size * self.rng.choice([-1.0, 1.0], size=shape)

    def classes(self, a, shape):
        like = self.like()
        axis = 0 if self.world is not None and self.world.layout.startswith("col") and self.labels == "one-hot" else -1
        if self.labels == "numbers" and (shape is None or shape != like.shape):
            return self.rng.integers(0, like.shape[-1], like.shape[:-1] if shape is None else shape)
        shape = shape or like.shape
        moved = np.moveaxis(np.zeros(shape), axis, -1)
        moved[...] = np.eye(shape[axis])[self.rng.integers(0, shape[axis], moved.shape[:-1])]
        return np.moveaxis(moved, -1, axis).copy()

    def like(self):
        """The array that the classes or the mask belong to: the first one."""
        return next((v for v in self.made.values() if isinstance(v, np.ndarray)), np.zeros((self.sizes["N"], 2)))


# trying ---------------------------------------------------------------------------------------------------------------


def guess(function, docs, run, misfit, *, rng=0, T=None, B=None, maker=None, given=None):
    """Arguments for `function`, unless these are given; for the construction of an object of the class `maker` too.

    docs: docstrings that may describe the arguments. run(values, made_with): a call of the forward function, to see
    whether that works. misfit(values, made_with) -> number: how badly the gradients fit, 0 for well.

    Returns (values, values for maker, sizes). Raises ValueError naming the arguments nothing is known of, or the error
    of the likeliest attempt if none works.
    """
    sizes, rng = Sizes(T, B), as_rng(rng)
    own = arguments_of(function, docs, sizes) if given is None else []
    made_with = [] if maker is None else arguments_of(maker, docs, sizes)
    unknown = [a.name for a in (*made_with, *own) if not a.known]
    unknown += [part.shown_in(a) for a in (*made_with, *own) for part in a.parts if not part.known]
    if unknown:
        raise ValueError(
            f"no idea what to give {function.__name__} as {', '.join(unknown)}: say the shape in its docstring, "
            f"as in x (N, D), or {ADVICE}"
        )
    best, tried, seen, first_error = None, 0, set(), None
    for values, constructor in attempts(function, own, made_with, sizes, rng):
        values = values if given is None else given
        form = repr(shapes((values, constructor)))
        if form in seen:
            continue
        seen.add(form)
        try:
            run(fresh(values), fresh(constructor))
        except Exception as error:
            first_error = first_error or (error, values)
            continue
        score = misfit(fresh(values), fresh(constructor))
        if best is None or score < best[0]:
            best = score, values, constructor
        tried += 1
        if score == 0 or tried == MOST_TRIED:
            break
    if best is None:
        error, values = first_error
        error.add_note(f"with inputs that were made up: {listed(values)}; if these make no sense, {ADVICE}")
        raise error
    return best[1], best[2], sizes


def attempts(function, own, made_with, sizes, rng):
    """All sets of values worth trying, as (arguments, arguments of the constructor)."""
    name = function.__qualname__
    words = " ".join([name, *(a.said for a in own if a.role == "y")]).lower()
    numbers_first = any(word in words for word in LABEL_FUNCTIONS + INTEGER_WORDS) and "one-hot" not in words
    ways = ("numbers", "one-hot") if numbers_first else ("one-hot", "numbers")
    ways = ways if any(a.role == "y" for a in own) else ways[:1]
    for use_docs in (True, False):
        for world in worlds(has_loop(function)):
            for labels in ways:
                make = Maker(name, world, labels, sizes, rng)
                try:
                    both = make.values([*made_with, *own], use_docs)
                except KeyError:  # of one there is nothing but the docstring
                    return
                constructor = {a.name: both[a.name] for a in made_with}
                yield {a.name: both[a.name] for a in own}, constructor


def has_loop(function):
    try:
        tree = read(function)
    except (NoSource, TypeError):
        return False
    return any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))


def shapes(value):
    """What a value looks like, for messages and to tell attempts apart."""
    if isinstance(value, dict):
        return {name: shapes(v) for name, v in value.items()}
    if isinstance(value, tuple | list):
        return [shapes(v) for v in value]
    if isinstance(value, np.ndarray):
        return f"{value.shape}{'' if value.dtype.kind == 'f' else ' ' + {'i': 'integers', 'b': 'booleans'}[value.dtype.kind]}"
    return value if isinstance(value, int | float) else type(value).__name__


def listed(values):
    """ "x (3, 2), y (3,) integers", for notes."""
    parts = []
    for name, value in values.items():
        if isinstance(value, dict):
            parts.append(listed(value))
        elif isinstance(value, tuple):
            parts += [f"{name}[{k}] {shapes(v)}" for k, v in enumerate(value)]
        else:
            parts.append(f"{name} {shapes(value)}")
    return ", ".join(parts)
