"""Statements that may be missing: what is done to a variable once it is built up, and what a loop should hand on.

A statement that was left out leaves no wrong line behind. What puts it back in is an edit of the line that sets its
variable: `dx[…] -= 1`, after which `dx /= N` is missing, or `dh_next = zeros`, which every pass of the loop reads and
none sets.
"""

import ast
import copy
from itertools import product

from tinyrnn.sources.syntax import is_variable, leaves_of, makes_zero, name_of, targets_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.analogy import handed_on_by_loops
from tinyrnn.verdicts.repair.forgotten import Forgotten, is_before, variable_of
from tinyrnn.verdicts.repair.statements import IDENTIFIER

AFTER = ("{v} *= {a}", "{v} /= {a}", "{v} += {a}", "{v} -= {a}")
SIZES = ("{v}.shape[0]", "{v}.shape[1]")  # by which it may be divided
BLANKED = ("{v}[{a}] = 0", "{v}[~{a}] = 0")  # the gradient of a ReLU, where nothing came through
EVERY = ("*=", "/=", "+=", "-=")  # what is done to each entry of what a loop goes through
OTHER_SIDE = {ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.LtE: ast.Gt}
FILLED = "ones", "ones_like", "zeros", "zeros_like", "full", "full_like", "copy", "array"
SHORT = 9  # statements of a function that gives slopes
ONE_HOT = "{v}[{a}] = 1"
PICKED = ("{v}[{a}] -= 1", "{v}[range(len({v})), {a}] -= 1")  # the gradient of a softmax's loss, at the targets


def as_one(statements):
    """Several statements as one, whose text they are: one line of a tree, where one stood before."""
    return ast.If(ast.Constant(True), list(statements), [])


