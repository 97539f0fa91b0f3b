"""Runs a backward program again and again, noting what each line gives and correcting some of the lines."""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.sources import Site
from tinyrnn.verdicts.judge.pairing import Pairing
from tinyrnn.verdicts.judge.uses import is_share, wrong_shares
from tinyrnn.verdicts.record.run import ITEMS, Recorder, numbers

ROUNDS = 3  # of pairing anew, when corrections let a pass that broke off run further


@dataclass
class Finding:
    """What came of one line (one `Site`): its values in the order of the forward pass, and what they should be.

    error: the largest relative error. blamed: the site that is to be accused instead: the `return` of the function
    whose result was assigned, or (line, function) of the call that passed a wrong argument. shares: the sites whose
    part of a sum is wrong, where several build it up. made: of a wrong argument, findings on what the line that passed
    it makes of it. result: whether these are results of the whole backward pass.
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
    shares: list = field(default_factory=list)
    made: list = field(default_factory=list)
    result: bool = False


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
            if len(outcome.events) <= self.paired:
                break
            self.pair(outcome)
        self.outcomes = {}

    def pair(self, outcome):
        """Pair the events of a run; later runs are matched to it by site and number."""
        problem, truth = self.judge.problem, self.judge.truth
        shapes = {name: value.shape for name, value in problem.inputs.items()}
        same = problem.names_for if problem.compares_values else None
        pairing = Pairing(
            truth.events, outcome.events, problem.scopes, shapes, problem.top, bool(outcome.failures), same
        )
        pairs, self.without = pairing.pairs()
        count, places = {}, {}
        for event in outcome.events:
            places[event.number] = event.site, count.get(event.site, 0)
            count[event.site] = count.get(event.site, 0) + 1
        self.by_place = {places[pair.event.number]: pair for pair in pairs}
        self.built = {id(pair): [places[event.number] for event in pair.built] for pair in pairs}
        self.paired = len(outcome.events)

    def run(self, corrected):
        """The `Outcome` with the lines in `corrected` (None: all wrong ones) corrected; runs are not repeated."""
        key = None if corrected is None else frozenset(corrected)
        if key not in self.outcomes:
            self.outcomes[key] = self.once(corrected)
        return self.outcomes[key]

    def settle(self):
        """Where a wrong gradient may be one of several values', take the one that leaves the fewest lines wrong."""
        least = self.count_wrong()
        for site in [finding.site for finding in self.latest.findings.values() if finding.wrong]:
            for choice in range(1, self.alternatives(site)):
                before = self.preferred.get(site, 0)
                self.preferred[site] = choice
                if (fewer := self.count_wrong()) < least:
                    least = fewer
                else:
                    self.preferred[site] = before

    def count_wrong(self):
        """How many lines are wrong, or raise an error, when those that can be are corrected."""
        self.latest = self.once(None)
        return sum(finding.wrong for finding in self.latest.findings.values()) + len(self.latest.failures)

    def alternatives(self, site):
        """How many values may be meant by what a line gives."""
        finding = self.latest.findings.get(site)
        return len(list(self.judge.expected(finding.pairs[0], finding.got[0]))) if finding else 0

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
            got = None if pair is None else numbers(item(value, key) if site.kind in ITEMS else value)
            if got is None:
                return value
            error, expected = judge.closest(pair, got, self.preferred.get(site, 0))
            if expected is None or (pair.left is not None and expected.shape != got.shape):
                return value
            finding = outcome.findings.setdefault(site, Finding(site, pair.name))
            place = len(finding.got) if judge.problem.compares_values else 0  # in the order of the forward pass
            finding.got.insert(place, got)
            finding.expected.insert(place, expected)
            finding.pairs.insert(place, pair)
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
                tried = (name, f"d{name}") if key is None else ()  # the second for entries of a dict of gradients
                pair = next(filter(None, (partners.likeliest(scope, one, number, looped) for one in tried)), None)
                value = None if pair is None else next(judge.expected(pair, np.empty(0)), None)
                values.append(None if value is None else value.copy())
            if all(value is None for value in values):
                raise error
            outcome.failures.setdefault(self.origin(error) or (scope, line), message(error))
            return tuple(values)

        self.program.rescue = rescue
        call = judge.problem.backward_call(judge.truth.result)
        with np.errstate(all="ignore"):
            try:
                returned = self.program.run(watch, call)
                outcome.wrong_results = judge.problem.wrong_results(returned, judge)
            except Exception as error:
                place = self.origin(error, recorder.events) or (None, None)
                outcome.failures[place] = message(error)
        outcome.events = recorder.finished()
        return outcome

    def origin(self, error, events=None):
        """(scope, line) of the innermost line that was running in a function whose arguments are judged, or None; given
        the events, else the innermost line of the program, or what returned last."""
        codes = {made.__code__: made.original.__qualname__ for made in self.program.rewritten()}
        running, trace = [], error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code in codes:
                running.append((codes[trace.tb_frame.f_code], trace.tb_lineno))
            trace = trace.tb_next
        places = [place for place in running if place[0] in self.judge.problem.scopes]
        if events is not None:
            returned = [(event.site.scope, event.site.line) for event in events if event.site.kind == "return"]
            places = places or running or returned
        return places[-1] if places else None

    def blame(self, finding, outcome):
        """Who made a wrong value, if not the line where it gets its name."""
        site, judge = finding.site, self.judge
        first = next(
            k
            for k, (got, expected) in enumerate(zip(finding.got, finding.expected, strict=True))
            if judge.error(got, expected, finding.pairs[k].left) > judge.truth.tolerance
        )
        times = [event for event in outcome.events if event.site == site]
        first = first if judge.problem.compares_values else len(finding.got) - 1 - first
        event = times[first] if len(times) >= len(finding.got) else times[-1]
        before = outcome.events[event.number :: -1]
        handed_in = site.copies and self.is_argument(site) and not self.is_judged(site, outcome)
        if (site.kind == "argument" or handed_in) and site.scope not in judge.problem.top:
            maker = judge.problem.handed.get(site.scope)
            if maker is not None:
                return self.return_of(maker)
            return next(e for e in before if e.site.kind == "enter" and e.site.scope == site.scope).caller
        if site.calls:
            for earlier in before[1:]:
                if earlier.site.kind == "return" and event.identity in earlier.identity:
                    return earlier.site if self.is_backward(earlier.site.scope) else None
                if earlier.site.scope == site.scope and earlier.site.line != site.line:
                    break
        return None

    def is_backward(self, scope):
        """Whether a function belongs to the backward pass: the forward pass is right, and may be called again."""
        return scope in self.judge.problem.scopes or all(e.site.scope != scope for e in self.judge.truth.events)

    def shares(self, finding, outcome):
        """The sites that add something wrong to a gradient which is built up over several lines; else none."""
        found, judge = [], self.judge
        places = {}
        for event in outcome.events:
            places.setdefault(event.site, []).append(event)
        for pair, got, expected in zip(finding.pairs, finding.got, finding.expected, strict=True):
            built = self.built.get(id(pair), [])
            if judge.error(got, expected) <= judge.truth.tolerance or len({site for site, _ in built}) < 2:
                continue
            if any(site.kind == "transform" for site, _ in built):
                continue
            if (
                pair.recomputed
                or pair.stacked
                or not pair.choices
                or any(k >= len(places.get(s, ())) for s, k in built)
            ):
                continue
            events = [places[site][k] for site, k in built]
            if any(e.value is None or e.key is not None for e in events) or got.shape != expected.shape:
                continue
            values = [self.true_value(event, outcome) for event in events]
            number = pair.choices[min(self.preferred.get(finding.site, 0), len(pair.choices) - 1)][0]
            uses = judge.uses_of(number)
            if not uses:
                continue
            scale = max(abs(expected).max(initial=0), judge.floor)
            kinds = [site.kind for site, _ in built]
            found += [events[k].site for k in wrong_shares(values, kinds, uses, scale, 10 * judge.truth.tolerance)]
        return list(dict.fromkeys(found))

    def is_part(self, finding):
        """Whether a wrong value is a right part of a sum, which a later line assigns anew."""
        later = any(
            s.scope == finding.site.scope and s.name == finding.site.name and s.line > finding.site.line
            for s in self.program.sites[finding.site.scope]
            if not (s.kind == "value" and s.uses == (s.name,))  # {"dW": dW} only hands it on
        )
        pairs = zip(finding.pairs, finding.got, finding.expected, strict=True)
        return later and all(
            pair.choices
            and not pair.stacked
            and not pair.recomputed
            and is_share(
                got,
                self.judge.uses_of(pair.choices[0][0]),
                max(abs(expected).max(initial=0), self.judge.floor),
                10 * self.judge.truth.tolerance,
            )
            for pair, got, expected in pairs
        )

    @staticmethod
    def true_value(event, outcome):
        """What a value was after it was corrected, if it was."""
        finding = outcome.findings.get(event.site)
        if event.site.kind != "argument" or finding is None or not finding.wrong:
            return event.value
        times = [e.number for e in outcome.events if e.site == event.site]
        k = len(times) - 1 - times.index(event.number)
        return finding.expected[k] if k < len(finding.expected) else event.value

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


def correct(site, value, key, expected):
    """The true value, put where the wrong one is."""
    if site.kind in ITEMS:
        value[key] = expected
        return value
    in_place = site.kind in ("refill", "augment", "transform")  # whoever else has the array sees the true value too
    same_shape = getattr(value, "shape", None) == expected.shape != ()
    if in_place and same_shape and value.flags.writeable and np.can_cast(expected.dtype, value.dtype, "same_kind"):
        value[...] = expected
        return value
    return expected.copy() if expected.shape else expected.item()
