"""Tables: things side by side."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class Table:
    """Rows under titles; a notebook shows it as a table. `rows`: a list of lists of text."""

    def __init__(self, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.titles, self.rows = list(titles), [list(row) for row in rows]

    def __repr__(self) -> str:
        lines = [self.titles, *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.titles))]
        return "\n".join(
            "  ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def _repr_markdown_(self) -> str:
        lines = [self.titles, ["---"] * len(self.titles), *self.rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def table(columns: Mapping[str, Iterable[Any]], digits: str = ".4g") -> Table:
    """A `Table` of columns, title -> values, all equally many; numbers are shown with the format `digits`.

    Raises ValueError if there are more of one than of another.
    """
    rows = zip(*columns.values(), strict=True)
    return Table(list(columns), [[as_text(value, digits) for value in row] for row in rows])


def as_text(value: Any, digits: str) -> str:
    """A value as a cell of the table."""
    if isinstance(value, str | int):
        return str(value)
    try:
        return format(value, digits)
    except (TypeError, ValueError):
        return str(value)
