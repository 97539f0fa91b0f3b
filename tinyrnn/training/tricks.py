"""What a run may do to its gradients, states and weights beyond following the loss downhill: one place for all of it.

    setting                 does                                                              source
    clip_norm, clip_value   cut the whole gradient off at a norm, or each entry at a value    `tinyrnn.optim.clipping`
    clip_state              rescale h to a norm where it is longer (activation clipping)      Henaff et al. 2016
    average                 divide the gradients of the hidden activations by T               Henaff et al. 2016
    truncate                cut the carried gradient every so many steps (truncated BPTT)     `tinyrnn.core.engine`
    detach, detach_anneal   block the gradient through h at random steps, but no longer in    Arpit et al. 2018
                            the last share of the updates (there: the last 40 epochs)
    regularisers            penalties on recurrent weights or outputs                         `tinyrnn.nn.regularisers`
    dropout_input, …        masks that stay for a sequence; weight_drop on W_h                `tinyrnn.nn.dropout`
    tied                    the readout reads with the embedding's weights                    Press & Wolf 2017

What is drawn at random comes from a stream of the run's seed and the update's number alone, apart from that of the
data, so a run that is resumed draws the same; workers draw for the whole batch, and each takes what is its own.
"""

import numpy as np

from tinyrnn.nn.dropout import Dropout, cells_of
from tinyrnn.nn.regularisers import REGULARISERS, RandomPoints
from tinyrnn.tasks.task import stream

NOISE = 211  # what the stream is for: no other has this number (see `tinyrnn.tasks.task`)
DROPS = ("dropout_input", "dropout_layers", "dropout_output", "dropout_embedding", "weight_drop")
SHARES = ("detach", "detach_anneal")


def check(settings):
    """ValueError in one line for shares that are none, and for what does not go together."""
    for name in (*DROPS, *SHARES):
        value = getattr(settings, name)
        if not 0 <= value <= 1 or (value == 1 and name in DROPS):
            raise ValueError(f"{name} must be in [0, 1{')' if name in DROPS else ']'}, got {value}")
    if settings.tied and (settings.pool or settings.readout != "gradient"):
        raise ValueError("a tied readout is trained by gradients, and has no pool")
    if settings.tied and not settings.embedding:
        raise ValueError("tied needs an embedding, whose weights the readout reads")
    if settings.checkpoint == "inverse" and dropout(settings):
        raise ValueError("no dropout where states are recomputed by the inverse: give checkpoint a memory budget")
    terms(settings)


def refuse(settings):
    """ValueError in one line for what an encoder and decoder do not have."""
    asked = [name for name in ("tied", *DROPS) if getattr(settings, name)]
    if asked:
        raise ValueError(f"{settings.task} is done by an encoder and a decoder, for which there is no {asked[0]}")


def dropout(settings):
    """The `Dropout` that the settings describe."""
    return Dropout(*(getattr(settings, name) for name in DROPS))


def terms(settings):
    """The regularisers that the settings name, a list; ValueError for a name or a strength that is none.

    Points are as many as the batch has sequences (Henaff et al. 2016).
    """
    made = []
    for name, strength in settings.regularisers.items():
        if name not in REGULARISERS:
            raise ValueError(f"unknown regulariser {name!r}; choose from {', '.join(REGULARISERS)}")
        cls, options = REGULARISERS[name]
        points = {"points": settings.batch} if cls is RandomPoints else {}
        made.append(cls(strength, **options, **points))
    return made


def regularise(layers, settings):
    """Give the cells of these layers their regularisers: all, or the last layer's only where that is what is meant.

    ValueError for a cell that has no recurrent matrix to look at or no h to be detached, and for outputs that a
    checkpoint does without.
    """
    for term in terms(settings):
        if settings.checkpoint and hasattr(term, "outputs"):
            raise ValueError(f"{type(term).__name__} needs all outputs at once, which a checkpoint does without")
        chosen = layers if term.everywhere or not hasattr(layers, "upper") else layers.layers[-1]
        for _, cell in cells_of(chosen):
            if hasattr(term, "weights"):
                term.weights(cell, np.random.default_rng(0))
            cell.regularisers = (*cell.regularisers, term)
    for _, cell in cells_of(layers):
        if settings.detach and not cell.detach:
            raise ValueError(f"{cell.name}: no h-detach for this cell, which names no weights that read h (`detach`)")


def drawn(settings, step):
    """What `Model.gradients` needs to draw for update `step`, keyword arguments; nothing if nothing is drawn."""
    detach = 0.0 if step >= settings.updates - round(settings.detach_anneal * settings.updates) else settings.detach
    random = detach or dropout(settings) or any(getattr(term, "random", False) for term in terms(settings))
    options = {"rng": stream(settings.seed, NOISE, step)} if random else {}
    return options | ({"detach": detach} if detach else {})
