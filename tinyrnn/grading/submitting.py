"""The files that a student works on: started from what is handed out, read back, packed to be handed in."""

import ast
import hashlib
import io
import json
import zipfile
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading.exercise import HANDED_OUT, exercises

MANIFEST = "manifest.json"
FORMAT = 1  # of submissions
LARGEST = 1_000_000  # bytes of one file
TEST = '''"""`pytest` runs the public checks of {file}; so does `tinyrnn check {number}`."""

from tinyrnn.grading.plugin import public_checks

test_task = public_checks(__file__, {number}{root})
'''


def start(exercise, folder):
    """Writes a student's three files for an exercise into a folder; those that are there stay as they are.

    Returns (names written, names that were there).
    """
    stem = exercise.file.removesuffix(".py")
    root = "" if exercise.folder.parent == HANDED_OUT else f", root={str(exercise.folder.parent.resolve())!r}"
    contents = {
        exercise.file: skeleton_of(exercise),
        f"{stem}.md": exercise.handout,
        f"test_{stem}.py": TEST.format(file=exercise.file, number=exercise.number, root=root),
    }
    written, there = [], []
    for name, content in contents.items():
        try:
            with open(Path(folder) / name, "x", encoding="utf-8", newline="\n") as file:
                file.write(content)
            written.append(name)
        except FileExistsError:
            there.append(name)
    return written, there


def skeleton_of(exercise):
    """What a student starts from."""
    if exercise.is_master:
        from tinyrnn.grading.skeleton import skeleton

        return skeleton((exercise.folder / "master.py").read_text(encoding="utf-8"))
    return (exercise.folder / "skeleton.py").read_text(encoding="utf-8")


def read(exercise, folder):
    """The student's files in a folder: name -> text, of this exercise and of earlier ones that are there.

    ValueError in a line if the exercise's own file is not there, or one is not text.
    """
    folder = Path(folder)
    if not (folder / exercise.file).exists():
        raise ValueError(f"there is no {exercise.file} here; `tinyrnn start {exercise.number}` makes one")
    files = {}
    for each in exercises(exercise.folder.parent):
        if each.number <= exercise.number and (folder / each.file).is_file():
            data = (folder / each.file).read_bytes()
            if len(data) > LARGEST:
                raise ValueError(f"{each.file} is larger than {LARGEST // 1_000_000} MB")
            try:
                files[each.file] = data.decode("utf-8-sig").replace("\r\n", "\n")
            except UnicodeDecodeError as error:
                line = data[: error.start].count(b"\n") + 1
                raise ValueError(f"{each.file}:{line} is not UTF-8 text: save it as UTF-8") from None
    return files


def missing(exercise, files):
    """Names of earlier exercises' files that are imported but not there."""
    wanted = {each.file for each in exercises(exercise.folder.parent) if each.number < exercise.number}
    found = set()
    for text in files.values():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # of which the checks tell
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {f"{alias.name.split('.')[0]}.py" for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(f"{node.module.split('.')[0]}.py")
    return sorted((found & wanted) - set(files))


def pack(exercise, files):
    """The bytes of a zip with the files and a manifest of their check sums; the same whenever it is made."""
    from tinyrnn import __version__

    contents = {name: text.encode("utf-8") for name, text in sorted(files.items())}
    manifest = {
        "format": FORMAT,
        "exercise": exercise.folder.name,
        "grader": __version__,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()},
    }
    contents[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:  # not compressed: another zlib would give other bytes
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()


def submit(exercise, folder):
    """Writes the zip beside the files, over an earlier one; returns (its path, files in it)."""
    files = read(exercise, folder)
    path = Path(folder) / f"{exercise.file.removesuffix('.py')}.zip"
    data = pack(exercise, files)
    write_atomically(path, lambda temporary: temporary.write_bytes(data))
    return path, files
