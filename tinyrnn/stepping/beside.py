"""Numerical gradients beside a recorded step: what every backward line should have given, from what really came in.

This is the work of the line verdicts (`tinyrnn.verdicts`), at the point of the recording: the input and the state of
one time step, and the gradients that came down to it.
"""

from typing import NamedTuple

import numpy as np

from tinyrnn.checking.probe import Probe
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.ops import is_index
from tinyrnn.stepping.form import MISTAKE
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.subjects import of_package as subjects
from tinyrnn.verdicts.subjects import step_cell


class Verdicts(NamedTuple):
    """gradients: (site, k) -> the true gradient of what that line gave, the k-th time it ran. accused: (function, line,
    name) -> what is wrong about it, in words, and the known mistake that it is, or None."""

    gradients: dict
    accused: dict


def of_step(cell, passed):
    """`Verdicts` on one time step of a cell; passed: what `tinyrnn.stepping.running` kept of it."""
    x, live = passed["x"], passed["live"]
    x = numbers_of(cell, x)
    above = [d if live is None else np.where(live, d, 0) for d in passed["arriving"].values()]
    read = step_cell if isinstance(cell, StepCell) else subjects

    def at(x, before, above):
        return verdicts_on(read.at_point(cell, Probe(x[None], None, before, above, np.zeros((1, *above[0].shape)))))

    here = at(x, tuple(passed["before"]), tuple(above))
    if not here.accused:
        return here
    # Who is to blame does not show where zeros make right what is wrong: the first state is often zero, and so is the
    # gradient of most states at the last step.
    rng = np.random.default_rng(0)
    drawn = [[rng.normal(size=part.shape) for part in parts] for parts in (passed["before"], above)]
    elsewhere = at(x if is_index(x) else rng.normal(size=x.shape), *map(tuple, drawn))
    return here._replace(accused=elsewhere.accused or here.accused)


def of_sequence(cell, x, mask, state, dh, dstate):
    """The same for a cell that has to be seen over its whole sequence; k counts over all of it."""
    dh = np.zeros((*x.shape[:2], cell.output_size)) if dh is None else dh
    return verdicts_on(subjects.at_point(cell, Probe(numbers_of(cell, x), mask, state, tuple(dstate), dh)))


def numbers_of(cell, x):
    """x as something that can be changed a little: one-hot rows for class numbers, if the cell is one of ours."""
    if is_index(x):
        return x if isinstance(cell, StepCell) else np.eye(cell.input_size)[x]
    return x.astype(float)


def verdicts_on(problem, truth=None):
    """The `Verdicts` on a problem of `tinyrnn.verdicts`, whose places are those of the lines in the recording."""
    judge = Judge(problem, truth or problem.truth())
    verdict = judge.judge(problem.program())
    places, count = {}, {}
    for event in verdict.events:
        places[event.number] = event.site, count.get(event.site, 0)
        count[event.site] = count.get(event.site, 0) + 1
    gradients = {
        places[match.event.number]: expected
        for finding in verdict.findings
        for match, expected in zip(finding.matches, finding.expected, strict=True)
        if not match.recomputed and match.event.number in places
    }
    if verdict.is_right and not verdict.failures:
        return Verdicts(gradients, {})
    report = report_on(problem, judge)
    accused = {(row.function, row.line, row.name): (in_words(row), known(row)) for row in report.wrong}
    return Verdicts(gradients, accused)


def in_words(row):
    """What a `LineVerdict` says, in a line."""
    name = "this" if row.name == row.partner else row.name
    if row.partner is None:
        return "; ".join(row.how) or f"{name} is not what it should be: with right values here all results are right"
    return "; ".join(row.how) or f"{name} is not the gradient of {row.partner}"


def known(row):
    """What a recording says of the known mistake that a line is, or None."""
    return None if row.mistake is None else {key: row.mistake[key] for key in MISTAKE}
