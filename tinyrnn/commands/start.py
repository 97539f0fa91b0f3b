"""`tinyrnn start`: begin an exercise: its text, a file to write in, and a test file."""

from pathlib import Path

from tinyrnn.commands.homework import add_exercise, chosen
from tinyrnn.grading import submitting

EXAMPLE = "tinyrnn start 3"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add_exercise(command)


def run(args):
    """Writes the files that are not there yet, and says what to do next."""
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
