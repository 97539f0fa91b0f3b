"""What the forward pass keeps for the backward pass, and keeps wrongly.

`cache = (x, 0 * h, f)` leaves the value of the forward pass as it is: it is a mistake of the backward pass all the
same, which reads it. No line of that is at fault then, and other values in one of them are no repair, or only that of
the line which takes the value out. What decides is a small edit of what is kept, with which all gradients are right and
the value of the forward pass is what it was.
"""

import ast
import re
from functools import cached_property

import numpy as np

from tinyrnn.sources.deadline import TooLong
from tinyrnn.sources.mutation.scope import rebuilt
from tinyrnn.sources.reading import code_of
from tinyrnn.sources.syntax import makes_zero
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.leaves import last_of
from tinyrnn.verdicts.repair.change import MISSING, TOKEN, Change
from tinyrnn.verdicts.repair.editing import disturbed
from tinyrnn.verdicts.repair.in_place import standing
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.replay import Replay

MOST_RUNS = 4000  # of both passes
MOST_OF_ONE = 100  # edits of one thing that is kept
SAME = 1e-12  # relative, of the value of the forward pass
KEPT = "__kept__"
OF_GRADIENTS = re.compile(r"back|bwd|bprop|grad", re.IGNORECASE)  # in the names of functions that go back


