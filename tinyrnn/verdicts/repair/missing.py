"""Statements that may be missing: what is done to a variable once it is built up, and what a loop should hand on.

A statement that was left out leaves no wrong line behind. What puts it back in is an edit of the line that sets its
variable: `dx[…] -= 1`, after which `dx /= N` is missing, or `dh_next = zeros`, which every pass of the loop reads and
none sets.
"""

import ast
import copy
import re
from collections import Counter
from itertools import product

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import is_variable, leaves_of, makes_zero, name_of, targets_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.analogy import handed_on_by_loops, renamed, replaced
from tinyrnn.verdicts.repair.statements import IDENTIFIER, blocks_of, does_nothing, is_name, look_of

AFTER = ("{v} *= {a}", "{v} /= {a}", "{v} += {a}", "{v} -= {a}")
SIZES = ("{v}.shape[0]", "{v}.shape[1]")  # by which it may be divided
BLANKED = ("{v}[{a}] = 0", "{v}[~{a}] = 0")  # the gradient of a ReLU, where nothing came through
EVERY = ("*=", "/=", "+=", "-=")  # what is done to each entry of what a loop goes through
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


class Missing:
    """What may be missing in a function. tree: its syntax tree. atoms: the texts of what may be put in; picks: those of
    them that are whole numbers; flags: that are true or false; unread: those that nothing reads. labels: the texts of
    whole numbers that objects have; products: of products of two arrays."""

    def __init__(self, tree, atoms, picks=(), flags=(), unread=(), labels=(), products=()):
        self.tree, self.atoms, self.picks = tree, sorted(atoms, key=lambda atom: atom not in unread), picks
        self.flags, self.labels, self.products = flags, labels, products
        self.unread = [atom for atom in self.atoms if atom in unread]
        self.loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
        times = Counter(variable_of(target) for target in targets_of(tree))
        self.set_once = {name for name, count in times.items() if count == 1}  # the variables that one statement sets
        self.starts = self.statements_of(self.set_once)
        self.stale, self.left_behind = self.never_set(), self.never_grown()
        self.received, self.unadded = dict(self.never_received()), self.never_added()
        self.unscaled = self.never_scaled()
        self.standing_still = self.never_moved_on()
        self.beside = dict(self.never_filled())
        cut = [one.targets[0] for one in ast.walk(tree) if is_cut(one)]
        self.cut = {variable_of(one) for one in cut}  # and what else may be cut off as these are
        self.cutting = dict.fromkeys(map(cutting, cut))
        scaled = [one for one in ast.walk(tree) if isinstance(one, ast.AugAssign) and is_scaling(one)]
        self.scaled = {variable_of(one.target) for one in scaled}  # in place, and what else may be as these are
        self.scaling = dict.fromkeys(map(pattern_of, scaled))
        self.unlike_others = self.never_done_as_others()
        several = self.stale, self.left_behind, self.received, self.unadded, self.unscaled, self.standing_still
        self.empty = {loop.body[0]: entry for loop in self.loops if (entry := gone_through_for_nothing(loop))}
        self.of_one_side = self.never_called_for_others()
        several = *several, self.beside, self.unlike_others, self.empty, self.of_one_side
        self.starting = [statement for some in several for statement in some]  # what something may be missing after

    def statements_of(self, names):
        """{variable: the statement that sets it by itself}, of some of those that one statement alone sets."""
        plain = [n for n in ast.walk(self.tree) if isinstance(n, ast.Assign) and is_variable(n.targets[0])]
        found = {ast.unparse(node.targets[0]): node for node in plain}
        return {name: node for name, node in found.items() if name in names}

    def never_set(self):
        """{the statement that sets variables to zeros: {such a one that nothing else sets: a loop after it that reads
        it, or may leave its gradient}}."""
        zeros, found = self.zeros(), {}
        read = {
            loop: {ast.unparse(n) for n in within(loop) if is_variable(n) and isinstance(n.ctx, ast.Load)}
            for loop in self.loops
        }
        pairs = [(name, loop) for loop in self.loops for name in sorted(zeros) if is_before(zeros[name], loop)]
        for name, loop in sorted(pairs, key=lambda pair: pair[0] not in read[pair[1]]):  # those that read it first
            if name in read[loop] or names_gradients(name):
                found.setdefault(zeros[name], {}).setdefault(name, loop)
        return found

    def zeros(self):
        """{variable that one statement alone sets: that, where it sets it to zeros, by itself or one of several}."""
        found = {name: start for name, start in self.starts.items() if makes_zero(start.value)}
        for start in (node for node in ast.walk(self.tree) if isinstance(node, ast.Assign)):
            target, value = start.targets[0], start.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = zip(map(ast.unparse, target.elts), value.elts, strict=True)
                found |= {name: start for name, one in pairs if name in self.set_once and makes_zero(one)}
        return found

    def never_moved_on(self):
        """{the statement that gives a variable, which nothing else sets, a first state, of zeros or a copy: [(a loop
        after it that reads it, a variable of a like name that the loop sets)]}: it may be the next one."""
        found = {}
        for name, start in self.starts.items():
            if is_variable(start.targets[0]) and (is_variable(start.value) or makes_zero(start.value)):
                for loop in (one for one in self.loops if is_before(start, one)):
                    read = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
                    made = dict.fromkeys(ast.unparse(leaf) for leaf in targets_of(loop) if is_variable(leaf))
                    alike = [one for one in made if are_of_one_kind(name, one)] if name in read else []
                    found.setdefault(start, []).extend((loop, one) for one in alike)
        return {start: several for start, several in found.items() if several}

    def never_grown(self):
        """{the statement that sets gradients which nothing sets again: [(such a one, a loop after it that does not read
        it and adds to others)]}: of the last step alone, perhaps."""
        last = {variable_of(target): line_of(target) for target in sorted(targets_of(self.tree), key=line_of)}
        found, plain = {}, [n for n in ast.walk(self.tree) if isinstance(n, ast.Assign) and not makes_zero(n.value)]
        for loop in self.loops:
            grown = {variable_of(node.target) for node in ast.walk(loop) if isinstance(node, ast.AugAssign)}
            read = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)}
            for start in (one for one in plain if grown and is_before(one, loop)):
                names = [ast.unparse(leaf) for leaf in targets_of(start) if is_variable(leaf)]
                names = [name for name in names if names_gradients(name) and name not in read]
                names = [name for name in names if last[name] == line_of(start)]
                found.setdefault(start, []).extend((name, loop) for name in names)
        return {start: several for start, several in found.items() if several}

    def never_filled(self):
        """(the statement that fills an array of zeros but for the first place along an axis, or the last, and is the
        only one to do so; that place as it would be set)."""
        zeros = {variable_of(one.targets[0]) for one in ast.walk(self.tree) if is_start_of_zeros(one)}
        filling = [one for one in ast.walk(self.tree) if isinstance(one, ast.Assign) and is_entry_of(one, zeros)]
        times = Counter(variable_of(one.targets[0]) for one in filling)
        for statement in (one for one in filling if times[variable_of(one.targets[0])] == 1):
            if place := rest_of(statement.targets[0]):
                yield statement, place

    def never_added(self):
        """{the statement that sets a gradient: [(that, another gradient that nothing reads, the statement that sets
        it)]}, of those that are set further down, before the first is set again: it may lack them."""
        plain = [n for n in ast.walk(self.tree) if isinstance(n, ast.Assign) and not makes_zero(n.value)]
        named = [(n, ast.unparse(leaf)) for n in plain for leaf in targets_of(n) if is_variable(leaf)]
        named = sorted([(n, name) for n, name in named if names_gradients(name)], key=lambda pair: line_of(pair[0]))
        found = {}
        for late, other in (pair for pair in named if pair[1] in self.unread):
            before = {name: start for start, name in named if line_of(start) < line_of(late)}
            for name, start in before.items():
                found.setdefault(start, []).append((name, other, late))
        return found

    def never_scaled(self):
        """{the statement that last sets a variable: [(that, what is worked out behind it and nothing reads, the
        statement that sets it)]}, of variables that are read further down: they may lack it as a factor."""
        nodes = list(ast.walk(self.tree))
        read = {(ast.unparse(n), n.lineno) for n in nodes if is_variable(n) and isinstance(n.ctx, ast.Load)}
        sets = sorted((one for one in nodes if isinstance(one, ast.Assign | ast.AugAssign)), key=line_of)
        worked_out = [
            one for one in sets if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call | ast.BinOp)
        ]
        found = {}
        for late in (one for one in worked_out if ast.unparse(one.targets[0]) in self.unread):
            before = {variable_of(leaf): one for one in sets if one.lineno < late.lineno for leaf in targets_of(one)}
            later = {name for name, line in read if line > late.lineno}
            for name in (one for one in before if one in later):
                found.setdefault(before[name], []).append((name, ast.unparse(late.targets[0]), late))
        return found

    def never_done_as_others(self):
        """{the statement that sets a variable: [(that or what it stands in, the text of a statement that does to the
        variable, behind it, what another one of the block does to another variable)]}: `dW += reg * W` where there is
        `dU += reg * U`."""
        known, found = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}, {}
        for block in blocks_of(self.tree):
            for one, other, text in self.entries_never_scaled(block):
                found.setdefault(one, []).append((other, text))
            grown = [one for one in block if isinstance(one, ast.AugAssign) and is_variable(one.target)]
            done = {(ast.unparse(one.target), look_of(one.value)) for one in grown}
            for other, outer in product(grown, block):
                for one in (n for n in ast.walk(outer) if isinstance(n, ast.Assign | ast.AugAssign)):
                    its, own = variable_of(other.target), variable_of(next(targets_of(one), other.target))
                    if own == its or (own, look_of(other.value)) in done or not names_gradients(called_by(own)):
                        continue
                    if is_scaling(other) and is_before(one, other) and names_gradients(called_by(its)):
                        made = but(other, target=ast.Name(own, ast.Store()))  # in place, once all are built up
                        found.setdefault(one, []).append((other, ast.unparse(made)))
                    if value := renamed(other.value, called_by(its), called_by(own), known):
                        made = but(other, target=ast.Name(own, ast.Store()), value=value)
                        found.setdefault(one, []).append((outer, ast.unparse(made)))
        return found

    def entries_never_scaled(self, block):
        """(the statement that sets an entry, one of a block that multiplies or divides the entry at the same place of
        another array, the text of what does it to the first): `db[k] /= n` where there is `dW[k] /= n`."""
        scaled = [one for one in block if isinstance(one, ast.AugAssign) and is_scaling(one)]
        scaled = [one for one in scaled if isinstance(one.target, ast.Subscript)]
        done = {ast.unparse(one.target) for one in scaled}
        for other in scaled:
            for one in (node for node in ast.walk(self.tree) if isinstance(node, ast.Assign | ast.AugAssign)):
                target = next(targets_of(one), None)
                is_alike = isinstance(target, ast.Subscript) and same(target.slice, other.target.slice)
                if is_alike and is_before(one, other) and ast.unparse(target) not in done:
                    yield one, other, ast.unparse(but(other, target=target))

    def never_called_for_others(self):
        """{a call by itself that is given an attribute of something: [the text of such a call that is given another one
        of it, for which the function has none]}: `self.add(node.left, dW)` beside `self.add(node.right, dW)`."""
        calls = [one for one in ast.walk(self.tree) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
        texts, found = {ast.unparse(one) for one in calls}, {}
        for call in calls:
            for given in (one for one in call.value.args if isinstance(one, ast.Attribute)):
                own, of = ast.unparse(given), f"{ast.unparse(given.value)}."
                others = [atom for atom in self.atoms if atom.startswith(of) and atom.removeprefix(of).isidentifier()]
                made = [ast.unparse(replaced(call, {own: ast.parse(one, mode="eval").body})) for one in others]
                found.setdefault(call, []).extend(text for text in made if text not in texts)
        return {call: several for call, several in found.items() if several}

    def never_received(self):
        """(the statement that first reads a gradient which a method is given, the texts of statements before it that
        add what the method keeps for its next call and never reads)."""
        attributes = [n for n in ast.walk(self.tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"]
        kept = {n.attr: True for n in attributes if isinstance(n.ctx, ast.Store) and names_gradients(n.attr)}
        unread = [name for name in kept if not any(n.attr == name and isinstance(n.ctx, ast.Load) for n in attributes)]
        plain = [one for one in self.tree.body if isinstance(one, ast.Assign | ast.AugAssign)]
        for name in [one.arg for one in self.tree.args.args if names_gradients(one.arg)] if unread else ():
            reads = (one for one in plain if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(one)))
            first = next(reads, None)
            if first is not None:
                yield first, [f"{name} = {name} + self.{attribute}" for attribute in unread]

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


def gone_through_for_nothing(loop):
    """The text of an entry of what a loop goes through by its keys, or places, and does nothing with: `grads[k]` of
    `for k in grads: pass`; None of another loop."""
    through = re.fullmatch(r"range\(len\((.+)\)\)|(\S+?)(?:\.keys\(\))?", ast.unparse(loop.iter))
    is_idle = through and does_nothing(loop) and is_name(loop.target)
    return f"{through[1] or through[2]}[{loop.target.id}]" if is_idle else None


def ending_in(loop, name, sets, value, node):
    """A loop that sets something at its end. sets: `=` or `+=`. node: where that stands for lines."""
    made = copy.copy(loop)
    made.body = [*loop.body, placed(f"{name} {sets} {value}", node)]
    return made


def are_of_one_kind(one, other):
    """Whether two names may be of a state and the next one: `h_prev` and `h_next`, `hprev` and `h`."""
    return bool({*one.split("_")} & {*other.split("_")}) or one.startswith(other) or other.startswith(one)


def pattern_of(statement):
    """The pattern of a statement that changes a variable in place: `{v} *= mask`."""
    return ast.unparse(but(statement, target=ast.Name("{v}", ast.Store())))


def is_scaling(node):
    """Whether a statement multiplies or divides what it sets by a variable or a size: `d *= mask`, `x.shape[0]`."""
    is_size = isinstance(node.value, ast.Subscript) and name_of(node.value.value) == "shape"
    is_value = isinstance(node.value, ast.Name | ast.Attribute) or is_size
    return is_value and isinstance(node.op, ast.Mult | ast.Div)


def same(one, other):
    """Whether two expressions are written alike."""
    return ast.unparse(one) == ast.unparse(other)


def is_cut(node):
    """Whether a node is a statement that sets entries of an array to zero where something holds: `d[h <= 0] = 0`."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Compare) and makes_zero(node.value)


def cutting(target):
    """The pattern of such a statement, of which `target` is what is set: `{v}[{a} <= 0] = 0`."""
    left, whole = (ast.unparse(one) for one in (target.slice.left, target.slice))
    return f"{{v}}[{{a}}{whole.removeprefix(left)}] = 0"


def is_copy(statement):
    """Whether a statement sets a copy of an array, as what is changed in place then."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "copy"


def is_start_of_zeros(node):
    """Whether a node is a statement that sets a variable to zeros."""
    return isinstance(node, ast.Assign) and is_variable(node.targets[0]) and makes_zero(node.value)


def is_entry_of(statement, names):
    """Whether a statement sets a part of one of some variables."""
    target = statement.targets[0]
    return isinstance(target, ast.Subscript) and ast.unparse(target.value) in names


def rest_of(target):
    """The text of the one place that a part of an array leaves out along an axis: `h[:, 0]` of `h[:, 1:]`, `h[-1]` of
    `h[:-1]`; None if it leaves out more, or nothing."""
    parts = list(target.slice.elts) if isinstance(target.slice, ast.Tuple) else [target.slice]
    for k, part in enumerate(parts):
        if isinstance(part, ast.Slice) and (text := ast.unparse(part)) in ("1:", ":-1"):
            parts[k] = ast.Constant(0 if text == "1:" else -1)
            return f"{ast.unparse(target.value)}[{', '.join(map(ast.unparse, parts))}]"
    return None


def line_of(node):
    """The line that a node begins at."""
    return node.lineno


def variable_of(target):
    """The text of the variable that is set, or of which an entry is."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target)


def called_by(text):
    """The last name of a variable or an attribute."""
    return text.rpartition(".")[2]


def is_before(node, loop):
    """Whether a node stands before a loop, and not in it."""
    return node.lineno < loop.lineno and not is_within(node, loop)


def within(loop):
    """The nodes of what a loop does, without what it runs through."""
    return (node for statement in loop.body for node in ast.walk(statement))


def is_within(node, other):
    """Whether a node stands in another one."""
    return any(one is node for one in ast.walk(other))
