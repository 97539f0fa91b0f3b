"""`tinyrnn.lines`: the line verdicts on whatever it is given.

What comes without inputs gets some that are made up (`tinyrnn.sources.inputs.guess`), and the report notes which.
Nothing that is passed in is modified: copies are judged.
"""

import difflib
import inspect
import re
from time import process_time
from types import ModuleType
from typing import Any

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.checking.probe import leaves
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.core.files import as_typed
from tinyrnn.nn.layers import Composite
from tinyrnn.sources.deadline import TooLong, cut_off
from tinyrnn.sources.inputs.arguments import ADVICE
from tinyrnn.sources.memory import bounded_memory
from tinyrnn.sources.pairs import EXAMPLE, no_partner_message
from tinyrnn.sources.quietly import quietly
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.seen.rerun import calls_of
from tinyrnn.sources.seen.watch import wanted_of
from tinyrnn.sources.stubs import NotWritten
from tinyrnn.sources.target import Target, examples_in, is_cell, target, targets
from tinyrnn.sources.user_file import explained
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.readings import as_meant
from tinyrnn.verdicts.judge.repeatable import NOTHING_JUDGED, repeatable_truth, says_nothing
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.name.recognise import Recognised
from tinyrnn.verdicts.report import LineReport, LineReports
from tinyrnn.verdicts.subjects import of_package as subjects
from tinyrnn.verdicts.subjects.homework import Options, of_seen, problem_of
from tinyrnn.verdicts.subjects.optimiser_steps import method_of, report_on_step
from tinyrnn.verdicts.subjects.step_cell import of_step_cell

# an error that says that an argument is no whole number, or has fewer or more axes than it should
MISFIT = re.compile(r"indices must be|used as ind|are valid indices|to unpack|unhashable|not subscriptable|has no len")
MISSHAPEN = re.compile(r"raises (ValueError|IndexError|TypeError)")
JUDGE_SECONDS = 40.0  # for all of a file that is judged with arrays that nobody has chosen small
LEAST_SECONDS = 5.0  # of them for each
INPUT_SIZE, HIDDEN_SIZE = 2, 5  # of a cell that is made to be judged


def lines(
    subject: Any,
    backward: Any = None,
    inputs: Any = None,
    *,
    jac: Any = None,
    upstream: Any = None,
    rng: int = 0,
    T: int = 3,
    B: int = 3,
    leave: tuple = (),
    against: str = "auto",
    remedies: bool = False,
) -> Any:
    """Judge a backward pass line by line; returns a `LineReport`, or `LineReports` where there are several.

        tr.lines("lstm")                                a part of the package; the names are those of the command
        tr.lines(tr.LSTM), tr.lines(cell)               a cell or `StepCell`; the cells within a `Stack` or `Model`
        tr.lines(adam)                                  a step of an optimiser, by its name, beside the package's own
        tr.lines(my_homework)                           a module: all that belongs together in it by its name

    and functions, objects and classes as `tinyrnn.gradcheck` takes them, all of them without inputs too:

        tr.lines(forward, backward, {"x": x, "W": W})   two functions, or two methods of one object
        tr.lines((forward, backward, inputs))           the same
        tr.lines(f, grad, x)                            f(x) and grad(x)
        tr.lines(softmax_loss, (x, y), jac=True)        one function, which returns a loss and then its gradients
        tr.lines(Layer), tr.lines(layer, x)             a class, or an object, with methods forward and backward

    inputs: the forward function's arguments, a dict by name or a sequence; made up if not given. jac: the function by
    itself returns its gradients; without it that is told from names. upstream: gradients
    from above, {argument of backward: array}; random if not given. rng: seed or Generator of all that is random. T, B:
    time steps and sequences of what is made up. leave: names of functions not to look into. against: which of the
    package's cells the forward pass should be, one of `CELLS`; "auto": whichever it is, if any; None: do not compare.
    remedies: whether to look for what would put each wrong line right, for `LineReport.hints`.

    Raises TypeError or ValueError, in one line, for what cannot be judged. An error in the forward pass that is judged
    becomes a ValueError that says where it came from.
    """
    if T < 1 or B < 1:
        raise ValueError(f"lines needs at least one time step and one sequence, got T={T}, B={B}")
    if against not in ("auto", None, *CELLS):
        raise ValueError(f"against must be None, 'auto' or one of {', '.join(CELLS)}, got {against!r}")
    if backward is not None and inputs is not None and not callable(backward):
        raise TypeError(f"backward must be a function, got {type(backward).__name__} (inputs come after it)")
    options = Options(upstream, as_rng(rng), T, B, tuple(leave), against, remedies)
    given = [what for what in (backward, inputs) if what is not None]
    with quietly(), bounded_memory():
        return judged(subject, given, jac, options)


