"""Which statements of a backward program are at fault."""

import ast
from collections import Counter
from functools import cached_property

import numpy as np

from tinyrnn.sources.reading import read
from tinyrnn.sources.vocabulary import role_of
from tinyrnn.verdicts.record.came import of_all_steps
from tinyrnn.verdicts.record.leaves import last_of, owner_of
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.editing import Editing
from tinyrnn.verdicts.repair.explaining import Explaining
from tinyrnn.verdicts.repair.gradient_names import meant
from tinyrnn.verdicts.repair.known import Known
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.results import Results
from tinyrnn.verdicts.repair.search import Search


class Locator:
    """Locates mistakes in the backward programs of one forward pass.

    problem, truth: of the forward pass. uses: its `Truth` made with uses. error: (came, wanted) -> relative error.
    inner: the `Inner` of the problem.
    """

    def __init__(self, problem, truth, uses, error, inner):
        self.problem, self.truth, self.make_uses, self.error, self.inner = problem, truth, uses, error, inner
        wanted = {name: truth.of_input(name) for name in problem.inputs if name not in targets_in(problem)}
        idle = problem.shared | (set_anew(truth.events) - {*problem.order}) | left_behind(wanted)
        self.wanted = {name: d for name, d in wanted.items() if name not in idle or d.any()}

    @cached_property
    def explaining(self):
        """What values can be explained as: worked out when first asked."""
        problem, wanted = self.problem, [*self.wanted.values(), *self.problem.also_known(self.wanted)]
        is_one, above = problem.returns_more, problem.above_all()
        return Explaining(lambda: Known(self.make_uses(), above, wanted, is_one, has_nested_loops(problem.program())))

    def results_of(self, run):
        """The `Results` that a run that did not break off is compared by."""
        problem, above = self.problem, self.problem.above_all()
        weights = [name for name in self.wanted if name not in problem.order]
        came = [one for one in problem.came(run.result) if not is_kept_from_above(one, above, weights)]
        came = of_all_steps(named_within(came, run, self.wanted), run)
        is_forward = self.is_forward if problem.returns_more else None
        order = [name for name in problem.order if name in self.wanted]
        known = problem.aliases, is_forward, order, problem.boxes
        results = Results(came, self.wanted, self.error, self.truth.tolerance, *known, is_value=self.is_forward)
        kept = [one for one in results.unpaired if one.is_stored and self.is_forward(one.array)]  # C_bar is no gradient
        kept += [one for one in results.unpaired if self.is_of_states(one, came, results)]
        results.unpaired = [one for one in results.unpaired if one not in kept]
        return results

    def is_of_states(self, one, came, results):
        """Whether what is returned is one of several in a box that are all values of the forward pass: the states."""
        beside = [other for other in came if other.place[:-1] == one.place[:-1] and not other.is_stored]
        is_box = not one.is_stored and len(one.place) > 1 and len(beside) > 1
        return is_box and all(o.place not in results.pairs and self.is_forward(o.array) for o in beside)

    def is_forward(self, array):
        """Whether an array is a value of the forward pass: one that the loss depends on."""
        for number, event in enumerate(self.truth.events if array.any() else ()):  # zeros are found everywhere
            value = floats(event.value)
            if value is not None and value.shape == array.shape and np.array_equal(value, array):
                if self.truth.moves(number):
                    return True
        return False

    def search(self, program):
        """The `Search` in a program; None where the pass breaks off."""
        replay = Replay(self.problem, program, self.truth.result)
        base = replay.run()
        if base.error is not None:
            return None
        results = self.results_of(base)
        editing = Editing(self.problem, program, self.truth.result, results, self.inner)
        return Search(replay, results, self.explaining, editing, base)


def has_nested_loops(program):
    """Whether a function has a loop in a loop: it may go back through time from every step."""
    trees = [program.trees.get(function) or read(function) for function in program.originals()]
    loops = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.For)]
    return any(isinstance(inner, ast.For) for loop in loops for inner in ast.walk(loop) if inner is not loop)


