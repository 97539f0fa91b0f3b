"""One worker's share of every batch, and the memory in which workers and trainer meet.

A worker that is the k-th of several draws the whole batch (a function of the seed and its number alone), keeps its own
sequences, and has a network of its own whose arrays are everybody's. The loss is a mean over the entries that count;
with n_k of them in shard k,

    L = sum_k (n_k / n) L_k        dL/dp = sum_k (n_k / n) dL_k/dp        n = sum_k n_k

so what the shards leave adds up to what one process would find, but for the order of the summation. The n_k differ
where the batch does not divide evenly, and where sequences have masks of their own.

Penalties on weights (`tinyrnn.nn.regularisers`) are the same in every shard, and so in the sum. Those on outputs are
means too, over the steps there are; where sequences have masks of their own, a shard's counts as its loss does, which
is repeatable, but not quite the mean over the whole batch.

Where a task's batches go on where the one before stopped, each worker carries the states of its own sequences.
"""

from typing import NamedTuple

import numpy as np

from tinyrnn.core.backend import cores, to_numpy
from tinyrnn.nn.saving import named_arrays
from tinyrnn.tasks import Batch, Pairs
from tinyrnn.training.settings import batch_of, build, gradient_options

ALIGNMENT = 64  # bytes: a cache line, and the widest vector registers


class Part(NamedTuple):
    """A shard's part of the batch's loss, and of the regularisers' penalty."""

    loss: float
    penalty: float


class Shard:
    """Worker k's share of every batch: a network of its own, on weights that are everybody's.

    weights, gradients: blocks of bytes, as `Workers` lays them out. states: the two of `Carried`, or None.
    """

    def __init__(self, settings, k, weights, gradients, states=None):
        self.settings, self.k = settings, k
        self.task, self.model = build(settings)
        if settings.compiled:
            self.model.compile(threads_each(settings))
        adopt(self.model, views(weights, named_arrays(self.model)))
        self.out = views(gradients, self.model.params)
        self.carried = Carried(settings, self.task, self.model, states)

    @np.errstate(all="ignore")  # the trainer looks for itself
    def gradients(self, step):
        """Write this shard's part of batch `step`'s gradients; returns its part of the loss and penalty, a `Part`."""
        s = self.settings
        batch = batch_of(s, self.task, step)
        part = take(batch, self.task.readout, self.k, s.workers)
        n, n_k = (counted(some, self.task.readout, self.model.loss) for some in (batch, part))
        if n and not n_k:  # all of it is masked, and a mean over nothing undefined; if n is 0 too, the loss says so
            for array in self.out.values():
                array[...] = 0
            return Part(0.0, 0.0)
        rows, options = rows_of(s.batch, self.k, s.workers), gradient_options(s, step)
        if "rng" in options and not self.task.pairs:
            options["share"] = rows, s.batch
        result = self.model.gradients(*part, state=self.carried.before(step, rows), **options)
        self.carried.after(step, result.state, rows)
        for name, gradient in result.params.items():
            np.multiply(gradient, n_k / n, out=self.out[name])
        return Part(result.loss * (n_k / n), result.penalty * (n_k / n))


def take(batch, readout, k, workers):
    """The sequences of `batch` that are worker k's (0, 1, …): as many as any other's, or one more; a batch like it."""
    if isinstance(batch, Pairs):
        rows = rows_of(batch.source.shape[1], k, workers)
        return Pairs(*(np.ascontiguousarray(array[:, rows]) for array in batch))
    rows = rows_of(batch.x.shape[1], k, workers)
    x, target, mask = batch
    return Batch(
        np.ascontiguousarray(x[:, rows]),
        np.ascontiguousarray(target[:, rows] if readout == "every" else target[rows]),
        None if mask is None else np.ascontiguousarray(mask[:, rows]),
    )


def rows_of(size, k, workers):
    """Which of `size` sequences are worker k's, a slice."""
    return slice(size * k // workers, size * (k + 1) // workers)


def counted(batch, readout, loss):
    """How many entries of the target the loss is a mean of, up to a factor that is the same for all shards."""
    mask = counts(batch, readout, loss)
    return batch.target.size if mask is None else int(mask.sum())


def counts(batch, readout, loss):
    """The mask of the entries of the target that the loss is a mean of, or None if that is all of them."""
    mask = batch.target_mask if isinstance(batch, Pairs) else batch.mask if readout == "every" else None
    return loss.counts(batch.target, mask)


class Carried:
    """The states of all sequences between one batch and the next, for a task that carries them; else nothing.

    Update k finds them in block k % 2 and leaves them in the other one, so an update that fails or is done again has
    destroyed nothing, and after k updates a checkpoint must hold block k % 2.
    """

    def __init__(self, settings, task, model, blocks=None):
        self.settings, self.task = settings, task
        sizes = model.state_sizes if task.carries else ()
        like = {f"carried/{k}": np.empty((settings.batch, n), model.dtype) for k, n in enumerate(sizes)}
        self.nbytes = size(like)
        blocks = blocks or [bytearray(self.nbytes) for _ in range(2)]
        self.blocks = [views(block, like) for block in blocks]

    def before(self, step, rows=slice(None)):
        """The states with which batch `step` begins, a tuple of arrays (B, n), or None for the network's own."""
        s = self.settings
        if not self.task.carries or self.task.begins(s.seed, step, s.batch):
            return None
        return tuple(array[rows] for array in self.blocks[step % 2].values())

    def after(self, step, states, rows=slice(None)):
        """Keep those with which batch `step` ended."""
        for array, state in zip(self.blocks[(step + 1) % 2].values(), states, strict=False):
            array[rows] = to_numpy(state)

    def arrays(self, step):
        """What a checkpoint after `step` updates must hold."""
        return self.blocks[step % 2]

    def load(self, step, arrays):
        """Go on from a checkpoint's arrays. Raises ValueError if they are not those of this network."""
        own = self.arrays(step)
        if {name: a.shape for name, a in arrays.items()} != {name: a.shape for name, a in own.items()}:
            raise ValueError("the carried states are not those of this network")
        for name, array in arrays.items():
            own[name][...] = array

    def move(self, allocate):
        """Have everything lie in two new blocks, which are returned."""
        blocks = [allocate(self.nbytes) for _ in range(2)]
        moved = [views(block, old) for block, old in zip(blocks, self.blocks, strict=True)]
        for old, new in zip(self.blocks, moved, strict=True):
            for name, array in old.items():
                new[name][...] = array
        self.blocks = moved
        return blocks


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
    """Bytes, rounded up to whole cache lines."""
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
