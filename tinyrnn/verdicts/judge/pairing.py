"""Which value of the forward pass a gradient in the backward pass belongs to.

Names pair up: `dfoo` is the gradient of `foo`. The backward pass goes through the forward pass in the opposite order,
so of several values that one line gives in turn, the last belongs to the first gradient. A gradient that is built up
over several lines counts when the last one has run; what a loop hands on (`dh_next`, `dprev_h`) is the gradient of the
value the pass began with, through that pass alone.
"""

from dataclasses import dataclass, field

from tinyrnn.verdicts.judge.grouping import group, index_forward, looks_like_gradient
from tinyrnn.verdicts.record.run import ITEMS, Event, broadcasts
from tinyrnn.verdicts.vocabulary import CARRY, is_short_gradient, stems


@dataclass
class Pair:
    """An event of the backward pass and what its value should be.

    choices: lists of forward event numbers; the value should be the sum of the gradients of one of them, the first if
    in doubt. Or, where `recomputed`, it should be the value itself. part: the key of an item written, or None. stacked:
    returned: whether it is returned under this name. built: the events that build it up. left: where the value is
    final, as booleans; None for all of it. stacked: the choices are one value after the other in time, and the gradient
    holds them all. input: the name of an input.
    """

    event: Event
    name: str
    choices: list
    part: object = None
    stacked: bool = False
    input: str | None = None
    left: object = None
    returned: bool = False
    built: list = field(default_factory=list)
    recomputed: bool = False
    only: bool = False  # of a recomputed value: whether neither pass gives its name to any other


