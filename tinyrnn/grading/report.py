"""Marks as a student reads them: a text for the terminal, and a list of checks for programs.

A failing task says first what it is for, then what is wrong with its numbers, then which line is wrong, then the known
mistake, if it is one. Everything is in words; colour only repeats them.
"""

import json
import re

from tinyrnn.grading.compare import listed
from tinyrnn.grading.marks import CRASHED

FACES = {"right": ":)", "partly": ":/", "wrong": ":(", "waiting": ":|", "missing": ":|", "crashed": ":("}
WORDS = {"missing": "not yet", "waiting": "waits"}
COLOURS = {"right": "32", "partly": "33", "wrong": "31", "crashed": "31"}
PUBLIC = "Hidden checks, with other sizes and numbers, run when your work is marked, and give the points."
PLACE = re.compile(r"/\S*/(?=ex\d+_\w+\.py\b)")  # where the file lies while it is checked: elsewhere each time
MOST = 40  # lines of line verdicts


def text(marks, *, colour=False, command="tinyrnn"):
    """The marks as a text of several lines, without a newline at the end. command: how hints are asked for."""
    rows = [cells(task) for task in marks.tasks]
    widths = [max((len(cell) for cell in column), default=0) for column in zip(*rows, strict=True)]
    of = f"{amount(marks.points)} of {amount(marks.possible)} points"
    more = "" if marks.hidden else " in the public checks"
    lines = [f"{marks.file}: {marks.title}", of + more]
    if marks.problem:
        lines += ["", f"  {marks.problem}"]
    lines.append("")
    failing = [task for task in marks.tasks if task.status in ("wrong", "partly") and not marks.problem]
    for task, row in zip(marks.tasks, rows, strict=True):
        face, word, name, title, points = (cell.ljust(w) for cell, w in zip(row, widths, strict=True))
        head = f" {painted(face, task.status, colour)}  {painted(word, task.status, colour)}  {name}  {title}  {points}"
        more = task.message if task.status in ("waiting", "crashed") and not marks.problem else ""
        lines.append(f"{head}  {more}".rstrip())
        if task in failing:
            lines += [f"       {line}" if line else "" for line in details(task)]
    lines.append("")
    open_tasks = failing or [task for task in marks.tasks if task.status == "missing" and not marks.problem]
    if open_tasks:
        lines.append(f"A hint for {open_tasks[0].name}: {command} hint {marks.number}")
    if marks.step:
        lines.append(f"See its lines run, one by one, beside the true gradients: {command} step {marks.step}")
    if marks.crashed:
        lines.append(f"{CRASHED}. The other tasks are not affected." if marks.tasks else CRASHED)
    if not marks.hidden:
        lines.append(f"All public checks are right. {PUBLIC}" if marks.all_right else PUBLIC)
    return "\n".join(lines).rstrip()


def cells(task):
    """The columns of a task's line."""
    points = "practice" if task.practice else f"{amount(task.cents / 100)}/{task.points}"
    return FACES[task.status], WORDS.get(task.status, task.status), task.name, task.title, points


def details(task):
    """What is said of a task that is wrong: a list of lines, the most important first."""
    lines = [f"why: {task.why}"] if task.why else []
    if task.message:
        lines.append(task.message)
    lines += list(dict.fromkeys(finding.message for finding in task.findings))
    right = [output.name for output in task.outputs if output.public]
    if task.findings and right:
        lines.append(f"right: {', '.join(right)}")
    if task.cases:
        lines.append(f"({task.cases})")
    if task.lines:
        lines += ["line by line:", *(f"  {line}" if line else "" for line in shortened(task.lines))]
    if task.mistake:
        lines.append(f"known mistake (your numbers are exactly what it gives): {task.mistake['title']}")
    for known in task.partial:
        lines.append(f"known mistake in {listed(known['outputs'])} (exactly what it gives there): {known['title']}")
    if task.printed.strip():
        printed = PLACE.sub("", task.printed).strip().splitlines()[:20]
        lines += ["printed in the first case:", *(f"  > {line}" for line in printed)]
    return lines


def shortened(lines):
    """Line verdicts; of a long listing only what is said of wrong lines."""
    if len(lines) <= MOST:
        return lines
    chosen, wrong = [], False
    for line in lines:
        wrong = "WRONG" in line.split("|")[0] or (wrong and line.lstrip().startswith("|"))
        chosen += [line] if wrong else []
    return chosen[:MOST] or lines[:MOST]


def checks(marks):
    """The tasks as check50 words its results: a list of dicts with the fields name, description, passed (True, False,
    None if it did not run), log, cause (None or rationale, help, expected, actual) and dependency; and points."""
    return [
        {
            "name": task.name,
            "description": task.title,
            "passed": {"right": True, "waiting": None, "crashed": None}.get(task.status, False),
            "log": [line for line in (task.message, task.cases, *task.lines) if line],
            "cause": None if task.status == "right" else cause(task),
            "dependency": task.after[0] if task.after else None,
            "points": task.cents / 100,
            "possible": task.points,
        }
        for task in marks.tasks
    ]


def cause(task):
    """Rationale, help, expected and actual of a task that failed, a dict of texts."""
    first = task.findings[0] if task.findings else None
    said = list(dict.fromkeys(finding.message for finding in task.findings)) or [task.message]
    return {
        "rationale": task.why,
        "help": task.mistake["title"] if task.mistake else "; ".join(said),
        "expected": first.expected if first else "",
        "actual": first.actual if first else "",
    }


def as_json(marks):
    """`checks` and the sums as JSON text."""
    content = {
        "exercise": marks.exercise,
        "title": marks.title,
        "problem": marks.problem,
        "hidden": marks.hidden,
        "points": marks.points,
        "possible": marks.possible,
        "results": checks(marks),
    }
    return json.dumps(content, indent=1, allow_nan=False)


def amount(points):
    """Points as text, two decimals at most, without zeros at the end."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def painted(word, status, colour):
    """The word in the colour of a status, as ANSI escapes, if colour is wanted."""
    return f"\033[{COLOURS[status]}m{word}\033[0m" if colour and status in COLOURS else word
