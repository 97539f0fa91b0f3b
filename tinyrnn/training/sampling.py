"""`tinyrnn sample`: text that a trained language model writes, one symbol after the other."""

import math

import numpy as np

from tinyrnn.backend import as_rng
from tinyrnn.tasks.text import Language
from tinyrnn.training.trained import trained
from tinyrnn.windows import copies

SAMPLE_EXAMPLE = "tinyrnn sample runs/ptb-char-lstm-0 --length 300 --temperature 0.8 --start 'the market'"


def add_arguments(command):
    command.add_argument("folder", metavar="FOLDER", help="folder of the run, whose newest checkpoint is used")
    command.add_argument(
        "--length", type=int, default=500, metavar="N", help="symbols to be written (default: %(default)s)"
    )
    command.add_argument(
        "--temperature",
        type=float,
        default=1.0,
        metavar="X",
        help="the lower, the more it keeps to the likeliest symbols, which 0 always takes (default: %(default)s)",
    )
    command.add_argument("--start", default="", metavar="TEXT", help="text to go on from (default: a new line)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draws (default: %(default)s)")


def run_sample(args):
    task, model = language_model(args.folder)
    first = task.encode(args.start or task.opening)
    if not len(first):
        raise ValueError(f"--start {args.start!r} has no symbol to go on from")
    print(args.start + task.decode(draw(model, first, args.length, args.temperature, args.seed)))
    return 0


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
    if temperature == 0:
        return int(logits.argmax())
    p = np.exp((logits - logits.max()) / temperature)
    return int(rng.choice(len(p), p=p / p.sum()))
