"""Judges each line of a backward pass by itself: a wrong value is noted and replaced by the true gradient.

What comes after a replaced value is computed from the true one, so every line is judged on its own. If the results of
the backward pass as it stands are all right, no line is accused: a name may mean something else than we take it for.
For the same reason no line is accused whose correction makes the results of an otherwise corrected pass wrong.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from tinyrnn.source import Site
from tinyrnn.verdicts.pairing import Pairing, broadcasts
from tinyrnn.verdicts.run import ITEMS, Recorder, floats

FLOOR = 1e-3  # an error is relative to the array's largest entry, but at least to this part of the largest of all
MOST_DROPPED = 3  # how many suspects may turn out to be innocent
ROUNDS = 3  # of pairing anew, when corrections let a pass that broke off run further


@dataclass
class Finding:
    """What came of one line (one `Site`): its values in the order of the forward pass, and what they should be.

    error: the largest relative error. blamed: the site that is to be accused instead: the `return` of the function
    whose result was assigned, or (line, function) of the call that passed a wrong argument. result: whether these are
    results of the whole backward pass.
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
    result: bool = False


@dataclass
class Verdict:
    """The outcome for one backward program.

    findings: list of `Finding`. failures: {(scope, line): message} of lines that raise an error; scope and line are None
    where it was not in a line of the program. left_wrong: results that are wrong even with the accused lines corrected.
    innocent: findings that differ from what their names say and do no harm. without: {site: why it has no partner}.
    events: of the run with the accused lines corrected.
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

    problem: see `tinyrnn.verdicts.problem.Problem`. truth: a `Truth`.
    """

    def __init__(self, problem, truth):
        self.problem, self.truth = problem, truth
        self.recognised = problem.recognise and problem.recognise(truth)
        largest = [abs(truth.of_input(name)).max(initial=0) for name in problem.inputs]
        self.floor = FLOOR * max([x for x in largest if np.isfinite(x)], default=0.0)

    def name_mistake(self, got, expected):
        """The known mistake that gives these numbers, or None."""
        return self.namer.name(got, expected) if self.namer else None

    def name_alone(self, got):
        """The same for a value of which it is not known what it should be."""
        return self.namer.name_alone(got) if self.namer else None

    @cached_property
    def namer(self):
        make = self.recognised.namer if self.recognised else self.problem.namer
        return make and make(self.truth)

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
        built_on = {(s.scope, s.name) for s in accused if corrected.findings[s].pairs[0].left is not None}
        accused = [s for s in accused if not (s.kind == "item-augment" and (s.scope, s.name) in built_on)]
        final = bench.run([*accused, *(s for s in corrected.findings if (s.scope, s.name) in built_on)])
        for site, finding in corrected.findings.items():
            finding.accused = site in accused
            finding.blamed = bench.blame(finding, corrected) if finding.accused else None
        innocent = [f for f in corrected.findings.values() if f.site in innocent]
        left = [] if plain.is_right else final.wrong_results
        return Verdict(list(corrected.findings.values()), final.failures, left, innocent, bench.without, program.sites, corrected.events)

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
            yield from [fitted(v, got) for v in values if v.size == got.size or not got.size] or [None]
            return
        if pair.stacked:
            shape = events.value(pair.choices[0][0]).shape
            shape = got.shape[1:] if broadcasts(shape, got.shape[1:]) else shape
            parts = [self.truth.of_events(numbers, shape) for numbers in pair.choices]
            yield None if any(part is None for part in parts) else np.stack(parts)
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

    def is_result(self, pair):
        """Whether a pair is about a gradient the whole backward pass is there for."""
        if pair.recomputed:
            return self.problem.values and pair.name in self.problem.final
        if pair.input is not None:
            return True
        site = self.truth.events.site(pair.choices[0][0])
        return site.kind == "argument" and site.scope in self.problem.top


@dataclass
class Outcome:
    """One run of a backward program. corrected: the sites that were, None for all."""

    corrected: tuple | None
    events: list = field(default_factory=list)
    findings: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    wrong_results: list = field(default_factory=list)

    @property
    def is_right(self):
        """Whether the results, as far as they are known, come out right."""
        results = [f for f in self.findings.values() if f.result and f.site not in (self.corrected or ())]
        known = [f for f in self.findings.values() if f.result]
        return bool(known) and not self.wrong_results and not self.failures and not any(f.wrong for f in results)


