"""What an exam question is, and the bank they are in: each a function of random numbers, with its key."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

BANK: dict[int, list[Callable]] = {}  # lecture -> its questions


class Question(NamedTuple):
    """lecture: its number. points: a minute each. text, key: Markdown. numbers: what the key says, by name."""

    lecture: int
    points: int
    text: str
    key: str
    numbers: dict


def question(lecture: int, points: int) -> Callable:
    """Puts a function rng -> (text, numbers, words) into the bank. The key is made of the numbers, then the words."""

    def put(make: Callable) -> Callable:
        def made(rng: np.random.Generator) -> Question:
            text, numbers, words = make(rng)
            return Question(lecture, points, text, " ".join([f"{keyed(**numbers)}.", *words.split()]), numbers)

        made.__name__ = make.__name__
        BANK.setdefault(lecture, []).append(made)
        return make

    return put


def tenths(rng: np.random.Generator, low: float, high: float, size: int | None = None) -> np.ndarray:
    """Numbers with one decimal, none of them zero."""
    found = rng.integers(round(10 * low), round(10 * high) + 1, size) / 10
    return np.where(found == 0, 0.5, found) if size else (found or 0.5)


def said(value: object) -> str:
    """Numbers as a key shows them: three decimals, no zeros at the end."""
    value = np.asarray(value, float)
    if value.ndim:
        return f"({', '.join(said(each) for each in value)})"
    return f"{round(float(value), 3) + 0.0:g}"


def keyed(**numbers: object) -> str:
    """The numbers of a key, each with its name."""
    return ", ".join(f"`{name}` = {said(value)}" for name, value in numbers.items())
