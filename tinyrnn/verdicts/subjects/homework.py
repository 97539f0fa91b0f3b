"""Makes a `Problem` of a `Target`, code by other hands, and the inputs for it where none are given."""

from dataclasses import dataclass, replace

import numpy as np

from tinyrnn.sources.inputs.made_up import filled
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.judge.returned import named_returns
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.subjects.functions import FunctionPair
from tinyrnn.verdicts.subjects.gradient_shapes import wanted, wrong_shapes
from tinyrnn.verdicts.subjects.seen_pair import seen_pair


@dataclass
class Options:
    """Those of `tinyrnn.lines`."""

    upstream: dict | None
    rng: np.random.Generator
    T: int
    B: int
    leave: tuple
    against: str | None
    remedies: bool = False


def problem_of(target, options):
    """(the `FunctionPair` of a `Target`, notes); see `tinyrnn.lines`."""
    for function in (target.forward, target.backward):
        undecorated(function)
    if target.owner is not getattr(target.backward, "__self__", None):
        raise ValueError("forward and backward must be methods of the same object, or both plain functions")

    def misfit(forward, backward, values):
        return wrong_shapes(forward, backward, values, options.leave)

    if target.inputs is not None:
        # Somebody's own x may be what default_rng(0) draws first. With the same numbers from above, dout * dout would
        # pass for dout * x; so these come from a stream that no seed starts.
        options = replace(options, rng=options.rng.spawn(1)[0])
    found = filled(target, misfit, rng=options.rng, T=options.T, B=options.B)
    problem = of_functions(*found.target[:3], options, found.sizes)
    return problem.but(is_guess=found.is_guess), [found.note] if found.note else []


def of_functions(forward, backward, inputs, options, sizes):
    """The `FunctionPair`, with names for what is returned without one. sizes: letters, and what they stand for."""
    check_inputs(inputs, backward, is_loss=forward == backward)
    numbers = list(dict(sizes).values())
    problem = FunctionPair(
        forward,
        backward,
        as_floats(inputs),
        sizes=tuple((name, size) for name, size in dict(sizes).items() if numbers.count(size) == 1),
        **facts(forward, backward, options),
    )
    return with_names(problem, inputs)


def of_seen(target, seen, options):
    """(the `FunctionPair` of a `Target` as a `SeenCall` of it has it, notes)."""
    made = replace(seen, inputs=as_floats(seen.inputs))
    cls = None if seen.owner is None else type(seen.owner)
    problem = seen_pair(made, target.forward, target.backward, **facts(target.forward, target.backward, options, cls))
    return with_names(problem, problem.arguments), [f"the inputs are those of the call in {seen.place}"]


def facts(forward, backward, options, cls=None):
    """What a `FunctionPair` is told besides its functions and their inputs."""
    owner = getattr(forward, "__self__", None)
    of = cls.__name__ if cls else type(owner).__name__
    title = f"{of}.{forward.__name__} and {of}.{backward.__name__}" if cls or owner is not None else None
    return {"upstream": options.upstream, "rng": options.rng, "leave": options.leave, "title": title}


def with_names(problem, inputs):
    """The problem with names for what is returned without one."""
    forward, backward = problem.functions_judged
    asked = wanted(forward, problem.inputs, inputs, is_loss=forward == backward)
    others = [(name, array.shape) for name, array in problem.inputs.items() if name not in [n for n, _ in asked]]
    tree = named_returns(problem, forward, backward, asked, others)
    return problem if tree is None else problem.named(tree)


def check_inputs(inputs, backward, is_loss):
    """ValueError for inputs that have a gradient and are no arrays of floats; of one function for a loss and its
    gradients, whole numbers may be targets, whatever it calls its variables."""
    made = set(undecorated(backward).__code__.co_varnames)
    for name, value in inputs.items():
        gradient = next((n for n in made for stem, handed_on in stems(n) if stem == name and not handed_on), None)
        if isinstance(value, list) and value and isinstance(flat(value), float) and gradient:
            raise ValueError(f"{name} is a list of numbers: give an array, np.array({name}, float)")
        if isinstance(value, np.ndarray) and value.dtype.kind in "iub" and gradient and not is_loss:
            raise ValueError(f"{name} holds {value.dtype}, which has no gradient {gradient}: give it as floats")
        array = floats(value)
        if array is not None and not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or infinity")


def flat(value):
    """The first entry of the innermost list, or an empty list; anything but a list as it is."""
    while isinstance(value, list) and value:
        value = value[0]
    return value


def as_floats(value):
    """The inputs, with floats of another precision as float64: to smaller ones, a gradient is never exact."""
    if isinstance(value, dict):
        return {name: as_floats(entry) for name, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(as_floats, value))
    narrow = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype != np.float64
    return value.astype(np.float64) if narrow else value