def named_within(came, run, wanted):
    """The same arrays, where what is returned without a name goes by that under which a function within returned it, as
    in `return loss, *self.backward(d)`, or that it had there, if it is that of an input's gradient, or of several that
    are made alike, w_update and v_update. run: `Replayed`. wanted: names of inputs."""
    returned = [(unit, floats(value)) for unit, value in run.units.values() if unit.site.kind == "return"]
    outer = returned[-1][0].site.scope if returned else None
    within = [(unit, array) for unit, array in returned if unit.is_handed_on and unit.site.scope != outer]
    named, taken = [], Counter()
    likely = made_alike({place: name for place, several in run.names.items() for _, name in several[-1:]}, wanted)
    for one in came:
        if not (one.name or one.is_stored or one.is_stub):
            alike = [unit for unit, array in within if array is not None and is_among(one.array, [array])]
            own = [unit for unit in alike if unit.site.scope == alike[-1].site.scope]  # that returned it last
            names = list(dict.fromkeys(dict(unit.site.uses)[unit.path] for unit in own))
            own = [name for scope, name in run.names.get(one.place, ()) if scope != outer]
            names = names or [name for name in own if any(meant(name, other) for other in wanted)][:1]
            names = names or [name for name in own if name == likely.get(one.place)]
            turn = taken[tuple(names)]  # of several of one value, in their order
            one = one._replace(name=names[min(turn, len(names) - 1)] if names else None)
            taken[tuple(names)] += 1
        named.append(one)
    return named


def made_alike(names, wanted):
    """Those of some {place: name} that add the same to the name of an input, each to that of another one."""
    found = {}
    for place, name in names.items():
        for own in {last_of(one) for one in wanted}:
            before, is_there, after = name.partition(own)
            if is_there and (before or after):
                found.setdefault((before, after), {}).setdefault(place, []).append(own)
    several = [own for own in found.values() if len({*map(tuple, own.values())}) == len(own) > 1]
    return {place: names[place] for own in several for place in own}


def set_anew(events):
    """Names of the attributes of an object that the forward pass sets, whatever was there before; arguments may go by
    such a name, too."""
    return {event.site.name for event in events if event.site.kind == "assign" and event.site.box == "self"}


def left_behind(wanted):
    """Names of arrays that do not count, beside one of the same name and shape elsewhere that does: `params["W"]` after
    `layer.W = W`, the W of a layer whose cell has it now, or an entry of `params` beside those of a cell's."""
    counting = {(last_of(name), d.shape, owner_of(name)) for name, d in wanted.items() if d.any()}
    idle = [name for name, d in wanted.items() if not d.any()]
    same = [(name, {o for n, s, o in counting if (n, s) == (last_of(name), wanted[name].shape)}) for name in idle]
    return {name for name, owners in same if owners - ({owner_of(name)} if "[" in name else set())}


def is_among(array, others):
    """Whether an array is one of some others, number by number."""
    return any(array.shape == np.shape(one) and np.array_equal(array, one, equal_nan=True) for one in others)


def targets_in(problem):
    """The inputs that are targets: called so, of a function that returns its loss too, or a one among zeros in each
    row. What goes by the name of such a one's gradient, `dy`, is that of the scores."""
    named = {name: array for name, array in problem.inputs.items() if role_of(name, [name])[0] == "y"}
    return {name for name, array in named.items() if problem.returns_more or is_one_hot(array)}


def is_kept_from_above(one, above, weights):
    """Whether an object only keeps what comes from above, and not in the place of the gradient of a weight."""
    is_weights = one.name is not None and any(meant(one.name, name) for name in weights)
    return one.is_stored and not is_weights and is_among(one.array, above)


def is_one_hot(array):
    """Whether an array has a one among zeros along its last axis."""
    return array.ndim > 1 and array.shape[-1] > 1 and np.isin(array, (0, 1)).all() and (array.sum(axis=-1) == 1).all()
