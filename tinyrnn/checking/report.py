"""What the gradient check found: rows to compute with, and a table to read."""

import html
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

COLOURS = {  # in a notebook, light or dark: told apart by the colour-blind too, and of contrast enough to be read
    "WRONG": "light-dark(#b34700, #ff9d5c)",
    "kink": "light-dark(#7a5c00, #e6b450)",
    "ok": "light-dark(#00664a, #5fcfa8)",
}
MOST_COLUMNS = 8  # time steps printed; of longer runs the first and the last


class Row(NamedTuple):
    """One cell of the table: a block of one array, at one time step or in total.

    name: a parameter, `inputs`, or `state.h` (an initial state). gate: the block of the parameter, or None.
    t: time step, or None for the whole run. error: the relative error that decides, which is complex_error where the
    complex step can be taken (else that is None) and otherwise central_error; kinks are left out.
    verdict: "ok", "wrong" or "kink" (right as far as one can say). kinks: how many entries sit on one.
    """

    name: str
    gate: str | None
    t: int | None
    error: float
    complex_error: float | None
    central_error: float
    verdict: str
    kinks: int = 0


@dataclass(repr=False)
class Report:
    """The result of `gradcheck`; true if all is well, and prints as a table.

    rows: list of `Row`. problems: one-line findings that are not about numbers (something modified, a wrong shape).
    notes: what one should know in order to read the table. find_lines: makes `lines`.
    """

    title: str
    rows: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    find_lines: Any = field(default=None, compare=False)

    @cached_property
    def lines(self) -> Any:
        """The verdict on each line of the backward pass (`tinyrnn.lines`), worked out when first asked for: of a cell a
        `LineReport`, of other networks `LineReports`, one for each cell in it."""
        return None if self.find_lines is None else self.find_lines()

    def __getstate__(self):
        """What a stored report has: not the network, but its lines if they were asked for before."""
        return {**vars(self), "find_lines": None}

    @property
    def wrong(self) -> Any:
        """The rows with a wrong gradient."""
        return [row for row in self.rows if row.verdict == "wrong"]

    @property
    def ok(self) -> bool:
        """Whether every gradient is right and nothing else is the matter."""
        return not self.problems and not self.wrong

    @property
    def worst(self) -> Any:
        """The largest error of all rows; NaN if one is NaN or there are none."""
        errors = [row.error for row in self.rows]
        return max(errors, key=lambda e: (e != e, e), default=float("nan"))

    def __bool__(self):
        return self.ok

    def __str__(self):
        lines = [f"{self.title}: {self.summary()}", *(f"problem: {line}" for line in self.problems)]
        if self.rows:
            lines += ["", *table(self.rows), ""]
        return "\n".join([*lines, *self.notes, *([] if self.ok else self.pointer())]).rstrip()

    def pointer(self) -> Any:
        """What is said of the first wrong line: nothing where none can be found."""
        try:
            found = self.lines
            reports = found if isinstance(found, list) else [found]
            place = next(report.first_wrong_place() for report in reports if report is not None and report.wrong)
        except (StopIteration, ValueError, TypeError):
            return []
        return [f"first wrong line: {place}  (tinyrnn lines says more)"]

    __repr__ = __str__

    def _repr_html_(self):
        """The table for a notebook."""
        title = f"<p><b>{html.escape(self.title)}</b>: {html.escape(self.summary())}</p>"
        header, *lines = grid(self.rows)
        head = "".join(f"<th>{html.escape(str(cell))}</th>" for cell in header)
        body = "".join(f"<tr>{html_cells(line)}</tr>" for line in lines)
        said = [*(f"problem: {line}" for line in self.problems), *self.notes, *([] if self.ok else self.pointer())]
        below = "".join(f"<p>{html.escape(line)}</p>" for line in said)
        return f"<div>{title}<table><tr>{head}</tr>{body}</table>{below}</div>"

    def summary(self) -> str:
        """ "ok", or how many gradients are wrong and what else was found."""
        wrong = len({(row.name, row.gate) for row in self.wrong})
        found = [(wrong, "wrong gradient"), (len(self.problems), "problem")]
        found = [f"{n} {what}{'s' * (n > 1)}" for n, what in found if n]
        return "ok" if self.ok else " and ".join(found)


def grid(rows: Any) -> Any:
    """The table, a list of lists of text: parameters and gates down, time steps across, the whole run and a verdict."""
    by_line: dict = {}
    for row in rows:
        by_line.setdefault((row.name, row.gate), {})[row.t] = row
    steps = sorted({row.t for row in rows if row.t is not None})
    if len(steps) > MOST_COLUMNS:
        steps = [*steps[: MOST_COLUMNS // 2], "...", *steps[-MOST_COLUMNS // 2 :]]
    header = ["gradient of", *(t if t == "..." else f"t={t}" for t in steps), "total", "central", ""]
    lines = [header]
    for (name, gate), cells in by_line.items():
        total = cells[None]
        central = "" if total.complex_error is None else f"{total.central_error:.0e}"
        verdicts = {row.verdict for row in cells.values()}
        verdict = next(v for v in ("wrong", "kink", "ok") if v in verdicts)
        shown = ["..." if t == "..." else show(cells.get(t)) for t in steps]
        label = name if gate is None else f"{name} [{gate}]"
        lines.append([label, *shown, show(total), central, verdict.upper() if verdict == "wrong" else verdict])
    return lines


def table(rows: Any) -> Any:
    """The lines of `grid` as text, in columns."""
    lines = grid(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        f"{line[0]:<{widths[0]}}"
        + "".join(f"{c:>{w + 2}}" for c, w in zip(line[1:-1], widths[1:-1], strict=True))
        + f"  {line[-1]}".rstrip()
        for line in lines
    ]


def html_cells(line: Any) -> Any:
    """The cells of one line of `grid`: its name on the left, wrong numbers and the verdict in colour."""
    label, *numbers, verdict = map(html.escape, line)
    right = "".join(
        f'<td style="color:{COLOURS["WRONG"] if n.startswith("!") else "inherit"}">{n}</td>' for n in numbers
    )
    return f'<td style="text-align:left">{label}</td>{right}<td style="color:{COLOURS[verdict]}"><b>{verdict}</b></td>'


def show(row: Any) -> Any:
    """The text of one `Row` in the table: `kink`, or its error, after `!` if wrong; "" for None."""
    if row is None:
        return ""
    return "kink" if row.verdict == "kink" else f"{'!' * (row.verdict == 'wrong')}{row.error:.0e}"
