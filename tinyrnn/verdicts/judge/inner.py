"""The layers and steps that two passes are made of, each by itself.

A layer whose backward pass gives what its forward pass asks for, with something else from above, is right here too: a
line that calls it, or takes what it gives, is at fault and none of its own.
"""

import inspect
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from tinyrnn.sources.calling import parameters_of
from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.deadline import TooLong, cut_off
from tinyrnn.sources.pairs import partner, passes_in
from tinyrnn.sources.reading import NoSource
from tinyrnn.verdicts.judge.operations import MOST_TIMES, Doing, Operations
from tinyrnn.verdicts.record.run import entered
from tinyrnn.verdicts.subjects.operation import Operation

MOST_SETTINGS = 3  # of objects of a class, that are looked at
SECONDS, LONGEST = 2.0, 20.0  # for one layer: to see whether it is right, and what is wrong with it


class Inner:
    """The pairs of passes within a problem. judge_of: function that makes the `Judge` of a problem."""

    def __init__(self, problem, judge_of):
        self.problem, self.judge_of, self.judges = problem, judge_of, {}
        self.known = {}  # what was found out about an operation with what of its program changed: (the trees, what)

    def is_right(self, backward, trees):
        """Whether a function, the backward pass of a layer or a step, is right by itself, with all settings that there
        are of it; None where it is none, or not all of its gradients can be compared. trees: function -> syntax tree to
        take in place of its source."""
        found = [self.is_right_at(backward, turn, trees) for turn in range(len(self.calls_for(backward)))]
        return False if False in found else next(iter(found), None)

    def is_right_at(self, backward, turn, trees):
        """The same with one of its settings, by number."""
        return self.once("right", backward, turn, trees, lambda: self.is_right_now(backward, turn, trees))

    def is_right_now(self, backward, turn, trees):
        """The same, found out now."""
        search = self.tried(backward, turn, lambda judge: judge.locator.search(judge.problem.program(trees)))
        if search is None or (search.wrong and not averages_all_weights(search)):
            return None if search is None else False
        wanted = self.judges[backward, turn].locator.wanted
        counting = {name for name, gradient in wanted.items() if gradient.any()}
        is_all = all(one.is_stored for one in search.results.unpaired)  # a state may have been the number 0 at first
        return True if is_all and counting and counting <= set(search.results.pairs.values()) else None

    def repairs(self, trees, right=()):
        """The `Repair`s of the layers and steps that are wrong by themselves, and call no other that is. right: the
        inputs whose gradients come out right, of which none can be wrong in a layer."""
        wrong = {}  # {backward function: the first of its settings with which it is wrong}
        for times in (1, MOST_TIMES):  # what is right when it is done once may be put in the place of what there was
            found = {}
            for backward, turn in self.settings(times):
                if backward not in wrong | found and self.is_right_at(backward, turn, trees) is False:
                    if not self.is_otherwise(backward, turn, trees, right):
                        found[backward] = turn
            wrong |= found
            trusted = self.run_by_right(wrong) if found else frozenset()
            for backward, turn in found.items():
                within = self.within(backward, turn)
                if any(other in within for other in wrong if other != backward):
                    continue
                if backward in self.operations.found:
                    problem = self.judges[backward, turn].problem
                    self.judges[backward, turn] = self.judge_of(problem.but(trusted=problem.trusted | trusted))
                repair = self.once("repair", backward, turn, trees, lambda b=backward, t=turn: self.repair(b, t, trees))
                if repair and not self.breaks(repair.edit, backward, turn, trees):
                    yield repair

    def settings(self, times):
        """(a backward function or an operation, the number of one of its settings) of all that are to be done so many
        times."""
        for backward in (*self.pairs, *self.operations.found):
            for turn, given in enumerate(self.calls_for(backward)):
                if times == (given.times if isinstance(given, Doing) else 1):
                    yield backward, turn

    def repair(self, backward, turn, trees):
        """The `Repair` of a layer, a step or an operation by itself; None if there is none."""
        judged = self.tried(backward, turn, lambda judge: judge.judge(judge.problem.program(trees)), LONGEST)
        found = judged and judged.chosen
        if found and not found.edit and backward in self.operations.found:
            alone = {place for units, one in judged.search.tried if one and len(units) == 1 for place in one.places}
            is_it = len(alone) == 1 and found.places == alone
            found = replace(found, is_of_operation=is_it, doubtful=frozenset() if is_it else found.doubtful)
        return found

    def once(self, what, backward, turn, trees, find):
        """find(), and for an operation what it gave before, where nothing that it runs was changed since."""
        if backward not in self.operations.found:
            return find()
        judge = self.judges.get((backward, turn))
        names = {backward.function.__qualname__}
        run = {event.site.scope for event in judge.problem.events_of_all} if judge else names
        own = [tree for function, tree in trees.items() if function.__qualname__ in run]
        key = what, backward, turn, *map(id, own)
        if key not in self.known:
            self.known[key] = own, find()  # with the trees, of which no other ones are to be at the same place
        return self.known[key][1]

    def run_by_right(self, wrong):
        """{(scope, line)} of all that operations run which are right: what starts the backward pass, and makes tensors
        of arrays."""
        right = [key for key, judge in self.judges.items() if key[0] in self.operations.found and key[0] not in wrong]
        problems = [judge.problem for key in right if (judge := self.judges[key])]
        events = list(chain.from_iterable(one.events_of_all for one in problems))
        calls = {event.caller[::-1] for event in events if event.caller}
        return frozenset(calls | {(event.site.scope, event.site.line) for event in events})

    def within(self, backward, turn):
        """The functions that a layer, a step or an operation consists of."""
        if backward in self.operations.found:
            return self.operations.parts_of(backward)
        return self.judges[backward, turn].problem.program().originals()

    def is_otherwise(self, backward, turn, trees, right):
        """Whether a backward function that is wrong by itself gives a wrong gradient of what comes out right in the
        whole: it leaves something to what calls it, such as a division by the size of the batch."""
        search = self.tried(backward, turn, lambda judge: judge.locator.search(judge.problem.program(trees)))
        inputs = search.replay.problem.inputs if search else {}
        return any(np.array_equal(inputs[name], one) for name in (search.wrong if search else ()) for one in right)

    def breaks(self, edit, backward, turn, trees):
        """Whether an `Edit` that puts a layer right with one of its settings makes it wrong with another one."""
        others = [other for other in range(len(self.calls_for(backward))) if edit and other != turn]
        right = [other for other in others if self.is_right_at(backward, other, trees) is not False]
        return any(self.is_right_at(backward, other, trees | {edit.function: edit.tree}) is False for other in right)

    def tried(self, backward, turn, do, seconds=SECONDS):
        """do(judge) for the `Judge` of a backward function; None if there is none, or it fails or takes too long."""
        try:
            with cut_off(seconds), np.errstate(all="ignore"):
                if (backward, turn) not in self.judges:
                    self.judges[backward, turn] = None
                    self.judges[backward, turn] = self.judge(backward, turn)
                judge = self.judges[backward, turn]
                return judge and do(judge)
        except (Exception, SystemExit, TooLong):
            return None

    def judge(self, backward, turn):
        """The `Judge` of a backward function and its forward function, as that is called first; None without one."""
        if backward in self.operations.found:
            done = self.operations.found[backward][turn]
            return self.judge_of(Operation(self.problem, backward.function, *done, self.operations.leaves))
        forward, cls = self.pairs[backward]
        given = self.calls_for(backward)[turn]
        owner = given.get("self")
        passes = (forward, backward) if cls is None else [getattr(owner, f.__name__) for f in (forward, backward)]
        inputs = apart({name: moved(given[name]) for name in parameters_of(passes[0])})
        problem = self.problem.inner(*passes, inputs)
        return problem and self.judge_of(problem.but(draws_the_same=True))  # what a dropout leaves out

    def calls_for(self, backward):
        """The arguments by name of the first calls of a backward function's forward function, one for each of the
        settings that it is called with; none of what cannot be copied. Of an operation, of its own."""
        if backward in self.operations.found:
            return self.operations.found[backward]
        return [given for given in self.calls.get(self.pairs.get(backward), {}).values() if given is not None]

    @cached_property
    def pairs(self):
        """{backward function: (its forward function, the class whose methods they are or None)}, but for the whole."""
        found, functions = {}, [one for one in self.problem.functions if inspect.isfunction(one)]
        for backward in functions:
            with suppress(NoSource, OSError, SyntaxError):
                found[backward] = partner(backward, functions), None
        for cls in self.problem.classes:
            with suppress(NoSource, OSError, SyntaxError):
                forward, backward = passes_in(cls) or (None, None)
                if (forward, cls) in self.calls:
                    found[backward] = forward, cls
        return {b: pair for b, pair in found.items() if b and pair[0] and b.__qualname__ not in self.problem.top}

    @cached_property
    def operations(self):
        """The `Operations` on tensors."""
        program = self.problem.program()
        watch = Operations(program, as_written)
        if not isinstance(self.problem, Operation):  # which consists of none
            with suppress(Exception, SystemExit):  # in its backward pass, perhaps
                program.run(watch, self.problem.forward)
        return watch

    @cached_property
    def calls(self):
        """{(function, class of its object or None): {settings of that object: its arguments by name}}, of the first
        calls in the forward pass."""
        program, found = self.problem.program(), {}
        originals = {made.__code__: made.original for made in program.rewritten()}

        def watch(site, value, key=None):
            if site.kind == "enter":
                frame = entered()
                owner = frame.f_locals.get("self")
                place = originals.get(frame.f_code), getattr(type(owner), "original", None)
                calls, settings = found.setdefault(place, {}), settings_of(owner)
                if settings not in calls and len(calls) < MOST_SETTINGS:
                    calls[settings] = None  # of what cannot be copied
                    with suppress(Exception, SystemExit):
                        calls[settings] = as_written(deep_copy(dict(frame.f_locals)))
            return value

        program.run(watch, self.problem.forward)
        return found


