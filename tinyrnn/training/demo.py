"""`tinyrnn demo`: the whole idea in two minutes, with no data files.

Trains a linear-transition RNN and an LSTM, whose hand-written gradients it has checked, on the copy task side by side,
draws both learning curves and how far back in time the gradient of the recall reaches, and checks every other cell's.
"""

from pathlib import Path

import numpy as np

from tinyrnn.analysis.flow import gradient_norms
from tinyrnn.cells import CELLS
from tinyrnn.checking.gradcheck import gradcheck
from tinyrnn.core.files import write_atomically
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

CONTENDERS = ("lt-ornn", "lstm")
LOG_EVERY = 5


def demo(out, updates=1200, delay=100, progress=True):
    """Run the demo; the picture goes to `out`/demo.png. Returns the exit status: 1 if a gradient check failed."""
    trainers = {cell: contender(cell, updates, delay) for cell in CONTENDERS}
    print("Hand-written gradients against numerical ones (largest relative error):")
    ok = check_cells(CONTENDERS, progress)
    task = trainers[CONTENDERS[0]].task
    print(f"\nCopy task: {task.length} symbols over {task.delay} steps; {task.baseline_name}: {task.baseline:.4f}")
    before = {cell: gradient_over_time(trainer) for cell, trainer in trainers.items()}
    with matrix_threads(1):
        curves = race(trainers, progress)
    after = {cell: gradient_over_time(trainer) for cell, trainer in trainers.items()}
    for cell, trainer in trainers.items():
        loss = trainer.test()["test_loss"]
        print(f"{cell:8s} test loss {loss:.4f} = {loss / task.baseline:6.1%} of the baseline after {updates} updates")

    path = Path(out) / "demo.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda temporary: draw(temporary, task, curves, before, after))
    print(f"picture: {path}\n\nThe other cells' gradients:")
    ok = check_cells([name for name in CELLS if name not in CONTENDERS], progress) and ok
    return 0 if ok else 1


def contender(cell, updates, delay):
    """The `Trainer` of one of the networks that race, which writes no files."""
    settings = Settings(
        task="copy",
        task_options={"delay": delay},
        cell=cell,
        updates=updates,
        lr=2e-3,
        schedule="cosine",
        clip_norm=1.0,
    )
    return Trainer(settings, folder=None)


def check_cells(names, progress):
    """Prints the largest error of these cells' gradients; whether all are right."""
    ok = True
    for name in Bar(names, desc="gradient checks", disable=not progress, leave=False):
        cell_class, options = CELLS[name]
        report = gradcheck(cell_class(2, 3, rng=0, **options), rng=0)  # as telling as a larger one, and quick
        ok = ok and report.ok
        Bar.write(f"  {name:20s} {'ok ' if report.ok else 'BAD'}  {report.worst:.0e}")
    return ok


def race(trainers, progress):
    """Train all in turn, one update each; returns each one's log rows."""
    rows = {cell: [] for cell in trainers}
    bars = {
        cell: Bar(
            total=t.settings.updates,
            desc=f"{cell:8s}",
            position=k,
            unit="update",
            disable=not progress,
            mininterval=0.3,
        )
        for k, (cell, t) in enumerate(trainers.items())
    }
    try:
        for _ in range(next(iter(trainers.values())).settings.updates):
            for cell, trainer in trainers.items():
                loss, norm, _ = trainer.update()
                if trainer.step % LOG_EVERY == 0:
                    rows[cell].append({"step": trainer.step, "loss": loss, "grad_norm": norm})
                share = loss / trainer.task.baseline
                bars[cell].set_postfix_str(f"loss {loss:.4f} = {share:4.0%} of baseline", refresh=False)
                bars[cell].update()
    finally:
        for bar in bars.values():
            bar.close()
    return rows


def gradient_over_time(trainer):
    """||dL/dh_t|| for every step t, L being the loss of the recall alone: how much of it each moment hears of."""
    task, s = trainer.task, trainer.settings
    batch = task.batch(s.seed, 0, s.batch, s.dtype)
    return gradient_norms(trainer.model, batch, recall_of(task, batch.target))["h"].mean(axis=1)


def recall_of(task, target):
    """(T, B) booleans, True on the steps on which a copy task's symbols are due."""
    recall = np.zeros(target.shape, bool)
    recall[-task.length :] = True
    return recall


def draw(path, task, curves, before, after):
    """Writes the picture: learning curves, and how far back the gradient reached before and after."""
    from tinyrnn.training.plots import STYLES, draw_curves, new_figure  # matplotlib takes as long to load as all else

    figure, (left, right) = new_figure(1, 2, size=(11, 4.6))
    draw_curves(left, curves, task)
    left.set_title(f"Copy task, delay {task.delay}: learning")
    steps = np.arange(1, task.steps + 1)
    for cell, (colour, line) in zip(after, STYLES, strict=False):
        right.plot(steps, before[cell], color=colour, linestyle=line, label=f"{cell}, before training")
        right.plot(
            steps, after[cell], color=colour, linestyle=line, linewidth=0.8, alpha=0.6, label=f"{cell}, after it"
        )
    right.axvspan(task.steps - task.length + 1, task.steps, color="black", alpha=0.08, label="recall")
    right.axvspan(1, task.length, color="black", alpha=0.04, label="symbols shown")
    right.set(yscale="log", xlabel="time step t", ylabel="norm of the gradient at $h_t$")
    # what the networks start from is why one learns: what is learnt already sends back no gradient
    right.set_title("How far back the gradient of the recall reaches at first")
    right.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, frameon=False, fontsize=8
    )  # below the curves
    right.grid(alpha=0.25)
    figure.savefig(path, dpi=130)
