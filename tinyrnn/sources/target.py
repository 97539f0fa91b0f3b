"""What is to be checked, however it is said: a forward pass, a backward pass, and what to call them with.

`tinyrnn.gradcheck`, `tinyrnn.lines` and `tinyrnn.trace`, and the commands of their names, read what they are given by
`target` and `targets`: what one of them takes, the others take.
"""

import inspect
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.adapter import StepCell
from tinyrnn.core.cell import Cell
from tinyrnn.sources.calling import bind, call, is_gradient_function
from tinyrnn.sources.copying import arrays_within, deep_copy
from tinyrnn.sources.pairs import Pair, examples, find, partner_of, passes_in
from tinyrnn.sources.reading import NoSource, name_of
from tinyrnn.sources.vocabulary import BACKWARD, words_of


class Target(NamedTuple):
    """A forward and a backward pass, and the inputs of the forward one.

    forward, backward: two functions, or two methods of one object; the same twice for one that returns its value and
    then the gradients. inputs: an array, a nest, a tuple of several arguments or a dict by name; None: to be made up.
    cls: the class of which an object is to be made first, whose functions the two are; else None. title: what it is
    called in its file, "" if nothing but its functions' names.
    """

    forward: Any
    backward: Any
    inputs: Any = None
    cls: type | None = None
    title: str = ""

    @property
    def is_one(self) -> bool:
        """Whether one function returns its value and the gradients."""
        return self.forward is self.backward

    @property
    def owner(self) -> Any:
        """The object whose methods the two are, or None."""
        owner = getattr(self.forward, "__self__", None)
        return None if isinstance(owner, type | ModuleType) else owner

    @property
    def takes_point(self) -> bool:
        """Whether `backward` takes what `forward` takes, as in f(x) and grad(x); of an object's `backprop`, no."""
        is_pass = self.owner is not None and bool(words_of(self.backward) & BACKWARD)
        return not self.is_one and not is_pass and is_gradient_function(self.forward, self.backward)

    @property
    def about(self) -> Any:
        """What it is about: the class it has its methods from, or its forward function."""
        return self.cls or (self.forward if self.owner is None else type(self.owner))

    @property
    def name(self) -> str:
        """Its title, or else the names of its functions, each once, joined by `and`; of a class, its name."""
        functions = dict.fromkeys(name_of(f) for f in (self.forward, self.backward))
        return self.title or (self.cls.__name__ if self.cls else " and ".join(functions))


def target(subject: Any, *given: Any, jac: Any = None, caller: str = "gradcheck") -> Target:
    """The `Target` that is meant, of all the ways to say it:

        target(f, grad, x)                     f(x) and grad(x)
        target(forward, backward, inputs)      two functions, with a cache or without, or two methods of one object
        target((forward, backward, inputs))    the same, with or without the inputs
        target(loss_and_grads, x, jac=True)    one function that returns its value, then the gradients
        target(function, x)                    it is told from the names around it whether it does, or has a partner
        target(layer, x), target(Layer, x)     what has methods forward and backward (or backprop, bprop, grad …), a
                                               loss and its gradients, or one that returns both; or a class of such

    Without inputs, None stands in their place. Raises TypeError for anything else, in words of `caller`, and ValueError
    for a function that has no partner and does not return gradients.
    """
    if isinstance(subject, Target | Pair):
        subject = Target(*subject)
        return subject._replace(inputs=one(given, caller)) if given else subject
    if isinstance(subject, tuple) and len(subject) in (2, 3) and all(map(callable, subject[:2])):
        return target(subject[0], *subject[1:], *given, caller=caller)
    passes = passes_in(subject)
    if passes:
        forward, backward = passes
        return Target(forward, backward, one(given, caller), subject if inspect.isclass(subject) else None)
    if not callable(subject) or inspect.isclass(subject):
        what = subject.__name__ if inspect.isclass(subject) else type(subject).__name__
        raise TypeError(
            f"{caller} takes a function and its gradient, a forward and a backward function, what has methods forward "
            f"and backward, or a network; got {what}"
        )
    if given and callable(given[0]):
        check_bound(subject, given[0])
        return Target(subject, given[0], one(given[1:], caller))
    if jac:
        return Target(subject, subject, one(given, caller))
    if not inspect.isroutine(subject) or inspect.isbuiltin(subject):
        raise TypeError(f"{caller} needs a gradient to check and a point: {caller}(f, grad, x)")
    check_bound(subject)
    try:
        pair = partner_of(subject)
    except NoSource:
        if not given:
            raise
        pair = Pair(subject, subject)
    except ValueError:
        if not (given and gives_gradients(subject, given[0])):
            raise
        pair = Pair(subject, subject)
    return Target(pair.forward, pair.backward, one(given, caller))


def gives_gradients(function: Any, inputs: Any) -> bool:
    """Whether a function, called with copies of some inputs, returns a number and then arrays."""
    owner = getattr(function, "__self__", None)
    function = function if owner is None else getattr(deep_copy(owner), function.__name__)
    try:
        returned = call(function, bind(function, deep_copy(inputs)))
    except Exception:
        return False
    is_several = isinstance(returned, tuple) and len(returned) > 1 and np.size(returned[0]) == 1
    return is_several and next(arrays_within(returned[1:], set()), None) is not None


def targets(module: Any, rng: Any) -> tuple[list, list]:
    """([`Target`s, cells and classes of cells], [functions without a partner]) of all that is in a module.

    What a cell of the module is made of, its class or the two functions of a `StepCell`, is left to that cell: it knows
    its own sizes, weights and states.
    """
    found, lonely = find(module)
    cells = [one for one in found if isinstance(one, Cell)]
    made_of = [type(cell) for cell in cells] + [cell.functions for cell in cells if isinstance(cell, StepCell)]
    found = [one for one in found if one not in made_of]
    given = examples_in(vars(module), rng)
    covered = [one.about for one in given]
    rest = [one if is_cell(one) else target(one) for one in found]
    return [*given, *(one for one in rest if is_cell(one) or one.about not in covered)], lonely


def examples_in(namespace: dict, rng: Any) -> list[Target]:
    """What `examples(rng)` of a module returns, {name: (forward, backward, inputs)}; nothing where there is none."""
    return [Target(f, b, inputs, title=name) for (f, b), inputs, name in examples(namespace, rng)]


def is_cell(one: Any) -> bool:
    """Whether it is a cell of this package, or a class of such."""
    return isinstance(one, Cell) or (inspect.isclass(one) and issubclass(one, Cell))


def one(given: tuple, caller: str) -> Any:
    """The only thing that is given, None for nothing; TypeError for several."""
    if len(given) > 1:
        raise TypeError(f"{caller} takes the inputs in one argument: several go in a tuple, got {len(given)}")
    return given[0] if given else None


def check_bound(*functions: Any) -> None:
    """TypeError for a method without its object; ValueError for methods of different objects."""
    for function in functions:
        try:
            first = next(iter(inspect.signature(function).parameters), None)
        except (TypeError, ValueError):  # what is not written in Python may have no signature
            continue
        if first == "self":
            raise TypeError(f"{function.__qualname__} needs an object: give its class, or the method of an object")
