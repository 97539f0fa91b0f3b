"""What the line verdicts found: data to compute with, a listing to read, JSON for machines, HTML for notebooks."""

import html
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tinyrnn.core.files import as_typed
from tinyrnn.verdicts.hints import hints_of

VERSION = 1
MARKS = {"ok": "ok", "wrong": "WRONG", "unjudged": "?", "": ""}
COST = "cost: 1 for each line to be put right, up to 1 for each value that nothing explains then; the least is accused"
DOUBT = "right values in one of them make all results right, and nothing tells which it is"  # of several lines
GUESS = "right values there make all results right, and nothing else says so: what else is worked out would not fit"
PALE = "light-dark(#5f5f5f, #a8a8a8)"
ALONE = "text-align:right;white-space:nowrap;padding:0 .4em"
COLOURS = {  # to be read on white, and on a dark page
    "ok": "light-dark(#1b6e2c, #7fbf97)",
    "wrong": "light-dark(#b3261e, #ff8a80)",
    "unjudged": "light-dark(#7a5c00, #e0b34d)",
    "": "inherit",
}


@dataclass
class LineVerdict:
    """The verdict on one name assigned in one line.

    function, line, name: where. partner: what it should be the gradient of. verdict: "ok", "wrong", or "unjudged" with
    the reason in `how`. error: the largest relative error. step: which of several values in time differs most, None for
    one alone; entry: at which index; came, expected: the numbers there. how: phrases that say how it differs, and
    which other line would do as well. mistake: the known mistake whose numbers these are exactly, a dict, or None.
    times: how many values were judged.
    """

    function: str
    line: int
    name: str
    partner: str | None
    verdict: str
    error: float | None = None
    step: int | None = None
    entry: tuple | None = None
    came: float | complex | None = None
    expected: float | complex | None = None
    how: list = field(default_factory=list)
    mistake: dict | None = None
    times: int = 1


@dataclass
class Reason:
    """What stands behind the verdict on one name assigned in one line, or behind there being none.

    taken_for: what it was taken for, or why it was not judged. compared, outcome: what with, and what came of it.
    repair: whether right values here would make all results right, and what decided, where that was tried.
    """

    function: str
    line: int
    name: str
    taken_for: str
    compared: str = ""
    outcome: str = ""
    repair: str = ""


