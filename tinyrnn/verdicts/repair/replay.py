"""Runs a backward pass again and again, with other values in the place of those that some statements compute."""

import collections
import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tinyrnn.sources import Site
from tinyrnn.sources.reporting import EVERY
from tinyrnn.verdicts.record.run import ITEMS, caller_of_program, floats
from tinyrnn.verdicts.record.truth import with_part

NO_UNITS = ("enter", "pass", "carry", "load", "use", "operand", "part")
MOST_LISTED = 12  # entries of a list: in a longer one there are states of steps, say
RECEIVING = ("return", "assign", "refill", "item")
IN_PLACE = ("refill", "augment", "transform")


class Unit(NamedTuple):
    """What can be at fault: one place that computes a value, in all its executions together.

    site: where. path: which part of a tuple that is returned, or that an object keeps, else (). caller: of an argument,
    (line, scope) of the call that passes it, else (). is_received: whether it is what a function has just returned, as
    it is, or an array of before that is returned without its name, as in `return loss, *gradients`.
    """

    site: Site
    path: tuple = ()
    caller: tuple = ()
    is_received: bool = False

    @property
    def place(self):
        """(scope, line) of the line that is accused for it."""
        return (self.caller[1], self.caller[0]) if self.caller else (self.site.scope, self.site.line)

    @property
    def is_handed_on(self):
        """Whether a variable is returned as it is."""
        return self.site.kind == "return" and any(path == self.path for path, _ in self.site.uses)

    @property
    def only_copies(self):
        """Whether nothing is computed here: a variable that is assigned or returned as it is, or a start of zeros."""
        copies = self.site.copies is not None and self.site.kind not in ("augment", "item-augment")
        return not self.adds_nothing and (self.is_handed_on or copies or self.site.zero)

    @property
    def adds_nothing(self):
        """Whether zero is added to something, or a variable assigned to itself: of no use, and a sign that something is
        missing."""
        is_itself = self.site.kind == "assign" and self.site.box is None and self.site.copies == self.site.name
        return is_itself or (self.site.zero and self.site.kind in ("augment", "item-augment"))

    @property
    def computes(self):
        """Whether there is something to explain here."""
        return not (self.is_handed_on or self.site.zero or self.site.kind == "argument" or self.site.name == "_")


@dataclass
class Replayed:
    """One run. units: of each place, (unit, value it had there), in time. came: {place: what stood there before another
    value was put}. callers: {place: (line, scope) of the call in which it ran}. wholes: {place: the array of which some
    entries were picked}. names: {path in what is returned: [(scope, name), ...] of the variables that were the array
    which stands there}. scopes: the functions that ran. result: what came out. error: what it ended in, or None."""

    units: dict = field(default_factory=dict)
    came: dict = field(default_factory=dict)
    callers: dict = field(default_factory=dict)
    wholes: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)
    scopes: tuple = ()
    result: object = None
    error: Exception | None = None


class Replay:
    """The runs of one backward program on one forward result."""

    def __init__(self, problem, program, forward_result):
        self.problem, self.program, self.forward_result = problem, program, forward_result
        self.call = problem.backward_call(forward_result)
        self.turns = {}  # {number of an event: (its site, the number of it among those of its site)}

    def run(self, put=None, record=True):
        """A `Replayed` with values in the place of others. put: {place: function of the value there -> another}; a
        place is (number of the event, path)."""
        substitution = Substitution(put or {}, record, self.turns)
        noted = substitution.units, substitution.came, substitution.called, substitution.wholes
        watch, made = substitution.watch, Replayed(*noted)
        with np.errstate(all="ignore"):
            try:
                made.result = self.program.run(watch, self.call, sites=EVERY if record else substitution.sites)
            except Exception as error:
                made.error = error
        if record and not put:
            self.turns.update(substitution.turned)
            self.program.reports = max(self.program.reports, substitution.count)
        made.names, made.scopes = substitution.named, tuple(substitution.callers)
        return made


