"""What stands in the lines of a backward program: what they set and read, which of them give no arrays, what is never
set. It is read from the source; nothing is run."""

import ast
import collections

from tinyrnn.sources.syntax import targets_of
from tinyrnn.sources.vocabulary import BACKWARD, OF_ONE, names_gradients
from tinyrnn.verdicts.repair.analogy import base_of
from tinyrnn.verdicts.repair.around import called
from tinyrnn.verdicts.repair.in_place import set_by
from tinyrnn.verdicts.repair.statements import handed_on, headed


def is_load(node):
    """Whether a variable is read."""
    return isinstance(node.ctx, ast.Load)


def counted(nodes):
    """{name: how often it is read} in some nodes."""
    return collections.Counter(node.id for node in nodes if isinstance(node, ast.Name) and is_load(node))


def names_read(text):
    """The variables that a statement reads."""
    nodes = ast.walk(ast.parse(text)) if not text.endswith(":") else ()
    return {node.id for node in nodes if isinstance(node, ast.Name) and is_load(node)}


class Facts:
    """The facts about the functions of which `edits_of(scope)`, a method of what has them, gives the `Edits`."""

    def hands_on(self, scope, line, name):
        """Whether the `return` of a line gives a variable as it is."""
        edits = self.edits_of(scope)
        statements = edits.lines.get(line, ()) if edits else ()
        return any(node.id == name for statement in statements for node in handed_on(statement))

    def set_at(self, place):
        """The names of what a line sets, or sets entries of."""
        edits = self.edits_of(place[0])
        targets = [one for node in (edits.lines.get(place[1], ()) if edits else ()) for one in set_by(node)]
        return {base_of(target) for target in targets}

    def read_at(self, place):
        """The names of what a line reads."""
        edits = self.edits_of(place[0])
        statements = edits.lines.get(place[1], ()) if edits else ()
        nodes = [node for one in statements for node in ast.walk(headed(one)) if isinstance(node, ast.Name)]
        return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}

    def behind(self, places):
        """(scope, line) of what sets a variable that some lines read, or that what sets it reads, and so on."""
        found, queue = dict.fromkeys(places), list(places)
        while queue:
            scope, _ = place = queue.pop(0)
            edits, names = self.edits_of(scope), self.read_at(place)
            before = [(scope, line) for line in (edits.lines if edits else ()) if names & self.set_at((scope, line))]
            queue += [one for one in before if one not in found]
            found |= dict.fromkeys(before)
        return [place for place in found if place not in places]

    def is_alias(self, place):
        """Whether a line only gives a variable, or an attribute, another name, or keeps it in an object."""
        edits = self.edits_of(place[0])
        statements = [one for one in (edits.lines.get(place[1], ()) if edits else ()) if isinstance(one, ast.Assign)]
        plain = [(one.targets[0], one.value) for one in statements if isinstance(one.value, ast.Name | ast.Attribute)]
        kept = any(isinstance(target, ast.Attribute) for target, _ in plain)
        return kept or any(isinstance(to, ast.Name) and called(value) != to.id for to, value in plain)

    def read_in(self, scope):
        """{name: how often a function reads it}."""
        edits = self.edits_of(scope)
        return counted(ast.walk(edits.tree) if edits else ())

    def set_for_nothing(self, edit):
        """(scope, line) of what sets a variable by itself that a line reads, and nothing does with an `Edit` of that
        line; the nearest before it first. Where the line sets it anew, so does the last one before it."""
        scope, at = edit.place
        edits, read = self.edits_of(scope), self.read_at(edit.place)
        after = {node.id for node in ast.walk(edit.tree) if isinstance(node, ast.Name) and is_load(node)}
        own = self.set_at(edit.place) - names_read(edit.after)
        lines = sorted((line for line in edits.lines if line != at), key=lambda line: (line > at, abs(line - at)))
        for name in sorted(read & {one for one in read if one not in after or one in own}):
            there = [line for line in lines if self.set_at((scope, line)) == {name}]
            yield from ((scope, line) for line in (there if name not in after else there[:1]))

    def numbers_for(self, place):
        """([(scope, line)], the nearest first, of what sets whole numbers at which a line, or what is worked out for it
        alone, reads or sets an array, and which nothing else reads but to compare them; the same of other whole
        numbers)."""
        scope, edits, times = place[0], self.edits_of(place[0]), self.read_in(place[0])
        if edits is None:
            return [], []
        nodes = list(ast.walk(edits.tree))
        compared = [node for one in nodes if isinstance(one, ast.Compare) for node in ast.walk(one)]
        times = times - counted(compared)
        lines, places, sizes = [place[1]], [], []
        for line in lines:  # which grows
            there = [node for one in edits.lines.get(line, ()) for node in ast.walk(headed(one))]
            indices = [node.slice for node in there if isinstance(node, ast.Subscript)]
            at = {name for index in indices for name in counted(ast.walk(index))}
            alone = {name for name, number in counted(there).items() if number == times[name]}
            made = {one: self.set_at((scope, one)) for one in reversed(edits.lines) if one not in lines}
            before = [one for one, names in made.items() if names and names <= alone]
            numbers = [one for one in before if made[one] <= {*edits.picks}]
            places += [(scope, one) for one in numbers if made[one] <= at]
            sizes += [(scope, one) for one in numbers if not made[one] <= at]
            lines += before
        return places, sizes

    def units_within(self, place, units):
        """Those of some units that are of a line, or of one that stands in what begins there."""
        edits = self.edits_of(place[0])
        lines = {place[1]}
        for statement in edits.lines.get(place[1], ()) if edits else ():
            lines.update(range(statement.lineno, statement.end_lineno + 1))
        return [unit for unit in units if unit.place[0] == place[0] and unit.place[1] in lines]

    def without_units(self, units, ran=()):
        """(scope, line) of what computes no floats, or is not told of, and may be wrong: loops, conditions, calls by
        themselves, integers, entries of dicts on lines of their own; in the functions that some units are of, and of
        others that `ran` in those that set gradients, in lists or in boxes, or are given some."""
        known = {unit.place for unit in units}
        others = [scope for scope in ran if self.sets_gradients(scope)]
        for scope in dict.fromkeys([*(scope for scope, _ in sorted(known)), *others]):
            edits = self.edits_of(scope)
            for line, statements in edits.lines.items() if edits else ():
                if (scope, line) not in known or any(isinstance(one, ast.Expr) for one in statements):
                    yield scope, line
            yield from ((scope, line) for line in (edits.entries if edits else ()) if (scope, line) not in known)

    def sets_sizes(self, place):
        """Whether a line sets whole numbers alone: by which something is divided, say."""
        names, edits = self.set_at(place), self.edits_of(place[0])
        return bool(names) and edits is not None and names <= {*edits.picks}

    def sets_gradients(self, scope):
        """Whether a function sets something by the name of a gradient, or is given something, as a method called
        backward is under any name."""
        edits = self.edits_of(scope)
        set_there = [called(one) for one in targets_of(edits.tree)] if edits else []
        given = [one.arg for one in edits.tree.args.args if one.arg in OF_ONE] if edits else []
        is_backward = scope.rpartition(".")[2] in BACKWARD and bool(edits) and len(edits.tree.args.args) > 1
        return is_backward or bool(given) or any(map(names_gradients, set_there))

    def never_set(self, units):
        """(scope, line) of what sets a variable that a loop should set or add to and does not, or what should first get
        what was kept, where some units are."""
        for scope in {unit.place[0] for unit in units}:
            missing = edits.missing if (edits := self.edits_of(scope)) else None
            starts = missing.starting if missing else ()
            yield from ((scope, statement.lineno) for statement in starts)

    def nearly_named(self, units):
        """(scope, line) of what sets a variable that nothing reads, and another one is called nearly so that a loop
        should set and does not, where some units are."""
        for scope in {unit.place[0] for unit in units}:
            edits = self.edits_of(scope)
            for line, statements in edits.lines.items() if edits else ():
                if any(any(edits.nearly_named(one)) for one in statements):
                    yield scope, line

    def is_never_filled(self, unit):
        """Whether a line starts a gradient with zeros to which nothing in its function adds, nor in another one if an
        object keeps it, and that is given to no call which might."""
        edits = self.edits_of(unit.site.scope) if unit.site.zero else None
        own = f"self.{unit.site.name}" if unit.site.box == "self" else unit.site.name
        if edits is None or own not in edits.missing.set_once:
            return False
        calls = [n.value for n in ast.walk(edits.tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
        if any(own == ast.unparse(n) for call in calls for n in ast.walk(call)):
            return False
        here = self.functions[unit.site.scope].original
        others = [f for f in self.program.originals() if f is not here] if own != unit.site.name else []
        return not any(called(one) == unit.site.name for f in others for one in targets_of(self.tree_of(f)))

    def is_loop(self, place):
        """Whether a loop begins at (scope, line)."""
        edits = self.edits_of(place[0])
        return any(isinstance(node, ast.For) for node in (edits.lines.get(place[1], ()) if edits else ()))

    def is_left_out(self, place):
        """Whether there is a `pass` at (scope, line), which is all that a loop does."""
        edits = self.edits_of(place[0])
        return any(isinstance(node, ast.Pass) for node in (edits.lines.get(place[1], ()) if edits else ()))

    def is_call(self, place):
        """Whether a line is a call by itself."""
        edits = self.edits_of(place[0])
        there = edits.lines.get(place[1], ()) if edits else ()
        return any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in there)

    def returns(self, place):
        """Whether a line ends its function."""
        edits = self.edits_of(place[0])
        return any(isinstance(node, ast.Return) for node in (edits.lines.get(place[1], ()) if edits else ()))
