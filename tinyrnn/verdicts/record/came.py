"""What comes out of a backward pass, array by array."""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from tinyrnn.sources.vocabulary import OF_ONE, names_gradients, stems
from tinyrnn.verdicts.record.run import floats, holds_attributes, kind_of


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
    is_number = isinstance(value, int) or kind_of(value) in ("b", "i", "u")
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
    elif holds_attributes(obj):
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


def arrays_at(places, value, own, shapes=()):
    """A `Came` for each of some places, as `returned_arrays` of a value and `stored_arrays` of an object give them, but
    without a name: those alone, which is quicker. What is not there is left out."""
    for place in places:
        is_stored = place[:1] == ("self",)
        found = own if is_stored else value
        try:
            for key in place[is_stored:]:
                found = found[key] if isinstance(found, dict | tuple | list) else vars(found)[key]
        except (LookupError, TypeError):
            continue
        whole = None if is_stored else stacked(found, shapes)
        array = floats(found) if whole is None else whole
        is_stub = array is None
        yield Came(place, None, in_place(found) if is_stub else array, is_stored, is_stub)


def of_all_steps(came, run):
    """The same arrays, where a layer within keeps what it worked out last, and the object around it the sum over all
    calls, or an object keeps what it worked out last and gives the sum to another one, `self.dW` and `self.W_opt.grad`:
    the sum goes by the name of what was worked out last. run: `Replayed`."""
    sites = [unit.site for unit, _ in run.units.values()]
    calls = Counter(site.name.lstrip("_") for site in sites if site.kind == "assign" and site.box)
    layers = Counter(one.place[-1] for one in came if one.is_stored)
    names = {}
    for one in came:
        is_within = one.is_stored and one.name and len(one.place) > 2
        if is_within and calls[str(one.place[-1]).lstrip("_")] > layers[one.place[-1]]:  # which a property may set
            sums = [c for c in came if c.is_stored and c.array.shape == one.array.shape and is_around(c, one)]
            if len(sums) > 1:
                sums = [c for c in sums if str(one.place[-2]).rpartition("_")[2] in str(c.place[-1])]
            if len(sums) == 1:
                names |= {sums[0].place: one.name, one.place: None}
        elif one.is_stored and one.name and calls[str(one.place[-1])] > 1:
            sums = [c for c in came if c.is_stored and c.array.shape == one.array.shape and is_given(c, one)]
            names |= {sums[0].place: one.name, one.place: None} if len(sums) == 1 else {}
    return [one._replace(name=names.get(one.place, one.name)) for one in came]


def is_given(one, last):
    """Whether an array is kept as a gradient by an object that goes by the name of the weight of another gradient."""
    weights = [stem for stem, handed_on in stems(last.name) if not handed_on]
    within = [key for key in one.place[1:-1] if isinstance(key, str)]
    return one.place[-1] in OF_ONE and any(key.startswith(weight) for key in within for weight in weights)


def is_around(one, layers):
    """Whether an array has a gradient's name, and is kept beside the layer that keeps another."""
    return (
        one.place[:-1] == layers.place[: len(one.place) - 1]
        and len(one.place) < len(layers.place)
        and bool(re.search("grad|delta", str(one.place[-1]), re.IGNORECASE))
    )
