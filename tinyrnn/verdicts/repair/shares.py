"""What each output by itself sends back to a value of the forward pass.

A backward pass that goes back through time anew from every output (backpropagation through time as its definition has
it, in two loops) never holds the gradient of a state, only the share of one output in it.
"""

import numpy as np

from tinyrnn.checking.numeric import COMPLEX_STEP
from tinyrnn.verdicts.record.run import ITEMS
from tinyrnn.verdicts.record.truth import NoComplexStep, Nudge

MOST_ENTRIES = 400  # of the outputs together, whose gradients are worked out one by one
MOST_GROUPS = 8  # of values that are tried as outputs
MOST_TRIES = 20  # of values before them that something does to them is asked of
NIL = 1e-9  # relative, of what should not be there


class Shares:
    """The shares of the outputs, of values of one forward pass. truth: of it, made with uses. slopes: {number of an
    event: derivative of the loss along a random vector}. along: function that gives that vector, of an event.

    outputs: {number of an event: gradient} of what goes nowhere but into the loss, at each step; empty where there is
    none that all goes through.
    """

    def __init__(self, truth, slopes, along):
        self.truth, self.slopes, self.along = truth, slopes, along
        self.outputs = self.found() if truth.by_complex_step else {}

    def found(self):
        """The outputs."""
        groups = {}
        for number, slope in self.slopes.items():
            event = self.truth.events[number]
            if slope and np.isfinite(slope) and event.site.kind in ("assign", "item", "argument", "return"):
                groups.setdefault((event.site, event.value.shape), []).append(number)
        groups = [g for g in groups.values() if len(g) > 1 and len(g) * self.size(g[0]) <= MOST_ENTRIES]
        for numbers in sorted(groups, key=min, reverse=True)[:MOST_GROUPS]:
            if self.are_apart(numbers) and (outputs := self.gradients(numbers)) and self.are_all(outputs):
                return outputs
        return {}

    def size(self, number):
        """How many numbers a value has."""
        return self.truth.events[number].value.size

    def are_apart(self, numbers):
        """Whether none of some values depends on another of them."""
        moved = [self.moved(number, self.along(number), numbers) for number in numbers[:-1]]
        return all(
            m and not any(m[other].any() for other in numbers if other != n)
            for n, m in zip(numbers, moved, strict=False)
        )

    def gradients(self, numbers):
        """{number: gradient} of some values; {} where one is not known."""
        found = {n: self.truth.of_events([n], self.truth.events[n].value.shape) for n in numbers}
        return found if all(one is not None for one in found.values()) else {}

    def are_all(self, outputs):
        """Whether all that a value before some outputs does to the loss, it does through them."""
        before = [n for n, slope in self.slopes.items() if slope and np.isfinite(slope) and n < min(outputs)]
        for number in before[:MOST_TRIES]:
            total = sum(self.of(number, self.along(number), outputs).values())
            if total:
                return abs(total - self.slopes[number]) <= NIL * abs(self.slopes[number])
        return False

    def of(self, number, along, outputs=None):
        """{output: its share in the derivative of the loss when the value at an event moves along a vector}, or {}."""
        outputs = self.outputs if outputs is None else outputs
        moved = self.moved(number, along, outputs)
        return {n: float((outputs[n] * one).sum()) for n, one in moved.items() if one.shape == outputs[n].shape}

    def moved(self, number, along, outputs):
        """{output: by how much it moves} when the value at an event moves along a vector; {} where that cannot be."""
        truth, watch = self.truth, Echo(self.truth.events, [number], 1j * COMPLEX_STEP * along, outputs)
        inputs = truth.complex_inputs(True)
        try:
            truth.complex_value(lambda: truth.value(lambda p: truth.call(p, **inputs), watch, True))
        except NoComplexStep:
            return {}
        return watch.heard if len(watch.heard) == len(outputs) else {}


class Echo(Nudge):
    """A `Nudge` that notes by how much other values move. others: the numbers of their events."""

    def __init__(self, events, numbers, nudge, others):
        super().__init__(events, numbers, nudge, others)
        self.others, self.heard = set(others), {}

    def noticed(self, number, site, value, key):
        """A value at one of the events."""
        value = super().noticed(number, site, value, key)
        if number in self.others:
            entry = value[key] if site.kind in ITEMS else value
            self.heard[number] = np.asarray(np.imag(entry) / COMPLEX_STEP)
        return value
