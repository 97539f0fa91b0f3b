"""The state of a network over time while it reads one sequence of the adding task: what happens at the marks."""

from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np

from tinyrnn.analysis.pooling import activity
from tinyrnn.core.backend import as_rng, to_numpy
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.tasks import Adding
from tinyrnn.training.networks import HELP, Network, network
from tinyrnn.training.plots import STYLES, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

PARTS = ("before the first mark", "between the marks", "after the second mark")


class Recalled(NamedTuple):
    """What a network made of the sequence: h (T, n), and its answer, or None where it has none."""

    h: np.ndarray
    answer: float | None


def run(
    networks: Annotated[
        tuple[str, ...], f"networks that read two numbers a step; none: one is trained. Each {HELP}"
    ] = (),
    steps: Annotated[int, "time steps T of the sequence"] = 50,
    hidden: Annotated[int, "units of fresh cells, and of the one that is trained"] = 64,
    updates: Annotated[int, "for how long it is trained"] = 3000,
    seed: Annotated[int, "of the networks and the sequence"] = 0,
):
    """States over a sequence of the adding task, and how they move before, between and after its marks; a `Result`."""
    if steps < 8:
        raise ValueError(
            f"activations: a sequence needs at least 8 steps, to have parts before and after marks, got {steps}"
        )
    marks = steps // 4, int(0.62 * steps)
    values = as_rng(seed).random(steps)
    values[list(marks)] = 0.9, 0.8  # not too small to be seen
    if networks:
        found = [network(what, input_size=2, hidden_size=hidden, rng=seed) for what in networks]
    else:
        found = [train_one(steps, hidden, updates, seed)]
    seen = {each.label: read(each, values, marks) for each in found}
    moves = {name: activity(each.h, marks) for name, each in seen.items()}
    target = float(values[list(marks)].sum())

    figure = draw(seen, moves, marks, steps, target)
    numbers = {"T": steps, "marks": [mark + 1 for mark in marks], "target": target}
    numbers["change of a unit per step"] = {name: dict(zip(PARTS, each, strict=True)) for name, each in moves.items()}
    numbers["answer"] = {name: each.answer for name, each in seen.items()}
    tables = {
        name: {"t": range(1, steps + 1), **{f"unit {k + 1}": column for k, column in enumerate(each.h.T)}}
        for name, each in seen.items()
    }
    return Result(figure, numbers, tables, tuple(in_words(name, seen[name], moves[name], target) for name in seen))


def in_words(name, seen, moves, target):
    """One network: root mean square change of a unit per step in each part, its answer and the right one."""
    change = ", ".join(f"{part} {value:.3f}" for part, value in zip(PARTS, moves, strict=True))
    answer = "" if seen.answer is None else f"; answer {seen.answer:.3f}, right is {target:.3f}"
    return f"{name}: change of a unit from step to step (root mean square): {change}{answer}"


def train_one(steps, hidden, updates, seed):
    """A `Network`: LT-ORNN with ReLU on the input and pools of two, kept near orthogonal as in section 4.3."""
    settings = Settings(
        task="adding",
        task_options={"steps": steps},
        cell="lt-ornn-relu",
        hidden=hidden,
        pool=2,
        updates=updates,
        batch=50,
        seed=seed,
        lr=2e-3,
        schedule="cosine",
        clip_norm=1.0,
        regularisers={"random-points": 10.0},
        threads=1,
    )
    trainer = Trainer(settings, None)
    with matrix_threads(1):
        for _ in Bar(range(updates), desc="lt-ornn-relu with pools learns to add", unit="update"):
            trainer.update()
    return Network("LT-ORNN with pools", trainer.model.layers, trainer.model, trainer.task)


def read(found, values, marks):
    """Let the network read the sequence; a `Recalled`."""
    if found.layers.input_size != 2:
        raise ValueError(f"{found.label} reads {found.layers.input_size} features a step; a sequence to be added has 2")
    channels = [values, np.isin(np.arange(len(values)), marks)]
    if isinstance(found.task, Adding) and found.task.channels == "mark-value":
        channels.reverse()
    x = np.stack(channels, axis=-1)[:, None].astype(found.layers.dtype)
    h, _ = found.layers.forward(x)
    answer = None
    if found.model is not None and found.model.at == "last" and found.model.readout.output_size == 1:
        answer = float(found.model.forward(x)[0][0, 0])
    return Recalled(to_numpy(h)[:, 0].astype(float), answer)


def draw(seen, moves, marks, steps, target):
    """A column for each network: above all units as an image, below how much they change, and in each part."""
    figure, rows = new_figure(2, len(seen), (max(8, 5 * len(seen)), 7))
    t = np.arange(1, steps + 1)
    for (name, each), (top, bottom) in zip(seen.items(), np.reshape(rows, (2, -1)).T, strict=True):
        changes = np.diff(each.h, axis=0)
        order = np.argsort(-changes.std(axis=0), kind="stable")  # those that turn most on top
        n, limit = each.h.shape[1], np.abs(each.h).max() or 1.0
        image = top.imshow(
            each.h.T[order], aspect="auto", cmap="PuOr_r", vmin=-limit, vmax=limit,
            extent=(0.5, steps + 0.5, n + 0.5, 0.5), interpolation="nearest",
        )  # fmt: skip
        figure.colorbar(image, ax=top, label="activation", pad=0.01)
        answer = "" if each.answer is None else f": answers {each.answer:.2f}, right is {target:.2f}"
        top.set(ylabel="units, the most restless first", title=f"{name}{answer}")
        restless = np.sqrt((changes**2).mean(axis=1))
        bottom.plot(t[1:], restless, color=STYLES[0][0], linewidth=1.5, label="change of all units from step to step")
        ends = [0, *marks, steps - 1]
        for (first, last), level in zip(pairwise(ends), moves[name], strict=True):
            bottom.plot([first + 1.5, last + 0.5], [level, level], color="black", linewidth=2.5)
            bottom.annotate(
                f"{level:.3f}", ((first + last) / 2 + 1, level), (0, 5), textcoords="offset points", ha="center"
            )
        bottom.plot([], [], color="black", linewidth=2.5, label="in each part")
        bottom.set(xlabel="time step t", ylabel="root mean square", xlim=(0.5, steps + 0.5))
        bottom.set_ylim(0, 1.35 * restless.max())
        bottom.legend(ncols=2, fontsize="small", loc="upper left")
        for mark in marks:
            top.axvline(mark + 0.5, color="#d55e00", linestyle="--", linewidth=1.5)
            bottom.axvline(mark + 0.5, color="#d55e00", linestyle="--", linewidth=1.5)
    return figure


ANALYSIS = Analysis(
    title="a network's units over time while it reads one sequence of the adding task",
    source="Henaff, Szlam & LeCun 2016, section 4.3 and figure 5",
    run=run,
    look="quieter before the first mark (dashed) than after it, and in five of seven trained networks (seeds 0 to 6) "
    "most restless after the second: the sum is in how far the units swing, which is what pools measure.",
    errata=(
        "Figure 5 is cited for two figures: the learning curves of the variable copy task (figure 4), and these "
        "activations.",
        "Sizes, lengths, rates and the penalty's strength are ours.",
    ),
)
