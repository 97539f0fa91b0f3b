"""What defines a training run, and the network that it describes."""

import math
from dataclasses import dataclass, field

import numpy as np

from tinyrnn.cell import option_names
from tinyrnn.cells import CELLS
from tinyrnn.checkpointing import budget
from tinyrnn.heads import PooledReadout, Readout
from tinyrnn.layers import Bidirectional, Stack
from tinyrnn.model import Model
from tinyrnn.tasks import TASKS

LEAST = {name: 1 for name in ("hidden", "layers", "updates", "batch", "workers", "log_every", "save_every")} | {
    name: 0 for name in ("pool", "seed", "lr", "clip_norm", "clip_value", "truncate", "threads", "test_every")
}


# What `tinyrnn train TASK` does unless told otherwise: settings with which the task's best cells solve it.
STEADY = {"schedule": "cosine", "clip_norm": 1.0}
TASK_DEFAULTS = {
    "copy": {"updates": 2000, **STEADY},
    "copy-variable": {"updates": 2000, **STEADY},
    "adding": {"updates": 3000, "batch": 50, **STEADY},
    "mnist": {"updates": 4000, "batch": 64, "lr": 2e-3, "test_every": 1000, **STEADY},
}


@dataclass(frozen=True)
class Settings:
    """All that defines a run; saved with it as JSON. ValueError in one line for what no run can have."""

    task: str = "copy"
    task_options: dict = field(default_factory=dict)  # fields of the task's class
    cell: str = "lstm"
    cell_options: dict = field(default_factory=dict)  # keyword arguments of the cell's class
    hidden: int = 128
    layers: int = 1
    bidirectional: bool = False
    pool: int = 0  # pool size of the readout, 0 for a plain one
    updates: int = 1000
    batch: int = 20
    seed: int = 0
    dtype: str = "float32"
    optimiser: str = "adam"
    optimiser_options: dict = field(default_factory=dict)
    lr: float = 1e-3
    schedule: str = "constant"
    clip_norm: float = 0.0  # 0: no clipping
    clip_value: float = 0.0
    average: bool = False  # 1/T normalisation of the hidden gradients
    truncate: int = 0  # truncated BPTT over this many steps, 0: the whole sequence
    checkpoint: str = ""  # memory for backpropagation ("512 MiB"), or a number of steps; see `tinyrnn.checkpointing`
    compiled: bool = True  # run the cells' steps as machine code where that can be made
    threads: int = 0  # of compiled cells, 0: one per core; and of matrix products elsewhere, 0: one
    workers: int = 1  # that share each batch; `threads` is then each one's, and no more than its share of the cores
    log_every: int = 10
    test_every: int = 0  # 0: at the end only
    save_every: int = 100

    def __post_init__(self):
        for name, least in LEAST.items():
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.workers > self.batch:
            raise ValueError(f"workers must be at most the batch's {self.batch} sequences, got {self.workers}")
        if self.checkpoint:
            plan_of(self.checkpoint)
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be float32 or float64, got {self.dtype!r}")


def gradient_options(settings):
    """Keyword arguments for `Model.gradients`."""
    return {
        "average": settings.average,
        "truncate": settings.truncate or None,
        "checkpoint": plan_of(settings.checkpoint) if settings.checkpoint else None,
    }


def plan_of(checkpoint):
    """The setting as `tinyrnn.checkpointing` takes it; ValueError in one line if it is no such thing."""
    if checkpoint.isdigit():
        return int(checkpoint)
    if checkpoint != "inverse":
        budget(checkpoint)
    return checkpoint


def build(settings):
    """(task, model) of a run, the weights drawn from its seed."""
    task = pick(TASKS, settings.task, "task")(**settings.task_options)
    cell_class, options = pick(CELLS, settings.cell, "cell")
    options = {**options, **settings.cell_options}
    common = {"rng": np.random.default_rng(settings.seed), "dtype": settings.dtype}
    layers, size = [], task.input_size
    for _ in range(settings.layers):
        cells = [
            construct(settings.cell, cell_class, options, size, settings.hidden, **common)
            for _ in range(1 + settings.bidirectional)
        ]
        layers.append(Bidirectional(*cells) if settings.bidirectional else cells[0])
        size = layers[-1].output_size
    if settings.pool:
        readout = PooledReadout(size, task.output_size, size=settings.pool, **common)
    else:
        readout = Readout(size, task.output_size, **common)
    body = layers[0] if len(layers) == 1 else Stack(*layers)
    model = Model(body, readout, loss=task.loss, at=task.readout)
    return task, model.compile(settings.threads or None) if settings.compiled else model.interpret()


def pick(table, name, what):
    """table[name], or a ValueError that lists the names."""
    if name not in table:
        raise ValueError(f"unknown {what} {name!r}; choose from {', '.join(table)}")
    return table[name]


def construct(name, cls, options, *arguments, **fixed):
    """cls(*arguments, **fixed, **options), or a ValueError in one line that begins with `name`.

    options: what the user has chosen of the constructor's other arguments.
    """
    allowed = [option for option in option_names(cls)[len(arguments) :] if option not in fixed]
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}; choose from {', '.join(allowed)}")
    try:
        return cls(*arguments, **fixed, **options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from error
