"""`tinyrnn reproduce`: claims of the papers at a size that runs on a laptop, each with all its settings written down.

An experiment is a task, a few contenders that see the same number of examples, and what the paper claims of them. Every
contender runs once a seed, in its own folder, as `tinyrnn train` would; finished runs are kept and interrupted ones are
resumed.
"""

import concurrent.futures
import dataclasses
import math
import multiprocessing
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from tinyrnn.files import read_json, write_atomically, write_json
from tinyrnn.training.plots import draw_curves, new_figure
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.trainer import Diverged, Settings, Trainer, build

ADAM = {"optimiser": "adam", "lr": 1e-3, "schedule": "cosine", "clip_norm": 1.0}


@dataclass(frozen=True)
class Experiment:
    """claim: what the source says. shared: settings of all contenders. contenders: label -> each one's own settings.
    solved: share of the baseline below which a run counts as having solved the task. seeds: label -> the most runs that
    a contender gets, where that is fewer than the others get. notes: label -> where its settings come from."""

    claim: str
    source: str
    shared: dict
    contenders: dict
    solved: float
    seeds: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)

    @property
    def mark(self):
        """The test loss below which a run counts as having solved the task."""
        return self.solved * build(self.settings(next(iter(self.contenders)), 0))[0].baseline

    def keys(self, seeds):
        """All runs, as (label, seed)."""
        return [(label, k) for label in self.contenders for k in range(min(seeds, self.seeds.get(label, seeds)))]

    def settings(self, label, seed):
        return Settings(**{**self.shared, **self.contenders[label], "seed": seed})


def copy_experiment(delay, updates, solved):
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


CURVES = 8  # more in one panel cannot be told apart

EXPERIMENTS = {
    "copy-100": copy_experiment(100, 2000, solved=0.1),
    "copy-200": copy_experiment(200, 2000, solved=0.2),
    "adding-100": adding_experiment(100, 3000),
    "adding-200": adding_experiment(200, 5000),
}


def reproduce(name, seeds, jobs, out, progress=True):
    """Run an experiment into the folder `out`: a table (table.md), the numbers (results.json), a picture (curves.png).

    Returns the exit status: 0 whether or not the claim held, for that is a result too.
    """
    if seeds < 1 or jobs < 1:
        raise ValueError(f"seeds and jobs must be at least 1, got {seeds} and {jobs}")
    experiment = EXPERIMENTS[name]
    folder = Path(out)
    runs = {(label, k): folder / f"{label.replace(' ', '-')}-{k}" for label, k in experiment.keys(seeds)}
    print(f"{name}: {experiment.claim}\n({experiment.source})")
    run_all({key: (experiment.settings(*key), path) for key, path in runs.items()}, jobs, progress)

    results = {
        key: {**read_json(path / "result.json"), "solved_after": solved_after(experiment, RunFolder(path).rows())}
        for key, path in runs.items()
    }
    table = as_table(experiment, results)
    print(table)
    write_atomically(folder / "table.md", lambda path: path.write_text(f"# {name}\n\n{experiment.claim}.\n\n{table}\n"))
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
        tqdm(total=total, unit="update", disable=not progress) as bar,
        concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool,
    ):
        futures = [pool.submit(run_one, settings, path) for settings, path in todo.values()]
        waiting = set(futures)
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, 1, concurrent.futures.FIRST_EXCEPTION)
            for future in done:
                future.result()  # raises what the run raised
            bar.n = sum(updates_done(RunFolder(path)) for _, path in todo.values())
            bar.refresh()


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
    rows = folder.rows()
    return rows[-1].get("seconds", 0.0) if rows else 0.0


def start_or_resume(settings, folder):
    path = folder.path
    if folder.settings.exists():
        if read_json(folder.settings) != dataclasses.asdict(settings):
            raise ValueError(f"{path} holds a run with other settings; choose another --out")
        if folder.result.exists():
            return
        Trainer.resume(path).run(progress=False)
    else:
        Trainer(settings, path).run(progress=False)


def updates_done(folder):
    rows = folder.rows() if folder.log.exists() else []
    return rows[-1]["step"] if rows else 0


