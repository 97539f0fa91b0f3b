"""`tinyrnn start`, `check`, `hint` and `submit`: what a student does with an exercise, in the folder of their files."""

import os
import sys
import time
from pathlib import Path

from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import HANDED_OUT, exercise
from tinyrnn.grading.hints import next_hint
from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import PUBLIC, amount, as_json, text

EXAMPLES = {
    "start": "tinyrnn start 3",
    "check": "tinyrnn check 3; later tinyrnn check 3 --watch",
    "hint": "tinyrnn hint 3",
    "submit": "tinyrnn submit 3",
}
POLL = 0.5  # seconds between two looks at the files


def add_arguments(command, name):
    """The arguments of one of the four commands; returns what runs it, and an example."""
    command.add_argument("exercise", metavar="N", help="number or name of the exercise")
    command.add_argument("--exercises", metavar="FOLDER", help="other exercises than those of the package")
    if name == "check":
        command.add_argument("--watch", action="store_true", help="check again whenever a file is saved")
        command.add_argument("--json", action="store_true", help="print the results as JSON")
    if name == "hint":
        command.add_argument("--task", metavar="NAME", help="for this task, and not for the first that is not right")
    run = {"start": run_start, "check": run_check, "hint": run_hint, "submit": run_submit}[name]
    return run, EXAMPLES[name]


def chosen(args):
    root = Path(args.exercises or HANDED_OUT)
    if not root.is_dir():
        raise ValueError(f"there are no exercises in {root}")
    return exercise(args.exercise, root)


# start ----------------------------------------------------------------------------------------------------------------


def run_start(args):
    one, folder = chosen(args), Path.cwd()
    written, there = submitting.start(one, folder)
    for name in there:
        print(f"{name} is there already and stays as it is")
    for name in written:
        print(f"wrote {name}")
    stem = one.file.removesuffix(".py")
    graded = sum(not task.practice for task in one.tasks.values())
    print(
        f"\nExercise {one.number}, {one.title}: {graded} graded tasks, {one.points} points.\n"
        f"Read {stem}.md, write in {one.file}, and check as often as you like: tinyrnn check {one.number}"
    )
    absent = submitting.missing(one, submitting.read(one, folder))
    if absent:
        print(f"It builds on {', '.join(absent)}: copy that into this folder too.")
    return 0


# check ----------------------------------------------------------------------------------------------------------------


def run_check(args):
    """0 if every public check is right, else 1."""
    if args.watch and args.json:
        raise ValueError("--watch is for reading, --json for programs: take one of them")
    one, folder = chosen(args), Path.cwd()
    if not args.watch:
        marks = mark(one, submitting.read(one, folder))
        show(as_json(marks) if args.json else text(marks, colour=coloured()))
        return 0 if marks.all_right else 1
    return watch(one, folder)


def watch(one, folder, wait=time.sleep, rounds=None):
    """Checks, and again whenever one of the files has changed, until interrupted; or `rounds` looks long. Returns 0 if
    at the end everything was right."""
    seen, marks = None, None
    try:
        while rounds is None or rounds > 0:
            try:
                files = submitting.read(one, folder)
            except (ValueError, OSError) as error:  # while an editor replaces a file there is none
                files = str(error)
            if files != seen:
                seen = files
                if isinstance(files, str):
                    marks = None
                    show(f"\n{files}")
                else:
                    marks = mark(one, files)
                    show(f"\n{'-' * 80}\n{text(marks, colour=coloured())}\n\nwatching; Ctrl-C ends it")
            rounds = None if rounds is None else rounds - 1
            wait(POLL)
    except KeyboardInterrupt:
        show("")
    return 0 if marks is not None and marks.all_right else 1


# hint -----------------------------------------------------------------------------------------------------------------


def run_hint(args):
    one, folder = chosen(args), Path.cwd()
    if args.task is not None and args.task not in one.tasks:
        raise ValueError(f"exercise {one.number} has no task {args.task!r}; it has {', '.join(one.tasks)}")
    name = args.task
    if name is None:
        marks = mark(one, submitting.read(one, folder), feedback=False)
        if marks.problem:
            raise ValueError(marks.problem)
        open_tasks = [task for task in marks.tasks if task.status in ("wrong", "partly", "missing")]
        if not open_tasks:
            show(
                "Nothing is wrong in the public checks." if marks.all_right else "There is no task to give a hint for."
            )
            return 0
        wrong = [task for task in open_tasks if task.status != "missing"]
        name = (wrong or open_tasks)[0].name
    show(next_hint(one, name, folder))
    return 0


# submit ---------------------------------------------------------------------------------------------------------------


def run_submit(args):
    one, folder = chosen(args), Path.cwd()
    path, files = submitting.submit(one, folder)
    marks = mark(one, files, feedback=False)
    print(f"wrote {path.name} with {', '.join(sorted(files))} in it: hand in this file")
    for name in submitting.missing(one, files):
        print(f"missing: {name}, which is imported; without it your work will not run")
    if marks.problem:
        print(f"missing: {marks.problem}")
    for status, words in (
        ("missing", "not written yet"),
        ("waiting", "waiting"),
        ("wrong", "wrong"),
        ("partly", "partly wrong"),
    ):
        names = [task.name for task in marks.tasks if task.status == status and not task.practice and not marks.problem]
        if names:
            print(f"{words}: {', '.join(names)}")
    print(f"public checks: {amount(marks.points)} of {amount(marks.possible)} points. {PUBLIC}")
    return 0


# shared ---------------------------------------------------------------------------------------------------------------


def coloured():
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show(text):
    """Print, also where the terminal cannot show every letter."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:  # whoever read it has read enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