class Pairing:
    """Pairs the events of a backward pass with those of the forward pass.

    forward, backward: recorded events. scopes: backward scope -> forward scopes, nearest first. inputs: name -> shape
    of what can be changed before the forward call. top: the scopes of the forward and backward function themselves,
    whose arguments are given, not made. names_for: see `Comparison.names_for`; pair values by the same name.
    """

    def __init__(self, forward, backward, scopes, inputs, top=(), partial=False, names_for=None):
        self.partial = partial  # the backward pass broke off
        self.names_for = names_for
        self.forward, self.backward, self.scopes = forward, backward, scopes
        self.inputs, self.top = inputs, top
        self.values, self.carries = index_forward(forward)
        self.returns = {}  # (scope, name) -> the value as it was returned, in time
        for number, path in forward.returns:
            site = forward[number].site
            name = dict(site.uses)[path]
            first = next(p for p, n in site.uses if n == name)  # outputs come before what is kept of them
            if forward.returns[number, path] is not None and path == first:
                self.returns.setdefault((site.scope, dict(site.uses)[path]), []).append([(number, path)])
        self.calls = {}
        for event in (*forward, *backward):
            if event.site.kind == "enter":
                self.calls[event.site.scope] = event.call + 1

    def pairs(self):
        """All `Pair`s, and the names left without a partner as {site: reason}."""
        pairs, without = [], {}
        returned = {(e.site.scope, n) for e in self.backward if e.site.kind == "return" for _, n in e.site.uses}
        by_site = self.families(())
        growing = self.growing(by_site)
        if growing:
            by_site = self.families(growing)
        for groups in by_site.values():
            if self.is_start(groups, by_site):
                continue
            site = groups[0].last.site
            first = groups[0].events[0].site
            if first.kind == "argument" and first.scope not in self.top and first is not site:
                pairs += self.arriving([g.events[0] for g in groups])
            if site.kind == "argument" and site.scope in self.top:
                continue
            found = self.match(groups)
            if isinstance(found, list):
                place = [key for key, others in by_site.items() if others[0].last.where == groups[0].last.where]
                turn = place.index(self.family(groups[0]))
                for pair in found:  # what is assigned first belongs to what was assigned last
                    turn = min(turn, len(pair.choices) - 1) if pair.choices else 0
                    pair.choices = pair.choices[turn:] + pair.choices[:turn]
                whole = {g.last.number: g for g in groups}
                for pair in found:
                    if pair.event.number in whole:
                        pair.left = whole[pair.event.number].left
                        pair.built = whole[pair.event.number].events
                    pair.returned = (site.scope, site.name) in returned
                found = [pair for pair in found if pair.left is None or not self.is_filled(pair)]
            if found is None:
                if looks_like_gradient(site):
                    without[site] = "nothing in the forward pass goes by that name"
                continue
            if isinstance(found, str):
                without[site] = found
            else:
                pairs += found
        return sorted(pairs, key=lambda pair: pair.event.number), without

    def families(self, growing):
        """{line (and key of an item): its `Group`s}, in the order in which they begin."""
        by_site = {}
        for g in group(self.backward, growing):
            if g.last.value is not None:
                by_site.setdefault(self.family(g), []).append(g)
        return by_site

    def growing(self, by_site):
        """(scope, name) of what is assigned on more lines, `*=` among them, than the forward pass has values for."""
        lines, found = {}, set()
        for groups in by_site.values():
            lines.setdefault(groups[0].last.where, []).append(groups)
        for (scope, name, _), families in lines.items():
            if any(groups[0].last.site.kind == "transform" for groups in families):
                count = max(map(len, families))
                partners = [
                    len([times for times in self.values[s, stem].values() if len(times) == count])
                    for stem, _ in stems(name)
                    for s in self.scopes.get(scope, ())
                    if (s, stem) in self.values
                ]
                if max(partners, default=0) < len(families):
                    found.add((scope, name))
        return found

    @staticmethod
    def is_start(groups, by_site):
        """Whether this only gives a first value to what a loop hands on."""
        first = groups[0].last
        return (
            len(groups) == 1
            and not first.site.loop
            and any(
                other[0].last.where == first.where and other[0].last.site.loop and other[0].last.number > first.number
                for other in by_site.values()
            )
        )

    def is_filled(self, pair):
        """Whether the forward pass fills the partner bit by bit, so that it has no one value."""
        if pair.input is not None:
            return False
        site = self.forward.site(pair.choices[0][0])
        return any(s.kind in ITEMS for s in self.values.get((site.scope, site.name), ()))

    def family(self, g):
        site = g.last.site
        return site, None if g.last.key is None else repr(g.last.key)

    def match(self, groups):
        """The `Pair`s of all groups that one line completes; a reason where they are in doubt; None for no partner.

        Of the values that go by the name, the one whose shape fits best is meant; of equals, the nearest.
        """
        site = groups[0].last.site
        if self.names_for is not None:
            return self.same_name(groups)
        if site.kind == "value" and site.name in self.inputs and len(groups) == 1:
            return self.with_input(groups, site.name)  # an entry of the dict of results
        own, others = self.nearest(site.scope)
        found = []
        if is_short_gradient(site.name) and any((scope, site.name) in self.values for scope in own):
            return self.recomputed(groups)
        for stem, handed_on in stems(site.name, site.box, site.kind):
            for name in (stem, stem + "s"):
                found += self.candidates(groups, own, name, handed_on)
                if name in self.inputs and not handed_on:
                    found.append(self.with_input(groups, name))
                found += self.candidates(groups, others, name, handed_on)
        if not found:
            return self.recomputed(groups)
        best = min(found, key=self.misfit)
        if site.kind in ITEMS and not isinstance(best, str) and self.misfit(best) >= 4:
            return f"the items of {best[0].name} have another shape"
        if site.kind == "argument" and not isinstance(best, str):
            self.add_returned(best, own)
        return best

    def arriving(self, events):
        """`Pair`s of arguments that are yet to be added to: they are gradients of values as they were returned."""
        site = events[0].site
        for name, handed_on in stems(site.name):
            for scope in self.scopes.get(site.scope, ()):
                times = self.returns.get((scope, name), [])
                if len(times) == len(events) and not handed_on:
                    return [Pair(e, name, [n]) for e, n in zip(events, times[::-1], strict=True)]
        return []

    def add_returned(self, pairs, scopes):
        """An argument may be the gradient of a value as it was returned: what else was done with it left out."""
        for scope in scopes:
            times = self.returns.get((scope, pairs[0].name), [])
            if len(times) == len(pairs):
                for pair, numbers in zip(pairs, times[::-1], strict=True):
                    pair.choices = [*pair.choices, numbers]

    def likeliest(self, scope, name, count, looped):
        """The `Pair` of a gradient that could not be worked out, the `count`-th of its line; or None. looped: whether
        the line is in a loop."""
        own, others = self.nearest(scope)
        if not stems(name):
            times = [t for s in own for t in self.values.get((s, name), {}).values() if count < len(t)]
            return Pair(None, name, [times[-1][-1 - count]], recomputed=True) if times else None
        for stem, handed_on in stems(name):
            table = self.carries if handed_on else self.values
            if stem in self.inputs and not any((s, stem) in table for s in own):
                return Pair(None, stem, [], input=stem)
            for place in [(s, stem) for s in (*own, *others)]:
                times = max(table.get(place, {None: []}).values(), key=len, default=[])
                if self.sees_all(scope, place) and not looped and len(times) > 1:
                    return Pair(None, stem, times, stacked=True)
                if count < len(times) and times[0] is not None:
                    return Pair(None, stem, [times[-1 - count]])
        return None

    def sees_all(self, scope, place):
        """Whether a backward function is called once for a value that the forward pass gives many times."""
        own = self.scopes.get(scope, ())
        return bool(own) and place[0] != own[0] and self.calls.get(own[0], 0) == 1

    def candidates(self, groups, scopes, name, handed_on):
        """What `align` makes of the values called `name` in each of the scopes, and of what loops hand on under it."""
        found = []
        for place in [(scope, name) for scope in scopes]:
            tables = (self.carries, self.values) if groups[0].last.key is None else (self.values,)
            ways = [self.align(groups, table[place], place) for table in tables if place in table]
            if handed_on:
                ways = ways[:1] if place in self.carries else []
            elif len(ways) == 2 and not CARRY.match(name):
                ways.reverse()
            ways = [way for way in ways if not isinstance(way, str)] or ways
            if len(ways) == 2 and not isinstance(ways[0], str) and len(ways[0]) == len(ways[1]):
                for pair, other in zip(*ways, strict=True):
                    pair.choices += other.choices
            found += ways[:1]
        return found

    def misfit(self, found):
        """How badly the shape of a gradient fits its partner's: 0 the same, then laid out over time or copies, then
        not."""
        if isinstance(found, str):
            return 9
        pair = found[-1]
        got = pair.event.value.shape
        if pair.input is not None:
            return 0 if pair.part is not None or got == self.inputs[pair.input] else 5
        shape = self.forward.value(pair.choices[0][0]).shape
        if pair.part is not None or got == shape:
            return 0
        if pair.stacked:
            return 1 if got[1:] == shape else 3 if broadcasts(shape, got[1:]) else 4
        return 2 if broadcasts(shape, got) else 4

    def nearest(self, scope):
        own = list(self.scopes.get(scope, ()))
        return own, [s for s in self.calls if s not in own and s not in self.scopes]

    def with_input(self, groups, name):
        if groups[0].last.key is not None:
            return [Pair(g.last, name, [], part=g.last.key, input=name) for g in groups]
        return [Pair(g.last, name, [], input=name) for g in groups[-1:]]

    def align(self, groups, sites, place):
        """place: forward scope and name. sites: forward site -> its values in time, each a list of event numbers."""
        last, name = groups[-1].last, place[1]
        if last.key is not None:
            items, wholes = {}, {}
            for site, times in sites.items():
                for numbers in times:
                    if site.kind not in ITEMS:
                        wholes.setdefault(site, []).append(numbers)
                    elif repr(self.forward[numbers[0]].key) == repr(last.key):
                        items.setdefault(site, []).append(numbers)
            if not items and not wholes:
                return f"{name} has no item {last.key!r} in the forward pass"
            pairs = self.align_all(groups, items or wholes, place)
            if not items and not isinstance(pairs, str):
                for pair in pairs:
                    pair.part = last.key
            return pairs
        return self.align_all(groups, sites, place)

    def align_all(self, groups, sites, place):
        last, name = groups[-1].last, place[1]
        G = len(groups)
        equal = [times for times in sites.values() if len(times) == G]
        if equal:
            equal.reverse()  # the last line that assigns the name makes its final value
            return [Pair(g.last, name, [times[G - 1 - k] for times in equal]) for k, g in enumerate(groups)]
        every = sorted(number for times in sites.values() for number in times)
        longest = max(sites.values(), key=len)
        if G == 1:
            shape, got = self.forward.value(longest[0][0]).shape, last.value.shape
            whole = got[:1] == (len(longest),) and len(got) > len(shape)
            odd = not broadcasts(shape, got) and not last.site.loop and self.sees_all(last.site.scope, place)
            if len(longest) > 1 and (whole or odd):
                return [Pair(last, name, longest, stacked=True)]
        if self.partial and G < len(longest):
            return [Pair(g.last, name, [longest[-1 - k]]) for k, g in enumerate(groups)]
        if G == 1:
            return [Pair(last, name, every[::-1])]
        return f"it is assigned {G} times, {name} {len(longest)} times"

    def same_name(self, groups):
        """Of two programs that should do the same: what goes by the same name, in the same order; None if nothing
        does."""
        last = groups[0].last
        names = self.names_for(last.site.name)
        places = [(s, n) for s in self.scopes.get(last.site.scope, ()) for n in names]
        choices = [times for place in places if (times := self.times_of(groups, place))]
        if not choices:
            return None
        return [
            Pair(g.last, places[0][1], list(numbers), recomputed=True, only=True)
            for g, *numbers in zip(groups, *choices, strict=False)
        ]

    def times_of(self, groups, place):
        """The values of a name in time, on the line the groups are on if the right program has the like."""
        last, found = groups[0].last, {}
        for site, times in self.values.get(place, {}).items():
            times = [numbers for numbers in times if repr(self.forward[numbers[0]].key) == repr(last.key)]
            if len(times) == len(groups) or (self.partial and len(times) > len(groups)):
                found[site] = times
        same = [t for s, t in found.items() if (s.line, s.kind) == (last.site.line, last.site.kind)]
        return [*same, *list(found.values())[::-1], None][0]

    def recomputed(self, groups):
        """Values under their forward name (taken out of a cache, worked out again): they should be what they were."""
        site = groups[0].last.site
        if looks_like_gradient(site) and not is_short_gradient(site.name):
            return None
        if site.kind not in ("assign", "argument") or groups[0].last.key is not None:
            return None
        if any(stems(name) for name in site.uses):  # made of gradients
            return None
        for scope in self.scopes.get(site.scope, ()):
            sites = self.values.get((scope, site.name))
            if sites is None or any(s.kind in ITEMS for s in sites):  # what is filled bit by bit has no one value
                continue
            pairs = self.align(groups, sites, (scope, site.name))
            if isinstance(pairs, str):
                return None
            for pair in pairs:
                pair.recomputed = True
                pair.only = len(groups) == 1 == sum(map(len, sites.values())) and self.is_worked_out(site, scope)
            return pairs
        return None

    def is_worked_out(self, site, scope):
        """Whether a value is made of others of the forward pass, not taken out of a cache."""
        return any((scope, name) in self.values for name in site.uses)
