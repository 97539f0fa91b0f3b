"""Tasks that tinyrnn has not: sequences with masks of their own, and workers that come to grief at a given update.

A spawned worker looks its task up by name, so the name must be known there too: `Elsewhere` are settings that bring the
task with them when they arrive in another process.
"""

import dataclasses
import multiprocessing
import os
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from safetensors.numpy import load_file
from threadpoolctl import threadpool_info

from tinyrnn.core.backend import as_rng
from tinyrnn.core.files import read_json
from tinyrnn.tasks import TASKS, Batch, Task
from tinyrnn.tasks.task import option
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer


@dataclass(frozen=True)
class Ragged(Task):
    """Sequences of any length, some of them empty: say the class of every step, or the first one's at the end."""

    name: ClassVar = "ragged"
    loss: ClassVar = "cross_entropy"
    readout: ClassVar = "every"
    baseline_name: ClassVar = "guess"
    baseline: ClassVar = 1.0
    test_size: ClassVar = 10
    input_size: ClassVar = 3
    output_size: ClassVar = 3

    steps: int = option(6, "T", 1)
    empty: int = option(0, "sequences, the first ones, that are masked altogether", 0)
    fault: Literal["none", "exit", "memory", "threads"] = option("none", "what befalls a worker")
    worker: int = option(1, "which one, counted from 1", 1)
    update: int = option(1, "in which update, counted from 1", 1)

    def sample(self, rng, size, dtype="float32"):
        rng = as_rng(rng)
        x = rng.integers(0, 3, (self.steps, size))
        lengths = rng.integers(1, self.steps + 1, size)
        lengths[: self.empty] = 0
        return Batch(x, x if self.readout == "every" else x[0], np.arange(self.steps)[:, None] < lengths)

    def batch(self, seed, step, size, dtype="float32"):
        at_work = multiprocessing.current_process().name == f"tinyrnn worker {self.worker}"
        if at_work and step == self.update - 1:
            befall(self.fault)
        return super().batch(seed, step, size, dtype)


@dataclass(frozen=True)
class RaggedLast(Ragged):
    name: ClassVar = "ragged-last"
    readout: ClassVar = "last"


def befall(fault):
    if fault == "exit":
        os._exit(3)
    elif fault == "memory":
        np.empty(2**62, np.uint8)
    elif fault == "threads":
        raise ValueError(sorted({lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}))


HERE = {"ragged": Ragged, "ragged-last": RaggedLast}


class Elsewhere(Settings):
    def __reduce__(self):
        return arrived, (dataclasses.asdict(self),)


def arrived(values):
    TASKS.update(HERE)
    return Elsewhere(**values)


def tiny(**changes):
    defaults = {"task": "copy", "task_options": {"delay": 5, "length": 3}, "hidden": 8, "batch": 5, "workers": 2}
    fixed = {"dtype": "float64", "updates": 8, "schedule": "cosine", "log_every": 3, "save_every": 3}
    return Elsewhere(**{**defaults, **fixed, **changes})


def updated(settings, kind=None):
    """A trainer after `settings.updates` updates; kind: `Processes` or `Threads`, or None for neither."""
    trainer = Trainer(settings, None)
    if kind is None:
        return all_updates(trainer)
    with kind(settings, trainer.model) as trainer.workers:
        return all_updates(trainer)


def all_updates(trainer):
    trainer.losses = [trainer.update()[0] for _ in range(trainer.settings.updates)]
    return trainer


def assert_same_weights(trainer, other):
    arrays, others = trainer.arrays(), other.arrays()
    assert arrays.keys() == others.keys()
    apart = {name: abs(a - others[name]).max() for name, a in arrays.items() if a.tobytes() != others[name].tobytes()}
    assert not apart, f"{apart}; losses {trainer.losses} and {other.losses}; {interpreted(trainer, other)}"
    assert trainer.losses == other.losses


def interpreted(*trainers):
    """Which of the cells ran as they stand, and why: the rounding is another one."""
    models = [shard.model for t in trainers for shard in getattr(t.workers, "shards", [])]
    return [getattr(cell.runner, "why_not", "not compiled") for model in models for cell in cells(model.layers)]


def cells(network):
    """All cells in a network of layers."""
    if not hasattr(network, "parts"):
        return [network]
    return [cell for part in network.parts.values() for cell in cells(part)]


def weights(folder):
    record = read_json(folder / "checkpoint.json")
    return record["step"], as_bytes(load_file(folder / record["arrays"]))


def as_bytes(arrays):
    return {name: value.tobytes() for name, value in arrays.items()}
