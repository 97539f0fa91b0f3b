"""What an analysis is made of, and the files that it leaves."""

import csv
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from tinyrnn.core.files import write_atomically, write_json


@dataclass(frozen=True)
class Result:
    """What a run of an analysis found.

    figure: the picture, made with `tinyrnn.training.plots.new_figure`. numbers: single figures, name -> number, text,
    or a list or dict of such, for JSON. tables: the numbers behind the picture, name -> {column: values}, a CSV file
    each. lines: what to print, the few sentences or figures that one should take home.
    """

    figure: Figure
    numbers: dict
    tables: dict = field(default_factory=dict)
    lines: tuple = ()


@dataclass(frozen=True)
class Analysis:
    """One command: `tinyrnn analyse NAME`, with an option for every argument of `run`.

    title: what it shows, in a line. source: document and section or equation. run: a function whose arguments are all
    keyword arguments with defaults, annotated as `Annotated[kind, "help"]` (int, float, str, bool, or a tuple of one
    kind), and which returns a `Result`. look: what to look at in the picture. errata: where the source misleads, a
    sentence or two each, with the right thing. needs: data or packages that must be there, in words, or "".
    """

    title: str
    source: str
    run: Callable
    look: str
    errata: tuple = ()
    needs: str = ""


def write(name, result, folder):
    """Write the picture, the numbers and the tables of a `Result` into `folder`; returns the paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    picture, numbers = folder / f"{name}.png", folder / f"{name}.json"
    write_atomically(picture, lambda path: result.figure.savefig(path, dpi=120))
    write_json(numbers, plain(result.numbers))
    paths = [picture, numbers]
    for table, columns in result.tables.items():
        paths.append(folder / f"{name}-{re.sub(r'[^a-z0-9]+', '-', table.lower())}.csv")
        write_atomically(paths[-1], lambda path, columns=columns: write_csv(path, columns))
    return paths


def write_csv(path, columns):
    """A CSV file with a header; columns: name -> values, all equally many. Raises ValueError if they are not."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(plain(values) for values in columns.values()), strict=True))


def plain(value):
    """The value as JSON has it: NumPy's numbers and arrays as Python's, what is not finite as text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