@dataclass(repr=False)
class LineReport:
    """The result of `tinyrnn.lines`; true if no line is wrong, and prints as a listing of the backward pass.

    rows: list of `LineVerdict` in the order of the source. problems: findings about no line in particular. notes: what
    one should know in order to read it. sources: [(function, {line number: text})] of what is listed. files: function
    -> the file it is in. reasons: list of `Reason`. recognition: what the forward pass was found to be, or not to be.
    not_compared: what came out of the backward pass and could not be compared, and why. compared: how much was.
    wrong_results: the inputs whose gradients came out wrong. remedies: list of `Remedy`, where they were asked for.
    """

    title: str
    rows: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    files: dict = field(default_factory=dict)
    reasons: list = field(default_factory=list)
    recognition: str = ""
    not_compared: list = field(default_factory=list)
    compared: int = 0
    wrong_results: list = field(default_factory=list)
    remedies: list = field(default_factory=list)

    @property
    def wrong(self) -> Any:
        """The wrong lines."""
        return [row for row in self.rows if row.verdict == "wrong"]

    @property
    def unjudged(self) -> Any:
        """The rows of lines that could not be judged."""
        return [row for row in self.rows if row.verdict == "unjudged"]

    @property
    def ok(self) -> bool:
        """Whether no line is wrong, nothing else is the matter, and all that came out was compared."""
        return not self.wrong and not self.problems and not self.not_compared

    def __bool__(self):
        return self.ok

    @property
    def first_wrong(self) -> Any:
        """The wrong line that runs first, or None: where to begin."""
        return self.wrong[0] if self.wrong else None

    def first_wrong_place(self) -> Any:
        """`file.py:61, df = dc * c`; only if there is a wrong line."""
        row = self.first_wrong
        file = self.files.get(row.function)
        text = dict(self.sources).get(row.function, {}).get(row.line, "").split("#")[0].strip()
        place = f"{row.function}, line {row.line}" if file is None else f"{as_typed(file)}:{row.line}"
        return f"{place}, {text}" if text else place

    def hints(self, level: int = 1) -> Any:
        """What is told of the wrong lines to who asks for it, a list of sentences: `tinyrnn.verdicts.hints`.

        level: 1, which results are wrong because of them, and what a mistake that is known is about; 2, also which part
        of a line it is; 3, also what would put the line right. 2 and 3 need `tinyrnn.lines(…, remedies=True)`.
        """
        return hints_of(self, level)

    def summary(self) -> str:
        """How many lines are wrong, were not judged, and so on, in words."""
        if self.ok:
            judged = sum(row.verdict == "ok" for row in self.rows)
            said = f"{judged} value{'s' * (judged > 1)} judged" if judged else f"{self.compared} gradients compared"
            return f"all right ({said})" if judged or self.compared else "there was nothing to judge"
        lines = {(row.function, row.line) for row in self.wrong}
        found = [(len(lines), "wrong line"), (len(self.problems), "problem")]
        said = " and ".join(f"{n} {what}{'s' * (n > 1)}" for n, what in found if n)
        return "; ".join([said or "nothing wrong in what was compared", *self.not_compared])

    def __str__(self):
        parts = [f"{self.title}: {self.summary()}", *(f"problem: {text}" for text in self.problems)]
        listed = set()
        for function, lines in self.sources:
            parts += ["", function, *self.listing(function, lines)]
            listed.add(function)
        for row in self.wrong:
            if row.function not in listed:
                parts += ["", f"{row.function}, line {row.line}", *explanation(row)]
        return "\n".join([*parts, *([""] if self.notes else []), *self.notes])

    __repr__ = __str__

    def listing(self, function: Any, lines: Any) -> Any:
        """The lines of one function, each with its mark, and an explanation under the wrong ones."""
        width = len(str(max(lines, default=0)))
        for number, text in lines.items():
            rows = [row for row in self.rows if (row.function, row.line) == (function, number)]
            mark, error = mark_of(rows)
            yield f"{number:>{width}} {mark:>5} {error:>6} | {text}".rstrip()
            for row in rows:
                yield from (f"{'':>{width + 13}} | {line}" for line in explanation(row))

    def why(self) -> Any:
        """The lines that give something a name, with what stands behind the verdict on each, a text."""
        parts = [f"{self.title}: {self.summary()}"]
        texts = dict(self.sources)
        for function in dict.fromkeys(reason.function for reason in self.reasons):
            parts += ["", function]
            here = [reason for reason in self.reasons if reason.function == function]
            for number in sorted({reason.line for reason in here}):
                parts.append(f"{number:>4} | {texts.get(function, {}).get(number, '')}".rstrip())
                for reason in (reason for reason in here if reason.line == number):
                    parts += [f"       {reason.name}: {reason.taken_for}"]
                    parts += [f"         {text}" for text in (reason.compared, reason.outcome, reason.repair) if text]
        said = [*self.problems, *self.not_compared, *self.notes, *filter(None, [self.recognition])]
        said += [COST] if any("cost" in reason.repair for reason in self.reasons) else []
        return "\n".join([*parts, "", *dict.fromkeys(said)])

    def as_dict(self) -> Any:
        """Everything, as nested dicts and lists of plain values."""
        return {
            "version": VERSION,
            "title": self.title,
            "ok": self.ok,
            "lines": [plain(asdict(row)) for row in self.rows],
            "problems": list(self.problems),
            "not_compared": list(self.not_compared),
            "wrong_results": list(self.wrong_results),
            "remedies": [asdict(remedy) for remedy in self.remedies],
            "notes": list(self.notes),
            "reasons": [asdict(reason) for reason in self.reasons],
            "recognition": self.recognition,
            "files": dict(self.files),
            "sources": [
                {"function": f, "lines": {str(n): text for n, text in lines.items()}} for f, lines in self.sources
            ],
        }

    def to_json(self, **options: Any) -> str:
        """`as_dict` as JSON; NaN and infinity become null."""
        return json.dumps(self.as_dict(), allow_nan=False, **options)

    def _repr_html_(self):
        rows = []
        for function, lines in self.sources:
            rows.append(
                f'<tr><td colspan="3" style="text-align:left;padding-top:.6em"><b>{html.escape(function)}</b></td></tr>'
            )
            for number, text in lines.items():
                here = [row for row in self.rows if (row.function, row.line) == (function, number)]
                mark, error = mark_of(here)
                colour = COLOURS[verdict_of(here)]
                said = "".join(f"<div>{html.escape(line)}</div>" for row in here for line in explanation(row))
                said = f'<div style="color:{colour};white-space:pre-wrap;margin-left:2em">{said}</div>' if said else ""
                rows.append(
                    f'<tr style="vertical-align:top"><td style="text-align:right;color:{PALE}">{number}</td>'
                    f'<td style="color:{colour};{ALONE}"><b>{mark}</b> {error}</td>'
                    f'<td style="text-align:left"><pre style="margin:0">{html.escape(text)}</pre>{said}</td></tr>'
                )
        notes = "".join(f"<p>{html.escape(text)}</p>" for text in (*self.problems, *self.notes))
        title = f"<p><b>{html.escape(self.title)}</b>: {html.escape(self.summary())}</p>"
        return f'<div>{title}<table style="border-collapse:collapse">{"".join(rows)}</table>{notes}</div>'


