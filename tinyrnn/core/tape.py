"""What a forward and a backward pass leave behind."""

import copy
from dataclasses import dataclass
from typing import Any

from tinyrnn.core.backend import xp_of
from tinyrnn.core.types import Array, Parts


class Tape:
    """What a forward pass leaves behind, each intermediate under its own name.

    `tape["f"]` is gate f over time, an array (T, B, ...); `tape["h"]` is the state after each step and `tape["h_prev"]`
    the one before; `tape["x"]` the input, `tape["a"]` what `project` made of it. `tape.state` is the final state, a
    tuple of arrays (B, n). Gates at masked steps hold values that were computed and thrown away.
    """

    added = None  # more upstream on the outputs, (T, B, n): of penalties on them (`tinyrnn.nn.regularisers`)

    def __init__(self, p: Any, x: Array, states: Any, mask: Array, learned: Any, dropout: Any = None) -> None:
        self.p = p  # the parameters and what was derived from them
        self.states = states  # name -> (T + 1, B, n), the initial state first
        self.mask = mask
        self.learned = learned  # whether the initial state came from the parameters
        self.dropout = dropout or {}  # masks that the parameters were multiplied with
        self.prepared: dict = {}  # what a compiled cell's kernels made of the parameters
        self.cache: dict = {}  # what the cell's step kept: name -> (T, ...), or a list where it is no array
        self.given = {"x": x}
        for name, array in states.items():
            self.given |= {name: array[1:, ...], f"{name}_prev": array[:-1, ...]}

    def keep(self, t: int, cache: Any) -> Any:
        """Put the dict that `step` returned for time step t in its place; or for a slice of time, arrays over it."""
        for name, value in cache.items():
            array = self.cache.get(name)
            if array is None:
                array = self.cache[name] = self.room(value, isinstance(t, slice))
            if type(array) is list:
                array[t] = value
            else:
                array[t, ...] = value

    def room(self, value: Any, over_time: Any) -> Any:
        """Where to put a value for every time step; over_time: whether it is one for several steps."""
        if not hasattr(value, "shape"):
            return [None] * len(self)
        return xp_of(value).empty((len(self), *value.shape[over_time:]), dtype=value.dtype)

    def with_weights(self, p: Any) -> Any:
        """The same tape, for a backward pass that reads other weights."""
        other = copy.copy(self)
        other.p, other.prepared = p, {}
        return other

    def live(self, t: int) -> Any:
        """(B, 1), False where the mask says that there is no step t; None without a mask."""
        return None if self.mask is None else self.mask[t, :, None]

    def __len__(self):
        return self.x.shape[0]

    def __repr__(self):
        return f"Tape(T={len(self)}, B={self.x.shape[1]}: {', '.join(self.names)})"

    @property
    def x(self) -> Array:
        """The input that was read."""
        return self.given["x"]

    @property
    def state(self) -> Parts:
        """The final state, a tuple of (B, n)."""
        return tuple(s[-1, ...] for s in self.states.values())

    @property
    def names(self) -> Any:
        """Every name that `tape[name]` answers to."""
        return list({**self.cache, **self.given})

    def __contains__(self, name):
        return name in self.cache or name in self.given

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(f"the tape has no {name!r}; it has {', '.join(self.names)}")
        return self.given[name] if name in self.given else self.cache[name]

    def asked(self, cell: Any, name: str) -> Any:
        """`tape[name]` for the cell, for which what it kept comes first: its own h is the one before clipping."""
        if name not in self:
            raise ValueError(f"{cell.name} asks the tape for {name!r}; it has {', '.join(self.names)}")
        return self.cache[name] if name in self.cache else self.given[name]


@dataclass(repr=False)
class Gradients:
    """What a backward pass returns.

    inputs: like x, (T, B, input_size), or None where x held class numbers.
    state: gradients of the initial state, a tuple of arrays (B, n).
    params: name -> gradient, exactly the names and shapes of `cell.params`.
    states: with `record=True`, the total gradient of each state after each step, name -> (T, B, n); otherwise None.
    """

    inputs: Any
    state: tuple
    params: dict
    states: Any = None  # a dict, or None

    def __repr__(self):
        recorded = {} if self.states is None else {"states": shapes(self.states)}
        inputs = {} if self.inputs is None else {"inputs": self.inputs.shape}
        said = {**inputs, "state": [d.shape for d in self.state], "params": shapes(self.params), **recorded}
        return f"Gradients({', '.join(f'{name} {what}' for name, what in said.items())})"


def shapes(arrays: Any) -> Any:
    """The shapes of named arrays, as text: "{W_x (3, 20), b (20,)}"."""
    return f"{{{', '.join(f'{name} {array.shape}' for name, array in arrays.items())}}}"


def at(values: Any, t: int) -> Any:
    """Time step t, or a slice of time, of an array over time, or of the list that stands for it where it is none."""
    return values[t] if type(values) is list else values[t, ...]


def stack(values: Any) -> Any:
    """One array over time from a list of arrays, or a tuple of such arrays from a list of tuples."""
    if isinstance(values[0], tuple):
        return tuple(stack(list(column)) for column in zip(*values, strict=True))
    return xp_of(values[0]).stack(values)


def one_after_the_other(values: Any) -> Any:
    """One array over time from a list of arrays over parts of it, or a tuple of such arrays from a list of tuples."""
    if len(values) == 1:
        return values[0]
    if isinstance(values[0], tuple):
        return tuple(one_after_the_other(list(column)) for column in zip(*values, strict=True))
    return xp_of(values[0]).concat(values)
