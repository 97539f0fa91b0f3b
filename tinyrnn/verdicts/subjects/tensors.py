"""Objects that hold an array and its gradient, as those of small frameworks do that differentiate by themselves."""

import copy
import inspect
from typing import NamedTuple

import numpy as np

from tinyrnn.sources.closures import Closure
from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.vocabulary import BACKWARD, GRADIENTS, words_of
from tinyrnn.verdicts.record.run import holds_attributes, kind_of

MOST_WITHIN = 3  # attributes of attributes, in which an array is looked for
LARGE = 100.0  # in the place of what is infinite, as is what a mask hides from a softmax
GRADIENT_OF_ONE = {*GRADIENTS, "gradient"} - {"grads", "gradients"}


def is_tensor(value):
    """Whether a value is an object with an array, the attribute `grad` for its gradient, and a backward pass."""
    return (
        holds_attributes(value)
        and not isinstance(value, np.ndarray)
        and gradient_of(value) is not None
        and backward_of(value) is not None
        and path_of_data(value) is not None
    )


def gradient_of(tensor):
    """The name of the attribute that holds a tensor's gradient; None if there is none."""
    return next((name for name in vars(tensor) if name.strip("_") in GRADIENT_OF_ONE), None)


def backward_of(tensor):
    """The method that starts a backward pass at a tensor; None if there is none."""
    methods = inspect.getmembers(type(tensor), inspect.isfunction)
    found = [getattr(tensor, name) for name, method in methods if name in BACKWARD and words_of(method) & BACKWARD]
    return found[0] if found else None


def path_of_data(tensor):
    """The names of the attributes that lead to a tensor's array: the first one, but for its gradient."""
    queue = [((), tensor)]
    while queue:
        path, value = queue.pop(0)
        if path and kind_of(value):
            return path
        if len(path) < MOST_WITHIN and holds_attributes(value):
            queue += [((*path, name), one) for name, one in vars(value).items() if name != gradient_of(tensor)]
    return None


def at(tensor, path):
    """The attribute at a path."""
    for name in path:
        tensor = vars(tensor)[name]
    return tensor


def put(tensor, path, value):
    """Sets the attribute at a path."""
    vars(at(tensor, path[:-1]))[path[-1]] = value


def array_of(value):
    """The array that a value is or holds, as floats; None if there is none."""
    while not kind_of(value):
        path = path_of_data(value) if is_tensor(value) else None
        inner = [at(value, path)] if path else list(vars(value).values()) if holds_attributes(value) else []
        value = next((one for one in inner if kind_of(one) or holds_attributes(one)), None)
        if value is None:
            return None
    return np.array(value, complex if kind_of(value) == "c" else float)


def asks(tensor):
    """Whether a tensor asks for its gradient: one without an attribute that says so does."""
    return all(value for name, value in vars(tensor).items() if isinstance(value, bool) and "requires" in name)


def is_leaf(tensor):
    """Whether a tensor was not made of others: no other one is to be found in what it holds."""
    queue, seen = list(vars(tensor).values()), {id(tensor)}
    while queue:
        value = queue.pop()
        if id(value) in seen or kind_of(value):
            continue
        seen.add(id(value))
        if isinstance(value, Closure) or getattr(value, "__closure__", None) or is_tensor(value):
            return False
        if holds_attributes(value) and not inspect.isroutine(value):
            value = vars(value)  # as of what made it
        queue += value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
    return True


class LeafTensors(NamedTuple):
    """Makes tensors that were not made of others. template: one such, that asks for its gradient. path: of its data."""

    template: object
    path: tuple

    def like(self, tensor):
        """A tensor with the array of another one, and its flags on gradients."""
        array = at(tensor, self.path)
        made = self.of(np.nan_to_num(array, posinf=LARGE, neginf=-LARGE) if array.dtype.kind == "f" else array)
        flags = {name: value for name, value in vars(tensor).items() if isinstance(value, bool) and "requires" in name}
        vars(made).update(flags)
        return made

    def of(self, array):
        """A tensor with an array."""
        made, was = deep_copy(self.template), at(self.template, self.path)
        put(made, self.path, copy.copy(array))
        for name, value in vars(made).items():
            if kind_of(value) and name != self.path[0] and np.shape(value) == np.shape(was):
                vars(made)[name] = np.zeros_like(array, dtype=value.dtype)
            elif isinstance(value, tuple) and value == np.shape(was) and "shape" in name:
                vars(made)[name] = np.shape(array)
        return made
