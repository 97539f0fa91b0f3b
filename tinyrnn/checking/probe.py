"""The point at which gradients are checked, chosen so that no term of a backward pass can hide behind a zero.

Famous wrong gradients survived for years because every test began with a zero state, zero biases, or an upstream
gradient on the last output only. So: a random initial state; a random gradient from above on every output *and* on the
final state; parameters moved off their initial values; a ragged mask; more than one sequence; more than two steps.
"""

from dataclasses import dataclass, replace

import numpy as np

from tinyrnn.core.backend import to_numpy, xp_of
from tinyrnn.core.cell import Cell
from tinyrnn.core.tape import Gradients
from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.model import Model
from tinyrnn.nn.regularisers import penalties


@dataclass
class Probe:
    """Inputs and upstream gradients for a cell, layers or a `Model`; arrays as in `Cell.forward` and `Cell.backward`.

    dh is the gradient from above on the outputs; for a model, whose loss makes its own, it is None and `target` is set.
    """

    x: object
    mask: object
    state: tuple | None
    dstate: tuple
    dh: object = None
    target: object = None

    def forward(self, network):
        """(outputs, tape) of the network."""
        return network.forward(self.x, self.state, self.mask)

    def gradients(self, network):
        """The gradients of `loss` by the backward pass under test."""
        if isinstance(network, Model):
            g = network.gradients(self.x, self.target, self.mask, self.state, dstate=self.dstate)
            return Gradients(g.layers.inputs, g.layers.state, g.params)
        _, tape = self.forward(network)
        return network.backward(self.dh, tape, self.dstate)

    def loss(self, network):
        """The scalar whose gradients are checked: upstream . outputs (a model: its loss) + upstream . final state."""
        y, tape = self.forward(network)
        extra = penalties(network.layers, tape.layers, None) if isinstance(network, Model) else ()
        penalty = sum(number(value) for _, _, value, _ in extra)
        return self.output_loss(network, y) + self.final_loss(tape.state) + penalty

    def output_loss(self, network, y):
        """A model's loss of y, or the sum of dh times y, as a Python number."""
        if isinstance(network, Model):
            return number(network.loss(y, self.target, self.mask if network.at == "every" else None)[0])
        return number((self.dh * y).sum())

    def final_loss(self, state):
        """The sum of dstate times the final state's arrays, a Python number."""
        return number(sum((d * s).sum() for d, s in zip(self.dstate, state, strict=True)))

    def window(self, start, stop, state):
        """The time steps start … stop - 1 alone, from another initial state."""
        x, mask, dh = (None if a is None else a[start:stop] for a in (self.x, self.mask, self.dh))
        return replace(self, x=x, mask=mask, state=state, dh=dh)

    def copy(self):
        """A probe that may be spoilt."""
        return type(self)(**{name: copied(value) for name, value in vars(self).items()})


def number(scalar):
    """A Python number of an array with one entry, on any backend."""
    return to_numpy(scalar).item()


def copied(value):
    """A copy of an array, or of the arrays in tuples, lists and dicts; anything else as it is."""
    if isinstance(value, dict):
        return {name: copied(v) for name, v in value.items()}
    if isinstance(value, tuple | list):
        return [copied(v) for v in value] if isinstance(value, list) else tuple(copied(v) for v in value)
    return value.copy() if hasattr(value, "shape") else value


def ragged_mask(xp, T, B):
    """(T, B) booleans: of three sequences, the first ends early, the second begins late, the third is whole."""
    if T == 1:
        return None
    mask = np.ones((T, B), bool)
    cut = max(1, T // 4)
    mask[T - cut :, 0::3] = False
    mask[:cut, 1::3] = False
    return xp.asarray(mask)


def move_params(network, rng, amount):
    """Add noise to all parameters of `network`: N(0, amount^2), in matrices divided by the root of their rows."""
    for _, leaf in leaves(network):
        for name, value in leaf.params.items():
            scale = amount / (value.shape[0] ** 0.5 if value.ndim == 2 else 1)
            xp = xp_of(value)
            leaf.params[name] = xp.asarray(value + xp.asarray(rng.normal(0, scale, value.shape)))


# what a network is made of --------------------------------------------------------------------------------------------


def leaves(network, prefix=""):
    """(prefix of its parameters' names, part) for every cell and head, in the order of states and parameters."""
    if not hasattr(network, "parts"):
        yield prefix, network
        return
    for name, part in network.parts.items():
        yield from leaves(part, f"{prefix}{name}.")


def state_names(network):
    """The names of the state's parts, in the order of the state tuple: `h`, `c`, or `0.h`, `1.forward.h`, …"""
    if isinstance(network, EncoderDecoder):  # the two have the same state, handed over
        return [f"encoder.{name}" for name in state_names(network.encoder)]
    return [prefix + s for prefix, cell in leaves(network) if isinstance(cell, Cell) for s in cell.states]


def learned_states(network):
    """The names of the parameters that are initial states."""
    cells = [(prefix, cell) for prefix, cell in leaves(network) if isinstance(cell, Cell) and cell.learn_state]
    return [f"{prefix}{s}_0" for prefix, cell in cells for s in cell.states]
