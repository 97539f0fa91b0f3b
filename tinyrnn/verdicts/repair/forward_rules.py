"""What is rather meant in a forward pass than what stands there, by itself: what a name says, what a loss mostly is,
what a loop works out and throws away."""

import ast
import re
from dataclasses import replace
from functools import cached_property
from itertools import chain, product

import numpy as np

from tinyrnn.sources.mutation.scope import but
from tinyrnn.verdicts.record.run import floats, record
from tinyrnn.verdicts.repair.branches import as_the_branch_says
from tinyrnn.verdicts.repair.change import MISSING, PIECE, TOKEN, Change, Pattern
from tinyrnn.verdicts.repair.forward_changes import ForwardChanges
from tinyrnn.verdicts.repair.forward_statements import (
    along_another_axis,
    biases_taken_away,
    entries_kept,
    first_for_current,
    kept_beside,
    left_out,
    of_another_gate,
    of_both_terms,
    of_sums_of_powers,
    of_the_usual_kind,
    of_the_usual_loss,
    parts_of,
    sums_of_logarithms,
    thrown_away,
)
from tinyrnn.verdicts.repair.kinds_of_came import SAME
from tinyrnn.verdicts.repair.likely_slips import averages, factors_lost, variables_in
from tinyrnn.verdicts.repair.named_activations import as_named
from tinyrnn.verdicts.repair.named_operations import meant
from tinyrnn.verdicts.repair.replacements import parsed

AS_FACTORS = "{e} * ({a})", "{e} / ({a})", "{a} @ {e}", "{e} @ {a}"  # what may be missing where a factor is too many


class ForwardRules(ForwardChanges):
    """The `Edit`s of a forward pass that something speaks for, with which all gradients are right."""

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

    @property
    def of_axes(self):
        """The `Edit`s of the axis of what goes by the name of a softmax, and is one along another axis, with which all
        gradients are right."""
        events = self.fitting.truth.events
        places = [(one.site.scope, one.site.line) for one in events if "softmax" in one.site.scope.lower()]
        return self.of_each(lambda statement, *_: along_another_axis(statement), dict.fromkeys(places))

    @property
    def of_logarithms(self):
        """The `Edit`s that make the natural logarithm of another one, with which all gradients are right."""

        def natural(statement, *_):
            calls = [node.func for node in parts_of(statement) if isinstance(node, ast.Call)]
            others = [one for one in calls if isinstance(one, ast.Attribute) and one.attr in ("log2", "log10")]
            yield from ((one, but(one, attr="log")) for one in others)

        return self.of_each(natural)

    @property
    def of_operations(self):
        """The `Edit`s that make the operation that a function goes by the name of, with which all gradients are
        right."""
        return self.of_each(lambda statement, tree, scope: meant(statement, tree, scope))

    @property
    def of_terms(self):
        """The `Edit`s of one of the two terms of a cross-entropy, which goes with the other then, with which all
        gradients are right."""
        return self.of_each(lambda statement, *_: of_both_terms(statement))

    @property
    def adding(self):
        """The `Edit`s that add what is taken away from a product of matrices, a bias, with which all gradients are
        right."""
        return self.of_each(lambda statement, *_: biases_taken_away(statement))

    @property
    def of_tables(self):
        """The `Edit`s that make a sum of the mean of all logarithms of a table, with which all gradients are right:
        that is no mean over examples, of which each has as many entries as there are classes."""

        def summed(statement, _, scope):
            for node, text, sums in sums_of_logarithms(statement):
                if self.is_table(scope, statement, text):
                    yield from ((node, parsed(one)) for one in sums)

        return self.of_each(summed)

    def is_table(self, scope, statement, text):
        """Whether an expression in a statement gives an array of several rows and columns."""
        looks = self.editing.looks_of_run(scope, statement, ask=self.fitting.runs_as, times=(0,)) or []
        return any(min(np.shape(look.value(text)), default=1) > 1 < np.ndim(look.value(text)) for look in looks)

    @property
    def of_siblings(self):
        """The `Edit`s that scale what another one of like name is scaled by, with which all gradients are right."""
        for place in self.lines:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                made = edits.missing.scaled_as_siblings(statement)
                yield from self.fitting_of((place, MISSING, Change(one, one, new)) for one, new in made)

    @property
    def averaging(self):
        """The `Edit`s that make a mean of a sum, with which all gradients are right."""
        for place in self.lines:
            changes = (one for one in self.changes(place, TOKEN, True) if averages(one))
            yield from self.fitting_of((place, TOKEN, change) for change in changes)

    @property
    def of_losses(self):
        """The `Edit`s of a part of the loss, with which all gradients are right, that make of it what it mostly is."""
        return filter(self.is_of_a_part, self.of_each(lambda statement, tree, _: of_the_usual_loss(statement, tree)))

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

    def of_each(self, rule, places=None):
        """The `Edit`s that a rule makes of the statements of the forward pass, with which all gradients are right.
        rule: function of a statement, the tree and the name of its function that gives (a node, what to put in its
        place). places: where, if not at all lines."""
        for place in self.lines if places is None else places:
            edits = self.editing.edits_of(place[0])
            for statement in edits.lines.get(place[1], ()) if edits else ():
                changes = (Change(statement, *one) for one in rule(statement, edits.tree, place[0]))
                yield from self.fitting_of((place, TOKEN, change) for change in changes)

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

    def edit(self, place, weight, tree, change):
        """The `Edit` that a `Change` is."""
        return replace(self.editing.edit(place, weight, tree, change), is_of_forward=True)
