"""Finds the cheapest repair of a wrong backward pass.

A repair costs one for each statement whose values it puts right, and one for each statement whose values it leaves
unexplained; less for one that is explained, but not as well as could be, or as another statement is already.
Downstream of a mistake on a single path everything can be repaired, but only the repair of the mistake itself leaves
nothing unexplained before it. What does not depend on a statement stays as unexplained as it is, which bounds the cost
from below, so that most statements need not be solved for.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from tinyrnn.verdicts.repair.solving import Solver, added, undetermined

BUILDS = ("augment", "item-augment")  # of what is built up, what is complete counts
AGAIN = 0.5  # what it costs that a value is that of an earlier statement
RETURN = 0.9  # what it costs more to accuse a return of several values that are handed on: that could mend everything
MARGIN = 0.3  # by how much a repair must be cheaper than that which names suggest
MOST_PAIRS = 60  # that are solved for
MOST_SINGLES = 40


@dataclass
class Repair:
    """What puts all results right. units: whose values. values: {place: what should stand there}. run: with the repair
    in place. costs: {unit: what its values cost then}. lines: to accuse for it, if not those of the units.
    """

    units: tuple
    values: dict
    run: object
    costs: dict
    lines: set = field(default_factory=set)

    @cached_property
    def cost(self):
        """What the repair costs: see above."""
        mends_all = len(self.units) > 1 and all(unit.is_handed_on for unit in self.units)
        return round(len(self.places) + sum(self.costs.values()) + (RETURN if mends_all else 0), 6)

    @property
    def places(self):
        """{(scope, line)} of the lines that are accused."""
        return self.lines or {unit.place for unit in self.units}

    @property
    def unexplained(self):
        """The units whose values nothing explains."""
        return [unit for unit, cost in self.costs.items() if cost == 1]


@dataclass
class Located:
    """What came of a search. repair: the cheapest, or None. tried: [(units, `Repair` or None)] of all that was solved
    for. rivals: repairs of the same cost.
    """

    repair: Repair | None = None
    tried: list = field(default_factory=list)
    rivals: list = field(default_factory=list)


class Search:
    """The search in one backward program.

    replay: a `Replay`. results: a `Results`. known: a function that gives the `Known` values. base: `Replayed` without
    any repair. wrong: the inputs whose gradients come out wrong.
    """

    def __init__(self, replay, results, known, base):
        self.replay, self.results, self.make_known, self.base = replay, results, known, base
        self.tolerance = results.tolerance
        self.wrong = results.wrong(replay.problem.came(base.result))
        self.known_values = {}  # (shape, bytes) -> what `Known` says
        self.rng = np.random.default_rng(0)
        self.tried, self.linear = [], {}

    @cached_property
    def known(self):
        """The `Known` values of the forward pass."""
        return self.make_known()

    @cached_property
    def solver(self):
        """The `Solver` of this program."""
        return Solver(self.replay, self.results, self.base)

    @cached_property
    def order(self):
        """{unit: its number}, in the order in which they first run."""
        return {unit: k for k, unit in enumerate(self.solver.places)}

    @cached_property
    def costs(self):
        """`explain` of the run as it stands."""
        return self.explain(self.base)

    # what is explained ---------------------------------------------------------------------------------------------

    def explain(self, run, idle=()):
        """{unit: what it costs that its values are explained no better}: 0 to 1, of what can be at fault in a run.
        idle: places that no result depends on, and which a repair therefore leaves as they are."""
        values, costs, claimed = {}, {}, set()
        for place, (unit, value) in run.units.items():
            if place not in idle:
                values.setdefault(unit, []).append(value)
        for unit, several in values.items():
            if unit.computes:
                worth, what = self.worth(unit, several)
                costs[unit] = max(1 - worth, AGAIN if what <= claimed else 0)
                claimed |= what
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
        if key not in self.known_values:
            self.known_values[key] = self.known.explained(value)
        return self.known_values[key]

    # candidates ----------------------------------------------------------------------------------------------------

    def influence(self, unit):
        """(units whose values depend on a unit's, flags of the results that do); None where it cannot be changed."""
        flat = self.rng.normal(size=self.solver.entries(unit))
        additions = self.solver.split([unit], flat)
        run = self.replay.run(added(additions))
        came = self.solver.vector(run)
        if came is None:
            return None
        values = self.solver.values
        moved = {u for place, (u, value) in run.units.items() if place in values and not same(value, values[place])} | {
            unit
        }
        return moved, ~np.isclose(came, self.solver.came, rtol=1e-12, atol=1e-14, equal_nan=True)

    def candidates(self):
        """{units of one line: (units that depend on them, flags of results)} of all that could be at fault: each by
        itself, and all of a line together."""
        wrong, found, lines = self.wrong_entries(), {}, {}
        for unit in self.solver.places:
            influence = self.influence(unit)
            if influence is not None and (influence[1] & wrong).any():
                found[unit,] = influence
                lines.setdefault(unit.place, []).append(unit)
        for units in (tuple(units) for units in lines.values() if len(units) > 1):
            several = [found[unit,] for unit in units]
            found[units] = (
                set().union(*(moved for moved, _ in several)),
                np.any([flags for _, flags in several], axis=0),
            )
        return found

    def wrong_entries(self):
        """Flags of the results that are wrong."""
        goal, came = self.solver.goal, self.solver.came
        scale = max(abs(goal).max(initial=0), np.finfo(float).tiny)
        return ~(abs(goal - came) <= self.tolerance * scale)

    def bound(self, units, moved):
        """What a repair of some units costs at least."""
        moved = moved.union(units)
        return len({unit.place for unit in units}) + sum(
            cost for unit, cost in self.costs.items() if unit not in moved and cost == 1
        )

    # repairs -------------------------------------------------------------------------------------------------------

    def rated(self, units, put, idle=()):
        """A `Repair` with its cost; None if not all results are right with it. put: as for `Replay.run`."""
        run = self.replay.run(put)
        if run.error is not None or self.results.wrong(self.replay.problem.came(run.result)):
            return None
        costs = self.explain(run, idle)
        values = {place: run.units[place][1] for place in put}
        return Repair(tuple(units), values, run, costs)

    def solved(self, units):
        """The `Repair` of some units, rated; None if there is none."""
        linear = [self.is_linear(unit) for unit in units]
        if None in linear or (len(units) > 1 and not all(linear)):
            return None
        additions = self.solver.solve(units, all(linear), 100 * self.tolerance)
        repair = None
        if additions is not None:
            repair = self.rated(units, added(additions), self.solver.idle(units) if all(linear) else ())
        if repair is not None and linear == [True] and units[0] in repair.unexplained:
            repair = self.settled(units[0], repair) or repair
        self.tried.append((units, repair))
        return repair

    def is_linear(self, unit):
        """`Solver.is_linear`, asked once."""
        if unit not in self.linear:
            self.linear[unit] = self.solver.is_linear(unit, self.rng)
        return self.linear[unit]

    def settled(self, unit, repair):
        """The same repair with true values where the results leave them open; None if there are none that fit."""
        free, start, values = undetermined(self.solver.known_matrix(unit)), 0, {}
        if not free.size:
            return None
        for place in self.solver.places[unit]:
            value = repair.values[place]
            fixed = undetermined(free[start : start + value.size].T)
            start += value.size
            along = fixed @ self.rng.normal(size=fixed.shape[1])
            found = self.known.find(value, along.reshape(value.shape)) if fixed.size else None
            if found is None:
                return None
            values[place] = found
        return self.rated([unit], {place: lambda old, new=array: new.copy() for place, array in values.items()})

    def proposed(self, values, lines):
        """The `Repair` that puts {place: value}, as names suggest; None if not all results are right with it. lines:
        {(scope, line)} to accuse for it."""
        units = dict.fromkeys(self.base.units[place][0] for place in values if place in self.base.units)
        if not values or any(place not in self.base.units for place in values):
            return None
        repair = self.rated(units, {place: lambda old, new=array: new.copy() for place, array in values.items()})
        return repair and replace(repair, lines=lines)

    def located(self, proposal=None):
        """`Located`: the cheapest repair; `proposal`, unless another one is cheaper."""
        if proposal and len(proposal.places) == 1 and not proposal.unexplained:
            return Located(proposal)
        found = [proposal] if proposal else []
        least = proposal.cost - MARGIN if proposal else np.inf
        candidates, entries = self.candidates(), self.wrong_entries()
        singles = [(self.bound(u, m), u) for u, (m, flags) in candidates.items() if not (entries & ~flags).any()]
        for bound, units in sorted(singles, key=lambda one: (one[0], len(one[1]), self.order[one[1][0]]))[
            :MOST_SINGLES
        ]:
            if bound > least:
                break
            repair = self.solved(units)
            if repair is not None:
                found.append(repair)
                least = min(least, repair.cost)
        if all(
            unit.only_copies for repair in found for unit in repair.units
        ):  # where all is handed on, all can be mended
            found += self.pairs(candidates, entries)
        found.sort(key=lambda repair: self.rank(repair, MARGIN if repair is proposal else 0))
        return Located(found[0] if found else None, self.tried, [r for r in found[1:] if r.cost == found[0].cost])

    def pairs(self, candidates, entries):
        """Repairs of two units at once, the first that is found and all that could be as cheap."""
        pairs = []
        for (a, (moved, flags)), (b, (moved_too, flags_too)) in combinations(candidates.items(), 2):
            if len({unit.place for unit in a + b}) == 2 and not (entries & ~(flags | flags_too)).any():
                if not any(unit.only_copies for unit in a + b):
                    order = [self.order[unit] for unit in a + b]
                    pairs.append((self.bound(a + b, moved | moved_too), len(order), order, a + b))
        found, least = [], np.inf
        for bound, *_, units in sorted(pairs, key=lambda one: one[:3])[:MOST_PAIRS]:
            if bound > least:
                break
            repair = self.solved(units)
            if repair is not None:
                found.append(repair)
                least = min(least, repair.cost)
        return found

    def rank(self, repair, margin):
        """What repairs are sorted by, the best first. margin: how much more than others it may cost."""
        return (
            repair.cost - margin,
            len(repair.units),
            any(unit.only_copies for unit in repair.units),
            sum(self.order.get(unit, 0) for unit in repair.units),
        )


def same(a, b):
    """Whether two arrays are equal to rounding."""
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-14, equal_nan=True)
