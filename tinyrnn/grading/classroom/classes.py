"""A whole class graded: every submission in a folder, several at a time, each result kept the moment it is there.

    OUT/results/STUDENT.json    what one submission got, and a key to what it was got for
    OUT/class.json              who is in the class, and what else lay in the folder
    OUT/secret.txt              from which hidden cases are drawn, unless there is a file of the teacher's for it

The key is a check sum of the submission, of the exercises, of the secret's name and of the grader's version. Whoever
has a result with the right key is not graded again, however the last run ended; whose submission or exercise has
changed is. Results with which the grader crashed are no results, and tried again. What is made of the results is in
`summary`.
"""

import atexit
import hashlib
import hmac
import os
import secrets
import shutil
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tinyrnn.core.files import TEMPORARY, read_json, write_json
from tinyrnn.core.progress import Bar
from tinyrnn.grading.classroom.handed_in import file_name, handed_in
from tinyrnn.grading.exercise import exercise as found_exercise
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.marking import Marking, canonical, mark, submission
from tinyrnn.grading.marks import CRASHED, Marks
from tinyrnn.grading.sandbox.sandbox import best_mode, is_root
from tinyrnn.grading.submitting import handed_out
from tinyrnn.grading.wording import clean
from tinyrnn.parallel import processes

FORMAT = 2  # of results
AS_ROOT = "students' code would run as root here: grade as another user, or where there are users to drop to"
ONE_AT_A_TIME = threading.Lock()  # exercises are loaded under each other's names, which threads must not see


class Done(NamedTuple):
    """What a run did. students: how many there are; graded: now; kept: results that were there; unreadable: submissions
    that could not be read; crashed: submissions on which the grader did."""

    students: int
    graded: int
    kept: int
    unreadable: int
    crashed: int


def grade(
    exercise, folder, out, *, secret=None, jobs=1, scheduler=None, feedback=True, progress=False, class_file=None
):
    """Grades all submissions in a folder and returns `Done`. Whatever a submission does, the others get their marks.

    exercise: an `Exercise` of the teacher's. out: a folder for the results, made if it is not there. secret: text or
    bytes; None: the one in out/secret.txt, drawn in the first run. jobs: processes. scheduler: the address of a Dask
    scheduler, whose workers then do it. class_file: path of a class.toml, which reports of it read (`roster`).
    ValueError in a line for what is wrong with any of these.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if not exercise.is_master:
        raise ValueError(f"{exercise.folder} has no master.py, which takes part in grading")
    (class_, others), out = handed_in(exercise, folder), Path(out)
    refuse(out, Path(folder), exercise)
    (out / "results").mkdir(parents=True, exist_ok=True, mode=0o700)
    secret = secret or own_secret(out)
    version = version_of(exercise, secret, feedback)
    write_json(
        out / "class.json",
        about_class(exercise, class_, others, class_file and os.path.relpath(class_file, out), feedback),
    )
    for left in (out / "results").glob(f"{TEMPORARY}*"):
        left.unlink()
    keys = {each.student: key_of(each, version) for each in class_}
    todo = {each.student: each for each in class_ if not has_result(out, each.student, keys[each.student])}
    kept, crashed = len(class_) - len(todo), 0

    def keep(each, marks):
        nonlocal crashed
        crashed += marks.crashed
        content = {"format": FORMAT, "student": shown(each.student), "key": keys[each.student]}
        text = each.files.get(exercise.file, "")
        content["text"] = text if isinstance(text, str) else ""
        write_json(result_path(out, each.student), {**content, "marks": marks.as_dict()})

    with Bar(total=len(class_), initial=kept, desc="grading", unit="", disable=None if progress else True) as bar:
        for each in [each for each in todo.values() if each.problem]:
            keep(each, without_marks(exercise, each.problem))
            bar.update()
        work = {each.student: each.files for each in todo.values() if not each.problem}
        for student, result in results(exercise, work, secret, feedback, jobs, scheduler):
            keep(todo[student], read_back(exercise, result))
            bar.update()
    return Done(len(class_), len(todo), kept, sum(bool(each.problem) for each in class_), crashed)


def refuse(out, folder, exercise):
    """ValueError if results cannot go to a folder."""
    if out.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{out} is among the submissions: results go to a folder of their own")
    if (out / "class.json").exists():
        before = read_json(out / "class.json").get("exercise")
        if before != exercise.folder.name:
            raise ValueError(f"{out} holds results of {before}: those of {exercise.folder.name} go to another folder")


def results(exercise, work, secret, feedback, jobs, scheduler):
    """(student, what `graded` returned or raised) of all work, as it is finished."""
    if not work:
        return ()
    if scheduler is not None:
        from tinyrnn.parallel import cluster

        work = {student: (files, secret, feedback) for student, files in work.items()}
        return cluster.done(graded, packed(exercise), work, scheduler)
    folder = str(exercise.folder.resolve())
    return processes.done(graded, {student: (folder, files, secret, feedback) for student, files in work.items()}, jobs)


def graded(where, files, secret, feedback):
    """The marks of one submission, as JSON. where: the exercise's folder, or what `packed` made of it. Runs in
    another process, here or elsewhere."""
    if best_mode() == "plain" and is_root():
        raise RuntimeError(AS_ROOT)
    with ONE_AT_A_TIME:
        return mark(opened(where), files, secret=secret, hidden=True, feedback=feedback).to_json()


def read_back(exercise, result):
    """`Marks` from what `graded` returned or raised."""
    try:
        if isinstance(result, BaseException):
            raise result
        marks = Marks.from_json(result)
        return marks if marks.tasks else without_marks(exercise, marks.problem, crashed=True)
    except Exception as error:
        problem = clean(f"{CRASHED} ({type(error).__name__}: {error})")
        return without_marks(exercise, problem, crashed=True)


def without_marks(exercise, problem, crashed=False):
    """`Marks` without any points. problem: why, in a line."""
    from tinyrnn import __version__

    known = (exercise.folder.name, exercise.number, exercise.title, exercise.file)
    marks = Marks(*known, submission({}), True, problem=problem, crashed=crashed, version=__version__)
    blank = Marking(exercise, {}, None, None, None, False).blank
    for task in exercise.tasks.values():
        marks.tasks.append(blank(task))
        marks.tasks[-1].status, marks.tasks[-1].message = "crashed" if crashed else "missing", problem
    return marks


# exercises, where they are needed -------------------------------------------------------------------------------------


def packed(exercise):
    """An exercise and those before it as plain data: {"exercise": number, "files": {path: bytes}}."""
    files = {}
    for each in exercises(exercise.folder.parent):
        if each.number <= exercise.number:
            for path in sorted(each.folder.iterdir()):
                if path.is_file() and not path.name.startswith("."):
                    files[f"{each.folder.name}/{path.name}"] = path.read_bytes()
    return {"exercise": exercise.number, "files": files}


def opened(where):
    """The `Exercise` in a folder, or from `packed`; the same object each time, as it keeps the masters' answers."""
    if isinstance(where, dict):
        where = unpacked(where)
    return opened_folder(where)


