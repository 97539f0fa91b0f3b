"""How a backward function is called, told from a call of it that was seen rather than from names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tinyrnn.sources.calling import (
    TARGETS,
    Passes,
    Unclear,
    is_upstream,
    loss_places,
    parameters_of,
    returned_names,
    stem_of,
)
from tinyrnn.sources.seen.origins import entries_of
from tinyrnn.sources.seen.watch import SeenCall
from tinyrnn.sources.vocabulary import is_rate


def passes_seen(forward: Any, backward: Any, call: SeenCall, returned: Any, is_linear: Callable) -> Passes:
    """The `Passes` of a call that was seen, for what a forward pass has just returned with the same arguments.

    What the caller made, of the shape of an output, is a gradient from above, unless it is called targets. What comes
    from elsewhere is taken as it was. is_linear(passes) -> whether nothing comes out where zero comes from above: asked
    where one of both is told by its shape alone. Raises `Unclear`.
    """
    parts = returned if isinstance(returned, tuple) else (returned,)
    names, parameters = returned_names(forward, len(parts)), parameters_of(backward)
    made, unknown, doubtful = Passes(forward, backward), [], False
    arguments = call.arguments or {}
    for name, origin in arguments.items():
        kind, value = origin
        by_default = name in parameters and parameters[name].default is value
        is_named = is_upstream(name) or stem_of(name) in {*names} - {None}
        place = None if kind != "value" else place_of(value, name, names, parts, made.above)
        if place is not None and is_named and (not by_default or isinstance(value, int | float)):
            made.above[name] = place
            made.is_sure &= stem_of(name) in names or len([part for part in parts if sizes(part)]) == 1
            made.fixed |= {name: value} if by_default else {}
        elif by_default:
            continue
        elif place is not None and np.ndim(value) and not TARGETS & {*name.split("_")}:
            made.above[name], doubtful = place, True
        else:
            made.call[name] = origin if kind != "value" else ("value", value)
            unknown += [name] if kind in ("value", "nest") and is_open(origin, name) else []
    made.is_sure &= not doubtful
    made.likes = {place: arguments[name][1] for name, place in made.above.items()}
    if made.above:
        if (unknown or doubtful) and not is_linear(made):
            told = ", ".join(unknown or made.above)
            raise Unclear(
                f"cannot tell what {backward.__name__} is given as {told}: where nothing comes from above, something "
                "comes out of it"
            )
        return made
    places = loss_places(parts)
    if (unknown or not places) and (measure := measured(call, unknown)):
        made.measure, made.is_sure = measure, False
        return made
    if unknown or not places:
        wanted = f" wants {', '.join(unknown)}, which the forward function does not return:" if unknown else ":"
        raise Unclear(f"{backward.__name__}{wanted} there is no loss to differentiate")
    made.loss = places[0]
    return made


def measured(call: SeenCall, unknown: list) -> tuple | None:
    """(function, {argument: origin}) of the loss that was worked out of the forward call, if it was told what the
    backward function was; None if not, or if it was given numbers that came from elsewhere."""
    if call.loss is None:
        return None
    function, origins = call.loss
    told = [(call.arguments or {})[name][1] for name in unknown]
    if any(
        is_open(origin, name) and not any(is_alike(origin[1], one) for one in told) for name, origin in origins.items()
    ):
        return None
    shares = any(is_alike(value, one) for kind, value in origins.values() if kind == "value" for one in told)
    reads = any(kind in ("output", "own", "nest") for kind, _ in origins.values()) or "self" in names_of(function)
    return (function, origins) if reads and (shares or not unknown) else None


def names_of(function: Any) -> tuple:
    """The names of the arguments of a function by place."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def is_open(origin: tuple, name: str) -> bool:
    """Whether something came from elsewhere that may be a target: an array or a number that is no rate."""
    kind, value = origin
    if kind == "nest":
        return any(is_open(part, name) for part in value[1].values())
    return kind == "value" and not is_rate(name) and not (value is None or isinstance(value, str | bool))


def is_alike(one: Any, other: Any) -> bool:
    """Whether two constants are the same numbers."""
    try:
        return bool(np.shape(one) == np.shape(other) and np.all(np.asarray(one) == np.asarray(other)))
    except ValueError:
        return False


def place_of(value: Any, name: str, names: list, parts: tuple, taken: dict) -> int | None:
    """Which of the things returned a value may be the gradient of, by its size: the one that its name says, else the
    first that has none yet; None for none."""
    fits = [k for k, part in enumerate(parts) if sizes(part) is not None and sizes(part) == sizes(value)]
    stem = stem_of(name)
    if stem in names and names.index(stem) in fits:
        return names.index(stem)
    return next((k for k in fits if k not in taken.values()), None)


def sizes(value: Any) -> Any:
    """The number of entries of an array of floats, or of a float; of a nest, those of its parts; None for others."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return value.size
    if isinstance(value, float | np.floating):
        return 1
    if type(value) in (list, tuple, dict) and value:
        parts = {key: sizes(part) for key, part in entries_of(value)}
        return None if None in parts.values() else parts
    return None
