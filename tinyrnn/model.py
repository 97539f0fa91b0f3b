"""A network to train: recurrent layers between an optional embedding and a readout, and the loss on top."""

from itertools import pairwise
from typing import NamedTuple

from tinyrnn.backend import xp_of
from tinyrnn.inverse import invert
from tinyrnn.layers import Composite
from tinyrnn.losses import LOSSES
from tinyrnn.tape import Gradients
from tinyrnn.windows import run as run_in_windows


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

    layers: the `Gradients` of the recurrent layers (with `record=True`, of every state at every step). With
    checkpointing and at="every", y is None: it is never there for all steps at once; nor are an embedding's gradients.
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

    def gradients(self, x, target, mask=None, state=None, *, checkpoint=None, progress=None, **options):
        """Loss and all gradients for one batch; a `LossGradients`.

        With at="every", the mask also says which tokens count in the loss.
        checkpoint: for sequences that are too long for memory, a budget such as "512 MiB", or else: see
            `tinyrnn.checkpointing.plan`. The results are the same but for rounding. progress: a function, called with
            the number of steps each time some are done, such as `tqdm(total=len(x)).update`.
        options: truncate, average, record (see `tinyrnn.engine.backward`; not record with a checkpoint).
        """
        if checkpoint is not None:
            return InWindows(self, x, target, mask).gradients(checkpoint, state, progress, options)
        y, tape = self.forward(x, state, mask)
        loss, kept = self.loss(y, target, mask if self.at == "every" else None)
        back, dparams = self.backward(self.loss_backward(kept), tape, **options)
        return LossGradients(float(loss), y, dparams, tape.state, back)


class InWindows:
    """What is below a model's readout, as `tinyrnn.windows` runs it, and the loss above it, one window at a time.

    The loss is a mean over the steps that count, so a window's mean is weighted by its share of them.
    """

    def __init__(self, model, x, target, mask):
        if model.at == "every" and len(target) != len(x):
            raise ValueError(f"Model: target has {len(target)} time steps, x has {len(x)}")
        self.model, self.target = model, target
        self.x, self.mask = x, mask
        self.parts = {name: part for name, part in model.parts.items() if name != "readout"}
        self.output_size = model.layers.output_size
        self.loss, self.y, self.dreadout = 0.0, None, {}

    def gradients(self, checkpoint, state, progress, options):
        """What `Model.gradients` returns."""
        mask, T = self.mask, len(self.x)
        if mask is not None and self.model.at == "every" and not mask.any():
            raise ValueError("no entry of the target counts (the mask is False everywhere), so the mean is undefined")
        first_upstream = 0 if self.model.at == "every" else T - 1
        arguments = self.x, self.upstream, None, checkpoint, state, mask, progress, first_upstream
        out = run_in_windows(self, *arguments, **options)
        named = out.gradients.params | {f"readout.{name}": d for name, d in self.dreadout.items()}
        dparams = {name: named[name] for name in self.model.params}
        dlayers = {name.removeprefix("layers."): d for name, d in dparams.items() if name.startswith("layers.")}
        back = Gradients(out.gradients.inputs, out.gradients.state, dlayers)
        return LossGradients(self.loss, self.y, dparams, out.state, back)

    # below the readout

    def embed(self, x):
        return (x, None) if self.model.embedding is None else self.model.embedding.forward(x)

    def forward(self, x, state, mask):
        x, kept = self.embed(x)
        h, tape = self.model.layers.forward(x, state, mask)
        return h, ModelTape(kept, tape, None, len(x))

    def invert(self, x, state, mask):
        return invert(self.model.layers, self.embed(x)[0], state, mask)

    def backward(self, dh, tape, dstate, **options):
        back = self.model.layers.backward(dh, tape.layers, dstate, **options)
        dparams = {f"layers.{name}": d for name, d in back.params.items()}
        if self.model.embedding is None:
            return Gradients(back.inputs, back.state, dparams)
        _, d = self.model.embedding.backward(back.inputs, tape.x)
        return Gradients(None, back.state, dparams | {f"embedding.{name}": value for name, value in d.items()})

    # above it

    def upstream(self, start, stop, h):
        """Loss and readout of one window; returns the gradient of h, or None for zero."""
        if self.model.at == "every":
            mask = None if self.mask is None else self.mask[start:stop]
            share = (stop - start) / len(self.x) if mask is None else float(mask.sum() / self.mask.sum())
            return self.through_readout(h, self.target[start:stop], mask, share)[1] if share else None
        if stop < len(self.x):
            return None
        dh = xp_of(h).zeros_like(h)
        self.y, dh[-1] = self.through_readout(h[-1], self.target, None, 1)
        return dh

    def through_readout(self, h, target, mask, share):
        y, kept_readout = self.model.readout.forward(h)
        loss, kept = self.model.loss(y, target, mask)
        self.loss += float(loss) * share
        dh, dreadout = self.model.readout.backward(self.model.loss_backward(kept, share), kept_readout)
        self.dreadout = {name: d + self.dreadout.get(name, 0) for name, d in dreadout.items()}
        return y, dh


def add(a, b):
    """a + b, where None is zero."""
    return b if a is None else a if b is None else a + b
