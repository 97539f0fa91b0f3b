"""How a cell behaves apart from its numbers: what it modifies, what shapes it returns, what it remembers.

Most of what sends a correct gradient into a red check is found here: an upstream gradient changed in place, a (1, n)
that broadcasts against (n,), gradients that add up from call to call. Each finding is one line that names the function
and the array.
"""

import copy
import functools
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np

from tinyrnn.checking.probe import copied, learned_states, leaves, state_names
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.cell import Cell
from tinyrnn.nn.model import Model


class Stop(Exception):
    """Going on makes no sense; the message is the finding."""


def find_problems(network, probe, other):
    """A list of one-line findings, empty if all is well, and whether the gradients can be computed at all.

    network: copied, not touched. probe: where to look. other: another probe, called in between.
    """
    problems = Problems()
    try:
        watched = copy.deepcopy(network)
        watch(watched, problems)
        for p in (probe, replace(probe, mask=None)):
            look_at_calls(watched, p, problems)
        look_for_memory(copy.deepcopy(network), probe, other)
    except Stop as stop:
        problems.add(str(stop))
        return list(problems), False
    return list(problems), True


class Problems(dict):
    """Findings in order, each once, whatever number of time steps it turned up in."""

    def add(self, line):
        """Note a finding; the same line again changes nothing."""
        self.setdefault(line)


# the whole network, from outside --------------------------------------------------------------------------------------


def look_at_calls(network, probe, problems):
    """One forward and one backward pass: names, shapes, dtypes and finiteness of the results; nothing modified."""
    given, params = probe.copy(), copied(dict(network.params))
    y, tape = attempt("the forward pass", given.forward, network)
    report_changes("the forward pass", probe, given, params, network, problems)
    if problem := not_finite([("the output", y), *zip(state_names(network), tape.state, strict=True)]):
        raise Stop(f"the forward pass puts out {problem}")
    given = probe.copy()
    back = attempt("the backward pass", given.gradients, network)
    report_changes("the backward pass", probe, given, params, network, problems)

    missing = ", ".join(params.keys() - back.params.keys())
    if missing:
        raise Stop(f"the backward pass returns no gradient for {missing}")
    pairs = [(f"the gradient of {name}", back.params[name], p) for name, p in params.items()]
    states = zip(state_names(network), back.state, given_state(network, probe), strict=True)
    pairs += [(f"the gradient of the initial state {name}", d, s) for name, d, s in states]
    if has_input_gradient(network, probe):
        pairs.append(("the gradient of the inputs", back.inputs, probe.x))
    for what, gradient, like in pairs:
        if getattr(gradient, "shape", None) != like.shape:
            got = getattr(gradient, "shape", type(gradient).__name__)
            problems.add(f"{what} has shape {got}, what it belongs to has {like.shape}")
        elif gradient.dtype != like.dtype:
            problems.add(f"{what} is {gradient.dtype}, what it belongs to is {like.dtype}")
        elif problem := not_finite([(what, gradient)]):
            problems.add(problem)


def has_input_gradient(network, probe):
    """Whether the inputs are real numbers that go in as they are, rather than integers or embedded tokens."""
    embedded = isinstance(network, Model) and network.embedding is not None
    return probe.x.dtype.kind == "f" and not embedded


def given_state(network, probe):
    """Arrays like the initial state, also where the probe leaves it to the network."""
    return probe.dstate if probe.state is None else probe.state


def report_changes(who, before, after, params, network, problems):
    """Add findings on arguments and parameters that differ now; none if the functions within had findings."""
    if problems:  # the functions within have been watched more closely, and one of them was caught
        return
    for name in vars(before):
        for path in changes(getattr(before, name), getattr(after, name)):
            problems.add(f"{who} changes its argument {name}{path} in place: work on a copy")
    for path in changes(params, dict(network.params)):
        problems.add(f"{who} changes the parameter {path[1:]} in place: work on a copy")


def look_for_memory(network, probe, other):
    """The same call twice, with another one in between, must give the same: nothing is kept from call to call."""
    params = [(leaf, copied(dict(leaf.params))) for _, leaf in leaves(network)]
    results = []
    for p in (probe, other, probe):
        for leaf, values in params:
            leaf.params.update(copied(values))
        y, tape = attempt("the forward pass", p.copy().forward, network)
        back = attempt("the backward pass", p.copy().gradients, network)
        results.append(([y, *tape.state], [*back.params.values(), *back.state]))
    (first, first_back), _, (second, second_back) = results
    if not all(map(close, first, second)):
        raise Stop("a second forward pass on the same input gives another result: is something kept from call to call?")
    if not all(map(close, first_back, second_back)):
        raise Stop("a second backward pass gives another result: are gradients added to those of the call before?")


# each function of the contract, from inside ---------------------------------------------------------------------------


