"""Runs a network line by line: its real source, rewritten to report every value, one time step after the other."""

import contextlib
import copy
from dataclasses import replace

import numpy as np

from tinyrnn.checking.probe import leaves
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.steps import Plain
from tinyrnn.nn.model import Model
from tinyrnn.sources import Program, reachable
from tinyrnn.sources.reading import undecorated


class Clock:
    """Where a run is: layer (a number, or None outside of the recurrent layers) and time step (or None).

    kept: the time steps, a range, of which anything is to be remembered.
    """

    def __init__(self):
        self.layer = self.t = None
        self.kept = range(0)
        self.first = {}  # layer -> the earliest step that the backward pass came to
        self.passed = {}  # (layer, t) -> what was there: a dict, filled on the way back
        self.whole = {}  # layer -> what its backward pass was given

    def tick(self, site, value, depth):
        """Nothing: the engine says where the run is."""

    def keeps(self, t):
        """Whether anything is to be remembered of time step t, or, with None, of what is done once."""
        return t is None or t in self.kept


class StepByStep(Plain):
    """Runs one recurrent layer as it stands, one time step at a time, and sets the clock."""

    def __init__(self, clock, layer):
        self.clock, self.layer = clock, layer

    def __deepcopy__(self, memo):
        return self  # there is one clock, whatever is copied

    @contextlib.contextmanager
    def session(self, cell, x):
        """Sets the clock to this layer while the engine runs the cell over x."""
        self.clock.layer, self.clock.t = self.layer, None
        try:
            yield
        finally:
            self.clock.layer = self.clock.t = None

    def chunk_size(self, T, B):
        """One time step: weight gradients are taken at each."""
        return 1

    @contextlib.contextmanager
    def at(self, t):
        """A context in which the clock says time step t (None: no single one)."""
        self.clock.t, before = t, self.clock.t
        try:
            yield
        finally:
            self.clock.t = before

    def forward(self, cell, tape, start, stop):
        """As `Plain.forward`, with the clock set."""
        with self.at(only(start, stop)):
            super().forward(cell, tape, start, stop)

    def forward_at(self, t, cell, tape, a):
        """As `Plain.forward_at`, with the clock at t."""
        with self.at(t):
            super().forward_at(t, cell, tape, a)

    def backward(self, cell, tape, start, stop, dh, dstate, recorded):
        """As `Plain.backward`; at the last steps, what the layer's backward pass is given is kept in `clock.whole`."""
        if stop == len(tape):
            state = tuple(copies([array[0] for array in tape.states.values()]))
            given = {"x": to_numpy(tape.x), "mask": tape.mask, "state": state, "dh": dh, "dstate": copies(dstate)}
            self.clock.whole[self.layer] = given
        return super().backward(cell, tape, start, stop, dh, dstate, recorded)

    def backward_at(self, t, cell, tape, dstate, needs, clipped):
        """As `Plain.backward_at`, at t; what arrives, leaves and was there before is kept in `clock.passed`."""
        with self.at(t):
            da, leaving = super().backward_at(t, cell, tape, dstate, needs, clipped)
        self.clock.first[self.layer] = t
        if t not in self.clock.kept:
            return da, leaving
        live = tape.live(t)
        self.clock.passed[self.layer, t] = {
            "arriving": dict(zip(cell.states, copies(dstate), strict=True)),
            "leaving": dict(zip(cell.states, copies(leaving), strict=True)),
            "x": to_numpy(tape.x[t]).copy(),
            "before": copies([array[t] for array in tape.states.values()]),
            "live": None if live is None else to_numpy(live),
            "running": {},
        }
        return da, leaving

    def gradients(self, cell, tape, start, stop, da, needs, dparams, inputs=True):
        """As `Plain.gradients`; the weight gradients summed up to here are kept in `clock.passed`."""
        with self.at(only(start, stop)):
            dx = super().gradients(cell, tape, start, stop, da, needs, dparams, inputs)
        # of a cell whose weight gradients are taken for the whole sequence at once, this is the first step, the last
        # one on the way back
        if (self.layer, start) in self.clock.passed:
            running = dict(zip(dparams, copies(dparams.values()), strict=True))
            self.clock.passed[self.layer, start]["running"] = running
        return dx


