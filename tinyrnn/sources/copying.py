"""Deep copies in which arrays that share memory still do: `copy.deepcopy` makes every view an array of its own. Of an
object they have all that it holds, where it says itself what is to be written to a file: its weights alone, perhaps."""

import copy
import inspect
import io
import pickle

import numpy as np

from tinyrnn.sources.closures import Closure

PLAIN = frozenset({int, float, complex, bool, str, type(None)})  # that hold no arrays


def deep_copy(value):
    """A deep copy of anything but modules, `self.xp = numpy`, which stay the same; arrays within that are views of one
    memory are views of one copy of it."""
    parts = list(parts_within(value, set()))
    shared = shared_in([part for part in parts if isinstance(part, np.ndarray)])
    modules = {id(part): part for part in parts if inspect.ismodule(part)}
    memo, abridged = copied_together(shared) | modules, [part for part in parts if is_abridged(part)]
    memo |= {id(one): object.__new__(type(one)) for one in abridged}
    try:
        made = copy.deepcopy(value, memo)
        for one in abridged:
            vars(memo[id(one)]).update(copy.deepcopy(vars(one), memo))
        return made
    except Exception:  # a lock, say, which it is not written to a file for
        if not abridged:
            raise
        return copy.deepcopy(value, copied_together(shared) | modules)


def is_abridged(value):
    """Whether a value is an object that says what of it is to be written to a file, or hands on what it is asked for to
    what it holds, which would be copied in its place."""
    kind = type(value)
    is_plain = kind.__new__ is object.__new__ and kind.__reduce_ex__ is object.__reduce_ex__
    says_what = inspect.isfunction(getattr(kind, "__getstate__", None)) or hasattr(value, "__deepcopy__")
    return is_plain and says_what and not hasattr(kind, "__deepcopy__")


def shared_in(arrays):
    """[(the array that has the memory, several of some arrays that are views of it)]."""
    shared = {}
    for array in arrays:
        owner = owner_of(array)
        shared.setdefault(id(owner), (owner, []))[1].append(array)
    several = [(owner, views) for owner, views in shared.values() if len(views) > 1 and not owner.dtype.hasobject]
    return [(owner, views) for owner, views in several if owner.flags.c_contiguous or owner.flags.f_contiguous]


def copied_together(shared):
    """{id of a view: its copy} of what `shared_in` found, each of one copy of their memory."""
    made = {}
    for owner, views in shared:
        memory = owner.ravel(order="K").copy()
        made |= {id(view): same_view(view, owner, memory) for view in views}
    return made


class Copies:
    """Makes deep copies of one value, as it is now: many times faster than `deep_copy` each time. They come out of a
    pickle, but for arrays, which are copied, and modules, classes and functions, which stay the same."""

    def __init__(self, value):
        self.value, self.kept = deep_copy(value), []
        self.arrays = [array for array in arrays_within(self.value, set()) if not array.dtype.hasobject]
        self.numbers = {id(array): number for number, array in enumerate(self.arrays)}
        self.shared = shared_in(self.arrays)
        self.data = self.pickled()

    def pickled(self):
        """The pickle of the value; None where there is none, or where a copy would be another thing."""
        file = io.BytesIO()
        pickler = Pickler(file, protocol=5)
        pickler.copies = self
        try:
            pickler.dump(self.value)
        except Exception:  # iterators, say, and what refuses to be pickled in its own words
            return None
        return file.getvalue()

    def place_of(self, value):
        """Where an array stands among the parts of a copy, or what is not copied; None of everything else."""
        if id(value) in self.numbers:
            return self.numbers[id(value)]
        is_code = inspect.isclass(value) or (inspect.isroutine(value) and not inspect.ismethod(value))
        if is_code or inspect.ismodule(value):
            self.kept.append(value)
            return len(self.arrays) + len(self.kept) - 1
        says_how = hasattr(value, "__deepcopy__") and not isinstance(value, np.ndarray | np.generic)
        if says_how or is_abridged(value):
            raise pickle.PicklingError("it says itself how it is copied")
        return None

    def __call__(self):
        """A new copy."""
        if self.data is None:
            return deep_copy(self.value)
        views = copied_together(self.shared)
        unpickler = Unpickler(io.BytesIO(self.data))
        arrays = (views[id(one)] if id(one) in views else one.copy(order="K") for one in self.arrays)
        unpickler.parts = [*arrays, *self.kept]
        return unpickler.load()


class Pickler(pickle.Pickler):
    """Asks its `Copies` what is not pickled."""

    def persistent_id(self, value):
        """Where it stands among the parts of a copy; None of what is pickled."""
        return self.copies.place_of(value)


class Unpickler(pickle.Unpickler):
    """Takes what was not pickled from its parts."""

    def persistent_load(self, place):
        """The part there."""
        return self.parts[place]


def same_view(view, owner, memory):
    """The view of another memory that is what `view` is of its owner's."""
    start = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    made = np.ndarray(view.shape, view.dtype, memory.data, start, view.strides).view(type(view))
    made.flags.writeable = view.flags.writeable
    return made


def owner_of(array):
    """The array whose memory it is."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def arrays_within(value, seen):
    """Each array in nested lists, tuples, dicts and objects, once."""
    return (part for part in parts_within(value, seen) if isinstance(part, np.ndarray))


def parts_within(value, seen):
    """Each array, module and object in nested lists, tuples, dicts and objects, once."""
    queue = [value]
    while queue:
        value = queue.pop()
        kind = type(value)
        if kind in PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if kind is np.ndarray or inspect.ismodule(value):
            yield value
        elif isinstance(value, list | tuple):
            queue += value
        elif isinstance(value, dict):
            queue += [*value, *value.values()]  # a graph may be a dict whose keys are its nodes
        elif isinstance(value, Closure):
            queue += value.contents
        elif not (inspect.isclass(value) or inspect.isroutine(value)):
            yield value
            queue += getattr(value, "__dict__", {}).values()
