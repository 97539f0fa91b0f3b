"""What stands behind a verdict: what each line was taken for, what it was compared with, and what was made of it."""

from tinyrnn.verdicts.report import Reason

NOT_A_VALUE = ("enter", "pass", "carry", "load", "return", "use")


def reasons(judge, verdict):
    """A `Reason` for every name that the functions on trial assign, in the order of the sources."""
    return Explainer(judge, verdict).reasons()


class Explainer:
    """The reasons for one `Judgement`."""

    def __init__(self, judge, verdict):
        self.judge, self.problem, self.verdict = judge, judge.problem, verdict
        self.findings = {finding.site: finding for finding in verdict.findings}
        self.innocent = {finding.site for finding in verdict.innocent}
        self.there = {event.site: event for event in verdict.events}
        self.complete = {}  # site -> the site where the value that it builds up is complete
        for match in verdict.pairs.matches:
            self.complete.update({event.site: match.event.site for event in match.built})

    def reasons(self):
        """A `Reason` for each name assigned in the functions that are shown or have findings, each site once."""
        accused = self.verdict.chosen.units if self.verdict.chosen else ()
        scopes = [*(f.__qualname__ for f in self.problem.shown), *(s.scope for s in self.findings)]
        scopes = dict.fromkeys([*scopes, *(unit.site.scope for unit in accused)])
        sites = [site for scope in scopes for site in self.verdict.sites.get(scope, ())]
        reasons = [self.reason(site) for site in dict.fromkeys(sites) if is_value(site) or site.kind == "return"]
        return [reason for reason in reasons if reason.name != "return" or reason.repair]

    def reason(self, site):
        """The `Reason` for one site: of its finding, or why there is none."""
        finding = self.findings.get(site)
        place, repair = (site.scope, site.line, site.name), self.repair(site)
        if finding is None:
            return Reason(*place, self.why_not(site), repair=repair)
        return Reason(*place, self.taken_for(finding), self.compared(finding), self.outcome(finding), repair)

    # repairs

    def repair(self, site):
        """What came of the repairs of what a line gives; "" if none was tried."""
        search, told, proposed = self.verdict.search, [], self.verdict.proposed
        if proposed and any(unit.site == site for unit in proposed.units):
            lines = sorted({line for scope, line in proposed.lines} - {site.line})
            also = f" and in line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}" if lines else ""
            told.append(f"right values here{also}, as the names suggest: {self.came_of(proposed)}")
        for units, repair in search.tried if search else ():
            if any(unit.site == site for unit in units):
                here = [
                    f"here, part {unit.path[0] + 1}" if unit.path else "here" for unit in units if unit.site == site
                ]
                also = [f"line {unit.site.line}" for unit in units if unit.site.line != site.line]
                what = " and ".join(dict.fromkeys([*here, *also]))
                told.append(f"right values {what}: {self.came_of(repair)}")
        chosen = self.verdict.chosen
        for part in (chosen.parts or (chosen,)) if chosen else ():
            if part.edit and part.edit.place == (site.scope, site.line):
                also = " and the other line put right" if chosen.parts else ""
                told.append(f"all results are right with `{part.edit.after}`{also}: this is accused")
        return "; ".join(told)

    def came_of(self, repair):
        """A phrase: whether all results are right with a repair, and how good an explanation it is."""
        if repair is None:
            return "not all results would be right"
        if not repair.is_weighed:
            return "all results would be right"
        left = ", ".join(dict.fromkeys(f"{unit.site.name} (line {unit.site.line})" for unit in repair.unexplained))
        best = ", the least of all: this is accused" if repair is self.verdict.chosen else ""
        what = f"but {left} would be the gradient of nothing" if left else "and every value explained"
        return f"all results would be right, {what}; cost {repair.cost:.1f}{best}"

    # what was not compared

    def why_not(self, site):
        """Why nothing was compared with what a line gives."""
        pairs = self.verdict.pairs
        event, complete = self.there.get(site), self.complete.get(site, site)
        if event is None:
            return "not judged: it did not run"
        if site in pairs.unnamed:
            return f"taken for the gradient of {pairs.unnamed[site].partner}, with whose numbers it agrees"
        if complete != site:
            return f"adds to what is complete in line {complete.line}, and is judged there"
        if site in pairs.without:
            return f"taken for a gradient by its name, but {pairs.without[site]}"
        if site.kind == "argument" and site.scope in self.problem.top:
            return "given: a gradient from above, or what the forward pass kept"
        if site.zero:
            start = "with None: what it gets later" if event.value is None else "of zeros: what is added to it"
            return f"a start {start} is judged"
        if site.kind == "return":
            return "what is returned"
        if event.value is None:
            return "not judged: no array of floats"
        return f"not judged: {pairs.others.get(site, 'it is judged where it is complete')}"

    # what was

    def taken_for(self, finding):
        """A phrase: which forward value or input the name is taken for, or for the gradient of, and where."""
        match = finding.matches[0]
        at = "" if match.part is None else f"[{match.part!r}]"
        if match.input is not None:
            return f"taken for the gradient of the input {match.input}{at}"
        what = f"{match.name}{at}{self.place(match.choices[0])}"
        if match.recomputed:
            return f"taken for {what}, worked out again or taken out of a cache"
        if match.stacked:
            return f"taken for the gradients of all {len(match.choices)} values of {what}, one after the other"
        others = [self.place(numbers) for numbers in match.choices[1:]]
        others = [place for place in dict.fromkeys(others) if place and place != self.place(match.choices[0])]
        times = f", {len(finding.got)} times, the last first" if len(finding.got) > 1 else ""
        also = f" (or of {match.name}{' or'.join(others)})" if others else ""
        return f"taken for the gradient of {what}{times}{also}"

    def place(self, numbers):
        """` as it is assigned in line 5 of step`, of a value of the forward pass."""
        site = self.judge.truth.events.site(numbers[0])
        how = {"argument": "as it is given to", "return": "as it is returned by", "carry": "as a loop hands it on in"}
        if site.kind in how:
            return f" {how[site.kind]} {site.scope}"
        return f" as it is assigned in line {site.line} of {site.scope}"

    def compared(self, finding):
        """A phrase: the shapes, what they are compared with, the largest relative error and what is allowed."""
        truth, match = self.judge.truth, finding.matches[0]
        if match.recomputed:
            what = "what it is in the package's own program" if self.problem.compares_values else "what it was there"
        else:
            what = f"numerical gradients ({'complex step' if truth.by_complex_step else 'central differences'})"
        shapes = " and ".join(dict.fromkeys(f"{got.shape}" for got in finding.got))
        error = f"the largest relative error is {finding.error:.0e}, {truth.tolerance:.0e} is allowed"
        return f"{shapes} compared with {what}: {error}"

    def outcome(self, finding):
        """A phrase: ok, accused (and which line is to blame), or why a value that differs is not accused."""
        if not finding.wrong:
            return "ok"
        if finding.site in self.innocent:
            right = "all results are right" if self.verdict.is_right else "results become right only where it is left"
            return f"it differs, but is not accused: {right}"
        if not finding.accused:
            return "it differs, but is not accused: it is right as a part of what a later line makes of it"
        if finding.shares:
            return f"accused: what line {', '.join(str(site.line) for site in finding.shares)} adds to it"
        if isinstance(finding.blamed, tuple):
            return f"accused: line {finding.blamed[0]} of {finding.blamed[1]}, which passes it"
        if finding.blamed is not None:
            return f"accused: line {finding.blamed.line} of {finding.blamed.scope}, which returns it"
        return "accused"


def is_value(site):
    """Whether a site assigns a value to a name, so that there is something to explain."""
    return bool(site.name) and site.kind not in NOT_A_VALUE
