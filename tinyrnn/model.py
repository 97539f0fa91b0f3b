"""A network to train: recurrent layers between an optional embedding and a readout, and the loss on top."""

from itertools import pairwise
from typing import NamedTuple

from tinyrnn.layers import Composite
from tinyrnn.losses import LOSSES


class ModelTape(NamedTuple):
    """What `Model.forward` leaves behind; `state` is the layers' final state."""

    x: object  # what the embedding saw, or None
    layers: object
    readout: object
    steps: int

    @property
    def state(self):
        return self.layers.state


class LossGradients(NamedTuple):
    """loss: a float. y: the readout's output. params: name -> gradient. state: the layers' final state.

    layers: the `Gradients` of the recurrent layers (with `record=True`, of every state at every step).
    """

    loss: float
    y: object
    params: dict
    state: tuple
    layers: object


class Model(Composite):
    """Embedding (optional), recurrent layers, readout, loss.

    layers: a cell, `Stack` or `Bidirectional`. readout: a `Readout` or `PooledReadout`. loss: "cross_entropy" (targets
    are class numbers) or "squared_error". at: "every" step or the "last" one (with a mask: each sequence's own last).
    Parameters are named after the parts: `layers.W_h`, `readout.W`, `embedding.W`.
    """

    def __init__(self, layers, readout, *, loss="cross_entropy", at="every", embedding=None):
        if loss not in LOSSES:
            raise ValueError(f"Model: unknown loss {loss!r}; choose from {', '.join(LOSSES)}")
        if at not in ("every", "last"):
            raise ValueError(f'Model: at must be "every" or "last", got {at!r}')
        chain = [("embedding", embedding), ("layers", layers), ("readout", readout)]
        self.parts = {name: part for name, part in chain if part is not None}
        ordered = list(self.parts.items())
        for (a, below), (b, above) in pairwise(ordered):
            if below.output_size != above.input_size:
                raise ValueError(f"Model: {a} puts out {below.output_size} features, {b} takes {above.input_size}")
        self.embedding, self.layers, self.readout = embedding, layers, readout
        self.loss_name, self.at = loss, at
        self.loss, self.loss_backward = LOSSES[loss]

    @property
    def input_size(self):
        return next(iter(self.parts.values())).input_size

    @property
    def state_sizes(self):
        return self.layers.state_sizes

    def forward(self, x, state=None, mask=None):
        """x (T, B, n) or (T, B) -> y (T, B, output_size), or (B, output_size) with at="last"; and the tape."""
        kept = None
        if self.embedding is not None:
            x, kept = self.embedding.forward(x)
        h, tape = self.layers.forward(x, state, mask)
        y, kept_readout = self.readout.forward(h if self.at == "every" else self.layers.final(tape.state))
        return y, ModelTape(kept, tape, kept_readout, len(x))

    def backward(self, dy, tape, dstate=None, **options):
        """From dy (like y) and upstream on the final state: `Gradients` of the layers, and a dict of all parameters'.

        options go to the layers' backward pass: truncate, average, record.
        """
        dh, dreadout = self.readout.backward(dy, tape.readout)
        if self.at == "last":
            dfinal, dh = self.layers.final_backward(dh), None
            dstate = dfinal if dstate is None else tuple(add(a, b) for a, b in zip(dfinal, dstate, strict=True))
        back = self.layers.backward(dh, tape.layers, dstate, **options)
        dparams = {"layers": back.params, "readout": dreadout}
        if self.embedding is not None:
            _, dparams["embedding"] = self.embedding.backward(back.inputs, tape.x)
        flat = {f"{part}.{name}": d for part in self.parts for name, d in dparams[part].items()}
        return back, {name: flat[name] for name in self.params}

    def gradients(self, x, target, mask=None, state=None, **options):
        """Loss and all gradients for one batch; a `LossGradients`.

        With at="every", the mask also says which tokens count in the loss.
        """
        y, tape = self.forward(x, state, mask)
        loss, kept = self.loss(y, target, mask if self.at == "every" else None)
        back, dparams = self.backward(self.loss_backward(kept), tape, **options)
        return LossGradients(float(loss), y, dparams, tape.state, back)


def add(a, b):
    """a + b, where None is zero."""
    return b if a is None else a if b is None else a + b
