"""Makes a `Problem` of a forward and a backward function, whoever wrote them.

Nothing is declared: arguments are recognised by their names. The backward function is given a random gradient from
above for each argument called `dfoo` (in the order of the forward function's outputs, or by their names), what the
forward function returned besides its outputs (the cache), its inputs under their own names, and intermediates under
theirs.
"""

import ast
import functools
import inspect

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.sources import Program, reachable, read
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.name.recognise import recognise
from tinyrnn.verdicts.record.leaves import Leaves
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import at_path, floats, fresh, record
from tinyrnn.verdicts.vocabulary import CACHE_NAMES, partners, stems


def of_functions(forward, backward, inputs, *, upstream=None, rng=0, leave=(), gates=(), title=None):
    """The problem of judging `backward`, the gradient of `forward`.

    forward, backward: plain functions, or methods of one object; the same function twice if it computes loss and
    gradient in one go. inputs: the forward function's arguments, a dict by name or a sequence; arrays, or dicts, lists
    and tuples of them; what holds no floats is passed on as it is. upstream: gradients from above, {argument of
    backward: like the output}, random if not given. leave: names of functions in the same module not to look into.

    Raises TypeError for what has no source, ValueError where an argument cannot be told.
    """
    owner = getattr(forward, "__self__", None)
    if getattr(backward, "__self__", None) is not owner:
        raise ValueError("forward and backward must be methods of the same object, or both plain functions")
    f, b = (getattr(g, "__func__", g) for g in (forward, backward))
    arguments = bind(forward, inputs)
    functions, classes = reachable([] if owner is not None else [f, b], [] if owner is None else [type(owner)], leave)
    leaves = Leaves(arguments, owner, Program(functions, classes).originals())

    def run_forward(program, **changed):
        own = program.instance(owner)
        given = fresh(arguments)
        leaves.put(program, given, own, changed)
        with np.errstate(all="ignore"):
            returned = program[f](**given) if own is None else getattr(own, f.__name__)(**given)
        return returned, own, given

    problem = Problem(
        title=title or f"{f.__qualname__} and {b.__qualname__}" if f is not b else f.__qualname__,
        functions=functions,
        classes=classes,
        forward=run_forward,
        backward=None,
        loss=None,
        inputs=leaves.arrays,
        scopes={b.__qualname__: [f.__qualname__]},
        top=(f.__qualname__, b.__qualname__),
        gates=gates,
    )
    program = problem.program()
    problem.scopes = partners(program.sites) | problem.scopes
    problem.shown = [g for g in program.originals() if g.__qualname__ in problem.scopes]
    (returned, _, _), events = record(program, run_forward)
    outputs, rest, names = split_result(returned, f, b)
    rng = as_rng(rng)
    above = {None: 1.0}  # a loss, whose gradient is made in the same function
    if names:
        above = {name: random_like(output, rng) for name, output in zip(names, outputs, strict=True)}
    for name, value in (upstream or {}).items():
        if name not in above:
            raise ValueError(f"{b.__name__} takes no gradient from above called {name!r}; it takes {', '.join(above)}")
        above[name] = value

    def loss(result):
        outs, _, _ = split_result(result[0], f, b)
        return sum(dot(up, out) for up, out in zip(above.values(), outs, strict=True))

    call = backward_arguments(b, names, set(arguments), rest, events, returned_names(f, returned))

    def run_backward(program, result):
        returned, own, given = result
        _, rest, _ = split_result(returned, f, b)
        passed = {name: how(fresh(above), rest, given, returned) for name, how in call.items()}
        if own is None:
            return program[b](**passed), None
        own = program.instance(own)
        return getattr(own, b.__name__)(**passed), own

    problem.loss, problem.backward = loss, run_backward
    problem.order = tuple(name for name in arguments if name in leaves.arrays)
    problem.recognise = lambda truth: recognise(problem, truth)
    if owner is not None and hasattr(owner, "params") and hasattr(owner, "grads"):
        problem.results = leaves.grads_of(owner)
    elif owner is None:
        sites = program.sites[b.__qualname__]
        problem.results = lambda returned: results_by_name(returned[0], sites, leaves.arrays)
        problem.made_by = lambda name: b.__qualname__
    if problem.made_by is None:
        problem.made_by = lambda name: b.__qualname__ if name in problem.order else None
    return problem


def bind(function, inputs):
    """The arguments of a call, name -> value."""
    signature = inspect.signature(function)
    try:
        if isinstance(inputs, dict):
            bound = signature.bind(**inputs)
        else:
            bound = signature.bind(*(inputs if isinstance(inputs, tuple | list) else (inputs,)))
    except TypeError as error:
        raise ValueError(f"inputs do not fit {function.__name__}{signature}: {error}") from None
    return dict(bound.arguments)


# what is returned, and what is passed on ------------------------------------------------------------------------------


