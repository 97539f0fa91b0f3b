"""The class file: who is in the class, what is late, who has more time, and what was corrected by hand.

    drop_worst = 1                                  # of all exercises, in `tinyrnn teach table`

    [deadlines]                                     # by number, name or folder of the exercise
    3 = 2026-11-20T23:59:00+01:00                   # without a zone: the time of this machine

    [late]
    grace = 15                                      # minutes that count for nothing
    per_day = 10                                    # per cent of the points, for each day that has begun
    days = 3                                        # after so many days there are no points

    [[students]]
    id = "4711"
    name = "Jane Doe"
    mail = "jane@example.org"
    also = ["team7"]                                # other names that her submissions have

    [[extra_time]]
    student = "4711"                                # an id, a name or a mail address
    exercise = 3                                    # left out: in all
    hours = 48

    [[corrections]]
    student = "4711"
    exercise = 3
    task = "coupled_step"                           # left out: of the whole exercise
    points = 2.5                                    # more than were given; less with a minus sign
    reason = "right but for the order of the outputs"

    [[handed_in]]                                   # where a platform knows better than the files
    student = "4711"
    exercise = 3
    time = 2026-11-20T22:10:00+01:00

Everything may be left out. Corrections are no part of results, so they stay whatever is graded again.
"""

import datetime
import math
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

DAY = 86400.0
TABLES = {
    "students": {"id": str, "name": str, "mail": str, "also": list},
    "extra_time": {"student": str, "exercise": (int, str), "hours": (int, float), "reason": str},
    "corrections": {"student": str, "exercise": (int, str), "task": str, "points": (int, float), "reason": str},
    "handed_in": {"student": str, "exercise": (int, str), "time": datetime.datetime},
}
NEEDED = {
    "students": {"name"},
    "extra_time": {"student", "hours"},
    "corrections": {"student", "exercise", "points", "reason"},
    "handed_in": {"student", "exercise", "time"},
}
LATE = {"grace": 0, "per_day": 0, "days": math.inf}


class Student(NamedTuple):
    """Somebody in the class. also: other names of their submissions."""

    name: str
    id: str = ""
    mail: str = ""
    also: tuple = ()


class Counted(NamedTuple):
    """What a submission counts. points: as marked. corrected: what was added by hand. late: days that have begun. off:
    per cent taken off for that. total: what is left, at least 0. said: all of it in lines for the student."""

    points: float
    corrected: float
    late: int
    off: float
    total: float
    said: tuple


@dataclass(frozen=True)
class Roster:
    """A class file. students: `Student`s. The others: as in the file, checked."""

    students: tuple = ()
    deadlines: dict = field(default_factory=dict)
    late: dict = field(default_factory=lambda: dict(LATE))
    extra_time: tuple = ()
    corrections: tuple = ()
    handed_in: tuple = ()
    drop_worst: int = 0

    def find(self, name, id=""):
        """The `Student` whose a submission is; None if nobody's. name, id: what its file says."""
        squeezed = plain(name)
        for each in self.students:
            if each.id and (each.id == id or each.id == name or each.id in re.findall(r"\d{3,}", name)):
                return each
        for each in self.students:
            words = each.name.split()
            last_first = "".join(words[-1:] + words[:-1])  # as Canvas writes names
            known = map(plain, (each.name, last_first, each.mail.split("@")[0], *each.also))
            if squeezed and squeezed in known:
                return each
        return None

    def counted(self, student, exercise, marks, time=0.0, late_there=False):
        """The `Counted` of marks. student: a `Student`; exercise: "3_gates"; time: when it was handed in, in seconds,
        0.0 if unknown; late_there: the platform called it late."""
        said = []
        mine = [each for each in self.corrections if self.is_for(each, student, exercise)]
        for each in mine:
            what = f"`{each['task']}`" if "task" in each else "the exercise"
            said.append(f"corrected by hand, {what}: {each['points']:+g} points: {each['reason']}")
        points, corrected = marks.points, sum(each["points"] for each in mine)
        days = self.days_late(student, exercise, time)
        if days is None and late_there and self.late:
            said.append("the platform says that it was late; there is no deadline in the class file")
        days = days or 0
        off = 100.0 if days > self.late["days"] else min(100.0, self.late["per_day"] * days)
        if days:
            said.append(f"late by {days} {'day' if days == 1 else 'days'}: {off:g} % off")
        total = round(max(0.0, points + corrected) * (1 - off / 100), 2)
        return Counted(points, corrected, days, off, total, tuple(said))

    def days_late(self, student, exercise, time):
        """How many days have begun since the deadline, with extra time and grace; None if it or the time is unknown."""
        deadline = next((when for which, when in self.deadlines.items() if same(which, exercise)), None)
        told = [each["time"] for each in self.handed_in if self.is_for(each, student, exercise)]
        time = told[-1].timestamp() if told else time
        if deadline is None or not time:
            return None
        hours = sum(each["hours"] for each in self.extra_time if self.is_for(each, student, exercise))
        over = time - deadline.timestamp() - 3600 * hours
        return math.ceil(over / DAY) if over > 60 * self.late["grace"] else 0

    def is_for(self, entry, student, exercise):
        """Whether an entry of a table is about a student and an exercise."""
        return self.find_by(entry["student"]) == student and same(entry.get("exercise", exercise), exercise)

    def find_by(self, who):
        """The `Student` with an id, mail address or name; None if there is none."""
        return next((each for each in self.students if who in (each.id, each.mail, each.name)), None) or self.find(who)