def are_several(node):
    """Whether a node is what `as_one` makes."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Constant)


def placed(text, node):
    """The statement of a text, as if it stood where a node does."""
    (statement,) = ast.parse(text).body
    for part in ast.walk(statement):
        ast.copy_location(part, node)
    return statement


class Missing(Forgotten):
    """What may be missing in a function, and where. tree, atoms, unread: as for `Forgotten`. picks: the texts of those
    of the atoms that are whole numbers; flags: that are true or false. labels: the texts of whole numbers that objects
    have; products: of products of two arrays. fractions: numbers that are no whole ones."""

    def __init__(self, tree, atoms, picks=(), flags=(), unread=(), labels=(), products=(), fractions=()):
        super().__init__(tree, atoms, unread)
        self.picks, self.flags, self.labels, self.products = picks, flags, labels, products
        self.fractions = fractions

    def before(self, statement):
        """The statements, each with another one before it, that may stand in place of one."""
        hands_on = isinstance(statement, ast.Return | ast.Assign) and isinstance(statement.value, ast.Name)
        blanked = [p.format(v=statement.value.id, a=a) for a in self.flags for p in BLANKED] if hands_on else []
        for text in (*self.received.get(statement, ()), *self.of_one_side.get(statement, ()), *blanked):
            yield as_one([placed(text, statement), statement])

    def after(self, statement):
        """The statements, each with another one behind it, that may stand in place of one that sets a variable."""
        for atom in self.atoms if statement in self.beside else ():
            yield as_one([statement, placed(f"{self.beside[statement]} = {atom}", statement)])
        for text in (*self.one_hot(statement), *self.of_the_other_side(statement)):
            yield as_one([statement, placed(text, statement)])
        targets = targets_of(statement) if isinstance(statement, ast.Assign | ast.AugAssign) else ()
        names = list(dict.fromkeys(variable_of(target) for target in targets))
        names = [name for name in names if "(" not in name]  # what a call gives is set nowhere else
        if len(names) == 1 and statement not in self.stale:
            own, is_plain = names[0], isinstance(statement, ast.Assign) and is_variable(statement.targets[0])
            atoms = [atom for atom in self.atoms if atom != own]
            patterns = [(pattern, dict.fromkeys([*self.picks, *self.labels])) for pattern in PICKED]
            patterns += [(pattern, self.flags) for pattern in BLANKED if is_copy(statement)]
            is_whole = is_plain and own not in self.cut and names_gradients(own)
            patterns += [(pattern, atoms) for pattern in self.cutting] if is_whole else []
            patterns += [(pattern, [own]) for pattern in self.scaling] if is_plain and own not in self.scaled else []
            patterns += [] if is_plain else [(pattern, atoms) for pattern in AFTER]  # of which other edits are as good
            patterns += [] if is_plain else [("{v} /= {a}", [size.format(v=own) for size in SIZES])]
            for pattern, several in patterns:
                for atom in several:
                    yield as_one([statement, placed(pattern.format(v=own, a=atom), statement)])

    def one_hot(self, statement):
        """What makes one of an entry of zeros that nothing fills: the target of a softmax, the one sample that is no
        negative one."""
        names = [name for name, start in self.blank.items() if start is statement]
        yield from (ONE_HOT.format(v=name, a=place) for name in names for place in dict.fromkeys([*self.picks, "0"]))

    def of_the_other_side(self, statement):
        """What sets the slopes on one side of zero: `x[x > 0] = 1` behind `x[x <= 0] = 0`, or, in a short function,
        `dx[x < 0] = alpha` behind `dx = np.ones_like(x)`."""
        is_short = sum(isinstance(node, ast.stmt) for node in ast.walk(self.tree)) <= SHORT
        places, slopes = [], ("1", "0", *map(repr, self.fractions), *filter(str.isidentifier, self.atoms))
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Compare(ops=[op], comparators=[ast.Constant()])) as target]
            ) if type(op) in OTHER_SIDE:
                asked = copy.deepcopy(target)
                asked.slice.ops = [OTHER_SIDE[type(op)]()]
                places = [ast.unparse(asked)]
                slopes = slopes if is_short else slopes[:1]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)) if (
                is_short and name_of(function) in FILLED
            ):
                places = [f"{name}[{atom} {sign} 0]" for atom in self.atoms if atom.isidentifier() for sign in "<>"]
        yield from (f"{place} = {slope}" for place in places for slope in slopes)

    def added(self, statement):
        """(another statement, what may stand in its place) that adds what it sets, and nothing reads, to what a
        statement sets."""
        for name, other, late in self.unadded.get(statement, ()):
            yield late, as_one([late, placed(f"{name} += {other}", late)])
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            name = ast.unparse(statement.target)
            for late, other in self.set_after(statement) if names_gradients(name) else ():
                there = [text for text in self.products if other in IDENTIFIER.findall(text)]
                yield from (
                    (late, as_one([late, placed(f"{name} += {text}", late)])) for text in there if name != other
                )

    def by_unread(self, statement):
        """(another statement, what may stand in its place) that multiplies what a statement sets by what it sets, and
        nothing reads."""
        for name, other, late in self.unscaled.get(statement, ()):
            yield late, as_one([late, placed(f"{name} = {name} * {other}", late)])

    def as_others(self, statement):
        """(what a statement stands in, what may stand in its place) that does to what it sets, behind it, what is done
        to another variable."""
        for outer, text in self.unlike_others.get(statement, ()):
            yield outer, as_one([outer, placed(text, outer)])

    def scaled_as_siblings(self, statement):
        """(a statement, what may stand in its place) that scales what it sets, as another variable is scaled."""
        for text in self.unlike_siblings.get(statement, ()):
            yield statement, as_one([statement, placed(text, statement)])

    def filled(self, statement):
        """(the `pass` that is all that a loop does, what may stand in its place), of each entry of what it goes
        through."""
        if entry := self.empty.get(statement):
            _, _, key = entry.partition("[")
            entries = [f"{atom}[{key}" for atom in self.atoms if atom.isidentifier()]
            tries = product(EVERY, [*self.atoms, *entries])
            yield from ((statement, placed(f"{entry} {by} {atom}", statement)) for by, atom in tries if atom != entry)

    def set_after(self, statement):
        """[(a statement further down in the same block, the gradient that it sets)]: a product of that may belong to a
        sum."""
        blocks = [getattr(node, "body", ()) for node in ast.walk(self.tree)]
        block = next((one for one in blocks if isinstance(one, list) and statement in one), [statement])
        later = [one for one in block[block.index(statement) + 1 :] if isinstance(one, ast.Assign)]
        named = [(one, one.targets[0].id) for one in later if isinstance(one.targets[0], ast.Name)]
        return [(one, name) for one, name in named if names_gradients(name) and not makes_zero(one.value)]

    def handed_on(self, statement):
        """(a loop, what may stand in its place) for a statement that sets what the loop should hand on, or add to."""
        for name, loop in self.stale.get(statement, {}).items():
            beside = handed_on_by_loops(self.atoms, [each.id for each in leaves_of(loop.target)])
            tries = [("=", atom) for atom in self.unread] + [("+=", atom) for atom in self.atoms]
            tries += [("=", atom) for atom in (*self.atoms, *beside)]
            yield from ((loop, ending_in(loop, name, *one, statement)) for one in tries if one[1] != name)
        if statement not in self.stale:
            yield from self.moved_on(statement)
        for name, loop in self.left_behind.get(statement, ()):
            is_one = is_variable(statement.targets[0])  # of several that it sets, only what is never read tells of one
            atoms = [atom for atom in (self.atoms if is_one else self.unread) if atom != name]
            yield from ((loop, ending_in(loop, name, "+=", atom, statement)) for atom in atoms)

    def moved_on(self, statement):
        """(a loop, what may stand in its place) for a statement that sets a first state, and the loop should the
        next."""
        for loop, value in self.standing_still.get(statement, ()):
            yield loop, ending_in(loop, ast.unparse(statement.targets[0]), "=", value, statement)

    def never_filled_steps(self, statement):
        """What `fills` gives of a statement that sets to zeros what nothing fills, of loops that read entries of it."""
        if statement in self.starts.values() and makes_zero(statement.value):
            name = ast.unparse(statement.targets[0])
            for loop, made in self.fills(statement):
                entries = [node for node in ast.walk(loop) if isinstance(node, ast.Subscript)]
                if any(ast.unparse(node.value) == name for node in entries):
                    yield loop, made

    def fills(self, statement):
        """(a loop, what may stand in its place) that fills at each step what a statement sets to zeros."""
        name = ast.unparse(statement.targets[0])
        for loop in (one for one in self.loops if is_before(statement, one)):
            set_there = dict.fromkeys(variable_of(target) for target in targets_of(loop))
            steps = [one for one in leaves_of(loop.target) if isinstance(one, ast.Name)]
            for step in steps:
                for atom in (one for one in set_there if one not in (name, step.id)):
                    yield loop, ending_in(loop, f"{name}[{step.id}]", "=", atom, statement)


def ending_in(loop, name, sets, value, node):
    """A loop that sets something at its end. sets: `=` or `+=`. node: where that stands for lines."""
    made = copy.copy(loop)
    made.body = [*loop.body, placed(f"{name} {sets} {value}", node)]
    return made


def is_copy(statement):
    """Whether a statement sets a copy of an array, as what is changed in place then."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "copy"
