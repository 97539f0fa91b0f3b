"""The public checks of an exercise as pytest's: one item for each task.

    from tinyrnn.grading.plugin import public_checks

    test_task = public_checks(__file__, 3)

in a student's folder. The student's code is never imported in pytest's process; it runs as it does for `tinyrnn check`.
"""

from pathlib import Path

import pytest

from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import details
from tinyrnn.grading.workplace import root_of


def public_checks(file, which, root=None):
    """A test function, one item for each task of an exercise, for the student's files in the folder of `file`.

    A task that waits for others is skipped, with the reason, and so is practice that is not written yet. All tasks are
    marked in one go, when the first is asked for, and again only if a file has changed. root: the exercises; None:
    those that `tinyrnn start` left word of in that folder, or the package's.
    """
    folder = Path(file).resolve().parent
    one = exercise(which, root or root_of(folder))
    known = {}

    def marks():
        try:
            files = submitting.read(one, folder)
        except ValueError as error:
            pytest.fail(str(error), pytrace=False)
        if known.get("files") != files:
            known.update(files=files, marks=mark(one, files))
        return known["marks"]

    @pytest.mark.parametrize("name", list(one.tasks))
    def test_task(name):
        task = marks().task(name) if marks().tasks else None
        if task is None:
            pytest.fail(marks().problem, pytrace=False)
        if task.status == "waiting" or (task.practice and task.status == "missing"):
            pytest.skip(task.message)
        if task.status != "right":
            pytest.fail("\n".join([f"{name}: {task.title}", *details(task)]), pytrace=False)

    return test_task
