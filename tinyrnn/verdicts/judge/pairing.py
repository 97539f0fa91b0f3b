"""Which value of the forward pass a gradient in the backward pass belongs to.

Names pair up: `dfoo` is the gradient of `foo`. The backward pass goes through the forward pass in the opposite order,
so of several values that one line gives in turn, the last belongs to the first gradient. A gradient that is built up
over several lines counts when the last one has run; what a loop hands on (`dh_next`, `dprev_h`) is the gradient of the
value the pass began with, through that pass alone.
"""

from tinyrnn.sources.syntax import gradient_called
from tinyrnn.sources.vocabulary import CARRY, also_called, is_short_gradient, stems
from tinyrnn.verdicts.judge.alignment import Alignment
from tinyrnn.verdicts.judge.forward_values import ForwardValues
from tinyrnn.verdicts.judge.grouping import group, looks_like_gradient
from tinyrnn.verdicts.judge.matches import NO_PARTNER, Doubt, Match, Matched, NoGradient, Pairings
from tinyrnn.verdicts.record.run import ITEMS, broadcasts, written


class Pairing:
    """Pairings the events of a backward pass with those of the forward pass.

    problem: whose passes they are. forward, backward: recorded events. partial: whether the backward pass broke off.
    """

    def __init__(self, problem, forward, backward=(), partial=False):
        self.problem, self.backward = problem, backward
        self.forward = ForwardValues(forward, problem.scopes, backward)
        self.alignment = Alignment(self.forward, partial)
        self.shapes = {name: value.shape for name, value in problem.inputs.items()}
        self.returned = {(e.site.scope, n) for e in backward if e.site.kind == "return" for _, n in e.site.uses}

    def pairs(self):
        """All that belongs together: `Pairings`."""
        found = Pairings()
        lines = self.lines()
        for groups in lines.values():
            if is_start(groups, lines):
                continue
            site, top = groups[0].last.site, self.problem.top
            first = groups[0].events[0].site
            if first.kind == "argument" and first.scope not in top and first is not site:
                found.matches += self.arriving([g.events[0] for g in groups])
            if site.kind == "argument" and site.scope in top:
                continue
            outcome = self.match(groups)
            if isinstance(outcome, Matched):
                outcome = Matched(self.completed(outcome.matches, groups, lines))
            found.add(site, outcome)
        found.matches.sort(key=lambda match: match.event.number)
        return found

    def lines(self):
        """{line (and key of an item): its `Group`s}, in the order in which they begin."""
        lines = by_line(group(self.backward))
        growing = self.growing(lines)
        return by_line(group(self.backward, growing)) if growing else lines

    def growing(self, lines):
        """(scope, name) of what is assigned on more lines, `*=` among them, than the forward pass has values for."""
        places, found = {}, set()
        for groups in lines.values():
            places.setdefault(groups[0].last.where, []).append(groups)
        for (scope, name, _), families in places.items():
            if any(groups[0].last.site.kind == "transform" for groups in families):
                count = max(map(len, families))
                tables = [
                    self.forward.values.get((s, stem), {})
                    for stem, _ in stems(name)
                    for s in self.problem.scopes.get(scope, ())
                ]
                most = max((sum(len(times) == count for times in table.values()) for table in tables), default=0)
                if most < len(families):
                    found.add((scope, name))
        return found

    def completed(self, matches, groups, lines):
        """The matches of one line, with what is known of the gradient they are of."""
        site = groups[0].last.site
        same_name = [key for key, others in lines.items() if others[0].last.where == groups[0].last.where]
        nth = same_name.index(line_of(groups[0]))
        built = {g.last.number: g for g in groups}
        for match in matches:
            turn = min(nth, len(match.choices) - 1) if match.choices else 0
            match.choices = match.choices[turn:] + match.choices[:turn]  # what is assigned first belongs to the last
            if match.event.number in built:
                match.left, match.built = built[match.event.number].left, built[match.event.number].events
            match.returned = (site.scope, gradient_called(site.name, site.box)) in self.returned
        return [match for match in matches if match.left is None or not self.forward.is_filled(match)]

    # one line -----------------------------------------------------------------------------------------------------

    def match(self, groups):
        """`Matched`, `Doubt` or `NoGradient` of all groups that one line completes.

        Of the values that go by the name, the one whose shape fits best is meant; of equals, the nearest.
        """
        site = groups[0].last.site
        if self.problem.compares_values:
            found = self.alignment.by_equal_name(groups, self.problem.names_for(site.name))
            return found or unpaired(site)
        if site.kind == "value" and site.name in self.shapes and len(groups) == 1:
            return self.with_input(groups, site.name)  # an entry of the dict of results
        own, _ = self.forward.nearest(site.scope)
        if is_short_gradient(site.name) and any((scope, site.name) in self.forward.values for scope in own):
            return self.recomputed(groups) or unpaired(site)
        found = self.candidates(groups)
        if not found:
            return self.recomputed(groups) or unpaired(site)
        best = min(found, key=self.how_far_off)
        if isinstance(best, Doubt):
            return best
        if site.kind in ITEMS and self.how_far_off(best) >= 4:
            return Doubt(f"the items of {best.matches[0].name} have another shape")
        if site.kind == "argument":
            self.add_returned(best.matches, own)
        return best

    def candidates(self, groups):
        """What the values of all names that the gradient may be of make of the groups, the nearest first."""
        site, found = groups[0].last.site, []
        own, others = self.forward.nearest(site.scope)
        for stem, handed_on in stems(site.name, site.box, site.kind):
            for name in also_called(stem):
                found += self.aligned(groups, own, name, handed_on)
                if name in self.shapes and not handed_on:
                    found.append(self.with_input(groups, name))
                found += self.aligned(groups, others, name, handed_on)
        return found

    def aligned(self, groups, scopes, name, handed_on):
        """The same for the values called `name` in each of the scopes, and for what loops hand on under it."""
        found = []
        tables = (self.forward.carries, self.forward.values) if groups[0].last.key is None else (self.forward.values,)
        for place in [(scope, name) for scope in scopes]:
            ways = [self.alignment.align(groups, table[place], place) for table in tables if place in table]
            if handed_on:
                ways = ways[:1] if place in self.forward.carries else []
            elif len(ways) == 2 and not CARRY.match(name):
                ways.reverse()
            ways = [way for way in ways if isinstance(way, Matched)] or ways
            if len(ways) == 2 and all(isinstance(way, Matched) for way in ways):
                add_choices(*ways)
            found += ways[:1]
        return found

    def with_input(self, groups, name):
        """A `Matched`: the last group with the whole input, or each group with the part of it at the group's key."""
        if groups[0].last.key is not None:
            return Matched([Match(g.last, name, [], part=g.last.key, input=name) for g in groups])
        return Matched([Match(groups[-1].last, name, [], input=name)])

    def how_far_off(self, outcome):
        """How badly the shape of a gradient fits its partner's: 0 the same, then laid out over time or copies, then
        not."""
        if isinstance(outcome, Doubt):
            return 9
        match = outcome.matches[-1]
        got = match.event.value.shape
        if match.input is not None:
            return 0 if match.part is not None or got == self.shapes[match.input] else 5
        shape = self.forward.value(match.choices[0]).shape
        if match.part is not None or got == shape:
            return 0
        if match.stacked:
            return 1 if got[1:] == shape else 3 if broadcasts(shape, got[1:]) else 4
        return 2 if broadcasts(shape, got) else 4

    def recomputed(self, groups):
        """Values under their forward name (taken out of a cache, worked out again): they should be what they were.
        None for what is not of that kind."""
        site = groups[0].last.site
        if looks_like_gradient(site) and not is_short_gradient(site.name):
            return None
        if site.kind not in ("assign", "argument") or groups[0].last.key is not None:
            return None
        if any(stems(name) for name in site.uses):  # made of gradients
            return None
        for scope in self.problem.scopes.get(site.scope, ()):
            sites = self.forward.values.get((scope, site.name))
            if sites is None or any(s.kind in ITEMS for s in sites):  # what is filled bit by bit has no one value
                continue
            found = self.alignment.align(groups, sites, (scope, site.name))
            if isinstance(found, Doubt):
                return None
            once = len(groups) == 1 == sum(map(len, sites.values()))
            for match in found.matches:
                match.recomputed, match.only = True, once and self.forward.is_worked_out(site, scope)
            return found
        return None

    # arguments and results ----------------------------------------------------------------------------------------

    def arriving(self, events):
        """`Match`es of arguments that are yet to be added to: they are gradients of values as they were returned."""
        site = events[0].site
        for name, handed_on in stems(site.name):
            times = self.forward.returned(self.problem.scopes.get(site.scope, ()), name, len(events))
            if times is not None and not handed_on:
                return [Match(event, name, [numbers]) for event, numbers in zip(events, times, strict=True)]
        return []

    def add_returned(self, matches, scopes):
        """An argument may be the gradient of a value as it was returned: what else was done with it left out."""
        for scope in scopes:
            times = self.forward.returned([scope], matches[0].name, len(matches))
            for match, numbers in zip(matches, times or [], strict=False):
                match.choices = [*match.choices, numbers]

    def likeliest(self, scope, name, count, looped):
        """The `Match` of a gradient that could not be worked out, the `count`-th of its line; or None. looped: whether
        the line is in a loop."""
        own, others = self.forward.nearest(scope)
        if not stems(name):
            times = [t for s in own for t in self.forward.values.get((s, name), {}).values() if count < len(t)]
            return Match(None, name, [times[-1][-1 - count]], recomputed=True) if times else None
        for stem, handed_on in stems(name):
            table = self.forward.carries if handed_on else self.forward.values
            if stem in self.shapes and not any((s, stem) in table for s in own):
                return Match(None, stem, [], input=stem)
            for place in [(s, stem) for s in (*own, *others)]:
                times = max(table.get(place, {None: []}).values(), key=len, default=[])
                if self.forward.sees_all(scope, place) and not looped and len(times) > 1:
                    return Match(None, stem, times, stacked=True)
                if count < len(times) and times[0] is not None:
                    return Match(None, stem, [times[-1 - count]])
        return None


def unpaired(site):
    """What is to be said of a value without a partner."""
    return Doubt(NO_PARTNER) if looks_like_gradient(site) else NoGradient()


def line_of(g):
    """What tells lines apart: the site, and the key of an item."""
    return g.last.site, None if g.last.key is None else written(g.last.key)


def by_line(groups):
    """{(site, repr of an item's key or None): its `Group`s}, of those that end in a value."""
    lines = {}
    for g in groups:
        if g.last.value is not None:
            lines.setdefault(line_of(g), []).append(g)
    return lines


def is_start(groups, lines):
    """Whether this only gives a first value to what a loop hands on."""
    first = groups[0].last
    later = [others[0].last for others in lines.values()]
    in_loop = any(e.where == first.where and e.site.loop and e.number > first.number for e in later)
    return len(groups) == 1 and not first.site.loop and in_loop


def add_choices(way, other):
    """Two ways to align the same gradients: the one, and the other's partners as further choices."""
    if len(way.matches) == len(other.matches):
        for match, more in zip(way.matches, other.matches, strict=True):
            match.choices += more.choices
