"""Judges each line of a backward pass by itself: a wrong value is noted and replaced by the true gradient.

What comes after a replaced value is computed from the true one, so every line is judged on its own. If the results of
the backward pass as it stands are all right, no line is accused: a name may mean something else than we take it for.
For the same reason no line is accused whose correction makes the results of an otherwise corrected pass wrong.
"""

import math
import time
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from tinyrnn.verdicts.judge.blame import Blame
from tinyrnn.verdicts.judge.inner import Inner
from tinyrnn.verdicts.judge.matches import NO_PARTNER, Pairings
from tinyrnn.verdicts.judge.reruns import Reruns
from tinyrnn.verdicts.judge.runs import message
from tinyrnn.verdicts.judge.unnamed import of_unnamed
from tinyrnn.verdicts.judge.uses import Uses
from tinyrnn.verdicts.record.run import broadcasts
from tinyrnn.verdicts.repair.locate import Locator, left_behind
from tinyrnn.verdicts.repair.patience import OutOfPatience, limited
from tinyrnn.verdicts.repair.repairs import Located, Repair
from tinyrnn.verdicts.repair.search import Search

FLOOR = 1e-3  # an error is relative to the array's largest entry, but at least to this part of the largest of all
MOST_LINES = 5  # that are accused because of their names: more at once are another convention, not as many mistakes
MOST_TRIED = 500  # sets of so many suspects
MOST_SECONDS = 5.0  # of the processor for them
MOST_DROPPED = 3  # how many suspects may turn out to be innocent


@dataclass
class Judgement:
    """The outcome for one backward program.

    findings: list of `LineFinding`. failures: {(scope, line): message} of lines that raise an error; scope and line are
    None where it was not in a line of the program. left_wrong: results that are wrong even with the accused lines
    corrected. innocent: findings that differ from what their names say and do no harm. pairs: what belongs together.
    sites: scope -> its sites. events: of the run with the accused lines corrected. is_right: whether the results of the
    program as it stands are right. search: for repairs, None where the pass breaks off. repair: what is accused in
    place of findings. doubtful: {(scope, line)} of lines of which one is at fault, without telling which. is_open:
    whether the results are wrong and nothing is accused. proposed: the repair that names suggest, None if not all
    results are right with it; chosen: the one that decided. unpaired: what may be a gradient and is not compared.
    broken_by: the error that the search ended in, None if it did not. is_cut_off: whether its time was over first.
    """

    findings: list
    failures: dict
    left_wrong: list
    innocent: list
    pairs: Pairings
    sites: dict
    events: list
    is_right: bool
    search: Search | None = None
    repair: Repair | None = None
    doubtful: frozenset = frozenset()
    is_open: bool = False
    proposed: Repair | None = None
    chosen: Repair | None = None
    unpaired: list = field(default_factory=list)
    broken_by: str | None = None
    is_cut_off: bool = False


