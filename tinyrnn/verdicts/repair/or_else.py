"""Which other line may as well be meant as the one that is accused: a change of it makes all results right too."""

from tinyrnn.verdicts.repair.change import PIECE, TOKEN

DEARER = 2.0  # what the edit of another line may cost more, to be told


def as_good(search, best, of_backward):
    """{(scope, line)} of the lines with an edit of which all results are right as well, beside the best repair: those
    found in the backward pass that are hardly dearer, or its best, where the best of all is of the forward pass; those
    that give a derivative for the line that is repaired, or call it; and those soon found in the forward pass, unless
    the best is a slip that leaves nothing unexplained. best: of a `Search`, that an edit does. of_backward: the best of
    the backward pass alone, or None."""
    if best.edit.is_of_forward:
        is_one = of_backward is not None and of_backward.edit and len(of_backward.places) == 1
        return frozenset(of_backward.places - best.places) if is_one else frozenset()
    edit_derivatives(search, best.edit.place)
    several = {edit.place: edit for edit in search.edits_so_far if edit.place != best.edit.place}
    found = {place for place, edit in several.items() if search.by_edit(edit).cost <= best.cost + DEARER}
    is_plain = best.edit.weight == TOKEN and not best.unexplained
    return frozenset(found | (set() if is_plain else search.forward_slips.soon() - best.places))


def edit_derivatives(search, place):
    """Looks for edits of what gives a derivative where a line is repaired that calls it, or the other way round: the
    derivative may be meant of what an activation is given, or of what it gives."""
    helpers = [one for one in search.derivatives if place in search.calls_of(one[0])]
    callers = search.calls_of(place[0]) if place in search.derivatives else ()
    for places, weights in ((helpers, (TOKEN, PIECE)), (callers, (TOKEN,))):
        for one in places:
            any(search.edit(one, weight) for weight in weights)
