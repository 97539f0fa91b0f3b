"""`tinyrnn reproduce`: claims of the papers at a size that runs on a laptop, each with all its settings written down.

An experiment is a task, a few contenders that see the same number of examples, and what the paper claims of them. Every
contender runs once a seed, in its own folder, as `tinyrnn train` would; finished runs are kept and interrupted ones are
resumed.
"""

import concurrent.futures
import dataclasses
import multiprocessing
import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tinyrnn.core.files import read_json, write_atomically, write_json
from tinyrnn.core.progress import Bar
from tinyrnn.training import cell_experiments
from tinyrnn.training.comparison import as_table, picture, solved_after
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, build, settings_of
from tinyrnn.training.trainer import Diverged, Trainer

ADAM = {"optimiser": "adam", "lr": 1e-3, "schedule": "cosine", "clip_norm": 1.0}


@dataclass(frozen=True)
class Experiment:
    """claim: what the source says. shared: settings of all contenders. contenders: label -> each one's own settings.
    solved: share of the baseline below which a run counts as having solved the task; None where no loss means that, and
    the table has the losses themselves and their mean. seeds: label -> the most runs that a contender gets, where that
    is fewer than the others get. notes: label -> where its settings come from."""

    claim: str
    source: str
    shared: dict
    contenders: dict
    solved: float | None
    seeds: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)

    @property
    def mark(self):
        """The test loss below which a run counts as having solved the task; None where there is no such loss."""
        if self.solved is None:
            return None
        return self.solved * build(self.settings(next(iter(self.contenders)), 0))[0].baseline

    def keys(self, seeds):
        """All runs, as (label, seed)."""
        return [(label, k) for label in self.contenders for k in range(min(seeds, self.seeds.get(label, seeds)))]

    def settings(self, label, seed):
        """The `Settings` of one contender with one seed."""
        return Settings(**{**self.shared, **self.contenders[label], "seed": seed})


def copy_experiment(delay, updates, solved):
    """The four networks of the first paper on the copy task with this delay."""
    return Experiment(
        claim=f"uRNN and LT-ORNN solve copy with a delay of {delay}, tanh RNN and LSTM do not for the same examples",
        source="Arjovsky, Shah & Bengio 2015; Henaff, Szlam & LeCun 2016",
        shared={"task": "copy", "task_options": {"delay": delay}, "updates": updates, "batch": 20, "test_every": 500},
        contenders={
            "urnn": {"cell": "urnn", "hidden": 128, **ADAM},
            "lt-ornn": {"cell": "lt-ornn", "hidden": 128, **ADAM},
            "tanh rnn": {"cell": "elman", "hidden": 128, **ADAM},
            "lstm": {"cell": "lstm", "hidden": 128, **ADAM},
        },
        solved=solved,
    )


def adding_experiment(steps, updates):
    """The four networks of the first paper on the adding task of this length."""
    return Experiment(
        claim=f"LT-IRNN and LSTM solve adding over {steps} steps, LT-ORNN and tanh RNN do not for the same examples",
        source="Henaff, Szlam & LeCun 2016; Arjovsky, Shah & Bengio 2015",
        shared={"task": "adding", "task_options": {"steps": steps}, "updates": updates, "batch": 50, "test_every": 500},
        contenders={
            "lt-irnn": {"cell": "lt-irnn", "hidden": 128, **ADAM},
            "lstm": {"cell": "lstm", "hidden": 128, **ADAM, "lr": 3e-3},
            "lt-ornn": {"cell": "lt-ornn-relu", "hidden": 128, **ADAM},
            "tanh rnn": {"cell": "elman", "hidden": 128, **ADAM},
        },
        solved=0.02 * 6,  # squared error 0.02 as a share of 1/6
    )


