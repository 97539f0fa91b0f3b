"""Train a network on a task: the loop, and everything that makes a run repeatable.

Batch number k depends on nothing but the seed and k (`Task.batch`), so the step and the seed are the whole state of the
data generator. With the weights and the optimiser's memory they are a checkpoint, and a run that goes on from one is
bit for bit the run that never stopped.
"""

import dataclasses
import math
import time
from dataclasses import dataclass, field

import numpy as np
from tqdm import tqdm

from tinyrnn.backend import to_numpy
from tinyrnn.cells import CELLS
from tinyrnn.clipping import clip_by_norm, clip_by_value, global_norm
from tinyrnn.heads import PooledReadout, Readout
from tinyrnn.layers import Bidirectional, Stack
from tinyrnn.losses import LOSSES, accuracy
from tinyrnn.model import Model
from tinyrnn.optimisers import OPTIMISERS
from tinyrnn.plots import plot_curve
from tinyrnn.run_folder import RunFolder, read_json, write_atomically, write_json
from tinyrnn.schedules import SCHEDULES
from tinyrnn.tasks import TASKS

TEST_BATCH = 250  # sequences at a time when testing; it bounds the memory and changes nothing else


class Diverged(Exception):
    """The loss or a gradient is no longer finite; the message says when and where it blew up."""


@dataclass(frozen=True)
class Settings:
    """All that defines a run; saved with it as JSON."""

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
    log_every: int = 10
    test_every: int = 0  # 0: at the end only
    save_every: int = 100


def build(settings):
    """(task, model) of a run, the weights drawn from its seed."""
    task = pick(TASKS, settings.task, "task")(**settings.task_options)
    cell_class, options = pick(CELLS, settings.cell, "cell")
    options = {**options, **settings.cell_options, "dtype": settings.dtype}
    rng = np.random.default_rng(settings.seed)
    layers, size = [], task.input_size
    for _ in range(settings.layers):
        cells = [
            cell_class(size, settings.hidden, rng=rng, **options) for _ in range(1 + settings.bidirectional)
        ]
        layers.append(Bidirectional(*cells) if settings.bidirectional else cells[0])
        size = layers[-1].output_size
    top = {"rng": rng, "dtype": settings.dtype}
    if settings.pool:
        readout = PooledReadout(size, task.output_size, size=settings.pool, **top)
    else:
        readout = Readout(size, task.output_size, **top)
    body = layers[0] if len(layers) == 1 else Stack(*layers)
    return task, Model(body, readout, loss=task.loss, at=task.readout)


def pick(table, name, what):
    """table[name], or a ValueError that lists the names."""
    if name not in table:
        raise ValueError(f"unknown {what} {name!r}; choose from {', '.join(table)}")
    return table[name]


