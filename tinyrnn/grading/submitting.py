"""The files that a student works on: started from what is handed out, read back, packed to be handed in."""

import ast
import hashlib
import io
import json
import zipfile
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading.exercise import HANDED_OUT, PICTURE, PUBLIC, exercises
from tinyrnn.grading.skeleton import PLAY, texts
from tinyrnn.grading.workplace import keep

MANIFEST = "manifest.json"
FORMAT = 1  # of submissions
LARGEST = 1_000_000  # bytes of one file
TEST = '''"""`pytest` runs the public checks of {file}; so does `tinyrnn check {number}`."""

from tinyrnn.grading.plugin import public_checks

test_task = public_checks(__file__, {number})
'''


def start(exercise, folder):
    """Writes the files that a student begins with into a folder; those that are there stay as they are.
    Beside them it leaves word of which exercises they are, unless they are the package's.

    Returns (names written, names that were there).
    """
    if exercise.folder.parent != HANDED_OUT:
        keep(exercise.folder.parent, folder)
    written, there = [], []
    for name, content in beginnings(exercise, handed_out(exercise)).items():
        try:
            with open(Path(folder) / name, "xb") as file:
                file.write(content)
            written.append(name)
        except FileExistsError:
            there.append(name)
    return written, there


def beginnings(exercise, files):
    """The files that a student begins with: name -> bytes. files: what is handed out of the exercise."""
    stem = exercise.file.removesuffix(".py")
    text = files["handout.md"].replace(f"({PICTURE})".encode(), f"({stem}.png)".encode())
    test = TEST.format(file=exercise.file, number=exercise.number).encode()
    found = {exercise.file: files["skeleton.py"], f"{stem}.md": text, f"test_{stem}.py": test}
    for name, own in ((PICTURE, f"{stem}.png"), (PLAY, f"play_{stem}.py")):
        if name in files:
            found[own] = files[name]
    return found


def handed_out(exercise):
    """What students have of an exercise without anything being computed: name -> bytes. Of a teacher's exercise it is
    what its texts give now, and what was built before."""
    folder = exercise.folder
    if not exercise.is_master:
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    built = sorted((folder / PUBLIC).iterdir()) if (folder / PUBLIC).is_dir() else []
    return {**texts(folder), **{path.name: path.read_bytes() for path in built}}


def skeleton_of(exercise):
    """What a student starts from, a text."""
    return handed_out(exercise)["skeleton.py"].decode()


def read(exercise, folder):
    """The student's files in a folder: name -> text, of this exercise and of earlier ones that are there.

    ValueError in a line if the exercise's own file is not there, or one is not text.
    """
    folder = Path(folder)
    if not (folder / exercise.file).is_file():
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
