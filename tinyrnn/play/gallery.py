"""A folder of pages, ready to be published: one for each cell, the games, a lecture, and an index with every river."""

import html
from pathlib import Path

from tinyrnn.cells import CELLS
from tinyrnn.cells.catalogue import words
from tinyrnn.core.progress import Bar
from tinyrnn.play.asking import asking_page
from tinyrnn.play.bugs_page import bugs_page
from tinyrnn.play.page import assembled, script, write
from tinyrnn.play.rivers import ASK, TITLE, rivers_page, widths

WIDE, LANE = 300, 34  # pixels of a picture in the index
SIZES = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1, ""))
MOST = 1.0  # a gradient that fills a lane


def write_gallery(folder, cells=None, games=True, seed=0, progress=True):
    """Write the pages into a folder, which is made where there is none. cells: names, None for all. games: with those
    that take half a minute to be made. Raises ValueError, in one line, for a cell that there is not."""
    names = list(cells or CELLS)
    if unknown := [name for name in names if name not in CELLS]:
        raise ValueError(f"unknown cell {unknown[0]!r}; choose from {', '.join(CELLS)}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in Bar(names, desc="pages", disable=not progress):
        other, inside = ("lstm", "top") if name == "elman" else (name, "bottom")
        text = rivers_page(("elman", other), (), seed=seed, title=f"{TITLE} {name}", inside=inside)
        write(folder / f"{name}.html", text)
    write(folder / "rivers.html", rivers_page(seed=seed))
    write(folder / "lecture.html", lecture())
    if games:
        write(folder / "asked.html", asking_page(seed, progress=progress))
        write(folder / "bugs.html", bugs_page(seed, progress=progress))
    write(folder / "index.html", index(names, games, seed))


def index(names, games, seed):
    """The text of the index."""
    cards = "\n".join(card(name, seed) for name in names)
    return assembled(
        "index",
        "tinyrnn: gradients to play with",
        ("base", "index"),
        [script("common"), script("index")],
        cards=cards,
        games=part_of_games() if games else "",
    )


def part_of_games():
    """The links to the pages that are made with the games."""
    return (
        '<a class="tile" href="asked.html"><b>Who asked?</b> What the answers of a trained network look back at.</a>'
        '<a class="tile" href="bugs.html"><b>Find the bug</b> Ten backward passes, in each a planted mistake.</a>'
    )


def card(name, seed):
    """A link to a cell's page, with its river."""
    lanes = widths(name, seed=seed)
    arrived = sum(norms[ASK - 1] ** 2 for norms in lanes.values()) ** 0.5
    what = html.escape(words(CELLS[name][0])[0])
    return (
        f'<a class="card" href="{name}.html"><b>{name}</b> <span>{what}</span>{picture(name, lanes)}'
        f"<span>{share(arrived)} of the gradient gets back to step {ASK}</span></a>"
    )


def share(arrived):
    """A share for readers who have seen no exponent, as page/world.js says it: "25 %", "1 in 3 million"."""
    if arrived > 1.005:
        return "more than all"
    if arrived >= 0.005:
        return f"{arrived:.0%}".replace("%", " %")
    if arrived < 1e-15:
        return "nothing"
    size, word = next(each for each in SIZES if 1 / arrived >= each[0])
    number = f"{float(f'{1 / arrived / size:.2g}'):,.1f}".removesuffix(".0")
    return f"1 in {number}{word}"


def picture(name, lanes):
    """The river as an SVG: a lane for each part of the state that the gradient reaches."""
    reached = {state: norms for state, norms in lanes.items() if norms.any()}
    shapes = []
    for k, norms in enumerate(reversed(reached.values())):
        y, colour = (k + 0.5) * LANE, (len(reached) - 1 - k) % 3
        half = [min(norm, MOST) * (LANE - 6) / 2 for norm in norms]
        x = [t * WIDE / (len(half) - 1) for t in range(len(half))]
        above = [f"{a:.1f} {y - h:.2f}" for a, h in zip(x, half, strict=True)]
        below = [f"{a:.1f} {y + h:.2f}" for a, h in zip(x, half, strict=True)]
        shapes.append(f'<rect width="{WIDE}" height="{LANE - 4}" y="{k * LANE + 2}" rx="5"/>')
        shapes.append(f'<path class="lane-{colour}" d="M{"L".join(above + below[::-1])}Z"/>')
    size = f'viewBox="0 0 {WIDE} {len(reached) * LANE}"'
    return f'<svg {size} role="img" aria-label="river of {name}">{"".join(shapes)}</svg>'


def lecture():
    """The text of the lecture, whose words move the page of the rivers beside them."""
    scripts = [script("common"), script("lecture")]
    return assembled("lecture", "Why the LSTM remembers", ("base", "lecture"), scripts, policy="")  # it has a frame
