"""What may have been meant at the lines of a forward pass: the edits that are tried there, and those that nobody makes
by mistake left out."""

import ast
import inspect
import re
from collections import defaultdict
from functools import cached_property

import numpy as np

from tinyrnn.sources.mutation.scope import but, number
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.leaves import last_of
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.around import called
from tinyrnn.verdicts.repair.branches import contradicts, words_around
from tinyrnn.verdicts.repair.change import TOKEN, Change, Pattern
from tinyrnn.verdicts.repair.fitting import Fitting
from tinyrnn.verdicts.repair.forward_statements import (
    given_to_log,
    is_of_numbers,
    is_sum,
    kept_beside,
    left_out,
    makes_object,
    other_activations,
    parts_of,
    sizes_taken,
    wanted_beside_log,
    with_last,
)
from tinyrnn.verdicts.repair.gates import gated_elsewhere
from tinyrnn.verdicts.repair.kept import is_plain, leaves_of
from tinyrnn.verdicts.repair.likely_slips import (
    compares_otherwise,
    gives_counter,
    turn,
    undoes,
)
from tinyrnn.verdicts.repair.named_activations import KINDS, activation_of, as_named
from tinyrnn.verdicts.repair.named_operations import belies
from tinyrnn.verdicts.repair.replacements import exchanged, other_functions
from tinyrnn.verdicts.repair.sieve import value_of
from tinyrnn.verdicts.repair.statements import ACTIVATION, headed
from tinyrnn.verdicts.repair.texts import calls_in, is_own_call
from tinyrnn.verdicts.repair.windows import is_whole

MOST_ENDS = 4  # first and last values of a variable, of which each is asked whether the loss depends on it
PART = re.compile(r"(exp|log|square|sqrt)\w*$")  # of a formula, rather than forgotten by itself


