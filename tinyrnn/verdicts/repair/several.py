"""Of two wrong lines, which they are: each is looked for again by itself while the other is as it belongs.

Of two lines at once values alone say little: more lines can be at fault than of one, and no edit of one line makes all
results right. With one line held to what a repair puts there the other is a single mistake again, and an edit decides.
"""

import ast
import copy
from dataclasses import replace
from itertools import chain

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.apart import by_parts
from tinyrnn.verdicts.repair.change import BLOCKS, FORMULA, MISSING, TOKEN
from tinyrnn.verdicts.repair.editing import Editing
from tinyrnn.verdicts.repair.in_place import set_by, standing, text_of
from tinyrnn.verdicts.repair.missing import as_one, placed
from tinyrnn.verdicts.repair.repairs import MARGIN, Repair
from tinyrnn.verdicts.repair.replay import Replay

HELD = "__held__"
ONE_FACTOR = 0, 0  # what `improving` says is left wrong with an edit, if all of it lacks the same factor
MOST_LINES = 6  # that are held, one after the other
MOST_IN_TURN = 4  # slips of one line that leave fewer results wrong, with each of which the other is looked for


def refined(search, repairs):
    """The `Repair` of two lines in place of the first of some of several, all as good, where fewer lines do or edits of
    both make all results right; of a `Search`."""
    best, held_at = repairs[0], {}
    for repair in repairs:
        held_at |= {place: repair for place in sorted(repair.places - held_at.keys())}
    for place, repair in list(held_at.items())[:MOST_LINES]:
        rest = held(search, repair, place)
        first = one_line(rest, best.places) if rest and rest.wrong else None
        if first is None or first.places == {place}:
            continue
        (other,) = first.places
        rest = mended(search, first.edit) if first.edit else held(search, first, other)
        if first.edit and rest and not rest.wrong:  # no second line is at fault
            tree = rest.replay.program.trees[first.edit.function]  # in which nothing is held
            return search.by_edit(replace(first.edit, tree=tree))
        second = one_line(rest, best.places, first.edit is not None)
        if second and second.edit and not first.edit:  # what the first was found with was a guess
            first, second = second, one_line(mended(search, second.edit), best.places, True)
        if second is not None and second.places != first.places:
            both = together(first, second)
            if is_as_clear(both, best) and (len(both.places), -edits_of(both)) < (len(best.places), -edits_of(best)):
                best = both
        if edits_of(best) == 2:
            break
    return best


def in_turn(search):
    """The `Repair` of two lines where a slip in one of them leaves fewer results wrong, or an edit makes some of them
    right that values of a line do: the other, that an edit does or values of which nothing is left unexplained, is
    looked for with it in place, and this one again with the other in place; or of one line, if that edit does all. None
    if there is none."""
    for improving in chain(search.improving(), of_parts(search)):
        for left, edit in sorted(improving, key=lambda pair: pair[0])[:MOST_IN_TURN]:
            rest = mended(search, edit)
            if rest and not rest.wrong:  # which no search of all lines came to
                return search.by_edit(edit)
            second = one_line(rest, frozenset(), True)
            is_of_it = second and second.edit and second.places == {edit.place}
            if is_of_it and (left == ONE_FACTOR or are_of_several(edit, second.edit)):
                return replace(second, edit=replace(second.edit, before=edit.before, change=FORMULA))
            is_clear = second and (second.edit or second.fills or not (second.doubtful or second.unexplained))
            if is_clear and second.places != {edit.place}:
                (place,) = second.places
                rest = mended(search, second.edit) if second.edit else held(search, second, place)
                first = one_line(rest, {edit.place}, True)
                if first and first.edit and first.places != second.places:
                    return together(second, first)
                if second.edit and second.edit.weight <= TOKEN:  # each is only a slip, and both do all
                    return together(search.by_edit(edit), second)
    return None


def are_of_several(edit, other):
    """Whether two slips are of a line that returns several gradients, one wrong like the other."""
    value = ast.parse(other.after).body[0].value if other.after.startswith("return ") else None
    is_of_several = isinstance(value, ast.Tuple | ast.List) and len(value.elts) > 1
    return is_of_several and max(edit.weight, other.weight) <= TOKEN


def of_parts(search):
    """[(the results left out, the `Edit`)] of what makes some of the wrong results right, in a search for these."""
    for left, part in by_parts(search):
        edited = [one for one in part.alone(part.singles())[0] if one.edit]
        yield [((len(left), k), one.edit) for k, one in enumerate(sorted(edited, key=part.rank))]


def one_line(search, preferred, elsewhere=False):
    """The best `Repair` of one line that a `Search` finds, a little rather of preferred lines; None if there is
    none. elsewhere: whether lines are edited too of which no values would do; loops are where no values do at all."""
    if search is None:
        return None
    repairs = search.singles()
    found = search.alone(repairs, elsewhere)[0] if repairs or elsewhere else search.of_loops()
    for repair in found:
        if repair.places <= preferred:
            repair.is_suggested, repair.bonus = True, MARGIN
    best = search.best(found) if found else None
    if best:
        for repair in found:
            repair.bonus = 0.0  # which says nothing of which line it is
        best.doubtful = search.doubtful(best, found)
    best = (best and search.of_what_it_read(best)) or best
    return best if best and len(best.places) == 1 else None


