"""Names a mistake: finds the known wrong line that gives exactly the numbers that came.

The names in a learner's source do not matter. Which of the library's names a gradient is, is told by its true value,
which may be laid out differently: batch first, features first, one gate by itself, gates in another order, or weights
of state and input in one matrix. A known mistake that would give what came, laid out in the same way, is the one.
Nothing but exact agreement counts; what agrees with none is unknown.
"""

from itertools import permutations

import numpy as np

from tinyrnn.checking.differences import same
from tinyrnn.verdicts.mistakes import BACKWARDS, SECTIONS
from tinyrnn.verdicts.name.environment import evaluate


class Namer:
    """Names the mistakes of one family at one point. environment: see `tinyrnn.verdicts.name.environment`. make_steps:
    for values of single steps, a function that makes their namers."""

    def __init__(self, family, environment, gates=(), make_steps=None):
        self.environment, self.gates, self.make_steps, self.steps = environment, gates, make_steps, None
        self.by_line = {}
        for mistake in BACKWARDS:
            if mistake.of == family:
                self.by_line.setdefault(mistake.line, []).append(mistake)
        self.values = {}

    def name(self, got, expected, called=None):
        """The known mistake, as a dict, that gives `got` where `expected` belongs; None if there is none. Where
        several do, on too small a probe, the plainest, which comes first; of two names for one value, that in the
        learner's source, `called`."""
        if isinstance(got, np.ndarray) and same_shape_and_value(got, expected):
            return None
        found = {}
        for lines, view in sorted(self.views(), key=lambda one: called not in one[0]):
            true = view(self.environment)
            if true is None or not agrees(true, expected):
                continue
            for line in lines:
                for mistake in self.by_line.get(line, ()):
                    wrong = view({**self.environment, line: self.value(mistake)})
                    if wrong is not None and agrees(wrong, got):
                        found[mistake.name] = mistake
            if found:
                break
        if not found:
            return self.name_by_steps(got, expected, called)
        mistake = next(iter(found.values()))
        return {**mistake._asdict(), "section_title": SECTIONS[mistake.section]}

    def name_by_steps(self, got, expected, called):
        """The mistake that every step makes by itself."""
        if self.make_steps is None or len(got) < 2 or got.shape != expected.shape:
            return None
        if self.steps is None:
            self.steps = self.make_steps()
        if len(self.steps) != len(got):
            return None
        wrong = [t for t in range(len(got)) if not same(got[t], expected[t])]
        names = [self.steps[t].name(got[t : t + 1], expected[t : t + 1], called) for t in wrong]
        return names[0] if names and all(n is not None and n["name"] == names[0]["name"] for n in names) else None

    def value(self, mistake):
        """The array a known mistake would give, worked out once; None where the environment lacks what it needs."""
        if mistake.name not in self.values:
            self.values[mistake.name] = evaluate(mistake.instead, self.environment)
        return self.values[mistake.name]

    def name_alone(self, got):
        """The known mistake that gives these numbers, whatever line it is; None if there is none."""
        for mistake in (m for mistakes in self.by_line.values() for m in mistakes):
            value = self.value(mistake)
            if (
                value is not None
                and value.ndim > 2
                and value.any()
                and (agrees(value, got) or agrees(transposed(value), got))
            ):
                return {**mistake._asdict(), "section_title": SECTIONS[mistake.section]}
        return None

    def views(self):
        """(lines, function of an environment) for every way in which gradients may be laid out."""
        lines = [line for line in self.by_line if isinstance(self.environment.get(line), np.ndarray)]
        for line in lines:
            for turn in TURNS:
                yield (line,), viewed(line, turn)
        blocks = len(self.gates)
        if blocks > 1:
            for line in lines:
                if not self.environment[line].ndim or self.environment[line].shape[-1] % blocks:
                    continue
                for turn in TURNS:
                    for k in range(blocks):
                        yield (line,), viewed(line, turn, (k,), blocks)
                    for order in permutations(range(blocks)):
                        yield (line,), viewed(line, turn, order, blocks)
        for pair in (("dW_h", "dW_x"), ("dW_x", "dW_h")):
            if all(line in lines for line in pair):
                for turn in TURNS:
                    yield pair, stacked_rows(pair, turn)
                    for k in range(blocks):
                        yield pair, stacked_rows(pair, turn, k, blocks)


def transposed(a):
    """The last two axes swapped; a vector (n,) as a column (n, 1); None for a number."""
    return a.swapaxes(-1, -2) if a.ndim > 1 else a[:, None] if a.ndim else None


def batch_first(a):
    """(T, B, …) as (B, T, …); None with fewer than three axes."""
    return a.swapaxes(0, 1) if a.ndim > 2 else None


TURNS = (lambda a: a, transposed, batch_first)


def viewed(line, turn, order=None, blocks=0):
    """The line's value, its gates in another order or some of them alone, turned."""

    def view(environment):
        value = environment[line]
        if value is None:
            return None
        if order is not None:
            if value.ndim == 0 or value.shape[-1] % blocks:
                return None
            parts = np.split(value, blocks, axis=-1)
            value = np.concatenate([parts[k] for k in order], axis=-1)
        return turn(value)

    return view


def stacked_rows(pair, turn, k=None, blocks=0):
    """The weights of state and input in one matrix, of one gate if k is given."""

    def view(environment):
        values = [environment[line] for line in pair]
        if any(value is None or value.ndim != 2 for value in values) or len({v.shape[1] for v in values}) != 1:
            return None
        whole = np.concatenate(values)
        return turn(whole if k is None else np.split(whole, blocks, axis=-1)[k])

    return view


def agrees(value, array):
    """Whether they hold the same numbers; of a value that is one alone, `array` may have a first axis of length one."""
    return same(value, array) or (array.shape[:1] == (1,) and same(value, array[0]))


def same_shape_and_value(got, expected):
    """Whether two arrays have one shape and, to rounding, the same finite numbers."""
    return got.shape == expected.shape and same(got, expected)
