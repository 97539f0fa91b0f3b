"""`tinyrnn.lines`: the line verdicts on whatever it is given.

What comes without inputs gets some that are made up (`tinyrnn.sources.inputs.guess`), and the report notes which.
Nothing that is passed in is modified: copies are judged.
"""

import difflib
import inspect
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
from tinyrnn.sources.pairs import EXAMPLE, Pair, examples, find, no_partner_message, partner_of
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.user_file import explained, silence
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.repeatable import NOTHING_JUDGED, random_state_kept, repeatable_truth, says_nothing
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.report import LineReport, LineReports
from tinyrnn.verdicts.subjects import of_package as subjects
from tinyrnn.verdicts.subjects.homework import Options, check_object, of_class, of_pair
from tinyrnn.verdicts.subjects.optimiser_steps import method_of, report_on_step
from tinyrnn.verdicts.subjects.step_cell import of_step_cell

INPUT_SIZE, HIDDEN_SIZE = 2, 5  # of a cell that is made to be judged


def lines(
    subject: Any,
    backward: Any = None,
    inputs: Any = None,
    *,
    upstream: Any = None,
    rng: int = 0,
    T: int = 3,
    B: int = 3,
    leave: tuple = (),
    against: str = "auto",
) -> Any:
    """Judge a backward pass line by line; returns a `LineReport`, or `LineReports` where there are several.

        tr.lines("lstm")                                a part of the package; the names are those of the command
        tr.lines(tr.LSTM), tr.lines(cell)               a cell or `StepCell`; the cells within a `Stack` or `Model`
        tr.lines(forward, backward, {"x": x, "W": W})   two functions, or two methods of one object
        tr.lines(softmax_loss, inputs=(x, y))           one function, which returns a loss and then its gradients
        tr.lines(adam)                                  a step of an optimiser, by its name, beside the package's own
        tr.lines(Layer), tr.lines(layer)                a class, or an object, with methods forward and backward
        tr.lines(my_homework)                           a module: all that belongs together in it by its name

    inputs: the forward function's arguments, a dict by name or a sequence; made up if not given. upstream: gradients
    from above, {argument of backward: array}; random if not given. rng: seed or Generator of all that is random. T, B:
    time steps and sequences of what is made up. leave: names of functions not to look into. against: which of the
    package's cells the forward pass should be, one of `CELLS`; "auto": whichever it is, if any; None: do not compare.

    Raises TypeError or ValueError, in one line, for what cannot be judged. An error in the forward pass that is judged
    becomes a ValueError that says where it came from.
    """
    if T < 1 or B < 1:
        raise ValueError(f"lines needs at least one time step and one sequence, got T={T}, B={B}")
    if against not in ("auto", None, *CELLS):
        raise ValueError(f"against must be None, 'auto' or one of {', '.join(CELLS)}, got {against!r}")
    if backward is not None and not callable(backward):
        raise TypeError(f"backward must be a function, got {type(backward).__name__} (inputs come after it)")
    options = Options(upstream, as_rng(rng), T, B, tuple(leave), against)
    with explained(), silence(), random_state_kept(), np.errstate(all="ignore"):
        return judged(subject, backward, inputs, options)


def judged(subject, backward, inputs, options):
    """The report on whatever it is."""
    if isinstance(subject, str):
        return judged_by_name(subject, options)
    if isinstance(subject, ModuleType):
        return judged_module(subject, options)
    if isinstance(subject, Pair):
        return judged_pair(*subject, inputs, options)
    if inspect.isroutine(subject):
        if backward is None and inputs is None and method_of(subject):
            return report_on_step(subject, method_of(subject), options.rng)
        check_object(subject)
        pair = partner_of(subject) if backward is None else Pair(subject, backward)
        found = judged_like_examples(pair.forward, pair, inputs, options)
        return judged_pair(*pair, inputs, options) if found is None else found
    if isinstance(subject, Composite):
        cells = [part for _, part in leaves(subject) if isinstance(part, Cell)]
        return LineReports(judged(cell, None, None, options) for cell in cells)
    if isinstance(subject, Cell) or (inspect.isclass(subject) and issubclass(subject, Cell)):
        return finished(problem_of_cell(subject, options), [], options)
    if not all(callable(getattr(subject, name, None)) for name in ("forward", "backward")):
        what = subject.__name__ if inspect.isclass(subject) else type(subject).__name__
        raise TypeError(
            f"lines takes a cell, functions, a module, a name, or what has forward and backward; got {what}"
        )
    if inspect.isclass(subject):
        found = judged_like_examples(subject.forward, subject, inputs, options)
        return finished(*of_class(subject, inputs, options), options) if found is None else found
    return judged_pair(subject.forward, subject.backward, inputs, options)


