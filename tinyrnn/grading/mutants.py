"""Every small mistake in a master loses points, in every drawing of hidden cases: or it is listed as no mistake.

The mutants of `tinyrnn.sources.mutation` are made of each function that has a solution in it, one at a time, and of
those that another right solution (`Mistake(accepted=True)`) writes otherwise. What they answer is judged as a
submission's answers are: here and not in the sandbox, as a master is trusted. One that loses nothing is a case that is
missing, unless the exercise's equivalent.py has it:

    EQUIVALENT = {
        "a reason why it changes no value on any legal input": (
            "function | statement | before -> after",
        ),
    }

Tasks with a judge have many right answers: a mutant whose answers their judge takes is another one. What only a
training calls is left out: its judge takes whatever has learnt.
"""

import ast
import copy
import io
import signal
import warnings
from collections import Counter
from contextlib import contextmanager, redirect_stdout
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType

import numpy as np

from tinyrnn.grading import answers
from tinyrnn.grading.exercise import Exercise
from tinyrnn.grading.judging import judged
from tinyrnn.grading.skeleton import blocks
from tinyrnn.grading.task import Hidden
from tinyrnn.sources.mutation import mutants_of

DRAWINGS = 3
TRAINING = 10.0  # seconds: a judged task that may take as long is a training
SECONDS = 10.0  # for all calls of a mutant: what takes longer has lost its points


class Solution:
    """A right solution of an exercise, of which one function at a time can be another; and the hidden cases it is tried
    in. other: a `Mistake` that is accepted, for the master as that has it; of it only what it changes is mutated."""

    def __init__(self, exercise, other=None, drawings=DRAWINGS, known=None):
        self.exercise, self.other, self.drawings = exercise, other, drawings
        self.text = (exercise.folder / "master.py").read_text(encoding="utf-8")
        original, self.given = functions_in(self.text), {}  # given: what was tried with the master already
        if other is not None:
            self.text = answers.mistaken(self.text, other)
            self.given = {name: set(map(first_line, statements_in(f))) for name, f in original.items()}
        self.functions = functions_in(self.text)
        self.own = [f for f in self.functions.values() if other is None or changed(f, original.get(f.name))]
        self.known = {} if known is None else known
        self.read = {name: names_in(tree) for name, tree in self.functions.items()}
        self.readers = cache(self.readers)

    @cached_property
    def module(self):
        """What the text makes, a module."""
        return self.exercise.master if self.other is None else self.exercise.module("master", self.text)

    @cached_property
    def every(self):
        """(name of the function, `Mutant`, its text) of all mutants."""
        spans = [(block.first, block.last) for block in blocks(self.text)]
        solved = [f for f in self.own if any(f.lineno < last and first < f.end_lineno for first, last in spans)]
        solved = [f for f in solved if not all(self.judge(t) and t.seconds >= TRAINING for t in self.readers(f.name))]
        which = "" if self.other is None else f"{self.other.name}: "
        return [
            (f.name, mutant, which + text)
            for f in solved
            for mutant, statement, text in named(f, mutants_of(f))
            if statement not in self.given.get(f.name, ())
        ]

    def readers(self, name):
        """The tasks whose functions call a function, at once or in turn: its own first."""
        found, before = {name}, None
        while found != before:
            before = set(found)
            found |= {other for other, names in self.read.items() if found & names}
        tasks = [task for task in self.exercise.tasks.values() if task.name in found]
        return sorted(tasks, key=lambda task: task.name != name)

    def cases(self, task, drawing):
        """[(inputs, right answers or None)] of one drawing of a task's hidden cases; made once."""
        if (task.name, drawing) not in self.known:
            judge = self.judge(task)
            inputs = answers.hidden_inputs(self.exercise, task, [drawing])
            right = [(given, None if judge else answers.answer(self.exercise.master, task, given)) for given in inputs]
            self.known[task.name, drawing] = right
        return self.known[task.name, drawing]

    def judge(self, task):
        """The judge of a task's hidden cases, or None."""
        return self.exercise.hidden.get(task.name, Hidden()).judge or task.judge

    def with_function(self, tree):
        """The solution's names, with one function compiled from a syntax tree; the others call it."""
        names = {}
        for name, value in vars(self.module).items():
            if isinstance(value, FunctionType) and value.__globals__ is vars(self.module):
                value = FunctionType(value.__code__, names, name, value.__defaults__, value.__closure__)
            names[name] = value
        exec(compile(ast.Module([tree], []), "mutant", "exec"), names)
        return names

    def fate(self, name, tree):
        """ "lost", "accepted" or "blind": of the mutant `tree` of the function `name`."""
        try:
            names = self.with_function(tree)
        except Exception:
            return "lost"
        tasks = self.readers(name)
        for drawing in range(self.drawings):
            if all(self.right(task, drawing, names[task.name]) for task in tasks):
                return "accepted" if any(self.judge(task) and task.name == name for task in tasks) else "blind"
        return "lost"

    def right(self, task, drawing, function):
        """Whether a function answers all hidden cases of a drawing, and leaves its arguments alone."""
        for inputs, wanted in self.cases(task, drawing):
            given = answers.evaluated(copy.deepcopy(inputs))
            before = copy.deepcopy(given)
            returned = quietly(function, given)
            if isinstance(returned, Failed) or not same(before, given):
                return False
            findings = judged(task, self.judge(task), returned, inputs, wanted)
            if not all(finding.ok for finding in findings):
                return False
        return True


