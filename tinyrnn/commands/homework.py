"""What `tinyrnn start`, `check`, `hint` and `submit` share: which exercise, and how it is shown."""

import os
import sys
from pathlib import Path

from tinyrnn.grading.exercise import HANDED_OUT, exercise


def add_exercise(command):
    """The arguments that say which exercise."""
    command.add_argument("exercise", metavar="N", help="number or name of the exercise")
    command.add_argument("--exercises", metavar="FOLDER", help="other exercises than those of the package")


def chosen(args):
    root = Path(args.exercises or HANDED_OUT)
    if not root.is_dir():
        raise ValueError(f"there are no exercises in {root}")
    return exercise(args.exercise, root)


def coloured():
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show(text):
    """Print, also where the terminal cannot show every letter."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:  # whoever read it has read enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