def solved_after(experiment, rows):
    """The first tested update from which on the test loss stays below the mark, or None."""
    first = None
    for row in rows:
        if "test_loss" in row:
            below = row["test_loss"] < experiment.mark
            first = (first or row["step"]) if below else None
    return first


def as_table(experiment, results):
    """Markdown: each contender's test loss as a share of the baseline, how many runs solved the task, and when."""
    titles = ["contender", "parameters", "test loss, seed by seed", "solved", "after", "s/run", "settings"]
    lines = [[*titles, "from"][: 8 if experiment.notes else 7]]
    lines.append(["---", *["---:"] * 5, *["---"] * (len(lines[0]) - 6)])
    for label in experiment.contenders:
        rows = [row for (name, _), row in results.items() if name == label]
        s = experiment.settings(label, 0)
        line = [
            label,
            str(rows[0]["parameters"]),
            ", ".join(share(row["test_loss_over_baseline"]) for row in rows),
            f"{sum(is_solved(experiment, row) for row in rows)}/{len(rows)}",
            ", ".join(str(row["solved_after"] or "-") for row in rows),
            f"{sum(row['seconds'] for row in rows) / len(rows):.0f}",
            in_short(s),
        ]
        lines.append([*line, experiment.notes.get(label, "")] if experiment.notes else line)
    note = (
        f"Test loss as a share of the memoryless baseline; solved means below {experiment.solved:.0%}, after how many "
        f"updates for good (tested every {experiment.shared['test_every']})."
    )
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", note])


def share(loss):
    return "diverged" if loss is None else f"{loss:.1%}"


def is_solved(experiment, result):
    return result["test_loss_over_baseline"] is not None and result["test_loss_over_baseline"] < experiment.solved


def in_short(settings):
    """The settings that tell contenders from each other, in a few words."""
    s = settings
    options = {**s.cell_options, **s.optimiser_options}
    extra = "".join(f", {name} {value}" for name, value in options.items())
    clip = f"clip {s.clip_norm:g}" if s.clip_norm else f"clip ±{s.clip_value:g}" if s.clip_value else "no clipping"
    rate = f"{s.optimiser} {s.lr:g} {s.schedule}"
    return f"{s.cell} {s.hidden}{extra}, {rate}, {clip}, {s.updates} x {s.batch}"


def picture(path, name, experiment, runs):
    """Learning curves of every contender, one panel a seed; of many contenders, where they ended."""
    if len(experiment.contenders) > CURVES:
        return ends(path, name, experiment, runs)
    seeds = sorted({seed for _, seed in runs})
    task, _ = build(experiment.settings(next(iter(experiment.contenders)), 0))
    figure, axes = new_figure(1, len(seeds), size=(5.5 * len(seeds), 4.4))
    for seed, ax in zip(seeds, axes if len(seeds) > 1 else [axes], strict=True):
        draw_curves(ax, {label: RunFolder(runs[label, seed]).rows() for label in experiment.contenders}, task)
        ax.set_title(f"{name}, seed {seed}")
    figure.savefig(path, dpi=120)


def ends(path, name, experiment, runs):
    """Every contender's test losses as shares of the baseline, the best contender at the top."""
    results = {key: read_json(folder / "result.json")["test_loss_over_baseline"] for key, folder in runs.items()}
    losses = {label: [r for (other, _), r in results.items() if other == label] for label in experiment.contenders}
    order = sorted(losses, key=lambda label: min((r for r in losses[label] if r is not None), default=math.inf))
    figure, ax = new_figure(1, 1, size=(7.5, 1.2 + 0.24 * len(order)))
    for place, label in enumerate(order):
        known = [r for r in losses[label] if r is not None]
        ax.plot(known, [place] * len(known), "o", mfc="none", color="black")
        if len(known) < len(losses[label]):
            ax.annotate("diverged", (1, place), xycoords=("axes fraction", "data"), ha="right", va="center")
    ax.axvline(1, color="black", lw=0.8, ls="--", label="baseline")
    ax.axvline(experiment.solved, color="black", lw=0.8, ls=":", label="solved")
    ax.set(xscale="log", xlabel="test loss / baseline", title=name, yticks=range(len(order)), yticklabels=order)
    ax.invert_yaxis()
    ax.grid(axis="y", lw=0.3)
    ax.legend(loc="lower left", fontsize=8)
    figure.savefig(path, dpi=120)
