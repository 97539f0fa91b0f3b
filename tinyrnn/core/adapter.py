"""A student's own cell, in the simple contract of the homework, run by the same engine as every other.

    step(params, x, state) -> state, cache                         x (B, input_size), state a tuple of arrays (B, n)
    step_backward(params, cache, dstate) -> dx, dstate_prev, dparams    dstate the gradients of the new state, a tuple

The engine does the rest: the time loop, masks, truncation, final-state gradients, stacking, adding up `dparams` over
time. If `cache` is a dict of arrays, its entries are on the tape under their names, but for `x` and the states' names,
which always mean what the engine means by them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array, Weights


class StepCell(Cell):
    """A cell made of two plain functions in the simple contract (see the module's docstring).

    params: dict, name -> array; copied. state_sizes: dict, name -> units, the first being the output; an integer n
    means one state, {"h": n}. learn_state and clip_state as for every cell. Wrong shapes, missing gradients and states
    that are no tuples are reported in one line that names the function and the array (TypeError or ValueError).

        cell = tr.StepCell(my_step, my_step_backward, params={"W": W, "b": b}, input_size=3, state_sizes=5)
        print(tr.gradcheck(cell))
    """

    def __init__(
        self,
        step: Callable,
        step_backward: Callable,
        *,
        params: Weights,
        input_size: int,
        state_sizes: Any,
        dtype: str = "float64",
        **options: Any,
    ) -> None:
        sizes = {"h": state_sizes} if isinstance(state_sizes, int) else dict(state_sizes)
        self.states = tuple(sizes)
        self.sizes = tuple(sizes.values())
        self.functions = step, step_backward
        self.initial = {name: np.array(value, dtype) for name, value in params.items()}
        super().__init__(input_size, self.sizes[0], dtype=dtype, **options)

    @property
    def name(self) -> str:
        """The name of the step function."""
        return self.functions[0].__name__

    @property
    def state_sizes(self) -> tuple[int, ...]:
        """The width of each part of the state."""
        return self.sizes

    def init(self, rng):
        """Copies of the parameters that were given."""
        return dict(self.initial)

    def project(self, p, x):
        """x as it is: the user's step reads it itself."""
        return x

    def step(self, p, a, *state):
        """The user's step; its cache goes onto the tape."""
        function = self.functions[0]
        state_next, cache = pair(function(p, a, state), f"{function.__name__} must return (state, cache)", 2)
        check_tuple(function, "state", state_next, state)
        taken = {"x", *self.states, *(f"{name}_prev" for name in self.states)}  # the engine's own names on the tape
        named = {k: v for k, v in cache.items() if k not in taken} if isinstance(cache, dict) else {}
        return state_next, {**named, "cache": cache}

    def step_backward(self, p, *dstate, cache):
        """The user's backward step; its gradients of x and of parameters wait in da for `gradients`."""
        function = self.functions[1]
        expected = f"{function.__name__} must return (dx, dstate_prev, dparams)"
        dx, dstate_prev, dparams = pair(function(p, cache, dstate), expected, 3)
        check_tuple(function, "dstate_prev", dstate_prev, dstate)
        # the learned initial state is the engine's business, not the student's
        own = [name for name in self.params if not (self.learn_state and name in [f"{s}_0" for s in self.states])]
        if not isinstance(dparams, dict) or set(dparams) != set(own):
            got = ", ".join(dparams) if isinstance(dparams, dict) else type(dparams).__name__
            raise ValueError(f"{function.__name__}: dparams must be a dict with {', '.join(own)}, got {got}")
        for name in own:
            check_shape(function, f"dparams[{name!r}]", dparams[name], self.params[name].shape)
        if dx is not None:
            check_shape(function, "dx", dx, (len(dstate[0]), self.input_size))
        return (() if dx is None else (dx,)) + tuple(dparams[name] for name in own), dstate_prev

    def gradients(self, p, x, da):
        """The parameters' gradients, added up over time."""
        own = [name for name in self.params if not (self.learn_state and name in [f"{s}_0" for s in self.states])]
        dx = da[0] if len(da) > len(own) else None
        return dx, {name: d.sum(axis=0) for name, d in zip(own, da[len(da) - len(own) :], strict=True)}


def pair(value: Any, expected: Any, n: int) -> Any:
    """The value, which has to be a tuple of n; TypeError in a line that says what was expected."""
    if not isinstance(value, tuple) or len(value) != n:
        got = f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__
        raise TypeError(f"{expected}, got {got}")
    return value


def check_tuple(function: Any, what: Any, value: Any, like: Any) -> Any:
    """ValueError unless each array has the shape of its fellow in `like`."""
    if not isinstance(value, tuple | list) or len(value) != len(like):
        got = f"{len(value)} of them" if isinstance(value, tuple | list) else type(value).__name__
        raise TypeError(f"{function.__name__}: {what} must be a tuple of {len(like)} arrays, got {got}")
    for k, (array, reference) in enumerate(zip(value, like, strict=True)):
        check_shape(function, f"{what}[{k}]", array, reference.shape)


def check_shape(function: Any, what: Any, array: Array, shape: tuple[int, ...]) -> Any:
    """ValueError, which names the function, unless the array has this shape."""
    try:
        xp_of(array)
    except TypeError:
        raise TypeError(f"{function.__name__}: {what} must be an array, got {type(array).__name__}") from None
    if array.shape != shape:
        raise ValueError(f"{function.__name__}: {what} must have shape {shape}, got {array.shape}")
