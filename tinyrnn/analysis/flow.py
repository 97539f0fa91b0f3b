"""How large gradients and states are from step to step: what a network can still learn from, and where its state goes.

Both stand for Figure 4 of the published version of Arjovsky, Shah & Bengio (2016). Any cell, `Stack` or
`Bidirectional` will do; the gradients are those of the hand-written backward passes.
"""

from typing import Any, NamedTuple

from tinyrnn.core.backend import xp_of
from tinyrnn.core.types import Array, Parts, Weights
from tinyrnn.nn.layers import cells_and_tapes
from tinyrnn.nn.model import Model


class StateNorms(NamedTuple):
    """size: ‖h_t‖. distance: ‖h_t - h_T‖, how far the state still has to go. Both (T, B), each sequence by itself."""

    size: object
    distance: object


def gradient_norms(model: Model, batch: Any, counted: Any = None) -> Weights:
    """‖∂C/∂h_t‖ of every state after every step: name -> (T, B), each sequence by itself.

    C is a sequence's own loss: the mean over the batch of what is returned is "averaged over sequences" in the sense
    of the paper, and does not shrink with the size of the batch.

    model: a `Model`. batch: (x, target, mask), as a task's `batch` gives it; the mask may be None. counted: (T, B)
    booleans, the steps whose loss C is the mean of; default: the mask. Only for a loss at every step.
    The names are those of `Gradients.states`: "h", in a stack "0.h" and so on; the reading direction "backward" of a
    `Bidirectional` has its own time, beginning at the sequence's end.

    The engine stops where all that is carried back is below the smallest normal number of its precision, and the rest
    is zero: 1e-38 in float32, 1e-308 in float64, so look at gradients that vanish in float64.
    """
    x, target, mask = batch
    y, tape = model.forward(x, mask=mask)
    counted = mask if counted is None else counted
    _, kept = model.loss(y, target, counted if model.at == "every" else None)
    dy = model.loss_backward(kept, x.shape[1])  # times B, for the loss is a mean over the batch
    back, _ = model.backward(dy, tape, record=True)
    return {name: row_norms(dstate) for name, dstate in back.states.items()}


def state_norms(layers: Any, x: Array, state: Parts | None = None) -> dict[str, StateNorms]:
    """`StateNorms` of every state that the layers have, by name as in `gradient_norms`.

    layers: a cell, `Stack` or `Bidirectional`. x: (T, B, input_size) or (T, B) class numbers. state: the initial one,
    a tuple, or None.
    """
    _, tape = layers.forward(x, state)
    norms = {}
    for prefix, cell, own in cells_and_tapes(layers, tape):
        for name in cell.states:
            h = own[name]
            norms[f"{prefix}{name}"] = StateNorms(row_norms(h), row_norms(h - h[-1]))
    return norms


def row_norms(a: Array) -> Array:
    """Euclidean norms along the last axis, (..., n) -> (...), right where the squares of a's entries would not be.

    Each row is scaled by its largest entry first: the square of 1e-200 is no float64, and the norm would be 0.
    """
    xp = xp_of(a)
    peak = abs(a).max(axis=-1)
    unit = a / xp.where(peak > 0, peak, 1)[..., None]
    return peak * xp.sqrt((unit * unit).sum(axis=-1))
