"""One worker's share of every batch, and the memory in which workers and trainer meet.

A worker that is the k-th of several draws the whole batch (a function of the seed and its number alone), keeps its own
sequences, and has a network of its own whose arrays are everybody's. The loss is a mean over the entries that count;
with n_k of them in shard k,

    L = sum_k (n_k / n) L_k        dL/dp = sum_k (n_k / n) dL_k/dp        n = sum_k n_k

so what the shards leave adds up to what one process would find, but for the order of the summation. The n_k differ
where the batch does not divide evenly, and where sequences have masks of their own.
"""

import numpy as np

from tinyrnn.backend import cores
from tinyrnn.saving import named_arrays
from tinyrnn.tasks import Batch
from tinyrnn.training.settings import build, gradient_options

ALIGNMENT = 64  # bytes: a cache line, and the widest vector registers


class Shard:
    """Worker k's share of every batch: a network of its own, on weights that are everybody's.

    weights, gradients: blocks of bytes, as `Workers` lays them out.
    """

    def __init__(self, settings, k, weights, gradients):
        self.settings, self.k = settings, k
        self.task, self.model = build(settings)
        if settings.compiled:
            self.model.compile(threads_each(settings))
        adopt(self.model, views(weights, named_arrays(self.model)))
        self.out = views(gradients, self.model.params)

    @np.errstate(all="ignore")  # the trainer looks for itself
    def gradients(self, step):
        """Write this shard's part of batch `step`'s gradients; returns its part of the loss, a float."""
        s = self.settings
        batch = self.task.batch(s.seed, step, s.batch, s.dtype)
        part = take(batch, self.task.readout, self.k, s.workers)
        n, n_k = counted(batch, self.task.readout), counted(part, self.task.readout)
        if n and not n_k:  # all of it is masked, and a mean over nothing undefined; if n is 0 too, the loss says so
            for array in self.out.values():
                array[...] = 0
            return 0.0
        result = self.model.gradients(*part, **gradient_options(s))
        for name, gradient in result.params.items():
            np.multiply(gradient, n_k / n, out=self.out[name])
        return result.loss * (n_k / n)


def take(batch, readout, k, workers):
    """The sequences of `batch` that are worker k's (0, 1, …): as many as any other's, or one more; a Batch."""
    size = batch.x.shape[1]
    rows = slice(size * k // workers, size * (k + 1) // workers)
    x, target, mask = batch
    return Batch(
        np.ascontiguousarray(x[:, rows]),
        np.ascontiguousarray(target[:, rows] if readout == "every" else target[rows]),
        None if mask is None else np.ascontiguousarray(mask[:, rows]),
    )


def counted(batch, readout):
    """How many entries of the target the loss is a mean of, up to a factor that is the same for all shards."""
    return int(batch.mask.sum()) if readout == "every" and batch.mask is not None else batch.target.size


# memory ---------------------------------------------------------------------------------------------------------------


def views(memory, like):
    """name -> array in the bytes `memory`, each of the shape and dtype that its namesake in `like` has."""
    arrays, begin = {}, 0
    for name, array in like.items():
        arrays[name] = np.ndarray(array.shape, array.dtype, buffer=memory, offset=begin)
        begin += aligned(array.nbytes)
    return arrays


def size(like):
    """The bytes that `views` needs."""
    return sum(aligned(array.nbytes) for array in like.values())


def aligned(nbytes):
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def adopt(network, arrays, prefix=""):
    """Have the network compute with `arrays`, named as in `named_arrays`, in the place of its own."""
    if hasattr(network, "parts"):
        for name, part in network.parts.items():
            adopt(part, arrays, f"{prefix}{name}.")
        return
    for kind, own in ("params", network.params), ("constants", network.constants):
        for name in own:
            own[name] = arrays[f"{kind}/{prefix}{name}"]


def threads_each(settings):
    """Threads of each worker: as the settings say, but no more than its share of the cores."""
    share = max(1, cores() // settings.workers)
    return min(settings.threads or share, share)
