"""Repairs by small edits: which of them make all results right, line by line, the likeliest first."""

import ast
import re
from functools import cached_property
from itertools import chain

import numpy as np

from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.run import ITEMS
from tinyrnn.verdicts.repair.by_values import ByValues
from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN
from tinyrnn.verdicts.repair.editing import MOST_OF_A_LINE, MOST_RUNS
from tinyrnn.verdicts.repair.edits import ACTIVATES, AS_ELSEWHERE, PRODUCTS, SCALES, SIZES, TURNS, UNREAD
from tinyrnn.verdicts.repair.helpers import OF_GIVEN
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.statements import DERIVES

MANY = 3.0  # values that are explained but for a factor alone, as in a program that works with multiples of gradients
AT_FIRST = (12, 40, 120)  # runs with edits of one of the lines that need not be wrong, before those of the next
LEAST_OF_SLIPS = 1500  # runs with slips, however long one takes
MOST_SCALING = 250  # runs with edits that multiply or divide
MOST_WITH_UNREAD = 200  # runs with edits that put in what is never read
# of which edits there are a few
PATTERNS, PLACES, LARGER = "completes_a_pattern", "sets_elsewhere", "stands_elsewhere"
OF_ALIASES = "is_of_all"  # and of what only gives something another name
OF_SEVERAL = 0.4  # of the runs of a search, that one has of those for a second line with another one put right
SIGN = 1e-6  # how near to minus one a factor is that is a sign
NEAREST = 4  # lines in which there may be a product of two arrays more
BACKWARDS = re.compile(r"(is_?)?(back|bwd|grad)(ward)?s?$", re.IGNORECASE)  # an argument that asks for it
SHORT = 4  # lines of a function that gives a derivative
MUCH = 5  # values that nothing explains, whatever is repaired: in such a program they say nothing of a repair
MOST_ELSEWHERE = 400  # runs with edits of lines that need not be wrong, and with pieces put in, at least
MOST_OF_FEW = 2000  # runs with pieces put in where values put all right, of all such lines together
OF_EACH = 30  # and of each line


class ByEdits(ByValues):
    """The repairs by edits in one backward program, beside those by values."""

    def edited(self, found, elsewhere=True):
        """Repairs by the smallest edits: of the lines of those that were found, and elsewhere of lines where no values
        were found, or would belong elsewhere. What more than one line repairs no edit of one does."""
        places = dict.fromkeys(
            place for one in found for place in one.places if len(one.places) == 1 or self.solver.gave_up
        )
        places |= dict.fromkeys(unit.place for unit in self.solver.left)
        places |= dict.fromkeys(self.in_helpers_of(places))
        places |= dict.fromkeys(self.editing.nearly_named(self.solver.places))
        places |= dict.fromkeys(self.derivatives)
        others = [place for place in dict.fromkeys(self.elsewhere(found)) if place not in places] if elsewhere else []
        returns = dict.fromkeys(unit.place for one in found for unit in one.units if unit.is_handed_on)
        edited, missing = self.scaling((*places, *others)) if self.factor_of_all else [], []
        likely = places | returns
        stages = self.stages(found, places, others, likely)
        for stage in stages:
            weight, lines, *only = stage
            if stage is stages[-1] and edited:
                break
            spent = self.editing.runs
            most = max(self.most_runs, int(LEAST_OF_SLIPS * self.share)) if weight == TOKEN else self.most_runs
            most = most // 2 if lines is others else most
            if lines is others or weight in (PIECE, FORMULA):
                least = max(MOST_ELSEWHERE, OF_EACH * len(lines) * self.pace)
                most = max(most, spent + int(least * self.share), spent + self.most_runs // 3)
            order = self.likeliest_first(lines, found) if weight in (PIECE, FORMULA) else dict.fromkeys(lines)
            each = dict.fromkeys(order, MOST_OF_A_LINE)
            if lines is likely and weight == PIECE:  # more of those of which values tell, where they are few
                told = {place for one in found if len(one.places) == 1 for place in one.places}
                few = int(MOST_OF_FEW * np.sqrt(self.pace))
                each |= dict.fromkeys(told, max(MOST_OF_A_LINE, few // max(len(told), 1)))
                most = max(most, spent + few)
            in_rounds = (lines is others or weight == TOKEN) and not only  # the likeliest of each, then the rest
            made = []
            for some in (*AT_FIRST, most) if in_rounds else (None,):
                done = {one.edit.place for one in made} if lines is not others else ()
                left = [place for place in order if place not in done]
                edits = [self.edit(place, weight, most, *only, some=some, each=each[place]) for place in left]
                made += [self.by_edit(edit) for edit in edits if edit and (only != [SCALES] or edit.scales_as_beside)]
                clear = [one for one in made if not (one.edit.exchanges or one.is_right_elsewhere)]
                clear = [one for one in clear if not one.edit.breaks_a_slope]
                if self.leaves_no_more(clear, found):
                    break
            if only in ([OF_ALIASES], [AS_ELSEWHERE]):  # beside which a slip may be as good
                edited += made
                continue
            if weight == MISSING:
                missing = made  # something else may be as good
                continue
            edited += made
            if edited and self.leaves_no_more(edited, found):
                there = dict.fromkeys((*places, *self.ending(likely, others))) if weight < PIECE else ()
                patterns = [self.edit(place, PIECE, only=PATTERNS) for place in there]
                edited += [self.by_edit(edit) for edit in patterns if edit]
                break
            if missing and weight == PIECE and not only:
                break
            if lines is places and weight == TOKEN and (unread := self.with_unread(places, others, returns=returns)):
                edited += unread
                break
        return edited + missing

    def stages(self, found, places, others, likely):
        """[(weight, lines, the name of the edits that alone are tried there, if not all)], the likeliest first.
        found: the repairs by values. places, others: where these put all right, and elsewhere. likely: the
        places, and what hands something on."""
        wrong = self.wrong_entries()
        leading = (unit for unit, flags in self.reached.items() if unit.site.kind in ITEMS and (flags & wrong).any())
        of_forward = {scope for scope, _ in self.forward if not self.editing.sets_gradients(scope)}
        never_set = self.editing.never_set(self.solver.places)
        never_set = [place for place in never_set if place[0] not in of_forward or self.editing.is_left_out(place)]
        incomplete = [*places, *never_set, *(unit.place for unit in leading)]
        calls = [place for place in (*places, *others) if self.editing.is_call(place)]  # that scale as those beside do
        made = {unit.place for unit in self.solver.places if unit.computes}
        narrow = [place for place in others if place in made]  # which may lack what would widen it
        aliases = [place for place in places if self.editing.is_alias(place)]
        ending = self.ending(likely, others)
        first = (
            (MISSING, places, AS_ELSEWHERE),
            (PIECE, aliases, OF_ALIASES),
            (TOKEN, places),
            (PIECE, ending, PATTERNS),
            (MISSING, incomplete),
            (PIECE, [*places, *ending], LARGER),
            (TOKEN, others),
            (PIECE, others, PLACES),
            (PIECE, [place for place in others if self.editing.sets_sizes(place)], SIZES),
            (PIECE, calls, SCALES),
        )
        nearest = self.likeliest_first(places, found)[:NEAREST]
        last = (PIECE, likely), (FORMULA, nearest, PRODUCTS), (FORMULA, places), (PIECE, narrow)
        return [*first, *last]

    def ending(self, *several):
        """The lines that end the functions of some lines, of which an entry may lack what the others have."""
        scopes = dict.fromkeys(scope for scope, _ in chain(*several))
        there = [(scope, line) for scope in scopes if (e := self.editing.edits_of(scope)) for line in e.lines]
        return list(filter(self.editing.returns, there))

    def scaling(self, places):
        """Repairs by edits of some lines that multiply or divide, or turn a difference: few, and what is meant where
        all that is wrong lacks the same factor, or has the wrong sign; also of a layer that is right by itself, as the
        loss is, and of a difference that the loss squares and its gradient takes as it is."""
        how = self.solver, self.is_linear_far, self.editing.runs + MOST_SCALING, SCALES
        tries = [(place, weight) for weight in (TOKEN, PIECE) for place in dict.fromkeys(places)]
        edits = [self.editing.found(*one, *how) for one in tries]
        if abs(self.factor_of_all + 1) < SIGN:  # of which a difference may be the wrong way round
            turning = *how[:2], self.editing.runs + MOST_SCALING, TURNS
            edits += [self.editing.found(place, TOKEN, *turning) for place in dict.fromkeys(places)]
            shared = [self.editing.found(place, TOKEN, *turning) for place in sorted(self.forward)]
            edits += [edit for edit in shared if edit and self.keeps_the_loss(edit)]
        return [self.by_edit(edit) for edit in edits if edit]

    def keeps_the_loss(self, edit):
        """Whether the loss is the same with an `Edit`, as of a difference that it squares."""
        problem, program = self.replay.problem, self.replay.program
        made = problem.program(program.trees | {edit.function: edit.tree})
        before, after = (problem.loss(one.run(None, problem.forward)) for one in (program, made))
        return bool(np.isclose(before, after, rtol=1e-9, atol=0))

    def of_loops(self):
        """Repairs by slips in what a loop runs over, or by what it should hand on: few, and no values tell of them."""
        places = dict.fromkeys(self.editing.without_units(self.solver.places, self.base.scopes))
        tries = [(place, TOKEN) for place in places if self.editing.is_loop(place)]
        tries += [(place, MISSING) for place in dict.fromkeys(self.editing.never_set(self.solver.places))]
        edits = [self.edit(place, weight) for place, weight in tries]
        return [self.by_edit(edit) for edit in edits if edit]

    def with_unread(self, *several, returns=()):
        """Repairs by edits that put in a gradient which is there and never read: few, and likely what is meant.
        several: lines, those first where that is likelier. returns: lines that hand something on, to which one may be
        added."""
        most = self.editing.runs + MOST_WITH_UNREAD
        tries = [(place, weight) for places in several for weight in (TOKEN, PIECE) for place in places]
        edits = [self.edit(place, weight, most, UNREAD) for place, weight in tries]
        added = [self.edit(place, PIECE, most, UNREAD) for place in returns]
        edits += [edit for edit in added if edit and " + " in edit.after]
        return [self.by_edit(edit) for edit in edits if edit]

    def in_helpers_of(self, places):
        """The lines of helpers that are called from some lines and give what the results are not linear in, as one
        call's value multiplies another's: a derivative that is wrong inside."""
        for unit, at in self.solver.places.items():
            callers = {self.base.callers[place][::-1] for place in at if self.base.callers[place]}
            is_helper = callers and callers <= places.keys() and not self.is_right_by_itself(unit.place)
            if is_helper and unit.computes and not self.is_linear(unit):
                yield unit.place

    @cached_property
    def derivatives(self):
        """The lines of short functions that are called as the derivative of something, or are one, or have an argument
        that is, and those that make such a function of one expression: of what they are given may be that, or what the
        activation makes of it."""
        several = {scope: self.editing.edits_of(scope) for scope in self.base.scopes}
        several = {scope: edits for scope, edits in several.items() if edits}
        short = {scope: edits for scope, edits in several.items() if len(edits.lines) <= SHORT}
        is_one = self.editing.is_right_by_itself
        short = {scope: edits.lines for scope, edits in short.items() if derives(scope, edits.tree) or is_one(scope)}
        within = [(scope, line) for scope, edits in several.items() for line in lambdas_in(edits) if scope not in short]
        return [*((scope, line) for scope, lines in short.items() for line in lines), *within]

    @staticmethod
    def likeliest_first(places, found):
        """Some lines, in the order of what other values there cost: there may be too many edits to try them all."""
        costs = {}
        for repair in found:
            for place in repair.places if len(repair.places) == 1 else ():
                costs[place] = min(repair.cost, costs.get(place, np.inf))
        return sorted(places, key=lambda place: costs.get(place, np.inf))

    def elsewhere(self, found):
        """The lines to edit of which no values put all right: loops; what the results are not linear in; what computes
        no floats; entries; calls; what may have the wrong shape; what starts with zeros. The likeliest first: what
        leads to what is wrong alone; loops; what sets the variable that some repair sets, or one that it reads; what
        stands near one."""
        lines = [unit.place for unit in self.solver.places if self.is_linear_far(unit) is False]
        lines += self.editing.without_units(self.solver.places, self.base.scopes)
        lines += [unit.place for unit in self.solver.places if unit.site.kind in (*ITEMS, "refill")]
        lines += [unit.place for unit in self.solver.places if unit.is_received]  # whose call may keep a gradient, too
        tried = [(units[0].place, repair) for units, repair in self.tried if len(units) == 1]
        lines += [place for place, repair in tried if repair is None or self.is_made_up(repair)]
        known = {units for units, _ in self.tried}
        lines += [units[0].place for units in self.candidates if units not in known]
        idle = [unit for unit, flags in self.reached.items() if self.candidates is not None and not flags.any()]
        lines += [unit.place for unit in idle if unit.site.kind == "assign" and unit.site.box]  # `=` for `-=`, say
        lines += sorted(self.going_back)
        names = {(unit.site.scope, self.name_of(unit)) for repair in found for unit in repair.units}
        same = {place for place in lines if names & {(place[0], name) for name in self.editing.set_at(place)}}
        there = [place for repair in found for place in repair.places]
        read = {(place[0], name) for place in there for name in self.editing.read_at(place)}
        given = {place for place in lines if read & {(place[0], name) for name in self.editing.set_at(place)}}

        def turn(place):
            distances = [abs(line - place[1]) for scope, line in there if scope == place[0]]
            far = min(distances, default=np.inf)
            is_beside = self.is_beside(place)
            return is_beside, not self.editing.is_loop(place), place not in same, place not in given, far

        return sorted((line for line in lines if line not in self.forward - self.going_back), key=turn)

    @cached_property
    def going_back(self):
        """(scope, line) of the forward pass that call what works out gradients too: `cost, d = net.backward(x, y)`."""
        callers = {self.base.callers[at] for at, (unit, _) in self.base.units.items() if self.sets_a_gradient(unit)}
        return {caller[::-1] for caller in callers if caller} & self.forward

    @staticmethod
    def sets_a_gradient(unit):
        """Whether a unit is of a variable, or attribute, that goes by the name of a gradient."""
        return unit.site.kind != "argument" and names_gradients(unit.site.name or "")

    def leaves_no_more(self, edited, found):
        """Whether one of some edits leaves no more unexplained than any repair by values: else it only comes to the
        same as what is meant. Where any leaves much, that says nothing."""
        fewest = min((len(repair.unexplained) for repair in found), default=np.inf)
        edited = [one for one in edited if not (one.loses_some or one.is_before or may_make_up(one.edit))]
        fewest = np.inf if fewest > MUCH else fewest
        return bool(edited) and min((len(repair.unexplained) for repair in edited), default=np.inf) <= fewest

    def edit(self, place, weight, most=None, only=None, some=None, each=MOST_OF_A_LINE):
        """The first `Edit` of a line, of that weight, that makes all results right; None if there is none: of what is
        right by itself, only of a slip, or of an activation that is missing where it gives a derivative. most: runs,
        for all edits. only, some, each: as for `Editing.found`."""
        if place in self.replay.problem.trusted:
            return None
        if weight in (PIECE, FORMULA) and self.is_right_by_itself(place):
            if weight == FORMULA or place not in self.derivatives:
                return None
            only = ACTIVATES  # it may be given what the activation is given, and be right for what that gives
        how = self.solver, self.is_linear_far, most or self.most_runs
        found = self.editing.found(place, weight, *how, only, some, each)
        self.edits_so_far += [found] if found else []
        return found

    @cached_property
    def most_runs(self):
        """How many runs with edits there may be."""
        return int(MOST_RUNS * np.sqrt(self.pace) * self.share)

    @property
    def share(self):
        """The part of the runs that this search has: less where there are several, one for each line that is held."""
        return OF_SEVERAL if self.is_of_several else 1

    def by_edit(self, edit):
        """The `Repair` that an `Edit` is."""
        problem, program = self.replay.problem, self.replay.program
        changed = problem.program(program.trees | {edit.function: edit.tree})
        if self.hold:
            self.hold.stands_in(changed)
        run = Replay(problem, changed, self.replay.forward_result).run()
        own = {unit for unit in self.solver.places if unit.place == edit.place}
        was_idle = not any(unit.computes for unit in own)

        def counts(unit):
            is_incomplete = edit.weight == MISSING and unit in own  # what follows completes it
            return not (is_incomplete or (was_idle and unit.place == edit.place))

        def costs():
            found = self.explaining.costs(run, self.idle_in(run))
            if factor := self.factor_of(run, own, edit.completes_what_is_returned):
                multiples = self.explaining.costs(run, self.idle_in(run), factor)
                is_of_multiples = sum(found.values()) - sum(multiples.values()) > MANY
                found = multiples if is_of_multiples else found
            return {unit: cost for unit, cost in found.items() if counts(unit)}

        facts = {
            "is_right_elsewhere": self.is_right_by_itself(edit.place),
            "is_before": self.is_before_the_loss(edit.place) and not edit.turns_a_difference,
        }
        facts["loses_some"] = self.loses_some(run, {edit.place})
        facts["breaks_helper"] = self.editing.is_right_by_itself(edit.place[0]) == OF_GIVEN
        facts["mends_helper"] = self.editing.makes_right_by_itself(edit)
        return Repair((), {}, run, costs, {edit.place}, edit, **facts)

    def factor_of(self, run, units, only_changed=False):
        """The number by which a run only multiplies what some units give; None if it does something else there. Of what
        gives no arrays by itself, as the entry of a box, what all results lack. only_changed: whether what some of them
        give may stay as it is."""
        if not units:
            return self.factor_of_all
        places = [place for place, (unit, _) in self.base.units.items() if unit in units]
        values = {place: run.units[place][1] for place in places if place in run.units}
        is_whole = bool(values) and len(values) == len(places)
        if only_changed:
            values = {place: one for place, one in values.items() if not self.same(one, self.base.units[place][1])}
        return self.factor(values) if values and is_whole else None


def may_make_up(edit):
    """Whether an edit may make up for a mistake elsewhere: a factor, or a sign, can stand in many lines, and a line
    that gives a derivative as it should be may be given what it should not."""
    return edit.only_scales or edit.averages or edit.negates or edit.breaks_a_slope


def derives(scope, tree):
    """Whether a function gives the derivative of something, by its name or that of an argument."""
    names = [scope.rpartition(".")[2], *(one.arg for one in tree.args.args)]
    return any(DERIVES.search(name) for name in names) or any(BACKWARDS.match(name) for name in names[1:])


def lambdas_in(edits):
    """The lines of a function, of some `Edits`, that give a name to what is called as the derivative of something."""
    for line, statements in edits.lines.items():
        named = [one for one in statements if isinstance(one, ast.Assign) and isinstance(one.value, ast.Lambda)]
        if any(DERIVES.search(name_of(one.targets[0]) or "") for one in named):
            yield line
