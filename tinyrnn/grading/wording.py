"""What is said of calls that gave nothing, and of errors, in lines that are the same on every machine."""

import re

from tinyrnn.grading.marks import CRASHED

LONGEST = 500  # characters of a message of the student's own
NOT_WRITTEN = "not written yet"
UNKNOWN = "not one of the known mistakes"  # a line of `tinyrnn.lines`, which knows other mistakes than an exercise
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")  # in memory, another one every time


def told(error):
    """An error of the grader's own, in a line that is the same on every machine."""
    where = re.sub(r"(?:/[^/\s'\"]+)+/", "", str(error).splitlines()[0] if str(error) else "")
    return clean(f"{CRASHED} ({type(error).__name__}: {where})")


def clean(text):
    """A text of the student's that can be shown anywhere: one line, printable, not long, without addresses."""
    text = printable(" ".join(str(text)[: 4 * LONGEST].split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def about(reply, task, file):
    """What is said of a call that did not return anything, in a line."""
    if reply.kind == "raised" and re.match(r"\W*NotImplementedError\b", reply.message or ""):
        return NOT_WRITTEN
    said = clean(reply.message or "")
    where = f" ({reply.line})" if reply.line else ""
    said_after = f": {said}" if said else ""
    return {
        "raised": f"{said}{where}",
        "timeout": f"no answer after {task.seconds:g} s{where}: is there a loop that does not end?",
        "died": f"the process ended before there was an answer{said_after}",
        "memory": f"out of memory{where}",
        "missing": f"there is no function {task.name} in {file}",
        "import": f"{file} does not load{said_after}{where}",
        "unsent": f"what was returned is not made of arrays of numbers{said_after}",
    }.get(reply.kind, f"no answer{said_after}")


def in_place(reply):
    """What is said of an argument that was changed in place, a line."""
    where = f" ({reply.line})" if reply.line else ""
    return f"{reply.changed} was changed in place{where}: no function changes its arguments, work on a copy"


def line_command(exercise, task):
    """The command that prints the line verdicts on a task."""
    if task.forward:  # which `tinyrnn lines` knows nothing of
        return f"tinyrnn check {exercise.number} --task {task.name}"
    return f"tinyrnn lines {exercise.file}:{task.partners[1]}"


def line_of(text):
    """A line of a listing, with its spaces."""
    return printable(str(text).rstrip()[:LONGEST])


def printable(text):
    """The text without addresses, and with ? for what cannot be printed."""
    return "".join(c if c.isprintable() else "?" for c in ADDRESS.sub("0x…", text))
