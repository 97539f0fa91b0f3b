"""The loss on the straight line from a network's first weights to its last."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.snapshots import PAPER, UNCLIPPED
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer


def run(
    cells: Annotated[tuple[str, ...], "to be trained"] = ("urnn", "lt-ornn", "irnn"),
    delay: Annotated[int, "T of the copy task"] = 20,
    length: Annotated[int, "S, the symbols to remember"] = 5,
    hidden: Annotated[int, "units"] = 40,
    updates: Annotated[int, "of the training"] = 500,
    points: Annotated[int, "on the line"] = 41,
    beyond: Annotated[float, "how far the line goes on at both ends, in lengths of the way"] = 0.25,
    seed: Annotated[int, "of weights and data"] = 0,
):
    """Loss at (1 - a) p_0 + a p_1 for every cell, p_0 its weights before and p_1 after training; a `Result`."""
    if points < 3 or updates < 1 or beyond < 0 or not cells:
        raise ValueError("points must be at least 3, updates 1, beyond 0, and there must be a cell")
    line = np.linspace(-beyond, 1 + beyond, points)
    settings = Settings(
        task="copy", task_options={"delay": delay, "length": length}, hidden=hidden, updates=updates, seed=seed,
        threads=1, **PAPER,
    )  # fmt: skip
    curves, ways = {}, {}
    with matrix_threads(1):
        for cell in Bar(cells, desc="training", unit="cell", leave=False):
            clip = 0.0 if cell in UNCLIPPED else 1.0
            curves[cell], ways[cell] = along(replace(settings, cell=cell, clip_value=clip), line)
    inside = (line >= 0) & (line <= 1)
    rises = {cell: float(np.diff(losses[inside]).clip(0).sum()) for cell, losses in curves.items()}
    baseline = Trainer(settings, folder=None).task.baseline
    numbers = {
        "baseline": baseline,
        "length of the way": ways,
        "sum of all rises on the way": rises,
        "loss at the end": {cell: float(losses[np.argmin(abs(line - 1))]) for cell, losses in curves.items()},
    }
    lines = [
        f"{cell}: the loss at the end is {numbers['loss at the end'][cell] / baseline:.1%} of the baseline; on the way "
        f"to it, {ways[cell]:.3g} long, it rises by {rise / baseline:.2g} baselines in all"
        for cell, rise in rises.items()
    ]
    return Result(draw(line, curves, baseline), numbers, {"loss": {"a": line, **curves}}, tuple(lines))


def along(settings, line):
    """(losses, way): the test loss at each place on the line, and the distance from the first weights to the last."""
    trainer = Trainer(settings, folder=None)
    params = trainer.model.params
    first = {name: value.copy() for name, value in params.items()}
    for _ in range(settings.updates):
        trainer.update()
    last = {name: value.copy() for name, value in params.items()}
    batches = list(trainer.task.test_batches(250, settings.dtype))[:1]
    losses = []
    for a in line:
        for name, value in params.items():
            value[...] = (1 - a) * first[name] + a * last[name]
        losses.append(evaluate(trainer.model, trainer.task, batches)["test_loss"])
    way = np.sqrt(sum(float(((last[name] - first[name]) ** 2).sum()) for name in first))
    return np.array(losses), float(way)


def draw(line, curves, baseline):
    """Loss against the place on the line."""
    figure, axes = new_figure(size=(8, 5))
    for (cell, losses), (colour, style) in zip(curves.items(), STYLES, strict=False):
        axes.plot(line, losses, color=colour, linestyle=style, label=cell)
    axes.axhline(baseline, color="black", linewidth=1, linestyle=(0, (2, 2)), label=f"no memory ({baseline:.3g})")
    for place in (0, 1):
        axes.axvline(place, color="black", linewidth=0.6)
    axes.set(xlabel="a: 0 before training, 1 after it", ylabel="test loss (nats per step)", yscale="log")
    axes.set_title("The loss on the straight line between first and last weights")
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")
    return figure


ANALYSIS = Analysis(
    title="the loss between a network's first weights and its last",
    source="Arjovsky, Shah & Bengio 2015, 'Optimization experiments' (announced, not there); Goodfellow, Vinyals & "
    "Saxe 2015",
    run=run,
    look="whether the line goes down all the way, as Goodfellow and others found for feedforward networks, or over a "
    "hill, so that training has gone round it; and how narrow the valley is at a = 1.",
    errata=("The draft has a heading for such experiments and nothing under it; task, cells and sizes are ours.",),
)