def settings_of(owner):
    """What may decide which branches an object's methods take: its words, flags and functions."""
    kept = getattr(owner, "__dict__", {}).items()
    return tuple((name, str(value)) for name, value in kept if value is None or isinstance(value, bool | str)) + tuple(
        (name, value.__qualname__) for name, value in kept if inspect.isroutine(value)
    )


def averages_all_weights(search):
    """Whether what is wrong in a backward pass is that the gradients of all weights, of several, are the same part of
    what they should be, `/ batch`: what calls it may count on that."""
    results, came = search.results, search.replay.problem.came(search.base.result)
    arrays = {results.pairs[one.place]: one.array for one in came if one.place in results.pairs}
    weights = {name for name in arrays if name not in results.arguments and results.wanted[name].any()}
    if len(weights) < 2 or set(search.wrong) != weights:
        return False
    wanted = {name: results.wanted[name] for name in weights}
    if any(arrays[name].size != d.size for name, d in wanted.items()):
        return False
    came = {name: arrays[name].reshape(d.shape) for name, d in wanted.items()}
    part = next(np.vdot(came[name], d) / np.vdot(d, d) for name, d in wanted.items())
    alike = all(results.error(came[name], part * d) <= results.tolerance for name, d in wanted.items())
    return bool(0 < part < 1 and alike and np.isclose(1 / part, round(1 / part)))


