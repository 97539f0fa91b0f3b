"""A `Target` that has its inputs: those that it comes with, those of its file's `example_inputs`, or made-up ones."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

from tinyrnn.sources.calling import bind, call
from tinyrnn.sources.inputs.arguments import SIZE_ROLES, are_documented, docs_of, example_inputs, parameters_of
from tinyrnn.sources.inputs.around import NOTHING, Around, around
from tinyrnn.sources.inputs.guess import guess
from tinyrnn.sources.inputs.values import listed, stir
from tinyrnn.sources.pairs import passes_in
from tinyrnn.sources.reading import NoSource
from tinyrnn.sources.stubs import check_written
from tinyrnn.sources.target import Target
from tinyrnn.sources.vocabulary import role_of

MOST_ENTRIES = 300_000  # of weights in a module, with which a forward pass is not too slow to be run so often


class Filled(NamedTuple):
    """A `Target` that can be run: an object in place of a class, and inputs {argument: value}. note: what was made up,
    or "". sizes: {letter: number} of what was made up, else empty. is_guess: whether shapes were told by names and by
    trying, which no docstring says."""

    target: Target
    note: str = ""
    sizes: Any = ()
    is_guess: bool = False


def filled(target: Target, misfit: Callable, *, rng: Any, T: int, B: int) -> Filled:
    """The target with inputs, and with an object of its class.

    misfit(forward, backward, inputs) -> how many gradients do not have the shape of what they are the gradient of, by
    which one of several guesses is chosen. T, B: time steps and sequences of what is made up.

    Raises `NotWritten` for a stub, ValueError where nothing is known of an argument, and whatever the forward pass
    raises with the likeliest.
    """
    check_written(target.forward, target.backward)
    if target.cls is not None:
        return filled_class(target, misfit, rng, T, B)
    forward, backward = target.forward, target.backward
    if target.inputs is not None:
        return Filled(target._replace(inputs=bind(forward, target.inputs)))
    try:
        inputs = example_inputs(forward, rng)
    except NoSource as error:
        raise NoSource(f"give the inputs, as none can be made up: {error}") from None
    if inputs is not None:
        return Filled(target._replace(inputs=inputs))
    there = around(forward)
    inputs, _, sizes = guess(
        forward,
        docs_of(forward, backward),
        lambda values, _: call(on_copy(forward), values),
        lambda values, _: misfit(forward, backward, values),
        rng=rng,
        T=T,
        B=B,
        there=there,
        backward=backward,
    )
    if there.entries > MOST_ENTRIES and not there.certain and {sizes["D"], sizes["H"]} <= {*there.lengths}:
        raise ValueError(
            f"the weights that {forward.__qualname__} takes from its module have {there.entries} entries, too many to "
            "be judged in time: make them smaller, such as by hidden_size = 10"
        )
    is_guess = not are_documented(forward, docs_of(forward, backward), sizes)
    return Filled(target._replace(inputs=inputs), f"the inputs were made up: {listed(inputs)}", sizes, is_guess)


def filled_class(target: Target, misfit: Callable, rng: Any, T: int, B: int) -> Filled:
    """The same for a class: an object of it is made, with numbers in place of weights that are all zero."""
    cls: Any = target.cls
    sizes, note, is_guess = {}, "", False
    docs = [*docs_of(cls, cls.__init__), *docs_of(target.forward, target.backward)]
    given = example_inputs(target.forward, rng, cls)
    if given is not None:
        constructor, inputs = given
    else:
        inputs, constructor, sizes = guess(
            target.forward,
            docs,
            lambda values, made_with: call(passes_in(cls(**made_with))[0], values),
            lambda values, made_with: misfit(*passes_in(cls(**made_with)), values),
            rng=rng,
            T=T,
            B=B,
            maker=cls,
            there=around_made(cls),
            backward=target.backward,
            given=None if target.inputs is None else bind(partial(target.forward, None), target.inputs),
        )
        note = f"{cls.__name__} and its inputs were made up: {listed(constructor | dict(inputs))}"
        is_guess = not are_documented(target.forward, docs, sizes)
    made = cls(**constructor)
    stir(vars(made), rng)
    forward, backward = passes_in(made)
    return Filled(Target(forward, backward, inputs, title=target.title), note, sizes, is_guess)


def around_made(cls: Any) -> Around:
    """What is around the methods of a class: of one whose constructor leaves nothing open the weights that it makes."""
    sizes = [p for p in parameters_of(cls) if p.default is p.empty or role_of(p.name, ())[0] in SIZE_ROLES]
    if sizes:
        return NOTHING
    try:
        return around(passes_in(cls())[0])._replace(certain=False)
    except Exception:  # it fails again, with inputs, and then that is told
        return NOTHING


def on_copy(method: Any) -> Any:
    """The same method of a copy of its object; a plain function as it is."""
    owner = getattr(method, "__self__", None)
    return method if owner is None else getattr(deepcopy(owner), method.__name__)
