"""`tinyrnn.gradcheck`: every hand-written gradient against numerical ones, whoever wrote it.

A cell, a `Stack`, a `Model` … is checked parameter x gate x time step (`tinyrnn.checking.network`), anybody's
functions, objects and classes argument by argument (`tinyrnn.checking.functions`).
"""

import contextlib
import inspect
from types import ModuleType
from typing import Any

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.checking.functions import without_inputs as without
from tinyrnn.checking.functions.adapters import adapted
from tinyrnn.checking.functions.check import check
from tinyrnn.checking.functions.forms import (
    is_gradient_function,
    of_gradient,
    of_methods,
    of_pair,
    of_value_and_gradient,
)
from tinyrnn.checking.functions.report import GradientReport as GradientReport
from tinyrnn.checking.functions.report import GradientReports
from tinyrnn.checking.network import check_network
from tinyrnn.checking.report import Report as Report
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.nn.layers import Composite
from tinyrnn.sources.pairs import EXAMPLE, Pair, examples, find, no_partner_message, partner_of
from tinyrnn.sources.reading import NoSource
from tinyrnn.sources.user_file import explained, silence


def gradcheck(
    subject: Any,
    *given: Any,
    inputs: Any = None,
    jac: Any = None,
    upstream: Any = None,
    args: tuple = (),
    entries: Any = None,
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
        tr.gradcheck(Layer), tr.gradcheck(forward)       made-up inputs, as for `tinyrnn.lines`
        tr.gradcheck(module)                             all that belongs together in it by its name
        tr.gradcheck(function, tensors)                  PyTorch or JAX: what their own differentiation returns
        tr.gradcheck(cell), tr.gradcheck(model)          a network of this package

    x, inputs: an array, a number, a dict, list or tuple of those, nested as you like: one argument, or several in a
    tuple or, by name, in a dict. Integers and booleans are left alone. Of a complex z the gradient is dL/dRe z +
    i dL/dIm z. upstream: gradients from above, an array or {argument: array}; random if not given. args: more arguments
    of f and grad, as SciPy has them. entries: how many to look at; None: all up to some thousands, if time allows, else
    samples and random directions. progress: False for a bar, True for none; None for one if it takes long.
    rng: seed or Generator of all that is random.

    Of networks only: x, state: inputs (T, B, n) and initial state, a tuple; perturb: size of the noise added to the
    parameters, so that no bias is zero. Of networks and made-up inputs: T, B: time steps and sequences. Nothing that is
    passed in is modified.

    Returns a `GradientReport`, of a module `GradientReports`; of a network a `Report`. Raises TypeError or ValueError,
    in one line, for what cannot be checked; an error in the functions themselves becomes a ValueError that says where.
    """
    if isinstance(subject, str) and subject in CELLS:
        cls, options = CELLS[subject]
        subject = cls(4, 6, rng=rng, **options)
    if isinstance(subject, Cell | Composite):
        return check_network(subject, T=T, B=B, rng=rng, x=x, state=state, perturb=perturb)
    rng = as_rng(rng)
    given = (*given, *([] if inputs is None else [inputs]), *([] if x is None else [x]))
    with explained(), silence(), np.errstate(all="ignore"), random_state_kept():
        if isinstance(subject, ModuleType):
            return of_module(subject, entries, progress, rng, T, B)
        subject, given = adapted(subject, given, args)
        made = subject_of(subject, given, jac, upstream, args, rng, T, B)
        return check(made, rng, entries, progress)


def subject_of(subject, given, jac, upstream, args, rng, T, B):
    """What is to be checked, of all the ways to say it."""
    if isinstance(subject, tuple) and len(subject) == 2 and all(map(callable, subject)):
        return subject_of(subject[0], (subject[1], *given), jac, upstream, args, rng, T, B)
    if inspect.isclass(subject) and has_passes(subject):
        return without.class_without_inputs(subject, one(given, "inputs") if given else None, rng, T, B, upstream)
    if has_passes(subject):
        return of_methods(subject, "forward", "backward", one(given, "the layer's inputs"), rng, upstream)
    if not callable(subject) or inspect.isclass(subject):
        raise TypeError(
            "gradcheck takes a function and its gradient, a forward and a backward function, what has methods forward "
            f"and backward, or a network; got {type(subject).__name__}"
        )
    if given and callable(given[0]):
        if len(given) == 1 and not is_gradient_function(subject, given[0]):
            return without.pair_without_inputs(subject, given[0], rng, T, B, upstream)
        x = with_args(one(given[1:], "the point x"), args)
        if is_gradient_function(subject, given[0]):
            return of_gradient(subject, given[0], x, rng)
        return of_pair(subject, given[0], x, rng, upstream)
    if jac:
        return of_value_and_gradient(subject, with_args(one(given, "the point x"), args), rng)
    if not inspect.isroutine(subject) or inspect.isbuiltin(subject):
        raise TypeError("gradcheck needs a gradient to check and a point: gradcheck(f, grad, x)")
    try:
        pair = partner_of(subject)
    except NoSource:
        if not given:
            raise
        return of_value_and_gradient(subject, with_args(one(given, "the point x"), args), rng)
    if not given:
        return without.pair_without_inputs(*pair, rng, T, B, upstream)
    x = with_args(one(given, "the point x"), args)
    return of_value_and_gradient(subject, x, rng) if pair.forward is pair.backward else of_pair(*pair, x, rng, upstream)


def of_module(module, entries, progress, rng, T, B):
    """`GradientReports` on all there is in a module; what cannot be checked is noted."""
    found, lonely = find(module)
    tasks = [(name, (pair, inputs)) for pair, inputs, name in examples(vars(module), rng)]
    covered = {pair.forward for _, (pair, _) in tasks}
    tasks += [("", (one,)) for one in found if not (isinstance(one, Pair) and one.forward in covered)]
    reports, errors = GradientReports(), []
    for name, (what, *inputs) in tasks:
        try:
            subject, given = (what[0], (what[1], *inputs)) if isinstance(what, Pair) else (what, tuple(inputs))
            if isinstance(what, Pair) and what[0] is what[1]:
                given = tuple(inputs)
            report = gradcheck(subject, *given, entries=entries, progress=progress, rng=rng, T=T, B=B)
            report.title = f"{name}: {report.title}" if name else report.title
            reports.append(report)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            errors.append(error)
            reports.append(GradientReport(f"{name or getattr(what, '__name__', what)}: {error}"))
    reports += [GradientReport(no_partner_message(function)) for function in lonely]
    if not tasks:
        raise ValueError(no_partner_message(lonely[0]) if lonely else f"nothing found that belongs together: {EXAMPLE}")
    if len(errors) == len(tasks):
        raise errors[0]
    return reports


def has_passes(subject):
    """Whether it has callable `forward` and `backward`."""
    return all(callable(getattr(subject, name, None)) for name in ("forward", "backward"))


def one(given, what):
    """The only argument given; TypeError, which names `what` is needed, for none or several."""
    if len(given) != 1:
        raise TypeError(f"gradcheck needs {what}, in one argument: several go in a tuple, got {len(given)}")
    return given[0]


def with_args(x, args):
    """x alone, or the tuple (x, *args) if there are further arguments."""
    return x if not args else (x, *args)


@contextlib.contextmanager
def random_state_kept():
    """The state of NumPy's global generator is the same afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
