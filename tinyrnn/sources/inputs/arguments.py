"""What can be told of a function's arguments: their shapes by its docstring, their roles by their names, what is inside
by its source, or all of it by `example_inputs` in its file."""

import ast
import inspect
import re
from dataclasses import dataclass, field, replace
from typing import Any

from tinyrnn.sources import reachable, read
from tinyrnn.sources.inputs.shapes import documented
from tinyrnn.sources.inputs.uses import Use, uses_of
from tinyrnn.sources.reading import NoSource, undecorated
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import GIVEN, LIMITS, RATES, is_size_name, role_of, words_of_name

ARRAYS = ("x", "state", "W", "U", "W_x", "W_h", "W_xh", "W_y", "b", "b_y", "scale", "chance", None)
ADVICE = "define example_inputs(rng) in the file, a function that returns a dict with all arguments by name"


@dataclass
class Argument:
    """What is known of one argument. shape: as documented, or None. said: what the docstring says of it. parts: the
    arguments inside, if it is a dict or a tuple, which kind says. role, own_gate: see `vocabulary.role_of`. setting:
    the value itself, of what is a setting rather than an array. use: what is done with it. taken: its shape as the
    source takes it apart, or None."""

    name: str
    shape: tuple | None
    said: str
    role: str | None
    own_gate: bool
    kind: type | None = None
    parts: list = field(default_factory=list)
    setting: Any = None
    use: Use = field(default_factory=Use)
    taken: tuple | None = None

    @property
    def unknown(self):
        """What nothing is known of, as it would be written."""
        if self.parts:
            pattern = '{}["{}"]' if self.kind is dict else "{1} (of {0})"
            return [pattern.format(self.name, name) for part in self.parts for name in part.unknown]
        known = (self.role, self.shape, self.setting, self.use.kind, self.use.steps, self.taken)
        return [] if self.kind is dict or any(one is not None for one in known) else [self.name]


def are_documented(function, docs, sizes):
    """Whether docstrings say the shapes of all arguments of a function that are arrays."""
    queue, arrays = list(arguments_of(function, docs, sizes)), []
    while queue:
        one = queue.pop()
        queue += one.parts
        is_array = not (one.parts or one.kind is dict or one.setting is not None) and one.role in ARRAYS
        arrays += [one] if is_array else []
    return all(one.shape is not None for one in arrays)


def arguments_of(function, docs, sizes, owner=None, also=()):
    """The `Argument`s of a function, or of a class's constructor, that have no default value or are sizes. owner, also:
    see `uses_of`."""
    parameters = parameters_of(function)
    called = function.__init__ if inspect.isclass(function) else function
    inner, words, uses = inside(called), words_compared(called), uses_of(function, owner, also)
    names = [p.name for p in parameters] + [name for _, entries in inner.values() for name in entries]
    found = []
    for p in parameters:
        if p.default is p.empty or role_of(p.name, names)[0] in ("D", "H", "C", "V"):
            found.append(argument(p.name, names, docs, sizes, words, uses.get(p.name, Use())))
            if p.name in inner:
                found[-1].kind, entries = inner[p.name]
                found[-1].parts = [argument(name, names, docs, sizes, words) for name in entries]
    return found


SIZE_ROLES = ("D", "H", "C", "V", "N", "T", "M")


def parameters_of(function):
    """The parameters of a function that have a name of their own, but for self."""
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def docs_of(*functions):
    """The docstrings of functions, empty where there is none; without what says how a word is to be set, `:class:`."""
    return [re.sub(r":(?:\w+:)?\w+:(?=`)", "", inspect.getdoc(function) or "") for function in functions]


def argument(name, names, docs, sizes, words, use=Use()):  # noqa: B008 it does not change
    """The `Argument` of this name: from the docstrings if one says its shape, else from its name and its use."""
    found = (documented(name, doc, names, sizes) for doc in docs)
    shape, said = next(((shape, said) for shape, said in found if shape is not None), (None, ""))
    setting = GIVEN.get(name) if shape is None else None
    setting = words.get(name) if setting is None else setting
    if use.asserted is not None:
        shape = lengths(use.asserted, sizes)
    role, own_gate = role_of(name, names)
    role, use = role_by_use(name, role, use, shape)
    taken = None if use.shape is None else lengths(use.shape, sizes)
    return Argument(name, shape, said, role, own_gate, setting=setting, use=use, taken=taken)


