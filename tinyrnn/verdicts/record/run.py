"""Running a rewritten program: every value that it gives a name to, in order.

Programs are deterministic, so the number of an event is the same in every run: that is how one value out of many is
changed (`tinyrnn.verdicts.record.truth`), or replaced by another (`tinyrnn.verdicts.judge.runs`).
"""

import collections
import itertools
import sys
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from tinyrnn.core.backend import to_numpy
from tinyrnn.sources import Site, closures, program
from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.deadline import one_run

VERDICTS = Path(__file__).parents[1]
WATCHES = "judge/runs.py", "judge/inner.py", "judge/operations.py", "repair/replay.py"  # from this folder on
OWN_FILES = {__file__, program.__file__, closures.__file__}  # what stands between a call and us
OWN_FILES |= {str(VERDICTS / one) for one in WATCHES}
ITEMS = ("item", "item-augment")
PLAIN_KEYS = (str, bytes, int, float, complex, slice, type(...), type(None), list, np.ndarray, np.generic)


class ValueEvent(NamedTuple):
    """One value that got a name. call: which call of its function (0, 1, …). key: of an item, else None.

    number: of the event in the run. value: a copy, or None where it is no array of floats. caller: line of the call,
    and the name of the calling function, for "enter".
    """

    number: int
    site: Site
    call: int
    key: object
    value: object
    caller: tuple = ()
    identity: object = 0  # id of the object; of what is returned, a set with those of its parts

    @property
    def where(self):
        """Scope and name, and the key of an item."""
        return self.site.scope, self.site.name, None if self.key is None else written(self.key)


def written(key):
    """The text of a key; of an object, which may have its own way to write itself, which object it is."""
    if isinstance(key, tuple):
        return f"({', '.join(map(written, key))})"
    return repr(key) if isinstance(key, PLAIN_KEYS) else object.__repr__(key)


class Recorder:
    """A `watch` that notes everything and changes nothing."""

    def __init__(self):
        self.events, self.returns, self.calls, self.stack = [], {}, {}, []

    def __call__(self, site, value, key=None):
        caller = ()
        if site.kind == "enter":
            self.calls[site.scope] = self.calls.get(site.scope, -1) + 1
            self.stack.append((site.scope, self.calls[site.scope]))
            caller = caller_of_program()
        if not any(scope == site.scope for scope, _ in self.stack):  # a generator, which goes on where it was
            self.stack.append((site.scope, self.calls.get(site.scope, 0)))
        while self.stack[-1][0] != site.scope:  # functions that ended without a return statement
            self.stack.pop()
        kept = float(value) if site.kind == "carry" and type(value) is int else value  # a state that starts as 0
        if site.kind == "return":
            for path, _ in site.uses:
                self.returns[len(self.events), path] = floats(at_path(value, path))
        if site.kind in ITEMS:
            try:
                kept = value[key]
            except (LookupError, TypeError):
                kept = None
        call = self.stack[-1][1]
        identity = frozenset(ids_of(value)) if site.kind == "return" else id(value)
        self.events.append(ValueEvent(len(self.events), site, call, key, numbers(kept), caller, identity))
        if site.kind == "return":
            self.stack.pop()
        return value

    def finished(self):
        """The `Events` recorded so far."""
        return Events(self.events, self.returns)


def ids_of(value):
    """Identities of an object and, of a tuple or dict, of what is in it."""
    yield id(value)
    for entry in value if isinstance(value, tuple) else value.values() if isinstance(value, dict) else ():
        yield from ids_of(entry)


def entered():
    """The frame of the rewritten function that is just being entered."""
    frame = sys._getframe()
    while frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    return frame


def caller_of_program():
    """(line, name) of what called the rewritten function that is just being entered."""
    frame = entered().f_back
    while frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    line = frame.f_lineno
    while frame.f_code.co_name == "<lambda>" or frame.f_code.co_filename in OWN_FILES:  # an entry of a dict
        frame = frame.f_back
    return line, frame.f_code.co_qualname


def record(program, call):
    """Run call(program); returns its result and the `Events`. What goes on for seconds is broken off by `TooLong`."""
    recorder = Recorder()
    with one_run():
        result = program.run(recorder, call)
    program.reports = max(program.reports, len(recorder.events))
    return result, recorder.finished()


def at_path(value, path):
    """value[path[0]][path[1]]…"""
    for k in path:
        value = value[k]
    return value


class Events(list):
    """The events of a run; `value(n)` also takes (n, path), a part of a tuple that was returned."""

    def __init__(self, events, returns):
        super().__init__(events)
        self.returns = returns

    @cached_property
    def turns(self):
        """The number of each event among those of its site."""
        counts = collections.defaultdict(itertools.count)
        return [next(counts[id(event.site)]) for event in self]

    def value(self, number):
        """The recorded value of event n, or of the part of its tuple at path for (n, path); None if it is no array."""
        return self.returns[number] if isinstance(number, tuple) else self[number].value

    def site(self, number):
        """The `Site` of event n, or of (n, path)."""
        return self[number[0] if isinstance(number, tuple) else number].site


def floats(value):
    """A copy of `value` as an array if it is one of floats (or a float), else None."""
    if isinstance(value, float | np.floating | np.complexfloating | complex):
        return np.array(value)
    return to_numpy(value).copy() if kind_of(value) in ("f", "c") else None


def kind_of(value):
    """The kind of the numbers of an array, of NumPy or CuPy: "f", "i" and so on; "" of all else, also of somebody's
    tensor, whose array goes by its own attributes, and of a sparse matrix of SciPy, which no array can take the place
    of."""
    is_array = isinstance(value, np.ndarray | np.generic) or hasattr(type(value), "__cuda_array_interface__")
    return value.dtype.kind if is_array else ""


def holds_attributes(value):
    """Whether a value is an object that arrays may be attributes of: no class, and no module, as `self.xp = numpy`."""
    return hasattr(value, "__dict__") and not isinstance(value, type | ModuleType)


def arrays_of(value, within=()):
    """All arrays of floats in nested dicts, lists, tuples and objects. within: ids of the objects that it is in, which
    may hold each other."""
    if floats(value) is not None:
        yield floats(value)
    elif isinstance(value, dict):
        keys = sorted(value) if all(isinstance(key, str) for key in value) else value  # objects have no order
        for key in keys:
            yield from arrays_of(value[key], within)
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from arrays_of(entry, within)
    elif holds_attributes(value) and id(value) not in within:
        yield from arrays_of(vars(value), (*within, id(value)))


def numbers(value):
    """The same for arrays of integers and truth values too, but not for single ones: those count."""
    if kind_of(value) in ("b", "i", "u") and value.ndim:
        return to_numpy(value).astype(float)
    return floats(value)


def broadcasts(small, large):
    """Whether an array of shape `small` is repeated, or left as it is, to make one of shape `large`."""
    try:
        return np.broadcast_shapes(small, large) == tuple(large)
    except ValueError:
        return False


def fresh(value):
    """A deep copy, so that no run can spoil the next."""
    return deep_copy(value)
