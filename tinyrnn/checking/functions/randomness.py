"""The same random numbers in every call, so that a function that draws some can be asked for its derivative.

NumPy's global generator, Python's, PyTorch's if it is there, and every `numpy.random.Generator` or `RandomState` that
can be found in the arguments, in closures and in the globals that a function reads.
"""

import random
import sys

import numpy as np

from tinyrnn.checking.functions.leaves import is_object

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


class Randomness:
    """The states that generators are in now. `rewind()` puts them back; `drawn` says whether any was used since."""

    def __init__(self, *roots):
        self.found, self.constants = [], []
        for root in roots:
            self.search(root, 0, set())
        self.states = self.now()

    def search(self, value, deep, seen):
        """Collect generators, and arrays with copies of them, from a value and what is within it, six levels deep."""
        if id(value) in seen or deep > 5:
            return
        seen.add(id(value))
        if isinstance(value, GENERATORS):
            self.found.append(value)
            return
        if deep and isinstance(value, np.ndarray) and value.dtype.kind in "fciub":
            self.constants.append((value, value.copy()))
            return
        for inner in within(value):
            self.search(inner, deep + 1, seen)

    def now(self):
        """(states of the generators found, [NumPy's global, Python's], PyTorch's or None)."""
        torch = sys.modules.get("torch")
        own = [state_of(generator) for generator in self.found]
        world = [np.random.get_state(), random.getstate()]  # noqa: NPY002
        return own, world, torch.get_rng_state() if torch is not None and hasattr(torch, "get_rng_state") else None

    def rewind(self):
        """Put all generators back into the states they had when this was made."""
        own, (numpy_state, python_state), torch_state = self.states
        for generator, state in zip(self.found, own, strict=True):
            set_state(generator, state)
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
        if torch_state is not None:
            sys.modules["torch"].set_rng_state(torch_state)

    def changed(self):
        """[(array, as it was)] of arrays that functions read from around them and that are something else now."""
        return [(a, b) for a, b in self.constants if not np.array_equal(a, b, equal_nan=b.dtype.kind in "fc")]

    def restore(self):
        """Put those back."""
        for array, before in self.changed():
            if array.flags.writeable:
                array[...] = before

    def drawn(self):
        """Whether any generator is in another state than when this was made."""
        return not same(self.now(), self.states)


def within(value):
    """What is inside of a function, a bound method, a nest or an object."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, tuple | list):
        return value if len(value) < 1000 else ()
    found = []
    function = getattr(value, "__func__", value)
    if hasattr(function, "__code__"):
        found += [cell.cell_contents for cell in function.__closure__ or () if holds_something(cell)]
        world = function.__globals__
        found += [world[name] for name in function.__code__.co_names if name in world and keeps_state(world[name])]
        found.append(getattr(value, "__self__", None))
        return found
    return list(vars(value).values()) if is_object(value) else ()


def keeps_state(value):
    """Whether a global can hold a generator or an array: one of these, a dict, list, tuple or function."""
    return isinstance(value, (*GENERATORS, np.ndarray, dict, list, tuple)) or hasattr(value, "__code__")


def holds_something(cell):
    """Whether a closure's cell has a value yet."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def state_of(generator):
    """The state of a NumPy `Generator`, a `RandomState` or a `random.Random`, as its own methods give it."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state() if isinstance(generator, np.random.RandomState) else generator.getstate()


def set_state(generator, state):
    """Put a generator into a state that `state_of` returned."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.setstate(state)


def same(a, b):
    """Whether two nests of dicts, sequences and arrays hold equal values."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.all(np.asarray(a) == np.asarray(b)))
