"""Where the exercises are that somebody works on in a folder.

`tinyrnn start 3 --exercises FOLDER` leaves two things beside the student's files: a copy of the exercises there, and a
small file that says so. All other commands, and the test file, read it; so the folder can be moved, sent or pushed as
it is. Without the file the package's own exercises are meant.
"""

import json
import os
import shutil
import tomllib
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading.exercise import HANDED_OUT, exercises

FILE, COPY = "tinyrnn.toml", ".tinyrnn-exercises"
TEXT = "# Which exercises are meant in this folder; `tinyrnn start` wrote it.\nexercises = {}\n"


def root_of(folder):
    """The folder of the exercises that are meant in `folder`. ValueError in a line if its small file is not whole."""
    path = Path(folder) / FILE
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8")).get("exercises")
    except FileNotFoundError:
        return HANDED_OUT
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{FILE} is damaged: {error}") from None
    if said is None:
        return HANDED_OUT
    root = Path(folder) / str(said)
    if not root.is_dir():
        raise ValueError(f"{FILE} says that exercises are in {said}, and there is no such folder beside it")
    return root


def keep(root, folder):
    """Leaves the small file in a folder, and a copy of all exercises in `root`. Of a teacher's own there is no copy,
    which would hold solutions: the file leads to them, so that an edited one can be tried at once."""
    root, folder = Path(root), Path(folder)
    place = folder / COPY
    if any(each.is_master for each in exercises(root)):
        where = Path(os.path.relpath(root, folder)).as_posix()
    else:
        where = COPY
        if place.resolve() != root.resolve():
            shutil.rmtree(place, ignore_errors=True)
            for each in exercises(root):
                shutil.copytree(each.folder, place / each.folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    text = TEXT.format(json.dumps(where, ensure_ascii=False))
    write_atomically(folder / FILE, lambda temporary: temporary.write_text(text, encoding="utf-8"))
