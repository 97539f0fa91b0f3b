"""Whether code by other hands is fit to be judged: its forward pass gives numbers, and the same ones every time."""

import contextlib

import numpy as np

from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.record.run import record

STEP = 1e-5  # of what is moved
ROUNDING = 1e-13  # of a loss, relative
NOTHING_JUDGED = "nothing could be judged: no line gives a gradient the name of its partner, dfoo for foo"


def repeatable_truth(problem):
    """(problem, its `Truth`, notes). A forward pass that draws random numbers is made to draw the same every time.

    Raises ValueError if it gives NaN or infinity, or keeps giving other results.
    """
    if problem.compares_values:
        return problem, problem.truth(), []
    problem, notes = without_fixed(problem)
    truth = problem.truth()
    check_end(problem, truth)
    if not is_repeatable(problem, truth):
        problem = problem.but(draws_the_same=True)
        truth = problem.truth()
        notes.append("the forward pass draws random numbers: here, the same ones every time")
    if not is_repeatable(problem, truth):
        raise ValueError(f"{problem.title}: the forward pass gives another result every time it is called")
    if not np.isfinite(problem.loss(truth.result)):
        raise ValueError(f"{problem.title}: the forward pass gives NaN or infinity")
    return problem, truth, notes


def without_fixed(problem):
    """(the same problem without the inputs that may not be moved, such as chances whose sum has to be one, notes)."""
    program, rng = problem.program(), np.random.default_rng(0)
    moved = {name: value + STEP * rng.normal(size=value.shape) for name, value in problem.inputs.items()}

    def fails(names):
        given = {name: moved[name] for name in names}
        try:
            with np.errstate(all="ignore"):
                program.run(None, lambda p: problem.forward(p, **given))
        except Exception:
            return True
        return False

    fixed = [name for name in moved if fails([name])] if fails(moved) and not fails(()) else []
    if not fixed or len(fixed) == len(moved):
        return problem, []
    note = f"no gradient is asked of {', '.join(fixed)}: with other numbers there the forward pass raises an error"
    inputs = {name: value for name, value in problem.inputs.items() if name not in fixed}
    return problem.but(inputs=inputs, order=tuple(name for name in problem.order if name in inputs)), [note]


def check_end(problem, truth):
    """Raises `TooLong` for a backward pass that does not end."""
    with contextlib.suppress(Exception):  # which the report tells
        record(problem.program(), problem.backward_call(truth.result))


def is_repeatable(problem, truth):
    """Whether a second forward pass gives the loss of the first, NaN counted as equal to NaN, and but for rounding: a
    loop over a set of objects goes through them in another order each time."""
    again, first = truth.value(problem.forward), problem.loss(truth.result)
    return bool(np.isclose(again, first, rtol=ROUNDING, atol=0, equal_nan=True))


def is_about_gradient(row, sites):
    """Whether a row of a report is about a gradient, not about a value that was worked out again."""
    if row.verdict == "unjudged":
        return False
    here = [site for site in sites.get(row.function, ()) if (site.line, site.name) == (row.line, row.name)]
    return row.verdict == "wrong" or any(stems(s.name, s.box, s.kind) for s in here) or not here


def says_nothing(problem, truth, program, report):
    """Whether a report has nothing on any gradient."""
    if problem.returns_more and not (report.compared or report.wrong or report.problems):
        return True
    if problem.compares_values or report.compared or any(is_about_gradient(row, program.sites) for row in report.rows):
        return False
    return not returns_gradients(problem, truth)


def returns_gradients(problem, truth):
    """Whether the backward pass returns gradients that are known to be some input's: then these were judged."""
    try:
        returned = problem.program().run(lambda site, value, key=None: value, problem.backward_call(truth.result))
        return bool(problem.results(returned)) or any(one.name and not one.is_stub for one in problem.came(returned))
    except Exception:  # which the report tells
        return True
