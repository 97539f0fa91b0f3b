"""Where an argument of a backward call came from: the forward call before it, its object, or nowhere that is known.

An origin is a tuple that begins with its kind:

    "input", (name, key, …)     an argument of the forward call, or an entry of one
    "output", (place, key, …)   one of the things that it returned, or an entry of one
    "own", (name, key, …)       an attribute of the object, or an entry of one
    "nest", (type, {key: origin})   a list, tuple or dict that the caller made, of parts that came from there
    "value", copy               anything else, as it was
"""

import inspect
from typing import Any

import numpy as np

from tinyrnn.sources.copying import PLAIN, deep_copy

MOST_DEEP = 4  # keys that lead to a part
MOST_PARTS = 10_000  # that are looked at


class Origins:
    """What a forward call was given, returned and left in its object, to find things again in.

    given: {argument: value}. parts: the tuple of what was returned; then: the same, copied when it was. owner: the
    object, or None.
    """

    def __init__(self, given: dict, parts: tuple, then: tuple, owner: Any):
        self.then = then
        self.known: dict[int, tuple] = {}
        self.floats: list[tuple] = []  # (array, its origin)
        own = {} if owner is None else getattr(owner, "__dict__", {})
        for kind, entries in (("output", dict(enumerate(parts))), ("input", given), ("own", own)):
            self.add(kind, entries)

    def add(self, kind: str, entries: dict) -> None:
        """Note all that is within, of several things that are the same the first."""
        queue: list[tuple[tuple, Any]] = [((key,), value) for key, value in entries.items()]
        for path, value in queue:  # which grows
            if type(value) in PLAIN or id(value) in self.known:
                continue
            self.known[id(value)] = kind, path
            if is_floats(value):
                self.floats.append((value, (kind, path)))
            if len(path) < MOST_DEEP and len(queue) < MOST_PARTS:
                queue += [((*path, key), part) for key, part in entries_of(value)]

    def of(self, value: Any) -> tuple:
        """The origin of a value."""
        if type(value) in PLAIN:
            return "value", value
        found = self.known.get(id(value))
        if found is not None and self.is_unchanged(found, value):
            return found
        if is_floats(value):
            equal = [origin for one, origin in self.floats if one is not value and is_same(one, value)]
            return equal[0] if equal else ("value", deep_copy(value))
        if type(value) in (list, tuple, dict) and len(value) < MOST_PARTS:
            parts = {key: self.of(part) for key, part in entries_of(value)}
            if any(kind != "value" for kind, _ in parts.values()):
                return "nest", (type(value), parts)
        return "value", deep_copy(value)

    def is_unchanged(self, origin: tuple, value: Any) -> bool:
        """Whether what was returned is as it was: `probs[t] -= 1` makes a gradient of an output in its place."""
        kind, path = origin
        return kind != "output" or is_same(at(self.then, path), value)


def value_of(origin: tuple, inputs: dict, parts: tuple, owner: Any) -> Any:
    """The value that has an origin in another run."""
    kind, what = origin
    if kind == "value":
        return deep_copy(what)
    if kind == "nest":
        made = {key: value_of(part, inputs, parts, owner) for key, part in what[1].items()}
        return made if what[0] is dict else what[0](made.values())
    found = inputs if kind == "input" else parts if kind == "output" else vars(owner)
    return at(found, what)


def entries_of(value: Any) -> list[tuple]:
    """[(key, part)] of a list, tuple or dict."""
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def at(value: Any, path: tuple) -> Any:
    """What some keys lead to, one after the other."""
    for key in path:
        value = value[key]
    return value


def is_floats(value: Any) -> bool:
    """Whether it is an array of several floats."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.size > 1


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal, as far as they are numbers, arrays, and lists, tuples and dicts of such."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.dtype.kind == other.dtype.kind and np.array_equal(one, other, True)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    ones, others = dict(entries_of(one)), dict(entries_of(other))
    if ones or others:
        return ones.keys() == others.keys() and all(is_same(part, others[key]) for key, part in ones.items())
    return type(one) not in PLAIN or (type(one) is type(other) and (one == other or one != one))


def arguments_in(frame: Any) -> dict | None:
    """{argument: value} at the entry of a call, those of *args under numbered names, without self; None where **kwargs
    bring some."""
    names, rest, more, values = inspect.getargvalues(frame)
    given = {name: values[name] for name in names if name != "self"}
    spread = {} if rest is None else {f"{rest}[{k}]": value for k, value in enumerate(values[rest])}
    return None if more and values[more] else given | spread
