"""From a cell's source to drafts of kernels: its steps are traced, planned and printed, for one kind of tape each."""

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tinyrnn.compiler.c_code import Code, print_c
from tinyrnn.compiler.nodes import Input, Untraceable
from tinyrnn.compiler.plan import Plan, make_plan
from tinyrnn.compiler.trace import Trace
from tinyrnn.compiler.traced import Traced
from tinyrnn.core import steps
from tinyrnn.core.ops import is_index

HERE = str(Path(__file__).parent)


@dataclass(eq=False)
class Draft:
    """A kernel that is not compiled yet: of steps forward or backward, or of the gradients of the weights.

    constants: arrays of the cell's own that it reads, name -> array. projects: whether a step forward projects the
    input, too. structure: of the da of a step backward, a name or a tuple of names. shapes: of the gradients, by the
    names of the parameters. products: (name of the parameter, left, right), `Columns` whose product over all rows is to
    be added to its gradient.
    """

    plan: Plan
    code: Code
    constants: dict
    projects: bool = False
    structure: object = None
    shapes: dict = field(default_factory=dict)
    products: list = field(default_factory=list)

    @cached_property
    def outputs(self):
        """What it writes for each row, name -> shape."""
        return {name: view.shape for name, view in self.plan.outputs.items() if name not in self.plan.sums}


def make_draft(function, title, views, trace, sums=(), **rest):
    """The draft of the C function `function` that writes `views`, name -> `View`, or adds to those among `sums`."""
    plan = make_plan(views, frozenset(sums))
    return Draft(plan, print_c(function, plan, title), trace.constants, **rest)


def draft_forward(cell, p, x, mask):
    """The kernel of the forward steps, or raises Untraceable. p: derived parameters, x: (T, B, …), mask: or None."""
    try:
        return draft_step(cell, p, x, mask, projects=True)
    except Untraceable:
        return draft_step(cell, p, x, mask, projects=False)


def draft_step(cell, p, x, mask, projects):
    """The draft of a step forwards; projects: with the projection of x in it. Raises Untraceable."""
    trace, traced = begin(cell, p)
    prev = [trace.row(f"{name}_prev", (n,)) for name, n in zip(cell.states, cell.state_sizes, strict=True)]
    with source_of(cell):
        if projects:
            a = cell.project(traced, class_numbers(trace) if is_index(x) else trace.row("x", x.shape[2:], lead=2)).led(
                1
            )
        else:
            a = trace.row("a", cell.project(p, x[:1]).shape[2:])
        new, kept = steps.step(cell, traced, a, prev, live(trace, mask))
        outputs = dict(zip(cell.states, new, strict=True))
        outputs |= {own(cell, name): value for name, value in kept.items()}
    if projects and "a" in (*cell.step_needs, *cell.gradients_needs):
        outputs.setdefault("a", a)
    sizes = dict(zip(cell.states, cell.state_sizes, strict=True))
    return finish("forward", cell, trace, outputs, sizes, projects=projects)


def draft_backward(cell, p, tape, recorded, named=False):
    """The kernel of the backward steps over what is on `tape`. named: it also puts out each gradient that the source
    has a name for, which is a d before that of something."""
    trace, traced = begin(cell, p)
    carried = [trace.row(f"carried_d{name}", (n,)) for name, n in zip(cell.states, cell.state_sizes, strict=True)]
    carried[0] = carried[0] + trace.row("upstream", (cell.state_sizes[0],))
    needs = {name: row_like(trace, f"tape_{name}", tape.asked(cell, name)) for name in cell.step_needs}
    clipped = None
    if cell.clip_state is not None:
        clipped = [trace.row("clipped", (cell.state_sizes[0],)), trace.row("clip_scale", (1,))]
    with source_of(cell) as local:
        da, dprev = steps.step_backward(cell, traced, carried, needs, live(trace, tape.mask), clipped)
        structure = flatten(da, "da", outputs := {})
        outputs |= {f"d{name}_prev": d for name, d in zip(cell.states, dprev, strict=True)}
    if named:
        outputs = {name: value for name, value in local.items() if is_gradient(name, value)} | outputs
    if recorded:
        outputs |= {f"total_d{name}": d for name, d in zip(cell.states, carried, strict=True)}
    sizes = {f"d{name}_prev": n for name, n in zip(cell.states, cell.state_sizes, strict=True)}
    return finish("backward", cell, trace, outputs, sizes, structure=structure)