@cache
def opened_folder(folder):
    """The exercise in a folder, by the folder's path."""
    folder = Path(folder)
    return found_exercise(folder.name, folder.parent)


def unpacked(pack, known={}):  # noqa: B006 -- what this process has unpacked already
    """The folder, a text, into which this process unpacked a pack; once for each content, and removed at the end."""
    digest = hashlib.sha256(canonical(pack["files"])).hexdigest()
    if digest not in known:
        root = Path(tempfile.mkdtemp(prefix="tinyrnn-exercises-"))  # for this user only: there are solutions in it
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        for name, data in pack["files"].items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(data)
        known[digest] = str(found_exercise(pack["exercise"], root).folder)
    return known[digest]


# results that are there -----------------------------------------------------------------------------------------------


def version_of(exercise, secret, feedback):
    """A check sum of all that marks depend on besides the submission. The secret cannot be had from it."""
    from tinyrnn import __version__

    secret = secret.encode() if isinstance(secret, str) else secret
    parts = {**packed(exercise)["files"], "grader": f"{__version__} {FORMAT} {exercise.number} {feedback}"}
    return hmac.new(secret, b"the name of a secret" + canonical(parts), hashlib.sha256).hexdigest()


def key_of(each, version):
    """SHA-256 in hexadecimal of what a result depends on: the files or the problem, and the version."""
    return hashlib.sha256(canonical({**each.files, "the problem": each.problem, "the version": version})).hexdigest()


def has_result(out, student, key):
    """Whether there is a result for this key that is whole, and no crash of the grader's."""
    try:
        content = read_json(result_path(out, student))
        return content["format"] == FORMAT and content["key"] == key and not content["marks"]["crashed"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def result_path(out, student):
    """Where the result of a student is kept below the folder `out`."""
    return Path(out) / "results" / f"{file_name(student)}.json"


def about_class(exercise, class_, others, class_file, named):
    """The content of class.json: who is in the class, what else lay there, and what was handed out. named: whether
    mistakes are."""
    given = handed_out(exercise)
    texts = {name: data.decode() for name, data in sorted(given.items()) if name.endswith((".py", ".md"))}
    return {
        "format": FORMAT,
        "exercise": exercise.folder.name,
        "class_file": class_file or None,
        "named": named,
        "students": [
            {
                **{"student": shown(each.student), "file": file_name(each.student), "id": each.id, "late": each.late},
                **{"time": each.time, "notes": list(each.notes), "unreadable": each.problem},
            }
            for each in class_
        ],
        "others": [[clean(name), reason] for name, reason in others],
        "given": texts,
    }


def shown(student):
    """A student's name as it can be shown."""
    return clean(student)


def own_secret(out):
    """The secret in OUT/secret.txt, which is made, readable by its owner only, the first time."""
    path = Path(out) / "secret.txt"
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
    except FileExistsError:
        pass
    return read_secret(path)


def read_secret(path):
    """The text in a file, without white space around it. ValueError in a line if there is not enough of it."""
    try:
        if not Path(path).is_file():  # a pipe would be waited for
            raise OSError
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{path} cannot be read as text") from None
    if len(text) < 16:
        raise ValueError(f"the secret in {path} is too short: at least 16 characters; an empty file can be deleted")
    return text
