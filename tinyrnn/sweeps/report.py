"""The report of a sweep: its table in Markdown, and its picture."""

import itertools
import math
import statistics
import textwrap
from pathlib import Path
from typing import Any

from tinyrnn.nn.losses import find_loss
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import RUNAWAY, Chosen, curve, is_solved
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure
from tinyrnn.training.settings import Settings, build

CURVES = 8  # more in one panel cannot be told apart
WIDE = 42  # letters of a line of the legend
MARKS, DOTS = "*PXDv", (3, 1.5, 6, 9, 12)  # of what a document has: its points, and the gaps in its lines
DEPTH = 100  # of a log axis, from the baseline down: what is lower is drawn at the floor
SCORES = {"test_accuracy": "accuracy", "test_exact": "sentences exact", "test_bleu": "BLEU"}


def table(sweep: Sweep, chosen: dict[str, Chosen]) -> str:
    """Markdown: what each contender's chosen runs ended with, seed by seed, how many solved the task, and when."""
    shares = sweep.solved is not None
    scores = [name for name in SCORES if any(line[name] is not None for c in chosen.values() for line in c.rows)]
    columns: dict[str, Any] = {"contender": lambda c: c.contender}
    if sweep.chooses:
        columns["chosen"] = lambda c: ", ".join(f"{name} {value}" for name, value in c.values.items()) or "-"
    columns["parameters"] = lambda c: str(c.rows[0]["parameters"])
    columns["test loss, seed by seed"] = lambda c: ", ".join(outcome(sweep, line) for line in c.rows)
    if shares:
        columns["solved"] = lambda c: f"{sum(is_solved(sweep, line) for line in c.rows)}/{len(c.rows)}"
        if sweep.chooses:
            columns["of all runs"] = lambda c: f"{c.solved}/{len(c.every)}"
        columns["after"] = lambda c: ", ".join(when(line) for line in c.rows)
    else:
        columns["mean ± s.e."] = lambda c: mean_and_error(c.losses())
    for name in scores:
        columns[SCORES[name]] = lambda c, name=name: ", ".join(per_cent(line[name]) for line in c.rows)
    columns["s/run"] = lambda c: f"{sum(line['seconds'] for line in c.rows) / len(c.rows):.0f}"
    columns["settings"] = lambda c: in_short(sweep.settings(c.contender, 0, c.values))
    if sweep.notes:
        columns["from"] = lambda c: sweep.notes.get(c.contender, "")
    left = {"contender", "chosen", "settings", "from"}
    lines = [[*columns], ["---" if name in left else "---:" for name in columns]]
    lines += [[write(c) for write in columns.values()] for c in chosen.values()]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", footnote(sweep)])


def footnote(sweep: Sweep) -> str:
    """What the numbers of the table are."""
    task = build(sweep.settings(next(iter(sweep.contenders)), 0))[0]
    if sweep.solved is None:
        text = f"Test loss ({task.baseline_name}: {task.baseline:.4f})"
        text += f"; {task.note}." if task.note else "."
    else:
        every = sweep.shared.get("test_every")
        text = (
            f"Test loss at the end as a share of the memoryless baseline; solved: below {sweep.solved:.0%}. After how "
            "many updates for good, or (n) at first" + (f"; tested every {every}." if every else ".")
        )
    if sweep.chooses:
        rule = f"least mean {sweep.by.replace('_', ' ')} over the seeds"
        if sweep.by == "largest rate":
            rule = f"largest rate of which no run ended beyond {RUNAWAY:g} times the baseline"
        text += f" Chosen: the {rule}"
        text += f", of {sweep.part:.0%} of the grid, drawn by lot." if sweep.part < 1 else "."
    return text


def outcome(sweep: Sweep, line: dict[str, Any]) -> str:
    """A run's test loss; of a readout that was fitted to classes by squared error, what counts is the accuracy."""
    readout = {**sweep.shared, **sweep.contenders[line["contender"]]}.get("readout")
    if readout == "ridge" and line["test_accuracy"] is not None:
        return f"accuracy {line['test_accuracy']:.1%}"
    if sweep.solved is not None:
        return per_cent(line["test_loss_over_baseline"])
    return "diverged" if line["test_loss"] is None else f"{line['test_loss']:.4f}"


def per_cent(share: float | None) -> str:
    """A share in words."""
    return "diverged" if share is None else f"{share:.1%}"


def when(line: dict[str, Any]) -> str:
    """The update after which a run had solved the task; in brackets, if it lost it again."""
    return str(line["solved_after"] or (f"({line['solved_first']})" if line["solved_first"] else "-"))


