"""Pictures: learning curves against a baseline. Drawn without a display, readable in grey."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

STYLES = [("#0072b2", "-"), ("#d55e00", "--"), ("#009e73", "-."), ("#cc79a7", ":"), ("#56b4e9", (0, (5, 1)))]


def new_figure(rows=1, columns=1, size=(8, 4.5)):
    """A figure and its axes; no pyplot, so nothing global is opened or left open."""
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns)


def smooth(values, window):
    """Running mean over the last `window` values (fewer at the start)."""
    total, result = 0.0, []
    for k, value in enumerate(values):
        total += value - (values[k - window] if k >= window else 0)
        result.append(total / min(k + 1, window))
    return result


def draw_curves(axes, curves, task):
    """Training loss against updates for each named list of log rows, on a log scale, with the task's baseline."""
    for (name, rows), (colour, line) in zip(curves.items(), STYLES * len(curves), strict=False):
        steps, losses = [r["step"] for r in rows], [r["loss"] for r in rows]
        axes.plot(steps, losses, color=colour, alpha=0.2, linewidth=0.7)
        axes.plot(steps, smooth(losses, max(1, len(rows) // 50)), color=colour, linestyle=line, label=name)
        tests = [(r["step"], r["test_loss"]) for r in rows if "test_loss" in r]
        if tests:
            axes.plot(*zip(*tests, strict=True), "o", color=colour, markersize=4, markerfacecolor="white")
    axes.axhline(task.baseline, color="black", linewidth=1, linestyle=(0, (2, 2)))
    axes.annotate(
        f"{task.baseline_name}: {task.baseline:.3g}",
        (1, task.baseline),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 4),
        textcoords="offset points",
        ha="right",
    )
    unit = "nats per step" if task.loss == "cross_entropy" else "squared error"
    unit = "nats" if task.loss == "cross_entropy" and task.readout == "last" else unit
    axes.set(xlabel="updates", ylabel=f"training loss ({unit})", yscale="log")
    axes.legend(loc="lower left")
    axes.grid(alpha=0.25)


def plot_curve(path, curves, task, title):
    """One picture of learning curves; circles are the test loss."""
    figure, axes = new_figure()
    draw_curves(axes, curves, task)
    axes.set_title(title)
    figure.savefig(path, dpi=120)
