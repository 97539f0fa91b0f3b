"""Cells put together: one above the other, or one in each direction.

Both answer to the same calls as a cell (`forward`, `backward`, `params`, `state_sizes`, …), so they nest. Their state
is the flat tuple of their parts' states, and their parameters carry the part's name: `0.W_h`, `1.backward.b`.
"""

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tinyrnn.core import guesses
from tinyrnn.core.backend import move
from tinyrnn.core.dropout import drop, drop_backward
from tinyrnn.core.engine import averaged, describe
from tinyrnn.core.ops import join
from tinyrnn.core.tape import Gradients
from tinyrnn.core.types import Array, Parts
from tinyrnn.nn.dropout import inside
from tinyrnn.nn.tapes import LayersTape


class Composite:
    """Something made of named parts with parameters; subclasses set `self.parts`, a dict."""

    parts: dict[str, Any]

    if not TYPE_CHECKING:  # or no misspelt name would be found
        __getattr__ = guesses.answering(guesses.NETWORK)

    def __call__(self, *arguments, **options):
        """`forward`."""
        return self.forward(*arguments, **options)

    @property
    def name(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @property
    def params(self) -> Any:
        """Read-only dict of all parts' parameters; the arrays are the parts' own, to be updated in place."""
        return MappingProxyType(prefixed((name, part.params) for name, part in self.parts.items()))

    @property
    def constants(self) -> Any:
        """Fixed arrays of all parts, by their prefixed names."""
        return MappingProxyType(prefixed((name, part.constants) for name, part in self.parts.items()))

    @property
    def fixed(self) -> Any:
        """Names, as in `params`, of the parameters that training leaves alone (see `tinyrnn.Cell.fixed`)."""
        return tuple(f"{name}.{key}" for name, part in self.parts.items() for key in getattr(part, "fixed", ()))

    @property
    def manifolds(self) -> Any:
        """Read-only dict of the parameters that are on a manifold, name -> kind (see `tinyrnn.optim.manifolds`)."""
        return MappingProxyType(prefixed((name, getattr(part, "manifolds", {})) for name, part in self.parts.items()))

    @property
    def dtype(self) -> Any:
        """Of the weights."""
        return next(iter(self.parts.values())).dtype

    @property
    def stores(self) -> Any:
        """The dicts that hold all parts' arrays."""
        return [store for part in self.parts.values() for store in part.stores]

    def to(self, xp: Any) -> Any:
        """Move all arrays, in place, to where the module `xp` (`numpy` or `cupy`) computes; returns self."""
        move(self.stores, xp)
        return self

    def compile(self, threads: int | None = None) -> Any:
        """Compile all cells within (see `tinyrnn.Cell.compile`); returns self."""
        for part in self.parts.values():
            if hasattr(part, "compile"):
                part.compile(threads)
        return self

    def interpret(self) -> Any:
        """Run all cells within as they stand (see `tinyrnn.Cell.interpret`); returns self."""
        for part in self.parts.values():
            if hasattr(part, "interpret"):
                part.interpret()
        return self

    def __repr__(self):
        return f"{self.name}({', '.join(f'{name}={part!r}' for name, part in self.parts.items())})"


class Layers(Composite):
    """A composite whose parts are all recurrent."""

    output_size: Any  # what a subclass says

    @property
    def layers(self) -> Any:
        """The parts in order."""
        return list(self.parts.values())

    @property
    def input_size(self) -> int:
        """Features that the first layer reads."""
        return self.layers[0].input_size

    @property
    def state_sizes(self) -> tuple[int, ...]:
        """The widths of all layers' states, in order."""
        return tuple(n for layer in self.layers for n in layer.state_sizes)

    @property
    def states(self) -> Any:
        """Names of the parts of a state, in their flat order: "0.forward.h", "0.forward.c", "0.backward.h" and so on.

        It is the order of `state` and `dstate` wherever they are given, of `tape.state` and of `Gradients.state`:
        `dict(zip(layers.states, back.state))`.
        """
        return tuple(f"{name}.{state}" for name, part in self.parts.items() for state in part.states)


class Stack(Layers):
    """Layers one above the other: the output sequence of each is the input of the next.

    layers: cells, `Bidirectional`s or other stacks, the lowest first, or one list of them; sizes must fit. State: a
    flat tuple, all layers' in order, as `states` names them.
    """

    def __init__(self, *layers: Any) -> None:
        if len(layers) == 1 and isinstance(layers[0], list | tuple):
            layers = tuple(layers[0])
        if not layers:
            raise ValueError("Stack needs at least one layer")
        guesses.check_layers("Stack", layers)
        for k, (below, above) in enumerate(pairwise(layers)):
            if below.output_size != above.input_size:
                raise ValueError(
                    f"Stack: layer {k} puts out {below.output_size} features, layer {k + 1} takes {above.input_size}"
                )
        self.parts = {str(k): layer for k, layer in enumerate(layers)}

    @property
    def output_size(self) -> int:
        """The width of the last layer's output."""
        return self.layers[-1].output_size

    @property
    def upper(self) -> Any:
        """The layers that read another one's output, by name."""
        return dict(list(self.parts.items())[1:])

    def forward(
        self, x: Array, state: Parts | None = None, mask: Array | None = None, dropout: Any = None
    ) -> tuple[Array, LayersTape]:
        """dropout: masks by name (see `nn.dropout`): "1" (B, n) on what layer 1 reads, "0.W_h" on its weights."""
        tapes = {}
        for (name, layer), s in zip(self.parts.items(), deal(state, self), strict=True):
            if dropout and name in dropout:
                x = drop(x, dropout[name])
            x, tapes[name] = layer.forward(x, s, mask, **inside(dropout, name))
        return x, LayersTape(tapes, dropout)

    def backward(
        self,
        dh: Array | None,
        tape: Any,
        dstate: tuple | None = None,
        *,
        average: bool = False,
        inputs: bool = True,
        **options: Any,
    ) -> Gradients:
        """Gradients from dh (T, B, output_size) and dstate, a flat tuple; see `tinyrnn.core.engine.backward`."""
        guesses.check_tape(self, tape, LayersTape)
        if average:  # here and not in every layer: what a layer hands down is divided already
            dh, dstate = averaged(dh, dstate, len(tape))
        dealt = deal(dstate, self)
        back, below = {}, dh
        for (name, layer), d in reversed(list(zip(self.parts.items(), dealt, strict=True))):
            back[name] = layer.backward(below, tape.tapes[name], d, **options, inputs=inputs or name in self.upper)
            below = back[name].inputs
            if name in tape.dropout and below is not None:
                below = drop_backward(below, tape.dropout[name])
        return gather({name: back[name] for name in self.parts}, below)

    def final(self, state: Parts) -> Array:
        """The top layer's output at the end, (B, output_size), out of a state tuple."""
        return self.layers[-1].final(deal(state, self)[-1])

    def final_backward(self, dfinal: Array) -> Any:
        """Upstream for `backward`'s dstate, from the gradient of `final`."""
        below = [None] * sum(len(layer.state_sizes) for layer in self.layers[:-1])
        return (*below, *self.layers[-1].final_backward(dfinal))


class Bidirectional(Layers):
    """Two layers that read the sequence in opposite directions; their outputs are joined, forward first.

    With a mask, each sequence is read backwards from its own last unmasked step. State: the forward layer's, then the
    backward layer's (which is its state after reading the first step), as `states` names them.
    """

    def __init__(self, forward: Any, backward: Any = None) -> None:
        guesses.check_directions(forward, backward)
        if forward.input_size != backward.input_size:
            raise ValueError(f"Bidirectional: input sizes differ, {forward.input_size} and {backward.input_size}")
        self.parts = {"forward": forward, "backward": backward}

    @property
    def output_size(self) -> int:
        """Both directions' widths together."""
        return sum(layer.output_size for layer in self.layers)

    def forward(
        self, x: Array, state: Parts | None = None, mask: Array | None = None, dropout: Any = None
    ) -> tuple[Array, LayersTape]:
        """h (T, B, output_size), forward beside backward, and a tape; state: both directions', in that order."""
        there, back = deal(state, self)
        h, tape = self.layers[0].forward(x, there, mask, **inside(dropout, "forward"))
        turned = None if mask is None else mask[::-1, ...]
        h_back, tape_back = self.layers[1].forward(x[::-1, ...], back, turned, **inside(dropout, "backward"))
        return join(h, h_back[::-1, ...]), LayersTape({"forward": tape, "backward": tape_back})

    def backward(
        self, dh: Array | None, tape: Any, dstate: tuple | None = None, *, detach: Any = None, **options: Any
    ) -> Gradients:
        """Gradients from dh (T, B, output_size) and dstate, forward's parts first."""
        guesses.check_tape(self, tape, LayersTape)
        there, back = deal(dstate, self)
        n = self.layers[0].output_size
        detached = [{}, {}] if detach is None else [{"detach": detach}, {"detach": detach[::-1]}]
        results = {
            "forward": self.layers[0].backward(
                None if dh is None else dh[..., :n], tape.tapes["forward"], there, **options, **detached[0]
            ),
            "backward": self.layers[1].backward(
                None if dh is None else dh[::-1, :, n:], tape.tapes["backward"], back, **options, **detached[1]
            ),
        }
        dx = results["forward"].inputs
        return gather(results, None if dx is None else dx + results["backward"].inputs[::-1, ...])

    def final(self, state: Parts) -> Array:
        """What each direction holds when it has read everything, joined: (B, output_size)."""
        there, back = deal(state, self)
        return join(self.layers[0].final(there), self.layers[1].final(back))

    def final_backward(self, dfinal: Array) -> Any:
        """Upstream for `backward`'s dstate, from the gradient of `final`."""
        n = self.layers[0].output_size
        return (*self.layers[0].final_backward(dfinal[:, :n]), *self.layers[1].final_backward(dfinal[:, n:]))


def deal(state: Any, network: Any) -> Any:
    """Cut a flat state tuple into one tuple a layer of `network` (None for each if there is none)."""
    if state is None:
        return [None] * len(network.layers)
    sizes = [len(layer.state_sizes) for layer in network.layers]
    if not isinstance(state, tuple | list) or len(state) != sum(sizes):
        got = len(state) if isinstance(state, tuple | list) else describe(state)
        names = ", ".join(network.states)
        raise ValueError(f"{network.name}: state must be a flat tuple of {sum(sizes)} arrays ({names}), got {got}")
    rest = iter(state)
    return [tuple(next(rest) for _ in range(size)) for size in sizes]


def gather(results: Any, dx: Any) -> Any:
    """One `Gradients` from those of the parts."""
    recorded = None
    if all(r.states is not None for r in results.values()):
        recorded = prefixed((name, r.states) for name, r in results.items())
    return Gradients(
        inputs=dx,
        state=tuple(d for r in results.values() for d in r.state),
        params=prefixed((name, r.params) for name, r in results.items()),
        states=recorded,
    )


def cells_and_tapes(layers: Any, tape: Any, prefix: str = "") -> Any:
    """(prefix of its parameters' names, cell, its tape or None) for every cell of the layers; tape: theirs, or None."""
    if not isinstance(layers, Layers):
        yield prefix, layers, tape
        return
    for name, part in layers.parts.items():
        yield from cells_and_tapes(part, None if tape is None else tape.tapes[name], f"{prefix}{name}.")


def prefixed(named_dicts: Any) -> Any:
    """One dict from (name, dict) pairs, keys as `name.key`."""
    return {f"{name}.{key}": value for name, d in named_dicts for key, value in d.items()}