def judged_pair(forward, backward, inputs, options):
    """The `LineReport` on two passes; ValueError or TypeError from `of_pair` if they cannot be called."""
    return finished(*of_pair(forward, backward, inputs, options), options)


def judged_like_examples(forward, subject, inputs, options):
    """The report on a pair or class whose file has examples of it, several if there are several; None without."""
    if inputs is not None:
        return None
    given = examples(getattr(forward, "__globals__", {}), options.rng)
    given = [(pair, inputs, name) for pair, inputs, name in given if subject_of(pair) == subject_of(subject)]
    reports = LineReports(titled(judged_pair(*pair, inputs, options), name) for pair, inputs, name in given)
    return None if not given else reports[0] if len(reports) == 1 else reports


def subject_of(one):
    """What a pair is about: the class it has its methods from, or its forward function; a class is its own."""
    if not isinstance(one, Pair):
        return one
    owner = getattr(one.forward, "__self__", None)
    return one.forward if owner is None else type(owner)


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
    found, unpaired = find(module)
    given = examples(vars(module), options.rng)
    covered = [subject_of(pair) for pair, _, _ in given]
    steps = [f for f in vars(module).values() if method_of(f) and f.__module__ == module.__name__]
    found = [*found, *(f for f in steps if f not in [function for pair in found for function in pair_of(pair)])]
    tasks = [*given, *((one, None, title_of(one)) for one in found if subject_of(one) not in covered)]
    reports, errors = LineReports(), []
    for one, inputs, title in tasks:
        try:
            with explained():
                report = judged(one, None, inputs, options)
                reports.append(report if inputs is None else titled(report, title))
        except Exception as error:  # the others can still be judged
            errors.append(error)
            reports.append(LineReport(title, problems=[f"not judged: {error}"]))
    reports += [LineReport(f.__qualname__, problems=[no_partner_message(f)]) for f in unpaired]
    where = as_typed(module.__file__) if getattr(module, "__file__", None) else module.__name__
    if not tasks:
        why = no_partner_message(unpaired[0]) if unpaired else f"no functions found that belong together: {EXAMPLE}"
        raise ValueError(f"{where}: {why}")
    if len(errors) == len(tasks):
        raise errors[0]
    return reports


def pair_of(one):
    """The two functions of a `Pair`, or () for a class or function."""
    return one if isinstance(one, Pair) else ()


def title_of(one):
    """A string: the qualified names of a `Pair`, each once, joined by `and`; else `__name__` or the repr."""
    if isinstance(one, Pair):
        return " and ".join(dict.fromkeys(f.__qualname__ for f in one))
    return getattr(one, "__name__", repr(one))


def finished(problem, notes, options):
    """The report on a problem."""
    problem, truth, more = repeatable_truth(problem)
    judge, program = Judge(problem, truth, recognise=options.against is not None), problem.program()
    report = report_on(problem, judge, program)
    if says_nothing(problem, truth, program, report):
        report.problems.append(NOTHING_JUDGED)
    if options.against in CELLS and not is_cell(judge.recognised, options.against):
        report.problems.append(f"the forward pass is not that of {options.against}, by any convention that is known")
    report.notes += [*more, *notes]
    report.files = {f.__qualname__: f.__code__.co_filename for f in map(undecorated, program.originals())}
    return report


def is_cell(recognised, name):
    """Whether a `Recognised` forward pass is of the class `CELLS` has under `name`; false for None."""
    return recognised is not None and type(recognised.cell) is CELLS[name][0]
