"""Repairs by values: what would have to stand in the place of what some lines compute, so that all results are right.

The results are linear in what most lines of a backward pass compute, so what would have to stand there is solved for.
"""

import ast
import collections
import re
from dataclasses import replace
from functools import cached_property
from itertools import combinations, product

import numpy as np

from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.pace import pace_of
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.solving import MOST_RUNS, Solver, added, undetermined

CALLED = re.compile("gradient", re.IGNORECASE)  # `gradient2`, of which no variable's name says what it is of
MOST_PAIRS = 60  # that are rated
HARDLY = 1e-6  # of a value's size
HALF = 0.5  # what it costs at most that a value is explained, though not as well as could be


class ByValues:
    """The repairs by values in one backward program.

    replay: a `Replay`. results: a `Results`. explaining, editing: an `Explaining` and an `Editing`. base: `Replayed`
    without any repair. wrong: the inputs whose gradients come out wrong.
    """

    def __init__(self, replay, results, explaining, editing, base):
        self.replay, self.results, self.explaining, self.editing, self.base = replay, results, explaining, editing, base
        self.wrong = results.found_wrong(replay.problem.came(base.result, results.pairs))
        self.tolerance = results.tolerance
        self.rng = np.random.default_rng(0)
        self.tried, self.linear, self.far, self.right = [], {}, {}, frozenset()
        self.edits_so_far = []  # the `Edit`s that were found to make all results right
        self.reached = {}  # {unit: flags of the results that depend on it}
        self.hold = None  # the `Held` that a line of this program calls
        self.is_of_several = False  # whether another line was put right, to look for a second one

    @cached_property
    def solver(self):
        """The `Solver` of this program."""
        return Solver(self.replay, self.results, self.base, int(MOST_RUNS * self.pace))

    @cached_property
    def pace(self):
        """What `pace_of` says of the backward pass."""
        number = max((number for number, _ in self.base.units), default=0)
        return pace_of(number, [value for _, value in self.base.units.values()])

    @cached_property
    def order(self):
        """{unit: its number}, in the order in which they first run."""
        return {unit: k for k, unit in enumerate(self.solver.places)}

    @cached_property
    def forward(self):
        """{(scope, line)} of the forward pass, where that is in the same function: it is taken as it is."""
        return self.explaining.known.lines() if self.replay.problem.returns_more else set()

    @cached_property
    def in_both(self):
        """{(scope, line)} that the forward pass runs too, which is taken as it is: what calls them is right. Where one
        function calls both passes, those of functions that have lines of the forward pass and no gradients; but not
        where such a one ends otherwise, for its derivative."""
        if self.replay.problem.returns_more:
            sites = [unit.site for unit, _ in self.base.units.values()]
            gradients = {site.scope for site in sites if names_gradients(site.name) or CALLED.match(site.name or "")}
            scopes = {scope for scope, _ in self.forward} - gradients
            scopes -= set(self.replay.problem.top)
            apart = {place for scope in scopes for place in self.ends_apart(scope)}
            return {(site.scope, site.line) for site in sites if site.scope in scopes} - apart
        sites = [event.site for event in self.explaining.known.truth.events]
        return {(site.scope, site.line) for site in sites}

    def ends_apart(self, scope):
        """(scope, line) of the branches of a function that end it, and that the forward pass does not run."""
        edits = self.editing.edits_of(scope)
        for node in ast.walk(edits.tree) if edits else ():
            for branch in (node.body, node.orelse) if isinstance(node, ast.If) else ():
                lines = {one.lineno for statement in branch for one in ast.walk(statement) if hasattr(one, "lineno")}
                places = {(scope, line) for line in lines}
                if branch and isinstance(branch[-1], ast.Return) and not places & self.forward:
                    yield from places

    def is_right_by_itself(self, place):
        """Whether a line is right where it is not called from here: the forward pass runs it too, or it is of a helper
        that gives the derivative of an activation."""
        return place in self.in_both or bool(self.editing.is_right_by_itself(place[0]))

    def singles(self):
        """All repairs of one unit, or of all units of one line: first of those that no gradient depends on which is
        right, and that the results are linear in; of the others only if none of these leaves nothing unexplained."""
        entries, found = self.wrong_entries(), []
        lines = [units for units, flags in self.candidates.items() if not (entries & ~flags).any()]
        lines = [units for units in lines if not self.is_of_all_alike(units)] or lines
        size = {units: sum(map(self.solver.entries, units)) for units in lines}
        lines.sort(key=lambda units: (len(units), size[units]))
        if self.pace < 1:  # there may not be time for all
            lines.sort(key=lambda units: (len(units), self.distance(units[0])))
        for is_beside, is_linear in product((False, True), (True, False)):
            some = [u for u in lines if (self.candidates[u] & self.right_entries).any() == is_beside]
            some = [units for units in some if all(map(self.is_linear, units)) == is_linear]
            repairs = [repair for units in some if (repair := self.solved(units))]
            found += [repair for repair in repairs if not self.is_made_up(repair)]
            if any(repair.is_complete for repair in found):
                break
        return found

    def is_of_all_alike(self, units):
        """Whether a line returns what a comprehension makes of all results, of which some are right: it does the same
        with each."""
        place = units[0].place
        edits = self.editing.edits_of(place[0]) if all(unit.site.kind == "return" for unit in units) else None
        statements = edits.lines.get(place[1], ()) if edits and set(self.results.pairs.values()) - {*self.wrong} else ()
        return any(isinstance(one, ast.Return) and is_comprehension(one.value) for one in statements)

    def distance(self, unit):
        """How far a unit is behind the first one whose values nothing explains: what is wrong is rather there. Those
        before it come last."""
        far = self.order[unit] - self.first_unexplained
        return far if far >= 0 else len(self.order) - far

    @cached_property
    def first_unexplained(self):
        """The number of the first unit whose values nothing explains, in the order in which they run; 0 if there is
        none."""
        costs = self.explaining.costs(self.base, self.solver.is_idle)
        return min((self.order[unit] for unit, cost in costs.items() if cost > HALF and unit in self.order), default=0)

    def is_made_up(self, repair):
        """Whether a repair starts a sum not with zeros but with what makes up for later mistakes: of no meaning."""
        values = [value for value in repair.values.values() if value.any()]
        return all(unit.site.zero and not unit.adds_nothing for unit in repair.units) and any(
            self.explaining.explained(value) is None for value in values
        )

    def influence(self, unit):
        """Flags of the results that depend on a unit's values; None where these cannot be changed."""
        flat = self.solver.scale * self.rng.normal(size=self.solver.entries(unit))
        came = self.solver.added(self.solver.split([unit], flat))
        if came is None:
            return None
        return ~np.isclose(came, self.solver.came, rtol=1e-12, atol=1e-14 * self.solver.scale, equal_nan=True)

    @cached_property
    def candidates(self):
        """{units of one line: flags of results that depend on them} of all that could be at fault: each by itself, and
        all of a line together."""
        wrong, found, lines = self.wrong_entries(), {}, {}
        for unit in self.solver.places:
            is_made_here = not (unit.place in self.forward or (unit.site.kind == "return" and unit.is_received))
            flags = self.influence(unit) if is_made_here else None
            if flags is not None:
                self.reached[unit] = flags
            if flags is not None and (flags & wrong).any():
                found[unit,] = flags
                is_given = unit.site.kind == "argument"  # with what comes of it the results are not linear in it
                lines.setdefault((unit.place, is_given), []).append(unit)
        for units in (tuple(filter(self.is_linear, units)) for units in lines.values() if len(units) > 1):
            found |= {units: np.any([found[unit,] for unit in units], axis=0)} if len(units) > 1 else {}
        return found

    def is_beside(self, place):
        """Whether what a line gives, or what stands in it as in a loop, leads to no result that is wrong, or also to a
        gradient that is right as it is: a mistake there is less likely. Not of what gives nothing."""
        units = self.editing.units_within(place, self.candidates and self.reached)
        flags = np.any([self.reached[unit] for unit in units], axis=0)
        return bool(units) and bool((flags & self.right_entries).any() or not (flags & self.wrong_entries()).any())

    @cached_property
    def right_entries(self):
        """Flags of the results that are of gradients which are right as they are, and not zero."""
        wanted, names = self.results.wanted, self.results.pairs.values()
        is_right = [name not in self.wrong and wanted[name].any() for name in names]
        return np.repeat(is_right, [wanted[name].size for name in names])

    def wrong_entries(self):
        """Flags of the results that are wrong."""
        goal, came = self.solver.goal, self.solver.came
        scale = max(abs(goal).max(initial=0), np.finfo(float).tiny)
        return ~(abs(goal - came) <= self.tolerance * scale)

    def rated(self, units, put):
        """A `Repair`; None if not all results are right with it. put: as for `Replay.run`."""
        run = self.replay.run(put)
        if run.error is not None or self.results.wrong(self.replay.problem.came(run.result, self.results.pairs)):
            return None
        values = {place: run.units[place][1] for place in put}
        if all(self.is_hardly_moved(self.base.units[place][1], value) for place, value in values.items()):
            return None  # what is compared for equality tells the two apart, and nothing else does
        handed = collections.Counter(unit.place for unit in units if unit.is_handed_on)
        # of two wrong things that one line hands on, that line is at fault: they may have changed places
        lines = (
            {unit.place if handed[unit.place] > 1 else self.giver(unit, values) for unit in units} if handed else set()
        )
        factor = self.factor(values)
        made = Repair(tuple(units), values, run, lambda: self.explaining.costs(run, self.solver.is_idle, factor), lines)
        made.is_right_elsewhere = any(self.is_right_elsewhere(unit, values) for unit in units)
        made.is_right_elsewhere |= any(map(self.is_right_by_itself, made.places))
        made.fills = all(map(self.editing.is_never_filled, units))
        made.loses_some = self.loses_some(run, made.places)
        made.gives_forward_values = all(unit.computes for unit in units) and self.explaining.are_given(values.values())
        made.was_given = all(names_gradients(unit.site.name) for unit in units) and self.were_given(values)
        made.is_before = all(unit.only_copies and self.is_before_the_loss(unit.place) for unit in units)
        return made

    def were_given(self, values):
        """Whether values of the forward pass stand where gradients belong. values: {place: what belongs there}."""
        stood = [self.base.units[place][1] for place in values]
        belong = [value for value in values.values() if value.any()]
        return self.explaining.are_given(stood) and all(map(self.explaining.is_gradient, belong))

    @staticmethod
    def is_hardly_moved(old, new):
        """Whether a value is another one up to a millionth of its size."""
        scale = abs(old).max(initial=0)
        return scale > 0 and old.shape == new.shape and bool((abs(new - old) <= HARDLY * scale).all())

    def is_before_the_loss(self, place):
        """Whether a line stands before the loss in the same function, where that is not known to depend on it; or in
        the same turn of a loop that does both."""
        scope, line = place
        lines, edits = {other for where, other in self.forward if where == scope}, self.editing.edits_of(scope)
        loops = [node for node in ast.walk(edits.tree) if isinstance(node, ast.For | ast.While)] if edits else ()
        turns = sorted((range(loop.body[0].lineno, loop.end_lineno + 1) for loop in loops), key=len)
        there = next((both for turn in turns if line in turn and (both := lines & {*turn})), lines)
        return line < max(there, default=0)

    def loses_some(self, run, places):
        """Whether with a repair of some places in it a run lacks a gradient that the pass gives as it stands: what is
        right stays, but where it stands for something else."""
        left = self.explaining.totals(run, self.idle_in(run))
        lost = [where for what, where in self.totals.items() if what not in left]
        own = {value for where in lost for place, value in where if place in places}  # which others may only copy
        elsewhere = any(value not in own for where in lost for place, value in where if place not in places)
        return elsewhere or bool(own and places & self.right)

    @cached_property
    def totals(self):
        """The gradients of values with a name that the pass gives as it stands."""
        return self.explaining.totals(self.base, self.solver.is_idle)

    def factor(self, values):
        """The number by which a repair only multiplies what was there; None if it does something else. values: {place:
        what belongs there}."""
        old = np.concatenate([self.base.units[place][1].ravel() for place in values])
        new = np.concatenate([value.ravel() for value in values.values()])
        if old.shape != new.shape:
            return None
        factor = float(np.real(np.vdot(old, new)) / max(np.linalg.norm(old) ** 2, np.finfo(float).tiny))
        return factor if abs(factor - 1) > 1e-3 and self.same(factor * old, new) else None

    def is_right_elsewhere(self, unit, values):
        """Whether what a unit gives stays as it is when its function is called from some lines, and matters there: then
        the other call is at fault. values: of its places, as they belong."""
        changed, kept = set(), set()
        for place in (place for place in values if self.base.units[place][0] == unit and not unit.caller):
            stays = self.same(values[place], self.base.units[place][1])
            (kept if stays else changed).add(
                self.base.callers[place] if not stays or not self.solver.is_idle(place) else None
            )
        return bool(kept - changed - {None})

    def giver(self, unit, values):
        """The line that is accused for a unit: of a variable that is returned as it is, that which sets it last; but
        the return itself where others read it too, and one that nothing reads holds what belongs there. values: of its
        places, as they belong."""
        if not unit.is_handed_on:
            return unit.place
        name, scope = self.name_of(unit), unit.site.scope
        if not self.editing.hands_on(*unit.place, name):
            return unit.place
        returned = min(place for place, (one, _) in self.base.units.items() if one == unit)
        before = [
            (one, v) for place, (one, v) in self.base.units.items() if place < returned and one.site.scope == scope
        ]
        read = self.editing.read_in(scope)
        if read[name] > 1 and any(not read[one.site.name] and self.same(v, values[returned]) for one, v in before):
            return unit.place
        given = [one for one, _ in before if one.site.name == name]
        given = [one for one in given if one.site.kind not in ("argument", "return")]
        return given[-1].place if given else unit.place

    def same(self, left, right):
        """Whether two values are equal, and not zero."""
        scale = abs(right).max(initial=0)
        return (
            left.shape == right.shape and scale > 0 and bool((abs(left - right) <= 1e3 * self.tolerance * scale).all())
        )

    def solved(self, units):
        """The `Repair` of some units; None if there is none."""
        linear = [self.is_linear(unit) for unit in units]
        if None in linear or (len(units) > 1 and not all(linear)):
            return None
        additions = self.solver.solve(units, all(linear), 100 * self.tolerance)
        repair = None
        if additions is not None:
            repair = self.rated(units, added(additions))
        if repair is not None and linear == [True] and undetermined(self.solver.known_matrix(units[0])).size:
            repair = self.settled(units[0], repair) or repair
        self.tried.append((units, repair))
        return repair

    def is_linear(self, unit):
        """`Solver.is_linear`, asked once."""
        if unit not in self.linear:
            self.linear[unit] = self.solver.is_linear(unit, self.rng)
        return self.linear[unit]

    def is_linear_far(self, unit):
        """The same of additions as large as the results may be: where gradients are clipped, a little says nothing."""
        if unit not in self.far:
            self.far[unit] = self.solver.is_linear(unit, self.rng, 1.0)
        return self.is_linear(unit) and self.far[unit]

    def settled(self, unit, repair):
        """The same repair with true values where the results leave them open; None if there are none that fit."""
        free, start, values = undetermined(self.solver.known_matrix(unit)), 0, {}
        for place in self.solver.places[unit]:
            value = repair.values[place]
            fixed = undetermined(free[start : start + value.size].T)
            start += value.size
            along = fixed @ self.rng.normal(size=fixed.shape[1])
            found = self.explaining.known.find(value, along.reshape(value.shape)) if fixed.size else None
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

    def may_be_one_of_two(self, unit):
        """Whether something is computed here, or added up step by step, or should be: `db = da` for `db += da`, or
        zeros to which nothing is ever added; or what the function was given is returned, in the place of a gradient."""
        if unit.is_handed_on:
            name, scope = self.name_of(unit), unit.site.scope
            here = {one.site.name for one in self.solver.places if one.site.scope == scope and one != unit}
            return name not in here - self.arguments(scope)
        is_built_up = self.editing.is_never_filled(unit) or (bool(unit.site.copies) and bool(unit.site.loop))
        return not unit.only_copies or is_built_up

    def arguments(self, scope):
        """The names that a function is given and does not set."""
        sites = [unit.site for unit, _ in self.base.units.values() if unit.site.scope == scope]
        made = {site.name for site in sites if site.kind not in ("argument", "return")}
        return {site.name for site in sites if site.kind == "argument"} - made

    def pairs(self):
        """Repairs of two units at once that no one line repairs."""
        entries, found = self.wrong_entries(), []
        alone = {units for units, repair in self.tried if repair is not None}
        some = [units for units in self.candidates if len(units) == 1 and units not in alone]
        some = [units for units in some if self.may_be_one_of_two(units[0]) and self.is_linear(units[0])]
        for a, b in combinations(some, 2):
            flags = self.candidates[a] | self.candidates[b]
            if a[0].place == b[0].place or (entries & ~flags).any():
                continue
            repair = self.solved(a + b)
            found += [repair] if repair is not None else []
            if len(found) >= MOST_PAIRS:
                break
        return found

    def idle_in(self, run):
        """`Solver.is_idle` for the places of another run, in which more or fewer values may be reported."""
        if run.units.keys() == self.base.units.keys():
            return self.solver.is_idle
        before = {key: place for place, key in numbered(self.base.units).items()}
        same = {place: before.get(key) for place, key in numbered(run.units).items()}
        return lambda place: same[place] is not None and self.solver.is_idle(same[place])

    @staticmethod
    def name_of(unit):
        """The variable of a unit; of one that is returned as it is, that."""
        return dict(unit.site.uses)[unit.path] if unit.is_handed_on else unit.site.name


def numbered(units):
    """{place: (unit, how many times it ran before)} of all units of a run."""
    ran = collections.Counter()
    return {place: (unit, ran.update([unit]) or ran[unit]) for place, (unit, _) in units.items()}


def is_comprehension(value):
    """Whether an expression is a comprehension, or a tuple or list made of one."""
    if isinstance(value, ast.Call) and name_of(value.func) in ("tuple", "list") and len(value.args) == 1:
        value = value.args[0]
    return isinstance(value, ast.GeneratorExp | ast.ListComp)