def only(start, stop):
    """The time step, if there is only one."""
    return start if stop - start == 1 else None


def copies(arrays):
    """A list of NumPy copies, from whatever device the arrays are on."""
    return [to_numpy(array).copy() for array in arrays]


class Lines:
    """A network rewritten to report, in double precision and running one time step at a time.

    network: a cell, `StepCell`, layers or a `Model`. `run(watch, x, …)` goes forwards and backwards. cells: the
    recurrent layers, as (name, cell); plain: the whole network, neither of them rewritten, in double precision.
    """

    def __init__(self, network):
        self.plain = network = in_double(network)
        self.cells = [(name.rstrip("."), part) for name, part in leaves(network) if isinstance(part, Cell)]
        functions, classes = sources_of(network)
        self.program = Program(functions, classes)
        self.clock = Clock()
        self.network = copy.deepcopy(network)
        for _, part in leaves(self.network):
            self.program.reclass(part, set())
            if isinstance(part, StepCell):
                part.functions = tuple(self.program[undecorated(f)] for f in part.functions)
        own = [part for _, part in leaves(self.network) if isinstance(part, Cell)]
        for number, cell in enumerate(own):
            cell.runner = StepByStep(self.clock, number)
        if isinstance(network, Model):
            loss = network.loss
            self.network.loss = replace(loss, forward=self.program[loss.forward], backward=self.program[loss.backward])

    def run(self, watch, x, target, state, mask, dh, dstate, **options):
        """Forwards, `watch.turned()`, and backwards; returns the loss, the layers' `Gradients`, all gradients by name.

        Other arguments as of `trace`.
        """

        def call(program):
            if isinstance(self.network, Model):
                y, tape = self.network.forward(x, state, mask)
                loss, kept = self.network.loss(y, target, mask if self.network.at == "every" else None)
                watch.turned()
                back, dparams = self.network.backward(self.network.loss.backward(kept), tape, dstate, **options)
                return float(loss) + upstream(dstate, tape.state), back, dparams
            h, tape = self.network.forward(x, state, mask)
            watch.turned()
            back = self.network.backward(dh, tape, dstate, **options)
            loss = float((0 if dh is None else (dh * h).sum()) + upstream(dstate, tape.state))
            return loss, back, back.params

        with np.errstate(all="ignore"):
            return self.program.run(watch, call)


def upstream(dstate, state):
    """What the final state adds to the loss whose gradient is dstate: the sum of dstate times state, a float."""
    return float(sum((d * s).sum() for d, s in zip(dstate or (), state, strict=False) if d is not None))


def in_double(network):
    """A copy with all arrays of floats in float64, on the CPU, that runs as it stands."""
    made = copy.deepcopy(network)
    for _, part in leaves(made):
        part.params = Params({name: to_numpy(value).astype("float64") for name, value in part.params.items()})
        for name, value in part.constants.items():
            value = to_numpy(value)
            part.constants[name] = value.astype("float64") if value.dtype.kind == "f" else value
        if isinstance(part, Cell):
            part.interpret()
    return made


def sources_of(network):
    """(functions, classes) to be rewritten: all that was written by hand for this network, and what they call."""
    functions, classes = [], []
    for _, part in leaves(network):
        if isinstance(part, StepCell):
            functions += [undecorated(f) for f in part.functions]
        else:
            classes += [c for c in type(part).__mro__ if c.__module__ != Cell.__module__ and c is not object]
    if isinstance(network, Model):
        functions += [network.loss.forward, network.loss.backward]
    return reachable(list(dict.fromkeys(functions)), list(dict.fromkeys(classes)))
