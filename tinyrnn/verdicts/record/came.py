"""What comes out of a backward pass, array by array."""

from typing import NamedTuple

import numpy as np

from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.run import floats


class Came(NamedTuple):
    """One array that came out of a backward pass. place: what tells it from others. name: what it goes by, or None.
    is_stored: whether it was not returned but kept in an object. is_stub: whether it is no array of floats, but what
    may stand where one belongs: whole numbers, or None or anything else, which has a nan for its array."""

    place: object
    name: str | None
    array: np.ndarray
    is_stored: bool = False
    is_stub: bool = False


def returned_arrays(value, names=None, shapes=(), path=()):
    """A `Came` for each array in nested tuples, lists and dicts, and for what stands in place of one.

    names: {path: name} of what is returned by name. shapes: of arrays for which a list of their parts may stand.
    """
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
        is_stub = array is None
        yield Came(path, name_at(path, names), in_place(value) if is_stub else array, is_stub=is_stub)
        return
    if not value:
        yield Came(path, name_at(path, names), in_place(None), is_stub=True)
    for key, entry in entries:
        yield from returned_arrays(entry, names, shapes, (*path, key))


def in_place(value):
    """Whole numbers and truth values as an array of floats; nan for what is no number."""
    dtype = getattr(value, "dtype", None)
    is_number = isinstance(value, int) or (isinstance(dtype, np.dtype) and dtype.kind in "biu")
    return np.array(value, float) if is_number else np.array(np.nan)


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
        is_stub = array is None
        array = in_place(obj) if is_stub else array
        if not (is_stub and np.isnan(array).any()):  # what is no number may have its value elsewhere
            is_gradient = any(names_gradients(key) for key in path if isinstance(key, str))
            yield Came(("self", *path), name_at(path, {}) if is_gradient else None, array, True, is_stub)
        return
    for key, entry in list(entries):
        yield from stored_arrays(entry, (*path, key), seen)
