"""Marks of the tiny exercise, and a sandbox of answers that a test makes up."""

from tiny_work import SECRET, tiny

from tinyrnn.grading.marking import mark
from tinyrnn.grading.sandbox.sandbox import Sandbox


def marked(text, *, feedback=False, **options):
    return mark(tiny(), {"ex1_tiny.py": text}, feedback=feedback, **options)


def graded(text, **options):
    return marked(text, secret=SECRET, hidden=True, **options)


def statuses(marks):
    return {task.name: task.status for task in marks.tasks}


class InProcess:
    """What a sandbox does, for answers that the test itself makes up."""

    def __init__(self, answer):
        self.answer, self.calls = answer, []

    def __call__(self, files, main, packages, imports):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def call(self, function, arguments, seconds, without=()):
        self.calls.append((function, arguments))
        return self.answer(function, arguments)


class WithoutLines(Sandbox):
    """Line verdicts take a second; most tests are not about them."""

    def line_verdicts(self, *_):
        return None