def solutions(exercise, drawings=DRAWINGS):
    """The master, and after it every other right solution; all know the same cases."""
    master = Solution(exercise, drawings=drawings)
    others = [Solution(exercise, m, drawings, master.known) for m in exercise.mistakes if m.accepted]
    return [master, *others]


@cache
def opened(folder, drawings):
    """The solutions of the exercise in a folder; the same ones each time, as they keep their cases."""
    return solutions(Exercise(Path(folder)), drawings)


def tried(folder, which, indices, drawings=DRAWINGS):
    """(text, fate) of some mutants of one solution of the exercise in a folder."""
    solution = opened(folder, drawings)[which]
    chosen = [solution.every[k] for k in indices]
    return [(text, solution.fate(name, mutant.tree)) for name, mutant, text in chosen]


def functions_in(text):
    """name -> syntax tree of the functions that a text defines."""
    return {f.name: f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}


def changed(function, original):
    """Whether a function is not the same code."""
    return original is None or ast.dump(function) != ast.dump(original)


class Failed:
    """What a function gave that raised."""


def quietly(function, arguments):
    """What a function returns, or `Failed` for whatever it raises, too long a time included."""
    try:
        with redirect_stdout(io.StringIO()), np.errstate(all="ignore"), warnings.catch_warnings(), at_most(SECONDS):
            warnings.simplefilter("ignore")
            return function(**arguments)
    except Exception:
        return Failed()


@contextmanager
def at_most(seconds):
    """Raises TimeoutError within, after so many seconds, where the system has a timer."""

    def late(*_):
        raise TimeoutError

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def same(one, other):
    """Whether arguments are what they were, NaN and all."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one is other or callable(one) or one == other


def names_in(tree):
    """All names that a function reads."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def named(function, mutants):
    """(mutant, statement, text) of each: the first line of the statement that it is in; and, with that, the function's
    name and what is changed; those of one text are numbered."""
    nodes, seen = list(ast.walk(function)), Counter()
    around = {}
    for statement in statements_in(function):  # outer ones come first
        around |= dict.fromkeys(ast.walk(statement), first_line(statement))
    for mutant in mutants:
        statement = around[nodes[mutant.place]]
        text = f"{function.name} | {statement} | {one_line(mutant.before)} -> {one_line(mutant.after)}"
        seen[text] += 1
        yield mutant, statement, text if seen[text] == 1 else f"{text} #{seen[text]}"


def statements_in(function):
    """All statements of a function, outer ones first."""
    return [node for node in ast.walk(function) if isinstance(node, ast.stmt)]


def first_line(statement):
    """The first line of a statement's source, as Python writes it."""
    return ast.unparse(statement).splitlines()[0]


def one_line(source):
    """A piece of source with its line breaks and indents as single spaces."""
    return " ".join(source.split())
