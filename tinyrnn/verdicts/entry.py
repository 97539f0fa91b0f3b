"""`tinyrnn.lines`: the line verdicts on whatever it is given.

What has no inputs of its own gets some that are made up (`tinyrnn.verdicts.guess`); the report notes which. They are
copied, as is everything that is judged.
"""

import difflib
import inspect
import sys
from types import ModuleType

import numpy as np

from tinyrnn.backend import as_rng
from tinyrnn.cell import Cell
from tinyrnn.adapter import StepCell
from tinyrnn.cells import CELLS
from tinyrnn.checking.probe import leaves
from tinyrnn.layers import Composite
from tinyrnn.verdicts import subjects
from tinyrnn.verdicts.judging import Judge
from tinyrnn.verdicts.lines import report_on
from tinyrnn.verdicts.pairs import EXAMPLE, Pair, find, lonely_message, partner
from tinyrnn.verdicts.report import LineReport, LineReports
from tinyrnn.verdicts.step_cell import of_step_cell
from tinyrnn.verdicts.student import StudentError, explained, silence, told

SIZES = (2, 5)  # input_size and hidden_size of a cell that is made to be judged


def lines(subject, backward=None, inputs=None, *, upstream=None, rng=0, T=3, B=3, leave=(), against="auto"):
    """Judge a backward pass line by line; returns a `LineReport`, or `LineReports` for a module or a stack.

        tr.lines("lstm")                                a part of the package, by its name on the command line
        tr.lines(tr.LSTM), tr.lines(cell)               a cell, `StepCell` or class of cells; the cells of a `Stack`
        tr.lines(forward, backward, {"x": x, "W": W})   two functions, or two methods of one object
        tr.lines(softmax_loss, inputs=(x, y))           a function that returns a loss and then its gradients
        tr.lines(Layer), tr.lines(layer)                a class, or an object, with methods forward and backward
        tr.lines(my_homework)                           a module: all pairs in it, found by their names

    inputs: the forward function's arguments, a dict by name or a sequence; made up if not given. upstream: gradients
    from above, {argument of backward: array}, random if not given. rng: seed or Generator of all that is random. T, B:
    time steps and sequences of what is made up. leave: names of functions not to look into. against: see
    `tinyrnn.verdicts.forwards`.

    Raises ValueError or TypeError, in one line, for what cannot be judged; errors in the forward pass that is judged
    become a ValueError that names the line.
    """
    check(T, B)
    task = Task(upstream, as_rng(rng), T, B, leave, against)
    with explained(), silence():
        return judged(subject, backward, inputs, task)


class Task:
    """The options of `lines`."""

    def __init__(self, upstream, rng, T, B, leave, against):
        self.upstream, self.rng, self.T, self.B, self.leave, self.against = upstream, rng, T, B, leave, against
