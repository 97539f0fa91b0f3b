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
from tinyrnn.training.plots import STYLES, capital, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

TRACED = 3  # units whose activations are drawn
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
    seeds: Annotated[int, "networks that are trained, from seed on; all but the first are counted, not drawn"] = 1,
):
    """States over a sequence of the adding task, and how they move before, between and after its marks; a `Result`."""
    if steps < 8:
        raise ValueError(
            f"activations: a sequence needs at least 8 steps, to have parts before and after marks, got {steps}"
        )
    if seeds < 1:
        raise ValueError(f"activations: seeds must be at least 1, got {seeds}")
    marks = steps // 4, int(0.62 * steps)
    values = as_rng(seed).random(steps)
    values[list(marks)] = 0.9, 0.8  # not too small to be seen
    if networks:
        found = [network(what, input_size=2, hidden_size=hidden, rng=seed) for what in networks]
    else:
        found = [train_one(steps, hidden, updates, seed)]
    others = [train_one(steps, hidden, updates, seed + k) for k in range(1, 1 if networks else seeds)]
    seen = {each.label: read(each, values, marks) for each in found}
    moves = {name: activity(each.h, marks) for name, each in seen.items()}
    target = float(values[list(marks)].sum())
    every = [*moves.values()] + [activity(read(each, values, marks).h, marks) for each in others]

    figure = draw(seen, moves, every if others else [], marks, values, target)
    numbers = {"T": steps, "marks": [mark + 1 for mark in marks], "target": target}
    numbers["change of a unit per step"] = {name: dict(zip(PARTS, each, strict=True)) for name, each in moves.items()}
    numbers["of every network"] = every
    numbers["answer"] = {name: each.answer for name, each in seen.items()}
    tables = {
        name: {"t": range(1, steps + 1), **{f"unit {k + 1}": column for k, column in enumerate(each.h.T)}}
        for name, each in seen.items()
    }
    lines = [in_words(name, seen[name], moves[name], target) for name in seen]
    return Result(figure, numbers, tables, (*lines, *([counted(every)] if others else [])))


def counted(every):
    """In how many of several networks the units move more after one mark, and more again after the other."""
    first, second = (sum(moves[k + 1] > moves[k] for moves in every) for k in (0, 1))
    so = f"{first} change more after the first mark than before, {second} more again after the second"
    return f"of {len(every)} networks {so}"


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


def draw(seen, moves, every, marks, values, target):
    """A column for each network: the most restless units, how much each unit changes, and how much all do; below, each
    part in all networks."""
    rows = 4 if every else 3
    figure, panels = new_figure(rows, len(seen), (max(8, 5 * len(seen)), 3 * rows))
    panels = np.reshape(panels, (rows, -1))
    for (name, each), column in zip(seen.items(), panels[:3].T, strict=True):
        answer = "" if each.answer is None else f": answers {each.answer:.2f}, right is {target:.2f}"
        column[0].set_title(f"{name}{answer}", pad=18)
        changes = np.abs(np.diff(each.h, axis=0))
        order = np.argsort(-(changes**2).mean(axis=0), kind="stable")
        draw_traces(column[0], each.h[:, order[:TRACED]], order)
        draw_units(column[1], changes[:, order])
        draw_changes(column[2], each.h, moves[name], marks)
        for mark in marks:
            for axes in column:
                axes.axvline(mark + 1, color="#d55e00", linestyle="--", linewidth=1.5)
            place = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center", "fontsize": "small"}
            column[0].annotate(f"mark: {values[mark]:.1f}", (mark + 1, 1), **place, color="#d55e00",
                               xycoords=("data", "axes fraction"))  # fmt: skip
    if every:
        draw_parts(panels[3, 0], every)
    return figure


def draw_traces(axes, h, order):
    """A few units over time."""
    for k, (unit, (colour, line)) in enumerate(zip(h.T, STYLES, strict=False)):
        axes.plot(np.arange(1, len(h) + 1), unit, color=colour, linestyle=line, linewidth=1, label=f"{order[k] + 1}")
    axes.set(ylabel="activation", xlim=(0.5, len(h) + 0.5))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.3 * (high - low))  # for the legend
    axes.legend(title="unit", loc="upper right", ncols=TRACED, fontsize="x-small", title_fontsize="x-small")
    axes.grid(alpha=0.25)


def draw_units(axes, changes):
    """The change of every unit from step to step, in the order that they are given in."""
    steps, n = changes.shape
    image = axes.imshow(
        changes.T, aspect="auto", cmap="cividis", vmin=0, vmax=np.percentile(changes, 99) or 1.0,  # a few stand out
        extent=(1.5, steps + 1.5, n + 0.5, 0.5), interpolation="nearest",
    )  # fmt: skip
    axes.figure.colorbar(image, ax=axes, label="change", pad=0.01)
    axes.set(ylabel="units, the most restless first", xlim=(0.5, steps + 1.5))


def draw_changes(axes, h, levels, marks):
    """The change of all units from step to step, and its root mean square in each part, named above it."""
    restless, steps = np.sqrt((np.diff(h, axis=0) ** 2).mean(axis=1)), len(h)
    axes.plot(np.arange(2, steps + 1), restless, color=STYLES[0][0], linewidth=1.5)
    axes.set(xlabel="time step t", ylabel="change of all units, rms", xlim=(0.5, steps + 0.5))
    axes.set_ylim(0, 1.3 * restless.max())
    for (first, last), level in zip(pairwise([0, *marks, steps - 1]), levels, strict=True):
        axes.plot([first + 1.5, last + 0.5], [level, level], color="black", linewidth=2.5)
        axes.text((first + last) / 2 + 1, 1.18 * restless.max(), f"rms {level:.3f}", ha="center", fontsize="small")
    axes.grid(alpha=0.25)


def draw_parts(axes, every):
    """How much the units of each of several networks change in each part, a line for each; the first is black."""
    for k, levels in enumerate(every):
        style = {"color": "black", "linewidth": 2.0} if not k else {"color": STYLES[0][0], "alpha": 0.7}
        label = {0: "drawn above", 1: "other seeds"}.get(k)
        axes.plot(range(len(PARTS)), levels, marker="o", markersize=4, label=label, **style)
    axes.set(xticks=range(len(PARTS)), xticklabels=PARTS, ylabel="change from step to step, rms", xlim=(-0.3, 2.3))
    axes.set_ylim(bottom=0)
    axes.set_title(capital(counted(every)), fontsize="small")
    axes.legend(fontsize="small")
    axes.grid(alpha=0.25)


ANALYSIS = Analysis(
    title="a network's units over time while it reads one sequence of the adding task",
    source="Henaff, Szlam & LeCun 2016, section 4.3 and figure 5",
    run=run,
    look="quieter before the first mark (dashed) than after it, and in most networks most restless after the second "
    "(--seeds 7 counts): the sum is in how far the units swing, which is what pools measure.",
    errata=(
        "Figure 5 is cited for two figures: the learning curves of the variable copy task (figure 4), and these "
        "activations.",
        "Sizes, lengths, rates and the penalty's strength are ours.",
    ),
)
