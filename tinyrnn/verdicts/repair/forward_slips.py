"""Slips in the forward pass, where the backward pass is right for what was meant.

A backward pass is more often wrong than a forward pass: where an edit of one of its lines does it, or other values of
one that leave next to nothing unexplained, that is it, unless the forward pass is known to be wrong.
"""

import ast
import re
from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from itertools import chain, product

import numpy as np

from tinyrnn.sources.mutation.scope import but, number
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.record.leaves import last_of
from tinyrnn.verdicts.record.run import floats, record
from tinyrnn.verdicts.repair.around import called
from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN, Change, Pattern
from tinyrnn.verdicts.repair.fitting import Fitting
from tinyrnn.verdicts.repair.forward_statements import (
    entries_kept,
    given_to_log,
    is_of_numbers,
    is_sum,
    kept_beside,
    left_out,
    makes_object,
    of_another_gate,
    of_sums_of_powers,
    of_the_usual_kind,
    of_the_usual_loss,
    other_activations,
    parts_of,
    sizes_taken,
    thrown_away,
    with_last,
)
from tinyrnn.verdicts.repair.gates import gated_elsewhere
from tinyrnn.verdicts.repair.kept import is_plain, leaves_of
from tinyrnn.verdicts.repair.kinds_of_came import SAME
from tinyrnn.verdicts.repair.likely_slips import (
    CLEAR,
    activated_by,
    calls_in,
    compares_otherwise,
    contradicts,
    factors_lost,
    gives_counter,
    is_as_good,
    is_likely,
    is_loop,
    negates_negatives,
    turn,
    undoes,
    variables_in,
)
from tinyrnn.verdicts.repair.named_activations import as_named, kind_of
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.replacements import exchanged, other_functions
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.statements import ACTIVATION, headed
from tinyrnn.verdicts.repair.texts import is_own_call
from tinyrnn.verdicts.repair.windows import is_whole

MOST_RUNS = 4000  # of both passes, with edits of one weight
AT_FIRST = (8, 30, 100, 1000)  # edits of one line, before those of the next
AS_FACTORS = "{e} * ({a})", "{e} / ({a})", "{a} @ {e}", "{e} @ {a}"  # what may be missing where a factor is too many
MOST_ENDS = 4  # first and last values of a variable, of which each is asked whether the loss depends on it
NEARLY = 1e-3  # of a gradient's size
HALVES = 2.0, 0.5
PART = re.compile(r"(exp|log|square|sqrt)\w*$")  # of a formula, rather than forgotten by itself
SQUARED = re.compile(r"\*\* 2\b|\bsquare\(")
SEEDED = re.compile(r"\] (-= 1|= 0)$", re.MULTILINE)  # of a backward pass: the gradient of a softmax's loss, a mask