def lengths(names, sizes):
    """The shape whose lengths go by these names, or are these numbers."""
    return tuple(length if isinstance(length, int) else sizes.of(length) for length in names)


def role_by_use(name, role, use, shape):
    """(role, use) of an argument of which both the name and the use say something.

    What is used as a size, and what is counted or speaks of a size by its name alone, is one; a rate or a limit is told
    by its name, if that says nothing else. Labels are no text, though their different values may be asked for.
    """
    if use.kind == "letters":
        use = replace(use, kind="text" if role not in ("y", "mask") else None)
    if role in SIZE_ROLES or shape is not None:
        return role, replace(use, kind=None) if role in SIZE_ROLES else use
    is_size = use.path == () and (use.kind in ("size", "count") or (use.kind != "text" and is_size_name(name)))
    if is_size and (use.kind == "size" or role in (None, "x")):
        return "size", replace(use, kind=None)
    words = {*words_of_name(name)}
    if role is None and use.kind is None and words & LIMITS:
        return "limit", use
    if role is None and use.kind is None and words & RATES:
        return "number", use
    return role, use


def inside(function):
    """{argument: (dict, keys) or (tuple, names)}: arguments that the source takes apart, and what it takes from them.

    A dict may be handed on under its name to other functions of the module, which take more.
    """
    found, own = taken_apart(function), {p.name for p in parameters_of(function)}
    for helper in helpers_of(function):
        for name, (kind, keys) in taken_apart(helper).items():
            if kind is dict and name in own and found.get(name, (dict,))[0] is dict:
                entries = found.setdefault(name, (dict, []))[1]
                entries.extend(key for key in keys if key not in entries)
    return found


def helpers_of(function):
    """The functions of its module that a function calls, and those that these call; of a constructor none."""
    return reachable([undecorated(function)])[0] if inspect.isfunction(function) else []


def words_compared(function):
    """{name: word} of what is compared with words, as in `if mode == "train"`: "train" if that is one, or the first."""
    found = {}
    for one in dict.fromkeys([function, *helpers_of(function)]):
        try:
            compared = [n for n in ast.walk(read(one)) if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq)]
        except (NoSource, TypeError):
            continue
        for node in compared:
            key, word = name_of(node.left), getattr(node.comparators[0], "value", None)
            if key is not None and isinstance(word, str) and found.get(key) != "train":
                found[key] = word if word == "train" else found.get(key, word)
    return found


def taken_apart(function):
    """The same by the source of that function alone."""
    try:
        tree = read(function)
    except TypeError:  # a class without a constructor, or no source to be had
        return {}
    arguments = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    found = {}
    for node in ast.walk(tree):
        if not isinstance(getattr(node, "value", None), ast.Name) or node.value.id not in arguments:
            continue
        name = node.value.id
        if isinstance(node, ast.Subscript) and isinstance(getattr(node.slice, "value", None), str):
            keys, taken = found.setdefault(name, (dict, []))[1], isinstance(node.ctx, ast.Load)
            keys += [node.slice.value] if taken and node.slice.value not in keys else []
        if isinstance(node, ast.Attribute) and node.attr == "get":
            found.setdefault(name, (dict, []))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
            elements = node.targets[0].elts
            if all(isinstance(element, ast.Name) for element in elements):
                found[name] = tuple, [element.id for element in elements]
    return found


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
    chosen = tuple(entries_for(f, given) for f in (maker, function) if f is not None)
    return chosen[0] if maker is None else chosen


def entries_for(function, given):
    """The entries of a dict that are arguments of a function; ValueError if some are missing."""
    parameters = parameters_of(function)
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in given]
    if missing:
        raise ValueError(f"example_inputs gives no {', '.join(missing)}, which {function.__qualname__} wants")
    return {p.name: given[p.name] for p in parameters if p.name in given}
