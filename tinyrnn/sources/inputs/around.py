"""What is there already when a function is called: weights and sizes that it reads from its module, or from its object.
The inputs have to fit them."""

import inspect
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.sources.inputs.values import nested
from tinyrnn.sources.reading import NoSource, names_in, reachable, undecorated
from tinyrnn.sources.vocabulary import role_of


class Around(NamedTuple):
    """lengths: what D and H must be among, empty where anything goes. classes: what class numbers must stay below.
    certain: whether the weights are the function's own for certain, as those of its object are. entries: how many
    numbers these weights are."""

    lengths: tuple = ()
    classes: int | None = None
    certain: bool = True
    entries: int = 0


NOTHING = Around()


def around(function: Any) -> Around:
    """What is around a function, or a method of an object."""
    owner = getattr(function, "__self__", None)
    if owner is not None:
        return found_in(getattr(owner, "__dict__", {}), 1)
    return found_in(read_by(function), 2)._replace(certain=False)  # a vector may be anything, weights are matrices


def found_in(values: dict, least_axes: int) -> Around:
    """The same by the values that are there, of which arrays of so many axes are weights."""
    lengths = lengths_in(values, least_axes)
    if not lengths:
        return NOTHING
    words = [n for name, n in values.items() if role_of(name, ())[0] == "V" and isinstance(n, int) and n > 0]
    entries = sum(v.size for v in nested(values) if isinstance(v, np.ndarray) and v.ndim >= least_axes)
    return Around(tuple(lengths), min(words or lengths), entries=entries)


def read_by(function: Any) -> dict:
    """{name: value} of what a function, and those that it calls, read from their module."""
    try:
        functions = reachable([undecorated(function)])[0]
    except NoSource:
        return {}
    found: dict = {}
    for one in functions:
        world = one.__globals__
        found |= {name: world[name] for name in sorted(names_in(one.__code__)) if name in world}
    return {name: value for name, value in found.items() if not (inspect.isroutine(value) or inspect.ismodule(value))}


def lengths_in(made: Any, least_axes: int = 1) -> list:
    """The lengths of the axes of arrays in a nest, and what they are if gates are side by side."""
    arrays = [a for a in nested(made) if isinstance(a, np.ndarray) and a.dtype.kind in "fc" and a.ndim >= least_axes]
    return sorted({n // k for array in arrays for n in array.shape for k in (1, 3, 4) if n % k == 0 and n > 1})