class Substitution:
    """A `watch` that notes values, and puts others in their place. put: as for `Replay.run`. turns: as there."""

    def __init__(self, put, record, turns):
        self.put, self.is_recording = put, record
        self.numbers = {number for number, _ in put}
        self.turned, self.counts = {}, collections.defaultdict(itertools.count)  # as `turns`; {id of a site: count}
        self.places, self.sites = {}, []  # {id of a site: {which of its events: its number}}, of a quick run
        for number in () if record else self.numbers:
            site, turn = turns[number]
            self.places.setdefault(id(site), {})[turn] = number
            self.sites.append(site)
        self.count, self.callers, self.units, self.came = -1, {}, {}, {}
        self.called, self.wholes = {}, {}
        self.returned, self.receiver = [], None  # what a function returned last, and the line that gets it
        self.arrays, self.variables, self.named = {}, {}, {}  # id -> array, of all that were noted; and -> what
        # variables it was; as `Replayed.names`

    @property
    def watch(self):
        """The function that is told of every value: of a run that notes nothing, a quick one."""
        if self.is_recording:
            return self.noted
        places, counts = self.places, {site: itertools.count() for site in self.places}

        def watch(site, value, key=None):
            if id(site) in counts:
                number = places[id(site)].get(next(counts[id(site)]))
                if number is not None:
                    self.count = number
                    value = self.changed(site, value, key)
            return value

        return watch

    def noted(self, site, value, key=None):
        """The `watch` that notes every value."""
        self.count += 1
        self.turned[self.count] = site, next(self.counts[id(site)])
        if site.kind == "enter":
            self.callers[site.scope] = caller_of_program()
        if site.kind in NO_UNITS:
            return value
        received = [*self.received(site, value), *self.nameless(site, value)]
        if isinstance(value, np.ndarray):
            self.arrays[id(value)] = value
            self.variables.setdefault(id(value), {})[site.scope, site.name] = True
        if site.kind == "return":
            self.named = {path: [*self.variables.get(id(part), ())] for path, part in arrays_in(value)}
        if self.count in self.numbers:
            self.came.update(((self.count, path), part) for path, part in parts(site, value, key))
            value = self.changed(site, value, key)
        called = self.callers.get(site.scope, ())
        for path, part in parts(site, value, key):
            caller = called if site.kind == "argument" else ()
            self.units[self.count, path] = Unit(site, path, caller, path in received), part
            self.called[self.count, path] = called
        if site.kind == "item-augment" and (whole := floats(value)) is not None:
            self.wholes[self.count, ()] = whole
        if site.kind == "return":
            self.returned, self.receiver = [part for _, part in parts(site, value, key)], None
        return value

    def received(self, site, value):
        """The paths of the floats in a value that a function has just returned to this line."""
        here = site.scope, site.line
        if site.kind not in RECEIVING or self.receiver not in (None, here) or not self.returned:
            self.returned = []
            return ()
        self.receiver = here
        return [path for path, part in parts(site, value, None) if any(same(part, one) for one in self.returned)]

    def nameless(self, site, value):
        """The paths of arrays in what is returned that were there before, and are returned without a name."""
        if site.kind == "return":
            named = {path for path, _ in site.uses}
            for path, part in arrays_in(value):
                if path and path not in named and id(part) in self.arrays:
                    yield path

    def changed(self, site, value, key):
        """The value with what is put in its place, or in that of parts of it."""
        if has_parts(site, value):
            for number, path in self.put:
                if number == self.count:
                    value = with_part(value, path, lambda part, at=(number, path): self.put[at](floats(part)))
            return value
        change = self.put[self.count, ()]
        if site.kind in ITEMS:
            value[key] = change(floats(value[key]))
            return value
        old = floats(value)
        new = change(old)
        whole = isinstance(value, np.ndarray) and value.shape == new.shape != () and value.flags.writeable
        if (site.in_place or site.kind in IN_PLACE) and whole and np.can_cast(new.dtype, value.dtype, "same_kind"):
            value[...] = new  # whoever else has the array sees it too
            return value
        return new if new.shape else new.item()


def parts(site, value, key):
    """(path, array) of the floats that a place computes: of a tuple that is returned, or kept by an object, of each
    part."""
    if has_parts(site, value):
        yield from leaves_in(value)
        return
    if site.kind in ITEMS:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return
    array = floats(value)
    if array is not None and array.size:
        yield (), array


def has_parts(site, value):
    """Whether a place gives several things at once: `return dx, dW`, `self.grads = (dW, db)`."""
    return site.kind == "return" or (site.kind == "assign" and site.box == "self" and isinstance(value, tuple))


def leaves_in(value, path=()):
    """(path, array) of the floats in nested tuples, and in lists of a few in them, `return loss, [dW, db]`."""
    if isinstance(value, tuple) or (path and isinstance(value, list) and len(value) <= MOST_LISTED):
        for k, part in enumerate(value):
            yield from leaves_in(part, (*path, k))
    elif (array := floats(value)) is not None and array.size:
        yield path, array


def arrays_in(value, path=()):
    """(path, array) of all arrays in nested tuples, lists and dicts, themselves and no copies."""
    if isinstance(value, tuple | list | dict):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from arrays_in(part, (*path, key))
    elif isinstance(value, np.ndarray):
        yield path, value


def same(one, other):
    """Whether two arrays are equal, number by number."""
    return one.shape == other.shape and np.array_equal(one, other)
