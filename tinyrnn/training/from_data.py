"""Weights that a run starts with because they were learnt, without gradients, from its task's training inputs.

`tinyrnn train mnist --cell lmn --init laes --readout ridge-start` is LMN-laes of Carta, Sperduti & Bacciu 2021; without
the last option its readout starts like any other.
"""

import numpy as np

from tinyrnn.analysis.laes import LinearAutoencoder
from tinyrnn.init.by_name import LEARNT, initialise
from tinyrnn.nn.ridge import fit_readout

SLOW = 1e-4  # a rate at which what a network starts with is kept: at 1e-3 an LMN on MNIST soon knows less
SEQUENCES = 10000  # that are read, of a task that makes as many as one wants; of one that has an end, all
BATCH = 250
WIDEST = 4096  # numbers in a sequence; the eigenvalue problem is of this size, and takes a minute


def start_from_data(settings, task, model):
    """Give `model` what `settings.init` and `settings.readout` find in the training data, if they are such names.

    The only option of the initialiser is `sequences`, how many are read. ValueError in one line where it does not fit.
    """
    if settings.init in LEARNT:
        start_as_autoencoder(settings, task, model)
    if settings.readout == "ridge-start":
        count = getattr(task, "train_size", SEQUENCES)
        size = min(BATCH, count)
        batches = (task.batch(settings.seed, step, size, settings.dtype) for step in range(count // size))
        fit_readout(model, batches, settings.ridge)


def missing_beside(settings):
    """What a start from an autoencoder needs besides, in a line; "" where nothing is missing."""
    if settings.init not in LEARNT or settings.readout == "ridge":
        return ""
    missing = ["--readout ridge-start"] * (settings.readout == "gradient") + ["--lr 1e-4"] * (settings.lr > SLOW)
    found = f"--init {settings.init} is of the recurrent weights alone, and a large rate undoes it soon"
    return f"{found}: add {' '.join(missing)}" if missing else ""


def start_as_autoencoder(settings, task, model):
    """What `start_from_data` does for the recurrent layer."""
    name, kind = settings.init, type(getattr(model, "layers", None)).__name__
    wanted = LEARNT[name][1]
    if settings.layers > 1 or settings.bidirectional or settings.embedding or task.pairs:
        raise ValueError(f"initialiser {name!r} is for a single layer that reads the task's own inputs")
    if kind not in wanted:
        raise ValueError(f"initialiser {name!r} is not for {kind}, only for {', '.join(wanted)}")
    if odd := settings.init_options.keys() - {"sequences"}:
        raise ValueError(f"initialiser {name!r} has no option {sorted(odd)[0]!r}; choose from sequences")
    try:
        autoencoder = LinearAutoencoder.fit_moments(inputs(settings, task), model.layers.hidden_size)
    except ValueError as error:
        raise ValueError(f"initialiser {name!r}: {error}") from None
    initialise(model.layers, name, autoencoder=autoencoder)


def inputs(settings, task):
    """The training inputs, batch by batch, as (T, B, features)."""
    count = settings.init_options.get("sequences", getattr(task, "train_size", SEQUENCES))
    if type(count) is not int or count < 1:
        raise ValueError(f"sequences must be a whole number of at least 1, got {count!r}")
    size = min(BATCH, count)
    for step in range(count // size):
        x, _, mask = task.batch(settings.seed, step, size, "float32")
        if mask is not None:
            raise ValueError(f"{task.name} has sequences of several lengths, and one length is needed")
        if len(x) * task.input_size > WIDEST:
            raise ValueError(f"sequences of {len(x)} steps with {task.input_size} features or classes are too large")
        yield x if x.ndim == 3 else np.eye(task.input_size, dtype="float32")[x]
