"""How often the constructed copy solution works: against the dictionary and the length, and with other angles."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.constructed import clock, recalls, shared_success
from tinyrnn.analysis.constructions import ANGLES, draw_angles
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, logarithmic, new_figure

MARKS = "os^Dv*"
DRAWS = 2000  # of normal numbers in place of networks, for each predicted point
APART = 3.4  # between the traces of three clocks, one below the other


def success(
    symbols: Annotated[tuple[int, ...], "symbols K"] = (2, 8, 64),
    lengths: Annotated[tuple[int, ...], "symbols to remember S"] = (5, 10, 15, 20, 30, 40),
    delays: Annotated[tuple[int, ...], "delays T, for the panel on the right; the others have the first"] = (
        200,
        50,
        1000,
    ),
    blocks: Annotated[tuple[int, ...], "rotations d, for the panel in the middle; the others have the first"] = (
        *(128, 16, 32, 64, 96, 256),
    ),
    runs: Annotated[int, "networks, each with a random sequence, for every point"] = 100,
    seed: Annotated[int, "of all networks and sequences"] = 0,
):
    """How many constructed networks recall everything, by symbols and length, by units and by delay; a `Result`."""
    if min(*symbols, 2) < 2 or min(*lengths, *delays, *blocks, runs, 1) < 1:
        raise ValueError("copy-success: symbols must be at least 2, all other numbers at least 1")
    rng, K, S, d, T = as_rng(seed), symbols[len(symbols) // 2], 10, blocks[0], delays[0]
    table = {(k, s): recalls(k, s, T, d, runs, rng) for k in symbols for s in lengths}
    by_blocks = {each: recalls(K, S, T, each, runs, rng) for each in sorted(blocks)}
    by_delay = {each: recalls(K, S, each, d, runs, rng) for each in sorted(delays)}
    by_delay_hard = {each: recalls(K, 2 * S, each, d, runs, rng) for each in sorted(delays)}

    predictions = {(k, s): 100 * shared_success(k, s, d, DRAWS, seed) for k, s in table}

    figure, (left, middle, right) = new_figure(1, 3, (13, 4.6))
    for k, mark, (colour, line) in zip(symbols, MARKS * 9, STYLES * 9, strict=False):
        found = [table[k, s] for s in lengths]
        spread(left, lengths, found, runs, marker=mark, color=colour, label=f"K = {k}")
        shared = [predictions[k, s] for s in lengths]
        left.plot(lengths, shared, color=colour, linestyle=line, linewidth=1)
    left.set(xlabel="symbols to remember S", ylabel="networks right (%)", title=f"{d} rotations, delay {T}")
    spread(
        middle, list(by_blocks), list(by_blocks.values()), runs, marker="s", color="black", label=f"K = {K}, S = {S}"
    )
    grid = np.unique(np.geomspace(min(blocks), max(blocks), 25).astype(int))
    expected = [100 * shared_success(K, S, int(each), DRAWS, seed) for each in grid]
    middle.plot(grid, expected, color="black", linewidth=1)
    middle.set(xlabel="rotations d (2 d + 1 units)", title="More units: less noise")
    logarithmic(middle, sorted(blocks))
    for found, s, mark, (colour, line) in ((by_delay, S, "s", STYLES[0]), (by_delay_hard, 2 * S, "^", STYLES[1])):
        values = list(found.values())
        spread(right, list(found), values, runs, marker=mark, color=colour, label=f"K = {K}, S = {s}")
        expected = 100 * shared_success(K, s, d, DRAWS, seed)
        right.plot(list(found), [expected] * len(found), color=colour, linestyle=line, linewidth=1)
    right.set(xlabel="delay T (steps)", title="The delay does not matter")
    logarithmic(right, sorted(delays))
    for axes in (left, middle, right):
        axes.set_ylim(-4, 104)
        axes.grid(alpha=0.25)
        axes.legend(loc="lower left" if axes is not middle else "lower right")
    figure.suptitle(f"Symbols recalled by construction: {runs} networks each; thin lines: predicted")

    numbers = {"runs": runs, "d": d, "T": T, "recalled": {f"K={k}, S={s}": n for (k, s), n in table.items()}}
    numbers |= {f"by d (K={K}, S={S})": by_blocks, f"by T (K={K}, S={S})": by_delay}
    numbers |= {f"by T (K={K}, S={2 * S})": by_delay_hard}
    columns = {"K": [k for k, _ in table], "S": [s for _, s in table], "right": list(table.values())}
    tables = {
        "success": columns | {"runs": [runs] * len(table), "predicted percent": list(predictions.values())},
        "blocks": {"d": list(by_blocks), "right": list(by_blocks.values())},
        "delay": {"T": list(by_delay), f"S={S}": list(by_delay.values()), f"S={2 * S}": list(by_delay_hard.values())},
    }
    rows = (f"S = {s}: " + ", ".join(f"K = {k}: {table[k, s]}" for k in symbols) for s in lengths)
    return Result(figure, numbers, tables, (f"right of {runs} networks, d = {d}, T = {T}:", *rows))


def spread(axes, x, counts, runs, **style):
    """Percentages with their binomial standard errors."""
    share = np.asarray(counts) / runs
    style = {"linestyle": "", **style}
    axes.errorbar(
        x, 100 * share, 100 * np.sqrt(share * (1 - share) / runs), capsize=3, markerfacecolor="white", **style
    )


def controls(
    delay: Annotated[int, "delay T"] = 200,
    blocks: Annotated[int, "rotations d"] = 128,
    runs: Annotated[int, "networks, each with a random sequence"] = 60,
    seed: Annotated[int, "of all networks and sequences"] = 0,
):
    """The same with angles drawn otherwise and with periods wrong by one, and the clock that they make; a `Result`."""
    if runs < 1:
        raise ValueError(f"copy-controls: there must be at least 1 run, got {runs}")
    rng, S, K = as_rng(seed), 10, 8
    period = delay + S
    kinds = {
        "roots": "roots of unity, period T + S",
        "equal": "one root of unity for all",
        "uniform": "anywhere on the circle",
    }
    found = {kinds[kind]: recalls(K, S, delay, blocks, runs, rng, angles=kind) for kind in ANGLES}
    for name, wrong in (("T + S − 1", period - 1), ("T + S + 1", period + 1)):
        found[f"roots of unity, period {name}"] = recalls(K, S, delay, blocks, runs, rng, period=wrong)
    figure, (left, right) = new_figure(1, 2, (13, 4.8))
    steps, traces = np.arange(period + S + 1), {}
    for place, (kind, (colour, _)) in enumerate(zip(ANGLES, STYLES, strict=False)):
        traces[kind] = clock(draw_angles(blocks, period, rng, kind), len(steps) - 1)
        left.plot(steps, traces[kind] - APART * place, color=colour, linewidth=1)
        left.annotate(kinds[kind], (period / 2, 1.15 - APART * place), ha="center", va="bottom")
    left.axvline(period, color="black", linestyle=":", linewidth=1)
    left.annotate("T + S", (period, 2.1), xytext=(-4, 0), textcoords="offset points", ha="right", va="top")
    left.set(xlabel="steps m", ylabel="tr(V$^m$) / 2d", ylim=(-1.2 - 2 * APART, 2.2))
    left.set_title("A clock must strike at T + S, and look random before")
    left.set_yticks([y - APART * place for place in range(3) for y in (-1, 0, 1)], ["−1", "0", "1"] * 3)
    bars = right.barh(list(found), list(found.values()), color="#bbbbbb", edgecolor="black")
    bars[0].set(facecolor="#0072b2", hatch="//")
    right.bar_label(bars, [f"{count} of {runs}" for count in found.values()], padding=4)
    right.invert_yaxis()
    right.set(
        xlabel="networks that recall all symbols",
        xlim=(0, 1.25 * runs),
        title=f"K = {K}, S = {S}, T = {delay}, d = {blocks}",
    )
    numbers = {"K": K, "S": S, "T": delay, "d": blocks, "runs": runs, "recalled": found}
    tables = {"clock": {"m": steps, **traces}, "success": {"angles": list(found), "recalled": list(found.values())}}
    return Result(figure, numbers, tables, tuple(f"{name}: {count} of {runs}" for name, count in found.items()))


SUCCESS = Analysis(
    title="success of the constructed copy solution against dictionary, length, units and delay",
    source="Henaff, Szlam & LeCun 2016, section 3.1.2 and figure 1",
    run=success,
    look="it degrades with S and K; twice the units bear about 1.7 times the symbols; the delay plays no part. "
    "Predicted is what normal numbers would do in place of the codes: each recall meets the same ones again, so that "
    "more networks are right throughout than if each recall failed by itself.",
    errata=(
        "The sizes behind figure 1 are not named here after the source: d, T and the number of runs are ours.",
        "The dependence on K is called weak. It is, in the units that are needed for a given success, which grow with "
        "log K; at a given size near the limit it is not.",
    ),
)
CONTROLS = Analysis(
    title="the copy solution with the wrong angles: no clock, no recall",
    source="Henaff, Szlam & LeCun 2016, sections 3.1.1 and 3.3",
    run=controls,
    look="V^m must be near the identity at m = T + S, and nowhere else. With one angle for all it is so elsewhere too.",
    errata=(
        "The k-th root of the identity is to be read as V^(T+S) = 1; with a period one step off, nothing is recalled. "
        "A random orthogonal matrix is therefore near the solution, but not on it: its eigenvalues have to be moved to "
        "such roots.",
    ),
)
