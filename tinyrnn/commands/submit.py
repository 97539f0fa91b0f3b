"""`tinyrnn submit`: pack an exercise to be handed in."""

from pathlib import Path

from tinyrnn.commands.homework import add_exercise, chosen
from tinyrnn.grading import submitting
from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import PUBLIC, amount

EXAMPLE = "tinyrnn submit 3"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add_exercise(command)


def run(args):
    """Packs the files and says what is missing or wrong in them."""
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