def watch(network, problems):
    """Wrap, in place, the functions that cells and heads are made of, to see what they do to their arguments."""
    for prefix, leaf in leaves(network):
        label = prefix.rstrip(".") or leaf.name if isinstance(leaf, Cell) else prefix.rstrip(".")
        if isinstance(leaf, StepCell):
            leaf.functions = tuple(guarded(f, f.__name__, problems) for f in leaf.functions)
        elif isinstance(leaf, Cell):
            leaf.interpret()  # what is compiled calls none of these
            for name in ("derive", "project", "step", "step_backward", "gradients"):
                setattr(leaf, name, guarded(getattr(leaf, name), f"{label}.{name}", problems))
            check_results(leaf, label, problems)
        else:
            for name in ("forward", "backward"):
                setattr(leaf, name, guarded(getattr(leaf, name), f"{label}.{name}", problems))


def guarded(function, label, problems):
    """`function`, which reports whatever it modifies of its arguments (parameters, states, gradients, kept values)."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs).arguments
        before = copied(dict(bound))
        result = function(*args, **kwargs)
        for name, value in bound.items():
            for path in changes(before[name], value):
                problems.add(f"{label} changes its argument {name}{path} in place: work on a copy")
        return result

    return call


def check_results(cell, label, problems):
    """Have `step` and `step_backward` checked for what the engine would broadcast or stumble over."""
    step, step_backward, derive_backward = cell.step, cell.step_backward, cell.derive_backward

    def checked_step(p, a, *state):
        result = step(p, a, *state)
        return check_states(f"{label}.step", "(state, kept)", result, 0, state)

    def checked_step_backward(p, *dstate, **kept):
        result = step_backward(p, *dstate, **kept)
        return check_states(f"{label}.step_backward", "(da, dstate_prev)", result, 1, dstate)

    def checked_derive_backward(p, dparams):
        result = derive_backward(p, dparams)
        own = set(cell.params) - set(learned_states(cell))
        if missing := own - set(result):
            raise Stop(f"{label}.gradients returns no gradient for {', '.join(sorted(missing))}")
        if extra := set(result) - set(cell.params):
            problems.add(f"{label}.gradients returns {', '.join(sorted(extra))}, which is no parameter")
        return result

    cell.step, cell.step_backward = checked_step, checked_step_backward
    cell.derive_backward = checked_derive_backward


def check_states(label, form, result, position, like):
    """The result as it is; raises `Stop` unless it is a pair with states like the reference, by number and shape."""
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"a tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
        raise Stop(f"{label} must return {form}, got {got}")
    states = result[position]
    if not isinstance(states, tuple | list) or len(states) != len(like):
        got = f"{len(states)} of them" if isinstance(states, tuple | list) else type(states).__name__
        raise Stop(f"{label} must return a tuple of {len(like)} states, got {got}")
    for k, (s, reference) in enumerate(zip(states, like, strict=True)):
        if getattr(s, "shape", None) != reference.shape:
            got = getattr(s, "shape", type(s).__name__)
            raise Stop(f"{label} must return states of shape {reference.shape}, got {got} for number {k}")
    return result


# small tools ----------------------------------------------------------------------------------------------------------


def attempt(what, function, *args):
    """The function's result; whatever it raises becomes a one-line `Stop` with the place in the user's file."""
    try:
        return function(*args)
    except Stop:
        raise
    except Exception as error:
        raise Stop(f"{what} fails: {describe_error(error)}") from error


def describe_error(error):
    """Type, message and, if it was raised outside this package and its libraries, file and line."""
    place, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if Path(__file__).parent not in path.parents and "site-packages" not in path.parts:
            place = f" ({path.name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    message = " ".join(str(error).split())
    return message if not place and isinstance(error, ValueError) else f"{type(error).__name__}: {message}{place}"


def changes(before, after):
    """Paths (like `.W` or `[0]`) of the arrays in which two nests of tuples, lists, dicts and arrays differ."""
    if isinstance(before, dict):
        return [f".{key}{path}" for key in before for path in changes(before[key], after.get(key))]
    if isinstance(before, tuple | list):
        return [f"[{k}]{p}" for k, (b, a) in enumerate(zip(before, after, strict=False)) for p in changes(b, a)]
    if not hasattr(before, "shape"):
        return []
    same = before.dtype == after.dtype and np.array_equal(to_numpy(before), to_numpy(after), equal_nan=True)
    return [] if same else [""]


def close(a, b):
    """Equal but for rounding, which may differ where memory is aligned otherwise."""
    a, b = to_numpy(a), to_numpy(b)
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-12 * max(1.0, abs(a).max()), equal_nan=True)


def not_finite(named_arrays):
    """`NaN in h`, or infinity, of the first (name, array) that is not finite; None if all are."""
    for what, array in named_arrays:
        values = to_numpy(array)
        if not np.isfinite(values).all():
            kind = "NaN" if np.isnan(values).any() else "infinity"
            return f"{kind} in {what}"
    return None
