"""`tinyrnn.gradcheck`: every hand-written gradient against numerical ones, whoever wrote it.

A cell, a `Stack`, a `Model` … is checked parameter x gate x time step (`tinyrnn.checking.network`), anybody's
functions, objects and classes argument by argument (`tinyrnn.checking.functions`).
"""

import inspect
from types import ModuleType
from typing import Any

from tinyrnn.cells import CELLS
from tinyrnn.checking.functions.adapters import adapted
from tinyrnn.checking.functions.check import check
from tinyrnn.checking.functions.forms import subject_of
from tinyrnn.checking.functions.report import GradientReport as GradientReport
from tinyrnn.checking.functions.report import GradientReports
from tinyrnn.checking.network import check_network
from tinyrnn.checking.report import Report as Report
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.nn.layers import Composite
from tinyrnn.sources.pairs import EXAMPLE, no_partner_message
from tinyrnn.sources.quietly import quietly
from tinyrnn.sources.target import Target, target, targets

CELL_SIZES = 4, 6  # inputs and units of a cell that is only named


def gradcheck(
    subject: Any,
    *given: Any,
    inputs: Any = None,
    jac: Any = None,
    upstream: Any = None,
    args: tuple = (),
    entries: Any = None,
    blocks: Any = None,
    progress: Any = None,
    rng: Any = 0,
    T: int = 5,
    B: int = 3,
    x: Any = None,
    state: Any = None,
    perturb: float = 0.3,
) -> Any:
    """Check gradients; a report that is true if they are right, and prints as a table.

        tr.gradcheck(f, grad, x)                         f(x) a number or an array; grad(x) like x, or a Jacobian
        tr.gradcheck(forward, backward, inputs)          two functions, with a cache or without: backward(dout, cache)
        tr.gradcheck((forward, backward), inputs)        the same
        tr.gradcheck(loss_and_grads, x, jac=True)        one function that returns its value, then the gradients
        tr.gradcheck(layer, x)                           an object with methods forward and backward, weights included
        tr.gradcheck(Layer), tr.gradcheck(forward)       any of these with made-up inputs, as for `tinyrnn.lines`
        tr.gradcheck(module)                             all that belongs together in it by its name
        tr.gradcheck(function, tensors)                  PyTorch or JAX: what their own differentiation returns
        tr.gradcheck(cell), tr.gradcheck(model)          a network of this package

    x, inputs: an array, a number, a dict, list or tuple of those, nested as you like: one argument, or several in a
    tuple or, by name, in a dict. Integers and booleans are left alone. Of a complex z the gradient is dL/dRe z +
    i dL/dIm z. upstream: gradients from above, an array or {argument: array}; random if not given. args: more arguments
    of f and grad, as SciPy has them. entries: how many to look at; None: all up to some thousands, if time allows, else
    samples and random directions. blocks: names of gates or the like that lie side by side in joined arrays, each of
    which gets a row: ("i", "f", "o", "g"), their number, or {argument: names}; recognised where a recurrent weight is
    three or four times as wide as the state. progress: False for a bar, True for none; None for one if it takes long.
    rng: seed or Generator of all that is random.

    Of networks only: x, state: inputs (T, B, n) and initial state, a tuple; perturb: size of the noise added to the
    parameters, so that no bias is zero. Of networks and made-up inputs: T, B: time steps and sequences. Nothing that is
    passed in is modified.

    Returns a `GradientReport`, of a module `GradientReports`; of a network a `Report`. Raises TypeError or ValueError,
    in one line, for what cannot be checked; an error in the functions themselves becomes a ValueError that says where.
    """
    if isinstance(subject, str) and subject in CELLS:
        cls, options = CELLS[subject]
        subject = cls(*CELL_SIZES, rng=rng, **options)
    if inspect.isclass(subject) and issubclass(subject, Cell):
        subject = subject(*CELL_SIZES, rng=rng)
    if isinstance(subject, Cell | Composite):
        return check_network(subject, T=T, B=B, rng=rng, x=x, state=state, perturb=perturb)
    rng = as_rng(rng)
    given = tuple(what for what in (*given, inputs, x) if what is not None)
    with quietly():
        if isinstance(subject, ModuleType) and blocks is not None:
            raise ValueError("blocks belong to one function: say which of the module's")
        if isinstance(subject, ModuleType):
            return of_module(subject, entries, progress, rng, T, B)
        subject, given = adapted(subject, given, args)
        found = target(subject, *given, jac=jac)
        if args:
            found = found._replace(inputs=(found.inputs, *args))
        return check(subject_of(found, rng, T, B, upstream), rng, entries, progress, blocks)


def of_module(module: ModuleType, entries: Any, progress: Any, rng: Any, T: int, B: int) -> GradientReports:
    """`GradientReports` on all there is in a module; what cannot be checked is noted."""
    found, lonely = targets(module, rng)
    reports, errors = GradientReports(), []
    for one in found:
        name = one.title if isinstance(one, Target) else ""
        try:
            report = gradcheck(one, entries=entries, progress=progress, rng=rng, T=T, B=B)
            report.title = f"{name}: {report.title}" if name else report.title
            reports.append(report)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            errors.append(error)
            reports.append(GradientReport(f"{one.name}: {error}"))
    reports += [GradientReport(no_partner_message(function)) for function in lonely]
    if not found:
        raise ValueError(no_partner_message(lonely[0]) if lonely else f"nothing found that belongs together: {EXAMPLE}")
    if len(errors) == len(found):
        raise errors[0]
    return reports
