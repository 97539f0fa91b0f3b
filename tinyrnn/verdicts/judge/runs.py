"""One run of a backward program: what each line gives is compared with what it should be, and some lines are
corrected."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tinyrnn.sources import Site
from tinyrnn.verdicts.judge.pairing import Pairing
from tinyrnn.verdicts.record.run import ITEMS, Recorder, numbers


@dataclass
class LineFinding:
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
    matches: list = field(default_factory=list)
    error: float = 0.0
    wrong: bool = False
    accused: bool = False
    blamed: object = None
    shares: list = field(default_factory=list)
    made: list = field(default_factory=list)
    result: bool = False

    def add(self, got, expected, match, first):
        """One more value, in the order of the forward pass. first: whether it is its first there."""
        place = 0 if first else len(self.got)
        self.got.insert(place, got)
        self.expected.insert(place, expected)
        self.matches.insert(place, match)


@dataclass
class Outcome:
    """One run of a backward program. corrected: the sites that were, None for all. compared: the inputs whose gradients
    are known to be among what was returned; wrong_results: those for which they are wrong."""

    corrected: tuple | None
    events: list = field(default_factory=list)
    findings: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    wrong_results: list = field(default_factory=list)
    compared: set = field(default_factory=set)

    @property
    def is_right(self):
        """Whether the results, as far as they are known, come out right: what is returned, and of what is not known to
        be returned, what goes by a result's name."""
        named = [f for f in self.findings.values() if f.result]
        wrong = [f for f in named if f.wrong and f.name not in self.compared and f.site not in (self.corrected or ())]
        return bool(named or self.compared) and not (self.wrong_results or self.failures or wrong)

    def is_corrected(self, site):
        """Whether a wrong value at a site is replaced in this run."""
        return self.corrected is None or site in self.corrected


def run_once(judge, program, call, corrected, matches, preferred):
    """The `Outcome` of one run.

    call: what runs the backward pass, a function of the program. matches: (site, how often it has run) -> `Match`.
    preferred: site -> which of several possible partners is taken.
    """
    outcome = Outcome(corrected)
    watch = CorrectingWatch(judge, outcome, matches, preferred)
    rescue = Rescue(judge, outcome, program)
    with np.errstate(all="ignore"):
        try:
            returned = program.run(watch, call, rescue=rescue)
            outcome.compared = set(judge.problem.results(returned))
            outcome.wrong_results = judge.problem.wrong_results(returned, judge)
        except Exception as error:
            place = rescue.origin(error, watch.recorder.events) or (None, None)
            outcome.failures[place] = message(error)
    outcome.events = watch.recorder.finished()
    return outcome


class CorrectingWatch:
    """A `watch` that records everything, notes how it compares, and puts true values in the place of wrong ones."""

    def __init__(self, judge, outcome, matches, preferred):
        self.judge, self.outcome, self.matches, self.preferred = judge, outcome, matches, preferred
        self.recorder, self.count = Recorder(), {}

    def __call__(self, site, value, key=None):
        self.recorder(site, value, key)
        place = site, self.count.get(site, 0)
        self.count[site] = place[1] + 1
        match = self.matches.get(place)
        got = None if match is None else numbers(item(value, key) if site.kind in ITEMS else value)
        if got is None:
            return value
        error, expected = self.judge.closest(match, got, self.preferred.get(site, 0))
        if expected is None or (match.left is not None and expected.shape != got.shape):
            return value
        wrong = self.note(site, match, got, expected, error)
        if not wrong or not self.outcome.is_corrected(site):
            return value
        if match.left is not None:
            return np.where(match.left, expected, got)
        return correct(site, value, key, expected)

    def note(self, site, match, got, expected, error):
        """Add to the finding on a line; returns whether the value is wrong."""
        finding = self.outcome.findings.setdefault(site, LineFinding(site, match.name))
        finding.add(got, expected, match, first=not self.judge.problem.compares_values)
        finding.error = max(finding.error, error)
        finding.result |= self.judge.is_result(match)
        wrong = not error <= self.judge.truth.tolerance
        finding.wrong |= wrong
        return wrong


class Rescue:
    """True values for an assignment that failed, so that what comes after can be judged; or the error."""

    def __init__(self, judge, outcome, program):
        self.judge, self.outcome, self.program = judge, outcome, program
        self.count = {}

    @cached_property
    def pairing(self):
        """The `Pairing` of the problem with the events of the forward pass."""
        return Pairing(self.judge.problem, self.judge.truth.events)

    def __call__(self, scope, names, error, line):
        number = self.count[scope, line] = self.count.get((scope, line), -1) + 1
        looped = any(site.loop for site in self.program.sites[scope] if site.line == line)
        values = [self.value(scope, name, key, number, looped) for name, key in names]
        if scope in self.forwards or all(value is None for value in values):
            raise error
        self.outcome.failures.setdefault(self.origin(error) or (scope, line), message(error))
        return tuple(values)

    def value(self, scope, name, key, number, looped):
        """A copy of what a name whose assignment failed should be; None for an item, or if that is not known."""
        tried = (name, f"d{name}") if key is None else ()  # the second for entries of a dict of gradients
        matches = (self.pairing.likeliest(scope, one, number, looped) for one in tried)
        match = next(filter(None, matches), None)
        value = None if match is None else next(self.judge.expected(match, np.empty(0)), None)
        return None if value is None else value.copy()

    def origin(self, error, events=None):
        """(scope, line) of the innermost line that was running in a function whose arguments are judged, or None; given
        the events, else the innermost line of the program, or what returned last. Not in what the forward pass calls,
        too, for that is right, but in what calls it."""
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
        own = [place for place in places if place[0] not in self.forwards]
        return (own or places)[-1] if places else None

    @cached_property
    def forwards(self):
        """The functions that the forward pass runs, where that is not the backward pass as well."""
        problem = self.judge.problem
        return set() if problem.returns_more else {event.site.scope for event in self.judge.truth.events}


def message(error):
    """`TypeError: …`, the first line only."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


def item(value, key):
    """value[key], or None where there is no such entry or the value has no entries."""
    try:
        return value[key]
    except (LookupError, TypeError):
        return None


def correct(site, value, key, expected):
    """The true value, put where the wrong one is."""
    if site.kind in ITEMS:
        value[key] = expected.copy()  # of a list or dict it is the entry itself, which may be changed later on
        return value
    in_place = site.kind in ("refill", "augment", "transform")  # whoever else has the array sees the true value too
    same_shape = getattr(value, "shape", None) == expected.shape != ()
    if in_place and same_shape and value.flags.writeable and np.can_cast(expected.dtype, value.dtype, "same_kind"):
        value[...] = expected
        return value
    return expected.copy() if expected.shape else expected.item()
