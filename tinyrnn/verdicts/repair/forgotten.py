"""What a function leaves out, by what it does to other things: what nothing sets, adds to, scales or hands on.

What puts it back in is in `tinyrnn.verdicts.repair.missing`.
"""

import ast
import re
from collections import Counter
from itertools import product

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import is_variable, makes_zero, name_of, targets_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.analogy import renamed, replaced
from tinyrnn.verdicts.repair.statements import blocks_of, does_nothing, is_name, look_of
from tinyrnn.verdicts.repair.steps_written_out import done_at_other_steps
from tinyrnn.verdicts.repair.texts import without_digits


class Forgotten:
    """What is left out in a function. tree: its syntax tree. atoms: the texts of what may be put in; unread: those that
    nothing reads."""

    def __init__(self, tree, atoms, unread=()):
        self.tree, self.atoms = tree, sorted(atoms, key=lambda atom: atom not in unread)
        self.unread = [atom for atom in self.atoms if atom in unread]
        self.loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
        times = Counter(variable_of(target) for target in targets_of(tree))
        self.set_once = {name for name, count in times.items() if count == 1}  # the variables that one statement sets
        self.starts = self.statements_of(self.set_once)
        self.blank = self.zeros()
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
        self.unlike_siblings = self.never_scaled_as_siblings()
        for statement, texts in self.unlike_siblings.items():
            self.unlike_others.setdefault(statement, []).extend((statement, text) for text in texts)
        for statement, several in done_at_other_steps(tree).items():
            self.unlike_others.setdefault(statement, []).extend(several)
        several = self.stale, self.left_behind, self.received, self.unadded, self.unscaled, self.standing_still
        self.empty = {loop.body[0]: entry for loop in self.loops if (entry := gone_through_for_nothing(loop))}
        self.of_one_side = self.never_called_for_others()
        several = *several, self.beside, self.unlike_others, self.empty, self.of_one_side
        self.starting = list(dict.fromkeys(statement for some in (*several, self.blank.values()) for statement in some))

    def statements_of(self, names):
        """{variable: the statement that sets it by itself}, of some of those that one statement alone sets."""
        plain = [n for n in ast.walk(self.tree) if isinstance(n, ast.Assign) and is_variable(n.targets[0])]
        found = {ast.unparse(node.targets[0]): node for node in plain}
        return {name: node for name, node in found.items() if name in names}

    def never_set(self):
        """{the statement that sets variables to zeros: {such a one that nothing else sets: a loop after it that reads
        it, or may leave its gradient}}."""
        zeros, found = self.blank, {}
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
        for start, other, text in self.never_moved_on_as_others(known):
            found.setdefault(start, []).append((other, text))
        return found

    def never_moved_on_as_others(self, known):
        """(the statement that gives a gradient its first value, one that moves another gradient on at the end of a step
        of a loop which reads both, the text of what does that to the first): `dc_next = step["dc"]` where there is
        `dh_next = step["dh"]`. known: the names that there are."""
        for loop in self.loops:
            read = {one.id for one in within(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            moved = [one for one in loop.body if isinstance(one, ast.Assign) and is_name(one.targets[0])]
            names = {one.targets[0].id: one for one in moved if one.targets[0].id in read}
            still = [name for name in sorted(read & self.starts.keys()) if is_before(self.starts[name], loop)]
            for name, (its, other) in product(filter(names_gradients, still), names.items()):
                if names_gradients(its) and (value := renamed(other.value, its, name, known, any_key=True)):
                    yield self.starts[name], other, f"{name} = {ast.unparse(value)}"

    def never_scaled_as_siblings(self):
        """{the statement that sets a variable last: [the text of what scales it as one of its block scales another
        variable, which is called so but for its number]}: `a1 /= keep` where there is `a2 /= keep`."""
        found = {}
        for block in blocks_of(self.tree):
            setting = [one for one in block if isinstance(one, ast.Assign | ast.AugAssign)]
            last = {variable_of(next(targets_of(one))): one for one in setting}
            scaled = [one for one in setting if isinstance(one, ast.AugAssign) and is_scaling(one)]
            scaled = {(ast.unparse(one.target), ast.unparse(one.value)): one for one in scaled}
            for (its, by), other in scaled.items():
                alike = [own for own in last if own != its and without_digits(own) == without_digits(its)]
                for own in (own for own in alike if (own, by) not in scaled):
                    made = ast.copy_location(but(other, target=ast.Name(own, ast.Store())), other)
                    found.setdefault(last[own], []).append(ast.unparse(made))
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


def gone_through_for_nothing(loop):
    """The text of an entry of what a loop goes through by its keys, or places, and does nothing with: `grads[k]` of
    `for k in grads: pass`; None of another loop."""
    through = re.fullmatch(r"range\(len\((.+)\)\)|(\S+?)(?:\.keys\(\))?", ast.unparse(loop.iter))
    is_idle = through and does_nothing(loop) and is_name(loop.target)
    return f"{through[1] or through[2]}[{loop.target.id}]" if is_idle else None


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


def left_over(rounds):
    """The names that a comprehension gives what it runs through, and that it does not read: `nb` of
    `[dnb for nb, dnb in zip(total, more)]`."""
    names = [node for node in ast.walk(rounds) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return sorted({node.id for node in names if isinstance(node.ctx, ast.Store)} - read - {"_"})


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
