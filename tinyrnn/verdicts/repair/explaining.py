"""What is left unexplained in a run of a backward pass: values that are no gradient of anything that is known."""

from functools import cached_property

BUILDS = ("augment", "item-augment")  # of what is built up, what is complete counts
AGAIN = 0.5  # what it costs that a value is that of an earlier statement, which this one does not use


class Explaining:
    """Says what the values of a run cost. known: a function that gives the `Known` values."""

    def __init__(self, known):
        self.make_known = known
        self.found = {}  # (shape, bytes) -> what `Known` says

    @cached_property
    def known(self):
        """The `Known` values of the forward pass."""
        return self.make_known()

    def costs(self, run, idle=()):
        """{unit: what it costs that its values are explained no better}: 0 to 1, of what can be at fault in a run.
        idle: places that no result depends on, and which a repair therefore leaves as they are."""
        values, costs, claimed = {}, {}, {}  # claimed: what is explained -> the names of what it explains
        for place, (unit, value) in run.units.items():
            if place not in idle:
                values.setdefault(unit, []).append(value)
        for unit, several in values.items():
            if unit.computes:
                worth, what = self.worth(unit, several)
                names = [claimed.get(one, set()) for one in what]
                handed_on = any(name in unit.site.uses for some in names for name in some)
                costs[unit] = max(1 - worth, AGAIN if all(names) and not handed_on else 0)
                for one in what:
                    claimed.setdefault(one, set()).add(unit.site.name)
        return costs

    def worth(self, unit, values):
        """(the least worth of what a unit computes over time, the set of what it is); (0, {unit}) if nothing explains
        it."""
        found = [self.explained(value) for value in [value for value in values if value.any()] or values]
        counts = found[-1:] if unit.site.kind in BUILDS or unit.site.self_made else found
        if None in counts:
            return 0, {unit}
        return min(worth for worth, _ in counts), {one[1] for one in found if one is not None}

    def explained(self, value):
        """`Known.explained`, asked once for each value."""
        key = value.shape, value.tobytes()
        if key not in self.found:
            self.found[key] = self.known.explained(value)
        return self.found[key]
