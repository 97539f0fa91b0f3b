"""What came out of an experiment (`tinyrnn.training.experiments`): its table and its picture."""

import math
import statistics

from tinyrnn.core.files import read_json
from tinyrnn.training.plots import draw_curves, new_figure
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import build

CURVES = 8  # more in one panel cannot be told apart


def solved_after(experiment, rows):
    """{"solved_first": the first tested update with a test loss below the mark, or None, "solved_after": the first from
    which on it stays below}."""
    first = after = None
    for row in rows:
        if "test_loss" in row and experiment.solved is not None:
            below = row["test_loss"] < experiment.mark
            first = first or (row["step"] if below else None)
            after = (after or row["step"]) if below else None
    return {"solved_first": first, "solved_after": after}


def as_table(experiment, results):
    """Markdown: each contender's test loss as a share of the baseline, how many runs solved the task, and when."""
    if experiment.solved is None:
        return table_of_losses(experiment, results)
    titles = ["contender", "parameters", "test loss, seed by seed", "solved", "after", "s/run", "settings"]
    lines = [[*titles, "from"][: 8 if experiment.notes else 7]]
    lines.append(["---", *["---:"] * 5, *["---"] * (len(lines[0]) - 6)])
    for label in experiment.contenders:
        rows = [row for (name, _), row in results.items() if name == label]
        s = experiment.settings(label, 0)
        line = [
            label,
            str(rows[0]["parameters"]),
            ", ".join(outcome(s, row) for row in rows),
            f"{sum(is_solved(experiment, row) for row in rows)}/{len(rows)}",
            ", ".join(when(row) for row in rows),
            f"{sum(row['seconds'] for row in rows) / len(rows):.0f}",
            in_short(s),
        ]
        lines.append([*line, experiment.notes.get(label, "")] if experiment.notes else line)
    note = (
        f"Test loss at the end as a share of the memoryless baseline; solved: below {experiment.solved:.0%}. After how "
        f"many updates for good, or (n) at first; tested every {experiment.shared['test_every']}."
    )
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", note])


SCORES = {"test_accuracy": "accuracy", "test_exact": "sentences exact", "test_bleu": "BLEU"}


def table_of_losses(experiment, results):
    """Markdown: each contender's test losses, their mean and its standard error."""
    scores = [name for name in SCORES if name in next(iter(results.values()))]
    titles = ["contender", "parameters", "test loss, seed by seed", "mean ± s.e."]
    lines = [[*titles, *(SCORES[name] for name in scores), "s/run", "settings"]]
    lines.append(["---", *["---:"] * (4 + len(scores)), "---"])
    for label in experiment.contenders:
        rows = [row for (name, _), row in results.items() if name == label]
        losses = [row["test_loss"] for row in rows]
        line = [
            label,
            str(rows[0]["parameters"]),
            ", ".join("diverged" if loss is None else f"{loss:.4f}" for loss in losses),
            mean_and_error([loss for loss in losses if loss is not None]),
            *(", ".join(share(row.get(name)) for row in rows) for name in scores),
            f"{sum(row['seconds'] for row in rows) / len(rows):.0f}",
            in_short(experiment.settings(label, 0)),
        ]
        lines.append(line)
    task, _ = build(experiment.settings(next(iter(experiment.contenders)), 0))
    note = f"Test loss ({task.baseline_name}: {task.baseline:.4f}); {task.note}."
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", note])


def mean_and_error(values):
    """The mean and its standard error, as text."""
    if len(values) < 2:
        return f"{values[0]:.4f}" if values else "-"
    return f"{statistics.mean(values):.4f} ± {statistics.stdev(values) / math.sqrt(len(values)):.4f}"


def when(row):
    """The update after which a run had solved the task; in brackets, if it lost it again."""
    return str(row["solved_after"] or (f"({row['solved_first']})" if row["solved_first"] else "-"))


def outcome(settings, row):
    """The test loss; of a readout that was fitted to classes by squared error, what counts is the accuracy."""
    if settings.readout == "ridge" and "test_accuracy" in row:
        return f"accuracy {row['test_accuracy']:.1%}"
    return share(row["test_loss_over_baseline"])


def share(loss):
    """A loss as a share of the baseline, in words."""
    return "diverged" if loss is None else f"{loss:.1%}"


def is_solved(experiment, result):
    """Whether a run's result counts as solved in this experiment."""
    return result["test_loss_over_baseline"] is not None and result["test_loss_over_baseline"] < experiment.solved


def in_short(settings):
    """The settings that tell contenders from each other, in a few words."""
    s = settings
    options = {**({"init": s.init} if s.init else {}), **s.init_options, **s.cell_options, **s.optimiser_options}
    extra = "".join(f", {name} {value}" for name, value in options.items())
    clip = f"clip {s.clip_norm:g}" if s.clip_norm else f"clip ±{s.clip_value:g}" if s.clip_value else "no clipping"
    rate = f"{s.optimiser} {s.lr:g} {s.schedule}"
    how = f"readout in closed form, ridge {s.ridge:g}" if s.readout == "ridge" else f"{rate}, {clip}"
    return f"{s.cell} {s.hidden}{extra}, {how}, {s.updates} x {s.batch}"


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
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(axis="y", lw=0.3)
    ax.legend(loc="lower left", fontsize=8)
    figure.savefig(path, dpi=120)