class Bench:
    """Runs one backward program again and again, with some lines corrected."""

    def __init__(self, judge, program):
        self.judge, self.program = judge, program
        self.by_place, self.without, self.preferred = {}, {}, {}
        self.pair(self.once(()))
        for _ in range(ROUNDS):
            outcome = self.once(None)
            if len(outcome.events) == self.paired:
                break
            self.pair(outcome)
        self.outcomes = {}

    def pair(self, outcome):
        """Pair the events of a run; later runs are matched to it by site and number."""
        problem, truth = self.judge.problem, self.judge.truth
        shapes = {name: value.shape for name, value in problem.inputs.items()}
        pairing = Pairing(
            truth.events, outcome.events, problem.scopes, shapes, problem.top, bool(outcome.failures), problem.values
        )
        pairs, self.without = pairing.pairs()
        count, places = {}, {}
        for event in outcome.events:
            places[event.number] = event.site, count.get(event.site, 0)
            count[event.site] = count.get(event.site, 0) + 1
        self.by_place = {places[pair.event.number]: pair for pair in pairs}
        self.paired = len(outcome.events)

    def run(self, corrected):
        """The `Outcome` with the lines in `corrected` (None: all wrong ones) corrected; runs are not repeated."""
        key = None if corrected is None else frozenset(corrected)
        if key not in self.outcomes:
            self.outcomes[key] = self.once(corrected)
        return self.outcomes[key]

    def settle(self):
        """Where a wrong gradient may be one of several values', take the one that leaves the fewest lines wrong."""
        wrong = self.suspects()
        for site in [s for s in wrong if len(self.choices_of(s)) > 1]:
            for choice in range(1, len(self.choices_of(site))):
                before = self.preferred.get(site, 0)
                self.preferred[site] = choice
                fewer = self.suspects()
                if len(fewer) < len(wrong):
                    wrong = fewer
                else:
                    self.preferred[site] = before

    def suspects(self):
        return [finding.site for finding in self.once(None).findings.values() if finding.wrong]

    def choices_of(self, site):
        return next((pair.choices for (s, _), pair in self.by_place.items() if s is site), [])

    def once(self, corrected):
        judge, count, rescued = self.judge, {}, {}
        outcome = Outcome(corrected)
        recorder = Recorder()
        shapes = {name: value.shape for name, value in judge.problem.inputs.items()}
        partners = Pairing(judge.truth.events, [], judge.problem.scopes, shapes, judge.problem.top)

        def watch(site, value, key=None):
            recorder(site, value, key)
            place = site, count.get(site, 0)
            count[site] = place[1] + 1
            pair = self.by_place.get(place)
            got = None if pair is None else floats(item(value, key) if site.kind in ITEMS else value)
            if got is None:
                return value
            error, expected = judge.closest(pair, got, self.preferred.get(site, 0))
            if expected is None or (pair.left is not None and expected.shape != got.shape):
                return value
            finding = outcome.findings.setdefault(site, Finding(site, pair.name))
            finding.got.insert(0, got)
            finding.expected.insert(0, expected)
            finding.pairs.insert(0, pair)
            finding.error = max(finding.error, error)
            finding.result |= judge.is_result(pair)
            if error <= judge.truth.tolerance:
                return value
            finding.wrong = True
            if corrected is None or site in corrected:
                if pair.left is not None:
                    return np.where(pair.left, expected, got)
                return correct(site, value, key, expected)
            return value

        def rescue(scope, names, error, line):
            """True values for an assignment that failed, so that what comes after can be judged; or the error."""
            number = rescued[scope, line] = rescued.get((scope, line), -1) + 1
            values = []
            for name, key in names:
                looped = any(site.loop for site in self.program.sites[scope] if site.line == line)
                pair = partners.likeliest(scope, name, number, looped) if key is None else None
                value = None if pair is None else next(judge.expected(pair, np.empty(0)), None)
                values.append(None if value is None else value.copy())
            if all(value is None for value in values):
                raise error
            outcome.failures.setdefault((scope, line), message(error))
            return tuple(values)

        self.program.rescue = rescue
        call = judge.problem.backward_call(judge.truth.result)
        with np.errstate(all="ignore"):
            try:
                returned = self.program.run(watch, call)
                outcome.wrong_results = judge.problem.wrong_results(returned, judge)
            except Exception as error:
                outcome.failures[self.origin(error, recorder.events)] = message(error)
        outcome.events = recorder.finished()
        return outcome

    def origin(self, error, events):
        """(scope, line) of the program's innermost line that was running; or of what it returned last."""
        codes = {made.__code__: made.original.__qualname__ for made in self.program.rewritten()}
        found, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code in codes:
                found = codes[trace.tb_frame.f_code], trace.tb_lineno
            trace = trace.tb_next
        returns = [event.site for event in events if event.site.kind == "return"]
        return found or ((returns[-1].scope, returns[-1].line) if returns else (None, None))

    def blame(self, finding, outcome):
        """Who made a wrong value, if not the line where it gets its name."""
        site, judge = finding.site, self.judge
        first = next(
            k
            for k, (got, expected) in enumerate(zip(finding.got, finding.expected, strict=True))
            if judge.error(got, expected, finding.pairs[k].left) > judge.truth.tolerance
        )
        times = [event for event in outcome.events if event.site == site]
        event = times[len(finding.got) - 1 - first] if len(times) >= len(finding.got) else times[-1]
        before = outcome.events[event.number :: -1]
        handed_in = site.copies and self.is_argument(site) and not self.is_judged(site, outcome)
        if (site.kind == "argument" or handed_in) and site.scope not in judge.problem.top:
            maker = judge.problem.handed.get(site.scope)
            if maker is not None:
                return self.return_of(maker)
            return next(e for e in before if e.site.kind == "enter" and e.site.scope == site.scope).caller
        if site.calls:
            for earlier in before[1:]:
                if earlier.site.kind == "return" and earlier.identity == event.identity:
                    return earlier.site
                if earlier.site.scope == site.scope:
                    break
        return None

    def return_of(self, scope):
        return next(site for site in self.program.sites[scope] if site.kind == "return")

    def is_judged(self, site, outcome):
        """Whether the argument that a line only unpacks is judged itself."""
        return any(s.scope == site.scope and s.kind == "argument" and s.name == site.copies for s in outcome.findings)

    def is_argument(self, site):
        return any(s.kind == "argument" and s.name == site.copies for s in self.program.sites[site.scope])


def message(error):
    return f"{type(error).__name__}: {error}".splitlines()[0]


def item(value, key):
    try:
        return value[key]
    except (LookupError, TypeError):
        return None


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
    if site.kind == "refill" and getattr(value, "shape", None) == expected.shape and value.flags.writeable:
        value[...] = expected
        return value
    return expected.copy() if expected.shape else expected.item()