def car_racing_experiment(updates):
    """Initialisers of a tanh RNN that foretells frames."""
    shared = {"task": "car-racing", "cell": "elman", "hidden": 256, "updates": updates, "batch": 20}
    adam = {"optimiser": "adam", "lr": 5e-4, "clip_value": 1.0}
    return Experiment(
        claim="a tanh RNN predicts what the camera of CarRacing sees better when it starts from a chain than from I",
        source="Orhan & Pitkow 2020, Table 2: 1.392 ± 0.005 against 1.409 ± 0.004 on an autoencoder's latents",
        shared={**shared, **adam, "test_every": updates // 4},
        contenders={
            "identity": {"init": "identity", "init_options": {"scale": 1.0}},
            "chain": {"init": "chain", "init_options": {"alpha": 1.0}},
        },
        solved=None,
    )


def reversal_experiment(updates):
    """An encoder-decoder that reads its source forward, and one that reads it from the end."""
    return Experiment(
        claim="an LSTM encoder-decoder learns to translate faster if each source sentence is read from its end",
        source="Sutskever, Vinyals & Le 2014, §3.3: test perplexity 5.8 to 4.7, BLEU 25.9 to 30.6 (English to French)",
        shared={
            **{"task": "translation", "cell": "lstm", "hidden": 128, "updates": updates, "batch": 32, "threads": 1},
            **{**ADAM, "lr": 4e-3, "test_every": updates // 5},
        },
        contenders={"forward": {"task_options": {"reverse": False}}, "reversed": {"task_options": {"reverse": True}}},
        solved=None,
    )


def every_cell(task, options, solved):
    """All cells of the package on one task, each with the settings of its source."""
    return Experiment(
        claim=f"what every cell makes of {task}, T = 100, in three minutes at most on one core",
        source="each cell's own: see the last column",
        shared={"task": task, "task_options": options, "test_every": 250},
        contenders=cell_experiments.contenders(task),
        solved=solved,
        seeds=cell_experiments.seeds(),
        notes=cell_experiments.notes(),
    )


EXPERIMENTS = {
    "copy-100": copy_experiment(100, 2000, solved=0.1),
    "copy-200": copy_experiment(200, 2000, solved=0.2),
    "adding-100": adding_experiment(100, 3000),
    "adding-200": adding_experiment(200, 5000),
    "car-racing": car_racing_experiment(600),
    "reversal": reversal_experiment(5000),
    "cells-copy": every_cell("copy", {"delay": 100}, solved=0.1),
    "cells-adding": every_cell("adding", {"steps": 100}, solved=0.02 * 6),
}


def reproduce(name, seeds, jobs, out, progress=True):
    """Run an experiment into the folder `out`: a table (table.md), the numbers (results.json), a picture (curves.png).

    Returns the exit status: 0 whether or not the claim held, for that is a result too.
    """
    if seeds < 1 or jobs < 1:
        raise ValueError(f"seeds and jobs must be at least 1, got {seeds} and {jobs}")
    experiment = EXPERIMENTS[name]
    folder = Path(out)
    runs = {(label, k): folder / f"{re.sub(r'[^a-z0-9]+', '-', label)}-{k}" for label, k in experiment.keys(seeds)}
    print(f"{name}: {experiment.claim}\n({experiment.source})")
    run_all({key: (experiment.settings(*key), path) for key, path in runs.items()}, jobs, progress)

    results = {
        key: {**read_json(path / "result.json"), **solved_after(experiment, RunFolder(path).rows())}
        for key, path in runs.items()
    }
    table = as_table(experiment, results)
    print(table)
    page = f"# {name}\n\n{experiment.claim}.\n\n{table}\n"
    write_atomically(folder / "table.md", lambda path: path.write_text(page, encoding="utf-8"))
    write_json(
        folder / "results.json", [{"contender": label, "seed": seed, **r} for (label, seed), r in results.items()]
    )
    write_atomically(folder / "curves.png", lambda path: picture(path, name, experiment, runs))
    print(f"table, numbers and picture: {folder}")
    return 0


def run_all(todo, jobs, progress):
    """Run each (settings, folder), `jobs` at a time, with one progress bar over all updates."""
    total = sum(settings.updates for settings, _ in todo.values())
    context = multiprocessing.get_context("spawn")
    with (
        Bar(total=total, unit="update", disable=not progress) as bar,
        concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context, initializer=end_with_parent) as pool,
    ):
        futures = [pool.submit(run_one, settings, path) for settings, path in todo.values()]
        waiting = set(futures)
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, 1, concurrent.futures.FIRST_EXCEPTION)
            for future in done:
                future.result()  # raises what the run raised
            bar.n = sum(updates_done(RunFolder(path)) for _, path in todo.values())
            bar.refresh()


def end_with_parent():
    """Have this process end when the one that started it is gone, however that ended: two must not write one run."""

    def watch():
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_one(settings, path):
    """Start, resume or skip one run. That it diverged is a result too, and the last one."""
    folder = RunFolder(path)
    try:
        start_or_resume(settings, folder)
    except Diverged as error:
        parameters = sum(value.size for value in build(settings)[1].params.values())
        record = {"settings": dataclasses.asdict(settings), "parameters": parameters, "diverged": str(error)}
        lost = {"test_loss": None, "test_loss_over_baseline": None, "seconds": seconds_of(folder)}
        write_json(folder.result, record | lost)


def seconds_of(folder):
    """Seconds that a run has taken so far, as its log says."""
    rows = folder.rows()
    return rows[-1].get("seconds", 0.0) if rows else 0.0


def start_or_resume(settings, folder):
    """Runs to the end what is in the folder, or what is to go there; nothing if it is finished."""
    path = folder.path
    if folder.settings.exists():
        if settings_of(folder) != settings:
            raise ValueError(f"{path} holds a run with other settings; choose another --out")
        if folder.result.exists():
            return
        Trainer.resume(path).run(progress=False)
    else:
        Trainer(settings, path).run(progress=False)


def updates_done(folder):
    """Updates of a run so far, as its log says."""
    rows = folder.rows() if folder.log.exists() else []
    return rows[-1]["step"] if rows else 0
