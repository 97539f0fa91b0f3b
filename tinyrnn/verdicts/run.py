"""Running a rewritten program: what was assigned where, and what a small change of one value does to the loss.

A `Recording` lists every value a program gives a name to, in order. Programs are deterministic, so the number of an
event is the same in every run; that is how one value out of many is changed (`Nudge`), or replaced by another.
"""

import copy
import sys
import warnings
from typing import NamedTuple

import numpy as np

from tinyrnn.backend import to_numpy
from tinyrnn.checking.numeric import CENTRAL_STEP, COMPLEX_STEP
from tinyrnn.sources import Site, program

OWN_FILES = {__file__, __file__.replace("run.py", "bench.py"), program.__file__}  # what stands between a call and us
ITEMS = ("item", "item-augment")


class Event(NamedTuple):
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
        return self.site.scope, self.site.name, None if self.key is None else repr(self.key)


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
        while self.stack[-1][0] != site.scope:  # functions that ended without a return statement
            self.stack.pop()
        kept = value
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
        self.events.append(Event(len(self.events), site, call, key, numbers(kept), caller, identity))
        if site.kind == "return":
            self.stack.pop()
        return value

    def finished(self):
        return Events(self.events, self.returns)


def ids_of(value):
    """Identities of an object and, of a tuple or dict, of what is in it."""
    yield id(value)
    for entry in value if isinstance(value, tuple) else value.values() if isinstance(value, dict) else ():
        yield from ids_of(entry)


def caller_of_program():
    """(line, name) of what called the rewritten function that is just being entered."""
    frame = sys._getframe()
    while frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    frame = frame.f_back  # out of the rewritten function
    line = frame.f_lineno
    while frame.f_code.co_name == "<lambda>" or frame.f_code.co_filename in OWN_FILES:  # an entry of a dict
        frame = frame.f_back
    return line, frame.f_code.co_qualname


def record(program, call):
    """Run call(program); returns its result and the `Events`."""
    recorder = Recorder()
    return program.run(recorder, call), recorder.finished()


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

    def value(self, number):
        return self.returns[number] if isinstance(number, tuple) else self[number].value

    def site(self, number):
        return self[number[0] if isinstance(number, tuple) else number].site


def floats(value):
    """A copy of `value` as an array if it is one of floats (or a float), else None."""
    if isinstance(value, float | np.floating | np.complexfloating | complex):
        return np.array(value)
    if isinstance(getattr(value, "dtype", None), np.dtype) and value.dtype.kind in "fc":
        return to_numpy(value).copy()
    return None


def arrays_of(value):
    """All arrays of floats in nested dicts, lists, tuples and objects."""
    if floats(value) is not None:
        yield floats(value)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from arrays_of(value[key])
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from arrays_of(entry)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from arrays_of(vars(value))


def numbers(value):
    """The same for arrays of integers and truth values too, but not for single ones: those count."""
    if isinstance(getattr(value, "dtype", None), np.dtype) and value.dtype.kind in "biu" and value.ndim:
        return to_numpy(value).astype(float)
    return floats(value)


class Unfit(Exception):
    """The forward pass cannot be run with complex numbers."""


