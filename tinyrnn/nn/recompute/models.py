"""A model's gradients where its tape does not fit in memory, with the loss, one window at a time."""

from tinyrnn.core.backend import xp_of
from tinyrnn.core.tape import Gradients
from tinyrnn.nn.recompute.inverse import Inverse, invert
from tinyrnn.nn.recompute.windows import run
from tinyrnn.nn.regularisers import add_penalties, penalise
from tinyrnn.nn.tapes import LossGradients


class InWindows:
    """What is below a model's readout, as `nn.recompute.windows` runs it, and the loss above it, one window at a time.

    The loss is a mean over the steps that count, so a window's mean is weighted by its share of them.
    """

    def __init__(self, model, x, target, mask, masks):
        if model.at == "every" and target.shape[0] != x.shape[0]:
            raise ValueError(f"Model: target has {target.shape[0]} time steps, x has {x.shape[0]}")
        self.model, self.target = model, target
        self.x, self.mask, self.masks = x, mask, masks
        self.counts = model.loss.counts(target, mask) if model.at == "every" else None
        self.parts = {name: part for name, part in model.parts.items() if name != "readout"}
        self.output_size = model.layers.output_size
        self.loss, self.y, self.dreadout = 0.0, None, {}

    def gradients(self, checkpoint, state, progress, rng, options):
        """What `Model.gradients` returns."""
        if self.masks and (checkpoint == "inverse" or isinstance(checkpoint, Inverse)):
            raise ValueError(
                "Model: no dropout where states are recomputed by the inverse; give a memory budget instead"
            )
        penalty, dpenalty = penalise(self.model.layers, None, rng)
        mask, T = self.mask, self.x.shape[0]
        if self.counts is not None and not xp_of(self.counts).any(self.counts):
            raise ValueError("no entry of the target counts (the mask is False everywhere), so the mean is undefined")
        first_upstream = 0 if self.model.at == "every" else T - 1
        arguments = self.x, self.upstream, None, checkpoint, state, mask, progress, first_upstream
        out = run(self, *arguments, **options)
        dparams = self.model.gathered(out.gradients.params, self.dreadout)
        add_penalties(dparams, dpenalty, "layers.")
        dlayers = {name.removeprefix("layers."): d for name, d in dparams.items() if name.startswith("layers.")}
        back = Gradients(out.gradients.inputs, out.gradients.state, dlayers)
        return LossGradients(self.loss, self.y, dparams, out.state, back, penalty)

    # below the readout

    def embed(self, x):
        """What the layers read of x, and what the embedding's backward pass needs."""
        return (x, None) if self.model.embedding is None else self.model.embedding.forward(x)

    def forward(self, x, state, mask):
        """Everything below the readout, for one window."""
        return self.model.below(x, state, mask, self.masks)

    def invert(self, x, state, mask):
        """The state before one window, from the one after it."""
        return invert(self.model.layers, self.embed(x)[0], state, mask)

    def backward(self, dh, tape, dstate, **options):
        """Gradients of everything below the readout, for one window."""
        back, dparams = self.model.below_backward(dh, tape, dstate, **options)
        return Gradients(None if self.model.embedding is not None else back.inputs, back.state, dparams)

    # above it

    def upstream(self, start, stop, h):
        """Loss and readout of one window; returns the gradient of h, or None for zero."""
        if self.model.at == "every":
            mask = None if self.counts is None else self.counts[start:stop]
            share = (stop - start) / len(self.x) if mask is None else float(mask.sum() / self.counts.sum())
            return self.through_readout(h, self.target[start:stop], mask, share)[1] if share else None
        if stop < len(self.x):
            return None
        dh = xp_of(h).zeros_like(h)
        self.y, dh[-1] = self.through_readout(h[-1], self.target, None, 1)
        return dh

    def through_readout(self, h, target, mask, share):
        """One window's outputs and their upstream gradient, whose loss is added up."""
        y, read = self.model.readout_forward(h, self.masks)
        loss, cache = self.model.loss(y, target, mask)
        self.loss += float(loss) * share
        dh, dreadout = self.model.readout_backward(self.model.loss.backward(cache, share), read, self.masks)
        self.dreadout = {name: d + self.dreadout.get(name, 0) for name, d in dreadout.items()}
        return y, dh