class Kept:
    """The edits of what the forward pass keeps, in a `Search`."""

    def __init__(self, search):
        self.search, self.editing, self.problem = search, search.editing, search.replay.problem
        self.left = int(MOST_RUNS * search.pace)  # runs

    @cached_property
    def value(self):
        """The value of the forward pass as it stands."""
        program = self.search.replay.program
        return self.problem.loss(program.run(None, self.problem.forward))

    def repair(self, other):
        """The `Repair` by an edit of the one thing that is kept wrongly; None if there is none, or `other`, of the
        backward pass, is as good: a small edit, but of a line that only takes out what was kept, where what is kept
        should be a variable as it is."""
        is_small = bool(other and other.edit and (other.edit.weight == TOKEN or other.edit.completes_a_pattern))
        if (is_small and not takes_out(other.edit.before)) or self.makes_more(other):
            return None
        if other and other.edit and other.edit.ends_an_idle_line:
            return None
        for place, tree, statement, leaf in self.leaves():
            if self.left <= 0:
                return None
            if is_plain(leaf) and (is_small or (other and other.edit and reads(other.edit.before, leaf))):
                continue  # it goes by the same name there
            if not self.is_only_kept(place[0], tree, statement, leaf):
                continue
            if makes_zero(leaf) and (filled := self.filled(place, tree, statement)):
                return filled
            own = {id(node) for node in ast.walk(leaf)}
            edits = self.editing.edits_of(place[0]).of_line(place[1], TOKEN)
            edits = [change for change in edits if change.statement is statement and id(change.node) in own]
            for change in edits[:MOST_OF_ONE]:
                if is_small and not (change.node is leaf and is_plain(change.put)):
                    continue
                if other and other.edit and is_plain(change.put) and keeps(statement, change.put):
                    continue  # it would be kept twice
                if self.editing.does(place[0], tree, change, self.is_right):
                    return self.by_edit(self.editing.edit(place, TOKEN, tree, change))
        return None

    def makes_more(self, other):
        """Whether values tell of one line, which makes something else of a variable under the same name: of a softmax
        taken twice that is meant, though the logits, if they were kept, would make up for it."""
        if not other or other.edit or len(other.places) > 1 or other.unexplained:
            return False
        ((scope, line),) = other.places
        edits = self.editing.edits_of(scope)
        for one in edits.lines.get(line, ()) if edits else ():
            names = {ast.unparse(node) for node in ast.walk(one.value)} if isinstance(one, ast.Assign) else ()
            if any(ast.unparse(target) in names for target in getattr(one, "targets", ())):
                return True
        return False

    def filled(self, place, tree, statement):
        """The `Repair` that fills at each step what a statement sets to zeros, and nothing fills; None if there is
        none."""
        edits = self.editing.edits_of(place[0])
        if statement not in edits.missing.starts.values():
            return None
        for loop, made in edits.missing.fills(statement):
            if self.left <= 0:
                return None
            change = Change(loop, loop, made)
            if self.editing.does(place[0], tree, change, self.is_right):
                return self.by_edit(self.editing.edit(place, MISSING, tree, change))
        return None

    def leaves(self):
        """(place, tree of its function, statement, expression in it) of all that the forward pass may keep."""
        for scope in dict.fromkeys(scope for scope, _ in sorted(self.lines)):
            edits = self.editing.edits_of(scope)
            for line, statements in edits.lines.items() if edits else ():
                for statement in statements:
                    for leaf in leaves_of(statement):
                        if (scope, line) in self.lines or not isinstance(statement, ast.Assign):
                            yield (scope, line), edits.tree, statement, leaf

    @cached_property
    def lines(self):
        """{(scope, line)} that run in the forward pass, and not in the backward pass besides; of what runs both, those
        of functions that work out what the loss depends on, in one that works out gradients too up to there."""
        sites = {(e.site.scope, e.site.line) for e in self.search.explaining.known.truth.events}
        units = [unit.site for unit, _ in self.search.base.units.values()]
        if not self.problem.returns_more:
            scopes = {site.scope for site in units}
            return {(scope, line) for scope, line in sites if scope not in scopes}
        last = {}  # {scope: the last line there that the loss depends on}
        for scope, line in self.search.forward:
            last[scope] = max(line, last.get(scope, 0))
        both = {site.scope for site in units if names_gradients(site.name) or OF_GRADIENTS.search(last_of(site.scope))}
        return {(s, line) for s, line in sites if s in last and (s not in both or line <= last[s])}

    def is_only_kept(self, scope, tree, statement, leaf):
        """Whether the backward pass reads something, and the value of the forward pass does not depend on it."""
        asked = ast.Call(ast.Name(KEPT, ast.Load()), [leaf], [])
        made = ast.fix_missing_locations(ast.copy_location(rebuilt(statement, {leaf: asked}), statement))
        worlds, rng = [form.__globals__ for form in self.editing.forms[scope]], np.random.default_rng(0)
        for world in worlds:
            world[KEPT] = lambda value: disturbed(value, rng)
        try:
            with standing(tree, statement, made):
                is_same, _ = self.outcome(
                    scope, lambda: code_of(self.editing.functions[scope].original, tree), moves=True
                )
        finally:
            for world in worlds:
                world.pop(KEPT, None)
        return is_same

    def is_right(self, scope, code):
        """Whether a function run as another code keeps the value of the forward pass, and all gradients are right."""
        return self.outcome(scope, code) == (True, True)

    def outcome(self, scope, code, moves=False):
        """(whether the value of the forward pass is what it was, whether all gradients are right) with another code of
        a function. code: function that makes it. moves: whether what is asked is that the gradients change."""
        value, problem, results = self.value, self.problem, self.search.results
        self.left -= 1
        with np.errstate(all="ignore"):
            try:
                with self.editing.running_as(scope, code()):
                    program = self.search.replay.program
                    result = program.run(None, problem.forward)
                    if not abs(problem.loss(result) - value) <= SAME * abs(value):
                        return False, False
                    came = problem.came(program.run(None, problem.backward_call(result)), results.pairs)
                if moves:
                    return not np.array_equal(results.vector(came), self.search.solver.came, equal_nan=True), False
                return True, not results.wrong(came)
            except (Exception, TooLong):
                return False, False

    def by_edit(self, edit):
        """The `Repair` that an `Edit` is."""
        problem, old = self.problem, self.search.replay.program
        program = problem.program(old.trees | {edit.function: edit.tree})
        run = Replay(problem, program, program.run(None, problem.forward)).run()
        explaining = self.search.explaining
        return Repair((), {}, run, lambda: explaining.costs(run, lambda place: False), {edit.place}, edit)


def leaves_of(statement):
    """The expressions of what a statement may keep: those in tuples, lists and dicts that it sets, returns or appends,
    or what it sets by itself."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Expr):
        is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        queue = list(value.args) if is_call else []
    else:
        queue = [value] if isinstance(statement, ast.Assign | ast.Return) and value is not None else []
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.Tuple | ast.List):
            queue += node.elts
        elif isinstance(node, ast.Dict):
            queue += node.values
        elif not isinstance(node, ast.Constant | ast.Starred):
            yield node


def keeps(statement, node):
    """Whether a statement keeps a variable as it is, among others."""
    return any(ast.unparse(leaf) == ast.unparse(node) for leaf in leaves_of(statement))


def takes_out(text):
    """Whether a statement only gives names to what is there."""
    statement = ast.parse(text).body[0]
    return isinstance(statement, ast.Assign) and all(map(is_plain, leaves_of(statement)))


def reads(text, variable):
    """Whether a statement reads a variable, or one of the same name."""
    return any(ast.unparse(node) == ast.unparse(variable) for node in ast.walk(ast.parse(text)))


def is_plain(node):
    """Whether an expression is a variable, an attribute or an entry, as it is."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
