"""What a small change of one value does to the loss: the gradient that each backward line is held against."""

import itertools
import time
import warnings
from fractions import Fraction
from functools import cached_property

import numpy as np

from tinyrnn.checking.numeric import CENTRAL_STEP, COMPLEX_STEP
from tinyrnn.verdicts.record.run import ITEMS, broadcasts, kind_of, record

CENTRAL_TOLERANCE = 1e-6  # the relative error that is allowed with central differences
FEW = 3  # entries of an array whose gradient is worked out one by one at once
MOST_DIVIDED = 1000  # number by which a loss may be divided once too often
DIRECTIONS = 3  # along which something suggested is compared: one for a factor, two to be sure
MOST_SECONDS = 8.0  # of the processor for gradients of values within, entry by entry; those left then are not known
SURE = 1e-10, 3e-8  # part of the terms of a product by which it may differ: by complex step, by central differences
OWN_COMPLEX = "it computes with complex numbers of its own"
UNFIT = (
    ValueError,
    TypeError,
    LookupError,
    AssertionError,
)  # what a forward pass raises where a changed value fits nowhere


class NoComplexStep(Exception):
    """The forward pass cannot be run with complex numbers."""


class Truth:
    """Numerical gradients of the loss with respect to the values of a recorded forward pass, worked out when asked for.

    That of a complex value z is dL/dRe z + i dL/dIm z, as everywhere in this package and in PyTorch.

    program, call: the forward pass, `call(program, **changed)` with changed inputs by name. loss(result) -> number.
    inputs: name -> array, what can be changed before the call. The complex step is taken unless the forward pass turns
    out to be unfit for it; then central differences. exact: the relative error that is allowed with the first. suggest:
    function that gives arrays from the result of the forward pass, such as those of the backward pass: one of them that
    is the gradient along three random directions, but for a factor, is taken for it: that takes three runs or six, and
    not one or two for each entry.
    """

    def __init__(self, program, call, loss, inputs, exact=1e-9, suggest=lambda result: ()):
        self.program, self.call, self.loss, self.inputs, self.exact = program, call, loss, inputs, exact
        self.suggest = suggest
        self.result, self.events = record(program, call)
        self.by_complex_step = True
        self.reason = ""
        self.known = {}
        self.spent = 0.0  # seconds, on values within
        self.check()

    @cached_property
    def suggested(self):
        """{shape: the arrays of it that may be gradients, one in a row}."""
        shaped = {}
        for array in self.suggest(self.result):
            for one in (array, array.T) if array.ndim == 2 else (array,):
                if one.dtype.kind == "f" and one.size > FEW and np.isfinite(one).all():
                    shaped.setdefault(one.shape, {})[one.tobytes()] = one.ravel()
        return {shape: np.stack(list(several.values())) for shape, several in shaped.items()}

    @property
    def tolerance(self):
        """Relative error above which a value is wrong."""
        return self.exact if self.by_complex_step else CENTRAL_TOLERANCE

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
                raise NoComplexStep("the imaginary part gets lost: abs, max or a cast?")
        except NoComplexStep as error:
            is_complex = any(np.iscomplexobj(event.value) for event in self.events)
            self.by_complex_step, self.reason = False, OWN_COMPLEX if is_complex else str(error)

    def complex_value(self, f):
        """f(), with a discarded imaginary part an error; raises `NoComplexStep` in place of any exception."""
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                return f()
            except Exception as error:
                raise NoComplexStep(f"{type(error).__name__}: {error}".splitlines()[0][:120]) from None

    def value(self, call, nudge=None, complex_buffers=False):
        """The loss of one run, in which a `Nudge` moves something. complex_buffers: make the arrays that the program
        fills complex."""
        return self.loss(self.program.run(nudge, call, complex_buffers, sites=nudge.sites if nudge else ()))

    def of_input(self, name):
        """The gradient of an input."""
        value = self.inputs[name]
        return self.numerical(("input", name), value.shape, value, self.loss_of(name))

    def loss_of(self, name):
        """The loss as a function of what is added to an input."""

        def loss(nudge, stepping=False):
            moved = self.complex_inputs(stepping) | {name: self.inputs[name] + nudge}
            return self.value(lambda p: self.call(p, **moved), complex_buffers=stepping)

        return loss

    def complex_inputs(self, stepping):
        """All inputs as complex arrays for a complex step, so that one may be added to another in place; else none."""
        return {name: value.astype(complex) for name, value in self.inputs.items()} if stepping else {}

    def of_events(self, numbers, shape):
        """The gradient of the value at an event, or the sum over several events; None where it cannot be changed.

        shape: the value's, or one to which it is broadcast: then the gradient for each copy.
        """
        value = self.events.value(numbers[0])
        if value is None or any(not broadcasts(self.events.value(n).shape, shape) for n in numbers):
            return None

        def loss(nudge, stepping=False):
            inputs = self.complex_inputs(stepping)
            return self.value(lambda p: self.call(p, **inputs), Nudge(self.events, numbers, nudge), stepping)

        widened, begun = value.shape != tuple(shape), time.process_time()
        found = self.numerical((tuple(numbers), shape), shape, np.broadcast_to(value, shape), loss, widened)
        self.spent += time.process_time() - begun
        return found

    def moves(self, number):
        """Whether the loss depends on the value at an event, as far as one random change of it tells."""
        value = self.events.value(number)
        nudge = np.random.default_rng(number).normal(size=value.shape) * CENTRAL_STEP * abs(value).max(initial=1.0)
        try:
            losses = [
                self.value(lambda p: self.call(p), Nudge(self.events, [number], times * nudge)) for times in (0, 1)
            ]
        except UNFIT:  # it cannot be changed
            return False
        except Exception:  # what reads it does not go on with another value
            return True
        return losses[0] != losses[1]

    def numerical(self, key, shape, value, loss, widened=False):
        """The gradient known under `key`, or worked out. widened: of copies, which may fit nowhere; then it is None."""
        if key not in self.known:
            if self.by_complex_step:
                try:
                    if np.iscomplexobj(value):
                        raise NoComplexStep(OWN_COMPLEX)
                    self.known[key] = self.complex_value(lambda: self.as_suggested(shape, value, loss))
                    if self.known[key] is None and self.may_go_on(key, shape):
                        self.known[key] = self.complex_value(lambda: self.complex_step(shape, loss))
                    return self.known[key]
                except NoComplexStep as error:
                    if widened:  # that says nothing about the forward pass
                        self.known[key] = None
                        return None
                    self.by_complex_step, self.reason = False, str(error)
                    self.known.clear()
            try:
                self.known[key] = self.as_suggested(shape, value, loss)
                if self.known[key] is None and self.may_go_on(key, shape):
                    self.known[key] = self.central(shape, value, loss)
            except UNFIT:  # it cannot be broadcast, or not be assigned, or is a key
                self.known[key] = None
        return self.known[key]

    def may_go_on(self, key, shape):
        """Whether there is time for a gradient entry by entry: of inputs, and where there are few, always."""
        return key[0] == "input" or np.prod(shape) <= FEW or self.spent < MOST_SECONDS

    def as_suggested(self, shape, value, loss):
        """What was suggested that is the gradient along three random directions, but for a factor, as a loss is divided
        once too often; zeros where nothing changes along them; None if nothing is, or there are few entries."""
        if np.prod(shape) <= FEW or np.iscomplexobj(value):
            return None
        candidates = self.suggested.get(tuple(shape), np.zeros((0, np.prod(shape))))
        slopes, products, sizes = [], [], []
        for nth in range(DIRECTIONS):
            along, slope = self.along(nth, value, shape, loss)
            terms = candidates * along.ravel()
            slopes, products = [*slopes, slope], [*products, terms.sum(axis=1)]
            sizes = [*sizes, abs(terms).sum(axis=1)]
            if nth == 1 and not any(slopes):
                return np.zeros(shape)
            if nth == 0 and not len(candidates) and slope:
                return None
        products, sizes, slopes = np.array(products), np.array(sizes), np.array(slopes)[:, None]
        with np.errstate(all="ignore"):
            factors = (products * slopes).sum(axis=0) / (products**2).sum(axis=0)
            close = SURE[not self.by_complex_step]
            fits = (
                (abs(factors * products - slopes) <= close * abs(factors) * sizes).all(axis=0)
                & (factors != 0)
                & np.isfinite(factors)
            )
        if not fits.any():
            return None
        same = np.flatnonzero(fits)[np.argmin(abs(factors[fits] - 1))]
        factor = float(Fraction(factors[same]).limit_denominator(MOST_DIVIDED))  # if it may be one of a few
        is_simple = (abs(factor * products - slopes)[:, same] <= close * abs(factor) * sizes[:, same]).all()
        return (factor if is_simple else factors[same]) * candidates[same].reshape(shape)

    def along(self, nth, value, shape, loss):
        """(the nth random direction of a shape, the derivative of a loss of nudges along it)."""
        along = np.random.default_rng((nth, value.size)).normal(size=shape)
        if self.by_complex_step:
            return along, loss(1j * COMPLEX_STEP * along, stepping=True).imag / COMPLEX_STEP
        h = CENTRAL_STEP * max(1.0, abs(value).max(initial=0))
        return along, (loss(h * along) - loss(-h * along)) / (2 * h)

    def is_gradient(self, name, array):
        """Whether an array is the gradient of an input, as far as two random directions tell."""
        value = self.inputs[name]
        if np.size(array) != value.size or np.iscomplexobj(value) or ("input", name) in self.known:
            wanted = self.of_input(name)
            scale = abs(wanted).max(initial=0)
            return np.size(array) == wanted.size and bool(
                (abs(np.reshape(array, wanted.shape) - wanted) <= self.tolerance * scale).all()
            )
        for nth in range(2):
            along, slope = self.along(nth, value, value.shape, self.loss_of(name))
            terms = np.reshape(array, value.shape) * along
            if not abs(terms.sum() - slope) <= self.tolerance * abs(terms).sum():
                return False
        return True

    @staticmethod
    def complex_step(shape, loss):
        """The gradient of a real loss at nudge 0, an array of that shape: Im loss(i h) / h for each entry."""
        slope, nudge = np.zeros(shape), np.zeros(shape, complex)
        for index in np.ndindex(shape):
            nudge[index] = 1j * COMPLEX_STEP
            slope[index] = loss(nudge.copy(), stepping=True).imag / COMPLEX_STEP
            nudge[index] = 0
        return slope

    @staticmethod
    def central(shape, value, loss):
        """The same from central differences; for a complex value dL/dRe + i dL/dIm. h grows with entries above 1."""
        dtype = complex if np.iscomplexobj(value) else float
        slope, nudge = np.zeros(shape, dtype), np.zeros(shape, dtype)
        for index in np.ndindex(shape):
            h = CENTRAL_STEP * max(1.0, abs(value[index]))
            for direction in (1, 1j) if dtype is complex else (1,):
                nudge[index] = direction * h
                above = loss(nudge.copy())
                nudge[index] = -direction * h
                slope[index] += direction * (above - loss(nudge.copy())) / (2 * h)
            nudge[index] = 0
        return slope