class Judge:
    """Judges the backward passes of one forward pass; the true gradients are worked out once.

    problem: a `tinyrnn.verdicts.record.problem.Problem`. truth: its `Truth`. recognise: whether to find out which of
    the package's cells the forward pass is.
    """

    def __init__(self, problem, truth, recognise=True):
        stale = left_behind({name: truth.of_input(name) for name in problem.inputs})
        counting = {name: value for name, value in problem.inputs.items() if name not in stale}
        self.problem, self.truth = problem.but(inputs=counting) if stale else problem, truth
        self.recognised = problem.recognise(truth) if recognise else None  # None: it is not looked for
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
        """The `Namer` of known mistakes, of the recognised cell or else of the problem; None without one."""
        return (self.recognised or self.problem).namer(self.truth)

    @cached_property
    def known_of_forward(self):
        """What `Search.located` is told of a forward pass that does what a cell of the package does: but by another
        convention with which weights that it is given are of no use, nothing is right in it."""
        if not self.recognised:
            return None
        counting = [self.truth.of_input(name).any() for name in self.problem.inputs]
        is_mistaken = self.recognised.is_mistaken or (self.recognised.variant is not None and not all(counting))
        return is_mistaken, frozenset() if is_mistaken else self.recognised.lines(self.truth)

    def judge(self, program):
        """The `Judgement` on a program."""
        reruns = Reruns(self, program)
        as_it_stands = reruns.run(())
        search = None if self.problem.compares_values else self.locator.search(program)
        unpaired = search.results.unpaired if search is not None else []
        if search is not None and not search.results.pairs:
            search = None  # nothing is known to come out: names are all there is
            unpaired = [] if as_it_stands.compared else unpaired
        is_right = as_it_stands.is_right if search is None else not search.wrong
        if not is_right:
            reruns.settle()
        corrected, accused, innocent = self.accused(reruns, is_right)
        self.assign_blame(reruns, corrected, accused)
        located, proposed, broken_by, is_cut_off = None, None, None, False
        if search is not None and not is_right:
            lines = places_of(corrected, accused)
            if len(lines) <= MOST_LINES:
                proposed = search.proposed(self.proposal(corrected, accused), lines)
            told = {(f.site.scope, f.site.line) for f in corrected.findings.values() if not self.is_itself(f)}
            if search.solver.came is not None:
                try:
                    with limited():
                        located = search.located(proposed, told, self.right(as_it_stands), self.known_of_forward)
                except OutOfPatience:
                    located, is_cut_off = search.so_far(), True
                except Exception as error:  # of the search, for a program unlike all that it was tried on
                    located, broken_by = Located(), message(error)
            elif repair := search.of_layers() or search.of_shapes() or search.of_shapes_and_more():
                located = Located(repair)
            elif not proposed and (len(lines) > 1 or reruns.run(accused).failures):
                accused = []
            best = located and located.repair
            is_agreed = best and best.places == lines and not best.doubtful
            if located and not (is_agreed and (proposed or not reruns.run(accused).failures)):
                accused, innocent = [], [f.site for f in corrected.findings.values() if f.wrong]
                self.assign_blame(reruns, corrected, accused)
        told_by_names = search is None and self.problem.passes is not None  # a cell's names are those of its base class
        if told_by_names and accused and as_it_stands.failures and reruns.run(accused).failures:
            accused = []  # names alone say so, and it is not why an error is raised
        filled = {(s.scope, s.name) for s in accused if corrected.findings[s].matches[0].left is not None}
        accused = [s for s in accused if not (s.kind == "item-augment" and (s.scope, s.name) in filled)]
        final = reruns.run([*accused, *(s for s in corrected.findings if (s.scope, s.name) in filled)])
        for site, finding in corrected.findings.items():
            finding.accused = site in accused
        pairs = reruns.pairs
        pairs.unnamed = of_unnamed(self, [s for s, why in pairs.without.items() if why == NO_PARTNER], corrected.events)
        pairs.without = {site: why for site, why in pairs.without.items() if site not in pairs.unnamed}
        findings = list(corrected.findings.values())
        return Judgement(
            findings=findings,
            failures=final.failures,
            left_wrong=[] if is_right or located else final.wrong_results,
            innocent=[finding for finding in findings if finding.site in innocent],
            pairs=pairs,
            sites=program.sites,
            events=corrected.events,
            is_right=is_right,
            search=search,
            repair=located.repair if located and not accused else None,
            doubtful=located.repair.doubtful if located and located.repair else frozenset(),
            is_open=bool(located and not located.repair),
            proposed=proposed,
            chosen=located.repair if located else None,
            unpaired=unpaired,
            broken_by=broken_by,
            is_cut_off=is_cut_off,
        )

    @staticmethod
    def right(run):
        """{(scope, line)} of lines that give the gradients which their names say, and no others."""
        findings = [f for f in run.findings.values() if not all(match.recomputed for match in f.matches)]
        wrong = {(f.site.scope, f.site.line) for f in findings if f.wrong or not any(map(np.any, f.got))}
        return {(f.site.scope, f.site.line) for f in findings} - wrong

    @staticmethod
    def proposal(corrected, accused):
        """{place: value} that the accused lines are corrected with."""
        return {
            (match.event.number, ()): expected if match.left is None else np.where(match.left, expected, got)
            for site in accused
            for match, got, expected in zip(*aligned(corrected.findings[site]), strict=True)
            if match.event is not None and (match.left is None or match.left.shape == got.shape == expected.shape)
        }

    @cached_property
    def locator(self):
        """The `Locator` of mistakes by repair."""
        inner = Inner(self.problem, lambda problem: Judge(problem, problem.truth(), recognise=False))
        return Locator(self.problem, self.truth, lambda: self.uses.truth, self.error, inner)

    def accused(self, reruns, is_right):
        """(the run with the accused lines corrected, their sites, the sites of suspects that are innocent)."""
        corrected = reruns.run(None)
        left = unfinished(corrected, reruns.program)
        wrong = [f for f in corrected.findings.values() if f.wrong and f.site not in left]
        suspects = [f.site for f in wrong if not self.is_itself(f)]
        if is_right:
            return corrected, [], suspects
        innocent = self.harmful(reruns, suspects) if suspects else []
        if innocent:
            corrected = reruns.run([site for site in suspects if site not in innocent])
            suspects = [site for site in corrected.corrected if corrected.findings[site].wrong]
        blame = Blame(self, reruns, corrected)
        parts = [site for site in suspects if blame.is_part(corrected.findings[site])]
        if parts and len(parts) < len(suspects):  # something is wrong, so not all can be right parts
            corrected = reruns.run([site for site in suspects if site not in parts])
            suspects = [site for site in corrected.corrected if corrected.findings[site].wrong]
        return corrected, suspects, innocent

    def is_itself(self, finding):
        """Whether a value of the forward pass is compared with what the same line gave at another time: in a function
        that is its own backward pass that says nothing."""
        own, is_own = (finding.site.scope, finding.site.line), self.problem.returns_more
        sites = [self.truth.events.site(match.choices[0][0]) for match in finding.matches if match.recomputed]
        return is_own and bool(sites) and all((site.scope, site.line) == own for site in sites)

    def assign_blame(self, reruns, corrected, accused):
        """Note on the findings which are accused, and who is to blame for them."""
        blame = Blame(self, reruns, corrected)
        for site, finding in corrected.findings.items():
            finding.accused = site in accused
            finding.blamed = blame.maker(finding) if finding.accused else None
            finding.shares = blame.shares(finding) if finding.accused else []
        for finding in [corrected.findings[site] for site in accused]:
            if isinstance(finding.blamed, tuple):
                rest = [site for site in accused if corrected.findings[site].blamed != finding.blamed]
                left = reruns.run(rest).findings.values()
                finding.made = [f for f in left if f.wrong and (f.site.line, f.site.scope) == finding.blamed]

    def uses_of(self, number):
        """What the uses of the value at a forward event send back."""
        event = self.truth.events[number] if isinstance(number, int) else None
        known = event is not None and event.site.kind not in ("carry", "load")
        return self.uses.of(event, self.truth.events) if known else []

    @cached_property
    def uses(self):
        """The `Uses` of forward values, from a run in which each use of a variable is watched by itself."""
        return Uses(self.problem.truth(uses=True))

    def harmful(self, reruns, suspects):
        """The fewest suspects without whose correction the results become right; none if that cannot be said."""
        if reruns.run(suspects).is_right:
            return []
        begun = time.process_time()
        for number in range(1, min(MOST_DROPPED, len(suspects) - 1) + 1):
            if math.comb(len(suspects), number) > MOST_TRIED:
                break
            for some in combinations(suspects, number):
                if reruns.run([site for site in suspects if site not in some]).is_right:
                    return list(some)
                if time.process_time() - begun > MOST_SECONDS:
                    return []
        return []

    def expected(self, match, got):
        """The true values that a `Match` allows, the likeliest first: an iterator."""
        if match.input is not None:
            whole = self.truth.of_input(match.input)
            yield whole if match.part is None else part_of(whole, match.part)
            return
        events = self.truth.events
        if match.recomputed:
            values = [events.value(numbers[0]) for numbers in match.choices]
            values = [np.stack(values)] if match.stacked else values
            is_sure = match.only or (match.event is not None and match.event.site.kind == "argument")
            yield from [fitted(v, got) for v in values if v.size == got.size or not got.size or is_sure] or [None]
            return
        if match.stacked:
            shape = events.value(match.choices[0][0]).shape
            shape = got.shape[1:] if broadcasts(shape, got.shape[1:]) else shape
            parts = [self.truth.of_events(numbers, shape) for numbers in match.choices]
            yield None if any(part is None for part in parts) else np.stack(parts)
            return
        same = [n for n in match.choices if events.value(n[0]).shape == got.shape]
        later = []  # what it should be if it should not be laid out over copies
        for numbers in same + [n for n in match.choices if n not in same]:
            shape = events.value(numbers[0]).shape
            whole = self.truth.of_events(numbers, shape)
            if match.part is not None:
                yield None if whole is None else part_of(whole, match.part)
                continue
            if got.shape != shape and broadcasts(shape, got.shape) and not match.returned:
                spread = self.truth.of_events(numbers, got.shape)
                if spread is not None:
                    yield spread
                    later.append(whole)
                    continue
            yield fitted(whole, got)
        yield from later

    def closest(self, match, got, preferred=0):
        """(error, true value): the first that `got` agrees with, else the preferred; (None, None) if none is known."""
        found = []
        for expected in self.expected(match, got):
            if expected is not None:
                found.append((self.error(got, expected, match.left), expected))
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

    def is_result(self, match):
        """Whether a `Match` is about a gradient the whole backward pass is there for."""
        if match.recomputed:
            return self.problem.compares_values and match.name in self.problem.final
        if match.input is not None:
            return True
        site = self.truth.events.site(match.choices[0][0])
        return site.kind == "argument" and site.scope in self.problem.top


