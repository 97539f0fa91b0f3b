"""Slips in the forward pass, where the backward pass is right for what was meant.

A backward pass is more often wrong than a forward pass: where an edit of one of its lines does it, or other values of
one that leave next to nothing unexplained, that is it, unless the forward pass is known to be wrong.
"""

import ast
import re
from dataclasses import replace
from functools import cached_property
from itertools import chain, product

import numpy as np

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.record.run import floats, record
from tinyrnn.verdicts.repair.branches import as_the_branch_says
from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN, Change, Pattern
from tinyrnn.verdicts.repair.forward_changes import ForwardChanges
from tinyrnn.verdicts.repair.forward_statements import (
    along_another_axis,
    biases_taken_away,
    entries_kept,
    first_for_current,
    is_of_gate,
    kept_beside,
    left_out,
    of_another_gate,
    of_sums_of_powers,
    of_the_usual_kind,
    of_the_usual_loss,
    parts_of,
    sums_of_logarithms,
    thrown_away,
)
from tinyrnn.verdicts.repair.kinds_of_came import SAME
from tinyrnn.verdicts.repair.likely_slips import (
    CLEAR,
    activated_by,
    averages,
    factors_lost,
    is_as_good,
    is_division,
    is_likely,
    is_of_negatives,
    negates_negatives,
    puts_activation,
    taken_from,
    undoes_division,
    variables_in,
)
from tinyrnn.verdicts.repair.named_activations import as_named
from tinyrnn.verdicts.repair.named_operations import meant
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.replacements import parsed
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.texts import is_loop

MOST_RUNS = 4000  # of both passes, with edits of one weight
SOON = 300  # where only what is as good is asked for
AT_FIRST = (8, 30, 100, 1000)  # edits of one line, before those of the next
AS_FACTORS = "{e} * ({a})", "{e} / ({a})", "{a} @ {e}", "{e} @ {a}"  # what may be missing where a factor is too many
NEARLY = 1e-3  # of a gradient's size
HALVES = 2.0, 0.5
SQUARED = re.compile(r"\*\* 2\b|\bsquare\(")
SEEDED = re.compile(r"\] (-= 1|= 0)$", re.MULTILINE)  # of a backward pass: the gradient of a softmax's loss, a mask


