"""Documents: a list of `Heading`, `Text`, `Listing` and `Table`, and their Markdown. `tinyrnn.stepping.pdf` lays the
same documents out on pages."""

from typing import NamedTuple


class Heading(NamedTuple):
    """A heading; level: 1 for the document's title, 2 and more below."""

    text: str
    level: int = 2


class Text(NamedTuple):
    """A paragraph, in Markdown; on pages its backquotes are left out."""

    text: str


class Listing(NamedTuple):
    """Lines of fixed-width type."""

    lines: list


class Table(NamedTuple):
    """header: texts; rows: lists of cells; a cell is a list of lines of fixed-width type. The first column is broken
    where it is too long. height: of a line of a row on paper, in points, so that there is room to write."""

    header: list
    rows: list
    height: float = 13


def markdown(blocks):
    """The text of a document, ending in a line break."""
    return "\n".join(in_markdown(block) for block in blocks)


def in_markdown(block):
    """One block as Markdown that ends with a newline: a heading, a paragraph, a fenced listing or a table."""
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}\n"
    if isinstance(block, Text):
        return f"{block.text}\n"
    if isinstance(block, Listing):
        return "\n".join(["```text", *block.lines, "```", ""])
    rows = [[" <br> ".join(f"`{line}`" if line.strip() else "" for line in cell) for cell in row] for row in block.rows]
    rule = ["---"] * len(block.header)
    return "".join(
        f"| {' | '.join(c.replace('|', chr(92) + '|') for c in row)} |\n" for row in [block.header, rule, *rows]
    )
