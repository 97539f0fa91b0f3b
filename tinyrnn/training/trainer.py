"""Train a network on a task: the loop of updates, its tests and results, and everything that makes a run repeatable.

Batch number k depends on nothing but the seed and k (`Task.batch`), so the step and the seed are the whole state of the
data generator. With the weights, the optimiser's memory and, where a task carries them, the network's states they are
a checkpoint, and a run that goes on from one is bit for bit the run that never stopped.
"""

import dataclasses
import math
import sys
import time
from contextlib import contextmanager

import numpy as np

from tinyrnn.core.backend import to_numpy
from tinyrnn.core.files import write_atomically, write_json
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.nn.dropout import cells_of
from tinyrnn.nn.saving import fill, named_arrays, save
from tinyrnn.training.closed_form import NOT_CROSS_ENTROPY, fit_batches
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.failures import Diverged, WorkerFailed
from tinyrnn.training.from_data import missing_beside, start_from_data
from tinyrnn.training.interrupts import interrupts
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import as_json, settings_of
from tinyrnn.training.updater import Updater
from tinyrnn.training.watching import Watch
from tinyrnn.training.workers import start_workers

TEST_BATCH = 250  # sequences at a time when testing; it bounds the memory and changes nothing else


def taken(arrays, prefix):
    """Takes those whose names begin so out of the dict, and gives them by the rest of their names."""
    return {name.removeprefix(prefix): arrays.pop(name) for name in list(arrays) if name.startswith(prefix)}