class ForwardChanges:
    """The `Change`s of the lines of the forward pass that a `Search` in the backward pass may have to do with."""

    def __init__(self, search):
        self.search, self.editing, self.problem = search, search.editing, search.replay.problem
        self.program, self.fitting = search.replay.program, Fitting(search)
        self.turns = {}  # {(place, weight): what `changes` sorted}

    def is_own_call(self, value):
        """Whether an expression is a call of a function of the program, which is where the value comes from."""
        return isinstance(value, ast.Call) and name_of(value.func) in {one.__name__ for one in self.program.originals()}

    @cached_property
    def named(self):
        """{scope: whether it gives the activation that its name says}, of those that go by such a name."""
        return as_named(self.fitting.truth.events)

    def changes(self, place, weight, likeliest):
        """The `Change`s of that weight at a line, the likeliest first: names that are alike and functions, then what
        puts no other name in."""
        if (place, weight) not in self.turns:
            self.turns[place, weight] = sorted(self.turned(place, weight), key=lambda one: one[0])
        several = self.turns[place, weight]
        return (change for at, change in several if weight > TOKEN or (at <= 1) == likeliest)

    def turned(self, place, weight):
        """(what they are sorted by, a `Change`) of all of them."""
        edits = self.editing.edits_of(place[0])
        found = []
        for statement in edits.lines.get(place[1], ()) if edits and weight == TOKEN else ():
            for node in calls_in(headed(statement)):
                found += [Change(statement, old, new) for old, new in other_functions(node, self.editing.activations)]
                found += [Change(statement, node.func, new) for new in self.of_branch(node, statement, place[0])]
            found += [
                Change(statement, node, Pattern("{e} + {a}", text, a=one))
                for node, text, one in self.unused(statement, place[0])
            ]
            found += [Change(statement, node, new) for node, new in self.forgotten(statement, edits)]
            found += [Change(statement, statement, new) for new in exchanged(statement, edits.is_atom)]
        likely = {id(change) for change in found if change.node is not change.statement}
        found += filter(self.is_made, edits.of_line(place[1], weight)) if edits else ()
        found = [change for change in found if not (compares_otherwise(change) or undoes(change))]
        found = [change for change in found if not gives_counter(change, edits.scope.loops)]
        found = [
            change
            for change in found
            if not contradicts(change, edits.tree)
            and not self.is_derived(change, edits.tree)
            and not belies(change, place[0])
        ]
        found = [change for change in found if not self.puts_gradients(place[0], change)]
        return [(0.5 if id(change) in likely else turn(change), change) for change in found]

    def of_branch(self, call, statement, scope):
        """What a call may have been meant to call: the function of the module that goes by the word that the branch of
        a statement is for, `linear(z)` behind `if kind == "linear":`."""
        words = words_around(statement, self.editing.edits_of(scope).tree) if isinstance(call.func, ast.Name) else ()
        world = self.editing.functions[scope].__globals__ if words else {}
        names = [name for name, value in world.items() if name.lower() in words and inspect.isfunction(value)]
        yield from (ast.Name(name, ast.Load()) for name in names if name != call.func.id)

    def puts_gradients(self, scope, change):
        """Whether a `Change` puts in what is a gradient by its name, and no value that the loss depends on."""
        put = getattr(change.new, "a", "")
        names = [node for node in ast.walk(ast.parse(put or "0")) if isinstance(node, ast.Name | ast.Attribute)]
        names = {called(node) for node in names}
        return any(names_gradients(name) and (scope, name) not in self.moving for name in names)

    @cached_property
    def moving(self):
        """{(scope, name)} of what the loss depends on, of what goes by the name of a gradient."""
        numbers = defaultdict(list)
        for event in self.fitting.truth.events:
            if names_gradients(event.site.name or "") and floats(event.value) is not None:
                numbers[event.site.scope, event.site.name].append(event.number)
        ends = {name: {*several[:MOST_ENDS], *several[-MOST_ENDS:]} for name, several in numbers.items()}
        return {name for name, several in ends.items() if any(map(self.fitting.truth.moves, sorted(several)))}

    def forgotten(self, statement, edits):
        """(a value that a statement reads, what it may have been meant to be): multiplied by, or added to, what is
        worked out here for the backward pass alone; or with an activation around it, or a gate on the other side of
        weights."""
        sizes = sizes_taken(edits.tree)
        yield from left_out(statement, edits, [one for one in kept_beside(statement, edits) if one not in sizes])
        whole = getattr(statement, "value", None)
        given = {id(one) for call in parts_of(statement) if is_of_numbers(call) for one in call.args}
        for node in parts_of(statement):
            yield from ((node, new) for new in other_activations(node))
        for node in (one for one in parts_of(statement) if edits.is_atom(one) or one is whole):
            if id(node) in given:  # of a penalty, or a mean
                yield node, Pattern("np.abs({e})", ast.unparse(node))
                continue
            text = ast.unparse(node)
            around = [name for name in self.editing.activations if not PART.search(name)]
            yield from ((node, Pattern(name + "({e})", text)) for name in (*around, "np.tanh"))
            yield node, Pattern("np.maximum({e}, 0)", text)
        for node in parts_of(statement):
            yield from ((one, Pattern("1 - {e}", ast.unparse(one))) for one in given_to_log(node))
            yield from wanted_beside_log(node)
            yield from ((node, new) for new in gated_elsewhere(node))
            if is_sum(node) and is_sum(node.left):  # `f * c + i + g` for `f * c + i * g`
                yield node, but(node.left, right=ast.BinOp(node.left.right, ast.Mult(), node.right))

    def is_made(self, change):
        """Whether people make a slip: not that of another function in the place of an activation, nor in a `return` of
        variables as they are, nor another number that an object is made with, the heads of an attention, or a number or
        flag that a function is called with, nor the same things in another order, nor a whole number below zero."""
        old, new = change.node, change.new
        makers = filter(makes_object, calls_in(change.statement) if isinstance(old, ast.Constant) else ())
        if isinstance(old, ast.Constant) and any(old is one for call in makers for one in call.args):
            return False
        if any(makes_object(one) for one in (old, *getattr(old, "elts", ())) if isinstance(one, ast.Call)):
            return False  # what it is made with, or layers, in another order: the backward pass goes by that, too
        own = filter(self.is_own_call, calls_in(change.statement) if isinstance(old, ast.Constant) else ())
        if any(old is one for call in own for one in (*call.args, *(k.value for k in call.keywords))):
            return False  # what both passes are called with
        if is_whole(old) and isinstance(new, Pattern | ast.Constant) and (number(change.put) or 0) < 0:
            return False
        if isinstance(change.statement, ast.Return) and all(map(is_plain, leaves_of(change.statement))):
            return False
        others = isinstance(old, ast.Call) and isinstance(new, ast.Call) and ast.dump(old.func) != ast.dump(new.func)
        is_one = others and bool(ACTIVATION.search((name_of(old.func) or "").lower()))
        return not others or (is_one and ast.unparse(new.func) in self.editing.activations)

    def unused(self, statement, scope):
        """(a sum or product in a statement, its source, what may have been added to it): weights that the loss does not
        depend on, as others in that statement are written, or as they are called there; also the one number of an
        array that a function is given, and does not read."""
        idle = [name for name in self.fitting.names if name not in self.fitting.counting]
        nodes = [node for node in ast.walk(statement) if idle and isinstance(node, ast.expr)]
        given = [one for node in nodes if isinstance(node, ast.Call) for one in node.args]
        sums = [node for node in nodes if isinstance(node, ast.BinOp | ast.Call)]
        sums = {id(node): node for node in (*sums, *given, getattr(statement, "value", None)) if node is not None}
        called = self.called_there(idle, statement, scope) if idle and value_of(statement) is not None else {}
        for name in idle:
            last = last_of(name)
            like = {with_last(node, last) for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)} | {last}
            like |= called.get(name, set())
            for node in sums.values():
                yield from ((node, ast.unparse(node), text) for text in sorted(filter(None, like)))

    def called_there(self, names, statement, scope):
        """{name of an input: the sources of what holds it where a statement stands}: attributes of the objects of which
        the statement reads some, and the only entry of what is given."""
        looks = self.editing.looks_of_run(scope, statement, ask=self.fitting.runs_as, times=(0,)) or []
        owners = {ast.unparse(one.value) for one in ast.walk(statement) if isinstance(one, ast.Attribute)}
        unread, found = self.editing.edits_of(scope).unread, {name: set() for name in names}
        for look in looks:
            given = {one: look.locals[one] for one in unread if one in look.locals}
            single = {f"{one}.item()" for one, value in given.items() if np.size(value) == 1 and np.ndim(value)}
            held = {owner: vars(value) for owner in owners if hasattr(value := look.variables.get(owner), "__dict__")}
            several = {f"{owner}.{one}": value for owner, own in held.items() for one, value in own.items()}
            for name in names:
                array = floats(self.problem.inputs[name])
                found[name] |= single | {text for text, one in several.items() if is_same(floats(one), array)}
        return found

    @cached_property
    def lines(self):
        """(scope, line) of what runs in the forward pass, each once."""
        places = {}
        for at, event in enumerate(self.fitting.truth.events):
            numbers = places.setdefault((event.site.scope, event.site.line), [])
            numbers += [at] if floats(event.value) is not None else []
        moves = self.fitting.truth.moves
        moving = {place: moves(some[0]) or moves(some[-1]) for place, some in places.items() if some}
        last = {}  # {scope: the last line of it that the loss depends on}
        for scope, line in (place for place in places if moving.get(place)):
            last[scope] = max(line, last.get(scope, 0))
        places = [place for place in places if place[1] <= last.get(place[0], 0) and moving.get(place, True)]
        right = self.search.vouched | self.problem.trusted
        places = [place for place in places if place not in right and not self.is_as_named(place)]
        return [place for place in places if place[0] in self.editing.forms and not self.is_wrapper(place[0])]

    def is_derived(self, change, tree):
        """Whether a `Change` takes away the call of an activation which is what its name says, and of which the program
        has a function that goes by the name of its derivative; not for another one of which it has, too."""
        old = ast.unparse(change.node) if isinstance(change.node, ast.expr) else ""
        called = [name for name in self.derived if re.search(rf"\b{name}\b", old)]
        put = ast.unparse(change.put) if called else ""
        is_of_branch = bool(called) and any(word in put.lower() for word in words_around(change.statement, tree))
        is_like_it = any(kind in put.lower() and kind not in old.lower() for kind in self.kinds_derived)
        return bool(called) and not is_of_branch and not is_like_it

    @cached_property
    def derived(self):
        """The names of such activations."""
        right = {scope.rpartition(".")[2]: activation_of(scope) for scope, is_right in self.named.items() if is_right}
        return [name for name, kind in right.items() if kind in name.lower() and kind in self.kinds_derived]

    @cached_property
    def kinds_derived(self):
        """The activations of which the program has a function that goes by the name of the derivative."""
        others = [one.__name__.lower() for one in self.program.originals()]
        others = [name for name in others if activation_of(name) is None]
        return [kind for kind in KINDS if any(kind in one for one in others)]

    def is_as_named(self, place):
        """Whether a line is of an activation that its name says, but for what it returns, or keeps, beside it."""
        edits = self.editing.edits_of(place[0]) if self.named.get(place[0]) else None
        there = edits.lines.get(place[1], ()) if edits else ()
        return bool(there) and not any(
            isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple) for one in there
        )

    def is_wrapper(self, scope):
        """Whether a function only hands its arguments on to another one, and to none of NumPy's."""
        tree = self.editing.tree_of(self.editing.functions[scope].original)
        last = tree.body[-1].value if isinstance(tree.body[-1], ast.Return) else None
        own = {one.arg for one in tree.args.args}
        return is_own_call(last) and bool(last.args) and all(getattr(one, "id", None) in own for one in last.args)


def is_same(array, other):
    """Whether two arrays are the same numbers; None is none."""
    return array is not None and other is not None and np.array_equal(array, other)