def judged(subject, given, jac, options):
    """The report on whatever it is."""
    if isinstance(subject, str):
        return judged_by_name(subject, options)
    if isinstance(subject, ModuleType):
        return judged_module(subject, options)
    if isinstance(subject, Composite):
        return LineReports(judged_cell(part, options) for _, part in leaves(subject) if isinstance(part, Cell))
    if is_cell(subject):
        return judged_cell(subject, options)
    if isinstance(subject, Target):
        return judged_alone(subject, options)
    if not given and inspect.isroutine(subject) and method_of(subject):
        return report_on_step(subject, method_of(subject), options.rng)
    return judged_alone(target(subject, *given, jac=jac, caller="lines"), options)


def judged_cell(cell, options):
    """The `LineReport` on a cell, or a class of cells."""
    return finished(problem_of_cell(cell, options), [], options)


def judged_target(found, options):
    """The report on a `Target`; `LineReports` if it is without inputs, and its file has several examples of it."""
    if found.inputs is None and not found.title:
        given = examples_in(getattr(found.forward, "__globals__", {}), options.rng)
        reports = LineReports(judged_target(one, options) for one in given if one.about == found.about)
        if len(reports):
            return reports if len(reports) > 1 else reports[0]
    report = finished(*problem_of(found, options), options)
    return titled(report, found.title) if found.title else report


def judged_alone(found, options):
    """The same for a `Target` by itself: as its file calls it, where it cannot be judged with made-up inputs."""
    try:
        outcome = judged_target(found, options)
    except Exception as error:
        outcome = error
    again = {} if is_settled(outcome) else judged_as_called([found], options)
    outcome = again.get(0, outcome)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def judged_as_called(found, options):
    """{place: the `LineReport`, or the error, of a `Target` as its file calls it}, as far as such calls are seen."""
    asked = {k: wanted_of(one) for k, one in enumerate(found) if isinstance(one, Target) and one.inputs is None}
    seen, made, began = calls_of([*asked.values()]), {}, process_time()
    for place, k in enumerate(asked):
        if place in seen:
            left = JUDGE_SECONDS - (process_time() - began)
            made[k] = as_called(found[k], seen[place], options, max(left, LEAST_SECONDS))
    return made


def as_called(found, seen, options, seconds):
    """The `LineReport` of a `Target` by a `SeenCall`, or the error that it ends in; after so many seconds of work it is
    broken off."""
    try:
        with explained(), cut_off(seconds):
            problem, notes = of_seen(found, seen, options)
            report = finished(problem, notes, options)
            check_doubt(problem, report)
            return report
    except (Exception, TooLong) as error:
        is_late = isinstance(error, TooLong) or isinstance(error.__cause__, TooLong)
        return ValueError(f"{seen.what} is too large to be judged in time") if is_late else error


def check_doubt(problem, report):
    """ValueError where not one gradient comes out right of what no name says to be so: the loss that the program works
    out, maybe only to print it, may not be what it differentiates, and what comes from above the gradient of another
    value than the output of its size."""
    if problem.passes.is_sure or not 0 < report.compared <= len(report.wrong_results):
        return
    backward, forward = problem.top[1], problem.losses[0].__qualname__ if problem.losses else problem.top[0]
    raise ValueError(f"no gradient of {backward} is that of {forward}: is it what is differentiated?")


def is_settled(outcome):
    """Whether something is said of a line, or nothing is there to be judged; no error, and no report that only says why
    nothing could be."""
    if isinstance(outcome, Exception):
        return isinstance(outcome, NotWritten)
    problems = outcome.problems if isinstance(outcome, LineReport) else []
    return bool(not problems or outcome.rows) or not any(one.startswith("not judged") for one in problems)


def titled(report, name):
    """The same `LineReport`, its title changed in place to `name: title`."""
    report.title = f"{name}: {report.title}"
    return report


def judged_by_name(name, options):
    """The `LineReport` on a part of the package; ValueError, with a hint, where none has that name."""
    try:
        problem = problem_of_cell(name, options) if name in CELLS else subjects.named(name)
    except KeyError:
        near = difflib.get_close_matches(name, subjects.NAMES, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(subjects.NAMES)}"
        raise ValueError(f"no part of tinyrnn is called {name!r} ({hint})") from None
    return titled(finished(problem, [], options), name)


