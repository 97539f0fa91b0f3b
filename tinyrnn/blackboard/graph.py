"""Drawings of the graph of a computation: forward in grey, and the gradient's way back in colour."""

from collections.abc import Iterable, Mapping
from typing import Any

from tinyrnn.blackboard.picture import Picture, new_picture

FORWARD, BACKWARD = "#555555", "#d55e00"
Edge = tuple[str, str, str]


def graph(
    words: str,
    nodes: Mapping[str, tuple[float, float, str]],
    forward: Iterable[Edge],
    backward: Iterable[Edge] = (),
    size: tuple[float, float] = (8, 3),
    bend: float = 0.28,
) -> Picture:
    """A drawing of what is computed from what.

    words: what it shows, for who cannot see it. nodes: name -> (x, y, label), in any unit, labels as Matplotlib's
    mathtext. forward, backward: (from, to, label); backward edges are bent aside by `bend` so that both can be read.
    """
    picture, axes = new_picture(words, size=size)
    forward, backward = list(forward), list(backward)
    for edges, colour, rad, line in ((forward, FORWARD, 0.0, "-"), (backward, BACKWARD, bend, (0, (4, 2)))):
        for start, end, label in edges:
            draw_edge(axes, nodes[start], nodes[end], label, colour, rad, line)
    for x, y, label in nodes.values():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": FORWARD}
        axes.text(x, y, label, ha="center", va="center", fontsize=13, bbox=box, zorder=3)
    points = [(x, y) for x, y, _ in nodes.values()] + [middle(nodes[a], nodes[b], bend) for a, b, _ in backward]
    xs, ys = zip(*points, strict=True)
    axes.set(xlim=(min(xs) - 0.6, max(xs) + 0.6), ylim=(min(ys) - 0.6, max(ys) + 0.6), aspect="equal")
    axes.axis("off")
    return picture


def draw_edge(axes: Any, start: Any, end: Any, label: str, colour: str, rad: float, line: Any) -> None:
    """An arrow, and its label beside the middle of it."""
    (x0, y0, _), (x1, y1, _) = start, end
    style = {
        "arrowstyle": "-|>",
        "color": colour,
        "linestyle": line,
        "linewidth": 1.6,
        "shrinkA": 20,
        "shrinkB": 20,
        "connectionstyle": f"arc3,rad={rad}",
    }
    axes.annotate("", (x1, y1), (x0, y0), arrowprops=style, zorder=2)
    right, up = aside(x1 - x0, y1 - y0, 17 if rad else 11)
    axes.annotate(
        label,
        middle(start, end, rad),
        xytext=(right, up),
        textcoords="offset points",
        ha="left" if right > 5 else "right" if right < -5 else "center",
        va="center",
        fontsize=12,
        color=colour,
        zorder=4,
    )


def aside(dx: float, dy: float, points: float) -> tuple[float, float]:
    """An offset to the right of an arrow, seen along it: where a bent arrow's outside is."""
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    return points * 0.7 * dy / length, -points * dx / length


def middle(start: Any, end: Any, rad: float) -> tuple[float, float]:
    """The middle of an arrow that Matplotlib bends by `rad`, a quadratic curve, where x and y have one scale."""
    (x0, y0, _), (x1, y1, _) = start, end
    return (x0 + x1) / 2 + rad * (y1 - y0) / 2, (y0 + y1) / 2 - rad * (x1 - x0) / 2
