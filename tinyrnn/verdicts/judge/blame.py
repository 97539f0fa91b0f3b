"""Who made a wrong value: the line where it gets its name, the function that returned it, the call that passed it, or
one of the lines that build it up."""

from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.judge.uses import is_share, wrong_shares


class Blame:
    """Assigns the findings of one run to lines. reruns: of the program. outcome: the run."""

    def __init__(self, judge, reruns, outcome):
        self.judge, self.reruns, self.outcome = judge, reruns, outcome
        self.sites = reruns.program.sites
        self.events = {}  # site -> its events, in time
        for event in outcome.events:
            self.events.setdefault(event.site, []).append(event)

    def maker(self, finding):
        """Who made a wrong value, if not the line where it gets its name: see `LineFinding.blamed`."""
        site, problem = finding.site, self.judge.problem
        event = self.first_wrong(finding)
        before = self.outcome.events[event.number :: -1]
        handed_in = site.copies and self.is_argument(site) and not self.is_judged(site) and not is_another(site)
        if (site.kind == "argument" or handed_in) and site.scope not in problem.top:
            maker = problem.handed.get(site.scope)
            if maker is not None:
                return next(site for site in self.sites[maker] if site.kind == "return")
            return next(e for e in before if e.site.kind == "enter" and e.site.scope == site.scope).caller
        if site.calls:
            for earlier in before[1:]:
                if earlier.site.kind == "return" and event.identity in earlier.identity:
                    return earlier.site if self.is_backward(earlier.site.scope) else None
                if earlier.site.scope == site.scope and earlier.site.line != site.line:
                    break
        return None

    def first_wrong(self, finding):
        """The event that gave the first wrong value of a line, in the order of the forward pass."""
        judge, values = self.judge, zip(finding.got, finding.expected, finding.matches, strict=True)
        right = [judge.error(got, expected, match.left) <= judge.truth.tolerance for got, expected, match in values]
        wrong = [not one for one in right]  # what is no number is wrong too
        nth = wrong.index(True) if judge.problem.compares_values else len(wrong) - 1 - wrong.index(True)
        times = self.events[finding.site]
        return times[nth] if len(times) >= len(wrong) else times[-1]

    def is_backward(self, scope):
        """Whether a function belongs to the backward pass: the forward pass is right, and may be called again."""
        return scope in self.judge.problem.scopes or all(e.site.scope != scope for e in self.judge.truth.events)

    def is_judged(self, site):
        """Whether the argument that a line only unpacks is judged itself."""
        found = self.outcome.findings
        return any(s.scope == site.scope and s.kind == "argument" and s.name == site.copies for s in found)

    def is_argument(self, site):
        """Whether the name that a site only copies is an argument of the site's function."""
        return any(s.kind == "argument" and s.name == site.copies for s in self.sites[site.scope])

    # sums over several lines --------------------------------------------------------------------------------------

    def shares(self, finding):
        """The sites that add something wrong to a gradient which is built up over several lines; else none."""
        found, judge = [], self.judge
        for match, got, expected in zip(finding.matches, finding.got, finding.expected, strict=True):
            events = self.builders(match)
            if judge.error(got, expected) <= judge.truth.tolerance or not events or got.shape != expected.shape:
                continue
            number = match.choices[min(self.reruns.preferred.get(finding.site, 0), len(match.choices) - 1)][0]
            uses = judge.uses_of(number)
            if uses:
                values, kinds = [self.true_value(event) for event in events], [e.site.kind for e in events]
                scale = max(abs(expected).max(initial=0), judge.floor)
                wrong = wrong_shares(values, kinds, uses, scale, 10 * judge.truth.tolerance)
                found += [events[k].site for k in wrong]
        return list(dict.fromkeys(found))

    def builders(self, match):
        """The events that build up a gradient on more than one line, term by term; none if it is not of that kind."""
        built = self.reruns.built.get(id(match), [])
        if match.recomputed or match.stacked or not match.choices or len({site for site, _ in built}) < 2:
            return []
        if any(site.kind == "transform" or k >= len(self.events.get(site, ())) for site, k in built):
            return []
        events = [self.events[site][k] for site, k in built]
        return [] if any(e.value is None or e.key is not None for e in events) else events

    def is_part(self, finding):
        """Whether a wrong value is a right part of a sum, which a later line assigns anew."""
        site, judge = finding.site, self.judge
        later = any(
            s.name == site.name and s.line > site.line
            for s in self.sites[site.scope]
            if not (s.kind == "value" and s.uses == (s.name,))  # {"dW": dW} only hands it on
        )
        return later and all(
            match.choices
            and not match.stacked
            and not match.recomputed
            and is_share(
                got,
                judge.uses_of(match.choices[0][0]),
                max(abs(expected).max(initial=0), judge.floor),
                10 * judge.truth.tolerance,
            )
            for match, got, expected in zip(finding.matches, finding.got, finding.expected, strict=True)
        )

    def true_value(self, event):
        """What a value was after it was corrected, if it was."""
        finding = self.outcome.findings.get(event.site)
        if event.site.kind != "argument" or finding is None or not finding.wrong:
            return event.value
        times = [e.number for e in self.events[event.site]]
        k = len(times) - 1 - times.index(event.number)
        return finding.expected[k] if k < len(finding.expected) else event.value


def is_another(site):
    """Whether an entry of a dict is given what by its name is the gradient of something else."""
    own, copied = ({stem for stem, _ in stems(*what)} for what in ((site.name, site.box, site.kind), (site.copies,)))
    return site.kind == "value" and bool(copied) and not own & copied
