"""Runs a backward program again and again, with some of its lines corrected."""

import itertools

from tinyrnn.verdicts.judge.pairing import Pairing
from tinyrnn.verdicts.judge.runs import run_once

ROUNDS = 3  # of pairing anew, when corrections let a pass that broke off run further
TO_SETTLE = 400_000  # events of all runs together in which it is tried which of several values is meant


class Reruns:
    """The runs of one backward program. pairs: what belongs together, by the longest run."""

    def __init__(self, judge, program):
        self.judge, self.program = judge, program
        self.call = judge.problem.backward_call(judge.truth.result)
        self.matches, self.preferred = {}, {}
        self.pair(self.once(()))
        for _ in range(ROUNDS):
            outcome = self.once(None)
            if len(outcome.events) <= self.paired:
                break
            self.pair(outcome)
        self.outcomes = {}

    def once(self, corrected):
        """The `Outcome` of a new run, not kept. corrected: the sites to correct, None for all."""
        return run_once(self.judge, self.program, self.call, corrected, self.matches, self.preferred)

    def pair(self, outcome):
        """Pair the events of a run; later runs are matched to it by site and number."""
        pairing = Pairing(self.judge.problem, self.judge.truth.events, outcome.events, partial=bool(outcome.failures))
        self.pairs = pairing.pairs()
        count, places = {}, {}
        for event in outcome.events:
            places[event.number] = event.site, count.get(event.site, 0)
            count[event.site] = count.get(event.site, 0) + 1
        self.matches = {places[match.event.number]: match for match in self.pairs.matches}
        self.built = {id(match): [places[event.number] for event in match.built] for match in self.pairs.matches}
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
        wrong = [finding.site for finding in self.latest.findings.values() if finding.wrong]
        choices = ((site, choice) for site in wrong for choice in range(1, self.alternatives(site)))
        for site, choice in itertools.islice(choices, TO_SETTLE // (self.paired + 1)):
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
        return len(list(self.judge.expected(finding.matches[0], finding.got[0]))) if finding else 0
