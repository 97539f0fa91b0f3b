"""Which of the gradients that come back belongs to which array: by names, by structure, by order, by shape."""

import numpy as np

from tinyrnn.checking.functions.leaves import at, is_attribute, is_float, leaves_of
from tinyrnn.sources.calling import gradient_names, returned_names, stem_of

BOXES = ("params", "parameters", "param", "weights", "p", "theta", "W")
GRADIENT_BOXES = ("grads", "grad", "gradients", "dparams", "d_params", "gradient", "param_grads", "dW", "G")


def align(returned, arguments, paths, function=None, first=0):
    """{leaf: gradient} for what a gradient function returned.

    arguments: {name: value} in order. paths: {leaf: [paths]} into them. function: whose `return` may name things.
    first: how many of the things that are returned come before the gradients.
    """
    named = by_argument(returned, arguments, function, first)
    found = {}
    for leaf, (path, *_) in paths.items():
        if path[0] in named and path[0] in arguments:
            gradient = inner(named[path[0]], path[1:], at(arguments, path[:1]))
        else:
            gradient = in_dicts(named.values(), path)
        if gradient is not None:
            found[leaf] = gradient
    return found


def by_argument(returned, arguments, function, first):
    """{argument: what is returned for it, a nest}; under None, None_1 … what belongs to no argument."""
    if returned is None:
        return {}
    with_floats = [name for name, value in arguments.items() if has_floats(value)]
    if isinstance(returned, dict):
        named = pick(returned, list(arguments))
        return (
            named
            | ({} if set(named) >= set(with_floats) and named else {None: returned})
            | only(returned, with_floats, named)
        )
    single = len(with_floats) == 1
    if single and first == 0 and fits_nest(returned, arguments[with_floats[0]]):
        return {with_floats[0]: returned}
    if hasattr(returned, "_asdict"):
        return by_argument(returned._asdict(), arguments, None, 0)
    if not isinstance(returned, tuple | list):
        name = named_like(returned_names(function, 1)[0] if function else None, arguments)
        return {name or (with_floats[0] if with_floats else None): returned}
    parts = list(returned)
    names = [
        named_like(n, arguments) for n in (returned_names(function, len(parts)) if function else [None] * len(parts))
    ]
    names, parts = names[first:], parts[first:]
    if first and len(parts) == 1 and isinstance(parts[0], tuple | list | dict):
        if not (single and fits_nest(parts[0], arguments[with_floats[0]])):
            return by_argument(parts[0], arguments, None, 0)
    return in_order(parts, names, with_floats, arguments)


def only(returned, with_floats, named):
    """A dict of gradients for the one argument that is a dict itself."""
    return {with_floats[0]: returned} if len(with_floats) == 1 and not named else {}


def in_order(parts, names, with_floats, arguments):
    """{argument: part}: what has a name goes by it, the rest by order where the shapes agree, else by shape."""
    found = {name: part for name, part in zip(names, parts, strict=True) if name is not None}
    rest = [part for name, part in zip(names, parts, strict=True) if name is None and part is not None]
    nones = len(parts) == len(arguments) and any(part is None for part in parts)
    if nones or (not found and len(parts) == len(arguments)):
        return {n: part for n, part in zip(arguments, parts, strict=True) if part is not None and n in with_floats}
    free = [name for name in with_floats if name not in found]
    if len(rest) == len(free):
        in_turn = dict(zip(free, rest, strict=True))
        if all(alike_in_kind(part, arguments[name]) for name, part in in_turn.items()):
            return found | in_turn
        by_kind = {n: [p for p in rest if alike_in_kind(p, arguments[n])] for n in free}
        if all(len(parts) == 1 for parts in by_kind.values()):
            return found | {name: parts[0] for name, parts in by_kind.items()}
        return found | in_turn
    spare = 0
    for part in rest:
        match = next((name for name in free if fits_nest(part, arguments[name])), None)
        if match is None:
            match, spare = f"None_{spare}", spare + 1
        else:
            free.remove(match)
        found[match] = part
    return found


def alike_in_kind(gradient, value):
    """Whether both are dicts, or sequences of one length, or neither."""
    if isinstance(value, dict) or isinstance(gradient, dict):
        return isinstance(value, dict) and isinstance(gradient, dict)
    if isinstance(value, tuple | list) or isinstance(gradient, tuple | list):
        both = isinstance(value, tuple | list) and isinstance(gradient, tuple | list)
        return both and len(value) == len(gradient)
    return True


