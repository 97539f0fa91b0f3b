"""The report of a sweep: its table in Markdown, and its picture."""

import itertools
import math
import statistics
from pathlib import Path
from typing import Any

from tinyrnn.nn.losses import find_loss
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import RUNAWAY, Chosen, curve, is_solved
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure
from tinyrnn.training.settings import Settings, build

CURVES = 8  # more in one panel cannot be told apart
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

    published: (words, loss) of what a document has, drawn as lines of their own; or contender -> test accuracy, drawn
    as stars beside those of the runs.
    """
    draw = scores if isinstance(published, dict) else ends if len(chosen) > CURVES else curves
    figure = draw(title, sweep, chosen, folder, published)
    figure.savefig(path, dpi=120)


def curves(title, sweep, chosen, folder, published):
    """A figure of learning curves, means over the seeds."""
    task = build(sweep.settings(next(iter(sweep.contenders)), 0))[0]
    loss = find_loss(task.loss)
    _, unit, unit_of = task.measures[0] if task.measures else (None, loss.unit_at(task.readout), float)
    figure, ax = new_figure(size=(8, 5))
    for c, (colour, line) in zip(chosen.values(), itertools.cycle(STYLES), strict=False):
        steps, mean, error = curve(c, folder)
        values = ", ".join(f"{name.rpartition('.')[2]} {value}" for name, value in c.values.items())
        label = f"{c.contender} ({values})" if values else c.contender
        low, high = ([unit_of(value) for value in edge] for edge in (mean - error, mean + error))
        ax.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(steps, [unit_of(value) for value in mean], color=colour, linestyle=line, marker="o", ms=3, label=label)
    words = f"{task.baseline_name} ({unit_of(task.baseline):.3g})"
    ax.axhline(unit_of(task.baseline), color="black", linewidth=1, linestyle=(0, (2, 2)), label=words)
    for text, value in published:
        ax.axhline(value, color="#555555", linewidth=1, linestyle=(0, (1, 3)), label=f"published: {text} ({value:g})")
    seeds = max(len(c.rows) for c in chosen.values())
    of = f"mean of {seeds} seeds ± s.e." if seeds > 1 else "one seed"
    ax.set(xlabel="updates", ylabel=f"loss ({unit}), {of}", title=title)
    if not loss.signed:
        ax.set(yscale="log")
        ax.yaxis.set_major_formatter(PlainLogFormatter())
        ax.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    ax.set_xlim(left=0)
    ax.grid(alpha=0.25)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False, fontsize="small")
    return figure


def scores(title, sweep, chosen, folder, published):
    """A figure of every contender's test accuracies, and those that a document has."""
    figure, ax = new_figure(size=(8, 1.6 + 0.4 * len(chosen)))
    for place, (label, c) in enumerate(chosen.items()):
        found = [100 * value for value in c.losses("test_accuracy")]
        ax.plot(found, [place] * len(found), "o", mfc="none", color="C0", label=None if place else "here, a run each")
        if label in published:
            star = 100 * published[label]
            ax.plot(star, place, "*", ms=12, mfc="none", color="C1", label=None if place else "published")
    ax.set(xlabel="test accuracy (%)", title=title, yticks=range(len(chosen)), yticklabels=[*chosen], xlim=(0, 100))
    ax.set_ylim(len(chosen) - 0.5, -0.5)
    ax.grid(lw=0.3)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=2, frameon=False, fontsize="small")
    return figure


def ends(title, sweep, chosen, folder, published):
    """A figure of every contender's test losses as shares of the baseline, the best contender at the top."""
    shares = {c.contender: c.losses("test_loss_over_baseline") for c in chosen.values()}
    order = sorted(shares, key=lambda label: min(shares[label], default=math.inf))
    figure, ax = new_figure(size=(7.5, 1.2 + 0.24 * len(order)))
    for place, label in enumerate(order):
        ax.plot(shares[label], [place] * len(shares[label]), "o", mfc="none", color="black")
        if len(shares[label]) < len(chosen[label].rows):
            ax.annotate("diverged", (1, place), xycoords=("axes fraction", "data"), ha="right", va="center")
    ax.axvline(1, color="black", lw=0.8, ls="--", label="baseline")
    if sweep.solved is not None:
        ax.axvline(sweep.solved, color="black", lw=0.8, ls=":", label="solved")
    ax.set(xscale="log", xlabel="test loss / baseline", title=title, yticks=range(len(order)), yticklabels=order)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(axis="y", lw=0.3)
    ax.legend(loc="lower left", fontsize=8)
    return figure
