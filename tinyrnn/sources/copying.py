"""Deep copies in which arrays that share memory still do: `copy.deepcopy` makes every view an array of its own."""

import copy
import inspect

import numpy as np

PLAIN = frozenset({int, float, complex, bool, str, type(None)})  # that hold no arrays


def deep_copy(value):
    """A deep copy of anything; arrays within that are views of one memory are views of one copy of it."""
    shared = {}  # id of the array that has the memory -> it and its views
    for array in arrays_within(value, set()):
        owner = owner_of(array)
        shared.setdefault(id(owner), (owner, []))[1].append(array)
    memo = {}
    for owner, views in shared.values():
        if len(views) > 1 and not owner.dtype.hasobject and (owner.flags.c_contiguous or owner.flags.f_contiguous):
            memory = owner.ravel(order="K").copy()
            memo |= {id(view): same_view(view, owner, memory) for view in views}
    return copy.deepcopy(value, memo)


def same_view(view, owner, memory):
    """The view of another memory that is what `view` is of its owner's."""
    start = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    made = np.ndarray(view.shape, view.dtype, memory.data, start, view.strides)
    made.flags.writeable = view.flags.writeable
    return made


def owner_of(array):
    """The array whose memory it is."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def arrays_within(value, seen):
    """Each array in nested lists, tuples, dicts and objects, once."""
    queue = [value]
    while queue:
        value = queue.pop()
        kind = type(value)
        if kind in PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if kind is np.ndarray:
            yield value
        elif isinstance(value, list | tuple):
            queue += value
        elif isinstance(value, dict):
            queue += value.values()
        elif not (inspect.isclass(value) or inspect.ismodule(value) or inspect.isroutine(value)):
            queue += getattr(value, "__dict__", {}).values()