class Trainer(Updater):
    """One run: `Trainer(settings, folder).run()`; `Trainer.resume(folder)` goes on with one."""

    def __init__(self, settings, folder):
        super().__init__(settings)
        self.folder = RunFolder(folder) if folder else None  # without one, `update` still works
        self.seconds = 0.0
        self.started = False  # whether the folder holds this run already
        self.penalised = any(getattr(part, "regularisers", ()) for _, part in cells_of(self.model))
        self.watches = self.task.validates or bool(
            settings.validate or settings.patience or settings.keep_best or settings.nonmono
        )
        self.watch = Watch(settings.patience, settings.keep_best)

    @classmethod
    def resume(cls, folder, updates=None):
        """The run in `folder`, at its newest checkpoint. updates: a new total, if the run should be longer."""
        run = RunFolder(folder)
        settings = settings_of(run)
        trainer = cls(settings if updates is None else dataclasses.replace(settings, updates=updates), folder)
        trainer.started = True
        if run.checkpoint.exists():
            trainer.load()
        else:
            run.check_begins(settings.save_every)
        if updates is not None and updates < trainer.step:
            raise ValueError(f"the run in {folder} is at update {trainer.step} already, past {updates}")
        write_json(run.settings, as_json(trainer.settings))
        run.rewind(trainer.step)
        return trainer

    # state ----------------------------------------------------------------------------------------------------------

    def arrays(self):
        """Everything that a checkpoint must hold, name -> NumPy array."""
        arrays = {name: to_numpy(value) for name, value in named_arrays(self.model).items()}
        arrays |= self.carried.arrays(self.step)
        arrays |= {f"best/{name}": value for name, value in self.watch.weights.items()}
        arrays |= {f"mean/{name}": value for name, value in self.averaging.arrays().items()}
        return arrays | {f"optimiser/{name}": value for name, value in self.optimiser.state_dict().items()}

    def save(self):
        """Writes a checkpoint of this update."""
        more = {"seed": self.settings.seed, "seconds": self.seconds, "watch": self.watch.record()}
        more["averaging"] = self.averaging.record()
        self.folder.save_checkpoint(self.step, self.arrays(), more)

    def load(self):
        """Goes to the newest checkpoint in the folder. ValueError if it is damaged or does not fit the run."""
        record, arrays = self.folder.load_checkpoint()
        memory, best, mean = (taken(arrays, f"{part}/") for part in ("optimiser", "best", "mean"))
        states = {f"carried/{name}": array for name, array in taken(arrays, "carried/").items()}
        try:
            self.step, self.seconds = record["step"], record["seconds"]
            self.carried.load(self.step, states)
            fill(self.model, arrays, record["arrays"])
            self.optimiser.load_state_dict(memory)
            if "watch" in record:
                self.watch.load(record["watch"], best)
            if "averaging" in record:
                self.averaging.load(record["averaging"], mean, self.model.params)
        except (KeyError, TypeError, ValueError) as error:
            raise self.folder.damaged(error) from None

    # the loop -------------------------------------------------------------------------------------------------------

    def run(self, progress=True):
        """Train to the end; returns the result, which is also in the folder.

        Raises `Diverged`, FileExistsError if the folder holds a run already, and, after saving a checkpoint,
        `WorkerFailed`, or on Ctrl-C KeyboardInterrupt.
        """
        if not self.started:
            first = self.task.batch(self.settings.seed, 0, self.settings.batch)  # no data, no run: nothing is written
            classes = first[0].dtype.kind in "iu"
            if self.settings.embedding and not classes:
                raise ValueError(f"{self.settings.task} has no classes to be embedded: embedding must be 0")
            self.rate_now()  # which says if it cannot be known
            if self.settings.dropout_input and classes and not self.settings.embedding:
                raise ValueError(f"{self.settings.task} has no features to be dropped without an embedding")
        if self.step == 0:
            start_from_data(self.settings, self.task, self.model)
            if progress and (missing := missing_beside(self.settings)):
                print(f"tinyrnn: {missing}", file=sys.stderr)
        if not self.started:
            self.folder.start(as_json(self.settings))
            self.started = True
        total = self.settings.updates
        label = f"{self.settings.task} {self.settings.cell}"
        bar = Bar(total=total, initial=self.step, desc=label, unit="update", disable=not progress, mininterval=0.5)
        began = time.perf_counter() - self.seconds
        with bar, interrupts() as interrupted, matrix_threads(self.settings.threads or 1), self.sharing():
            if self.settings.readout == "ridge" and self.step < total:
                loss = fit_batches(self, interrupted, bar)
                self.seconds = time.perf_counter() - began
                self.record(loss, 0.0, 0.0)
            while self.step < total and not self.watch.over:
                if interrupted:
                    self.save()
                    raise KeyboardInterrupt
                loss, norm, lr = self.update()
                self.seconds = time.perf_counter() - began
                bar.update()
                bar.set_postfix_str(self.in_words(loss), refresh=False)
                with bar.paused():  # tests and checkpoints are no updates
                    self.record(loss, norm, lr)
            self.save()
        return self.finish()

    @contextmanager
    def sharing(self):
        """Within, the settings' workers compute the gradients; if one fails, the updates done are saved first."""
        with start_workers(self.settings, self.model, self.carried) as self.workers:
            try:
                yield
            except WorkerFailed as error:
                self.save()
                raise WorkerFailed(f"{error}; go on with: tinyrnn train --resume {self.folder.path}") from error
            finally:
                self.workers = None

    def in_words(self, loss):
        """The loss as the progress bar shows it."""
        if self.model.loss.signed:  # a share says nothing
            return f"loss {loss:.4f}, baseline {self.task.baseline:.4f}"
        units = [f"{measure.of(loss):.4g} {measure.words}" for measure in self.task.measures[:1]]
        return " = ".join([f"loss {loss:.4f}", *(units or [f"{loss / self.task.baseline:.0%} of baseline"])])

    def record(self, loss, norm, lr):
        """Logs an update, and tests and saves where the settings ask for it."""
        s = self.settings
        last = self.step == s.updates
        test = last or (s.test_every and self.step % s.test_every == 0)
        if test or self.step % s.log_every == 0:
            row = {
                "step": self.step,
                "loss": loss,
                **self.task.reported(loss),
                **({"penalty": self.penalty} if self.penalised else {}),
                "grad_norm": norm,
                "lr": lr,
                "seconds": round(self.seconds, 3),
            }
            with self.averaging.used(self.model.params):
                self.folder.append(row | (self.tests(last) if test else {}))
        if not last and self.step % s.save_every == 0:
            self.save()

    def tests(self, last):
        """What is found on the validation data where the run is watched on some, else on the test set.

        On the test set also after the last update, unless the run ends with other weights.
        """
        if not self.watches:
            return self.test()
        valid = self.found("valid_", self.task.valid_batches)
        self.watch.see(self.step, valid["valid_loss"], self.weights)
        self.averaging.see(valid["valid_loss"])
        return valid | (self.test() if last and not self.watch.keep else {})

    def weights(self):
        """Copies of all weights, name -> NumPy array."""
        return {name: np.array(to_numpy(value)) for name, value in named_arrays(self.model).items()}

    def test(self):
        """Loss (and accuracy) over the test set."""
        scores = self.task.score(self.model) if self.task.pairs else {}
        return self.found("test_", self.task.test_batches) | {f"test_{name}": value for name, value in scores.items()}

    def found(self, prefix, batches):
        """What a test on batches found, each figure's name with this prefix."""
        found = evaluate(self.model, self.task, batches(TEST_BATCH, self.settings.dtype), prefix)
        if not math.isfinite(loss := found[f"{prefix}loss"]):
            what = {"test_": "test", "valid_": "validation"}[prefix]
            raise Diverged(f"update {self.step}: {what} loss {loss:.4g}{self.advice()}")
        return found

    @property
    def note(self):
        """What must be said with the result, or ""."""
        fitted = self.settings.readout == "ridge" and self.model.loss.classes
        return " ".join(filter(None, [self.task.note, NOT_CROSS_ENTROPY if fitted else ""]))

    def finish(self):
        """Tests for the last time and writes result, network and curve; the result."""
        rows = self.folder.rows()
        self.averaging.settle(self.model.params)
        if self.watch.weights:
            fill(self.model, self.watch.weights, self.folder.path)
        end = next((row for row in rows if row["step"] == self.watch.step), rows[-1]) if self.watch.keep else rows[-1]
        tests = {name: value for name, value in end.items() if name.startswith(("test_", "valid_"))}
        if "test_loss" not in tests:
            tests |= self.test()
        result = {
            "settings": dataclasses.asdict(self.settings),
            "baseline": self.task.baseline,
            "parameters": sum(value.size for value in self.model.params.values()),
            "seconds": round(self.seconds, 1),
            **({"updates_done": self.step} if self.watch.patience else {}),
            **({"best_update": self.watch.step} if self.watch.keep else {}),
            **tests,
            "test_loss_over_baseline": tests["test_loss"] / self.task.baseline,
            **({"note": self.note} if self.note else {}),
        }
        write_json(self.folder.result, result)
        save(self.folder.model, self.model)

        from tinyrnn.training.plots import plot_curve  # matplotlib takes longer to load than all else together

        title = f"{self.settings.task}, {self.settings.cell}, {self.settings.hidden} units, seed {self.settings.seed}"
        curve = {self.settings.cell: rows}
        write_atomically(self.folder.curve, lambda path: plot_curve(path, curve, self.task, title))
        return result
