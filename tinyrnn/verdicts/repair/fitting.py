"""Whether a backward pass is right for another forward pass than the one that stands there.

That takes no true gradients: along a random direction of all inputs the loss has to change by what the gradients say,
which is one run of either pass, and one more with moved inputs. What passes is tried along each input by itself, and
along other directions.
"""

from functools import cached_property

import numpy as np

from tinyrnn.checking.numeric import CENTRAL_STEP, COMPLEX_STEP
from tinyrnn.sources.deadline import TooLong
from tinyrnn.sources.reading import code_of
from tinyrnn.verdicts.record.run import record
from tinyrnn.verdicts.repair.named_activations import activation_of
from tinyrnn.verdicts.repair.patience import spend
from tinyrnn.verdicts.repair.results import SLIGHT
from tinyrnn.verdicts.repair.sieve import value_of

SURE = 1e-8, 1e-5  # part of the terms of a sum by which it may differ: by complex step, by central differences
FLOOR = 1e-3  # part of the terms of all inputs, of which those of one are at least
VANISHING = 1e-3  # part of the largest entry of a gradient that is as good as none
SAME = 1e-12  # relative, of the loss
DRAWS = 3  # directions of all inputs: along one alone many edits are right by chance
SHORTER = 0.6  # part of the events of a forward pass that are left where a loop only lacks a step or two


def masks_of(problem, program):
    """{place: whether it gives flags of which some are true and some are not, or numbers of entries} of a forward
    pass, of all places that give flags or numbers of entries."""
    found = {}

    def watch(site, value, key=None):
        parts = value if isinstance(value, tuple) else (value,)
        kinds = {part.dtype.kind if isinstance(part, np.ndarray) else "" for part in parts}
        if kinds == {"b"}:
            found[site] = found.get(site, False) or any(part.any() and not part.all() for part in parts)
        elif kinds == {"i"} and isinstance(value, tuple):  # of `np.where`
            found[site] = found.get(site, False) or any(part.size for part in parts)
        return value

    program.run(watch, problem.forward)
    return found


