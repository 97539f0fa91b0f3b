"""Judges each line of a backward pass by itself: a wrong value is noted and replaced by the true gradient.

What comes after a replaced value is computed from the true one, so every line is judged on its own. If the results of
the backward pass as it stands are all right, no line is accused: a name may mean something else than we take it for.
For the same reason no line is accused whose correction makes the results of an otherwise corrected pass wrong.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from tinyrnn.verdicts.judge.bench import Bench
from tinyrnn.verdicts.judge.uses import Uses
from tinyrnn.verdicts.record.run import broadcasts

FLOOR = 1e-3  # an error is relative to the array's largest entry, but at least to this part of the largest of all
MOST_DROPPED = 3  # how many suspects may turn out to be innocent


@dataclass
class Verdict:
    """The outcome for one backward program.

    findings: list of `Finding`. failures: {(scope, line): message} of lines that raise an error; scope and line are
    None where it was not in a line of the program. left_wrong: results that are wrong even with the accused lines
    corrected. innocent: findings that differ from what their names say and do no harm. without: {site: why it has no
    partner}. events: of the run with the accused lines corrected.
    """

    findings: list
    failures: dict
    left_wrong: list
    innocent: list
    without: dict
    sites: dict
    events: list


class Judge:
    """Judges the backward passes of one forward pass; the true gradients are worked out once.

    problem: a `tinyrnn.verdicts.record.problem.Problem`. truth: its `Truth`. recognise: whether to find out which of
    the package's cells the forward pass is.
    """

    def __init__(self, problem, truth, recognise=True):
        self.problem, self.truth = problem, truth
        self.recognised = problem.recognise(truth) if recognise else None
        largest = [abs(truth.of_input(name)).max(initial=0) for name in problem.inputs]
        self.floor = FLOOR * max([x for x in largest if np.isfinite(x)], default=0.0)

    def name_mistake(self, got, expected, called=None):
        """The known mistake that gives these numbers, or None."""
        return self.namer.name(got, expected, called) if self.namer else None

    def name_alone(self, got):
        """The same for a value of which it is not known what it should be."""
        return self.namer.name_alone(got) if self.namer else None

    @cached_property
    def namer(self):
        return (self.recognised or self.problem).namer(self.truth)

    def judge(self, program):
        """The `Verdict` on a program."""
        bench = Bench(self, program)
        plain = bench.run(())
        if not plain.is_right:
            bench.settle()
        corrected = bench.run(None)
        accused = [f.site for f in corrected.findings.values() if f.wrong]
        innocent = []
        if plain.is_right:
            innocent, accused = accused, []
        elif accused:
            innocent = self.harmful(bench, accused)
            if innocent:
                accused = [site for site in accused if site not in innocent]
                corrected = bench.run(accused)
                accused = [site for site in accused if corrected.findings[site].wrong]
        parts = [s for s in accused if bench.is_part(corrected.findings[s])]
        if parts and len(parts) < len(accused):  # something is wrong, so not all can be right parts
            corrected = bench.run([s for s in accused if s not in parts])
            accused = [s for s in corrected.corrected if corrected.findings[s].wrong]
        built_on = {(s.scope, s.name) for s in accused if corrected.findings[s].pairs[0].left is not None}
        accused = [s for s in accused if not (s.kind == "item-augment" and (s.scope, s.name) in built_on)]
        final = bench.run([*accused, *(s for s in corrected.findings if (s.scope, s.name) in built_on)])
        for site, finding in corrected.findings.items():
            finding.accused = site in accused
            finding.blamed = bench.blame(finding, corrected) if finding.accused else None
            finding.shares = bench.shares(finding, corrected) if finding.accused else []
        for finding in [corrected.findings[site] for site in accused]:
            if isinstance(finding.blamed, tuple):
                rest = [site for site in accused if corrected.findings[site].blamed != finding.blamed]
                left = bench.run(rest).findings.values()
                finding.made = [f for f in left if f.wrong and (f.site.line, f.site.scope) == finding.blamed]
        innocent = [f for f in corrected.findings.values() if f.site in innocent]
        left = [] if plain.is_right else final.wrong_results
        return Verdict(
            list(corrected.findings.values()),
            final.failures,
            left,
            innocent,
            bench.without,
            program.sites,
            corrected.events,
        )

    def uses_of(self, number):
        """What the uses of the value at a forward event send back."""
        event = self.truth.events[number] if isinstance(number, int) else None
        known = event is not None and event.site.kind not in ("carry", "load")
        return self.uses.of(event, self.truth.events) if known else []

    @cached_property
    def uses(self):
        return Uses(self.problem.truth(uses=True))

    def harmful(self, bench, suspects):
        """The fewest suspects without whose correction the results become right; none if that cannot be said."""
        if bench.run(suspects).is_right:
            return []
        for number in range(1, min(MOST_DROPPED, len(suspects) - 1) + 1):
            for some in combinations(suspects, number):
                if bench.run([site for site in suspects if site not in some]).is_right:
                    return list(some)
        return []

    def expected(self, pair, got):
        """The true values a pair allows, the likeliest first: an iterator."""
        if pair.input is not None:
            whole = self.truth.of_input(pair.input)
            yield whole if pair.part is None else whole[pair.part]
            return
        events = self.truth.events
        if pair.recomputed:
            values = [events.value(numbers[0]) for numbers in pair.choices]
            values = [np.stack(values)] if pair.stacked else values
            is_sure = pair.only or (pair.event is not None and pair.event.site.kind == "argument")
            yield from [fitted(v, got) for v in values if v.size == got.size or not got.size or is_sure] or [None]
            return
        if pair.stacked:
            shape = events.value(pair.choices[0][0]).shape
            shape = got.shape[1:] if broadcasts(shape, got.shape[1:]) else shape
            parts = [self.truth.of_events(numbers, shape) for numbers in pair.choices]
            yield None if any(part is None for part in parts) else np.stack(parts)
            return
        same = [n for n in pair.choices if events.value(n[0]).shape == got.shape]
        later = []  # what it should be if it should not be laid out over copies
        for numbers in same + [n for n in pair.choices if n not in same]:
            shape = events.value(numbers[0]).shape
            whole = self.truth.of_events(numbers, shape)
            if pair.part is not None:
                yield None if whole is None else whole[pair.part]
                continue
            if got.shape != shape and broadcasts(shape, got.shape) and not pair.returned:
                spread = self.truth.of_events(numbers, got.shape)
                if spread is not None:
                    yield spread
                    later.append(whole)
                    continue
            yield fitted(whole, got)
        yield from later

    def closest(self, pair, got, preferred=0):
        """(error, true value): the first that `got` agrees with, else the preferred; (None, None) if none is known."""
        found = []
        for expected in self.expected(pair, got):
            if expected is not None:
                found.append((self.error(got, expected, pair.left), expected))
                if found[-1][0] <= self.truth.tolerance:
                    return found[-1]
        return found[min(preferred, len(found) - 1)] if found else (None, None)

    def error(self, got, expected, where=None):
        """The largest difference, relative to the largest entry; infinite for other shapes and what is not finite."""
        if where is not None and where.shape == got.shape == expected.shape:
            got, expected = got[where], expected[where]
        if got.shape != expected.shape or not np.isfinite(got).all():
            return np.inf
        scale = max(abs(expected).max(initial=0), self.floor, np.finfo(float).tiny)
        return float(abs(got - expected).max(initial=0) / scale)

    def is_right(self, got, name):
        """Whether an array is the gradient of an input."""
        return self.error(np.asarray(got), self.truth.of_input(name)) <= self.truth.tolerance

    def is_result(self, pair):
        """Whether a pair is about a gradient the whole backward pass is there for."""
        if pair.recomputed:
            return self.problem.compares_values and pair.name in self.problem.final
        if pair.input is not None:
            return True
        site = self.truth.events.site(pair.choices[0][0])
        return site.kind == "argument" and site.scope in self.problem.top


def fitted(expected, got):
    """The expected value in the shape of the one got, where that is the same numbers with axes split or joined."""
    if expected is None or expected.size != got.size or sorted(expected.shape) == sorted(got.shape):
        return expected
    return expected.reshape(got.shape)
