"""A plain tanh network on the adding task: steps of Newton's kind against gradient descent, by work done."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.optim.hessian_free import HessianFree
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer

BASELINE = 1 / 6
TESTED = 500  # sequences that are never trained on


def run(
    steps: Annotated[int, "T of the adding task"] = 30,
    units: Annotated[int, "of the tanh network"] = 20,
    newton: Annotated[int, "Hessian-free steps"] = 24,
    batch: Annotated[int, "sequences a Hessian-free step"] = 200,
    damping: Annotated[float, "λ to begin with"] = 0.1,
    iterations: Annotated[int, "of conjugate gradients a step, at most"] = 40,
    rates: Annotated[tuple[float, ...], "of Adam, which has batches of 50 and does the same work"] = (1e-3, 1e-2),
    seed: Annotated[int, "of weights and data"] = 0,
):
    """The loss on unseen sequences against sequences passed forwards and back, of both; a `Result`."""
    if min(steps - 1, units, newton, batch, iterations) < 1:
        raise ValueError("steps must be at least 2, units, newton, batch and iterations at least 1")
    task = {"task": "adding", "task_options": {"steps": steps}, "cell": "elman", "hidden": units, "seed": seed}
    settings = Settings(**task, dtype="float64", compiled=False, init="orthogonal")
    with matrix_threads(1):
        curves = {"Hessian-free": of_newton(settings, newton, batch, damping, iterations)}
        work = curves["Hessian-free"][0][-1]
        for rate in rates:
            adam = replace(settings, dtype="float32", compiled=True, lr=rate, batch=50, clip_norm=1.0)
            curves[f"Adam, rate {rate:g}"] = of_adam(adam, work)
    ends = {label: float(losses[-1]) for label, (_, losses) in curves.items()}
    lines = [f"{label}: {loss:.3g} = {loss / BASELINE:.1%} of the baseline" for label, loss in ends.items()]
    lines.append(f"after {work:.3g} sequences forwards and back; {newton} Hessian-free steps")
    tables = {label: {"sequences": work, "loss": losses} for label, (work, losses) in curves.items()}
    return Result(draw(curves, steps), {"baseline": BASELINE, "test losses": ends}, tables, tuple(lines))


def tested(model, task, settings):
    """The loss on sequences that no training batch has."""
    batches = [task.batch(settings.seed + 10_000, 0, TESTED, settings.dtype)]
    return evaluate(model, task, batches)["test_loss"]


def of_newton(settings, count, batch, damping, iterations):
    """(sequences, losses): a product with G counts as one pass forwards and back, as a gradient does."""
    task, model = build(settings)
    hf, work, losses = HessianFree(model, damping, iterations), [0], [tested(model, task, settings)]
    for step in Bar(range(count), desc="Hessian-free", unit="step", leave=False):
        x, target, mask = task.batch(settings.seed, step, batch, settings.dtype)
        done = hf.step(x, target, mask)
        work.append(work[-1] + (2 + done.iterations) * batch)
        losses.append(tested(model, task, settings))
    return np.array(work), np.array(losses)


def of_adam(settings, work):
    """(sequences, losses) of as much work, tested sixty times."""
    updates = max(1, work // settings.batch)
    trainer = Trainer(replace(settings, updates=updates), folder=None)
    at, losses = [0], [tested(trainer.model, trainer.task, settings)]
    for update in Bar(range(1, updates + 1), desc=f"Adam {settings.lr:g}", unit="update", leave=False):
        trainer.update()
        if update == updates or update % max(1, updates // 60) == 0:
            at.append(update * settings.batch)
            losses.append(tested(trainer.model, trainer.task, settings))
    return np.array(at), np.array(losses)


def draw(curves, steps):
    """Loss against work."""
    figure, axes = new_figure(size=(8.5, 5))
    for (label, (work, losses)), (colour, line) in zip(curves.items(), STYLES, strict=False):
        axes.plot(np.array(work) / 1e3, losses, color=colour, linestyle=line, label=label)
    axes.axhline(BASELINE, color="black", linewidth=1, linestyle=(0, (2, 2)), label="no memory (0.167)")
    axes.set(xlabel="thousands of sequences, each passed forwards and back", ylabel="squared error", yscale="log")
    axes.set_title(f"A tanh network on the adding task, T = {steps}")
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")
    return figure


ANALYSIS = Analysis(
    title="Hessian-free optimisation of a plain tanh network on the adding task",
    source="Henaff, Szlam & LeCun 2016, section 1 (named there); Martens & Sutskever 2011, section 5",
    run=run,
    look="each point is a Newton step of many products with the Gauss-Newton matrix, which are work as a gradient is: "
    "fewer steps, and whether less work, the picture says.",
    errata=(
        "Their networks have 100 units, learn for days and are also damped in the states (structural damping); here "
        "there is Levenberg and Marquardt's damping alone.",
    ),
)
