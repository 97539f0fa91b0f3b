"""What a class handed in: a folder with a zip or a sub-folder for each student.

Only files that an exercise asks for, by name, are taken out, whatever else there is; nothing is unpacked to disk, and
links are not followed. A submission that cannot be read gets a reason, and no other one suffers for it.
"""

import hashlib
import io
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.submitting import LARGEST
from tinyrnn.grading.wording import clean

MOST_ENTRIES = 5000  # looked at in one submission
MOST_PACKED = 50_000_000  # bytes of a zip
LONGEST_NAME = 80  # bytes
DEPTH = 3  # folders below a student's own in which files are looked for
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, OSError)


@dataclass(frozen=True)
class HandedIn:
    """One student's submission. student: the name of the zip or folder. files: name -> text, or bytes if they are no
    UTF-8. problem: why it cannot be graded, in a line, or ""."""

    student: str
    files: dict = field(default_factory=dict)
    problem: str = ""


class Unusable(ValueError):
    """A submission that cannot be read; the message is for the student."""


def handed_in(exercise, folder):
    """The `HandedIn` of every student, sorted by name. ValueError if the folder is none, or holds no submission."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    found = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.startswith((".", "__")):
            continue
        if path.is_dir():
            found.setdefault(path.name, []).append(path)
        elif path.suffix.lower() == ".zip":
            found.setdefault(path.name[: -len(".zip")], []).append(path)
    if not found:
        raise ValueError(f"{folder} holds no submissions: expected a zip or a folder for each student")
    return [one(exercise, student, paths) for student, paths in sorted(found.items())]


def one(exercise, student, paths):
    """The `HandedIn` of one student, whose zips and folders `paths` are."""
    if len(paths) > 1:
        return HandedIn(student, problem=f"handed in twice: {' and '.join(sorted(path.name for path in paths))}")
    try:
        return HandedIn(student, read(exercise, paths[0]))
    except Unusable as error:
        return HandedIn(student, problem=str(error))
    except BROKEN as error:
        return HandedIn(student, problem=clean(f"it cannot be read ({type(error).__name__})"))


def read(exercise, path):
    """The files of an exercise, and of those before it, in a zip or a folder: name -> text or bytes.

    Raises `Unusable` if the exercise's own file is not there, or a file is there twice or too large; what a broken zip
    raises goes through.
    """
    path = Path(path)
    data = taken(exercise, Folder(path) if path.is_dir() else Zip(path.read_bytes() if small(path) else b""))
    return {name: text_of(content) for name, content in data.items()}


def taken(exercise, place):
    """Name -> content of this exercise's file and those of earlier ones that are there; Unusable without its own."""
    wanted = [each.file for each in exercises(exercise.folder.parent) if each.number <= exercise.number]
    names = {name: place.find(name) for name in wanted}
    if names[exercise.file] is None:
        zips = [path for path in place.paths if path.lower().endswith(".zip")]
        if len(zips) == 1 and isinstance(place, Folder):  # as learning platforms pack what was handed in
            return taken(exercise, Zip(place.read(zips[0], MOST_PACKED)))
        raise Unusable(f"there is no {exercise.file} in it" if place.paths else "it is empty")
    return {name: place.read(where) for name, where in names.items() if where is not None}


def text_of(content):
    """The text of UTF-8 bytes, newlines as LF, without a byte order mark; bytes that are not UTF-8 as they are."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return content  # it will not load, and the sandbox says why


def small(path):
    """True for a file of no more than `MOST_PACKED` bytes; raises Unusable for a larger one, or one that is no file."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Unusable("it is a link, not a file")
    if path.stat().st_size > MOST_PACKED:
        raise Unusable(f"it is larger than {MOST_PACKED // 1_000_000} MB")
    return True


class Container:
    """Where files are looked for. paths: all of them, with / between folders."""

    def find(self, name):
        """The path of a file: the one at the top if there is one, else the only one further down; None without one."""
        found = [path for path in self.paths if PurePosixPath(path).name == name]
        top = [path for path in found if "/" not in path]
        if len(top or found) > 1:
            raise Unusable(f"{name} is in it {len(top or found)} times")
        return (top or found or [None])[0]


class Zip(Container):
    """The files in a zip, given as bytes."""

    def __init__(self, data):
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        entries = [entry for entry in self.archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_ENTRIES:
            raise Unusable(f"there are more than {MOST_ENTRIES} files in it")
        self.entries = [entry for entry in entries if not set(entry.filename.split("/")) & {"__MACOSX", "__pycache__"}]
        self.paths = [entry.filename for entry in self.entries]

    def read(self, path, most=LARGEST):
        """The bytes of a member; Unusable if there are more than `most`, whatever the zip says of their number."""
        entry = next(entry for entry in self.entries if entry.filename == path)
        with self.archive.open(entry) as file:  # what it says of its own size is not believed
            return limited(file.read(most + 1), path, most)


class Folder(Container):
    """The files in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.paths = []
        for place, folders, names in os.walk(folder):
            inside = Path(place).relative_to(folder)
            folders[:] = sorted(each for each in folders if not each.startswith((".", "__")))
            if len(inside.parts) >= DEPTH:
                folders.clear()
            self.paths += [(inside / name).as_posix() for name in sorted(names)]
            if len(self.paths) > MOST_ENTRIES:
                raise Unusable(f"there are more than {MOST_ENTRIES} files in it")

    def read(self, path, most=LARGEST):
        """The bytes of a file in the folder; Unusable if it is no regular file or has more than `most` bytes."""
        # A link could lead to whatever the grader may read, a pipe would be waited for.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if not stat.S_ISREG(os.lstat(self.folder / path).st_mode):
            raise Unusable(f"{path} is a link, not a file")
        with open(os.open(self.folder / path, flags), "rb") as file:
            return limited(file.read(most + 1), path, most)


def limited(data, path, most):
    """The data; Unusable if they are more than `most` bytes."""
    if len(data) > most:
        raise Unusable(f"{PurePosixPath(path).name} is larger than {most // 1_000_000} MB")
    return data


def file_name(student):
    """A file name for a student, different for different ones, whatever the name has in it."""
    name = re.sub(
        r"[^\w. -]|^[. -]|[. ]$", lambda match: "".join(map("%{:02x}".format, os.fsencode(match[0]))), student
    )
    if len(name.encode()) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME // 4]}%-{hashlib.sha256(os.fsencode(student)).hexdigest()[:16]}"
