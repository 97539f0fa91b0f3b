"""Finds the best repair of a wrong backward pass.

A line can be at fault if other values of it would make all results right. Downstream of a mistake on a single path that
is so of everything; what decides is a small edit of the line that makes all results right, and how many values a repair
leaves unexplained: only that of the mistake itself leaves none before it. A repair costs one for each line, and one for
each statement whose values it leaves unexplained; less for one that is explained, but not as well as could be, or as
another statement is already.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, product, tee

import numpy as np

from tinyrnn.verdicts.repair.by_edits import AT_FIRST
from tinyrnn.verdicts.repair.change import MISSING, PIECE, TOKEN
from tinyrnn.verdicts.repair.choosing import Choosing
from tinyrnn.verdicts.repair.editing import MOST_RUNS
from tinyrnn.verdicts.repair.edits import ACTIVATES, NUMBERS
from tinyrnn.verdicts.repair.forward_slips import ForwardSlips
from tinyrnn.verdicts.repair.kept import Kept
from tinyrnn.verdicts.repair.or_else import as_good
from tinyrnn.verdicts.repair.patience import AFTERWARDS, OutOfPatience, limited
from tinyrnn.verdicts.repair.repairs import BY_ITSELF, MARGIN, UNCLEAR, Located
from tinyrnn.verdicts.repair.several import (
    MOST_IN_TURN,
    are_small,
    edits_of,
    in_turn,
    is_as_clear,
    mended,
    one_line,
    refined,
    together,
)
from tinyrnn.verdicts.repair.shaping import shaping

MOST_SUGGESTED = 3  # lines that names suggest together, where fewer do
CLEARLY = 0.85  # part of the wrong numbers that are left, at most, where fewer are wrong
MOST_UNEXPLAINED = 1  # values that a repair by values alone leaves, for its line to be accused
MOST_OF_NUMBERS = 300  # runs with edits of what counts the places in arrays
FOR_NOTHING = [TOKEN, None]  # how a line is edited that sets what nothing reads then: by slips, as many as there are
IN_TURN = (30, 90)  # runs with slips in each line, that may put some results right
MOST_IMPROVING = 4000  # runs with slips in all lines


class Search(Choosing):
    """The search in one backward program: among its repairs by values, and by small edits."""

    # the best of all -----------------------------------------------------------------------------------------------

    def located(self, proposal=None, judged=frozenset(), right=frozenset(), known=None):
        """`Located`: the best repair; `proposal`, unless another one is better; of what the forward pass keeps or works
        out where no small edit of the backward pass does it. judged: {(scope, line)} of what names say something of;
        right: of what gives the gradients that they say. known: (whether the forward pass is known to be wrong,
        {(scope, line)} of what is known to be right in it); None where neither is known."""
        self.forward_is_wrong, self.vouched = known or (False, frozenset())
        if any(name in self.wrong and not wanted.any() for name, wanted in self.results.wanted.items()):
            self.vouched = frozenset()  # a cell without a bias may be one that lacks it
        found = self.located_in_backward(proposal, judged, right)
        elsewhere = self.of_forward(found.repair) or Kept(self).repair(found.repair)
        better = elsewhere or (found.repair and self.of_what_it_read(found.repair))
        best = better or found.repair
        edited = best and [part.edit for part in best.parts or (best,) if part.edit]
        if (
            best and self.is_slight and all(edit.is_of_small_numbers for edit in edited)
        ):  # also a series that is cut off
            return Located(None, found.tried)
        if best and not best.doubtful and self.is_guess(best):
            best.doubtful, best.is_guess = frozenset(best.places), True
        if best and best.edit and not best.doubtful:
            with suppress(OutOfPatience):  # which leaves what was found as it is
                best.others = as_good(self, best, found.repair)
        return Located(better, found.tried) if better else found

    def so_far(self):
        """`Located`, of what was found when the time for the search was over: what puts layers right that are wrong by
        themselves; an edit, also one that is soon found in the lines in one of which right values make all results
        right; or else those lines."""
        with suppress(OutOfPatience), limited(AFTERWARDS):
            if "layers_left" in vars(self) and (found := self.of_layers() or self.of_layers_and_more()):
                return Located(found, self.tried)
        singles = [repair for units, repair in self.tried if repair and len(units) == 1]
        best = self.best(singles)
        alike = [one for one in singles if one.cost <= best.cost + UNCLEAR] if best else []
        if not self.edits_so_far:
            self.edit_soon([place for one in alike for place in one.places])
        if self.edits_so_far:
            return Located(self.best([self.by_edit(edit) for edit in self.edits_so_far]), self.tried)
        if best:
            best.doubtful, best.is_guess = frozenset().union(*(one.places for one in alike)), len(alike) == 1
        return Located(best, self.tried)

    def edit_soon(self, places):
        """Looks for an edit of some lines, the smallest first, for a while."""
        with suppress(OutOfPatience), limited(AFTERWARDS):
            for weight in (TOKEN, PIECE, MISSING):
                if any([self.edit(place, weight) for place in places]):
                    return

    def is_guess(self, repair):
        """Whether nothing but that its values make all results right speaks for a repair: no edit does it, names do not
        suggest it, nor is its layer wrong by itself and right with such values, and with it much stays unexplained; or
        it is of what is returned, where all can be put right."""
        if repair.is_suggested or all(part.edit for part in repair.parts or (repair,)):
            return False
        if any(one.places == repair.places and one.is_complete and not one.doubtful for one in self.by_layers_values):
            return False
        of_return = bool(repair.units) and all(unit.site.kind == "return" for unit in repair.units)
        return len(repair.unexplained) > (0 if of_return else MOST_UNEXPLAINED)

    @cached_property
    def is_slight(self):
        """Whether what is wrong is so by next to nothing."""
        return self.results.are_slight(self.replay.problem.came(self.base.result, self.results.pairs))

    def of_what_it_read(self, repair):
        """The `Repair`, by a small edit, of a line that works something out for the one other line that a repair is of,
        or for one of those that may be at fault, in place of that: a variable which nothing reads with the repair's
        edit; a place in an array, where more than a slip is to be put right or the other edit explains more; a size
        which lacks one that is never read. None if there is none."""
        edit = repair.edit
        if len(repair.places) != 1 or (edit and edit.change == MISSING):
            return None
        is_slip = bool(edit) and edit.weight <= TOKEN
        is_clear = is_slip and not repair.unexplained
        there = [] if is_clear else [self.editing.numbers_for(at) for at in sorted(repair.doubtful or repair.places)]
        places, sizes = (
            list(dict.fromkeys(chain(*some))) for some in (zip(*there, strict=True) if there else ((), ()))
        )
        weights = (TOKEN,) if is_slip else (TOKEN, PIECE)
        tries = [(place, *FOR_NOTHING) for place in (self.editing.set_for_nothing(edit) if edit else ())]
        tries += [
            (place, weight, some) for weight in weights for some in (*AT_FIRST, MOST_OF_NUMBERS) for place in places
        ]
        sizes = [] if is_slip else sizes
        tries += [(place, weight, some) for weight in (TOKEN, PIECE) for some in AT_FIRST for place in sizes]
        most = self.editing.runs + MOST_OF_NUMBERS
        for place, *how in tries:
            is_of_backward = place not in self.forward and place not in self.in_both
            only = NUMBERS if how[0] == PIECE else None
            made = self.edit(place, how[0], most, only, how[-1]) if is_of_backward else None
            found = made and self.by_edit(made)
            if not found or made.takes_out_another or (place in sizes and not made.reads_the_unread):
                continue
            if not is_slip or how == FOR_NOTHING or len(found.unexplained) < len(repair.unexplained):
                return found
        return None

    def of_forward(self, other):
        """The `Repair` by a slip of the forward pass, where that is not known to be right; None if there is none, or
        `other` is as good."""
        return self.forward_slips.repair(other, self.forward_is_wrong)

    @cached_property
    def factor_of_all(self):
        """The number that all that is wrong lacks as a factor, of several inputs, or of one of an operation by itself;
        None if there is none."""
        came = self.replay.problem.came(self.base.result, self.results.pairs)
        return self.results.factor(came, 1 if self.replay.problem.is_of_one else 2)

    @cached_property
    def forward_slips(self):
        """The `ForwardSlips`, which are looked for once."""
        return ForwardSlips(self)

    def located_in_backward(self, proposal, judged, right):
        """The same of the backward pass alone."""
        self.right = right
        proposal = proposal and (self.where_it_is_set(proposal) or proposal)
        if deeper := self.of_layers() or self.of_layers_and_more(is_clear=True):
            return Located(deeper)
        if within := self.within_operation():
            return Located(within)
        is_made = proposal and not all(self.only_renames(unit, judged) for unit in proposal.units)
        if is_made and proposal.cost <= 1 and not proposal.unexplained:
            return Located(replace(proposal, edit=self.edit(*proposal.places, TOKEN)))
        found, is_sure = self.alone(([proposal] if proposal else []) + self.singles())
        if not is_sure and (slip := self.of_forward(self.best(found))):
            return Located(slip)
        if not found and (two := self.of_layers_and_more()):
            return Located(two)
        if not is_sure and not any(one.edit for one in found) and (layer := self.within_layer(found)):
            return Located(layer, self.tried)
        found += [] if is_sure else self.pairs()
        in_layers = [one.places for one in self.by_layers_values if not one.doubtful]
        for repair in found:
            repair.bonus = BY_ITSELF if not repair.edit and repair.places in in_layers else 0.0
        for repair in found if is_made else ():
            is_it = repair.places == proposal.places
            if is_it and self.does_one(repair, found):
                continue
            repair.is_suggested = is_it
            if repair.is_suggested or self.is_unnamed(repair, proposal, judged):
                repair.bonus = MARGIN * min(len(proposal.places), 2)
        best = self.best(found)
        if best and (self.mends_anything(best) or self.returns_what_is_never_set(best)):
            best = self.best([one for one in found if one.edit or self.starts_with_zeros(one)])
        if best and len(best.places) > 1:
            alike = [repair for repair in found if len(repair.places) > 1 and repair.cost <= best.cost]
            best = refined(self, [best, *alike])
            one = min((one for one in found if len(one.places) == 1), key=self.rank, default=best)
            is_clearer = one.cost <= best.cost - MARGIN and not self.mends_anything(one) and edits_of(best) < 2
            best = one if is_clearer else best
        elif best and not best.edit:
            best = self.of_two_instead(best, found) or best
        if best:
            best.doubtful = self.doubtful(best, found)
        if self.is_unsure(best) and (two := in_turn(self)):
            is_one = best is not None and len(best.places) == 1 and not best.doubtful
            fewer = len(best.unexplained) - len(two.unexplained) if is_one else 0
            is_clearer = is_one and (fewer > 0 or self.is_guess(best) or (fewer == 0 and are_small(two)))
            is_clearer |= two.edit is not None  # of one line, and an edit does it
            best = two if best is None or is_clearer or (not is_one and is_as_clear(two, best)) else best
        return Located(best, self.tried)

    def is_unsure(self, best):
        """Whether no edits say that the best repair is meant: there is none, it is of several results that one line
        returns, leaves more than one value unexplained, or is of several lines of which values alone tell; where one
        result alone is wrong, only if there is none, or one in doubt. Not of slow passes with arrays so large that
        lines were left out: more searches take too long."""
        if self.solver.gave_up and self.pace < 1:
            return False
        if len(self.wrong) < 2:  # of which numbers may be right with each of two slips put right
            return best is None or (not (best.edit or edits_of(best)) and bool(best.doubtful))
        if best is None or len(best.places) > 1:
            return best is None or edits_of(best) < 2
        is_of_return = len(best.units) > 1 and any(unit.site.kind == "return" for unit in best.units)
        is_of_return |= all(unit.site.loop == unit.site.line for unit in best.units)  # a loop over several gradients
        return not best.edit and (is_of_return or len(best.unexplained) > 1 or self.is_guess(best))

    def improving(self):
        """[(what is left wrong, the `Edit`)] of the slips with which fewer results are wrong, or clearly fewer numbers
        of them, as of the gates of one matrix: of derivatives that lack an activation, of the first few slips of each
        line, then of more, and of statements that are missing."""
        lines = dict.fromkeys(unit.place for units in self.candidates for unit in units)
        lines |= dict.fromkeys(self.editing.without_units(self.solver.places, self.base.scopes))
        lines = [line for line in lines if line not in self.forward and line not in self.in_both]
        most = self.editing.runs + int(MOST_IMPROVING * self.pace)
        off = CLEARLY * self.results.off(self.replay.problem.came(self.base.result, self.results.pairs))
        derived, missing = (self.derivatives, IN_TURN[-1], PIECE, ACTIVATES), (lines, IN_TURN[-1], MISSING)
        for there, *how in (derived, *((lines, some) for some in IN_TURN), missing):
            there = (line for line in there if self.editing.runs < most)
            known = {"is_multiple": bool(self.factor_of_all)}
            yield [pair for line in there for pair in self.editing.improving(line, self.wrong, off, *how, **known)]

    def of_two_instead(self, best, found):
        """The `Repair` of two lines that an edit of each does, one at least a slip, in place of one by values that is
        of one line and explains no more: such a line may only hand several results on, as a `return` does. None if
        there is none."""
        two = [one for one in found if len(one.places) == 2 and len(one.unexplained) <= len(best.unexplained)]
        is_tried = two and len(self.wrong) > 1 and not self.solver.gave_up
        made = refined(self, sorted(two, key=self.rank)) if is_tried else None
        return made if made and are_small(made) else None

    @property
    def by_layers(self):
        """The `Repair`s, of one line each, of the layers and steps that are wrong by themselves: an iterator, which
        looks for them as they are asked for."""
        self.layers_left, found = tee(self.layers_left)
        return found

    @cached_property
    def layers_left(self):
        """The same, of which those that are known are looked for once."""
        inputs, wanted = self.replay.problem.inputs, self.results.wanted
        names = [name for name in self.results.pairs.values() if name not in self.wrong and wanted[name].any()]
        found = self.editing.inner.repairs(self.replay.program.trees, [inputs[name] for name in names])
        return (one for one in found if len(one.places) == 1 and min(one.places)[0] in self.editing.functions)

    @property
    def by_layers_values(self):
        """Those of `by_layers` that values alone do; none where all that is wrong lacks the same factor, which a layer
        that is wrong by itself would not only do."""
        return [] if self.factor_of_all else [one for one in self.by_layers if not one.edit]

    def within_layer(self, found):
        """The one of `by_layers_values` that leaves nothing unexplained, where one of the repairs that were found is of
        a line that calls the layer, or none was, with too many values to solve for; None if there is none."""
        for one in (one for one in self.by_layers_values if one.is_complete and not one.doubtful):
            called = self.calls_of(min(one.places)[0])
            if self.leads_there(one) and (
                any(repair.places <= called for repair in found) if found else self.solver.gave_up
            ):
                return one
        return None

    def within_operation(self):
        """The one of `by_layers_values` that is of the one operation which is wrong by itself; None if there is none,
        or several."""
        found = [one for one in self.by_layers if self.leads_there(one)]
        return found[0] if len(found) == 1 and found[0].is_of_operation else None

    def leads_there(self, repair):
        """Whether all numbers that are wrong depend on what the line of a repair gives."""
        flags = [self.reached[unit] for unit in self.reached if {unit.place} == repair.places]
        return bool(flags) and not (self.wrong_entries() & ~np.any(flags, axis=0)).any()

    def calls_of(self, scope):
        """{(scope, line)} of what calls a function."""
        there = [place for place, (unit, _) in self.base.units.items() if unit.site.scope == scope]
        return {self.base.callers[place][::-1] for place in there}

    def of_layers(self):
        """The one of `by_layers` that puts everything right; None if there is none."""
        edit = next((one.edit for one in self.by_layers if one.edit and self.editing.does_all(one.edit)), None)
        if edit is None or self.solver.came is None:  # where a result has the wrong shape, nothing can be solved for
            return edit and self.by_edit(edit)
        units = [unit for unit in self.solver.places if unit.place == edit.place]
        values = [repair for unit in units if (repair := self.solved((unit,)))]
        return self.with_values(self.by_edit(edit), values)

    def of_layers_and_more(self, is_clear=False):
        """One of `by_layers` together with the repair of one line that is at fault then; None if there is none.
        is_clear: whether fewer results have to be wrong then."""
        for edit in (one.edit for one in self.by_layers if one.edit):
            rest = mended(self, edit)
            if rest and is_clear and not {*rest.wrong} < {*self.wrong}:
                continue
            second = rest and rest.wrong and (rest.of_layers() or one_line(rest, frozenset(), True))
            if second and second.places != {edit.place} and not second.doubtful:
                return together(self.by_edit(edit), second)
        return None

    def does_one(self, proposal, found):
        """Whether an edit of one line does what names suggest several for, and leaves nothing unexplained, or other
        values of one line that explain as much and cost no more; so many lines are another convention whatever does
        it."""
        others = [one for one in found if one is not proposal]
        is_enough = any(one.edit and not (one.unexplained or one.loses_some) for one in others)
        lines = [one for one in others if len(one.places) == 1 and one.is_of_one and not self.mends_anything(one)]
        lines = [one for one in lines if all(unit.site.kind == "assign" for unit in one.units)]  # not what adds all up
        as_clear = [one for one in lines if len(one.unexplained) <= len(proposal.unexplained)]
        is_enough |= any(one.cost <= proposal.cost for one in as_clear)
        return (len(proposal.places) > 1 and is_enough) or (len(proposal.places) > MOST_SUGGESTED and bool(others))

    def of_shapes(self):
        """The `Repair` by an edit of a line that gives a result of the wrong shape, which no other values of that shape
        put right; None if there is none."""
        nearest, others = shaping(self)
        rounds = [(nearest, None), *((others, some) for some in (*AT_FIRST, MOST_RUNS))]
        for (lines, some), weight in product(rounds, (TOKEN, PIECE)):
            most = max(self.most_runs, self.editing.runs + (self.most_runs // 4 if lines is nearest else 0))
            edits = (self.edit(place, weight, most, some=some) for place in lines)
            if found := [self.by_edit(edit) for edit in edits if edit]:
                return min(found, key=self.rank)
        return None

    def of_shapes_and_more(self):
        """The same together with the repair of one line that is at fault then; None if there is none."""
        nearest, _ = shaping(self)
        off = self.results.off(self.replay.problem.came(self.base.result, self.results.pairs))
        for weight, line in product((TOKEN, PIECE), nearest):
            found = self.editing.improving(line, self.wrong, off, IN_TURN[-1], weight)
            for _, edit in sorted(found, key=lambda pair: pair[0])[:MOST_IN_TURN]:
                rest = mended(self, edit)
                second = rest and rest.wrong and one_line(rest, frozenset(), True)
                if second and second.places != {edit.place} and not second.doubtful:
                    return together(self.by_edit(edit), second)
        return None

    def where_it_is_set(self, proposal):
        """For what a function is given: the same repair of the line that sets it, by itself; None if there is none."""
        unit = proposal.units[0]
        if len(proposal.units) > 1 or unit.site.kind != "argument" or not unit.caller:
            return None
        put, lines = {}, set()
        for place, value in proposal.values.items():
            given, before = self.base.units[place][1], [p for p in self.base.units if p < place]
            same = [p for p in before if self.base.units[p][1] is not None and self.same(self.base.units[p][1], given)]
            maker = self.base.units[same[-1]][0] if same else None
            if maker is None or maker.site.scope != unit.place[0] or maker.only_copies or not maker.computes:
                return None
            put[same[-1]] = lambda old, new=value: new.copy()
            lines.add(maker)
        return self.rated(lines, put) if len(lines) == 1 else None

    def only_renames(self, unit, judged):
        """Whether what was computed elsewhere in the pass only gets another name: not what came from above, nor what
        names say something of, for that may well lack something here alone."""
        copied = unit.site.copies
        if copied is None:
            return unit.only_copies
        makers = [one for one, _ in self.base.units.values() if one.site.name == copied]
        return any(one.site.kind != "argument" for one in makers) and not {one.place for one in makers} & judged

    @staticmethod
    def is_unnamed(repair, proposal, judged):
        """Whether names say nothing for a proposal and against a repair: of as many lines, with values that they do not
        judge, and that are computed there."""
        handed_on = any(unit.only_copies for unit in repair.units)
        return not (repair.places & judged or handed_on or len(repair.places) < len(proposal.places))

    def alone(self, found, elsewhere=True):
        """(some repairs, and those by edits; whether that is enough). elsewhere: whether other lines are edited too."""
        edited = self.edited(found, elsewhere)
        if len(edited) == 1 and edited[0].edit.weight == TOKEN and not edited[0].loses_some:
            return [self.with_values(edited[0], found)], True
        return found + edited, bool(edited) or any(repair.is_complete for repair in found)
