"""What is written down while a network runs line by line: every value that gets a name, with the place and the time."""

import os

import numpy as np

from tinyrnn.sources import source_lines
from tinyrnn.sources.calling import is_upstream
from tinyrnn.stepping.form import COLUMNS
from tinyrnn.stepping.recording import AGREES, as_array, relative_error, rounded
from tinyrnn.verdicts.record.run import ITEMS, numbers

KINDS = {  # of a site, in the recording's words
    "argument": "given",
    **dict.fromkeys(("assign", "value", "item", "refill"), "assigned"),
    **dict.fromkeys(("augment", "item-augment"), "added"),
    "transform": "changed",
}


class Notebook:
    """The `watch` of a rewritten program: notes everything and changes nothing.

    clock: says where the run is, and at which time steps something is to be noted. names: the only ones that are, or
    None. largest: entries of an array that is noted whole.
    """

    def __init__(self, clock, names, largest):
        self.clock, self.largest = clock, largest
        self.names = None if names is None else set(names)
        self.events = {column: [] for column in COLUMNS}
        self.sites, self.arrays, self.shared = {}, [], {}
        self.running = []  # the functions that are: (scope, objects that have a name there)
        self.seen = {}  # (layer, t, site) -> numbers of its events in this pass, None for those that are not kept
        self.whole = {}  # (layer, site) -> the same, over all time steps
        self.sums = {}  # (layer, site, k) -> what is compared with a line that runs once a sequence
        self.accusations = []  # [site, text, known mistake or None]
        self.turn = 0

    def failed(self, program):
        """The `rescue` of a run: the names that a line fails to give become events without a value."""

        def note(scope, names, error, line):
            here = [site for site in program.sites.get(scope, ()) if site.line == line and site.kind in KINDS]
            for site in [next((s for s in here if s.name == name), None) for name, _ in names]:
                if site is not None:
                    self.add(site, -1)
            raise error

        return note

    def clear(self):
        """What was noted so far is forgotten."""
        self.__init__(self.clock, self.names, self.largest)

    def turned(self):
        """The backward pass begins."""
        self.turn = len(self.events["site"])
        self.seen, self.whole = {}, {}

    def __call__(self, site, value, key=None):
        if site.kind == "enter":
            self.running.append((site.scope, {}))
        while self.running[-1][0] != site.scope:  # functions that ended without a return statement
            self.running.pop()
        self.clock.tick(site, value, len(self.running))
        if site.kind in KINDS and site.name != "_":
            self.note(site, value, key)
        if site.kind == "return":
            self.running.pop()
        return value

    def note(self, site, value, key):
        """Add an event, unless the value has a name in this call, its time or name is not kept, or it is no number."""
        number = self.number_of_new(site, value, key)
        self.seen.setdefault((self.clock.layer, self.clock.t, site), []).append(number)
        self.whole.setdefault((self.clock.layer, site), []).append(number)

    def number_of_new(self, site, value, key):
        """The number of the event that has been added, or None."""
        named = self.running[-1][1]
        if site.kind == "value" and id(value) in named:  # {"f": f} says nothing new
            return None
        named[id(value)] = value  # held, so that no other object gets the same id
        if not self.clock.keeps(self.clock.t) or (self.names is not None and name_of(site) not in self.names):
            return None
        array = numbers(value[key] if site.kind in ITEMS else value)
        if array is None:
            return None
        return self.add(site, self.keep(array))

    def add(self, site, value):
        """Add an event, of which the value has that index, -1 for none; its number."""
        layer, t = none(self.clock.layer), none(self.clock.t)
        row = (self.sites.setdefault(site, len(self.sites)), layer, t, value, -1, 0)
        for column, entry in zip(COLUMNS, row, strict=True):
            self.events[column].append(entry)
        return len(self.events["site"]) - 1

    def keep(self, array):
        """The index of an array; what has been kept is not kept twice."""
        array = np.asarray(array)
        is_large = array.size > self.largest
        key = array.shape, None if is_large else array.tobytes(), array.dtype.kind
        if key not in self.shared:
            self.shared[key] = len(self.arrays)
            self.arrays.append([list(array.shape), None] if is_large else [list(array.shape), *rounded(array)])
        return self.shared[key]

    # beside the numerical gradients ---------------------------------------------------------------------------------

    def compare(self, layer, t, verdicts):
        """Put numerical gradients beside what lines gave at a time step, or, with t None, over the whole sequence.

        verdicts: a `tinyrnn.stepping.beside.Verdicts`.
        """
        for (site, k), gradient in verdicts.gradients.items():
            events = self.events_of(layer, t, site)
            if k < len(events) and events[k] is not None:
                self.events["numerical"][events[k]] = self.keep(gradient)
            elif (layer, None, site) in self.seen:
                self.sums[layer, site, k] = self.sums.get((layer, site, k), 0) + gradient
        for place, (text, mistake) in verdicts.accused.items():
            for site in self.sites_at(*place):
                row = [self.sites[site], text, mistake]
                if row not in self.accusations:
                    self.accusations.append(row)
                for n in self.events_of(layer, t, site) or self.seen.get((layer, None, site)) or self.failures(site):
                    if n is None or self.agrees(n):  # a line that is wrong may give what is right at some step
                        continue
                    self.events["wrong"][n] = self.accusations.index(row) + 1

    def failures(self, site):
        """The numbers of events without a value."""
        return [n for n, k in enumerate(self.events["site"]) if k == self.sites[site] and self.events["value"][n] < 0]

    def sites_at(self, scope, line, name):
        """The sites of what has that name in a line; all of the line, if what is wrong there has no name."""
        here = [site for site in self.sites if (site.scope, site.line) == (scope, line)]
        return [site for site in here if site.name == name] or here

    def agrees(self, n):
        """Whether event n has the numerical gradient that it should have."""
        value, numerical = (as_array(self.arrays, self.events[column][n]) for column in ("value", "numerical"))
        error = relative_error(value, numerical)
        return error is not None and error < AGREES

    def events_of(self, layer, t, site):
        """Numbers of the events of a site in a layer at time step t, in order, None for those that are not kept; with t
        None, of all steps."""
        return self.whole.get((layer, site), []) if t is None else self.seen.get((layer, t, site), [])

    def compare_sums(self, layer):
        """The same for lines that ran once for the whole sequence: sums of what was compared at every step."""
        for (where, site, k), gradient in self.sums.items():
            events = self.seen[where, None, site]
            if where == layer and k < len(events) and events[k] is not None:
                self.events["numerical"][events[k]] = self.keep(gradient)

    # as JSON --------------------------------------------------------------------------------------------------------

    def finished(self, program):
        """What the notebook has of a recording; see `tinyrnn.stepping.recording`. program: what was run."""
        functions = {function.__qualname__: function for function in program.originals()}
        scopes = list(dict.fromkeys(site.scope for site in self.sites))
        return {
            "turn": self.turn,
            "sources": [source(scope, functions[scope]) for scope in scopes],
            "sites": [[scopes.index(s.scope), s.line, name_of(s), KINDS[s.kind], list(s.reads)] for s in self.sites],
            "events": self.events,
            "steps": [self.step(layer, t, passed) for (layer, t), passed in self.clock.passed.items()],
            "arrays": self.arrays,
            "accusations": self.accusations,
        }

    def results(self, params, inputs=None, state=()):
        """What the backward pass returned, of parameters by name, of the input and of the states, as indices."""
        return {
            "inputs": -1 if inputs is None else self.keep(inputs),
            "state": [self.keep(d) for d in state],
            "params": {name: self.keep(d) for name, d in params.items()},
        }

    def step(self, layer, t, passed):
        """One entry of `steps`: the arrays that `passed` has as arriving, leaving and running, by name, as indices."""
        kept = {
            what: {name: self.keep(array) for name, array in passed[what].items()}
            for what in ("arriving", "leaving", "running")
        }
        return {"layer": layer, "t": t, **kept}


def source(scope, function):
    """One entry of `sources`: the function's name (`scope`), its file without folders, its first line and its lines."""
    text = source_lines(function)
    file = os.path.basename(function.__code__.co_filename)
    return {"function": scope, "file": file, "first": min(text), "text": list(text.values())}


def name_of(site):
    """The name of what is assigned; an entry of the dict of gradients that a backward function returns is one too."""
    is_gradient = site.box == "{}" and ("backward" in site.scope or site.scope.endswith(".gradients"))
    return f"d{site.name}" if is_gradient and not is_upstream(site.name) else site.name


def none(number):
    """The number, or -1 for None, as the JSON form has it."""
    return -1 if number is None else number
