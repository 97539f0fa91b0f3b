"""Makes what is handed out from the teacher's exercises: texts that are the same for both, the skeleton, and numbers.

Nothing of it is written by hand, and nothing of it contains a solution. What must be computed is kept in the folder
`public` of each exercise, from which a wheel is built; the texts can be had at any time. Two builds give the same
bytes; on another machine the numbers may differ in the last digits.
"""

import io
import json
import os
import shutil
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from tinyrnn.grading.answers import expected, mistaken, projected
from tinyrnn.grading.exercise import PICTURE, PUBLIC, exercises
from tinyrnn.grading.signatures import PROJECTIONS
from tinyrnn.grading.skeleton import texts

ROOT = Path(__file__).resolve().parents[2] / "exercises"  # in a clone: an installed package has no masters
FORMAT = 1  # of the files handed out; goes up when an older grader could not read them
OVERVIEW, OVERVIEW_END = "<!-- points: made by tinyrnn teach build -->", "<!-- end of points -->"
COMPUTED = ("expected.npz", "signatures.npz", "manifest.json")


def build(root=ROOT):
    """Writes the folder `public` of every exercise in `root` anew, and the table of tasks in README.md there; returns
    the exercises. ValueError in one line, before anything is written."""
    contents = {exercise: parts(exercise) for exercise in masters(root)}
    for exercise, files in contents.items():
        picture = drawn(exercise)
        more = {} if picture is None else {PICTURE: picture}
        write(exercise.folder / PUBLIC, {**{name: files[name] for name in COMPUTED}, **more})
    page = Path(root) / "README.md"
    if page.exists():
        page.write_text(with_overview(page.read_text(encoding="utf-8"), list(contents)), encoding="utf-8", newline="\n")
    return list(contents)


def hand_out(root, out):
    """Writes the folder `out` anew with all that students get of the exercises in `root`; returns these. ValueError in
    one line, before anything is written."""
    contents = {exercise: parts(exercise) for exercise in masters(root)}
    out = Path(out)
    before = exercises(out) if out.is_dir() else []
    if any(old.is_master for old in before):
        raise ValueError(f"{out} holds masters: what is handed out goes to a folder of its own")
    for old in before:
        shutil.rmtree(old.folder)
    for exercise, files in contents.items():
        write(out / exercise.folder.name, files)
    return list(contents)


def drawn(exercise):
    """The bytes of the picture that the exercise's picture.py draws; None if it has none."""
    if not (exercise.folder / "picture.py").exists():
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    exercise.module("picture").draw(figure)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=130, metadata={"Software": None})
    return file.getvalue()


def write(folder, files):
    """Write files (name -> bytes) into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def with_overview(page, exercises):
    """The teacher's page (text) with the table of all tasks made anew, between its two marks."""
    if page.count(OVERVIEW) != 1 or page.count(OVERVIEW_END) != 1:
        raise ValueError(f"README.md of the exercises has not once each {OVERVIEW} and {OVERVIEW_END}")
    before, _, rest = page.partition(OVERVIEW)
    return f"{before}{OVERVIEW}\n\n{overview(exercises)}\n{OVERVIEW_END}{rest.partition(OVERVIEW_END)[2]}"


def overview(exercises):
    """A Markdown table of all tasks with their points, and their sums."""
    rows, graded = ["| exercise | task | | points |", "|---|---|---|---:|"], 0
    for exercise in exercises:
        for task in exercise.tasks.values():
            graded += not task.practice
            points = "practice" if task.practice else task.points
            rows.append(f"| {exercise.number} {exercise.name} | `{task.name}` | {task.title} | {points} |")
        rows.append(f"| **{exercise.number} {exercise.name}** | | **{exercise.title}** | **{exercise.points}** |")
    total = sum(exercise.points for exercise in exercises)
    rows.append(f"| **all** | **{graded} graded tasks** | | **{total}** |")
    return "\n".join(rows) + "\n"


def masters(root=ROOT, last=None):
    """The teacher's exercises in a folder, in order, up to number `last`. ValueError if there are none, or one has no
    master."""
    root = Path(root)
    found = [each for each in (exercises(root) if root.is_dir() else []) if last is None or each.number <= last]
    if not found:
        raise ValueError(
            f"there are no exercises in {root}; masters are in the repository, not in the installed package"
        )
    for exercise in found:
        if not exercise.is_master:
            raise ValueError(f"{exercise.folder} has no master.py")
    return found


def parts(exercise):
    """All files handed out of one exercise: name -> bytes."""
    with without_data():
        return made(exercise)


@contextmanager
def without_data():
    """No data files are found meanwhile: where cases depend on what a machine has, they are those of one without."""
    before = {name: os.environ.get(name) for name in ("TINYRNN_DATA", "XDG_CACHE_HOME")}
    with tempfile.TemporaryDirectory() as empty:
        os.environ.update(dict.fromkeys(before, empty))
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def made(exercise):
    """What is handed out of an exercise, name -> bytes; ValueError, naming it, if it is incomplete or wrong."""
    try:
        picture = exercise.folder / PUBLIC / PICTURE
        return {
            **({PICTURE: picture.read_bytes()} if picture.exists() else {}),
            **texts(exercise.folder),
            "expected.npz": npz(expected(exercise)),
            "signatures.npz": npz(signatures(exercise)),
            "manifest.json": manifest(exercise),
        }
    except FileNotFoundError as error:
        raise ValueError(f"{exercise.folder.name}: there is no {Path(error.filename).name}") from None
    except ValueError as error:
        raise ValueError(f"{exercise.folder.name}: {error}") from None


def signatures(exercise):
    """What known mistakes answer, projected: mistake -> (outputs of its task, public cases, 4); NaN for
    outputs of which a mistake gives nothing numeric."""
    arrays, earlier = {}, {}
    text = (exercise.folder / "master.py").read_text(encoding="utf-8")
    for mistake in exercise.mistakes:
        if not mistake.accepted:
            task = exercise.tasks[mistake.task]
            found = projected(exercise, task, exercise.module("master", mistaken(text, mistake), earlier))
            nothing = np.full((task.number, PROJECTIONS), np.nan)
            arrays[mistake.name] = np.array([found.get(output, nothing) for output in task.outputs])
    return arrays


def manifest(exercise):
    """A JSON text: the known mistakes' names, tasks and titles."""
    known = {m.name: {"task": m.task, "title": m.title} for m in exercise.mistakes if not m.accepted}
    content = {"format": FORMAT, "exercise": exercise.folder.name, "mistakes": known}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def npz(arrays):
    """The bytes of a file for `numpy.load`: as numpy.savez makes it, but the same whenever it is made."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(arrays):
            data = io.BytesIO()
            npy.write_array(data, np.ascontiguousarray(arrays[name]).reshape(arrays[name].shape), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # else it names the system it was made on
            archive.writestr(entry, data.getvalue())
    return file.getvalue()
