"""Which of several repairs is meant: the best, what only says where something can be mended, what is in doubt."""

import ast
from dataclasses import replace

from tinyrnn.sources.syntax import makes_zero, name_of
from tinyrnn.verdicts.repair.by_edits import MUCH, ByEdits
from tinyrnn.verdicts.repair.change import MISSING, TOKEN
from tinyrnn.verdicts.repair.kept import is_plain, leaves_of
from tinyrnn.verdicts.repair.ranking import Ranking
from tinyrnn.verdicts.repair.repairs import TIE, UNCLEAR


class Choosing(ByEdits):
    """The choice among the repairs of one backward program that were found by values and by edits."""

    def __init__(self, replay, results, explaining, editing, base):
        super().__init__(replay, results, explaining, editing, base)
        self.rank = Ranking(self)

    def best(self, found):
        """The best of some repairs; None of none."""
        best = min(found, key=self.rank, default=None)
        if best and not best.edit and len(best.unexplained) > MUCH:  # which says nothing then, and a slip does
            slips = [one for one in found if one.edit and one.edit.weight == TOKEN and not one.loses_some]
            best = min(slips, key=self.rank, default=best)
        if best and best.hands_on_all:  # what was computed elsewhere, and may be wrong there
            best = min((one for one in found if one.is_of_one), key=self.rank, default=best)
        if best and best.was_given:
            alike = [one for one in found if one.was_given and one.cost <= best.cost + UNCLEAR]
            best = min(alike, key=lambda one: min(self.order[unit] for unit in one.units))
        if best and not best.edit and len(best.places) == 1:  # what does it there, though it explains a little less
            edits = [one for one in found if one.edit and one.places == best.places and not one.loses_some]
            edits += [one for one in found if one.edit and one.places == self.returned_at(best)]
            most, is_start = best.cost + best.bonus + TIE, self.starts_with_zeros(best)
            edits = [
                one
                for one in edits
                if one.cost <= most or self.gives_the_same(one, best) or (is_start and one.edit.weight == MISSING)
            ]
            edits += [one for one in found if one.edit and one.edit.completes_what_is_returned] if edits else []
            best = min(edits, key=self.rank, default=best)
        if best and not best.edit and self.starts_with_zeros(best):  # and what fills them does it
            edits = [one for one in found if one.edit and self.fills_what_starts(one.edit.place, best)]
            best = min([one for one in edits if one.cost <= best.cost + UNCLEAR], key=self.rank, default=best)
        if best and best.edit and best.edit.weight > TOKEN and best.edit.is_factor:  # rather is there one too many
            best = min((one for one in found if one.edit and one.edit.drops_factor), key=self.rank, default=best)
        if best and not best.edit:  # values say less than that what is never read puts all right
            edits = [one for one in found if one.edit and one.edit.reads_the_unread and not one.loses_some]
            best = min(edits, key=lambda one: (-one.edit.worth, self.rank(one)), default=best)
        return best and self.with_values(best, found)

    def gives_the_same(self, repair, other):
        """Whether an edit gives what another repair puts there."""
        came = [repair.run.units.get(place, (None, None))[1] for place in other.values]
        pairs = list(zip(came, other.values.values(), strict=True))
        return bool(pairs) and all(one is not None and self.same(one, value) for one, value in pairs)

    def starts_with_zeros(self, repair):
        """Whether a repair is of one line that sets a variable to zeros."""
        return any(isinstance(one, ast.Assign) and makes_zero(one.value) for one in self.statements_of(repair))

    def fills_what_starts(self, place, repair):
        """Whether another line sets entries of what the line of a repair sets."""
        (start,) = repair.places
        return place != start and place[0] == start[0] and bool(self.editing.set_at(place) & self.editing.set_at(start))

    @staticmethod
    def returned_at(repair):
        """The line of a repair's `return` where that hands on what another line is accused for; empty otherwise."""
        return {unit.place for unit in repair.units if unit.is_handed_on} - repair.places

    def with_values(self, repair, found):
        """A repair by an edit, with the values of one of the same line that is there for its values."""
        same = [one for one in found if one.units and one.places == repair.places]
        return replace(same[0], edit=repair.edit) if repair.edit and not repair.units and same else repair

    def mends_anything(self, repair):
        """Whether a repair by values of one line puts several results right, as what is done to all gradients in a loop
        would, or is of an `np.clip`, or of a `return` of variables that leaves something unexplained: it only says
        where this can be done."""
        if repair.edit:
            return False
        if self.mends_several(repair) or self.only_cuts(repair):
            return True
        return bool(repair.unexplained) and self.hands_on_several(repair)

    def only_cuts(self, repair):
        """Whether a repair is of one line that is an `np.clip` in place."""
        statements = self.statements_of(repair)
        return bool(statements) and all(is_clip(one) for one in statements)

    def hands_on_several(self, repair):
        """Whether a repair of one line is of several variables that it returns as they are."""
        if len(repair.units) < 2 or any(unit.site.kind != "return" for unit in repair.units):
            return False
        statements = self.statements_of(repair)
        return bool(statements) and all(is_plain(leaf) for one in statements for leaf in leaves_of(one))

    def mends_several(self, repair):
        """Whether a repair of one line, in place, puts several results right one after the other."""
        in_place = all(unit.site.kind in ("refill", "item", "item-augment") for unit in repair.units)
        if not in_place or repair.parts:
            return False
        mended = {name for value in repair.values.values() for name in self.wrong if self.results.agrees(value, name)}
        return len(mended) > 1

    def returns_what_is_never_set(self, repair):
        """Whether values alone put right what a `return` takes out of an object, where nothing sets it or adds to it:
        that line is right, and another one is missing."""
        if repair.edit or len(repair.units) != 1 or repair.units[0].site.kind != "return":
            return False
        return bool(self.never_set([repair.units[0].path])) and not any(
            self.base.units[place][1].any() for place in repair.values
        )

    def never_set(self, paths):
        """The sources of the attributes that the last function returns at some paths, if nothing in the pass sets or
        adds to any of them; else none."""
        returned = [unit for unit, _ in self.base.units.values() if unit.site.kind == "return"]
        edits = self.editing.edits_of(returned[-1].site.scope) if returned else None
        statement = edits and next(iter(edits.lines.get(returned[-1].site.line, ())), None)
        parts = getattr(getattr(statement, "value", None), "elts", ())
        places = [path[0] for path in paths if path]
        if any(isinstance(one, ast.Starred) for one in parts) or any(
            place not in range(len(parts)) for place in places
        ):
            return []
        written = {unit.site.name for unit, _ in self.base.units.values()}
        found = [parts[path[0]] for path in paths if len(path) == 1]
        idle = [one for one in found if isinstance(one, ast.Attribute) and one.attr not in written]
        return list(map(ast.unparse, idle)) if len(idle) == len(paths) else []

    def doubtful(self, best, found):
        """The lines of which one is at fault and values alone do not tell which: those that are not in all of the
        repairs that are hardly dearer than the best, which no edit does."""
        if best.parts:
            return frozenset().union(*(part.doubtful for part in best.parts))

        def margin(one):  # little is enough for what explains all that another one does
            is_unclear = len(best.unexplained) > 1 and not {*best.unexplained} <= {*one.unexplained}
            return UNCLEAR if is_unclear else TIE

        alike = [one for one in found if not best.edit and one.cost <= best.cost + margin(one)]
        alike = [one for one in alike if len(one.places) == len(best.places) and not self.is_less_likely(one, best)]
        several = [frozenset(one.places) for one in (best, *alike)]
        return frozenset().union(*several) - frozenset.intersection(*several)

    def is_less_likely(self, repair, best):
        """Whether a repair is of lines that only hand something on, cut off, are right in other calls, or give local
        derivatives as they are, and not the best; or the best of what holds forward values in the place of
        gradients."""
        if len(repair.places) == 1 == len(best.places) and self.mends_anything(repair) > self.mends_anything(best):
            return True
        facts = "hands_on_some", "is_given", "is_right_elsewhere"
        if any(getattr(repair, fact) and not getattr(best, fact) for fact in facts):
            return True
        if best.was_given:  # the first of what may hand them on
            return True
        return self.gave_slopes(repair, best) and not self.gave_slopes(best, repair)

    def gave_slopes(self, repair, other):
        """Whether all that a repair puts others in place of are local derivatives, with another repair in place."""
        stood = [self.base.units[place][1] for place in repair.values]
        values = [value for _, value in other.run.units.values() if self.explaining.is_gradient(value)]
        gradients = self.explaining.distinct(values)
        given = stood and self.explaining.are_given(stood)
        return bool(stood) and not given and all(self.explaining.is_slope(value, gradients) for value in stood)

    def statements_of(self, repair):
        """What stands in the line that a repair is of; nothing if it is of several."""
        ((scope, line), *others) = repair.places
        edits = self.editing.edits_of(scope)
        return edits.lines.get(line, ()) if edits and not others else ()


def is_clip(statement):
    """Whether a statement is a call of `np.clip` by itself."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and name_of(call.func) == "clip"