class ForwardSlips:
    """The slips in the forward pass that a `Search` in the backward pass may have to do with."""

    def __init__(self, search):
        self.search, self.editing, self.problem = search, search.editing, search.replay.problem
        self.program, self.fitting = search.replay.program, Fitting(search)
        self.turns = {}  # {(place, weight): what `changes` sorted}

    def repair(self, other, is_mistaken=False):
        """The `Repair` by a slip of the forward pass; None if there is none, or `other`, of the backward pass, is as
        good. is_mistaken: whether the forward pass is known to be wrong."""
        wrong = set(self.fitting.names) & set(self.search.wrong)
        if all(map(self.is_nearly_right, wrong)):
            return None
        if wrong and (edit := next(self.of_named, None)):
            return self.by_edit(edit)
        if (factor := self.factor(other)) and (edit := self.scaled(factor)):
            return self.by_edit(edit)
        is_of_some = bool(wrong) and len(wrong) < len(self.fitting.counting)  # rather than of the loss
        if is_of_some and (edit := next(self.mirrored(other), None)):
            return self.by_edit(edit)
        if self.only_scales(other):  # what was forgotten, or taken for something else, would do more
            return None
        if wrong and self.may_be_of_loss(other) and (edit := next(self.of_losses, None)):
            return self.by_edit(edit)
        forgotten = wrong - set(self.fitting.counting)  # it has a gradient, and the loss does not depend on it
        if wrong and (edit := next(filter(self.fitting.keeps_masks, self.spoken_for), None)):
            return self.by_edit(edit)
        if not wrong:
            return None
        found = [edit for edit in self.of_layers if is_likely(edit, None)]  # by itself, which tells more
        if not found and is_as_good(other, is_mistaken) and not self.are_forgotten(forgotten, other):
            return None
        found = found or [edit for edit in self.slips if is_likely(edit, other)]
        found = found or [edit for edit in self.found(MISSING) if not self.is_of_backward(edit)]
        if not found and (other is None or len(other.places) > 1):
            found = [edit for edit in self.with_others if is_likely(edit, other)]
        found = (edit for edit in found if self.fitting.keeps_masks(edit) and not self.activates_data(edit))
        found = (edit for edit in found if not is_loop(edit) or self.fitting.keeps_going(edit))
        best = max(found, key=self.likelihood, default=None)
        return best and self.by_edit(best)

    def activates_data(self, edit):
        """Whether an activation is put around what the pass is given and has no gradient: `softmax(y)` of targets."""
        data = {name for name in self.problem.inputs if name not in self.fitting.names}
        return edit.place[0] in self.problem.top and bool(activated_by(edit) & data)

    def likelihood(self, edit):
        """What slips of the forward pass are sorted by, the likeliest last: an activation around what a function of the
        program gives is rather one that is wrong in there."""
        value = getattr(ast.parse(edit.before).body[-1], "value", None) if not is_loop(edit) else None
        is_around = self.is_own_call(value) and ast.unparse(value) in edit.after and edit.after != edit.before
        longer = len(edit.after) - len(edit.before)
        return negates_negatives(edit), edit.worth, not is_around, not is_loop(edit), -longer

    def is_nearly_right(self, name):
        """Whether the gradient of an input is what it should be up to a thousandth, as where a small number that is
        added to keep clear of zero is left out backwards: no other forward pass is meant."""
        wanted, came = self.search.results.wanted[name], self.fitting.gradients(self.search.base.result).get(name)
        fits = came is not None and came.size == wanted.size
        return fits and self.search.results.error(came.reshape(wanted.shape), wanted) < NEARLY

    def are_forgotten(self, names, other):
        """Whether the loss should depend on some inputs: on any of them, if an edit of the backward pass does not do
        it, or gives no gradient of them, and not one that is zero but for rounding."""
        came = self.fitting.gradients(other.run.result) if other.edit else {}
        return any(name not in came or not came[name].any() for name in names)

    def is_of_backward(self, edit):
        """Whether what an edit puts in belongs in a backward pass, or nowhere: a size, or the number of a step, that is
        added."""
        last, edits = ast.parse(edit.after).body[-1], self.editing.edits_of(edit.place[0])
        is_number = isinstance(last, ast.AugAssign) and ast.unparse(last.value) in {*edits.scope.loops, *edits.picks}
        return is_number or bool(SEEDED.search(edit.after))

    def only_scales(self, other):
        """Whether all that is wrong lacks the same factor; but for the sign, if one line of the backward pass does not
        put that right."""
        made = self.search.factor_of_all
        is_sign = bool(made) and abs(made + 1) <= SAME
        return bool(made) and not (is_sign and (other is None or len(other.places) > 1))

    def factor(self, other):
        """2 or 1/2, if all gradients lack that as a factor and `other` is of several lines, or puts several right in
        turn: the loss was meant to have its half, or not to have it. None if that is not so."""
        names = [name for name in self.fitting.counting if name in self.search.wrong]
        is_all = len(names) == len(self.fitting.counting) > 1
        is_clear = other is not None and len(other.places) == 1 and not self.search.rank.is_at_the_top(other)
        if not is_all or (is_clear and not self.search.mends_several(other)):
            return None
        made = self.search.factor_of_all
        return next((factor for factor in HALVES if made and abs(factor - made) <= SAME), None)

    def scaled(self, factor):
        """The `Edit` that divides by a number what the forward pass ends in, with which all gradients are right: the
        sum of squares, where there is one, of which a half is forgotten; None if there is none."""
        sites = [event.site for event in self.fitting.truth.events if floats(event.value) is not None]
        sites = [site for site in reversed(sites) if site.kind not in ("argument", "use")]
        places = dict.fromkeys((site.scope, site.line) for site in sites if (site.scope, site.line) in self.lines)
        edits = {place: self.editing.edits_of(place[0]) for place in places}
        there = [(place, one) for place in places if edits[place] for one in edits[place].lines.get(place[1], ())]
        there = [(place, one) for place, one in there if isinstance(one, ast.Assign | ast.AugAssign)]
        there = [(place, one) for place, one in there if not self.is_own_call(one.value)]
        for place, statement in sorted(there, key=lambda pair: not SQUARED.search(ast.unparse(pair[1].value))):
            text = ast.unparse(statement.value)
            change = Change(statement, statement.value, Pattern(f"{1 / factor:g} * {{e}}", text))
            if self.fitting.fits(place[0], edits[place].tree, change):
                return self.edit(place, PIECE, edits[place].tree, change)
        return None

    def is_own_call(self, value):
        """Whether an expression is a call of a function of the program, which is where the value comes from."""
        return isinstance(value, ast.Call) and name_of(value.func) in {one.__name__ for one in self.program.originals()}

    @cached_property
    def of_layers(self):
        """The `Edit`s that put a layer right by itself, of its forward pass, with which all gradients are right."""
        edits = [one.edit for one in self.search.by_layers if one.edit and one.edit.place in self.lines]
        return [edit for edit in edits if self.fitting.fits_with(edit.place[0], edit.tree)]

    @cached_property
    def named(self):
        """{scope: whether it gives the activation that its name says}, of those that go by such a name."""
        return as_named(self.fitting.truth.events)

    @property
    def of_named(self):
        """The `Edit`s with which all gradients are right, and a function gives the activation that its name says, which
        it does not as it stands."""
        wrong = {scope for scope, is_right in self.named.items() if not is_right}
        for weight, place in product((TOKEN, PIECE), (place for place in self.lines if place[0] in wrong)):
            for edit in self.fitting_of((place, weight, change) for change in self.changes(place, weight, True)):
                program = self.problem.program(self.program.trees | {edit.function: edit.tree})
                if as_named(record(program, self.problem.forward)[1]).get(place[0]):
                    yield edit

    @cached_property
    def spoken_for(self):
        """The `Edit`s with which all gradients are right and that something in the forward pass speaks for: its loop
        works out a next state and goes on from the first one, or from zeros that nothing fills, a value is kept for the
        backward pass and the loss does not depend on it, a gate has the activation of the candidate or the other way
        round, or takes the same part of the sums as another one, or a loop throws away what it should go on with."""
        return list(self.fitting_of(chain.from_iterable(map(self.spoken, self.lines))))

    def spoken(self, place):
        """(line, weight, `Change`) of what speaks for itself at a line."""
        edits = self.editing.edits_of(place[0])
        for statement in edits.lines.get(place[1], ()) if edits else ():
            stored = chain(edits.missing.moved_on(statement), edits.missing.never_filled_steps(statement))
            yield from ((place, MISSING, Change(loop, loop, new)) for loop, new in stored)
            kept = (*kept_beside(statement, edits), *entries_kept(statement, edits))
            idle = [text for text in kept if self.is_idle(place[0], text.partition("[")[0])]
            usual = of_the_usual_kind(statement, edits.tree, self.editing.activations)
            others = *of_another_gate(statement, edits.tree), *thrown_away(statement, edits.tree)
            others = *others, *of_sums_of_powers(statement, edits.tree)
            for node, new in (*left_out(statement, edits, idle), *usual, *others):
                yield place, TOKEN, Change(statement, node, new)

    @staticmethod
    def may_be_of_loss(other):
        """Whether a repair of the backward pass only puts in a factor, or more than people forget, or no edit does it,
        nor values that explain nearly all: a part of the loss may have been meant otherwise."""
        if other and other.edit:
            return other.edit.is_factor or other.edit.weight == FORMULA
        return other is None or other.cost > CLEAR

    @property
    def of_losses(self):
        """The `Edit`s of a part of the loss, with which all gradients are right, that make of it what it mostly is."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                made = (Change(statement, *one) for one in of_the_usual_loss(statement))
                edits_of_parts = self.fitting_of((place, TOKEN, change) for change in made)
                yield from (edit for edit in edits_of_parts if self.is_of_a_part(edit))

    def is_of_a_part(self, edit):
        """Whether an `Edit` of the loss does not only halve it, or make a sum of its mean: of a factor that all of a
        loss has, its gradient is rather wrong."""
        program = self.problem.program(self.program.trees | {edit.function: edit.tree})
        made, was = self.problem.loss(program.run(None, self.problem.forward)), self.fitting.value
        ratios = [one / other for one, other in ((made, was), (was, made)) if other]
        return all(abs(one - np.round(one)) > SAME for one in ratios)

    def is_idle(self, scope, name):
        """Whether a function sets a variable to arrays on which the loss does not depend."""
        events = [event for event in self.fitting.truth.events if (event.site.scope, event.site.name) == (scope, name)]
        numbers = [event.number for event in events if np.size(floats(event.value)) > 1]
        return bool(numbers) and not any(map(self.fitting.truth.moves, {numbers[0], numbers[-1]}))

    def fitting_of(self, changes):
        """The `Edit`s of some (line, weight, `Change`) with which all gradients are right."""
        for place, weight, change in (one for one in changes if not self.puts_gradients(one[0][0], one[-1])):
            tree = self.editing.edits_of(place[0]).tree
            if self.fitting.fits(place[0], tree, change):
                yield self.edit(place, weight, tree, change)

    def mirrored(self, other):
        """The `Edit`s that multiply or divide by what the edit of a backward pass takes out as one: that is rather
        missing forwards, as of a mask that is scaled, than one too many."""
        edit = other.edit if other and other.edit and not other.edit.before.endswith(":") else None
        is_factor = bool(edit) and len(re.findall("[*/@]", edit.after)) < len(re.findall("[*/@]", edit.before))
        lost = sorted(variables_in(edit.before) - variables_in(edit.after)) if is_factor else []
        factors = [*product(lost, AS_FACTORS), *(factors_lost(edit.before, edit.after) if edit else ())]
        for place in self.lines if factors else ():
            edits = self.editing.edits_of(place[0])
            statements = edits.lines.get(place[1], ()) if edits else ()
            nodes = [(one, node) for one in statements for node in parts_of(one) if edits.is_atom(node)]
            tries = ((there, *one) for there, one in product(nodes, factors))
            made = (Change(*there, Pattern(form, ast.unparse(there[1]), a)) for there, a, form in tries)
            yield from self.fitting_of((place, PIECE, change) for change in made)

    @cached_property
    def slips(self):
        """The `Edit`s that are slips with which all gradients are right."""
        return list(self.found(TOKEN))

    @cached_property
    def with_others(self):
        """The same with variables that are called otherwise than what stands there."""
        return list(self.found(TOKEN, likeliest=False))

    def found(self, weight, likeliest=True):
        """The `Edit`s of that weight with which all gradients are right. likeliest: whether those that put in a
        variable of quite another name are left for later, or they alone are tried."""
        lines, most = {}, self.fitting.runs + int(MOST_RUNS * np.sqrt(self.search.pace))
        for some in AT_FIRST:
            for place in self.lines:
                if place not in lines:
                    lines[place] = self.changes(place, weight, likeliest)
                for _, change in zip(range(some), lines[place], strict=False):
                    if self.fitting.runs >= most:
                        return
                    tree = self.editing.edits_of(place[0]).tree
                    if self.fitting.fits(place[0], tree, change):
                        yield self.edit(place, weight, tree, change)

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
            found += [
                Change(statement, node, Pattern("{e} + {a}", text, a=one)) for node, text, one in self.unused(statement)
            ]
            found += [Change(statement, node, new) for node, new in self.forgotten(statement, edits)]
            found += [Change(statement, statement, new) for new in exchanged(statement, edits.is_atom)]
        likely = {id(change) for change in found if change.node is not change.statement}
        found += filter(self.is_made, edits.of_line(place[1], weight)) if edits else ()
        found = [change for change in found if not (compares_otherwise(change) or undoes(change))]
        found = [change for change in found if not gives_counter(change, edits.scope.loops)]
        found = [change for change in found if not contradicts(change, edits.tree) and not self.is_derived(change)]
        found = [change for change in found if not self.puts_gradients(place[0], change)]
        return [(0.5 if id(change) in likely else turn(change), change) for change in found]

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
            yield from ((node, new) for new in gated_elsewhere(node))
            if is_sum(node) and is_sum(node.left):  # `f * c + i + g` for `f * c + i * g`
                yield node, but(node.left, right=ast.BinOp(node.left.right, ast.Mult(), node.right))

    def is_made(self, change):
        """Whether people make a slip: not that of another function in the place of an activation, nor in a `return` of
        variables as they are, nor another number that an object is made with, the heads of an attention, or a function
        is called with, nor the same things in another order, nor a whole number below zero."""
        old, new = change.node, change.new
        makers = filter(makes_object, calls_in(change.statement) if isinstance(old, ast.Constant) else ())
        if isinstance(old, ast.Constant) and any(old is one for call in makers for one in call.args):
            return False
        if any(makes_object(one) for one in (old, *getattr(old, "elts", ())) if isinstance(one, ast.Call)):
            return False  # what it is made with, or layers, in another order: the backward pass goes by that, too
        own = filter(self.is_own_call, calls_in(change.statement) if isinstance(old, ast.Constant) else ())
        if any(old is one for call in own for one in call.args):
            return False  # what both passes are called with
        if is_whole(old) and isinstance(new, Pattern | ast.Constant) and (number(change.put) or 0) < 0:
            return False
        if isinstance(change.statement, ast.Return) and all(map(is_plain, leaves_of(change.statement))):
            return False
        others = isinstance(old, ast.Call) and isinstance(new, ast.Call) and ast.dump(old.func) != ast.dump(new.func)
        is_one = others and bool(ACTIVATION.search((name_of(old.func) or "").lower()))
        return not others or (is_one and ast.unparse(new.func) in self.editing.activations)

    def unused(self, statement):
        """(a sum or product in a statement, its source, what may have been added to it): weights that the loss does not
        depend on, as others in that statement are written."""
        idle = [name for name in self.fitting.names if name not in self.fitting.counting]
        nodes = [node for node in ast.walk(statement) if idle and isinstance(node, ast.expr)]
        given = [one for node in nodes if isinstance(node, ast.Call) for one in node.args]
        sums = [node for node in nodes if isinstance(node, ast.BinOp | ast.Call)]
        sums = {id(node): node for node in (*sums, *given, getattr(statement, "value", None)) if node is not None}
        for name in idle:
            last = last_of(name)
            like = {with_last(node, last) for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)} | {last}
            for node in sums.values():
                yield from ((node, ast.unparse(node), text) for text in sorted(filter(None, like)))

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
        places = [place for place in places if place not in self.search.vouched and not self.is_as_named(place)]
        return [place for place in places if place[0] in self.editing.forms and not self.is_wrapper(place[0])]

    def is_derived(self, change):
        """Whether a `Change` takes away the call of an activation which is what its name says, and of which the program
        has a function that goes by the name of its derivative."""
        old = ast.unparse(change.node) if isinstance(change.node, ast.expr) else ""
        called = [name for name in self.derived if re.search(rf"\b{name}\b", old)]
        return bool(called) and not re.search(rf"\b{called[0]}\b", ast.unparse(change.put))

    @cached_property
    def derived(self):
        """The names of such activations."""
        right = {scope.rpartition(".")[2]: kind_of(scope) for scope, is_right in self.named.items() if is_right}
        others = [one.__name__.lower() for one in self.program.originals()]
        others = [name for name in others if kind_of(name) is None]
        return [name for name, kind in right.items() if kind in name.lower() and any(kind in one for one in others)]

    def is_as_named(self, place):
        """Whether a line is of an activation that its name says, but for what it returns or keeps beside it."""
        edits = self.editing.edits_of(place[0]) if self.named.get(place[0]) else None
        return bool(edits) and not any(isinstance(one, ast.Return) for one in edits.lines.get(place[1], ()))

    def is_wrapper(self, scope):
        """Whether a function only hands its arguments on to another one, and to none of NumPy's."""
        tree = self.editing.tree_of(self.editing.functions[scope].original)
        last = tree.body[-1].value if isinstance(tree.body[-1], ast.Return) else None
        own = {one.arg for one in tree.args.args}
        return is_own_call(last) and bool(last.args) and all(getattr(one, "id", None) in own for one in last.args)

    def edit(self, place, weight, tree, change):
        """The `Edit` that a `Change` is."""
        return replace(self.editing.edit(place, weight, tree, change), is_of_forward=True)

    def by_edit(self, edit):
        """The `Repair` that an `Edit` is."""
        edit.is_of_forward = True  # also of one that puts a layer right by itself
        program = self.problem.program(self.program.trees | {edit.function: edit.tree})
        run = Replay(self.problem, program, program.run(None, self.problem.forward)).run()
        return Repair((), {}, run, dict, {edit.place}, edit)
