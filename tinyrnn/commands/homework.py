"""What `tinyrnn start`, `check`, `hint` and `submit` share: which exercise, and how it is shown."""

import os
import sys
from pathlib import Path

from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.workplace import root_of


def add_exercise(command):
    """The arguments that say which exercise."""
    command.add_argument("exercise", metavar="N", help="number or name of the exercise")
    command.add_argument(
        "--exercises",
        metavar="FOLDER",
        help="other exercises than those of the package; once, at `tinyrnn start`, is enough",
    )


def chosen(args):
    """The exercise that was named: of a teacher's folder, or of those that work here was started from, or of the
    package's."""
    root = Path(args.exercises or root_of(Path.cwd()))
    if not root.is_dir():
        raise ValueError(f"there are no exercises in {root}")
    return exercise(args.exercise, root)


def show(text):
    """Prints, and ends in peace if nobody reads on, as behind `| head`."""
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever read it has read enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