def mean_and_error(values: list[float]) -> str:
    """The mean and its standard error, as text."""
    if len(values) < 2:
        return f"{values[0]:.4f}" if values else "-"
    return f"{statistics.mean(values):.4f} ± {statistics.stdev(values) / math.sqrt(len(values)):.4f}"


def in_short(settings: Settings) -> str:
    """The settings that tell contenders from each other, in a few words."""
    s = settings
    options = {**({"init": s.init} if s.init else {}), **s.init_options, **s.cell_options, **s.optimiser_options}
    extra = "".join(f", {name} {value}" for name, value in options.items())
    clip = f"clip {s.clip_norm:g}" if s.clip_norm else f"clip ±{s.clip_value:g}" if s.clip_value else "no clipping"
    rate = f"{s.optimiser} {s.lr:g} {s.schedule}"
    how = f"readout in closed form, ridge {s.ridge:g}" if s.readout == "ridge" else f"{rate}, {clip}"
    return f"{s.cell} {s.hidden}{extra}, {how}, {s.updates} x {s.batch}"


# the picture ----------------------------------------------------------------------------------------------------------


def picture(path: Path, title: str, sweep: Sweep, chosen: dict[str, Chosen], folder: Path, published=()) -> None:
    """Mean losses of the chosen runs against updates, with bands of a standard error; of many contenders, their ends.

    published: what a document has, each (words, loss), a line; (words, loss, updates), a star where that is in the
    picture; or (words,) alone. Or contender -> test accuracy, stars beside those of the runs.
    """
    draw = scores if isinstance(published, dict) else ends if len(chosen) > CURVES else curves
    figure = draw(title, sweep, chosen, folder, published)
    figure.savefig(path, dpi=120)


def curves(title, sweep, chosen, folder, published):
    """A figure of learning curves, means over the seeds; where no loss counts as solved, also of each run's test loss,
    for there all contenders learn, and what tells them apart is less than the curves can show."""
    task = build(sweep.settings(next(iter(sweep.contenders)), 0))[0]
    loss = find_loss(task.loss)
    _, unit, unit_of = task.measures[0] if task.measures else (None, loss.unit_at(task.readout), float)
    figure, axes = new_figure(1, 1 if (alone := sweep.solved is not None) else 2, (8 if alone else 11, 5))
    ax = axes if alone else axes[0]
    # a loss of 0, or nearly, would squeeze all others into a line at the top
    floor = -math.inf if loss.signed else floor_of(unit_of(task.baseline))
    least = math.inf
    for c, (colour, line) in zip(chosen.values(), itertools.cycle(STYLES), strict=False):
        steps, mean, error = curve(c, folder)
        values = ", ".join(f"{name.rpartition('.')[2]} {value}" for name, value in c.values.items())
        label = f"{c.contender} ({values})" if values else c.contender
        lost = len(c.rows) - len(c.losses())  # the mean ends where one does
        label += f": {lost} of {len(c.rows)} diverged" if lost else ""
        low, middle, high = ([unit_of(value) for value in edge] for edge in (mean - error, mean, mean + error))
        least = min([least, *middle])
        low, middle, high = ([max(value, floor) for value in edge] for edge in (low, middle, high))
        ax.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(steps, middle, color=colour, linestyle=line, marker="o", ms=3, label=label)
    words = f"{task.baseline_name} ({unit_of(task.baseline):.3g})"
    ax.axhline(unit_of(task.baseline), color="black", linewidth=1, linestyle=(0, (2, 2)), label=words)
    for k, (text, *where) in enumerate(published):
        draw_published(ax, textwrap.fill(f"published: {text}", WIDE), *where, floor=floor, kind=k % len(MARKS))
        least = min([least, *where[:1]])
    seeds = max(len(c.rows) for c in chosen.values())
    of = f"mean of {seeds} seeds ± s.e." if seeds > 1 else "one seed"
    ax.set(xlabel="updates", ylabel=f"loss ({unit})\n{of}")
    if alone:
        ax.set_title(title)
    else:
        figure.suptitle(title)
        ax.set_title("Loss while training", fontsize="medium")
        draw_ends(axes[1], chosen, unit, unit_of)
    if not loss.signed:
        ax.set(yscale="log")
        ax.yaxis.set_major_formatter(PlainLogFormatter())
        ax.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    if least < floor:
        ax.set_ylim(bottom=floor / 1.2)
        ax.yaxis.set_major_formatter(Floored(floor))
    ax.set_xlim(left=0)
    ax.grid(alpha=0.25)
    if alone:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False, fontsize="small")
    else:
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure


def draw_ends(ax, chosen, unit, unit_of):
    """Each run's test loss, a row for each contender."""
    for place, (c, (colour, _)) in enumerate(zip(chosen.values(), itertools.cycle(STYLES), strict=False)):
        found = [unit_of(loss) for loss in c.losses()]
        ax.plot(found, [place] * len(found), "o", mfc="none", color=colour)
        if len(found) < len(c.rows):
            ax.annotate("diverged", (1, place), xycoords=("axes fraction", "data"), ha="right", va="bottom")
    ax.set(xlabel=f"test loss ({unit}), a run each", yticks=range(len(chosen)), yticklabels=chosen)
    ax.set_ylim(len(chosen) - 0.5, -0.5)
    ax.set_title("What it ends with", fontsize="medium")
    ax.grid(alpha=0.25)


class Floored(PlainLogFormatter):
    """Says at the floor of a log axis that it stands for all that is below."""

    def __init__(self, floor):
        super().__init__()
        self.floor = floor

    def __call__(self, x, pos=None):
        return f"below {x:g}" if math.isclose(x, self.floor) else super().__call__(x, pos)


def floor_of(baseline):
    """The power of ten at `DEPTH` below the baseline, or the next lower one."""
    return 10.0 ** math.floor(math.log10(baseline / DEPTH))


def draw_published(ax, text, loss=None, updates=math.inf, floor=-math.inf, kind=0):
    """A star, a line or words alone, for what a document has. The star is a line where the runs end before it.

    kind: a place in `MARKS` and `DOTS`, to tell it from others of the document.
    """
    style, end = {"color": "#555555"}, max(max(line.get_xdata(), default=0) for line in ax.lines[:-1])
    label = f"{text} ({loss:g})" if loss is not None else text
    if loss is None:
        ax.plot([], [], " ", label=label)
    elif updates <= end:
        size = {"ms": 11 if MARKS[kind] == "*" else 8, "mfc": "none", "linestyle": "none"}
        ax.plot(updates, max(loss, floor), MARKS[kind], label=label, **size, **style)
    else:
        ax.axhline(max(loss, floor), linewidth=1, linestyle=(0, (1, DOTS[kind])), label=label, **style)


def scores(title, sweep, chosen, folder, published):
    """A figure of every contender's test accuracies, and those that a document has, of others too."""
    labels = [*chosen, *(label for label in published if label not in chosen)]
    figure, ax = new_figure(size=(8, 1.6 + 0.4 * len(labels)))
    for place, label in enumerate(labels):
        found = [100 * value for value in chosen[label].losses("test_accuracy")] if label in chosen else []
        ax.plot(found, [place] * len(found), "o", mfc="none", color="C0", label=None if place else "here, a run each")
        if label in published:
            ax.plot(100 * published[label], place, "*", ms=12, mfc="none", color="C1")
    ax.plot([], [], "*", ms=12, mfc="none", color="C1", label="published")
    names = [label if label in chosen else f"{label} (not run)" for label in labels]
    ax.set(xlabel="test accuracy (%)", title=title, yticks=range(len(labels)), yticklabels=names, xlim=(0, 103))
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(lw=0.3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    return figure


def ends(title, sweep, chosen, folder, published):
    """A figure of every contender's test losses as shares of the baseline, the best contender at the top."""
    shares = {c.contender: c.losses("test_loss_over_baseline") for c in chosen.values()}
    order = sorted(shares, key=lambda label: min(shares[label], default=math.inf))
    floor = floor_of(1) / 10
    figure, ax = new_figure(size=(7.5, 1.2 + 0.24 * len(order)))
    for place, label in enumerate(order):
        found = [max(share, floor) for share in shares[label]]
        ax.plot(found, [place] * len(found), "o", mfc="none", color="black")
        if len(shares[label]) < len(chosen[label].rows):
            ax.annotate("diverged", (1, place), xycoords=("axes fraction", "data"), ha="right", va="center")
    ax.axvline(1, color="black", lw=0.8, ls="--", label="baseline")
    if sweep.solved is not None:
        ax.axvline(sweep.solved, color="black", lw=0.8, ls=":", label="solved")
    figure.suptitle(title, fontsize="medium")
    ax.set(xscale="log", xlabel="test loss / baseline", yticks=range(len(order)), yticklabels=order)
    lower = min(min(found, default=1) for found in shares.values()) < floor
    ax.xaxis.set_major_formatter(Floored(floor) if lower else PlainLogFormatter())
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(axis="y", lw=0.3)
    ax.legend(loc="lower left", fontsize=8)
    return figure
