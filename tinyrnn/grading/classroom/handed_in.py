"""What a class handed in: a folder with a zip, a sub-folder, a .py or a notebook for each student.

Only files that an exercise asks for are taken out, whatever else there is; nothing is unpacked to disk, and links are
not followed. A submission that cannot be read gets a reason, and no other one suffers for it; what is no submission at
all is listed, with a reason too. A file that is called nearly right ("ex3_gates (1).py"), the only one with the right
functions, or a notebook's code is taken, and said to be.
"""

import ast
import hashlib
import io
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tinyrnn.grading.classroom.file_names import means, owner
from tinyrnn.grading.classroom.notebooks import code_of
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.submitting import LARGEST
from tinyrnn.grading.wording import clean

MOST_ENTRIES = 5000  # looked at in one submission
MOST_PACKED = 50_000_000  # bytes of a zip
LONGEST_NAME = 80  # bytes
DEPTH = 3  # folders below a student's own in which files are looked for
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, OSError)
FILES = (".py", ".ipynb")


@dataclass(frozen=True)
class HandedIn:
    """One student's submission. student: the name that its own says. files: name -> text, or bytes if they are no
    UTF-8. problem: why it cannot be graded, in a line, or "". notes: what was done to read it. id: the student's on
    the platform that it comes from, or "". late: that platform says so. time: when its newest entry was written, in
    seconds as of `time.time`, or 0.0."""

    student: str
    files: dict = field(default_factory=dict)
    problem: str = ""
    notes: tuple = ()
    id: str = ""
    late: bool = False
    time: float = 0.0


class Unusable(ValueError):
    """A submission that cannot be read; the message is for the student."""


def handed_in(exercise, folder):
    """(the `HandedIn` of every student, sorted by name; [(entry, why it is no submission)] of everything else).

    ValueError if the folder is none, or holds no submission.
    """
    folder, stem = Path(folder), exercise.file.removesuffix(".py")
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    found, others = {}, []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        reason = no_submission(path)
        if reason:
            others.append((path.name, reason))
            continue
        whose = owner(path.name[:-4] if path.suffix.lower() == ".zip" and not path.is_dir() else path.name, stem)
        found.setdefault((whose.student, whose.id), []).append((path, whose))
    if not found:
        raise ValueError(f"{folder} holds no submissions: expected a zip, folder, .py or notebook for each student")
    names = [student for student, _ in found]
    return [
        one(exercise, student if names.count(student) == 1 else f"{student} {id}", entries, id)
        for (student, id), entries in sorted(found.items())
    ], others


def no_submission(path):
    """Why an entry of the class folder is none, in a line; "" for one that is."""
    if path.name.startswith((".", "__")):
        return "hidden"
    if path.is_dir() or path.suffix.lower() in (".zip", *FILES):
        return ""
    return "neither a folder nor a .zip, .py or .ipynb"


def one(exercise, student, entries, id=""):
    """The `HandedIn` of one student. entries: [(path, `Owner`)] of what there is, or paths."""
    entries = [each if isinstance(each, tuple) else (each, owner(each.name, "")) for each in entries]
    paths = [path for path, _ in entries]
    known = {"id": id, "late": any(whose.late for _, whose in entries), "time": newest(paths)}
    loose = all(path.suffix.lower() in FILES and not path.is_dir() for path in paths)
    if len(paths) > 1 and not loose:
        names = " and ".join(sorted(path.name for path in paths))
        return HandedIn(student, problem=f"handed in twice: {names}", **known)
    try:
        place = Loose(entries) if loose else opened(paths[0])
        data, notes = taken(exercise, place)
        return HandedIn(student, {name: text_of(content) for name, content in data.items()}, notes=notes, **known)
    except Unusable as error:
        return HandedIn(student, problem=str(error), **known)
    except BROKEN as error:
        return HandedIn(student, problem=clean(f"it cannot be read ({type(error).__name__})"), **known)


