"""Editions of the exercises: the same homework with other names, orders of gates, constants and rules, so that what
was right last year is wrong this year.

A teacher's folder may have an editions.py, which is never handed out:

    VARIANTS = (
        Variant("half-life", ("leaky_step",), {"np.exp(-1 / tau)": "0.5 ** (1 / tau)", "exp(-1/τ)": "2^(-1/τ)"}),
    )

A variant is a list of ways to write the same places. The first, with nothing changed, is the exercise as it lies there.
An edition is a whole number, a year for instance. It takes one way of each variant, the next year the next one, so two
years in a row have nothing in common where there is a variant. All texts of all exercises are changed in one go, those
of mistakes too; whether what comes out is an exercise again, `tinyrnn teach verify --edition` finds out.
"""

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tinyrnn.grading.exercise import PICTURE, PUBLIC, exercises

FILE = "editions.py"
CHANGED = (".py", ".md")


@dataclass(frozen=True, init=False)
class Variant:
    """One thing that editions differ in.

    name: in a few words; variants of the same name change in step. tasks: names, as the exercise lies there, of the
    tasks whose answers are wrong in the other editions. ways: dicts, old text -> new text, of which an edition takes
    one or none. everywhere: they change the texts of all exercises, as names do which others mention; else of its own.
    """

    name: str
    tasks: tuple
    ways: tuple
    everywhere: bool

    def __init__(self, name, tasks, *ways, everywhere=False):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "tasks", tuple(tasks))
        object.__setattr__(self, "ways", ({}, *ways))
        object.__setattr__(self, "everywhere", everywhere)

    def way(self, edition):
        """The dict that an edition takes: the way that everybody can read only if there is just one other."""
        ways = self.ways if len(self.ways) == 2 else self.ways[1:]
        start = hashlib.sha256(self.name.encode()).digest()[1]
        return ways[(start + edition) % len(ways)]


def renamed(**names):
    """A way of a variant: other names for functions whose names are words as well, changed where code is meant and
    nowhere else."""
    table = {}
    for old, new in names.items():
        for before, after in (("", "("), ("`", "`"), ('"', '"'), (".", ","), ("", "_backward")):
            table[f"{before}{old}{after}"] = f"{before}{new}{after}"
    return table


def variants(exercise):
    """The variants of an exercise of the teacher's; () if it has none."""
    return exercise.module("editions").VARIANTS if (exercise.folder / FILE).exists() else ()


def changes(root, edition):
    """Of an edition, folder name -> {old text: new text}. ValueError if two variants change the same text."""
    known = {exercise.folder.name: variants(exercise) for exercise in exercises(root)}
    found = {}
    for folder in known:
        table = found[folder] = {}
        for place, each in ((place, each) for place, them in known.items() for each in them):
            for old, new in each.way(edition).items() if each.everywhere or place == folder else ():
                if table.setdefault(old, new) != new:
                    raise ValueError(f"{folder}: two variants change {old!r}")
    return found


def changed(text, table):
    """The text with every old text in `table` replaced, the longest first; what was replaced is not looked at again."""
    if not table:
        return text
    olds = sorted(table, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, olds)), lambda match: table[match[0]], text)


def write_edition(root, edition, out):
    """Writes an edition of all exercises in the folder `root` into `out`, a folder that is empty or not there yet, and
    returns it as a Path: again a folder of a teacher's exercises, for every command that takes one."""
    out, tables = Path(out), changes(root, edition)
    for exercise in exercises(root):
        folder = out / exercise.folder.name
        folder.mkdir(parents=True)
        for path in sorted(exercise.folder.iterdir()):
            if path.is_file() and path.suffix in CHANGED and path.name != FILE:
                text = path.read_text(encoding="utf-8")
                (folder / path.name).write_text(
                    changed(text, tables[exercise.folder.name]), encoding="utf-8", newline="\n"
                )
            elif path.is_file() and path.name != FILE:
                shutil.copy(path, folder / path.name)
        picture = exercise.folder / PUBLIC / PICTURE
        if picture.exists():
            (folder / PUBLIC).mkdir()
            shutil.copy(picture, folder / PUBLIC)
    return out


def unused(exercise):
    """Findings on the variants of an exercise: old texts that stand in none of its files, tasks that there are not."""
    known = variants(exercise)
    files = [path for path in exercise.folder.iterdir() if path.suffix in CHANGED and path.name != FILE]
    texts = [path.read_text(encoding="utf-8") for path in files]
    found = []
    for variant in known:
        said = f"variant {variant.name}: "
        found += [f"{said}there is no task {name}" for name in variant.tasks if name not in exercise.tasks]
        olds = dict.fromkeys(old for way in variant.ways for old in way if not variant.everywhere)  # names: anywhere
        found += [f"{said}{old!r} stands in no file" for old in olds if not any(old in text for text in texts)]
    return found
