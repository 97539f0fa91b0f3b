"""A repair, and what it costs."""

from dataclasses import dataclass, field
from functools import cached_property

from tinyrnn.verdicts.repair.edit import Edit

ELSEWHERE = 1.0  # what it costs more to accuse a line of a function that is right when it is called from other lines
BREAKS = 1.0  # and if an edit is of a derivative that is right for what its activation is given
BY_ITSELF = 1.6  # what it costs less if an edit makes a helper the derivative of its activation, that it was not
LOSES = 0.7  # what it costs more if a gradient that the pass gives is no longer there
FORWARD = 0.3  # what it costs more to accuse a line before the loss that hands on a value as it is
EDITED = 0.9  # and one that is edited
COPIES = 0.9  # what it costs more to accuse, of several values of a line, one that is handed on: that could mend all
FILLS = 1.0  # what it costs less if nothing is ever added to the zeros that are put right
NOTHING = 0.4  # what it costs less to accuse a line that adds nothing
FORWARD_VALUES = 1.1  # what it costs less if what belongs there are values of the forward pass, and no chance
MISPLACED = 0.4  # what it costs less if forward values stood where gradients belong, under the name of one
TIE = 0.3  # by how much a repair by values alone must be cheaper than any other, to accuse its lines
UNCLEAR = 1.0  # and if it leaves more than one value unexplained
MARGIN = 0.6  # by how much, for each of two lines, a repair must be cheaper than that which names suggest


@dataclass
class Repair:
    """What puts all results right. units: whose values. values: {place: what should stand there}. run: with the repair
    in place. explain: function that gives {unit: what its values cost then}. lines: to accuse for it, if not those of
    the units. edit: the `Edit` that does it, or None. bonus: what it costs less. is_suggested: whether names suggest
    these lines. loses_some: whether a gradient that the pass gives as it stands is no longer there.
    is_right_elsewhere: whether a line of it gives what belongs there when its function is called from another line.
    mends_helper: whether its edit makes a helper the derivative of its activation. breaks_helper: whether it is of one
    that is that for what the activation is given. fills: whether it
    only puts something in the place of zeros to which nothing is ever added. is_before: whether all of them
    stand before the loss, and hand on a value as it is or are edited. gives_forward_values: whether all that belongs
    there are values of the forward pass. was_given: whether such values stood there, under names of gradients, and
    gradients belong there. parts: of several lines, the repair of each with those before in place, if
    it was looked for by itself. doubtful: {(scope, line)} of lines of which one is at fault, where values alone do
    not tell which. is_guess: whether too little speaks for it to accuse a line. is_of_operation: whether it is of one
    that is wrong by itself, and of the one line of it that can be. others: {(scope, line)} of other lines, an edit of
    which makes all results right as well, and of which one may have been meant."""

    units: tuple
    values: dict
    run: object
    explain: object
    lines: set = field(default_factory=set)
    edit: Edit | None = None
    bonus: float = 0.0
    is_suggested: bool = False
    loses_some: bool = False
    is_right_elsewhere: bool = False
    mends_helper: bool = False
    breaks_helper: bool = False
    fills: bool = False
    is_before: bool = False
    gives_forward_values: bool = False
    was_given: bool = False
    parts: tuple = ()
    doubtful: frozenset = frozenset()
    is_guess: bool = False
    is_of_operation: bool = False
    others: frozenset = frozenset()

    @cached_property
    def costs(self):
        """{unit: what its values cost}."""
        return self.explain()

    @property
    def is_weighed(self):
        """Whether it was worked out what the repair leaves unexplained."""
        return "costs" in vars(self)

    @property
    def cost(self):
        """What the repair costs: see above."""
        copies = len(self.units) > len(self.places) and self.hands_on_some
        is_idle = not self.edit and any(unit.adds_nothing for unit in self.units)
        worth = self.bonus + (NOTHING if is_idle else 0) - (EDITED if self.edit else FORWARD) * self.is_before
        worth += (FORWARD_VALUES if self.gives_forward_values else 0) - (LOSES if self.loses_some else 0)
        worth += (self.edit.worth if self.edit else 0) - (ELSEWHERE if self.is_right_elsewhere else 0)
        worth -= BREAKS if self.breaks_helper else 0
        worth += MISPLACED if self.was_given else 0
        worth += (BY_ITSELF if self.mends_helper else 0) + (FILLS if self.fills else 0)
        return round(len(self.places) + sum(self.costs.values()) + (COPIES if copies else 0) - worth, 6)

    @property
    def places(self):
        """{(scope, line)} of the lines that are accused."""
        return self.lines or {unit.place for unit in self.units}

    @property
    def hands_on_some(self):
        """Whether a value of it is handed on as it is, or received so: it is made elsewhere, and may be wrong there."""
        return any(unit.only_copies or unit.is_received for unit in self.units)

    @property
    def is_given(self):
        """Whether a value of it is what a function is given."""
        return any(unit.site.kind == "argument" for unit in self.units)

    @property
    def hands_on_all(self):
        """Whether several results are put right where they are returned, without a change of that line that does it."""
        handed = all(unit.site.kind in ("return", "value") and not unit.is_handed_on for unit in self.units)
        return len(self.units) > 1 == len(self.places) and handed and not self.edit

    @property
    def is_of_one(self):
        """Whether one value of one line is put right, which is not returned as it is, or a change of it does it."""
        return bool(self.edit) or (len(self.units) == 1 and not self.units[0].is_handed_on)

    @property
    def is_complete(self):
        """Whether it leaves nothing unexplained, and is none that could mend anything, nor of more lines than the two
        that are looked for."""
        hands_on = self.hands_on_all or all(unit.only_copies for unit in self.units)
        return not (self.unexplained or hands_on or len(self.places) > 2)

    @property
    def unexplained(self):
        """The units whose values nothing explains."""
        return [unit for unit, cost in self.costs.items() if cost == 1]


@dataclass
class Located:
    """What came of a search. repair: the best, or None. tried: [(units, `Repair` or None)] of all that was solved
    for."""

    repair: Repair | None = None
    tried: list = field(default_factory=list)