def is_gradient(name, value):
    """Whether a local variable of a step backward is a row of gradients that the step makes."""
    is_row = isinstance(value, Traced) and value.lead == 1 and not (value.boolean or value.integer)
    return name.startswith("d") and is_row and not value.view.node.is_given


def begin(cell, p):
    """(A new `Trace` of the cell's dtype, the parameters p as symbolic arrays)."""
    trace = Trace(cell.dtype)
    params = type(p)({name: trace.param(name, value) for name, value in p.items()})
    return trace, params


def row_like(trace, name, array, lead=1):
    """The input `name` in whose place an array (T, B, …) will stand."""
    kind = getattr(array, "dtype", type(array).__name__)
    if kind != trace.dtype:
        raise Untraceable(f"makes {name.removeprefix('tape_')} of {kind}, not of {trace.dtype}")
    return trace.row(name, array.shape[2:], lead)


def class_numbers(trace):
    """The input x where it is one class number a row."""
    return Traced(trace, trace.row("x", (1,), lead=2)[..., 0].view, 2, integer=True)


@contextmanager
def source_of(cell):
    """`traced_source` of a cell's own methods, whose local variables are called by their names; a dict of these."""
    with local_names(cell) as local, traced_source():
        yield local


@contextmanager
def traced_source():
    """Within, somebody's source is run on arrays that are none. Whatever that makes it raise is Untraceable; a mistake
    of the compiler's own is raised as it is where `is_strict`."""
    try:
        yield
    except Untraceable:
        raise
    except Exception as error:
        if is_strict() and raised_in(error).startswith(HERE):
            raise
        raise Untraceable(f"raises {type(error).__name__}: {error}") from error


def is_strict():
    """Whether a mistake of the compiler's own is an error, as in the tests, or costs no more than speed."""
    return os.environ.get("TINYRNN_STRICT_COMPILER") == "1"


def raised_in(error):
    """The file of the line that raised it."""
    traceback = error.__traceback__
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename


@contextmanager
def local_names(cell):
    """Meanwhile, what the local variables of the cell's methods refer to when they return is called by their names,
    and kept under them in the dict that this gives."""
    local = {}

    def returned(frame, event, value):
        if event == "return" and frame.f_locals.get("self") is cell:
            local.update(frame.f_locals)
            for name, value in frame.f_locals.items():
                if isinstance(value, Traced) and value.view.whole and not value.view.node.name:
                    value.view.node.name = name

    before = sys.getprofile()
    sys.setprofile(returned)
    try:
        yield local
    finally:
        sys.setprofile(before)


def live(trace, mask):
    """The symbolic row that says which sequences have the step; None without a mask."""
    return None if mask is None else trace.row("live", (1,))


def own(cell, name):
    """Output for what a step keeps under `name`: a cell's own h is not the state h where that is clipped."""
    return f"own_{name}" if name in cell.states else name


def flatten(da, name, found):
    """Names for all arrays in da, in the same structure; they go into the dict `found`."""
    if isinstance(da, tuple):
        return tuple(flatten(part, f"{name}_{k}", found) for k, part in enumerate(da))
    found[name] = da
    return name


def finish(direction, cell, trace, outputs, sizes, **rest):
    """sizes: name -> units, of those outputs that must be states."""
    for name, value in outputs.items():
        if not isinstance(value, Traced) or value.lead != 1 or value.boolean or value.integer:
            raise Untraceable(f"{name} is not one row of real numbers for each sequence")
        if not name.isidentifier():
            raise Untraceable(f"{name!r} is no name in C")
    for name, n in sizes.items():
        if outputs[name].view.shape != (n,):
            raise Untraceable(f"{name} has shape {outputs[name].view.shape}, not {(n,)}")
    views = {name: value.view for name, value in outputs.items()}
    draft = make_draft(direction, f"{cell.name}, one step {direction}", views, trace, **rest)
    if taken := {node.name for node in draft.plan.of(Input)} & set(outputs):
        raise Untraceable(f"keeps something under the name {min(taken)!r}, which already means something else")
    return draft