class LineReports(list):
    """The reports of several pairs of functions, such as all of a module's."""

    @property
    def ok(self) -> Any:
        """Whether every report is ok."""
        return all(report.ok for report in self)

    def __bool__(self):
        return self.ok

    def __str__(self):
        return "\n\n".join(map(str, self))

    __repr__ = __str__

    def why(self) -> Any:
        """`LineReport.why` of all reports, one text with an empty line between."""
        return "\n\n".join(report.why() for report in self)

    def as_dict(self) -> Any:
        """{"version": int, "ok": bool, "reports": [`LineReport.as_dict`]}."""
        return {"version": VERSION, "ok": self.ok, "reports": [report.as_dict() for report in self]}

    def to_json(self, **options: Any) -> Any:
        """`as_dict` as JSON text. options: of `json.dumps`, such as indent."""
        return json.dumps(self.as_dict(), allow_nan=False, **options)

    def _repr_html_(self):
        return "".join(report._repr_html_() for report in self)


def verdict_of(rows: Any) -> Any:
    """The verdict on a line, the worst of its names'."""
    found = {row.verdict for row in rows}
    return next((v for v in ("wrong", "unjudged", "ok") if v in found), "")


def mark_of(rows: Any) -> Any:
    """("ok", "WRONG", "?" or "", largest relative error as text) of the rows of one line."""
    errors = [row.error for row in rows if row.error is not None]
    return MARKS[verdict_of(rows)], f"{max(errors):.0e}" if errors else ""


def explanation(row: Any) -> Any:
    """What is said under a line: nothing where it is right."""
    if row.verdict == "unjudged":
        yield f"{row.name}: not judged, {'; '.join(row.how)}"
    if row.verdict != "wrong":
        return
    where = "" if row.step is None else f" at step {row.step}"
    if row.entry is not None:
        index = ", ".join(map(str, row.entry))
        what = row.name if row.partner in (None, row.name) else f"{row.name}, the gradient of {row.partner}"
        yield (
            f"{what}: {row.came:.6g} came where {row.expected:.6g} belongs"
            f"{where}{f', entry [{index}]' if index else ''} (where they differ most)"
        )
    yield from (phrase if row.partner is None else f"{row.name}: {phrase}" for phrase in row.how)
    if row.partner is None and row.mistake is None and row.entry is None:
        return
    if row.mistake is not None:
        yield f"known mistake: {row.mistake['title']} ({row.mistake['name']}; seen in: {row.mistake['seen']})"
        yield f"question: {row.mistake['question']}"
        yield f"lecture section: {row.mistake['section_title']} (tinyrnn read {row.mistake['section']})"
    else:
        yield "not one of the known mistakes"


def plain(value: Any) -> Any:
    """Nested values in what JSON has; numbers that are not finite become None, complex ones [real, imaginary]."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return plain(value.item()) if hasattr(value, "item") else value
