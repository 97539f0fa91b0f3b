"""The two tiny exercises in tests/grading/tiny, and submissions of them."""

from functools import cache
from pathlib import Path

from tinyrnn.grading.answers import mistaken
from tinyrnn.grading.build import hand_out as make
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.skeleton import skeleton

TINY = Path(__file__).with_name("tiny")
SECRET = "a secret of the teacher's"


@cache
def tiny(number=1):
    """The teacher's exercise; the same object each time, which keeps the master's answers."""
    return exercise(number, TINY)


def solved(number=1):
    return (tiny(number).folder / "master.py").read_text(encoding="utf-8")


def untouched(number=1):
    return skeleton(solved(number))


def with_mistake(name):
    (mistake,) = (mistake for mistake in tiny().mistakes if mistake.name == name)
    return mistaken(solved(), mistake)


def changed(old, new):
    text = solved()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the master"
    return text.replace(old, new)


def hand_out(folder):
    """What students have, built in a folder."""
    make(TINY, folder)
    return folder
