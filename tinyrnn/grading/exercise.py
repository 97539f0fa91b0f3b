"""An exercise: a folder with all that belongs to it, or the part of it that is handed out.

    exercises/3_gates/       (the teacher's)            handed out: exercises_data/3_gates/ in an installed package
        handout.md           what is asked              the same
        master.py            the solution, with         skeleton.py, without it
                             # BEGIN SOLUTION and # END SOLUTION around what is to be written
        cases.py             what functions are called with: generators            the same
        checks.py            TITLE, TASKS = (Task(…), …), PACKAGES = ("numpy",)    the same
        hidden.py            HIDDEN = {task name: Hidden(…)}                       never
        mistakes.py          MISTAKES = (Mistake(…), …)                            never
        equivalent.py        changes that are none: EQUIVALENT = {reason: (…)}      never
        public/              made by `tinyrnn teach build`:
            expected.npz     what the master gives for the public cases            the same
            signatures.npz   what the known mistakes give                          the same
            manifest.json    the known mistakes' names                             the same
            picture.png      drawn by picture.py, where there is one               the same
        play.py              something to run when all is right, where wanted      the same
        editions.py          what changes from year to year, where wanted          never

Nobody writes the right column: a wheel gets it when it is built (hatch_build.py). In a clone students' commands work on
the left one, of which they show the right one only.

The student's file is called ex3_gates.py. It may import those of earlier exercises (ex1_numbers, …), never later ones.
"""

import re
import sys
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType

from tinyrnn.core.files import shipped

PUBLIC = "public"  # the folder in a teacher's exercise that holds what is computed for students
PICTURE = "picture.png"  # what the text of an exercise calls its picture
HANDED_OUT = shipped("exercises_data", "exercises")  # what students' commands work on
FOLDER = re.compile(r"(\d+)_(\w+)")


@dataclass(frozen=True)
class Exercise:
    """One folder; number and name come from the folder's own name, the rest from its files when asked for."""

    folder: Path
    number: int = field(init=False)
    name: str = field(init=False)

    def __post_init__(self):
        match = FOLDER.fullmatch(self.folder.name)
        if match is None or not (self.folder / "checks.py").exists():
            raise ValueError(f"{self.folder} is no exercise: expected a folder such as 3_gates with checks.py in it")
        object.__setattr__(self, "number", int(match[1]))
        object.__setattr__(self, "name", match[2])

    @property
    def file(self):
        """The name of the student's file."""
        return f"ex{self.number}_{self.name}.py"

    @property
    def is_master(self):
        """Whether this is the teacher's folder, with the solution."""
        return (self.folder / "master.py").exists()

    @cached_property
    def checks(self):
        """The module checks.py."""
        return self.module("checks")

    @property
    def title(self):
        """The exercise's title, as its checks give it."""
        return self.checks.TITLE

    @property
    def tasks(self):
        """name -> `Task`, in the order in which they are to be solved."""
        return {task.name: task for task in self.checks.TASKS}

    @property
    def packages(self):
        """What the student's code may import besides the standard library."""
        return getattr(self.checks, "PACKAGES", ("numpy",))

    @cached_property
    def hidden(self):
        """name -> `Hidden`."""
        return self.module("hidden").HIDDEN if (self.folder / "hidden.py").exists() else {}

    @cached_property
    def mistakes(self):
        """The known mistakes from mistakes.py; () where there is no such file."""
        return self.module("mistakes").MISTAKES if (self.folder / "mistakes.py").exists() else ()

    @cached_property
    def equivalent(self):
        """Changes of the master that change no answer, text -> the reason, from equivalent.py (`grading.mutants`)."""
        if not (self.folder / "equivalent.py").exists():
            return {}
        return {text: why for why, texts in self.module("equivalent").EQUIVALENT.items() for text in texts}

    @cached_property
    def master(self):
        """The module master.py; earlier masters can be imported in it under their students' names."""
        return self.module("master")

    @property
    def handout(self):
        """The text of handout.md."""
        return (self.folder / "handout.md").read_text(encoding="utf-8")

    @property
    def points(self):
        """The sum of the points of all tasks."""
        return sum(task.points for task in self.tasks.values())

    def module(self, name, text=None, earlier=None):
        """The module that the file `name`.py of the folder makes; or that `text` makes, if it is given, in its place.
        While it is loaded, `cases` is this folder's own and the masters of earlier exercises go by their students'
        names. earlier: a dict that keeps these masters from one call to the next, for who loads many."""
        path = self.folder / f"{name}.py"
        code = compiled(path.read_text(encoding="utf-8") if text is None else text, str(path))
        module = ModuleType(f"tinyrnn_exercise_{self.number}_{name}")
        module.__file__ = str(path)
        known = {}
        if name != "cases" and (self.folder / "cases.py").exists():
            known["cases"] = self.module("cases")
        if name == "master":
            masters = {} if earlier is None else earlier
            for each in exercises(self.folder.parent):
                if each.number < self.number:
                    own = each.file.removesuffix(".py")
                    if own not in masters:
                        masters[own] = each.module("master", earlier=masters)
                    known[own] = masters[own]
        before = {key: sys.modules.get(key) for key in known}
        sys.modules.update(known)
        try:
            exec(code, module.__dict__)
        finally:
            for key, value in before.items():
                if value is None:
                    del sys.modules[key]
                else:
                    sys.modules[key] = value
        return module


@lru_cache(64)
def compiled(text, path):
    """The code of a file: cases.py, for one, is loaded anew beside each known mistake, and is the same each time."""
    return compile(text, path, "exec")


def exercises(root=HANDED_OUT):
    """The exercises in a folder, in teaching order."""
    folders = [path for path in Path(root).iterdir() if FOLDER.fullmatch(path.name) and (path / "checks.py").exists()]
    return sorted((Exercise(folder) for folder in folders), key=lambda e: e.number)


def exercise(which, root=HANDED_OUT):
    """The exercise with a number ("3", 3) or name ("gates"); ValueError in one line if there is none."""
    known = exercises(root)
    for each in known:
        if str(which) in (str(each.number), each.name, each.folder.name):
            return each
    there = ", ".join(f"{each.number} ({each.name})" for each in known)
    later = "" if any(each.is_master for each in known) else "; one that was handed out later comes with its own wheel"
    raise ValueError(f"there is no exercise {which!r}; there are {there}{later}")
