"""Iterated functions: cobweb and phase plots, the Mandelbrot set, and tanh applied again and again."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis import maps
from tinyrnn.analysis.univariate import by_the_network
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

MARKS = {"sink": "o", "source": "o", "neutral": "D"}


# cobweb and phase plots -----------------------------------------------------------------------------------------------


def run_maps(
    steps: Annotated[int, "steps of each orbit"] = 30,
    constant: Annotated[float, "c in x² + c"] = 0.15,
    starts: Annotated[tuple[float, ...], "x_0 for x² + c"] = (0.6, 0.83),
    growth: Annotated[float, "r in r x (1 - x), from 0 to 4"] = 3.5,
    start: Annotated[float, "x_0 for r x (1 - x), from 0 to 1"] = 0.2,
):
    """Orbits, fixed points and attracting cycles of x² + c and r x (1 - x); a `Result`."""
    if steps < 1:
        raise ValueError(f"at least one step is needed, got {steps}")
    if not (0 <= growth <= 4 and 0 <= start <= 1):
        raise ValueError(f"r x (1 - x) stays within 0 and 1 for r in 0 … 4, not for r = {growth:g}, x_0 = {start:g}")
    figure, _ = new_figure(size=(13, 11))
    figure.clear()
    layout = [[f"{what}{row}" for what in ("web", "orbit", "compose")] if tall else [f"phase{row}"] * 3
              for row in (0, 1) for tall in (True, False)]  # fmt: skip
    axes = figure.subplot_mosaic(layout, height_ratios=[6, 1, 6, 1])
    numbers, tables, lines = {}, {}, []
    both = [(maps.square_plus(constant), starts, (-0.1, 1.1)), (maps.logistic(growth), (start,), (-0.04, 1.04))]
    for row, (map_, points, window) in enumerate(both):
        found = maps.fixed_points(map_, window)
        orbits = {x0: maps.iterate(map_.f, x0, steps) for x0 in points}
        ends = maps.attracting_cycle(map_, points[0])
        draw_cobweb(axes[f"web{row}"], map_, orbits, window)
        draw_orbits(axes[f"orbit{row}"], orbits, found, window)
        draw_compositions(axes[f"compose{row}"], map_, window)
        draw_phase(axes[f"phase{row}"], map_, found, ends, window)
        numbers[map_.formula] = {
            "fixed points": [{"x": p.x, "f'": p.multiplier, "kind": p.kind} for p in found],
            f"orbit of {points[0]:g} ends in": None if ends is None else list(ends.points),
            "derivative around it": None if ends is None else ends.multiplier,
        }
        tables[f"orbits {row + 1}"] = {"n": range(steps + 1), **{f"x_0={x0:g}": o for x0, o in orbits.items()}}
        kinds = ", ".join(f"{p.x:.5f} is a {p.kind} (f' = {p.multiplier:.3f})" for p in found)
        lines.append(f"{map_.formula}: {kinds or 'no fixed points'}")
        lines.append(f"  from {points[0]:g} it ends in " + describe(ends))
    return Result(figure, numbers, tables, tuple(lines))


def describe(ends):
    """The points of an attracting cycle, its period and the derivative around it; or that there is none (None)."""
    if ends is None:
        return "no cycle"
    values = ", ".join(f"{x:.5f}" for x in ends.points)
    return f"{values}: period {len(ends.points)}, f' around it {ends.multiplier:.4f}"


def draw_cobweb(axes, map_, orbits, window):
    """f, the diagonal, and a cobweb for each orbit up to |x| = 10."""
    x = np.linspace(*window, 401)
    axes.plot(x, map_.f(x), color="black", label=f"f(x) = {map_.formula}")
    axes.plot(x, x, color="black", linewidth=0.8, linestyle="--", label="x")
    for (x0, orbit), (colour, line) in zip(orbits.items(), cycle(STYLES), strict=False):
        corners = maps.cobweb(map_.f, x0, len(orbit) - 1)
        corners = corners[(abs(corners) < 10).all(axis=1)]
        axes.plot(*corners.T, color=colour, linestyle=line, linewidth=1.1, label=f"from {x0:g}")
        axes.plot(x0, x0, "o", color=colour, markersize=5)
    axes.set(title=f"Cobweb of {map_.formula}", xlabel="$x_{n}$", ylabel="$x_{n+1}$", xlim=window, ylim=window)
    axes.legend(fontsize="small", loc="upper left" if len(orbits) > 1 else "lower center")


def draw_orbits(axes, orbits, found, window):
    """x_n against n for each orbit up to |x| = 10, with lines at the fixed points."""
    for (x0, orbit), (colour, line) in zip(orbits.items(), cycle(STYLES), strict=False):
        kept = orbit[: np.flatnonzero(abs(orbit) < 10)[-1] + 1]
        axes.plot(kept, color=colour, linestyle=line, marker=".", label=f"from {x0:g}")
    for p in found:
        axes.axhline(p.x, color="black", linewidth=0.7, linestyle=(0, (2, 2)))
        axes.text(1, p.x, f"{p.kind} {p.x:.2f} ", ha="right", va="bottom", fontsize="small",
                  transform=axes.get_yaxis_transform())  # fmt: skip
    last = len(orbit) - 1
    axes.set(title="Orbits", xlabel="n", ylabel="$x_n$", ylim=window, xlim=(-0.03 * last, 1.35 * last))
    at = "center right" if len(orbits) > 1 else "lower center"
    axes.legend(fontsize="small", loc=at, bbox_to_anchor=(0, 0.1, 1, 0.8))


def draw_compositions(axes, map_, window):
    """f applied once, 2, 3 and 6 times, and the diagonal."""
    x = np.linspace(*window, 801)
    for n, (colour, line) in zip((1, 2, 3, 6), STYLES, strict=False):
        axes.plot(
            x, maps.compose(map_, n).f(x), color=colour, linestyle=line, label=f"{n} times" if n > 1 else "f once"
        )
    axes.plot(x, x, color="black", linewidth=0.8, linestyle="--", label="x")
    axes.set(title="f applied again and again", xlabel="x", ylabel="f(f(…f(x)))", xlim=window, ylim=window)
    axes.legend(fontsize="small", loc="upper left" if map_.f(0.0) else "lower center")


def draw_phase(axes, map_, found, ends, window):
    """Arrows where the next value is larger or smaller; full dots attract, hollow ones repel."""
    axes.axhline(0, color="black", linewidth=0.8)
    for x in np.linspace(*window, 24)[1:-1]:
        to = 0.012 * np.sign(map_.f(x) - x) * (window[1] - window[0])
        if to and all(abs(x - p.x) > 0.02 for p in found):
            axes.annotate("", (x + to, 0), (x - to, 0), arrowprops={"arrowstyle": "->", "color": STYLES[0][0]})
    for p in found:
        face = {"sink": "black", "source": "white", "neutral": "grey"}[p.kind]
        axes.plot(p.x, 0, MARKS[p.kind], color="black", markerfacecolor=face, markersize=8, zorder=3)
        axes.annotate(f"{p.kind} {p.x:.2f}", (p.x, 0), (0, 9), textcoords="offset points", ha="center", fontsize=9)
    if ends is not None and len(ends.points) > 1:
        axes.plot(ends.points, 0 * ends.points, "s", color=STYLES[1][0], markersize=6, zorder=3)
        where = f"squares: attracting cycle of period {len(ends.points)} (arrows: the next value only)"
        axes.text(0.06, 0.1, where, transform=axes.transAxes, fontsize=9)
    axes.set(title=f"Phase plot of {map_.formula}", xlim=window, ylim=(-1, 1.4), yticks=[], xlabel="x")


ITERATED_MAPS = Analysis(
    title="iterated maps: cobwebs, orbits, phase plots and fixed points of x² + 0.15 and 3.5 x (1 - x)",
    source="Grosse 2018, lecture 16, section 2.2 and figure 2",
    run=run_maps,
    look=(
        "x² + 0.15 draws all from 0 to its source to its sink and throws all above to infinity; applied six times it "
        "is flat with a steep end. 3.5 x (1 - x) never settles: two sources, and a cycle of four values."
    ),
    errata=(
        "The lecture's sink at 0.17 is at 0.18 (0.18377).",
        "Sinks are fixed points with |f'| < 1 and sources those with |f'| > 1, not f' < 1 and f' > 1: 5/7 is a source "
        "of 3.5 x (1 - x), though f' = -1.5 there.",
        'Fixed points are where the graph of f meets the dashed line; "the graph of x" is a slip.',
    ),
)


# the Mandelbrot set ---------------------------------------------------------------------------------------------------


def run_mandelbrot(
    iterations: Annotated[int, "iterations of z² + c for each c"] = 300,
    width: Annotated[int, "points along the real axis; the rest follows"] = 750,
    left: Annotated[float, "smallest real part of c"] = -2.1,
    right: Annotated[float, "largest real part of c"] = 0.7,
    centre: Annotated[float, "imaginary part of c in the middle of the picture"] = 0.0,
):
    """After how many iterations z² + c escapes, for a grid of c, and what area is left; a `Result`."""
    if width < 2 or not left < right:
        raise ValueError(f"the picture needs 2 points or more and left < right, got {width}, {left:g}, {right:g}")
    real = np.linspace(left, right, width)
    pixel = real[1] - real[0]
    height = int(0.9 * width)
    imaginary = centre + pixel * (np.arange(height) - (height - 1) / 2)
    times = maps.escape_times(real + 1j * imaginary[:, None], iterations)
    counts = np.bincount(times.reshape(-1), minlength=iterations + 1)
    remaining = (times.size - np.cumsum(counts[1:])) * pixel**2
    known = {"x² + 0.15": complex(0.15), "3.5 x (1 − x)": complex(maps.quadratic_parameter(3.5))}

    figure, (picture, curve) = new_figure(1, 2, (13.5, 5.2))
    extent = (left - pixel / 2, right + pixel / 2, imaginary[0] - pixel / 2, imaginary[-1] + pixel / 2)
    shown = np.ma.masked_equal(times, 0)
    image = picture.imshow(shown, origin="lower", extent=extent, cmap="cividis_r", norm="log")
    picture.set_facecolor("black")
    figure.colorbar(image, ax=picture, label="iterations until |z| > 2 (black: none)")
    for (name, c), mark in zip(known.items(), "o^", strict=True):
        picture.plot(c.real, c.imag, mark, color="white", markeredgecolor="black", markersize=8, label=name)
    picture.set(title="The Mandelbrot set", xlabel="Re c", ylabel="Im c", xlim=extent[:2], ylim=extent[2:])
    picture.legend(fontsize="small", loc="lower left")
    curve.plot(range(1, iterations + 1), remaining, color=STYLES[0][0])
    curve.set(title="What is left shrinks with every iteration", xlabel="iterations n", ylabel="area with all |z| ≤ 2",
              xscale="log")  # fmt: skip
    curve.grid(alpha=0.25)

    inside = {name: int(maps.escape_times(np.array([c]), iterations)[0]) == 0 for name, c in known.items()}
    return Result(
        figure,
        {
            "iterations": iterations,
            "points": times.size,
            "area not escaped": remaining[-1],
            "c": known,
            "stay bounded": inside,
        },
        {"escape": {"n": range(1, iterations + 1), "points escaping": counts[1:], "area left": remaining}},
        (
            f"not escaped after {iterations} iterations: an area of {remaining[-1]:.4f} in this picture",
            f"x² + 0.15 is c = 0.15, and 3.5 x (1 - x), shifted and scaled, is c = {known['3.5 x (1 − x)'].real:g}",
        ),
    )


MANDELBROT = Analysis(
    title="the Mandelbrot set: for which c does z² + c stay bounded from 0",
    source="Grosse 2018, lecture 16, section 2.2, eq. 3",
    run=run_mandelbrot,
    look=(
        "both of the lecture's real maps are points of the set: the circle lies where there is one sink, the triangle "
        "in the disc of the cycles of four. Magnify with --left, --right, --centre: the edge never gets simple."
    ),
)


# tanh again and again -------------------------------------------------------------------------------------------------


def run_tanh(
    weights: Annotated[tuple[float, ...], "recurrent weights w of h_t = tanh(w h_{t-1})"] = (1.5, 2.0),
    steps: Annotated[int, "time steps of the whole network"] = 5,
    points: Annotated[int, "values of h between -1 and 1"] = 401,
):
    """tanh(w h) applied once and `steps` times, by a network: values, slopes and attractors; a `Result`."""
    if steps < 1 or points < 2 or not weights:
        raise ValueError(f"at least one weight, 1 step and 2 points are needed, got {len(weights)}, {steps}, {points}")
    h = np.linspace(-1, 1, points)
    figure, axes = new_figure(2, 2, (11, 7.5))
    numbers, lines, table = {}, [], {"h": h}
    for w, (colour, line) in zip(weights, cycle(STYLES), strict=False):
        style = {"color": colour, "linestyle": line, "label": f"w = {w:g}"}
        for column, n in enumerate((1, steps)):
            value, slope = by_the_network(w, h, n + 1)
            axes[0, column].plot(h, value, **style)
            axes[1, column].plot(h, abs(slope), **style)
            table |= {f"w={w:g}, {n} steps": value, f"w={w:g}, {n} steps, derivative": slope}
        sinks = [p.x for p in maps.fixed_points(maps.tanh_unit(w), (-1, 1)) if p.kind == "sink"]
        steep = by_the_network(w, [0.0], steps + 1)[1][0]
        from_identity = abs(by_the_network(w, h, 2)[0] - h).max()
        numbers[f"w={w:g}"] = {
            "largest distance from the identity": from_identity,
            "slope at 0": steep,
            "slope at 1": by_the_network(w, [1.0], steps + 1)[1][0],
            "attractors": sinks,
        }
        lines.append(
            f"w = {w:g}: one step is within {from_identity:.2f} of the identity; after {steps} the slope at 0 is "
            f"{steep:.3g}; attractors {', '.join(f'{x:.3f}' for x in sinks)}"
        )
    for column, n in enumerate((1, steps)):
        above, below = axes[:, column]
        above.plot(h, h, color="black", linewidth=0.8, linestyle=(0, (2, 2)), label="identity")
        below.set(title="Its derivative", xlabel="$h$ before", yscale="log")
        below.set_ylabel("$|\\partial h$ after $/\\;\\partial h$ before|")
        below.axhline(1, color="black", linewidth=0.8, linestyle=(0, (2, 2)), label="1: neither grows nor shrinks")
        what = "One step" if n == 1 else f"The network: {n} steps"
        below.yaxis.set_major_formatter(PlainLogFormatter())
        below.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
        above.set(title=what, xlabel="$h$ before", ylabel="$h$ after")
        for each in (above, below):
            each.grid(alpha=0.25)
            each.legend(fontsize="small")
    return Result(figure, numbers, {"functions": table}, tuple(lines))


TANH_MAP = Analysis(
    title="a tanh unit: one step is nearly the identity, five steps are nearly a step function",
    source="Grosse 2018, lecture 16, figure 3",
    run=run_tanh,
    look=(
        "every start ends near an attractor, so the gradient vanishes where the curve is flat; it explodes at 0, where "
        "a small change decides between them. The lecture gives no weights; 1.5 and 2 are ours."
    ),
)
