"""`tinyrnn cells`: the table of all cells, in Markdown."""

from tinyrnn.cells.catalogue import markdown

EXAMPLE = "tinyrnn cells"


def add_arguments(command):
    """None."""


def run(args):
    """Prints the table."""
    print(markdown(), end="")
