"""Which of several repairs is the best: the cheapest, and of equals the likeliest."""

from math import floor, inf

from tinyrnn.verdicts.repair.by_edits import SIGN
from tinyrnn.verdicts.repair.change import TOKEN

SIZE = 2.0  # what a slip in what takes a length costs less
ROUGH = 5  # steps in one
LESS_LIKELY = 0.8  # what a sign costs more, or a rate, that another line rather has: see where it is added


class Ranking:
    """What the repairs that a `Search` has found are sorted by."""

    def __init__(self, search):
        self.search = search

    def __call__(self, repair):
        """What repairs are sorted by, the best first."""
        return (
            self.cost(repair),
            bool(repair.edit) and (repair.edit.alters_a_copy or repair.edit.reworks_what_is_taken),
            not (bool(repair.edit) and repair.edit.completes_a_pattern),
            not (bool(repair.edit) and repair.edit.is_of_nothing),
            not repair.units and repair.edit.adds_to_a_call,
            not repair.units and repair.edit.turns_gradients,
            not repair.is_suggested,
            not repair.units and repair.edit.sums_a_name,
            is_factor(repair) and not repair.edit.reads_gradients,
            self.cost_of_values(repair),
            len(repair.units),
            not all(self.search.linear.get(unit, True) for unit in repair.units),
            repair.hands_on_some,
            not repair.units and repair.edit.negates,  # rather is there one too many
            not (repair.units or self.is_mended(repair.edit.place)),
            not repair.units and repair.edit.scales_again,
            not repair.units and repair.edit.scales_gradients,
            repair.is_given,
            not repair.edit and self.is_right_already(repair),
            not repair.units and repair.edit.adds_within,
            not (bool(repair.edit) and self.search.editing.is_loop(repair.edit.place)),
            bool(repair.edit) and repair.edit.puts_in_more,
            self.turn(repair),
        )

    def cost(self, repair):
        """What a repair costs; of a factor that was forgotten, roughly: the lines that it may stand in are many."""
        if is_factor(repair):
            return roughly(repair.cost)
        less = LESS_LIKELY * (self.is_at_the_top(repair) or self.negates_all(repair))
        return repair.cost + less - SIZE * self.is_of_size(repair)

    def is_of_size(self, repair):
        """Whether a slip is of what takes a length: few of these put all right, and a division, which puts right what
        one would, may stand in many lines."""
        edit = repair.edit
        return (
            bool(edit) and edit.weight == TOKEN and self.search.editing.sets_sizes(edit.place) and edit.takes_a_length
        )

    def negates_all(self, repair):
        """Whether a minus is put in where the sign of all that is wrong is: rather is a difference turned, or `-=` was
        meant."""
        return bool(repair.edit) and repair.edit.negates and self.is_of_sign

    @property
    def is_of_sign(self):
        """Whether all that is wrong has the wrong sign, and nothing else is."""
        factor = self.search.factor_of_all
        return bool(factor) and abs(factor + 1) < SIGN

    def cost_of_values(self, repair):
        """Of an edit what it costs that other values stand in its line, whatever gives them: of two edits that do
        equally well, that of the line is meant whose values explain more. Infinite where no values do."""
        tried = self.search.tried if repair.edit else ()
        alone = [one.cost for units, one in tried if one and len(units) == 1 and one.places == repair.places]
        least = min(alone, default=inf)
        return roughly(least) if is_factor(repair) else least

    def is_at_the_top(self, repair):
        """Whether an edit is of a function that only calls those which work the gradients out, and all that is wrong
        lacks a factor, or the sides of a difference change places: what is learnt, less what was, perhaps, or a rate.
        The difference of what comes out and what is wanted, or the factor, rather stands in one of these."""
        edit, top = repair.edit, self.search.replay.problem.top
        if not edit or edit.place[0] not in top:
            return False
        is_of_factor = bool(self.search.factor_of_all) and edit.only_numbers
        is_of_sign = edit.only_signs and self.is_of_sign
        if not (edit.turns_a_difference or edit.only_scales or is_of_factor or is_of_sign):
            return False
        known = self.search.forward | self.search.in_both
        made = [unit for unit in self.search.solver.places if unit.computes and unit.place not in known]
        return 2 * sum(unit.place[0] not in top for unit in made) > len(made)

    def turn(self, repair):
        """Less for the earlier of two: what is computed first, and a factor that was forgotten where it was;
        but for the later of a forgotten term, and of what stands for another."""
        if repair.units:
            return sum(self.search.order.get(unit, 0) for unit in repair.units)
        return repair.edit.place[1] if is_factor(repair) else -repair.edit.place[1]

    def is_right_already(self, repair):
        """Whether all that a repair puts others in place of are gradients as they are."""
        values = [self.search.base.units[place][1] for place in repair.values]
        return all(self.search.explaining.is_gradient(value) for value in values if value.any())

    def is_mended(self, place):
        """Whether another value that a line computes puts all right too."""
        alone = [units[0] for units, repair in self.search.tried if repair and len(units) == 1]
        return any(unit.computes and unit.place == place for unit in alone)


def is_factor(repair):
    """Whether a repair puts in a factor."""
    return not repair.units and repair.edit.is_factor


def roughly(cost):
    """A cost in steps, so that what hardly differs is the same."""
    return cost if cost == inf else floor(ROUGH * cost + 1e-6) / ROUGH