def unfinished(outcome, program):
    """The sites of values to which a pass that breaks off adds nothing more, though its program would."""
    if not outcome.failures or outcome.compared:
        return set()
    ran = {event.site for event in outcome.events}
    every = [site for sites in program.sites.values() for site in sites]
    missed = {(site.scope, site.name) for site in every if site.kind == "augment" and site not in ran}
    return {site for site in outcome.findings if (site.scope, site.name) in missed}


def places_of(outcome, accused):
    """{(scope, line)} of the lines that some sites are accused by."""
    found = set()
    for finding in (outcome.findings[site] for site in accused):
        if finding.shares:
            found |= {(site.scope, site.line) for site in finding.shares}
        elif isinstance(finding.blamed, tuple):
            found.add(finding.blamed[::-1])
        else:
            site = finding.blamed or finding.site
            found.add((site.scope, site.line))
    return found


def part_of(array, key):
    """array[key]; None where the array, laid out otherwise, has no such part."""
    try:
        return array[key]
    except LookupError:
        return None


def aligned(finding):
    """(matches, got, expected) of a finding."""
    return finding.matches, finding.got, finding.expected


def fitted(expected, got):
    """The expected value in the shape of the one got, where that is the same numbers with axes split or joined."""
    if expected is None or expected.size != got.size or sorted(expected.shape) == sorted(got.shape):
        return expected
    return expected.reshape(got.shape)
