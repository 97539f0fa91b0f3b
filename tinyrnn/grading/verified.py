"""Which exercises were found to be well, so that `tinyrnn teach verify` takes the time only for what has changed.

Of each there is a check sum of all that the findings depend on: its files, those of earlier exercises, and the sources
of this package. The file holds nothing but such sums.
"""

import hashlib
from functools import cache
from pathlib import Path

import numpy as np

import tinyrnn
from tinyrnn.core.files import read_json, write_json
from tinyrnn.grading.exercise import exercises


def key(exercise, sample=None):
    """The check sum of an exercise of the teacher's, in hexadecimal; sample: how many of its mistakes are tried."""
    digest = hashlib.sha256(f"{exercise.number} {np.__version__} {sources()} {sample}".encode())
    for each in exercises(exercise.folder.parent):
        if each.number <= exercise.number:
            for path in sorted(each.folder.iterdir()):
                if path.is_file():
                    digest.update(
                        f"{each.folder.name}/{path.name} {len(path.read_bytes())} ".encode() + path.read_bytes()
                    )
    return digest.hexdigest()


@cache
def sources():
    """A check sum of this package's sources."""
    root = Path(tinyrnn.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()


def holds(file, key):
    """Whether a file, which need not be there, has a key."""
    return key in known(file)


def keep(file, keys):
    """Adds keys to a file; None: there is no file."""
    if file is not None and keys:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        write_json(file, sorted({*known(file), *keys}))


def known(file):
    """The keys in a file; none if it is None, not there or damaged."""
    try:
        found = [] if file is None else read_json(file)
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []
