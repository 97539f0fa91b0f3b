"""What is told of wrong lines to who asks for it, from a nudge to the answer."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Remedy:
    """What would put a wrong line right: with `right` in place of `wrong`, the statement there, all results are right.
    part: the smallest part of it that differs, "" for all of it. What is meant may be written in another way."""

    function: str
    line: int
    wrong: str
    right: str
    part: str = ""


def hints_of(report: Any, level: int) -> Any:
    """See `LineReport.hints`."""
    if not report.wrong:
        return []
    which = sorted({(row.function, row.line) for row in report.wrong})
    known = [row for row in report.wrong if row.mistake is not None]
    told = [f"hint, {row.function} line {row.line}, {row.name}: {row.mistake['hint']}" for row in known]
    if report.wrong_results:
        what = f"the gradient{'s' * (len(report.wrong_results) > 1)} of {', '.join(report.wrong_results)}"
        told.insert(
            0, f"hint: {what}: wrong, and right as soon as the marked line{'s are' if len(which) > 1 else ' is'}"
        )
    if level > 1:
        found = {(remedy.function, remedy.line) for remedy in report.remedies}
        told += [
            text for remedy in sorted(report.remedies, key=lambda one: one.line) for text in in_words(remedy, level)
        ]
        told += [
            f"hint, {f} line {n}: no small change of this line was found that puts it right"
            for f, n in which
            if (f, n) not in found
        ]
    return told


def in_words(remedy: Remedy, level: int) -> Any:
    """What is said of a `Remedy` at a level of `LineReport.hints`."""
    here = f"hint, {remedy.function} line {remedy.line}:"
    where, missing = missing_beside(remedy)
    if missing:
        yield f"{here} something is missing {where}"
    elif remedy.part and remedy.part in remedy.right:
        yield f"{here} look at `{remedy.part}`: it is not all that belongs there"
    else:
        yield f"{here} look at `{remedy.part or ' '.join(lines_of(remedy.wrong))}`: it is not what belongs there"
    if level > 2:
        text = " ".join(missing or lines_of(remedy.right))
        yield f"{here} {where}{', ' if missing else ''}`{text}` puts it right"


def missing_beside(remedy: Remedy) -> tuple[str, list[str]]:
    """(where a `Remedy` puts statements in, in words, their lines); nothing where it puts in none."""
    old, new = lines_of(remedy.wrong), lines_of(remedy.right)
    if len(new) > len(old) and new[-len(old) :] == old:
        return f"before `{old[0]}`", new[: -len(old)]
    side = "within" if new[0].endswith(":") else "behind"
    return (f"{side} `{new[0]}`", new[1:]) if len(new) > 1 else ("", [])


def lines_of(text: str) -> list[str]:
    """The lines of a text, without what stands for the rest of a loop, unless that is all."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line != "pass"] or lines