def split_result(returned, forward, backward):
    """Outputs that take a gradient from above, the rest (the cache), and the arguments of `backward` that bring it."""
    names = upstream_names(forward, backward)
    parts = returned if isinstance(returned, tuple) else (returned,)
    if not names:  # loss and gradient in one function, or the loss alone
        return [parts[0]], parts[1:], []
    if len(names) > 1 and isinstance(parts[0], tuple | list) and len(parts[0]) == len(names):
        parts = (*parts[0], *parts[1:])
    if len(parts) < len(names):
        raise ValueError(
            f"{backward.__name__} takes {len(names)} gradients from above ({', '.join(names)}), but {forward.__name__} "
            f"returns {len(parts)} outputs"
        )
    places = places_by_name(tuple(names), forward, len(parts)) or range(len(names))
    return [parts[k] for k in places], tuple(part for k, part in enumerate(parts) if k not in places), names


@functools.cache  # this is asked for every loss
def places_by_name(names, forward, number):
    """Which of the things that `forward` returns the gradients `names` are of, told by their names; or None."""
    returns = [n.value for n in ast.walk(read(forward)) if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple)]
    for returned in (value.elts for value in returns if len(value.elts) == number):
        found = {stem: k for k, element in enumerate(returned) for stem in [name_of(element)] if stem is not None}
        places = [next((found[s] for s, _ in stems(name) if s in found), None) for name in names]
        if None not in places and len(set(places)) == len(places):
            return places
    return None


def cache_in(rest):
    """What is kept for the backward pass, of all that is returned besides outputs: the last thing, if it holds
    several."""
    return rest[-1] if len(rest) == 1 or isinstance(rest[-1], tuple | list | dict) else rest


@functools.cache
def upstream_names(forward, backward):
    if forward is backward:
        return []
    taken = set(inspect.signature(forward).parameters)
    parameters = inspect.signature(backward).parameters
    return [name for name in parameters if name not in taken and name not in ("self", *CACHE_NAMES) and stems(name)]


def returned_names(forward, returned):
    """{name: place} of what `return a, b, c` names, where it is as many things as were returned."""
    parts = returned if isinstance(returned, tuple) else (returned,)
    for node in ast.walk(read(forward)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(parts):
            return {name_of(element): k for k, element in enumerate(node.value.elts) if name_of(element) is not None}
    return {}


def backward_arguments(backward, names, inputs, rest, events, places):
    """{argument: how to get it}, for every argument of the backward function.

    places: of what the forward function returns under a name. That comes before a value that went by the name on its
    way: an array that is made and then filled was zero when it got its name.
    """
    known = {}
    for event in events:
        if event.value is not None and event.site.kind in ("assign", "augment", "argument"):
            known[event.site.name] = event.value
    call, unknown = {}, []
    for name, parameter in inspect.signature(backward).parameters.items():
        if name == "self":
            continue
        if name in names:
            call[name] = lambda above, rest, given, returned, name=name: above[name]
        elif name in CACHE_NAMES and name not in inputs and rest:
            call[name] = lambda above, rest, given, returned: cache_in(rest)
        elif name in inputs:
            call[name] = lambda above, rest, given, returned, name=name: given[name]
        elif name in places:
            call[name] = lambda above, rest, given, returned, name=name: returned[places[name]]
        elif name in known:
            call[name] = lambda above, rest, given, returned, name=name: known[name].copy()
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            unknown.append(name)
    if len(unknown) == 1 and rest and not any(name in CACHE_NAMES for name in call):
        call[unknown.pop()] = lambda above, rest, given, returned: cache_in(rest)
    if unknown:
        raise ValueError(
            f"cannot tell what {backward.__name__} wants as {', '.join(unknown)}: it is no gradient from above (dfoo), "
            "no cache, no input and no named value of the forward function"
        )
    return call


def random_like(output, rng):
    if isinstance(output, dict):
        return {key: random_like(value, rng) for key, value in output.items()}
    if isinstance(output, tuple | list):
        return type(output)(random_like(value, rng) for value in output)
    value = floats(output)
    if value is None:
        raise ValueError(f"the forward function's outputs must be arrays of floats, got {type(output).__name__}")
    return rng.normal(size=value.shape) if value.shape else float(rng.normal())


def dot(up, output):
    if isinstance(output, dict):
        return sum(dot(up[key], output[key]) for key in output)
    if isinstance(output, tuple | list):
        return sum(dot(u, o) for u, o in zip(up, output, strict=True))
    return np.sum(up * output)


def results_by_name(returned, sites, leaves):
    """Of gradients returned under their names: {input: gradient}.

    If one is returned twice, those that are worked out but not returned are NaN: one of them should stand there.
    """
    made = {stem for site in sites for stem, handed_on in stems(site.name) if not handed_on and stem in leaves}
    for site in [site for site in sites if site.kind == "return"]:
        try:
            named = {name: floats(at_path(returned, path)) for path, name in site.uses}
        except (TypeError, LookupError):
            continue
        results = {
            stem: np.array(np.nan) if value is None else value
            for name, value in named.items()
            for stem, handed_on in stems(name)
            if not handed_on and stem in leaves
        }
        twice = len(named) < len(site.uses)
        return results | ({stem: np.array(np.nan) for stem in made - results.keys()} if twice else {})
    return {}
