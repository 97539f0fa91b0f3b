"""What comes out of a backward pass, array by array."""

from typing import NamedTuple

import numpy as np

from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.run import floats


class Came(NamedTuple):
    """One array that came out of a backward pass. place: what tells it from others. name: what it goes by, or None.
    is_stored: whether it was not returned but kept in an object."""

    place: object
    name: str | None
    array: np.ndarray
    is_stored: bool = False


def returned_arrays(value, names=None, shapes=(), path=()):
    """A `Came` for each array in nested tuples, lists and dicts. names: {path: name} of what is returned by name.
    shapes: of arrays for which a list of their parts may stand."""
    names = names or {}
    if (whole := stacked(value, shapes)) is not None:
        yield Came(path, name_at(path, names), whole)
        return
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, tuple | list):
        entries = enumerate(value)
    else:
        array = floats(value)
        if array is not None:
            yield Came(path, name_at(path, names), array)
        return
    for key, entry in entries:
        yield from returned_arrays(entry, names, shapes, (*path, key))


def stacked(value, shapes):
    """A list of arrays as one, if that is one of some shapes; else None."""
    parts = [floats(entry) for entry in value] if isinstance(value, list) else []
    alike = parts and all(part is not None and part.shape == parts[0].shape for part in parts)
    return np.stack(parts) if alike and (len(parts), *parts[0].shape) in shapes else None


def name_at(path, names):
    """What stands at a path goes by: the key of a dict, or its variable, with the number of an entry in a list."""
    for length in range(len(path), -1, -1):
        numbers = "".join(f"[{key}]" for key in path[length:])
        if length and isinstance(path[length - 1], str):
            return path[length - 1] + numbers
        if path[:length] in names:
            return names[path[:length]] + numbers
    return None


def stored_arrays(obj, path=(), seen=None):
    """A `Came` for each array in the attributes of an object and of objects within; named if it is a gradient's.

    An array that is kept under two names comes twice: it may be the gradient of the one and not that of the other.
    """
    seen = set() if seen is None else seen
    if id(obj) in seen:
        return
    if not isinstance(obj, np.ndarray):
        seen.add(id(obj))
    if isinstance(obj, dict):
        entries = obj.items()
    elif isinstance(obj, tuple | list):
        entries = enumerate(obj)
    elif hasattr(obj, "__dict__") and not isinstance(obj, type):
        entries = vars(obj).items()
    else:
        array = floats(obj)
        if array is not None:
            is_gradient = any(names_gradients(key) for key in path)
            yield Came(("self", *path), name_at(path, {}) if is_gradient else None, array, True)
        return
    for key, entry in list(entries):
        yield from stored_arrays(entry, (*path, key), seen)
