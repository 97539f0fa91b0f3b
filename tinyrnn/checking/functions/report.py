"""What the gradient check of a function found: rows to compute with, a table to read, JSON, a page."""

import html
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Notice(NamedTuple):
    """Something noticed besides the numbers: a word for it, and a sentence."""

    kind: str
    text: str

    def __str__(self):
        return self.text


class ArgumentRow(NamedTuple):
    """One array and its gradient.

    verdict: "right", "wrong" or "not decided". kind: what kind of wrong, or why not decided, or of a right one what is
    special ("kink", "saturated"), else "". worst: error of the worst entry, relative to the largest of the array.
    index: of that entry; analytic, numerical: its gradients. how: sentences. checked: entries looked at, of `size`;
    directions: random ones through all entries, where not every one was looked at.
    method: "complex step" or "central differences". resolution: relative error down to which mistakes can be seen.
    blocks: of gates and the like that lie side by side in the array, a tuple of such rows.
    """

    argument: str
    verdict: str
    kind: str
    worst: float
    index: tuple | None  # type: ignore[assignment]  # a field, not the method of tuples
    analytic: complex
    numerical: complex
    how: tuple = ()
    checked: int = 0
    size: int = 0
    method: str = ""
    resolution: float = 0.0
    blocks: tuple = ()
    directions: int = 0