class ForwardSlips(ForwardChanges):
    """The slips in the forward pass that a `Search` in the backward pass may have to do with."""

    def repair(self, other, is_mistaken=False):
        """The `Repair` by a slip of the forward pass; None if there is none, or `other`, of the backward pass, is as
        good. is_mistaken: whether the forward pass is known to be wrong."""
        wrong = set(self.fitting.names) & set(self.search.wrong)
        if all(map(self.is_nearly_right, wrong)):
            return None
        if wrong and (edit := next(self.of_named, None)):
            return self.by_edit(edit)
        if wrong and (edit := next(chain(self.of_axes, self.of_logarithms, self.of_operations), None)):
            return self.by_edit(edit)
        if (factor := self.factor(other)) and (edit := self.scaled(factor)):
            return self.by_edit(edit)
        is_of_some = bool(wrong) and len(wrong) < len(self.fitting.counting)  # rather than of the loss
        if is_of_some and (edit := next(self.mirrored(other), None)):
            return self.by_edit(edit)
        parts = other.parts or (other,) if other else ()
        undone = bool(parts) and all(
            is_one_edit(one) and undoes_division(one.edit, self.search.factor_of_all) for one in parts
        )
        if wrong and undone and (edit := next(self.averaging, None)):
            return self.by_edit(edit)
        is_slip = is_one_edit(other) and other.edit.weight <= TOKEN
        if wrong and not is_slip and (edit := next(self.of_tables, None)):
            return self.by_edit(edit)
        turns = is_one_edit(other) and (other.edit.negates or other.edit.only_signs)
        if wrong and turns and (edit := next(self.adding, None)):
            return self.by_edit(edit)
        if self.only_scales(other):  # what was forgotten, or taken for something else, would do more
            return None
        divides = is_division(other)  # by a size, which a gradient rather lacks than its loss is a mean for a sum
        losses = (
            edit for edit in self.of_losses if not (edit.sums_what_was_averaged and divides) or is_of_negatives(edit)
        )
        if wrong and self.may_be_of_loss(other) and (edit := next(losses, None)):
            return self.by_edit(edit)
        forgotten = wrong - set(self.fitting.counting)  # it has a gradient, and the loss does not depend on it
        if wrong and (edit := next(filter(self.fitting.keeps_masks, self.spoken_for), None)):
            return self.by_edit(edit)
        if not wrong:
            return None
        is_of_slopes = is_one_edit(other) and other.edit.exchanges_slopes
        found = [edit for edit in self.of_layers if is_likely(edit, None)]  # by itself, which tells more
        if (
            not found
            and not is_of_slopes
            and is_as_good(other, is_mistaken)
            and not self.are_forgotten(forgotten, other)
        ):
            return None
        found = found or [edit for edit in self.slips if is_likely(edit, other)]
        found = found or [edit for edit in self.found(MISSING) if not self.is_of_backward(edit)]
        forgets = is_one_edit(other) and other.edit.forgets_an_argument
        if not found and (other is None or len(other.places) > 1 or forgets):
            found = [edit for edit in self.with_others if is_likely(edit, other)]
        found = (edit for edit in found if self.fitting.keeps_masks(edit) and not self.activates_data(edit))
        found = (edit for edit in found if not is_loop(edit) or self.fitting.keeps_going(edit))
        if is_of_slopes:  # rather than another activation, but for the tanh of a state
            found = (edit for edit in found if "tanh(" in edit.after and sums_products(edit.before))
            found = (edit for edit in found if not is_of_gate(edit.before))
        best = max(found, key=self.likelihood, default=None)
        return best and self.by_edit(best)

    def activates_data(self, edit):
        """Whether an activation is put around what the pass is given and has no gradient, `softmax(y)` of targets, or
        around a part of what it is given: `tanh(params[:n])`."""
        data = {name for name in self.problem.inputs if name not in self.fitting.names}
        is_of_top, activated = edit.place[0] in self.problem.top, activated_by(edit)
        value = getattr(ast.parse(edit.before).body[-1], "value", None) if not is_loop(edit) else None
        return is_of_top and (
            bool(activated & data) or (puts_activation(edit) and taken_from(value) in self.problem.inputs)
        )

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

    @cached_property
    def of_layers(self):
        """The `Edit`s that put a layer right by itself, of its forward pass, with which all gradients are right."""
        edits = [one.edit for one in self.search.by_layers if one.edit and one.edit.place in self.lines]
        return [edit for edit in edits if self.fitting.fits_with(edit.place[0], edit.tree)]

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
            others = *others, *first_for_current(statement, edits.tree), *as_the_branch_says(statement, edits.tree)
            others = *others, *of_sums_of_powers(statement, edits.tree)
            for node, new in (*left_out(statement, edits, idle), *usual, *others):
                yield place, TOKEN, Change(statement, node, new)

    @staticmethod
    def may_be_of_loss(other):
        """Whether a repair of the backward pass only puts in a factor, or takes out a term, or is more than people
        forget, or no edit does it, nor values that explain nearly all: a part of the loss may have been meant
        otherwise."""
        if other and other.edit:
            is_factor = other.edit.is_factor or is_division(other)
            return is_factor or other.edit.weight == FORMULA or other.edit.drops_a_term
        return other is None or other.cost > CLEAR

    @property
    def of_axes(self):
        """The `Edit`s of the axis of what goes by the name of a softmax, and is one along another axis, with which all
        gradients are right."""
        for place in dict.fromkeys((one.site.scope, one.site.line) for one in self.fitting.truth.events):
            edits = self.editing.edits_of(place[0]) if "softmax" in place[0].lower() else None
            for statement in edits.lines.get(place[1], ()) if edits else ():
                changes = (Change(statement, *one) for one in along_another_axis(statement))
                yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def of_logarithms(self):
        """The `Edit`s that make the natural logarithm of another one, with which all gradients are right."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                calls = [node.func for node in parts_of(statement) if isinstance(node, ast.Call)]
                others = [one for one in calls if isinstance(one, ast.Attribute) and one.attr in ("log2", "log10")]
                changes = (Change(statement, one, but(one, attr="log")) for one in others)
                yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def of_operations(self):
        """The `Edit`s that make the operation that a function goes by the name of, with which all gradients are
        right."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                changes = (Change(statement, *one) for one in meant(statement, edits.tree, place[0]))
                yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def adding(self):
        """The `Edit`s that add what is taken away from a product of matrices, a bias, with which all gradients are
        right."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                changes = (Change(statement, *one) for one in biases_taken_away(statement))
                yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def of_tables(self):
        """The `Edit`s that make a sum of the mean of all logarithms of a table, with which all gradients are right:
        that is no mean over examples, of which each has as many entries as there are classes."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                for node, text, sums in sums_of_logarithms(statement):
                    changes = (Change(statement, node, parsed(one)) for one in sums)
                    made = self.fitting_of((place, TOKEN, change) for change in changes)
                    yield from made if self.is_table(place[0], statement, text) else ()

    def is_table(self, scope, statement, text):
        """Whether an expression in a statement gives an array of several rows and columns."""
        looks = self.editing.looks_of_run(scope, statement, ask=self.fitting.runs_as, times=(0,)) or []
        return any(min(np.shape(look.value(text)), default=1) > 1 < np.ndim(look.value(text)) for look in looks)

    @property
    def averaging(self):
        """The `Edit`s that make a mean of a sum, with which all gradients are right."""
        for place in self.lines:
            changes = (one for one in self.changes(place, TOKEN, True) if averages(one))
            yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def of_losses(self):
        """The `Edit`s of a part of the loss, with which all gradients are right, that make of it what it mostly is."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                made = (Change(statement, *one) for one in of_the_usual_loss(statement, edits.tree))
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

    def found(self, weight, likeliest=True, most=MOST_RUNS):
        """The `Edit`s of that weight with which all gradients are right. likeliest: whether those that put in a
        variable of quite another name are left for later, or they alone are tried. most: runs, where a pass takes as
        long as usual."""
        lines, most = {}, self.fitting.runs + int(most * np.sqrt(self.search.pace))
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

    def soon(self):
        """{(scope, line)} of the lines of which a likely slip makes all gradients right, of the first few runs."""
        return {edit.place for edit in self.found(TOKEN, most=SOON) if is_likely(edit, None)}

    def edit(self, place, weight, tree, change):
        """The `Edit` that a `Change` is."""
        return replace(self.editing.edit(place, weight, tree, change), is_of_forward=True)

    def by_edit(self, edit):
        """The `Repair` that an `Edit` is."""
        edit.is_of_forward = True  # also of one that puts a layer right by itself
        program = self.problem.program(self.program.trees | {edit.function: edit.tree})
        run = Replay(self.problem, program, program.run(None, self.problem.forward)).run()
        return Repair((), {}, run, dict, {edit.place}, edit)


def sums_products(text):
    """Whether a statement multiplies by more than one matrix, as that of the next state of a recurrent network does."""
    nodes = list(ast.walk(ast.parse(text))) if not text.endswith(":") else []
    products = [node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)]
    return len(products) + sum(name_of(getattr(node, "func", None)) in ("dot", "matmul") for node in nodes) > 1


def is_one_edit(repair):
    """Whether there is a repair, and an edit of one line does it."""
    return repair is not None and repair.edit is not None
