"""What the analyses after Carta, Sperduti & Bacciu share: their networks by name, and the digits as sequences."""

from typing import Annotated

import numpy as np
import scipy  # whose parts are loaded when they are used: signals take half a second

from tinyrnn.analysis.laes import LinearAutoencoder
from tinyrnn.cells import CELLS, LMN, LSTM, Elman
from tinyrnn.core.backend import as_rng
from tinyrnn.core.ops import sigmoid
from tinyrnn.core.progress import Bar
from tinyrnn.init.by_name import initialise
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.model import Model
from tinyrnn.optim.clipping import clip_by_norm
from tinyrnn.optim.optimisers import Adam
from tinyrnn.tasks import data
from tinyrnn.training import networks
from tinyrnn.training.networks import Network, network, sequence_of

# name -> (class, initialiser): the paper's own, besides the cells of the package
NAMED = {
    "lmn-laes": (LMN, "laes"),
    "rnn-laes": (Elman, "laes"),
    "lmn-ortho": (LMN, "ortho"),
    "rnn-ortho": (Elman, "ortho"),
    "lstm-carta": (LSTM, "xavier-normal"),  # weights 0.01 N(0, 1), as the paper's code starts it
}
Networks = Annotated[tuple[str, ...], f"{', '.join(NAMED)}, laes (the linear autoencoder itself), or {networks.HELP}"]


def made(what, x, units, rng=0, dtype="float64"):
    """The `Network` for one of the names above, or for whatever else `tinyrnn.training.networks.network` knows.

    x (T, B, k): the sequences that an autoencoder is fitted to where one is asked for. It has no more units than the
    data have components.
    """
    rng = as_rng(rng)
    if what == "laes":
        return Network(what, fitted(x, units).to_cell(dtype))
    if what not in NAMED:
        return network(what, input_size=x.shape[2], hidden_size=units, rng=rng, dtype=dtype)
    cls, start = NAMED[what]
    cell = cls(x.shape[2], units, rng=rng, dtype=dtype)
    options = {"autoencoder": fitted(x, units)} if start == "laes" else {}
    return Network(what, initialise(cell, start, rng, **options))


def in_words(names, updates=0):
    """Whether the networks of these names are trained, for a title."""
    if updates:
        return f"networks after {updates} updates"
    fresh = {*NAMED, *CELLS, "laes"}
    return "untrained networks" if fresh.issuperset(map(str, names)) else "networks, trained ones among them"


def fitted(x, units):
    """A `LinearAutoencoder` with so many units, fitted to x (T, B, n)."""
    return LinearAutoencoder.fit_moments(x, units)


def digits(split, count, rng=0):
    """x (784, count, 1) of `count` images of MNIST's "train" or "test" part, drawn without replacement, from 0 to 1.

    Raises FileNotFoundError where the data are missing, and ValueError for more images than there are.
    """
    return labelled(split, count, rng)[0]


def labelled(split, count, rng=0):
    """The same with the classes of the digits, (count,) numbers from 0 to 9."""
    images, labels = data.mnist(split)
    if not 1 <= count <= len(images):
        raise ValueError(f"there are {len(images)} images in MNIST's {split} part, so take from 1 to that, not {count}")
    chosen = as_rng(rng).permutation(len(images))[:count]
    return np.ascontiguousarray(images[chosen].reshape(count, 784).T[:, :, None]) / 255, labels[chosen]


def train(layers, x, target, loss, size, updates, rate, batch, seed):
    """Train layers in place, with a readout of `size` numbers from the last state; returns the `Model`.

    x (T, N, 1), target (N, ...). Adam, and gradients clipped to norm 10, as in the paper's code; epoch by epoch, each
    in a new order.
    """
    rng = as_rng([seed, 1])
    readout = Readout(layers.output_size, size, rng=rng, dtype=layers.dtype)
    model, optimiser = Model(layers, readout, loss=loss, at="last"), Adam(lr=rate)
    order = np.empty(0, int)
    for _ in (bar := Bar(range(updates), desc="updates", leave=False, disable=None)):
        if len(order) < batch:
            order = rng.permutation(x.shape[1])
        chosen, order = order[:batch], order[batch:]
        step = model.gradients(x[:, chosen].astype(layers.dtype), target[chosen])
        optimiser.step(model.params, clip_by_norm(step.params, 10.0)[0])
        bar.set_postfix(loss=f"{step.loss:.4f}", refresh=False)
    return model


def check_training(updates, batch, count):
    """Raises ValueError for what `train` cannot do with so many sequences."""
    if updates < 0 or (updates and not 1 <= batch <= count):
        raise ValueError(f"updates must be at least 0, and batch from 1 to {count}, got {updates} and {batch}")


SEQUENCES = "digits (MNIST's images, pixel by pixel), or generated (smooth noise, which stands in where MNIST is not)"


def sequence_inputs(kind, count, steps, rng=0):
    """(x, what) with x (steps, count, 1) from 0 to 1, and in words what they are; kind as `SEQUENCES` says.

    The digits' first `steps` pixels, where there are digits. Raises ValueError for another kind.
    """
    if kind not in ("digits", "generated"):
        raise ValueError(f"sequences must be digits or generated, got {kind!r}")
    if steps < 1 or count < 1:
        raise ValueError(f"sequences must be 1 or more and have 1 step or more, got {count} of {steps}")
    if kind == "digits":
        if steps > 784:
            raise ValueError(f"a digit has 784 pixels, fewer than {steps} steps")
        try:
            return digits("train", count, rng)[:steps], "digits"
        except FileNotFoundError:
            pass
    noise = as_rng(rng).normal(size=(steps + 100, count, 1))
    smooth = scipy.signal.lfilter([1], [1, -0.95], noise, axis=0)[100:]
    return sigmoid(2 * np.sqrt(1 - 0.95**2) * smooth), "generated sequences"


def inputs_for(found, x, rng=0):
    """What a network is to read: x where it reads one number a step, else its own task's inputs, or noise."""
    embeds = found.model is not None and found.model.embedding is not None
    return sequence_of(found, *x.shape[:2], rng) if embeds or found.layers.input_size != x.shape[2] else x