@dataclass(repr=False)
class GradientReport:
    """The result of `gradcheck` on a function; true if the gradient is right, and prints as a table.

    rows: list of `ArgumentRow`. notices: list of `Notice`, what was noticed besides. notes: how the numbers were got.
    findings: {argument: the numbers behind it}, for pictures; shapes: {argument: its shape}. lines_hint: how to
    find the line.
    """

    title: str
    rows: list = field(default_factory=list)
    notices: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    findings: dict = field(default_factory=dict, repr=False)
    shapes: dict = field(default_factory=dict, repr=False)
    lines_hint: str = ""

    @property
    def verdict(self) -> str:
        """ "wrong" if a row is, else "not decided" if a row is, or there is none; else "right"."""
        verdicts = {row.verdict for row in self.rows}
        return next((v for v in ("wrong", "not decided") if v in verdicts), "right" if self.rows else "not decided")

    @property
    def ok(self) -> bool:
        """Whether every gradient is right."""
        return self.verdict == "right"

    @property
    def wrong(self) -> Any:
        """The rows of arguments whose gradient is wrong."""
        return [row for row in self.rows if row.verdict == "wrong"]

    @property
    def worst(self) -> Any:
        """The largest relative error of all rows; NaN if there are none."""
        return max((row.worst for row in self.rows), key=lambda e: (e != e, e), default=float("nan"))

    def __bool__(self):
        return self.ok

    def summary(self) -> str:
        """In a few words: `right`, `wrong: W (sign)`, `not decided: x (noise)`."""
        told = [
            f"{row.argument} ({row.kind})" if row.kind else row.argument
            for row in self.rows
            if row.verdict == self.verdict
        ]
        return "right" if self.ok else f"{self.verdict}: {', '.join(told) or 'nothing could be checked'}"

    def __str__(self):
        lines = [f"{self.title}: {self.summary()}"]
        if self.rows:
            lines += ["", *table(self.rows)]
        lines += [f"  {row.argument}: {sentence}" for row in self.rows for sentence in row.how]
        lines += ["", *(f"noticed: {notice}" for notice in self.notices)] if self.notices else []
        lines += ["", *self.notes] if self.notes else []
        lines += [self.lines_hint] if self.wrong and self.lines_hint else []
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict:
        """The report as plain values."""
        rows = [row_dict(row) | {"blocks": list(map(row_dict, row.blocks))} for row in self.rows]
        return {
            "title": self.title,
            "verdict": self.verdict,
            "ok": self.ok,
            "rows": rows,
            "notices": [notice._asdict() for notice in self.notices],
            "notes": list(self.notes),
        }

    def to_json(self, indent: Any = None) -> str:
        """The report as JSON; numbers that are not finite become null."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def _repr_html_(self):
        """A table for notebooks."""
        colours = COLOURS
        head = "".join(f"<th style='text-align:left'>{name}</th>" for name in HEADER)
        body = ""
        for row in self.rows:
            for part in (row, *row.blocks):
                shown = "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in cells_of(part))
                body += f"<tr style='color:{colours[part.verdict]}'>{shown}</tr>"
            if row.how:
                how = html.escape("; ".join(row.how))
                body += f"<tr><td></td><td colspan={len(HEADER) - 1} style='text-align:left'>{how}</td></tr>"
        besides = "".join(f"<li>{html.escape(str(notice))}</li>" for notice in self.notices)
        notes = "<br>".join(html.escape(note) for note in self.notes)
        return (
            f"<b>{html.escape(self.title)}: "
            f"<span style='color:{colours[self.verdict]}'>{html.escape(self.summary())}</span></b>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"{f'<ul>{besides}</ul>' if besides else ''}<small>{notes}</small>"
        )

    def plot(self, file: Any = None) -> Any:
        """The V of error against step and a map of the errors; a matplotlib figure, written to `file` if given."""
        from tinyrnn.checking.functions.picture import draw

        return draw(self, file)


COLOURS = {  # to be read on white, and on a dark page
    "right": "light-dark(#1b6e2c, #7fbf97)",
    "wrong": "light-dark(#b3261e, #ff8a80)",
    "not decided": "light-dark(#7a5c00, #e0b34d)",
}
HEADER = ("gradient of", "verdict", "kind", "error", "at", "yours", "numerical", "checked", "by")


def table(rows: Any) -> Any:
    """The lines of the table."""
    lines = [HEADER, *(cells_of(part) for row in rows for part in (row, *row.blocks))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]


def cells_of(row: Any) -> Any:
    """The texts of an `ArgumentRow`'s nine columns, from the argument's name to the method."""
    verdict = row.verdict.upper() if row.verdict == "wrong" else row.verdict
    index = "" if not row.index else f"[{', '.join(map(str, row.index))}]"
    checked = "all" if row.checked == row.size else f"{row.checked} of {row.size}"
    checked += f", {row.directions} directions" if row.directions else ""
    return (
        row.argument, verdict, row.kind, f"{row.worst:.0e}", index, number(row.analytic), number(row.numerical),
        checked, {"central differences": "central", "complex step": "complex"}.get(row.method, row.method),
    )  # fmt: skip


def row_dict(row: Any) -> Any:
    """An `ArgumentRow` without its blocks, as plain values."""
    return {name: plain(value) for name, value in row._asdict().items() if name != "blocks"}


def number(value: Any) -> Any:
    """Six significant digits; "" for None."""
    return "" if value is None else f"{value:.6g}"


def plain(value: Any) -> Any:
    """A value for JSON."""
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    if isinstance(value, complex | np.complexfloating):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def cell_dict(report: Any) -> Any:
    """A `Report` of a network as plain values."""
    rows = [{name: plain(value) for name, value in row._asdict().items()} for row in report.rows]
    return {"title": report.title, "ok": report.ok, "rows": rows, "problems": report.problems, "notes": report.notes}


class GradientReports(list):
    """Several `GradientReport`s (or `Report`s of cells), as of a module; true if all are right."""

    @property
    def ok(self) -> Any:
        """Whether every report is ok."""
        return all(report.ok for report in self)

    def __bool__(self):
        return self.ok

    def __str__(self):
        return "\n\n".join(map(str, self))

    __repr__ = __str__

    def to_json(self, indent: Any = None) -> Any:
        """A JSON list of the reports, as text. indent: as for `json.dumps`."""
        made = [report.to_dict() if hasattr(report, "to_dict") else cell_dict(report) for report in self]
        return json.dumps(made, indent=indent, ensure_ascii=False)

    def _repr_html_(self):
        return "<br>".join(
            r._repr_html_() if hasattr(r, "_repr_html_") else f"<pre>{html.escape(str(r))}</pre>" for r in self
        )
