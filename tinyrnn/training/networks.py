"""The networks that an analysis looks at: cells by name, trained ones from files, and a student's own."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.nn.layers import Layers
from tinyrnn.nn.model import Model
from tinyrnn.nn.saving import load
from tinyrnn.sources.user_file import explained, loaded
from tinyrnn.tasks.task import Task
from tinyrnn.training.settings import construct
from tinyrnn.training.trained import trained

HELP = (
    "a cell's name, the folder of a run, a file of tinyrnn.nn.interop.save, or FILE.py:NAME, "
    "where NAME is your own cell or model, or a function that makes one"
)


class Network(NamedTuple):
    """Recurrent layers to be looked at, and what else there is: the whole model, and the task it was trained on."""

    label: str
    layers: object  # a cell, Stack or Bidirectional
    model: Model | None = None
    task: Task | None = None

    @property
    def fresh(self):
        """Whether it is a cell of the package as its class starts it, of the size that the analysis asks for."""
        return self.label in CELLS and self.model is None

    def inputs(self, T, B, rng=0):
        """x for the layers, (T, B, input_size) standard normal numbers, whatever they were trained on."""
        return as_rng(rng).normal(size=(T, B, self.layers.input_size)).astype(self.layers.dtype)


def network(what, input_size=1, hidden_size=32, rng=0, dtype="float64", **options):
    """The `Network` that `what` stands for.

    what: a cell, `Stack`, `Bidirectional` or `Model`; or text: the name of a cell, which is made with the other
    arguments; the folder of a run, at its newest checkpoint, in double precision; a file that `tinyrnn.nn.interop.save`
    wrote; or "FILE.py:NAME". What is trained or the student's own has its own sizes.
    Raises ValueError or FileNotFoundError, in one line, for anything else.
    """
    if isinstance(what, Network):
        return what
    if not isinstance(what, str | Path):
        return of_object(getattr(what, "name", type(what).__name__), what)
    text = str(what)
    if text in CELLS:
        cls, own = CELLS[text]
        return Network(text, construct(text, cls, {**own, **options}, input_size, hidden_size, rng=rng, dtype=dtype))
    file, _, name = text.rpartition(":")
    if file.endswith(".py"):
        return of_object(name, from_file(file, name))
    if text.endswith(".py"):
        raise ValueError(f"{text}: say which cell in it, as {text}:NAME")
    if Path(text).is_dir():
        _, task, model = trained(text, dtype="float64", compiled=False)
        return of_object(Path(text).name, model, task)
    if Path(text).exists():
        return of_object(Path(text).stem, load(text))
    raise ValueError(f"{text!r} is no cell, run or file; cells: {', '.join(CELLS)}; else {HELP}")


def of_object(label, value, task=None):
    """The `Network` of a cell, layers or a `Model`; ValueError for anything else."""
    model = value if isinstance(value, Model) else None
    layers = value if model is None else model.layers
    if not isinstance(layers, Cell | Layers):
        raise ValueError(f"{label} is no cell, layers or Model, but of type {type(value).__name__}")
    return Network(label, layers, model, task)


def from_file(file, name):
    """What is called `name` in a user's Python file, or the only thing in it that will do."""
    with loaded(file) as module:
        value = getattr(module, name, None)
        if value is None:
            raise ValueError(f"{file} defines no {name!r}")
        if callable(value) and not hasattr(value, "forward"):
            with explained():
                value = value()
    return value


def single(found):
    """The one cell of a `Network` for analyses that look at a single one; ValueError for layers put together."""
    if not hasattr(found.layers, "step"):
        raise ValueError(f"{found.label}: this looks at a single cell, not at {found.layers.name}")
    return found.layers


def sequence_of(found, T, B, rng=0):
    """x (T, B, ...) for the whole network: from its task, cut to T steps, if it has one; else normal numbers."""
    if found.task is None:
        return found.inputs(T, B, rng)
    x = found.task.sample(as_rng(rng), B, "float64").x
    if len(x) < T:
        raise ValueError(f"{found.label}: its task has sequences of {len(x)} steps, fewer than {T}")
    return np.asarray(x[:T])