def apart(inputs):
    """The same inputs, of an array under several names a copy for each: attention of something to itself gives a
    gradient for each of the three that it is."""
    first = {id(value): name for name, value in reversed(inputs.items())}
    is_again = {name: isinstance(value, np.ndarray) and first[id(value)] != name for name, value in inputs.items()}
    return {name: value.copy() if is_again[name] else value for name, value in inputs.items()}


def moved(value):
    """The same value, with random numbers in the place of zeros in arrays: a state that begins as zeros hides all that
    it is multiplied by, and of what a ReLU gave several may be the largest. What is only zeros and ones says which."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(map(moved, value))
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim
    if not is_array or value.all() or (value.any() and np.isin(value, (0, 1)).all()):
        return value
    size = abs(value).max() / 10 or 1.0
    return np.where(value == 0, size * np.random.default_rng(0).normal(size=value.shape), value).astype(value.dtype)


def as_written(value, known=None):
    """The same value, in which objects and functions of rewritten classes are of those that were written. known: {id:
    (value, what it became)} of what was gone through."""
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)][1]
    kind, made = getattr(type(value), "original", None), value
    if isinstance(value, tuple):
        parts = [as_written(one, known) for one in value]
        made = type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    elif inspect.isfunction(value):
        made = getattr(value, "original", value)
    elif kind is not None:
        made = object.__new__(kind)
        made.__dict__ = vars(value)
    known[id(value)] = value, made
    inner = value if isinstance(value, list | dict) else vars(value) if kind is not None else ()
    for key, one in list(inner.items() if isinstance(inner, dict) else enumerate(inner)):
        inner[key] = as_written(one, known)
    return made
