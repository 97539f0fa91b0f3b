"""What can be changed before a call: arrays of floats in its arguments, in its object, and in the globals it reads."""

from collections import Counter

import numpy as np

from tinyrnn.sources.copying import owner_of as memory_of
from tinyrnn.sources.reading import names_in
from tinyrnn.sources.vocabulary import OF_ONE, VALUES, names_gradients, stems
from tinyrnn.verdicts.record.run import floats, holds_attributes

MOST_DEEP = 12  # keys that lead to an object within others


def leaves_of(value, name="", path=(), within=()):
    """(name, path, value) of every array of floats in nested dicts, lists and tuples: `W`, `state[0]`; the path is the
    keys that lead to it. within: ids of the objects that it is in, which may hold each other."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves_of(entry, str(key), (*path, key), within)
    elif isinstance(value, tuple | list):
        for k, entry in enumerate(value):
            yield from leaves_of(entry, f"{name}[{k}]", (*path, k), within)
    elif name and holds_attributes(value):
        if len(path) < MOST_DEEP and id(value) not in within:
            for key, entry in vars(value).items():  # a parameter that is an object
                yield from leaves_of(entry, f"{name}.{key}", (*path, key), (*within, id(value)))
    elif floats(value) is not None:
        yield name, path, value


def told_apart(found):
    """The same (name, path, value) with names of their own: what is there as {"W": {"value": …}} is W, and of several
    under one key in different boxes each is called with the box that they differ by, `f.W` and `i.W`."""
    found = [(path[-2] if is_whole(path) else name, path, value) for name, path, value in found]
    boxes = {name: [] for name, _, _ in found}  # what is in two places counts in one
    for name, path, _ in {id(value): one for one in found for value in one[2:]}.values():
        boxes[name].append(path[:-1] if name == path[-1] else ())
    for name, path, value in found:
        box = own_box(path[:-1], boxes[name]) if name == path[-1] and len(boxes[name]) > 1 else None
        yield f"{box}.{name}" if box else name, path, value


def own_box(path, others):
    """The innermost key of a path within an object that not all of some others have there, of a list with its number;
    None without one."""
    for k in range(1, len(path) + 1 if len(path) > 1 else 1):
        if any(len(other) < k or other[-k] != path[-k] for other in others):
            return spelled(path[len(path) - k - isinstance(path[-k], int) :][: 1 + isinstance(path[-k], int)])
    return None


def spelled(path):
    """The keys that lead to something as they are written: `layers[0].cell`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def last_of(name):
    """What an array within objects is called in the one that holds it, without its number in a list."""
    return name.rpartition(".")[2].partition("[")[0]


def owner_of(name):
    """The path to the object that holds an array."""
    return name.rpartition(".")[0]


def is_whole(path):
    """Whether what a path leads to is all that the box before is there for: `value` in `params["W"]`."""
    return len(path) > 1 and isinstance(path[-2], str) and path[-1] in VALUES


