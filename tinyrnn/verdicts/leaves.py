"""The arrays of floats within the arguments of a call and within the object it is a method of: what can be changed."""

import numpy as np

from tinyrnn.verdicts.grouping import stems
from tinyrnn.verdicts.run import floats


def leaves_of(value, name="", path=()):
    """(name, path, value) of every array of floats in nested dicts, lists and tuples: `W`, `state[0]`; the path is the
    keys that lead to it."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves_of(entry, str(key), (*path, key))
    elif isinstance(value, tuple | list):
        for k, entry in enumerate(value):
            yield from leaves_of(entry, f"{name}[{k}]", (*path, k))
    elif floats(value) is not None:
        yield name, path, value


class Leaves:
    """What can be changed before a call: the arguments' arrays, and those of its object, under the names they go by.

    An array that is there twice (`self.W`, `self.params["W"]`) is one, under its first name. arrays: name -> a copy.
    """

    def __init__(self, arguments, owner=None):
        self.arrays, self.places, self.names = {}, {}, {}
        for name, path, value in leaves_of(arguments):
            self.add(name, "given", path, value)
        for name, path, value in leaves_of({} if owner is None else vars(owner)):
            if np.ndim(value) and not any(is_gradient(key) for key in path):
                self.add(name if name not in self.arrays else f"self.{name}", "own", path, value)

    def add(self, name, where, path, value):
        known = self.names.get(id(value))
        if known is None:
            self.arrays[name] = floats(value)
            self.names[id(value)] = known = name
        self.places.setdefault(known, []).append((where, path))

    def put(self, given, own, changed):
        """Put the values of `changed`, name -> value, into the arguments and the attributes of an object."""
        for name, value in changed.items():
            for where, path in self.places[name]:
                put(given if where == "given" else vars(own), path, value)

    def grads_of(self, owner):
        """A function: (anything, object after the backward pass) -> {name of a parameter: its entry in `grads`}."""
        named = [(self.names.get(id(value)), path) for _, path, value in leaves_of(owner.params)]

        def grads(returned):
            found = {path: value for _, path, value in leaves_of(returned[1].grads)}
            return {name: found[path] for name, path in named if name is not None and path in found}

        return grads


def is_gradient(key):
    return isinstance(key, str) and (key in ("grads", "grad", "gradients") or bool(stems(key)))


def put(container, path, value):
    """container[path[0]][path[1]]… = value, with tuples along the way made anew."""
    key, *rest = path
    if not rest:
        new = value
    else:
        inner = container[key]
        inner = list(inner) if isinstance(inner, tuple) else inner
        put(inner, rest, value)
        new = tuple(inner) if isinstance(container[key], tuple) else inner
    container[key] = new
