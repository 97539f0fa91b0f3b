"""Text that a trained language model writes, one symbol after the other."""

import math

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.nn.recompute.windows import copies
from tinyrnn.tasks.text import Language
from tinyrnn.training.trained import trained


def language_model(folder):
    """(task, model) of the language model in a run's folder, at its newest checkpoint."""
    settings, task, model = trained(folder)
    if not isinstance(task, Language):
        raise ValueError(f"{folder} holds a run of {settings.task}, which is no text")
    return task, model


def draw(model, first, length, temperature=1.0, rng=None):
    """`length` class numbers that go on after the class numbers `first` (N,); rng: a seed or Generator.

    Each is drawn from softmax(y / temperature) and read in turn; temperature 0 takes the likeliest.
    Raises ValueError for a negative length or temperature.
    """
    if length < 0 or not 0 <= temperature < math.inf:
        raise ValueError(f"length and temperature must be at least 0, got {length} and {temperature}")
    rng, drawn, state, x = as_rng(rng), [], None, np.asarray(first)[:, None]
    while len(drawn) < length:
        y, tape = model.forward(x, state)
        state = copies(tape.state)
        drawn.append(choose(y[-1, 0].astype("float64"), temperature, rng))
        x = np.array([drawn[-1:]])
    return drawn


def choose(logits, temperature, rng):
    """A class number, drawn from softmax(logits / temperature); logits (K,)."""
    if temperature == 0:
        return int(logits.argmax())
    p = np.exp((logits - logits.max()) / temperature)
    return int(rng.choice(len(p), p=p / p.sum()))
