"""Of two wrong lines, the one that alone is at fault for some of the results: these are looked at by themselves.

With one of both put right only what the other spoils is still wrong. So where values of a line make some of the results
right, that lines elsewhere leave as they are, the search is that for a single mistake again, with all of its edits.
"""

import copy

import numpy as np

from tinyrnn.verdicts.repair.editing import Editing
from tinyrnn.verdicts.repair.solving import least

MOST_APART = 4  # kinds of results that are looked at by themselves


def by_parts(search):
    """(the results left out, a `Search` for what makes the others right) of some of the results that are wrong: those
    first that leave the fewest out."""
    found = sorted(set(parts_of(search)), key=lambda names: (-len(names), sorted(names)))
    for names in found[:MOST_APART]:
        yield frozenset(search.wrong) - names, of_results(search, names)


def parts_of(search):
    """The names of some of the results that are wrong, which other values of a line make right together: not of all,
    where that leaves no more than another line can make right."""
    wrong, rows = frozenset(search.wrong), rows_of(search)
    most = {unit: mended_by(search, unit, rows) for (unit, *more) in search.candidates if not more}
    sets = {names for names in most.values() if names}
    for names in sets - {wrong}:
        if any(wrong - names <= other for other in sets):
            yield names


def rows_of(search):
    """{the name of a result that is wrong: where it stands in the vector of all}."""
    found, start = {}, 0
    for name in search.results.pairs.values():
        size = search.results.wanted[name].size
        if name in search.wrong:
            found[name] = np.arange(start, start + size)
        start += size
    return found


def mended_by(search, unit, rows):
    """The names of the results that are wrong and that other values of a unit make right, all together and without
    one that is right: none where no values can be solved for, or where one prevents another."""
    flags = search.reached[unit]
    names = [name for name, at in rows.items() if flags[at].any()]
    matrix = search.solver.matrix_in_time(unit) if names and search.is_linear(unit) else None
    if matrix is None:
        return frozenset()
    right = np.flatnonzero(search.right_entries)
    off = search.solver.goal - search.solver.came
    able = [name for name in names if makes_up(matrix, off, np.r_[right, rows[name]], search.tolerance)]
    together = np.concatenate([right, *(rows[name] for name in able)])
    return frozenset(able) if able and makes_up(matrix, off, together, search.tolerance) else frozenset()


def makes_up(matrix, off, rows, tolerance):
    """Whether an addition makes up for what is wrong in some rows."""
    addition = least(matrix[rows], off[rows])
    left = np.inf if addition is None else abs(matrix[rows] @ addition - off[rows]).max(initial=0)
    return bool(left <= 100 * tolerance * abs(off[rows]).max(initial=0))


def of_results(search, names):
    """A `Search` in the program of another one for what makes some of its wrong results right, whatever becomes of the
    others."""
    results, replay = copy.copy(search.results), search.replay
    own = {place: name for place, name in results.pairs.items() if name in names or name not in search.wrong}
    results.pairs = own
    editing = Editing(replay.problem, replay.program, replay.forward_result, results, search.editing.inner)
    made = type(search)(replay, results, search.explaining, editing, search.base)
    made.hold, made.right, made.is_of_several = search.hold, search.right, True
    made.forward_is_wrong, made.vouched = search.forward_is_wrong, search.vouched
    return made
