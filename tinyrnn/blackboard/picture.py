"""Pictures with words: every one can be read by those who do not see it."""

import contextlib
import io
from collections.abc import Iterable
from typing import Any

from matplotlib.figure import Figure

from tinyrnn.figures import ANALYSES
from tinyrnn.training import plots

DOTS, WIDEST = 100, 1000  # an inch, and in all


class Picture:
    """A figure and what it shows, in words; a notebook shows the one, and tells the other to who cannot see it.

    numbers: single figures behind the picture, name -> number; tables: columns behind it. Both may be empty.
    """

    def __init__(self, figure: Figure, words: str, numbers: Any = None, tables: Any = None) -> None:
        if not words.strip():
            raise ValueError("a picture needs words: what does it show?")
        self.figure, self.words = figure, words
        self.numbers, self.tables = numbers or {}, tables or {}

    def png(self) -> bytes:
        """The picture's bytes."""
        buffer = io.BytesIO()
        dpi = min(DOTS, WIDEST / self.figure.get_figwidth())
        self.figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
        return buffer.getvalue()

    def __repr__(self) -> str:
        return f"Picture: {self.words}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        return {"image/png": self.png(), "text/plain": repr(self)}, {"image/png": {"alt": self.words}}


def new_picture(words: str, rows: int = 1, columns: int = 1, size: tuple[float, float] = (8, 4)) -> tuple[Picture, Any]:
    """An empty `Picture` of `words`, and its axes, to be drawn on; size: inches."""
    figure, axes = plots.new_figure(rows, columns, size)
    return Picture(figure, words), axes


def analyse(name: str, words: str = "", **options: Any) -> Picture:
    """What `tinyrnn analyse NAME` draws, with its options; prints what came out.

    words: what the picture shows, or "" for the words of `tinyrnn analyse list`. Raises ValueError for another name.
    """
    if name not in ANALYSES:
        raise ValueError(f"there is no analysis {name!r}; there are {', '.join(ANALYSES)}")
    analysis = ANALYSES[name]
    with contextlib.redirect_stderr(io.StringIO()):  # how far it has come is not for the page
        result = analysis.run(**options)
    print_lines(result.lines)
    return Picture(result.figure, words or f"{analysis.title}. {analysis.look}", result.numbers, result.tables)


def print_lines(lines: Iterable[str]) -> None:
    """Lines, one below the other."""
    for line in lines:
        print(line)