class Nudge:
    """A `watch` that adds `nudge` to the value at some events and lets all others pass. numbers: of the events, or
    (number, path) of parts of tuples that are returned. others: numbers of events that are to be noticed, too.

    sites: those that have to report.
    """

    def __init__(self, events, numbers, nudge, others=()):
        self.numbers, self.nudge = numbers, nudge
        whole = [number[0] if isinstance(number, tuple) else number for number in numbers]
        self.moved, self.turns = {*whole}, {}  # {id of a site: {which of its events: its number}}
        for number in (*whole, *others):
            self.turns.setdefault(id(events[number].site), {})[events.turns[number]] = number
        self.sites = [events[number].site for number in (*whole, *others)]  # several are equal, and not the same
        self.counts = {site: itertools.count() for site in self.turns}

    def __call__(self, site, value, key=None):
        if id(site) not in self.counts:
            return value
        number = self.turns[id(site)].get(next(self.counts[id(site)]))
        return value if number is None else self.noticed(number, site, value, key)

    def noticed(self, number, site, value, key):
        """A value at one of the events."""
        return self.nudged(site, value, key) if number in self.moved else value

    def nudged(self, site, value, key):
        """A value that is to be moved."""
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


def with_part(value, path, change):
    """A tuple of tuples with the part at `path` changed."""
    if not path:
        return change(value)
    k, *rest = path
    return type(value)(with_part(part, rest, change) if j == k else part for j, part in enumerate(value))


def assign(container, key, value):
    """container[key] = value, but for a real array that is to take complex numbers: an error rather than a loss."""
    if kind_of(container) == "f" and np.iscomplexobj(value):
        raise NoComplexStep("an array of floats is filled in the forward pass")
    container[key] = value
