"""What the names of files and folders say: whose they are, as learning platforms write it, and which file is meant."""

import re
from typing import NamedTuple

MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)")
CANVAS = re.compile(r"(?P<name>[^\W\d_][^_]*?)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?P<rest>.+)")
GRADESCOPE = re.compile(r"submission_(?P<id>\d+)(?P<rest>)")
AGAIN = r"(?:[ _-]*\(\d+\)|[ _-]copy|[ _-]\d+| - Copy)?"  # what browsers and platforms add to a name that was there


class Owner(NamedTuple):
    """student: the name as it is shown. id: on the platform, or "". late: the platform says so. rest: of the name."""

    student: str
    id: str = ""
    late: bool = False
    rest: str = ""


def owner(name, stem):
    """The `Owner` of an entry of the class folder. name: without .zip; stem: of the exercise's file, "ex3_gates"."""
    for pattern in (MOODLE, CANVAS):
        match = pattern.fullmatch(name)
        if match:
            found = match.groupdict()
            return Owner(found["name"].strip(), found["id"], bool(found.get("late")), found["rest"])
    match = GRADESCOPE.fullmatch(name)
    if match:
        return Owner(name, match["id"])
    bare = name.rsplit(".", 1)[0] if name.endswith((".py", ".ipynb")) else name
    before = re.fullmatch(rf"(.+?)[ _-]+{re.escape(stem)}{AGAIN}", bare, re.IGNORECASE)
    return Owner(before[1] if before else bare)


def means(name, wanted):
    """Whether a file's name is that of a wanted file but for what was put before or after it.

    "ex3_gates (1).py", "EX3_GATES.py" and "smith_ex3_gates-1.py" mean "ex3_gates.py"; "test_ex3_gates.py" does not.
    """
    stem, _, suffix = wanted.rpartition(".")
    if re.match(r"(test|play)_", name, re.IGNORECASE):
        return False
    return bool(re.fullmatch(rf"(?:.*[ _-])?{re.escape(stem)}{AGAIN}\.{suffix}", name, re.IGNORECASE))