class Trainer:
    """One run: `Trainer(settings, folder).run()`; `Trainer.resume(folder)` goes on with one."""

    def __init__(self, settings, folder):
        self.settings = settings
        self.folder = RunFolder(folder)
        self.task, self.model = build(settings)
        options = settings.optimiser_options
        self.optimiser = pick(OPTIMISERS, settings.optimiser, "optimiser")(settings.lr, **options)
        self.rate = pick(SCHEDULES, settings.schedule, "schedule")(settings.lr, settings.updates)
        self.step = 0
        self.seconds = 0.0
        self.norms = {}  # each parameter's gradient norm at the last update

    @classmethod
    def resume(cls, folder, updates=None):
        """The run in `folder`, at its newest checkpoint. updates: a new total, if the run should be longer."""
        run = RunFolder(folder)
        if not run.settings.exists():
            raise FileNotFoundError(f"{folder} holds no run: there is no settings.json")
        settings = Settings(**read_json(run.settings))
        if updates is not None and updates != settings.updates:
            settings = dataclasses.replace(settings, updates=updates)
            write_json(run.settings, dataclasses.asdict(settings))
        trainer = cls(settings, folder)
        if run.checkpoint.exists():
            trainer.load()
        run.rewind(trainer.step)
        return trainer

    # state ----------------------------------------------------------------------------------------------------------

    def arrays(self):
        """Everything that a checkpoint must hold, name -> NumPy array."""
        arrays = {f"params/{name}": to_numpy(value) for name, value in self.model.params.items()}
        arrays |= {f"constants/{name}": to_numpy(value) for name, value in self.model.constants.items()}
        return arrays | {f"optimiser/{name}": value for name, value in self.optimiser.state_dict().items()}

    def save(self):
        self.folder.save_checkpoint(
            self.step, self.arrays(), {"seed": self.settings.seed, "seconds": self.seconds}
        )

    def load(self):
        record, arrays = self.folder.load_checkpoint()
        self.step, self.seconds = record["step"], record["seconds"]
        for kind, own in (("params", self.model.params), ("constants", self.model.constants)):
            for name, value in own.items():
                value[...] = arrays[f"{kind}/{name}"]
        state = {
            name.removeprefix("optimiser/"): a for name, a in arrays.items() if name.startswith("optimiser/")
        }
        self.optimiser.load_state_dict(state)

    # the loop -------------------------------------------------------------------------------------------------------

    def run(self, progress=True):
        """Train to the end; returns the result, which is also in the folder. KeyboardInterrupt saves a checkpoint first."""
        if self.step == 0 and not self.folder.settings.exists():
            self.folder.start(dataclasses.asdict(self.settings))
        total = self.settings.updates
        label = f"{self.settings.task} {self.settings.cell}"
        bar = tqdm(
            total=total, initial=self.step, desc=label, unit="update", disable=not progress, mininterval=0.5
        )
        began = time.perf_counter() - self.seconds
        recent = []
        try:
            while self.step < total:
                loss, norm, lr = self.update()
                self.seconds = time.perf_counter() - began
                recent = [*recent[1 - self.settings.log_every :], loss]
                bar.update()
                bar.set_postfix_str(
                    f"loss {loss:.4f} = {loss / self.task.baseline:.0%} of baseline", refresh=False
                )
                self.record(loss, norm, lr)
            self.save()
            return self.finish()
        except KeyboardInterrupt:
            self.save()
            raise
        finally:
            bar.close()

    def update(self):
        """One update; returns the loss before it, the gradient's norm before clipping, and the learning rate."""
        s = self.settings
        batch = self.task.batch(s.seed, self.step, s.batch, s.dtype)
        out = self.model.gradients(*batch, average=s.average, truncate=s.truncate or None)
        grads, norm = out.params, global_norm(out.params)
        if not (math.isfinite(out.loss) and math.isfinite(norm)):
            raise Diverged(self.diagnosis(out.loss, grads))
        self.norms = {name: global_norm({name: g}) for name, g in grads.items()}
        if s.clip_value:
            grads = clip_by_value(grads, s.clip_value)
        if s.clip_norm:
            grads, _ = clip_by_norm(grads, s.clip_norm)
        lr = self.rate(self.step)
        self.optimiser.step(self.model.params, grads, lr)
        self.step += 1
        return out.loss, norm, lr

    def diagnosis(self, loss, grads):
        """One line: at which update the loss or a gradient stopped being finite, and where it blew up."""
        bad = [name for name, g in grads.items() if not math.isfinite(global_norm({name: g}))]
        where = f"gradient not finite in {', '.join(bad)}" if bad else "gradients still finite"
        before = ""
        if self.norms:
            largest = max(self.norms, key=self.norms.get)
            before = f"; one update before, the largest gradient was {largest}'s, of norm {self.norms[largest]:.3g}"
        return (
            f"update {self.step + 1}: loss {loss:.4g}, {where}{before}. Try a smaller --lr, or --clip-norm 1"
        )

    def record(self, loss, norm, lr):
        s = self.settings
        last = self.step == s.updates
        test = last or (s.test_every and self.step % s.test_every == 0)
        if test or self.step % s.log_every == 0:
            row = {
                "step": self.step,
                "loss": loss,
                "grad_norm": norm,
                "lr": lr,
                "seconds": round(self.seconds, 3),
            }
            self.folder.append(row | (self.test() if test else {}))
        if not last and self.step % s.save_every == 0:
            self.save()

    def test(self):
        """Loss (and accuracy) over the test set."""
        sums = (
            {"test_loss": 0.0, "test_accuracy": 0.0}
            if self.task.loss == "cross_entropy"
            else {"test_loss": 0.0}
        )
        count = 0
        for x, target, mask in self.task.test_batches(TEST_BATCH, self.settings.dtype):
            size = x.shape[1]
            y, _ = self.model.forward(x, mask=mask)
            counted = mask if self.task.readout == "every" else None
            loss, _ = LOSSES[self.task.loss][0](y, target, counted)
            sums["test_loss"] += float(loss) * size
            if "test_accuracy" in sums:
                sums["test_accuracy"] += accuracy(y, target, counted) * size
            count += size
        return {name: value / count for name, value in sums.items()}

    def finish(self):
        rows = self.folder.rows()
        tests = {name: value for name, value in rows[-1].items() if name.startswith("test_")}
        result = {
            "settings": dataclasses.asdict(self.settings),
            "baseline": self.task.baseline,
            "parameters": sum(value.size for value in self.model.params.values()),
            "seconds": round(self.seconds, 1),
            **tests,
            "test_loss_over_baseline": tests["test_loss"] / self.task.baseline,
        }
        write_json(self.folder.result, result)
        title = f"{self.settings.task}, {self.settings.cell}, {self.settings.hidden} units, seed {self.settings.seed}"
        curve = {self.settings.cell: rows}
        write_atomically(self.folder.curve, lambda path: plot_curve(path, curve, self.task, title))
        return result
