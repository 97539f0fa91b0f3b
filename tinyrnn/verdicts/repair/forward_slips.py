"""Slips in the forward pass, where the backward pass is right for what was meant.

A backward pass is more often wrong than a forward pass: where an edit of one of its lines does it, or other values of
one that leave next to nothing unexplained, that is it, unless the forward pass is known to be wrong.
"""

import ast
import re
from functools import cached_property
from itertools import chain

import numpy as np

from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN, Change, Pattern
from tinyrnn.verdicts.repair.forward_rules import ForwardRules
from tinyrnn.verdicts.repair.forward_statements import (
    is_of_gate,
)
from tinyrnn.verdicts.repair.kinds_of_came import SAME
from tinyrnn.verdicts.repair.likely_slips import (
    CLEAR,
    activated_by,
    is_as_good,
    is_division,
    is_likely,
    is_of_negatives,
    negates_negatives,
    puts_activation,
    taken_from,
    undoes_division,
)
from tinyrnn.verdicts.repair.repairs import Repair
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.texts import is_loop

MOST_RUNS = 4000  # of both passes, with edits of one weight
SOON = 300  # where only what is as good is asked for
AT_FIRST = (8, 30, 100, 1000)  # edits of one line, before those of the next
NEARLY = 1e-3  # of a gradient's size
HALVES = 2.0, 0.5
SQUARED = re.compile(r"\*\* 2\b|\bsquare\(")
SEEDED = re.compile(r"\] (-= 1|= 0)$", re.MULTILINE)  # of a backward pass: the gradient of a softmax's loss, a mask


class ForwardSlips(ForwardRules):
    """The slips in the forward pass that a `Search` in the backward pass may have to do with."""

    def repair(self, other, is_mistaken=False):
        """The `Repair` by a slip of the forward pass; None if there is none, or `other`, of the backward pass, is as
        good. is_mistaken: whether the forward pass is known to be wrong."""
        wrong = set(self.fitting.names) & set(self.search.wrong)
        if all(map(self.is_nearly_right, wrong)):
            return None
        edit = self.by_rules(other, wrong)
        if edit is None and not self.only_scales(other):  # what was forgotten, or taken for something else, does more
            edit = self.of_loss_or_spoken_for(other, wrong) or self.likeliest(other, wrong, is_mistaken)
        return edit and self.by_edit(edit)

    def by_rules(self, other, wrong):
        """The first `Edit` of a rule that says more than any repair of the backward pass, or than `other`; None if
        there is none. wrong: the inputs whose gradients are."""
        rules = [self.of_named, self.of_axes, self.of_logarithms, self.of_operations, self.of_terms, self.of_siblings]
        if wrong and (edit := next(chain.from_iterable(rules), None)):
            return edit
        if (factor := self.factor(other)) and (edit := self.scaled(factor)):
            return edit
        rules = []
        if len(wrong) < len(self.fitting.counting):  # rather than of the loss
            rules.append(self.mirrored(other))
        parts = other.parts or (other,) if other else ()
        if parts and all(is_one_edit(one) and undoes_division(one.edit, self.search.factor_of_all) for one in parts):
            rules += [self.averaging, self.mirrored(parts[0])]
        if not (is_one_edit(other) and other.edit.weight <= TOKEN):
            rules.append(self.of_tables)
        if is_one_edit(other) and (other.edit.negates or other.edit.only_signs):
            rules.append(self.adding)
        return next(chain.from_iterable(rules), None) if wrong else None

    def of_loss_or_spoken_for(self, other, wrong):
        """The first `Edit` of a part of the loss, where that may have been meant otherwise, or that something in the
        forward pass speaks for; None if there is none."""
        divides = is_division(other)  # by a size, which a gradient rather lacks than its loss is a mean for a sum
        losses = (
            edit for edit in self.of_losses if not (edit.sums_what_was_averaged and divides) or is_of_negatives(edit)
        )
        if wrong and self.may_be_of_loss(other) and (edit := next(losses, None)):
            return edit
        return next(filter(self.fitting.keeps_masks, self.spoken_for), None) if wrong else None

    def likeliest(self, other, wrong, is_mistaken):
        """The likeliest of the other slips; None if there is none, or `other` is as good."""
        forgotten = wrong - set(self.fitting.counting)  # it has a gradient, and the loss does not depend on it
        is_of_slopes = is_one_edit(other) and other.edit.exchanges_slopes
        found = [edit for edit in self.of_layers if is_likely(edit, None)] if wrong else []  # by itself: it tells more
        is_enough = is_as_good(other, is_mistaken) and not is_of_slopes and not self.are_forgotten(forgotten, other)
        if not wrong or (not found and is_enough):
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
        return max(found, key=self.likelihood, default=None)

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

    @staticmethod
    def may_be_of_loss(other):
        """Whether a repair of the backward pass only puts in a factor, or takes out a term, or is more than people
        forget, or no edit does it, nor values that explain nearly all: a part of the loss may have been meant
        otherwise."""
        if other and other.edit:
            is_factor = other.edit.is_factor or is_division(other)
            return is_factor or other.edit.weight == FORMULA or other.edit.drops_a_term
        return other is None or other.cost > CLEAR

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
