"""The values of a recorded forward pass by name: what gradients can be paired with."""

from tinyrnn.verdicts.judge.grouping import index_forward
from tinyrnn.verdicts.record.run import ITEMS


class ForwardValues:
    """Values, what loops hand on, and what is returned, by scope and name.

    events: of the forward pass. scopes: backward scope -> forward scopes, nearest first. backward: events of the
    backward pass, which may call functions of the forward pass too.
    """

    def __init__(self, events, scopes, backward=()):
        self.events, self.scopes = events, scopes
        self.values, self.carries = index_forward(events)
        self.returns = {}  # (scope, name) -> the value as it was returned, in time
        for number, path in events.returns:
            site = events[number].site
            name = dict(site.uses)[path]
            first = next(p for p, n in site.uses if n == name)  # outputs come before what is kept of them
            if events.returns[number, path] is not None and path == first:
                self.returns.setdefault((site.scope, name), []).append([(number, path)])
        self.calls = {}
        for event in (*events, *backward):
            if event.site.kind == "enter":
                self.calls[event.site.scope] = event.call + 1

    def value(self, numbers):
        """The value at the first of some events."""
        return self.events.value(numbers[0])

    def nearest(self, scope):
        """(forward scopes that belong to a backward scope, all others)."""
        own = list(self.scopes.get(scope, ()))
        return own, [s for s in self.calls if s not in own and s not in self.scopes]

    def sees_all(self, scope, place):
        """Whether a backward function is called once for a value that the forward pass gives many times."""
        own = self.scopes.get(scope, ())
        return bool(own) and place[0] != own[0] and self.calls.get(own[0], 0) == 1

    def returned(self, scopes, name, count):
        """The value of that name as it was returned, the last first, by the first of the scopes that returned it so
        often."""
        every = (self.returns.get((scope, name), []) for scope in scopes)
        return next((times[::-1] for times in every if len(times) == count), None)

    def is_filled(self, match):
        """Whether the forward pass fills the partner bit by bit, so that it has no one value."""
        if match.input is not None:
            return False
        site = self.events.site(match.choices[0][0])
        return any(s.kind in ITEMS for s in self.values.get((site.scope, site.name), ()))

    def is_worked_out(self, site, scope):
        """Whether a value is made of others of the forward pass, not taken out of a cache."""
        return any((scope, name) in self.values for name in site.uses)
