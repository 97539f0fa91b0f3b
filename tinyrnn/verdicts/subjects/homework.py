"""Makes a `Problem` of code by other hands, and the inputs for it where none are given."""

import inspect
from dataclasses import dataclass

import numpy as np

from tinyrnn.sources.inputs.arguments import docs_of, example_inputs
from tinyrnn.sources.inputs.guess import guess
from tinyrnn.sources.inputs.values import listed, stir
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.judge.returned import named_returns
from tinyrnn.verdicts.record.leaves import leaves_of
from tinyrnn.verdicts.record.run import floats, fresh
from tinyrnn.verdicts.subjects.calling import bind, upstream_names
from tinyrnn.verdicts.subjects.functions import FunctionPair
from tinyrnn.verdicts.subjects.gradient_shapes import wanted, wrong_shapes


@dataclass
class Options:
    """Those of `tinyrnn.lines`."""

    upstream: dict | None
    rng: np.random.Generator
    T: int
    B: int
    leave: tuple
    against: str | None


def of_pair(forward, backward, inputs, options):
    """(problem, notes) of two functions, or of two methods of one object; see `tinyrnn.lines`."""
    for function in (forward, backward):
        check_object(function)
    if getattr(forward, "__self__", None) is not getattr(backward, "__self__", None):
        raise ValueError("forward and backward must be methods of the same object, or both plain functions")
    notes, sizes = [], {}
    if inputs is None:
        inputs = example_inputs(forward, options.rng)
    if inputs is None:
        inputs, _, sizes = guess(
            forward,
            docs_of(forward, backward),
            lambda values, _: on_copy(forward)(**values),
            lambda values, _: wrong_shapes(forward, backward, values, options.leave),
            rng=options.rng,
            T=options.T,
            B=options.B,
            lengths=lengths_in(getattr(forward, "__self__", None)),
        )
        notes.append(f"the inputs were made up: {listed(inputs)}")
    return problem_of(forward, backward, inputs, options, sizes), notes


def of_class(cls, inputs, options):
    """(problem, notes) of an object of a class with methods forward and backward."""
    given = example_inputs(cls.forward, options.rng, cls)
    constructor, sizes, notes = given, {}, []
    if given is None:
        inputs, constructor, sizes = guess(
            cls.forward,
            [*docs_of(cls, cls.__init__), *docs_of(cls.forward, cls.backward)],
            lambda values, made_with: cls(**made_with).forward(**values),
            lambda values, made_with: wrong_shapes(*passes(cls(**made_with)), values, options.leave),
            rng=options.rng,
            T=options.T,
            B=options.B,
            maker=cls,
            given=inputs,
        )
        notes.append(f"{cls.__name__} and its inputs were made up: {listed(constructor | dict(inputs))}")
    else:
        constructor, inputs = given
    made = cls(**constructor)
    stir(vars(made), options.rng)
    return problem_of(*passes(made), inputs, options, sizes), notes


def check_object(function):
    """TypeError for a method without its object, and for what is no function written in Python."""
    undecorated(function)
    if next(iter(inspect.signature(function).parameters), None) == "self":
        raise TypeError(f"{function.__qualname__} needs an object: give its class, or the method of an object")


def on_copy(method):
    """The same method of a copy of its object; a plain function as it is."""
    owner = getattr(method, "__self__", None)
    return method if owner is None else getattr(fresh(owner), method.__name__)


def passes(made):
    """(forward, backward) of an object."""
    return made.forward, made.backward


def lengths_in(made):
    """The lengths of the axes of an object's arrays, and what they are if gates are side by side."""
    found = set()
    for _, _, value in leaves_of({} if made is None else vars(made)):
        found |= {n // k for n in np.shape(value) for k in (1, 3, 4) if n % k == 0 and n > 1}
    return sorted(found)


def problem_of(forward, backward, inputs, options, sizes=None):
    """The `FunctionPair`, with names for what is returned without one."""
    inputs = bind(forward, inputs)
    check_inputs(inputs, backward)
    owner, numbers = getattr(forward, "__self__", None), list((sizes or {}).values())
    of = type(owner).__name__
    problem = FunctionPair(
        forward,
        backward,
        as_floats(inputs),
        upstream=default_upstream(forward, backward) | dict(options.upstream or {}),
        rng=options.rng,
        leave=options.leave,
        title=None if owner is None else f"{of}.{forward.__name__} and {of}.{backward.__name__}",
        sizes=tuple((name, size) for name, size in (sizes or {}).items() if numbers.count(size) == 1),
    )
    asked = wanted(forward, problem.inputs, inputs, is_loss=forward == backward)
    others = [(name, array.shape) for name, array in problem.inputs.items() if name not in [n for n, _ in asked]]
    tree = named_returns(problem, *problem.functions_judged, asked, others)
    return problem if tree is None else problem.named(tree)


def default_upstream(forward, backward):
    """Gradients from above that are numbers by default, as in `backward(self, dout=1)`: many a loss ignores them."""
    parameters = inspect.signature(backward).parameters
    defaults = {name: parameters[name].default for name in upstream_names(forward, backward)}
    return {name: float(value) for name, value in defaults.items() if is_number(value)}


def check_inputs(inputs, backward):
    """ValueError for inputs that have a gradient and are no floats."""
    made = set(undecorated(backward).__code__.co_varnames)
    for name, value in inputs.items():
        gradient = next((n for n in made for stem, handed_on in stems(n) if stem == name and not handed_on), None)
        if isinstance(value, list) and value and isinstance(flat(value), float):
            raise ValueError(f"{name} is a list of numbers: give an array, np.array({name}, float)")
        if isinstance(value, np.ndarray) and value.dtype.kind in "iub" and gradient is not None:
            raise ValueError(f"{name} holds {value.dtype}, which has no gradient {gradient}: give it as floats")
        array = floats(value)
        if array is not None and not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or infinity")


def flat(value):
    """The first entry of the innermost list, or an empty list; anything but a list as it is."""
    while isinstance(value, list) and value:
        value = value[0]
    return value


def is_number(value):
    """Whether it is an int or a float, but no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_floats(value):
    """The inputs, with floats of another precision as float64: to smaller ones, a gradient is never exact."""
    if isinstance(value, dict):
        return {name: as_floats(entry) for name, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(as_floats, value))
    narrow = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype != np.float64
    return value.astype(np.float64) if narrow else value
