"""Graded homework: exercises, what a submission is asked for, and what it gets for the answer.

    task        what a task is: a function to be written, its cases, its points
    exercise    a folder of tasks: handout, master, cases, checks, hidden checks, known mistakes
    sandbox     runs a student's functions in a child process, which returns arrays and never a verdict
    compare     whether arrays are right, in the parent
    key         right answers and known wrong ones, from the masters or from what is handed out
    marking     puts them together: files in, `marks` out, which are points and feedback; `report` words them
    student     the commands start, check, hint and submit; `plugin` is the same for pytest

Nothing that a student wrote is ever imported where points are given. What is computed there comes back as plain arrays,
which are compared with those of the master, computed in the same run, or, on a student's own machine, with stored ones.
"""

from tinyrnn.grading.task import Finding as Finding
from tinyrnn.grading.task import Hidden as Hidden
from tinyrnn.grading.task import Mistake as Mistake
from tinyrnn.grading.task import Source as Source
from tinyrnn.grading.task import Task as Task