def together(first, second):
    """The `Repair` that two are, the second with the first in place."""
    made = Repair(first.units + second.units, second.values, second.run, second.explain)
    made.lines, made.parts = first.places | second.places, (first, second)
    return made


def edits_of(repair):
    """How many parts of a repair an edit does."""
    return sum(part.edit is not None for part in repair.parts)


def is_as_clear(both, best):
    """Whether a repair of two lines leaves no more unexplained than another one, or is of fewer lines, or of two small
    edits where values say little."""
    if len(both.places) < len(best.places) or len(both.unexplained) <= len(best.unexplained):
        return True
    return len(best.unexplained) > 1 and are_small(both)


def are_small(repair):
    """Whether an edit does each of two parts of a repair: a slip in the one at least, hardly more in the other."""
    weights = [part.edit.weight for part in repair.parts if part.edit]
    return len(weights) == 2 and FORMULA not in weights and (TOKEN in weights or MISSING in weights)


class Held:
    """Gives a statement one value after the other in each run, in place of what it computes."""

    def __init__(self, values):
        self.values = values
        self.begin()

    def stands_in(self, program):
        """What the functions of a program call is this."""
        for function in program.rewritten():
            function.__globals__[HELD] = self

    def begin(self):
        """A new run."""
        self.left = iter(self.values)

    def __call__(self, _, before=None):
        """The next value; of `+=`, what is to be added to what was there before."""
        value = next(self.left) if before is None else next(self.left) - before
        return value if value.shape else value.item()


def held(search, repair, place):
    """A `Search` in the program of another one in which a line gives what a `Repair` puts there; None where it computes
    more than one value, or is no assignment."""
    units = [unit for unit in repair.units if unit.place == place]
    names = {unit.site.name for unit in units}
    edits, statement = statement_at(search, place, lambda one: names & {*map(name_of, set_by(one))})
    if statement is None or len(units) != 1:
        return None
    arguments = [statement.value] if isinstance(statement, ast.Assign | ast.AugAssign) else []
    is_less = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Sub)
    if is_less or (isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)):
        arguments.append(but(copy.copy(statement.target), ctx=ast.Load()))
    elif not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    call = ast.Call(ast.Name(HELD, ast.Load()), arguments, [])
    made = but(statement, value=ast.UnaryOp(ast.USub(), call) if is_less else call)
    hold = Held([value for unit, value in repair.run.units.values() if unit == units[0]])
    return within(search, place, edits, statement, made, hold)


def mended(search, edit):
    """A `Search` in the program of another one with an `Edit`; None where that is of a part of a statement."""
    edits, statement = statement_at(search, edit.place, lambda one: text_of(one) == edit.before)
    if statement is not None and text_of(statement) != edit.before:  # what is added further down
        there = [one for several in edits.lines.values() for one in several if text_of(one) == edit.before]
        statement = there[0] if len(there) == 1 else None
    if statement is None:
        return None
    body = ast.parse(edit.after).body
    if len(body) > 1 and isinstance(body[-1], ast.For):  # what a loop should hand on, or add to
        loops = [one for one in loops_after(edits.tree, statement) if text_of(one) == text_of(body[-1])]
        handed = placed(ast.unparse(body[-1].body[-1]), statement)
        made = loops and but(loops[0], body=[*loops[0].body, handed])
        return within(search, edit.place, edits, loops[0], made) if loops else None
    if len(body) > 1 and isinstance(statement, ast.For):  # what is missing behind a loop
        made = as_one([statement, *(placed(ast.unparse(one), statement) for one in body[1:])])
        return within(search, edit.place, edits, statement, made)
    made = ast.increment_lineno(body[0] if len(body) == 1 else as_one(body), statement.lineno - 1)
    for name in BLOCKS:
        if hasattr(statement, name):
            setattr(made, name, getattr(statement, name))
    return within(search, edit.place, edits, statement, made)


def loops_after(tree, statement):
    """The loops of a function behind a statement, in their order."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For) and node.lineno > statement.lineno]
    return sorted(loops, key=lambda node: node.lineno)


def statement_at(search, place, is_meant):
    """(the `Edits` of a function, the one statement of a line of it, of several the one that is meant, or None)."""
    edits = search.editing.edits_of(place[0])
    statements = edits.lines.get(place[1], ()) if edits else ()
    statements = [one for one in statements if len(statements) == 1 or is_meant(one)]
    return edits, statements[0] if len(statements) == 1 else None


def within(search, place, edits, statement, made, hold=None):
    """A `Search` in the program with another statement in the place of one. hold: the `Held` that it calls."""
    with standing(edits.tree, statement, ast.fix_missing_locations(ast.copy_location(made, statement))):
        tree = copy.deepcopy(edits.tree)
    old, original = search.replay, search.editing.functions[place[0]].original
    problem = old.problem.but(begin=hold.begin) if hold else old.problem
    program = problem.program(old.program.trees | {original: tree})
    if hold:
        hold.stands_in(program)
    replay = Replay(problem, program, old.forward_result)
    base = replay.run()
    if base.error is not None or search.results.vector(problem.came(base.result, search.results.pairs)) is None:
        return None
    editing = Editing(problem, program, old.forward_result, search.results, search.editing.inner)
    made = type(search)(replay, search.results, search.explaining, editing, base)
    made.hold, made.right, made.is_of_several = hold, search.right, True
    return made