def plain(text):
    """A name as it is compared: its letters and digits, small."""
    return "".join(re.findall(r"\w+", text.replace("_", " ").casefold()))


def same(which, exercise):
    """Whether a number, a name or a folder's name means an exercise. exercise: "3_gates"."""
    number, _, name = exercise.partition("_")
    return str(which) in (number, name, exercise)


def read_roster(path):
    """The `Roster` in a class file; ValueError in a line, naming the file, for whatever is wrong with it."""
    if not Path(path).is_file():  # a pipe would be waited for
        raise ValueError(f"there is no class file {path}")
    try:
        return checked(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def checked(content):
    """The `Roster` that the content of a class file says; ValueError for what is not in the form above."""
    unknown = content.keys() - {*TABLES, "deadlines", "late", "drop_worst"}
    if unknown:
        raise ValueError(f"there is no {sorted(unknown)[0]!r} in a class file")
    for table, fields in TABLES.items():
        for number, entry in enumerate(content.get(table, ()), 1):
            where = f"number {number} of {table}"
            for key, value in entry.items():
                if key not in fields:
                    raise ValueError(f"{where}: {key} = {value!r} is not understood: it has {', '.join(fields)}")
                if not isinstance(value, fields[key]) or isinstance(value, bool):
                    raise ValueError(f"{where}: {key} = {value!r} is not understood")
            missing = NEEDED[table] - entry.keys()
            if missing:
                raise ValueError(f"{where}: {sorted(missing)[0]} is missing")
    deadlines, late = content.get("deadlines", {}), {**LATE, **content.get("late", {})}
    if any(not isinstance(when, datetime.datetime) for when in deadlines.values()):
        raise ValueError("a deadline is a date and a time, such as 2026-11-20T23:59:00")
    if late.keys() != LATE.keys() or any(not isinstance(v, int | float) or v < 0 for v in late.values()):
        raise ValueError("late has grace (minutes), per_day (per cent) and days, numbers from 0")
    drop = content.get("drop_worst", 0)
    if not isinstance(drop, int) or drop < 0:
        raise ValueError("drop_worst is a whole number from 0")
    students = tuple(Student(**{**e, "also": tuple(e.get("also", ()))}) for e in content.get("students", ()))
    for key in ("id", "name", "mail"):
        given = [getattr(each, key) for each in students if getattr(each, key)]
        twice = next((value for value in given if given.count(value) > 1), None)
        if twice and (key != "name" or any(not each.id for each in students if each.name == twice)):
            raise ValueError(f"two students have the {key} {twice!r}")
    lists = {table: tuple(content.get(table, ())) for table in ("extra_time", "corrections", "handed_in")}
    roster = Roster(students, deadlines, late, **lists, drop_worst=drop)
    for table, entries in lists.items():
        for entry in entries:
            if roster.find_by(entry["student"]) is None:
                raise ValueError(f"{table}: there is no student {entry['student']!r}")
    return roster


NOBODY = checked({})