class Leaves:
    """The arrays under the names they go by; one that is there twice (`self.W`, `self.params["W"]`) under its first.

    arrays: name -> a copy. functions: whose globals may be arrays, such as the weights of a script. shared: names of
    arrays of an object whose memory is also that of others: of a vector of all weights and its parts one is used.
    """

    def __init__(self, arguments, owner=None, functions=()):
        self.arrays, self.places, self.names, self.gradients = {}, {}, {}, {}
        for name, path, value in leaves_of(arguments):
            self.add(name, "given", path, value)
        own = leaves_of({} if owner is None else vars(owner))
        own = [one for one in own if np.ndim(one[2]) and not any(names_gradients(key) for key in one[1])]
        own = list(told_apart(own))
        for name, path, value in own:
            self.add(name, "own", path, value)
        distinct = {id(value): value for _, _, value in own if isinstance(value, np.ndarray)}
        owners = Counter(id(memory_of(value)) for value in distinct.values())
        self.shared = {self.names[known] for known, value in distinct.items() if owners[id(memory_of(value))] > 1}
        self.globals = {}
        for function in functions:
            for name in names_in(function.__code__):
                value = function.__globals__.get(name)
                if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind == "f" and name not in self.arrays:
                    self.arrays[name] = self.globals[name] = value.copy()

    def add(self, name, where, path, value):
        """Note a place of an array; one object in several places counts once, under its first name."""
        known = self.names.get(id(value))
        if known is None:
            longer = f"{path[-2]}.{name}" if len(path) > 1 else f"self.{name}"
            name = next(one for one in (name, longer, ".".join(map(str, path))) if one not in self.arrays)
            self.arrays[name] = floats(value)
            self.names[id(value)] = known = name
        self.places.setdefault(known, []).append((where, path))

    def put(self, program, given, own, changed):
        """Put the values of `changed`, name -> value, into the arguments, the attributes of an object, and the globals
        of a program, which get all others back as they were."""
        for made in program.rewritten() if self.globals else ():
            made.__globals__.update({name: changed.get(name, value).copy() for name, value in self.globals.items()})
        for name, value in changed.items():
            for where, path in self.places.get(name, ()):
                put(given if where == "given" else vars(own), path, value)

    def boxes(self):
        """[{keys that lead to an array: its name}] of the arguments that hold several."""
        found = {}
        for name, places in self.places.items():
            for path in [path for where, path in places if where == "given" and len(path) > 1]:
                found.setdefault(path[0], {})[path[1:]] = name
        return [box for box in found.values() if len(box) > 1]

    def name_of_gradient(self, place):
        """What an array is called that an object keeps at a place, as the gradient of what it keeps beside that, or at
        the same place of another box; None where there is no such thing."""
        if place not in self.gradients:
            path, own = place[1:], [(at, name) for name, places in self.places.items() for _, at in places]
            names, meant = set(), [stem for stem, _ in stems(str(path[-1]))]
            if len(path) > 1 and (path[-1] in OF_ONE or meant):
                names = {name for at, name in own if at[:-1] == path[:-1] and (path[-1] in OF_ONE or at[-1] in meant)}
            elif len(path) > 2:
                boxes = [(path[:k], path[k + 1 :]) for k, key in enumerate(path[:-1]) if names_gradients(key)]
                names = {name for at, name in own for k in range(len(at)) if (at[:k], at[k + 1 :]) in boxes}
            self.gradients[place] = f"d{names.pop()}" if len(names) == 1 else None
        return self.gradients[place]

    def gradient_names(self, owner):
        """{place of an array in an object's `grads`: the name of the gradient of what stands there in its `params`}."""
        named = [(self.names.get(id(value)), path) for _, path, value in leaves_of(owner.params)]
        return {("self", "grads", *path): f"d{name}" for name, path in named if name is not None}

    def grads_of(self, owner):
        """A function: (anything, object after the backward pass) -> {name: gradient}, of the parameters, in `grads`,
        and of arrays `self.h` for which there is a `self.dh`."""
        attributes = [
            (name, path)
            for name, places in self.places.items()
            for where, path in places
            if where == "own" and len(path) == 1
        ]
        named = [(self.names.get(id(value)), path) for _, path, value in leaves_of(owner.params)]

        def grads(returned):
            found = {path: value for _, path, value in leaves_of(returned[1].grads)}
            states = {name: getattr(returned[1], f"d{path[0]}", None) for name, path in attributes}
            states = {name: d for name, d in states.items() if np.shape(d) == self.arrays[name].shape}
            return states | {name: found[path] for name, path in named if name is not None and path in found}

        return grads


def put(container, path, value):
    """container[path[0]][path[1]]… = value, with tuples along the way made anew."""
    key, *rest = path
    container = vars(container) if hasattr(container, "__dict__") else container
    if not rest:
        new = value
    else:
        inner = container[key]
        inner = list(inner) if isinstance(inner, tuple) else inner
        put(inner, rest, value)
        new = tuple(inner) if isinstance(container[key], tuple) else inner
    container[key] = new


def in_complex(obj, seen=None):
    """Makes all arrays of floats in the attributes of an object, and of objects within, complex."""
    seen = set() if seen is None else seen
    if id(obj) in seen or isinstance(obj, type):
        return
    seen.add(id(obj))
    box = obj if isinstance(obj, dict | list) else getattr(obj, "__dict__", {})
    for key, value in list(box.items() if isinstance(box, dict) else enumerate(box)):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            box[key] = value.astype(complex)
        else:
            in_complex(value, seen)
