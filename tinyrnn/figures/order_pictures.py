"""Pictures of weights against the order in which units peak: profiles, and how far each matrix leans forwards."""

import numpy as np

from tinyrnn.analysis import ordering
from tinyrnn.training.plots import STYLES, capital, new_figure

REACH = 20  # offsets on each side over which weights are averaged into one figure; at most a third of the units
NOISE = 0.02  # means of random weights are smaller
CHAIN = 0.5  # and a chain's are larger, those of neighbours
TITLE = (
    "Mean weight between units ordered by when a pulse makes them peak\n"
    "(over networks: bands a standard error, bars two; dots a network each)"
)


def excess_of(group):
    """Name of a line -> its forward excess in each network, a list."""

    def of(offsets, means):
        return ordering.forward_excess(offsets, means, max(1, min(REACH, len(offsets) // 6)))

    return {name: [of(*one) for one in found] for name, found in group.items()}


def draw(groups):
    """A panel for each group: the mean weight against i - j, for units in the order in which they peak; and one for how
    far those that were trained lean forwards, before and after it."""
    trained = {name: excess_of(group) for name, group in groups.items() if name.startswith("from ") and group}
    count = len(groups) + bool(trained)
    columns = 2 if count == 4 else min(3, count)
    rows = -(-count // columns)
    figure, panels = new_figure(rows, columns, (1 + 4.6 * columns, 0.6 + 4.2 * rows))
    panels = list(np.ravel(panels))
    for axes, (name, group) in zip(panels, groups.items(), strict=False):
        draw_group(axes, group)
        axes.set_title(capital(name), fontsize=11)
    shown = zip(panels, groups.values(), strict=False)
    one_scale([axes for axes, group in shown if group and "ordered by peak" not in group])
    if trained:
        names = [name.replace(", ", "\n") for name in trained]
        ends = zip(*(of.values() for of in trained.values()), strict=True)  # before and after
        whens = dict(zip(("before training", "after training"), ends, strict=True))
        draw_lean(panels[len(groups)], {when: dict(zip(names, found, strict=True)) for when, found in whens.items()})
        panels[len(groups)].set_title("How far they lean", fontsize=11)
    for axes in panels[count:]:
        axes.set_axis_off()
    figure.suptitle(TITLE, fontsize=12)
    return figure


def draw_gates(rows):
    """A row for each network, before and after training, or for all untrained ones, with a column for each matrix, and
    one for how far all of them lean forwards."""
    names = max((next(iter(lines.values())) for lines in rows.values()), key=len)
    columns = len(names) + 1
    figure, panels = new_figure(len(rows), columns, (1 + 3.3 * columns, 0.9 + 2.9 * len(rows)))
    panels = np.reshape(panels, (len(rows), columns))
    for (title, lines), row in zip(rows.items(), panels, strict=True):
        for name, axes in zip(next(iter(lines.values())), row, strict=False):
            found = {line: group[name] for line, group in lines.items()}
            draw_group(axes, found, max(2, len(next(iter(found.values()))[0][0]) // 16))
            axes.set_title(f"{capital(title)}: {name}", fontsize=10)
        used = row[: len(next(iter(lines.values())))]
        one_scale(used)
        for axes in row[:-1]:
            axes.label_outer()
        for axes in row[len(used) : -1]:
            axes.set_axis_off()
        for axes in used[1:]:
            axes.get_legend().remove()
        draw_lean(row[-1], {line: excess_of(group) for line, group in lines.items()})
        row[-1].set_title(f"{capital(title)}: how far it leans", fontsize=10)
    figure.suptitle(TITLE, fontsize=12)
    return figure


def draw_lean(axes, excesses):
    """Forward excess of each matrix: a dot for each network, and their mean with two standard errors."""
    apart = 0.7 / len(excesses)
    for k, ((line, found), (colour, _)) in enumerate(zip(excesses.items(), STYLES, strict=False)):
        for place, values in enumerate(found.values()):
            x = place + (k - (len(excesses) - 1) / 2) * apart
            error = 2 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
            if len(values) > 1:  # beside the bar, which would hide them
                axes.plot(len(values) * [x + 0.25 * apart], values, ".", color=colour, alpha=0.6, markersize=6)
            label = line if not place else None
            axes.errorbar(x, np.mean(values), error, fmt="os^D"[k % 4], color=colour, capsize=3, label=label)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xticks(range(len(found)), list(found), fontsize="small")
    axes.set_ylabel("weight forwards less backwards")
    axes.margins(x=0.1)
    axes.grid(alpha=0.25, axis="y")
    axes.legend(fontsize="small")


def one_scale(panels):
    """The same weights at the same height in all: linear up to where noise is, logarithmic beyond it. The
    chain, whose weights are 0 and 1, has a scale of its own."""
    ends = [end for axes in panels for end in (axes.dataLim.ymin, axes.dataLim.ymax)] or [0.0]
    low, high = min(ends), max(ends)
    steep = max(abs(low), high) > 5 * NOISE
    for axes in panels:
        if steep:
            axes.set_yscale("symlog", linthresh=NOISE)
        margin = 0.06 * (high - low)
        axes.set_ylim(*((low - NOISE / 4, 1.6 * high) if steep else (low - margin, high + margin)))
        axes.yaxis.set_major_formatter("{x:g}")


def draw_group(axes, group, wide=None):
    """Lines of means over neighbouring offsets, and bands of their standard errors over networks.

    wide: so many neighbours on each side; None: a sixteenth of the units, for weights that are noise one by one. Those
    that are not, a chain's, are drawn each for itself.
    """
    if not group:
        axes.text(0.5, 0.5, "no network succeeded", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    if wide is None:
        wide = 0 if "ordered by peak" in group else max(2, len(next(iter(group.values()))[0][0]) // 32)
    for (line, found), (colour, style) in zip(group.items(), STYLES, strict=False):
        own = 0 if np.mean([means[offsets != 0] for offsets, means in found], axis=0).max() > CHAIN else wide
        reach = (len(found[0][0]) + 1) // 4
        shown = [k for k in range(-reach, reach + 1) if k or not own]
        values = np.array([[near(*one, k, own) for k in shown] for one in found])
        mean = values.mean(axis=0)
        axes.plot(shown, mean, color=colour, linestyle=style, label=line)
        if len(found) > 1:
            error = values.std(axis=0, ddof=1) / np.sqrt(len(found))
            axes.fill_between(shown, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set(
        xlabel="$i - j$, places later in the order",
        ylabel="mean weight $W_{ij}$" + (f", over {2 * wide + 1} places" if wide else ""),
    )
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")


def near(offsets, means, k, wide):
    """The mean over the offsets up to `wide` from k that are on k's side of 0."""
    chosen = (abs(offsets - k) <= wide) & (np.sign(offsets) == np.sign(k))
    return means[chosen].mean()