def named_like(name, arguments):
    """The argument that something called `name` is the gradient of."""
    if name is None:
        return None
    return next(
        (a for a in arguments if name in gradient_names(a)), stem_of(name) if stem_of(name) in arguments else None
    )


def pick(gradients, names):
    """{name: entry} of a dict, under the name itself or what a gradient of it may be called."""
    found = {}
    for name in names:
        key = next((key for key in (name, *gradient_names(name)) if key in gradients), None)
        if key is not None:
            found[name] = gradients[key]
    return found


def inner(gradient, path, value):
    """The part of a nest of gradients for the part of `value` that a path leads to; None if there is none."""
    for depth, key in enumerate(path):
        if isinstance(gradient, dict):
            own = pick(gradient, [key])
            if not own and depth == 0 and len(path) > 1:  # a flat dict for a nested one
                return inner(gradient, path[1:], value)
            gradient = own.get(key)
        elif isinstance(gradient, tuple | list):
            place = key
            if isinstance(value, dict):
                place = [k for k in value if has_floats(value[k])].index(key)
            gradient = gradient[place] if isinstance(place, int) and place < len(gradient) else None
        elif is_attribute(value, key):
            gradient = next(
                (getattr(gradient, n) for n in (key[1:], *gradient_names(key[1:])) if hasattr(gradient, n)), None
            )
        else:
            gradient = None if np.ndim(gradient) == 0 or not isinstance(key, int) else split_off(gradient, key)
        if gradient is None:
            return None
        value = at(value, (key,))
    return gradient


def split_off(gradient, key):
    """Entry `key` of an array of gradients that belong to a list of numbers."""
    return gradient[key] if key < len(gradient) else None


def in_dicts(nests, path):
    """The gradient of a weight of an object in dicts that were returned, by the last key of its path."""
    key = str(path[-1]).removeprefix(".")
    for nest in nests:
        if isinstance(nest, dict):
            found = pick(nest, [key])
            if found:
                return found[key]
            deeper = in_dicts([value for value in nest.values() if isinstance(value, dict)], path)
            if deeper is not None:
                return deeper
    return None


def in_object(owner, path):
    """The gradient that an object keeps for its array at a path (of keys and attributes): beside it under a name like
    `dW`, in a box like `grads` beside its own, or in `.grad` of what holds it; None without one."""
    *above, last = path
    plain = str(last).removeprefix(".")
    for names in (gradient_names(plain), gradient_names(plain.lower()) if plain[:1].isupper() else []):
        for name in names:
            gradient = look_up(owner, [*above, f".{name}"], [*above, name])
            if gradient is not None:
                return gradient
    if plain in ("data", "value", "array", "values", "w", "val") or not above:
        gradient = next(
            (g for n in ("grad", "g", "gradient", "d") if (g := look_up(owner, [*above, f".{n}"])) is not None), None
        )
        if gradient is not None:
            return gradient
    for k, key in enumerate(above):
        box = str(key).removeprefix(".")
        if box not in BOXES:
            continue
        for other in (*GRADIENT_BOXES, *gradient_names(box)):
            for name in (last, *gradient_names(last)) if isinstance(last, str) else (last,):
                changed = [*above[:k], f".{other}", *above[k + 1 :], name]
                gradient = look_up(owner, changed)
                if gradient is not None:
                    return gradient
    return None


def look_up(owner, *paths):
    """What the first path leads to that ends neither at None, a nest nor a string; None if no path does."""
    for path in paths:
        try:
            found = at(owner, path)
        except (KeyError, IndexError, AttributeError, TypeError):
            continue
        if found is not None and not isinstance(found, dict | tuple | list | str):
            return found
    return None


def has_floats(value):
    """Whether there is any array of floats in a value."""
    return next(leaves_of(value), None) is not None


def fits_nest(gradient, value):
    """Whether gradients are nested like a value, arrays of the same shape."""
    if isinstance(value, dict):
        keys = [key for key in value if has_floats(value[key])]
        return isinstance(gradient, dict) and len(pick(gradient, keys)) == len(keys)
    if isinstance(value, tuple | list):
        return (
            isinstance(gradient, tuple | list)
            and len(gradient) == len(value)
            and all(fits_nest(g, v) for g, v in zip(gradient, value, strict=True) if has_floats(v))
        )
    return not isinstance(gradient, tuple | list | dict) and np.shape(gradient) == np.shape(value) and is_float(value)