def problem_of_cell(cell, options):
    """The problem of a cell: an instance, a class, or a name."""
    if not isinstance(cell, Cell):
        cls, given = CELLS[cell] if isinstance(cell, str) else (cell, {})
        try:
            cell = cls(INPUT_SIZE, HIDDEN_SIZE, rng=options.rng, **given)
        except TypeError as error:
            raise TypeError(f"{cls.__name__} takes other arguments ({error}): make one and give that") from error
    for name, value in cell.params.items():
        if value.dtype != np.float64:
            raise ValueError(f'lines needs float64, but {name} is {value.dtype}: build it with dtype="float64"')
    if isinstance(cell, StepCell):
        return of_step_cell(cell, B=options.B, rng=options.rng, leave=options.leave)
    return subjects.of_cell(cell, T=options.T, B=options.B, rng=options.rng)


def judged_module(module, options):
    """Reports on all there is in a module; what cannot be judged is a report that says why."""
    found, unpaired = targets(module, options.rng)
    paired = {function for one in found if isinstance(one, Target) for function in one[:2]}
    found += [f for f in vars(module).values() if method_of(f) and f.__module__ == module.__name__ and f not in paired]
    outcomes = [judged_or_error(one, options) for one in found]
    failed = [k for k, one in enumerate(outcomes) if not is_settled(one)]
    again = {failed[k]: one for k, one in judged_as_called([found[k] for k in failed], options).items()}
    outcomes = [again.get(k, one) for k, one in enumerate(outcomes)]
    errors = [one for one in [*again.values(), *outcomes] if isinstance(one, Exception)]
    reports = LineReports(
        LineReport(title_of(one), problems=[f"not judged: {outcome}"]) if isinstance(outcome, Exception) else outcome
        for one, outcome in zip(found, outcomes, strict=True)
    )
    reports += [LineReport(f.__qualname__, problems=[no_partner_message(f)]) for f in unpaired]
    where = as_typed(module.__file__) if getattr(module, "__file__", None) else module.__name__
    if not found:
        why = no_partner_message(unpaired[0]) if unpaired else f"no functions found that belong together: {EXAMPLE}"
        raise ValueError(f"{where}: {why}")
    if all(isinstance(one, Exception) for one in outcomes):
        raise errors[0]
    return reports


def judged_or_error(one, options):
    """The report on one of several things, or the error it ends in: the others can still be judged."""
    try:
        with explained():
            return judged_target(one, options) if isinstance(one, Target) else judged(one, (), None, options)
    except Exception as error:
        return error


def title_of(one):
    """What a thing in a module is called."""
    return one.name if isinstance(one, Target) else getattr(one, "__name__", repr(one))


def finished(problem, notes, options):
    """The report on a problem."""
    problem, truth, more = repeatable_truth(problem)
    problem, truth, notes_on_loss, doubts = as_meant(problem, truth)
    judge, program = Judge(problem, truth, recognise=options.against is not None), problem.program()
    report = report_on(problem, judge, program, options.remedies)
    if says_nothing(problem, truth, program, report):
        report.problems.append(NOTHING_JUDGED)
    if options.against in CELLS and not is_of(judge.recognised, options.against):
        report.problems.append(f"the forward pass is not that of {options.against}, by any convention that is known")
    if notes and (raised := misfits(report, problem.is_guess)):  # of made-up inputs the program is not to blame
        report.rows, report.problems = [], [f"not judged: {raised}, with inputs that were made up: {ADVICE}"]
    report.problems += doubts
    report.notes += [*more, *notes_on_loss, *notes]
    report.files = {f.__qualname__: f.__code__.co_filename for f in map(undecorated, program.originals())}
    return report


def misfits(report, is_guess):
    """What a line raises because its arguments are of another kind than it is written for, or of another shape, where
    shapes are a guess; None if none does."""
    for row in report.wrong:
        told = " ".join(row.how)
        if row.name == "error" and (MISFIT.search(told) or (is_guess and MISSHAPEN.search(told))):
            return f"line {row.line} of {row.function}: {told}"
    return None


def is_of(recognised, name):
    """Whether a forward pass was recognised, and as of the class `CELLS` has under `name`; None: as nothing."""
    return isinstance(recognised, Recognised) and type(recognised.cell) is CELLS[name][0]