def newest(paths):
    """When the newest of some files, or of those in a folder, was written; 0.0 if that cannot be told."""
    times = [0.0]
    for path in paths:
        inside = [path] if not path.is_dir() else [each for each in path.rglob("*") if each.is_file()][:MOST_ENTRIES]
        for each in inside:
            try:
                times.append(each.lstat().st_mtime)
            except OSError:
                continue
    return max(times)


def opened(path):
    """The files in a folder or a zip."""
    return Folder(path) if path.is_dir() else Zip(path.read_bytes() if small(path) else b"")


def taken(exercise, place):
    """(name -> content of this exercise's file and those of earlier ones that are there, notes). Raises `Unusable` if
    the exercise's own file is not there, or is twice or too large; what a broken zip raises goes through."""
    wanted = [each.file for each in exercises(exercise.folder.parent) if each.number <= exercise.number]
    found = {name: place.find(name) for name in wanted}
    notes = []
    if found[exercise.file] is None:
        zips = [path for path in place.paths if path.lower().endswith(".zip")]
        if len(zips) == 1 and isinstance(place, Folder):  # as learning platforms pack what was handed in
            return taken(exercise, Zip(place.read(zips[0], MOST_PACKED)))
        found[exercise.file] = place.meant(exercise)
        notes = [f"{PurePosixPath(found[exercise.file]).name} was taken for {exercise.file}"]
    also = [path for path in place.paths if means(PurePosixPath(path).name, exercise.file)]
    notes += [f"not read: {path}" for path in also if path != found[exercise.file]]
    data = {name: place.read(where) for name, where in found.items() if where is not None}
    if found[exercise.file].lower().endswith(".ipynb"):
        try:
            data[exercise.file] = code_of(data[exercise.file]).encode()
        except ValueError as error:
            raise Unusable(f"{error}: {PurePosixPath(found[exercise.file]).name} is damaged, or is none") from None
    return data, tuple(clean(note) for note in notes)


def text_of(content):
    """The text of UTF-8 bytes, newlines as LF, without a byte order mark; bytes that are not UTF-8 as they are."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return content  # it will not load, and the sandbox says why


def small(path):
    """True for a file of no more than `MOST_PACKED` bytes; raises Unusable for a larger one, or one that is no file."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Unusable("it is a link or the like, not a file")
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

    def meant(self, exercise):
        """The path of the file that must be meant, though it is called otherwise; Unusable if none must."""
        name, stem = exercise.file, exercise.file.removesuffix(".py")
        for suffix in FILES:
            alike = [path for path in self.paths if means(PurePosixPath(path).name, stem + suffix)]
            if len(alike) > 1:
                raise Unusable(f"there is no {name} in it, but {' and '.join(alike[:4])}: which one?")
            if alike:
                return alike[0]
        for suffix in FILES:
            code = [path for path in self.paths if path.lower().endswith(suffix)]
            fitting = [path for path in code if self.has_functions(path, exercise)]
            if len(fitting) == 1:
                return fitting[0]
        there = ", ".join(sorted(PurePosixPath(path).name for path in self.paths)[:5])
        raise Unusable(f"there is no {name} in it, but {there}" if there else "it is empty")

    def has_functions(self, path, exercise):
        """Whether a file defines a function of the exercise, and none is left as a test."""
        try:
            data = self.read(path)
            text = code_of(data) if path.lower().endswith(".ipynb") else data.decode("utf-8-sig")
            tree = ast.parse(text)
        except (Unusable, ValueError, SyntaxError, RecursionError, MemoryError):
            return False
        return any(isinstance(node, ast.FunctionDef) and node.name in exercise.tasks for node in tree.body)


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
            raise Unusable(f"{path} is a link or the like, not a file")
        with open(os.open(self.folder / path, flags), "rb") as file:
            return limited(file.read(most + 1), path, most)


class Loose(Folder):
    """Files that lie in the class folder itself, all of one student, by the names that they had there."""

    def __init__(self, entries):
        self.folder = entries[0][0].parent
        self.real = {whose.rest or path.name: path.name for path, whose in entries}
        self.paths = list(self.real)

    def read(self, path, most=LARGEST):
        """As of a folder."""
        return super().read(self.real[path], most)


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
