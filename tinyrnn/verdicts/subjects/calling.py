"""How a backward function is called: which gradients from above it takes, what it finds in the cache, and what it wants
besides."""

import ast
import functools
import inspect

import numpy as np

from tinyrnn.sources import read
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import CACHE_NAMES, stems
from tinyrnn.verdicts.record.run import floats


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
    """Backward arguments named as gradients that forward does not take, in order; none if the two are one function."""
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


def from_above(names, outputs, given, backward, rng):
    """{argument of the backward function: gradient from above}, random but for those given; 1 for a loss alone, whose
    gradient is made in the same function."""
    above = (
        {name: random_like(output, rng) for name, output in zip(names, outputs, strict=True)} if names else {None: 1.0}
    )
    for name, value in given.items():
        if name not in above:
            raise ValueError(
                f"{backward.__name__} takes no gradient from above called {name!r}; it takes {', '.join(above)}"
            )
        above[name] = value
    return above


def random_like(output, rng):
    """Standard normal floats nested and shaped like an output; ValueError for what is not floats."""
    if isinstance(output, dict):
        return {key: random_like(value, rng) for key, value in output.items()}
    if isinstance(output, tuple | list):
        return type(output)(random_like(value, rng) for value in output)
    value = floats(output)
    if value is None:
        raise ValueError(f"the forward function's outputs must be arrays of floats, got {type(output).__name__}")
    return rng.normal(size=value.shape) if value.shape else float(rng.normal())


def dot(up, output):
    """The sum of products of two nests of one structure, without conjugation: the loss whose gradients are judged."""
    if isinstance(output, dict):
        return sum(dot(up[key], output[key]) for key in output)
    if isinstance(output, tuple | list):
        return sum(dot(u, o) for u, o in zip(up, output, strict=True))
    return np.sum(up * output)