class Truth:
    """Numerical gradients of the loss with respect to the values of a recorded forward pass, worked out when asked for.

    program, call: the forward pass, `call(program, **changed)` with changed inputs by name. loss(result) -> number.
    inputs: name -> array, what can be changed before the call. The complex step is taken unless the forward pass turns
    out to be unfit for it; then central differences.
    """

    def __init__(self, program, call, loss, inputs):
        self.program, self.call, self.loss, self.inputs = program, call, loss, inputs
        self.result, self.events = record(program, call)
        self.by_complex_step = True
        self.reason = ""
        self.known = {}
        self.check()

    @property
    def tolerance(self):
        """Relative error above which a value is wrong."""
        return 1e-9 if self.by_complex_step else 1e-6

    def check(self):
        """Whether the complex step agrees with central differences, along one direction through all inputs."""
        rng = np.random.default_rng(0)
        directions = {name: rng.normal(size=value.shape) for name, value in self.inputs.items()}

        def along(step):
            moved = {name: value + step * directions[name] for name, value in self.inputs.items()}
            return self.value(lambda p: self.call(p, **moved), complex_buffers=np.iscomplexobj(step))

        wanted = (along(1e-5) - along(-1e-5)) / 2e-5
        try:
            got = self.complex_value(lambda: along(1j * COMPLEX_STEP)).imag / COMPLEX_STEP
            if not abs(got - wanted) <= 1e-5 * max(abs(wanted), abs(got), 1e-3):
                raise Unfit("the imaginary part gets lost: abs, max or a cast?")
        except Unfit as error:
            self.by_complex_step, self.reason = False, str(error)

    def complex_value(self, f):
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                return f()
            except Exception as error:
                raise Unfit(f"{type(error).__name__}: {error}".splitlines()[0][:120]) from None

    def value(self, call, watch=lambda site, value, key=None: value, complex_buffers=False):
        return self.loss(self.program.run(watch, call, complex_buffers))

    def of_input(self, name):
        """The gradient of an input."""
        value = self.inputs[name]

        def loss(nudge):
            is_complex = np.iscomplexobj(nudge)
            return self.value(lambda p: self.call(p, **{name: value + nudge}), complex_buffers=is_complex)

        return self.numerical(("input", name), value.shape, value, loss)

    def of_events(self, numbers, shape):
        """The gradient of the value at an event, or the sum over several events; None where it cannot be changed.

        shape: the value's, or one to which it is broadcast: then the gradient for each copy.
        """
        value = self.events.value(numbers[0])
        if value is None or any(not broadcasts(self.events.value(n).shape, shape) for n in numbers):
            return None

        def loss(nudge):
            is_complex = np.iscomplexobj(nudge)
            inputs = {k: v.astype(complex) for k, v in self.inputs.items()} if is_complex else {}
            return self.value(lambda p: self.call(p, **inputs), Nudge(numbers, nudge), is_complex)

        return self.numerical((tuple(numbers), shape), shape, np.broadcast_to(value, shape), loss)

    def numerical(self, key, shape, value, loss):
        if key not in self.known:
            if self.by_complex_step:
                try:
                    self.known[key] = self.complex_value(lambda: self.complex_step(shape, loss))
                    return self.known[key]
                except Unfit as error:
                    self.by_complex_step, self.reason = False, str(error)
                    self.known.clear()
            try:
                self.known[key] = self.central(shape, value, loss)
            except (ValueError, TypeError):  # it cannot be broadcast, or not be assigned
                self.known[key] = None
        return self.known[key]

    @staticmethod
    def complex_step(shape, loss):
        slope, nudge = np.zeros(shape), np.zeros(shape, complex)
        for index in np.ndindex(shape):
            nudge[index] = 1j * COMPLEX_STEP
            slope[index] = loss(nudge.copy()).imag / COMPLEX_STEP
            nudge[index] = 0
        return slope

    @staticmethod
    def central(shape, value, loss):
        slope, nudge = np.zeros(shape), np.zeros(shape)
        for index in np.ndindex(shape):
            h = CENTRAL_STEP * max(1.0, abs(float(value[index])))
            nudge[index] = h
            above = loss(nudge.copy())
            nudge[index] = -h
            slope[index] = (above - loss(nudge.copy())) / (2 * h)
            nudge[index] = 0
        return slope


class Nudge:
    """A `watch` that adds `nudge` to the value at the events `numbers` and lets all others pass."""

    def __init__(self, numbers, nudge):
        self.numbers, self.nudge, self.count = numbers, nudge, -1
        self.events = {number[0] if isinstance(number, tuple) else number for number in numbers}

    def __call__(self, site, value, key=None):
        self.count += 1
        if self.count not in self.events:
            return value
        parts = [number[1] for number in self.numbers if isinstance(number, tuple)]
        if parts:
            for path in parts:
                value = with_part(value, path, lambda part: part + self.nudge)
            return value
        if site.kind in ITEMS:
            assign(value, key, value[key] + self.nudge)
            return value
        if site.in_place:
            assign(value, ..., value + self.nudge)
            return value
        return value + self.nudge


def broadcasts(small, large):
    """Whether an array of shape `small` is repeated, or left as it is, to make one of shape `large`."""
    try:
        return np.broadcast_shapes(small, large) == tuple(large)
    except ValueError:
        return False


def with_part(value, path, change):
    """A tuple of tuples with the part at `path` changed."""
    if not path:
        return change(value)
    k, *rest = path
    return type(value)(with_part(part, rest, change) if j == k else part for j, part in enumerate(value))


def assign(container, key, value):
    """container[key] = value, but for a real array that is to take complex numbers: an error rather than a loss."""
    if hasattr(container, "dtype") and container.dtype.kind == "f" and np.iscomplexobj(value):
        raise Unfit("an array of floats is filled in the forward pass")
    container[key] = value


def fresh(value):
    """A deep copy, so that no run can spoil the next."""
    return copy.deepcopy(value)
