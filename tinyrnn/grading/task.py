"""What exercises are written in: tasks, cases, known mistakes. Plain data and functions; nothing here runs anything."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

EXACT = 1e-11  # relative to the largest entry: right code is below 1e-13, central differences are above


class Source(NamedTuple):
    """A function among the arguments of a case, as source text that evaluates to it, with numpy as np:
    `Source("lambda x: (x**3).sum()")`. It is evaluated where the student's function runs."""

    text: str


class Finding(NamedTuple):
    """What is said of one output of one case. message: what is wrong, in a line; "" if it is right.

    expected, actual: short texts, or ""; never shown of hidden cases.
    """

    output: str
    ok: bool
    message: str = ""
    expected: str = ""
    actual: str = ""


@dataclass(frozen=True)
class Task:
    """One function for the student to write.

    name: the function's name in the student's file, and the task's.
    title: in a few words, what it does.
    points: when a teacher grades they come from hidden cases alone; `check` says how many the public ones would be
        worth.
    case: `case(rng)` -> a dict, the keyword arguments of one call; it draws sizes and values from the
        `numpy.random.Generator`. Values: arrays, numbers, text, None, `Source`, and dicts, tuples and lists of them.
    outputs: names of what is returned: one for a single array, several for a tuple, or the keys of a dict in any order.
        Points are shared equally among them, to half a point.
    why: what the task is for and what is checked, in a sentence or two: the first thing shown when it fails.
    hints: three texts, from a nudge to almost there; none contains the line itself.
    after: names of tasks of the same exercise that must be right first; else this one waits and says for what.
    judge: None: every output is compared with the master's. Else `judge(returned, inputs)` -> list of `Finding`, one
        for each name in `outputs`: a check of properties (weights that solve a task, say). It runs in the parent, on
        arrays; it must not trust shapes, and must not contain the solution, as it is handed out.
    tolerance: largest error, relative to the largest entry of the master's output.
    number: how many public cases; and as many hidden ones of the same kind, with other sizes and numbers.
    without: names of functions in the student's file that are out of reach while this one is called: those of which a
        backward pass would otherwise be the numerical derivative.
    packages: what may be imported by this task besides the exercise's `PACKAGES`.
    pair: (forward, backward): names of two functions in the student's file, if line verdicts can say more; None: for
        `f_backward`, ("f", "f_backward").
    forward: source of a function of the forward one's name and arguments, where the backward one wants to be given more
        than that returns: it calls `yours.f` and returns, each under a name, all that the backward one is given, or
        given the gradient of.
    axis: what the first axis of the outputs counts, for what is said of them: "step", "sequence", "update"; "": by the
        shapes of the arguments.
    seconds: that one call may take.
    section: the heading in the handout that explains it.
    practice: True for a task that the package itself contains: full hints, no points (points must be 0).
    """

    name: str
    title: str
    points: int
    case: Callable
    outputs: tuple[str, ...]
    why: str
    hints: tuple[str, str, str]
    after: tuple[str, ...] = ()
    judge: Callable | None = None
    tolerance: float = EXACT
    number: int = 3
    without: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None
    forward: str = ""
    axis: str = ""
    seconds: float = 5.0
    section: str = ""
    practice: bool = False

    @property
    def partners(self):
        """(forward, backward): names of the functions that line verdicts are about, or None."""
        stem = self.name.removesuffix("_backward")
        return self.pair or ((stem, self.name) if stem != self.name else None)


@dataclass(frozen=True)
class Hidden:
    """Hidden checks of a task besides those of its public kind with other numbers, which there are in any case.

    case: a generator of further cases, such as corners, or a tuple of several. number: how many of each; None: as many
        as public ones.
    judge: as of `Task`, for all hidden cases; None: the task's own.
    large: a generator of one more case, of so many entries that only a real backward pass is done in time: derivatives
        entry by entry, exact as they may be, take one forward pass for each.
    """

    case: Callable | tuple[Callable, ...] | None = None
    judge: Callable | None = None
    number: int | None = None
    large: Callable | None = None


@dataclass(frozen=True)
class Mistake:
    """A known wrong solution, made by changing the master's text.

    name: a few words joined by hyphens. task: the task that it breaks. old, new: text in the master, which must occur
    exactly `times` times, and what stands there instead. title: what is wrong, as it is told to the student (never the
    right line). accepted: it is no mistake but another right solution, which must get all points.
    """

    name: str
    task: str
    old: str
    new: str
    title: str
    times: int = 1
    accepted: bool = False
    tags: tuple[str, ...] = field(default=())
