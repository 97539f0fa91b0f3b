"""Pictures: learning curves against a baseline, costs against sizes. Drawn without a display, readable in grey."""

import itertools
import math

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, NullLocator

from tinyrnn.nn.losses import find_loss

# colours that the colour-blind can tell apart (Okabe & Ito), and lines that a grey print can
STYLES = [
    ("#0072b2", "-"),
    ("#d55e00", "--"),
    ("#009e73", "-."),
    ("#cc79a7", ":"),
    ("#56b4e9", (0, (8, 2))),
    ("#e69f00", (0, (5, 1, 1, 1, 1, 1))),
    ("#7f5539", (0, (3, 1))),
    ("#777777", (0, (1, 1))),
]


def new_figure(rows=1, columns=1, size=(8, 4.5)):
    """A figure and its axes; no pyplot, so nothing global is opened or left open."""
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns)


def logarithmic(axes, values, **style):
    """The x axis on a log scale, with a plain label at each of these values and no ticks between; nor any on y.

    style: of the labels. To be called last: a scale that is set afterwards brings its ticks along.
    """
    axes.set_xscale("log")
    axes.set_xticks(values, [str(value) for value in values], **style)
    axes.minorticks_off()


def capital(title):
    """With a capital at its beginning, as every title has that is no name."""
    return title[:1].upper() + title[1:]


class PlainLogFormatter(LogFormatter):
    """Labels the ticks that a log axis should label with plain numbers: 0.6 rather than 6 × 10⁻¹."""

    def __call__(self, x, pos=None):
        return f"{x:g}" if super().__call__(x, pos) else ""


def smooth(values, reach):
    """The mean of each value and its neighbours, up to `reach` on each side.

    At the start as many are taken on both sides, where a learning curve is steep and would be shifted otherwise; at
    the end all that there are on the left, for it is flat there, and what it ends at should not be noise.
    """
    means = []
    for k in range(len(values)):
        left = min(reach, k)
        right = min(left, len(values) - 1 - k)
        means.append(sum(values[k - left : k + right + 1]) / (left + right + 1))
    return means


def draw_curves(axes, curves, task):
    """Training loss against updates for each named list of log rows, on a log scale, with the task's baseline.

    Losses are drawn in the unit of the task's sources; the circles are validation losses where it has such data.
    """
    tested, validated = False, any("valid_loss" in row for rows in curves.values() for row in rows)
    watched, circles = ("valid_loss", "validation loss") if validated else ("test_loss", "test loss")
    loss = find_loss(task.loss)
    _, unit, unit_of = task.measures[0] if task.measures else (None, loss.unit_at(task.readout), float)
    for (name, rows), (colour, line) in zip(curves.items(), itertools.cycle(STYLES), strict=False):
        steps, losses = [r["step"] for r in rows], [unit_of(r["loss"]) for r in rows]
        axes.plot(steps, losses, color=colour, alpha=0.25, linewidth=0.7)
        axes.plot(steps, smooth(losses, len(rows) // 50), color=colour, linestyle=line, label=name)
        tests = [(r["step"], unit_of(r[watched])) for r in rows if watched in r]
        if tests:
            axes.plot(*zip(*tests, strict=True), "o", color=colour, markersize=5, markerfacecolor="white", zorder=3)
        tested = tested or bool(tests)
    if tested:
        axes.plot([], [], "o", color="black", markersize=5, markerfacecolor="white", label=circles)
    label = f"{task.baseline_name} ({unit_of(task.baseline):.3g})"
    axes.axhline(unit_of(task.baseline), color="black", linewidth=1, linestyle=(0, (2, 2)), label=label)
    axes.set(xlabel="updates", ylabel=f"training loss ({unit})")
    if not loss.signed:
        axes.set(yscale="log")
        axes.yaxis.set_major_formatter(PlainLogFormatter())
        axes.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    axes.set_xlim(left=0)
    axes.grid(alpha=0.25)
    # below the axes, where no curve can run into it
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, frameon=False, fontsize="small")


def plot_curve(path, curves, task, title):
    """One picture of learning curves; circles are the test or validation loss."""
    figure, axes = new_figure()
    draw_curves(axes, curves, task)
    axes.set_title(title)
    figure.savefig(path, dpi=120)


def draw_cost(axes, axis, cost):
    """Seconds of a training step and of its matrix products alone against T, B or H (`axis`), on log scales.

    cost: lists "values", "seconds" and "floor"; "seconds_exponent" and "floor_exponent", the slopes of the straight
    lines, or None for no line; and "from", the value at which these begin.
    """
    meaning = {"T": "time steps", "B": "sequences", "H": "hidden units"}[axis]
    start = cost["values"].index(cost["from"])
    fitted = cost["values"][start:]
    kinds = (("seconds", "training step", "o"), ("floor", "its products alone", "s"))
    for (what, name, mark), (colour, line) in zip(kinds, STYLES, strict=False):
        style = {"color": colour, "markerfacecolor": "white"}
        axes.plot(cost["values"], cost[what], mark, **style)
        slope = cost[f"{what}_exponent"]
        if slope is None:
            axes.plot([], [], marker=mark, linestyle="none", label=f"{name}, no power law", **style)
            continue
        # the least-squares line goes through the mean of the logarithms
        x, y = (sum(map(math.log, column)) / len(fitted) for column in (fitted, cost[what][start:]))
        axes.plot(fitted, [math.exp(y + slope * (math.log(value) - x)) for value in fitted], line, **style)
        label = rf"{name} $\propto {axis}^{{{slope:.2f}}}$"
        axes.plot([], [], marker=mark, linestyle=line, label=label, **style)
    axes.set(xlabel=f"{axis}, {meaning} (slope from {cost['from']} on)", xscale="log", yscale="log")
    axes.set_xticks(cost["values"], [str(value) for value in cost["values"]])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    axes.grid(alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize="small")


def plot_costs(path, costs, title):
    """One picture of what `draw_cost` draws for each axis in `costs`."""
    figure, panels = new_figure(1, len(costs), (4.2 * len(costs), 4.4))
    for axes, (axis, cost) in zip(panels, costs.items(), strict=True):
        draw_cost(axes, axis, cost)
    panels[0].set_ylabel("seconds")
    figure.suptitle(title)
    figure.savefig(path, dpi=120)
