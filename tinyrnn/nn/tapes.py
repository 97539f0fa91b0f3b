"""What the passes of a network of several parts leave behind."""

from typing import Any, NamedTuple

from tinyrnn.core.tape import shapes


class LayersTape:
    """The tapes of the parts, under the parts' names: `tape["1"]["f"]` is gate f of the second layer."""

    def __init__(self, tapes: Any, dropout: Any = None) -> None:
        self.tapes = tapes
        self.dropout = dropout or {}  # masks, also on what the parts read

    def __len__(self):
        return len(next(iter(self.tapes.values())))

    def __repr__(self):
        return f"LayersTape({', '.join(f'{name}={tape!r}' for name, tape in self.tapes.items())})"

    @property
    def state(self) -> Any:
        """The final states of all layers, a flat tuple."""
        return tuple(s for tape in self.tapes.values() for s in tape.state)

    @property
    def names(self) -> Any:
        """The names of all that is on the tapes, prefixed."""
        return [f"{part}.{name}" for part, tape in self.tapes.items() for name in tape.names]

    def __getitem__(self, name):
        part, _, rest = name.partition(".")
        if part not in self.tapes:
            raise KeyError(f"no part {part!r}; there are {', '.join(self.tapes)}")
        return self.tapes[part][rest] if rest else self.tapes[part]


class ModelTape(NamedTuple):
    """What `Model.forward` leaves behind; `state` is the layers' final state."""

    x: object  # what the embedding saw, or None
    layers: Any
    readout: object
    dropout: dict  # masks, name -> array
    on_input: list  # those that what the layers read was multiplied with

    @property
    def state(self) -> Any:
        """The layers' final state."""
        return self.layers.state

    def __repr__(self):
        return f"ModelTape({self.layers!r})"


class LossGradients(NamedTuple):
    """loss: a float. y: the readout's output. params: name -> gradient. state: the layers' final state.

    layers: the `Gradients` of the recurrent layers (with `record=True`, of every state at every step). With
    checkpointing and at="every", y is None: it is never there for all steps at once; nor are an embedding's gradients.
    penalty: the sum of what the cells' `regularisers` add, a float; it is not in the loss, but its gradient in params.
    """

    loss: float
    y: object
    params: dict
    state: tuple
    layers: Any
    penalty: float = 0.0

    def __repr__(self):
        y = "" if self.y is None else f", y {self.y.shape}"
        return f"LossGradients(loss={self.loss:.6g}{y}, params {shapes(self.params)})"
