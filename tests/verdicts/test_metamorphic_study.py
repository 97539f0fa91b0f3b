"""Every subject of the mutation study, written otherwise: the image of the same line is accused, and right code is not.

Of each, one mistake and one transformation are drawn, always the same ones; others with
--hypothesis-profile=random.
"""

import ast
import copy
import functools

import hypothesis
import numpy as np
import pytest
from metamorphic import OF_FUNCTIONS, function_rewritten

from tinyrnn.sources import read
from tinyrnn.sources.mutation import combine
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.record.problem import Comparison
from tinyrnn.verdicts.subjects import of_package as subjects
from tools.mutation_study import study

QUICK = ("clip_by_norm", "cross_entropy", "soft_orthogonality", "drop")
MOST_DRAWN = 12  # mistakes for each transformation, until one shows and is located as the source stands
NOTHING_TO_CHANGE = ("sgd", "sgd-nesterov", "clip_by_value")  # by any transformation that fits
NAMES = "with other names a neighbour is accused too: most of these passes break off, and then names decide"
NOT_YET = dict.fromkeys(
    (
        "permutation",
        "readout",
        "phases",
        "kronecker",
    ),
    NAMES,
)
SOMETIMES = dict.fromkeys(
    ("affine", "inverse_fourier"), f"{NAMES}; seen to pass and to fail with the same source, it is not known why"
)
BY_NAME = ("every variable renamed", "parts of expressions named")  # of no use where values are compared by their names


def seed():
    return 0 if hypothesis.settings().derandomize else np.random.SeedSequence().entropy


class Rewritten:
    """A problem, and the same with all its functions, forward and backward, transformed; judged with one mistake."""

    def __init__(self, problem, transform):
        self.problem, self.transform = problem, transform
        self.trees, self.origins = {}, {}
        for function in problem.program().originals():
            self.put(function, read(function), self.trees)
        self.made = copy.copy(problem)
        self.made.program = lambda more=None, uses=False: problem.program(self.trees | (more or {}), uses)
        self.judge = Judge(self.made, self.made.truth())
        self.judge.namer = None

    def put(self, function, tree, trees):
        trees[function], self.origins[function.__qualname__] = function_rewritten(tree, self.transform)

    def report(self, *changed):
        """The `LineReport` with some (function, mutant)."""
        more = {}
        for function, mutant in changed:
            self.put(function, combine(function, [mutant]), more)
        return report_on(self.made, self.judge, self.made.program(more))

    def results(self):
        """What the backward pass returns, in one list of arrays."""
        call = self.made.backward_call(self.judge.truth.result)
        return list(study.arrays_of(self.made.program({}).run(study.quiet, call)))

    def images(self, row):
        """The lines that an accused line is the image of."""
        origins = self.origins[row.function]
        return origins[max(line for line in origins if line <= row.line)]


@functools.cache
def is_changed(function, transform):
    changed, same = (function_rewritten(read(function), t)[0] for t in (OF_FUNCTIONS[transform], lambda tree: tree))
    return ast.unparse(changed) != ast.unparse(same)


def drawn(name):
    """(subject, transformation, a mistake that shows and is located as the source stands). The transformations take
    turns."""
    number = study.NAMES.index(name)
    rng = np.random.default_rng([seed(), number])
    subject = study.Subject(name, subjects.points(name, [0]))
    compared = isinstance(subject.problems[0], Comparison)
    for k in range(len(OF_FUNCTIONS)):
        transform = list(OF_FUNCTIONS)[(seed() + number + k) % len(OF_FUNCTIONS)]
        fit = [one for one in subject.every if is_changed(one[0], transform)]
        for function, mutant in [fit[k] for k in rng.permutation(len(fit))[:MOST_DRAWN]]:
            program = subject.problems[0].program({function: combine(function, [mutant])})
            if not (compared and transform in BY_NAME) and subject.where_it_shows(program) is not None:
                _, accused, _ = subject.accused(0, program)
                if accused == {(function.__qualname__, mutant.line)}:
                    return subject, transform, (function, mutant)
    pytest.fail(f"of {MOST_DRAWN} mistakes in {name}, none shows and is located")


def case(name):
    marks = [] if name in QUICK else [pytest.mark.slow]
    if why := NOT_YET.get(name) or SOMETIMES.get(name):
        strict = name in NOT_YET and hypothesis.settings().derandomize
        marks.append(pytest.mark.xfail(reason=why, strict=strict, raises=AssertionError))
    return pytest.param(name, marks=marks)


@pytest.mark.sample(14)
@pytest.mark.parametrize("name", [case(name) for name in study.NAMES if name not in NOTHING_TO_CHANGE])
def test_written_otherwise_the_image_of_the_same_line_is_accused_and_right_code_is_not(name):
    subject, transform, wrong = drawn(name)
    said = f"{transform}, {wrong[0].__qualname__}, {wrong[1]}"
    rewritten = Rewritten(subject.problems[0], OF_FUNCTIONS[transform])
    assert all(map(study.equal, rewritten.results(), subject.results[0])), said
    report = rewritten.report()
    assert report.ok, f"{said}\n{report}"
    report = rewritten.report(wrong)
    assert report.wrong and all(wrong[1].line in rewritten.images(row) for row in report.wrong), f"{said}\n{report}"
