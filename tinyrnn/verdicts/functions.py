"""Makes a `Problem` of a forward and a backward function, whoever wrote them.

Nothing is declared: arguments are recognised by their names. The backward function is given a random gradient from above
for each argument called `dfoo` (in the order of the forward function's outputs, or by their names), what the forward
function returned besides its outputs (the cache), its inputs under their own names, and intermediates under theirs.
"""

import inspect

import numpy as np

from tinyrnn.backend import as_rng
from tinyrnn.sources import reachable
from tinyrnn.verdicts.grouping import stems
from tinyrnn.verdicts.problem import Problem, partners
from tinyrnn.verdicts.recognise import recognise
from tinyrnn.verdicts.run import at_path, floats, fresh, record

CACHE_NAMES = ("cache", "caches", "kept", "tape", "saved", "ctx", "memo", "memory", "context", "state")


def of_functions(forward, backward, inputs, *, upstream=None, rng=0, leave=(), gates=(), title=None):
    """The problem of judging `backward`, the gradient of `forward`.

    forward, backward: plain functions, or methods of one object; the same function twice if it computes loss and gradient
    in one go. inputs: the forward function's arguments, a dict by name or a sequence; arrays, or dicts, lists and tuples
    of them; what holds no floats is passed on as it is. upstream: gradients from above, {argument of backward: like the
    output}, random if not given. leave: names of functions in the same module not to look into.

    Raises TypeError for what has no source, ValueError where an argument cannot be told.
    """
    owner = getattr(forward, "__self__", None)
    if getattr(backward, "__self__", None) is not owner:
        raise ValueError("forward and backward must be methods of the same object, or both plain functions")
    f, b = (getattr(g, "__func__", g) for g in (forward, backward))
    arguments = bind(forward, inputs)
    functions, classes = reachable([] if owner is not None else [f, b], [] if owner is None else [type(owner)], leave)
    leaves = dict(leaves_of_arguments(arguments))
    if owner is not None:
        leaves |= {f"self.{name}": value for name, value in leaves_of(vars(owner), "")}

    def run_forward(program, **changed):
        own = program.instance(owner)
        given = fresh(arguments)
        for name, value in changed.items():
            if name.startswith("self."):
                put(vars(own), leaf_path(vars(owner), name[5:]), value)
            else:
                put(given, leaf_path(arguments, name), value)
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
        inputs=leaves,
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

    call = backward_arguments(b, names, leaves_by_name(arguments), rest, events)

    def run_backward(program, result):
        returned, own, given = result
        _, rest, _ = split_result(returned, f, b)
        passed = {name: how(fresh(above), rest, given) for name, how in call.items()}
        if own is None:
            return program[b](**passed), None
        own = program.instance(own)
        return getattr(own, b.__name__)(**passed), own

    problem.loss, problem.backward = loss, run_backward
    problem.recognise = lambda truth: recognise(problem, truth)
    if owner is not None and hasattr(owner, "params") and hasattr(owner, "grads"):
        problem.results = grads_of_object
    elif owner is None:
        returns = [site for site in program.sites[b.__qualname__] if site.kind == "return"]
        problem.results = lambda returned: results_by_name(returned[0], returns, leaves)
        problem.made_by = lambda name: b.__qualname__
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


# arrays within arguments ------------------------------------------------------------------------------------------------


def leaves_of(value, name):
    """(name, array) of every array of floats in nested dicts, lists and tuples: `W`, `state[0]`."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves_of(entry, str(key))
    elif isinstance(value, tuple | list):
        for k, entry in enumerate(value):
            yield from leaves_of(entry, f"{name}[{k}]")
    elif floats(value) is not None:
        yield name, floats(value)


def leaves_of_arguments(arguments):
    for name, value in arguments.items():
        yield from leaves_of(value, name)


def leaf_path(arguments, wanted):
    """Where in the arguments the leaf of that name is: the keys that lead to it."""

    def search(value, name, path):
        if isinstance(value, dict | tuple | list):
            for key in value if isinstance(value, dict) else range(len(value)):
                inner = str(key) if isinstance(value, dict) else f"{name}[{key}]"
                found = search(value[key], inner, [*path, key])
                if found is not None:
                    return found
        return path if name == wanted and path and floats(value) is not None else None

    return search(arguments, "", [])


def put(container, path, value):
    """container[path[0]][path[1]]… = value, with tuples along the way made anew."""
    key, *rest = path
    if not rest:
        new = value
    else:
        inner = container[key]
        inner = list(inner) if isinstance(inner, tuple) else inner
        put(inner, rest, value)
        new = tuple(inner) if isinstance(container[key], tuple) else inner
    container[key] = new


def leaves_by_name(arguments):
    return set(arguments)


# what is returned, and what is passed on --------------------------------------------------------------------------------


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
    return list(parts[: len(names)]), parts[len(names) :], names


def upstream_names(forward, backward):
    if forward is backward:
        return []
    taken = set(inspect.signature(forward).parameters)
    parameters = inspect.signature(backward).parameters
    return [name for name in parameters if name not in taken and name not in ("self", *CACHE_NAMES) and stems(name)]


def backward_arguments(backward, names, inputs, rest, events):
    """{argument: how to get it}, for every argument of the backward function."""
    known = {}
    for event in events:
        if event.value is not None and event.site.kind in ("assign", "augment", "argument"):
            known[event.site.name] = event.value
    call, unknown = {}, []
    for name, parameter in inspect.signature(backward).parameters.items():
        if name == "self":
            continue
        if name in names:
            call[name] = lambda above, rest, given, name=name: above[name]
        elif name in CACHE_NAMES and name not in inputs and rest:
            call[name] = lambda above, rest, given: rest[0] if len(rest) == 1 else rest
        elif name in inputs:
            call[name] = lambda above, rest, given, name=name: given[name]
        elif name in known:
            call[name] = lambda above, rest, given, name=name: known[name].copy()
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            unknown.append(name)
    if len(unknown) == 1 and rest and not any(name in CACHE_NAMES for name in call):
        call[unknown.pop()] = lambda above, rest, given: rest[0] if len(rest) == 1 else rest
    if unknown:
        raise ValueError(
            f"cannot tell what {backward.__name__} wants as {', '.join(unknown)}: it is no gradient from above (dfoo), no "
            "cache, no input and no named value of the forward function"
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


def results_by_name(returned, returns, leaves):
    """Of gradients returned under their names: {input: gradient}."""
    for site in returns:
        try:
            named = {name: floats(at_path(returned, path)) for path, name in site.uses}
        except (TypeError, LookupError):
            continue
        return {
            stem: np.array(np.nan) if value is None else value
            for name, value in named.items()
            for stem, handed_on in stems(name)
            if not handed_on and stem in leaves
        }
    return {}


def grads_of_object(returned):
    """Of an object with `params` and `grads`: {name of the parameter: its gradient}."""
    _, own = returned
    pairs = zip(leaves_of(own.params, "params"), leaves_of(own.grads, "params"), strict=True)
    return {f"self.{name}": got for (name, _), (_, got) in pairs}
