"""The arrays of floats in nested dicts, lists, tuples and objects, by the names they go by: `x`, `params.W`, `h[0]`."""

import copy

import numpy as np

MOST_DEEP = 6  # objects within objects


def is_float(value):
    """Whether a value has a derivative: a float, a complex number, or an array of those; not integers or booleans."""
    if isinstance(value, float | complex | np.floating | np.complexfloating):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.size > 0


def leaves_of(value, path=(), deep=0):
    """(path, value) of every float in a nest; the path is the keys and attributes that lead to it.

    An attribute is a key that begins with a dot. Objects are entered if they keep their attributes in a `__dict__` and
    are no modules, classes or functions.
    """
    if is_float(value):
        yield path, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves_of(entry, (*path, key), deep)
    elif isinstance(value, tuple | list):
        for k, entry in enumerate(value):
            yield from leaves_of(entry, (*path, k), deep)
    elif is_object(value) and deep < MOST_DEEP:
        for name, entry in vars(value).items():
            yield from leaves_of(entry, (*path, f".{name}"), deep + 1)


def is_object(value):
    """Whether it is an instance of somebody's class, with attributes to look at."""
    return hasattr(value, "__dict__") and not callable_thing(value) and not isinstance(value, np.ndarray)


def callable_thing(value):
    """Whether it is a class, a function, a method or a module, which are not searched for arrays."""
    return isinstance(value, type) or type(value).__name__ in (
        "function",
        "method",
        "module",
        "builtin_function_or_method",
    )


def name_of_path(path):
    """`params.W`, `h[0]`, `layer.W`."""
    name = ""
    for key in path:
        if isinstance(key, int):
            name += f"[{key}]"
        else:
            key = str(key).removeprefix(".")
            name = f"{name}.{key}" if name else key
    return name


def at(value, path):
    """What a path leads to; KeyError, IndexError, AttributeError or TypeError if nowhere."""
    for key in path:
        value = getattr(value, key[1:]) if is_attribute(value, key) else value[key]
    return value


def put(value, path, new):
    """The nest with `new` at the path: dicts, lists and objects are changed, tuples made anew."""
    if not path:
        return new
    key, *rest = path
    if is_attribute(value, key):
        setattr(value, key[1:], put(getattr(value, key[1:]), rest, new))
    elif isinstance(value, tuple):
        entries = [put(entry, rest, new) if k == key else entry for k, entry in enumerate(value)]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    else:
        value[key] = put(value[key], rest, new)
    return value


def is_attribute(value, key):
    """Whether a key of a path, such as ".W", means an attribute; in a dict it is always a key."""
    return isinstance(key, str) and key.startswith(".") and not isinstance(value, dict)


def copied(value, instead=None, path=()):
    """The nest with its arrays, dicts, lists, tuples and objects that hold floats copied; anything else is itself.

    instead: {path: what is put in the place of what that path leads to}, where `path` leads to the nest.
    """
    if instead and path in instead:
        return instead[path]
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        try:
            made = value.copy()
        except Exception:
            return value
        for key in value:
            made[key] = copied(value[key], instead, (*path, key))
        return made
    if isinstance(value, tuple | list):
        entries = [copied(entry, instead, (*path, k)) for k, entry in enumerate(value)]
        if isinstance(value, list):
            return entries
        return type(value)(*entries) if hasattr(value, "_fields") else tuple(entries)
    if is_object(value) and next(leaves_of(value), None) is not None:
        return copied_object(value, instead or {}, path)
    return value


def copied_object(value, instead, path):
    """A deep copy of an object, for which the arrays that something else takes the place of are not copied first."""
    own = {place[len(path) :]: new for place, new in instead.items() if place[: len(path)] == path}
    try:
        made = copy.deepcopy(value, {id(at(value, place)): new for place, new in own.items() if np.ndim(new)})
    except Exception as error:
        if not own:
            return value
        raise TypeError(f"gradcheck works on copies, but {type(value).__name__} cannot be copied: {error}") from error
    for place, new in own.items():
        put(made, place, new)
    return made
