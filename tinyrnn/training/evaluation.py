"""How good a network is on data that it is not trained on."""

import numpy as np

from tinyrnn.core.backend import placed, xp_of
from tinyrnn.nn.losses import accuracy
from tinyrnn.nn.recompute.windows import copies
from tinyrnn.tasks import Pairs
from tinyrnn.training.shards import counted, counts


@np.errstate(all="ignore")  # the caller looks for itself
def evaluate(model, task, batches, prefix="test_"):
    """Mean loss (and accuracy) over the `batches`, and the loss in the task's own units, as `test_loss` and so on.

    Every entry that counts weighs the same, in whichever batch it is. Where the task carries states, each batch begins
    with those in which the one before ended.
    """
    total = hits = count = 0
    state = None
    xp = xp_of(next(iter(model.params.values())))
    for batch in (placed(batch, xp) for batch in batches):
        y, tape = run(model, batch, state)
        if task.carries:
            state = copies(tape.state)
        n = counted(batch, task.readout, model.loss)
        target, mask = batch.target, counts(batch, task.readout, model.loss)
        loss, _ = model.loss(y, target, mask)
        total += float(loss) * n
        hits += accuracy(y, target, mask) * n if model.loss.classes else 0
        count += n
    found = {f"{prefix}loss": total / count} | ({f"{prefix}accuracy": hits / count} if model.loss.classes else {})
    return found | task.reported(total / count, prefix)


def run(model, batch, state):
    """The network's answers to a batch, and the tape."""
    if isinstance(batch, Pairs):
        return model.forward(batch.source, batch.target, state, batch.mask, batch.target_mask)
    return model.forward(batch.x, state, batch.mask)
