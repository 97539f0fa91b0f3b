"""Of several values that go by one name: which belongs to which of several gradients.

The backward pass goes through the forward pass in the opposite order, so of the values that one line gives in turn, the
last belongs to the first gradient.
"""

from tinyrnn.verdicts.judge.matches import Doubt, Match, Matched
from tinyrnn.verdicts.record.run import ITEMS, broadcasts, written


class Alignment:
    """Aligns groups of the backward pass with values of the forward pass.

    values: `ForwardValues`. partial: whether the backward pass broke off, so that what is there belongs to the end.
    """

    def __init__(self, values, partial=False):
        self.forward, self.partial = values, partial

    def align(self, groups, sites, place):
        """`Matched` or `Doubt`. place: forward scope and name. sites: forward site -> its values in time, each a list
        of event numbers."""
        last = groups[-1].last
        if last.key is None:
            return self.in_time(groups, sites, place)
        items, wholes = self.with_key(sites, last.key)
        if not items and not wholes:
            return Doubt(f"{place[1]} has no item {last.key!r} in the forward pass")
        found = self.in_time(groups, items or wholes, place)
        if not items and isinstance(found, Matched):
            for match in found.matches:
                match.part = last.key
        return found

    def with_key(self, sites, key):
        """The values that were put at a key, and those of whole arrays: two tables like `sites`."""
        items, wholes = {}, {}
        for site, times in sites.items():
            for numbers in times:
                if site.kind not in ITEMS:
                    wholes.setdefault(site, []).append(numbers)
                elif written(self.forward.events[numbers[0]].key) == written(key):
                    items.setdefault(site, []).append(numbers)
        return items, wholes

    def in_time(self, groups, sites, place):
        """The same, whatever the key."""
        last, name, count = groups[-1].last, place[1], len(groups)
        equal = [times for times in sites.values() if len(times) == count]
        if equal:
            equal.reverse()  # the last line that assigns the name makes its final value
            return Matched(
                [Match(g.last, name, [times[count - 1 - k] for times in equal]) for k, g in enumerate(groups)]
            )
        longest = max(sites.values(), key=len)
        if count == 1 and self.holds_all(last, longest, place):
            return Matched([Match(last, name, longest, stacked=True)])
        if self.partial and count < len(longest):
            return Matched([Match(g.last, name, [longest[-1 - k]]) for k, g in enumerate(groups)])
        if count == 1:
            every = sorted(number for times in sites.values() for number in times)
            return Matched([Match(last, name, every[::-1])])
        return Doubt(f"it is assigned {count} times, {name} {len(longest)} times")

    def holds_all(self, event, times, place):
        """Whether one gradient holds those of all values in time, one after the other."""
        shape, got = self.forward.value(times[0]).shape, event.value.shape
        whole = got[:1] == (len(times),) and len(got) > len(shape)
        odd = not broadcasts(shape, got) and not event.site.loop and self.forward.sees_all(event.site.scope, place)
        return len(times) > 1 and (whole or odd)

    def by_equal_name(self, groups, names):
        """Of two programs that should do the same: what goes by the same name, in the same order; None if nothing does.
        names: what the value may be called in the right program."""
        last = groups[0].last
        places = [(scope, name) for scope in self.forward.scopes.get(last.site.scope, ()) for name in names]
        choices = [times for place in places if (times := self.times_of(groups, place))]
        if not choices:
            return None
        return Matched(
            [
                Match(g.last, places[0][1], list(numbers), recomputed=True, only=True)
                for g, *numbers in zip(groups, *choices, strict=False)
            ]
        )

    def times_of(self, groups, place):
        """The values of a name in time, on the line the groups are on if the right program has the like."""
        last, found = groups[0].last, {}
        for site, times in self.forward.values.get(place, {}).items():
            times = [numbers for numbers in times if written(self.forward.events[numbers[0]].key) == written(last.key)]
            if len(times) == len(groups) or (self.partial and len(times) > len(groups)):
                found[site] = times
        same = [t for s, t in found.items() if (s.line, s.kind) == (last.site.line, last.site.kind)]
        return [*same, *list(found.values())[::-1], None][0]
