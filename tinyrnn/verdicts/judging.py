"""Judges each line of a backward pass by itself: a wrong value is noted and replaced by the true gradient.

What comes after a replaced value is computed from the true one, so every line is judged on its own. If the results of
the backward pass as it stands are all right, no line is accused: a name may mean something else than we take it for.
If they are wrong, the accused lines are the smallest set whose correction makes the results right.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tinyrnn.source import Site
from tinyrnn.verdicts.pairing import Pairing, broadcasts
from tinyrnn.verdicts.run import ITEMS, floats, record

FLOOR = 1e-3  # an error is relative to the array's largest entry, but at least to this part of the largest of all
MOST_SUBSETS = 6  # with more suspects than this, the search for the smallest set gives way to leaving out one by one


@dataclass
class Finding:
    """What came of one line (one `Site`): its values in the order of the forward pass, and what they should be.

    error: the largest relative error. blamed: the site that is to be accused instead: the `return` of the function
    whose result was assigned, or (line, function) of the call that passed a wrong argument.
    """

    site: Site
    name: str
    got: list = field(default_factory=list)
    expected: list = field(default_factory=list)
    pairs: list = field(default_factory=list)
    error: float = 0.0
    wrong: bool = False
    accused: bool = False
    blamed: object = None
    result: bool = False  # whether these are results of the whole backward pass


class Judge:
    """Judges the backward passes of one forward pass; the true gradients are worked out once.

    problem: see `tinyrnn.verdicts.problem.Problem`.
    """

    def __init__(self, problem, truth):
        self.problem, self.truth = problem, truth
        largest = [abs(truth.of_input(name)).max(initial=0) for name in problem.inputs]
        self.floor = FLOOR * max([x for x in largest if np.isfinite(x)], default=0.0)

    def judge(self, program):
        """Returns the list of `Finding`s, and notes."""
        run = Run(self, program)
        plain = run.findings(())
        suspects = run.findings(None)
        wrong = [site for site, f in suspects.items() if f.wrong]
        notes = []
        results = [f for f in plain.values() if f.result]
        if results and not any(f.wrong for f in results) and not run.wrong_results:
            accused = []
            others = [site for site in wrong]
            if others:
                names = ", ".join(dict.fromkeys(f"{s.name} (line {s.line})" for s in others))
                notes.append(f"the results are right, so these mean something else than their names say: {names}")
            wrong = []
        else:
            accused, explained = self.smallest(run, wrong) if results else (wrong, True)
            if not explained:
                notes.append("the results stay wrong when the lines accused are corrected: there is more, not judged")
        for site, finding in suspects.items():
            finding.wrong = site in wrong
            finding.accused = site in accused
            finding.blamed = run.blame(finding) if finding.accused else None
        return list(suspects.values()), notes, run

    def smallest(self, run, wrong):
        """The smallest set of wrong lines whose correction makes the results right, and whether there is one."""
        if not run.right_with(wrong):
            if len(wrong) <= MOST_SUBSETS:
                for size in range(len(wrong) - 1, 0, -1):
                    for some in combinations(wrong, size):
                        if run.right_with(some):
                            return self.smallest(run, list(some))
            return wrong, False
        if len(wrong) <= MOST_SUBSETS:
            for size in range(1, len(wrong)):
                for some in combinations(wrong, size):
                    if run.right_with(some):
                        return list(some), True
            return wrong, True
        for site in list(wrong):
            rest = [s for s in wrong if s is not site]
            if run.right_with(rest):
                wrong = rest
        return wrong, True

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
            yield from [fitted(v, got) for v in values if v.size == got.size] or [None]
            return
        if pair.stacked:
            yield np.stack([self.truth.of_events(n, got.shape[1:]) for n in pair.choices])
            return
        same = [n for n in pair.choices if events.value(n[0]).shape == got.shape]
        for numbers in same + [n for n in pair.choices if n not in same]:
            shape = events.value(numbers[0]).shape
            if pair.part is not None:
                whole = self.truth.of_events(numbers, shape)
                yield None if whole is None else whole[pair.part]
                continue
            if got.shape != shape and broadcasts(shape, got.shape):
                spread = self.truth.of_events(numbers, got.shape)
                if spread is not None:
                    yield spread
                    continue
            yield fitted(self.truth.of_events(numbers, shape), got)

    def error(self, got, expected):
        if expected is None:
            return np.nan
        if got.shape != expected.shape:
            return np.inf
        if not np.isfinite(got).all():
            return np.inf
        scale = max(abs(expected).max(initial=0), self.floor, np.finfo(float).tiny)
        return float(abs(got - expected).max(initial=0) / scale)


class Run:
    """One backward program, run again and again with other lines corrected."""

    def __init__(self, judge, program):
        self.judge, self.program = judge, program
        problem, truth = judge.problem, judge.truth
        _, self.events = record(program, problem.backward_call(truth.result))
        scopes, shapes = problem.scopes, {name: value.shape for name, value in problem.inputs.items()}
        self.pairing = Pairing(truth.events, self.events, scopes, shapes, problem.top)
        self.pairs, self.without = self.pairing.pairs()
        self.by_number = {pair.event.number: pair for pair in self.pairs}
        self.cache = {}
        self.wrong_results = []

    def findings(self, corrected):
        """{site: Finding} with the lines in `corrected` (None: all) corrected."""
        judge, findings, count, rank = self.judge, {}, -1, {}

        def watch(site, value, key=None):
            nonlocal count
            count += 1
            pair = self.by_number.get(count)
            if pair is None or pair.event.site is not site:
                return value
            got = floats(value[key] if site.kind in ITEMS else value)
            if got is None:
                return value
            best = None
            for expected in judge.expected(pair, got):
                error = judge.error(got, expected)
                if best is None or error <= judge.truth.tolerance:
                    best = error, expected
                if error <= judge.truth.tolerance:
                    break
            error, expected = best
            if expected is None:
                return value
            finding = findings.get(site)
            if finding is None:
                finding = findings[site] = Finding(site, pair.name)
            finding.got.insert(0, got)
            finding.expected.insert(0, expected)
            finding.pairs.insert(0, pair)
            finding.error = max(finding.error, error)
            finding.result |= self.is_result(pair)
            if error > judge.truth.tolerance:
                finding.wrong = True
                if (corrected is None or site in corrected) and expected.shape == got.shape:
                    return correct(site, value, key, expected)
            return value

        with np.errstate(all="ignore"):
            returned = self.program.run(watch, judge.problem.backward_call(judge.truth.result))
        self.wrong_results = judge.problem.wrong_results(returned, judge)
        return findings

    def is_result(self, pair):
        """Whether a pair is about a gradient the whole backward pass is there for."""
        if pair.recomputed:
            return False
        if pair.input is not None:
            return True
        first = self.judge.truth.events.site(pair.choices[0][0])
        return first.kind == "argument" and first.scope in self.judge.problem.top

    def right_with(self, corrected):
        key = frozenset(id(site) for site in corrected)
        if key not in self.cache:
            findings = self.findings(corrected)
            results = [f for f in findings.values() if f.result and f.site not in corrected]
            self.cache[key] = not any(f.wrong for f in results) and not self.wrong_results
        return self.cache[key]

    def blame(self, finding):
        """Who made a wrong value, if not the line where it gets its name."""
        site = finding.site
        number = next(
            pair.event.number
            for pair, got, expected in zip(finding.pairs, finding.got, finding.expected, strict=True)
            if self.judge.error(got, expected) > self.judge.truth.tolerance
        )
        event = self.events[number]
        if site.kind == "argument" or (site.copies and self.is_argument(site)):
            enter = next(
                e for e in self.events[number::-1] if e.site.kind == "enter" and e.site.scope == site.scope
            )
            return enter.caller
        if site.calls:
            for earlier in self.events[number - 1 :: -1]:
                if earlier.site.kind == "return" and earlier.identity == event.identity:
                    return earlier.site
                if earlier.site.scope == site.scope:
                    break
        return None

    def is_argument(self, site):
        return any(s.kind == "argument" and s.name == site.copies for s in self.program.sites[site.scope])


def fitted(expected, got):
    """The expected value in the shape of the one got, where that is the same numbers with axes split or joined."""
    if expected is None or expected.size != got.size or sorted(expected.shape) == sorted(got.shape):
        return expected
    return expected.reshape(got.shape)


def correct(site, value, key, expected):
    """The true value, put where the wrong one is."""
    if site.kind in ITEMS:
        value[key] = expected
        return value
    in_place = site.kind in ("refill", "augment") and getattr(value, "shape", None) == expected.shape
    if in_place and value.flags.writeable and site.kind == "refill":
        value[...] = expected
        return value
    return expected.copy() if expected.shape else expected.item()
