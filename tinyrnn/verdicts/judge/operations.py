"""The operations on tensors in a program, as they are done first: each can be judged by itself."""

import ast
import inspect
from contextlib import suppress
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from tinyrnn.sources.closures import functions_within
from tinyrnn.sources.copying import PLAIN, deep_copy
from tinyrnn.sources.reading import read
from tinyrnn.sources.syntax import name_of, targets_of
from tinyrnn.verdicts.record.run import entered
from tinyrnn.verdicts.subjects.tensors import LeafTensors, array_of, asks, is_leaf, is_tensor, path_of_data

MOST_SETTINGS = 3  # of an operation, that are looked at
MOST_TIMES = 2  # that it is done


class Operated(NamedTuple):
    """An operation: a function, or method of a tensor, or that method of objects of one class which all operations are
    called by, `Function.__call__` of `Square`."""

    function: object
    cls: object = None


class Doing(NamedTuple):
    """An operation as it is done: arguments by name, and how many times, which adds up in their gradients."""

    arguments: dict
    times: int


class Operations:
    """A `watch` that notes what functions are given that are given tensors.

    program: the `Program` that runs. as_written: what makes objects of the classes that were written of those of
    rewritten ones. calls: {`Operated`: {settings: arguments by name}}. within: {`Operated`: those that run while it
    does}. giving: those that return a tensor made of others. leaves: the `LeafTensors` of the program, None if there
    are none.
    """

    def __init__(self, program, as_written):
        self.originals = {made.__code__: made.original for made in program.rewritten()}
        self.as_written, self.calls, self.within = as_written, {}, {}
        self.giving, self.leaves = set(), None
        self.given = {}  # {id of a frame: the ids of the tensors that it was given}

    def __call__(self, site, value, key=None):
        if site.kind == "return" and is_tensor(value) and not is_leaf(value):
            frame = entered()
            if id(value) not in self.given.pop(id(frame), ()):  # it may only hand on what it is given
                self.giving.add(self.operated(frame))
        if site.kind == "enter":
            frame = entered()
            function = self.originals.get(frame.f_code)
            given = {name: frame.f_locals[name] for name in names_of(function) if name in frame.f_locals}
            tensors = [part for one in given.values() for part in parts(one) if is_tensor(part)]
            self.given[id(frame)] = {*map(id, tensors)}  # also none: another frame may have had that id
            if tensors:
                self.note(self.operated(frame), given, tensors)
                for caller in self.callers(frame):
                    self.within.setdefault(caller, set()).add(self.operated(frame))
        return value

    def operated(self, frame):
        """The `Operated` that a frame runs."""
        function, owner = self.originals.get(frame.f_code), frame.f_locals.get("self")
        is_called_by_all = owner is not None and not is_tensor(owner)
        return Operated(function, getattr(type(owner), "original", type(owner)) if is_called_by_all else None)

    def note(self, function, given, tensors):
        """Notes what an `Operated` is given, if it was not given the like before."""
        if self.leaves is None:
            own = [one for one in tensors if is_leaf(one) and asks(one) and array_of(one).dtype.kind == "f"]
            self.leaves = LeafTensors(deep_copy(own[0]), path_of_data(own[0])) if own else None
        calls, settings = self.calls.setdefault(function, {}), settings_of(given)
        if self.leaves and settings not in calls and len(calls) < MOST_SETTINGS:
            with suppress(Exception, SystemExit):  # of what cannot be copied
                calls[settings] = self.as_written({name: self.detached(one) for name, one in given.items()})

    def detached(self, value):
        """A copy of an argument, in which tensors are not made of others."""
        if is_tensor(value):
            return self.leaves.like(value)
        if isinstance(value, list | tuple) and any(map(is_tensor, value)):
            return type(value)(map(self.detached, value))
        return deep_copy(value)

    def callers(self, frame):
        """The `Operated`s that are being run, but for that of a frame."""
        while frame := frame.f_back:
            if frame.f_code in self.originals:
                yield self.operated(frame)

    @cached_property
    def found(self):
        """{`Operated`: [`Doing`]} of those that return a tensor, and say how it goes back from there or call no other
        one that does."""
        found = {function: [*calls.values()] for function, calls in self.calls.items() if function in self.giving}
        found = {one: [Doing(*both) for both in product(calls, (1, MOST_TIMES))] for one, calls in found.items()}
        plain = {one for one in found if says_how(one.function) or not self.parts_of(one)}
        return {one: calls for one, calls in found.items() if calls and one in plain}

    def parts_of(self, function):
        """The operations that one consists of."""
        return self.within.get(function, set()) & self.giving


def says_how(function):
    """Whether a function may say how its result goes back: it defines another function, or sets an attribute of what is
    not its object, `out.children = …`."""
    targets = [target for target in targets_of(read(function)) if isinstance(target, ast.Attribute)]
    return bool(functions_within(function)) or any(name_of(target.value) != "self" for target in targets)


def names_of(function):
    """The names of a function's arguments; none of what is no function."""
    return inspect.signature(function).parameters if function else ()


def parts(value):
    """What a list or tuple holds, or else the value."""
    return value if isinstance(value, list | tuple) else (value,)


def settings_of(given):
    """What may decide which branches a function takes: how many axes its tensors have, and other arguments."""
    return tuple((name, *map(kind_of_part, parts(one))) for name, one in given.items())


def kind_of_part(value):
    """The axes of a tensor, and whether it asks for its gradient; a plain value; else the type."""
    if is_tensor(value):
        return np.ndim(array_of(value)), asks(value)
    return value if type(value) in PLAIN else type(value)
