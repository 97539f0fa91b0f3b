"""What the subcommands of `tinyrnn teach` share: which exercises and edition, how many processes, which secret."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def add_root(command):
    """The option for other masters than those of the clone."""
    command.add_argument("--root", metavar="FOLDER", help="the masters (default: exercises/ beside the package)")
    command.add_argument(
        "--edition", type=int, metavar="YEAR", help="another edition: other names, gate orders, constants and rules"
    )


def root_of(args):
    """The folder of the masters: the one that was named, or else the clone's; in an edition, if one was named."""
    from tinyrnn.grading.build import ROOT, masters
    from tinyrnn.grading.editions import write_edition

    root = Path(args.root or ROOT)
    masters(root)
    if args.edition is None:
        return root
    made = Path(tempfile.mkdtemp(prefix="tinyrnn-edition-"))  # for this user only: there are solutions in it
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return write_edition(root, args.edition, made)


def add_jobs(command):
    """The option for the number of processes."""
    command.add_argument(
        "--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes at a time (default: %(default)s)"
    )


def add_secret(command, default):
    """The option for the file from which hidden cases are drawn."""
    command.add_argument(
        "--secret-file", metavar="FILE", help=f"from which hidden cases are drawn (default: {default})"
    )


def given_secret(args):
    """The secret that a file holds, or None."""
    from tinyrnn.grading.classroom.classes import read_secret

    return None if args.secret_file is None else read_secret(args.secret_file)


def masters_exercise(args):
    """The exercise that was named, with its master."""
    from tinyrnn.grading.exercise import exercise

    return exercise(args.exercise, root_of(args))