class Fitting:
    """The backward pass of a `Search`, tried with forward passes that an edit makes.

    names: the inputs whose gradients come out. counting: those of them that the loss depends on as it stands.
    """

    def __init__(self, search):
        self.results, self.editing, self.problem = search.results, search.editing, search.replay.problem
        self.program, self.truth, self.previews = search.replay.program, search.explaining.known.truth, {}
        self.runs = 0  # of both passes, with edits
        self.names = list(dict.fromkeys(self.results.pairs.values()))
        self.counting = [name for name in self.names if self.results.wanted[name].any()]
        rng = np.random.default_rng(0)
        self.draws = [
            {name: rng.normal(size=np.shape(self.problem.inputs[name])) for name in self.names} for _ in range(DRAWS)
        ]
        self.value = self.problem.loss(self.program.run(None, self.problem.forward))
        came = self.gradients(search.base.result)
        self.least = {name: VANISHING * abs(came[name]).max(initial=0) for name in self.counting if name in came}

    def gradients(self, returned):
        """{input: its gradient} of what a backward pass returned."""
        came = self.problem.came(returned, self.results.pairs)
        return {self.results.pairs[one.place]: one.array for one in came if one.place in self.results.pairs}

    @cached_property
    def faults(self):
        """What `np.errstate` is given: division by zero is an error, but for a pass that does so as it stands."""
        raised = {"divide": "raise", "invalid": "raise"}
        try:
            with np.errstate(over="ignore", under="ignore", **raised):
                self.problem.loss(self.program.run(None, self.problem.forward))
        except FloatingPointError:
            raised = {}
        return {"over": "ignore", "under": "ignore", "divide": "ignore", "invalid": "ignore"} | raised

    def fits(self, scope, tree, change):
        """Whether all gradients are right with a `Change` of the forward pass, which changes the loss."""
        does = self.editing.does(scope, tree, change, self.fits_as, self.preview(scope, change.statement))
        return does and not self.editing.makes_one_of_a_size(scope, change, self.runs_as)

    def preview(self, scope, statement):
        """The `Preview` of a statement in the forward pass, made once."""
        if statement not in self.previews:
            gives = value_of(statement) is not None
            self.previews[statement] = self.editing.preview_of_run(scope, statement, self.runs_as) if gives else None
        return self.previews[statement]

    def runs_as(self, scope, code):
        """Run the forward pass with another code of a function. code: function that makes it."""
        with np.errstate(all="ignore"), self.editing.running_as(scope, code()):
            self.program.run(None, self.problem.forward)

    def fits_with(self, scope, tree):
        """`fits` with another tree of a function."""
        return self.fits_as(scope, lambda: code_of(self.editing.functions[scope].original, tree))

    def fits_as(self, scope, code):
        """The same with another code of a function. code: function that makes it."""
        spend()
        self.runs += 1
        with np.errstate(**self.faults):
            try:
                with self.editing.running_as(scope, code()):
                    return self.is_right()
            except (Exception, TooLong):
                return False

    @cached_property
    def masks(self):
        """What `masks_of` finds as the forward pass stands."""
        return masks_of(self.problem, self.program)

    def keeps_masks(self, edit):
        """Whether an `Edit` of the forward pass leaves something to mask where something is masked: else the gradients
        are right without the mask that the backward pass lacks. Not of a sigmoid, which may be worked out in two ways,
        one for what is below zero."""
        made = masks_of(self.problem, self.problem.program(self.program.trees | {edit.function: edit.tree}))
        there = [site for site, masks in self.masks.items() if masks and activation_of(site.scope) in (None, "relu")]
        return not any(made.get(site) is False for site in there)

    def keeps_going(self, edit):
        """Whether the forward pass does no less with an `Edit` of what a loop runs through, but for a step or two, and
        runs all lines still: of one step alone, or without a part of the loss, much is right."""
        trees = self.program.trees | {edit.function: edit.tree}
        before, after = (
            record(self.problem.program(one), self.problem.forward)[1] for one in (self.program.trees, trees)
        )
        lines = [{(event.site.scope, event.site.line) for event in events} for events in (before, after)]
        return lines[0] <= lines[1] and len(after) > SHORTER * len(before)

    def is_right(self):
        """Whether all gradients are right, of the passes as they stand."""
        result = self.program.run(None, self.problem.forward)
        if abs(self.problem.loss(result) - self.value) <= SAME * abs(self.value):
            return False
        arrays = self.gradients(self.program.run(None, self.problem.backward_call(result)))
        if arrays.keys() != {*self.names}:
            return False
        if any(abs(arrays[name]).max(initial=0) <= least for name, least in self.least.items()):
            return False  # all zeros, or nearly, would be right if the loss depended on nothing
        several = (self.names, *([name] for name in self.names)), [self.names]
        return all(
            self.agrees_along(directions, arrays, several[min(turn, 1)]) for turn, directions in enumerate(self.draws)
        )

    def agrees_along(self, directions, arrays, several):
        """Whether the loss changes along some directions as the gradients say, of each list of inputs of several."""
        shaped = {name: np.real(arrays[name]).reshape(d.shape) for name, d in directions.items()}
        terms = {name: shaped[name] * d for name, d in directions.items()}
        floor = FLOOR * sum(abs(some).sum() for some in terms.values())
        return all(self.agrees(names, directions, terms, floor) for names in several)

    def agrees(self, names, directions, terms, floor):
        """The same of some inputs. terms: {input: the products of its gradient and its direction}. floor: the least
        size of those that counts."""
        own, size = (sum(f(terms[name]).sum() for name in names) for f in (np.asarray, np.abs))
        sure = SURE[not self.truth.by_complex_step]
        if self.results.tolerance >= SLIGHT:  # of a program that is off by next to nothing
            sure = max(sure, SLIGHT)
        return abs(self.slope(names, directions) - own) <= sure * max(size, floor)

    def slope(self, names, directions):
        """How the loss changes along the directions of some inputs."""
        if self.truth.by_complex_step:
            return self.loss_at(names, directions, 1j * COMPLEX_STEP).imag / COMPLEX_STEP
        return (self.loss_at(names, directions, CENTRAL_STEP) - self.loss_at(names, directions, -CENTRAL_STEP)) / (
            2 * CENTRAL_STEP
        )

    def loss_at(self, names, directions, step):
        """The loss with some inputs moved along their directions."""
        is_complex = np.iscomplexobj(step)
        moved = self.truth.complex_inputs(is_complex)
        moved |= {name: self.problem.inputs[name] + step * directions[name] for name in names}
        return self.problem.loss(self.program.run(None, lambda p: self.problem.forward(p, **moved), is_complex))
