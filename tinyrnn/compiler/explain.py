"""`tr.explain(cell)`: what the compiler makes of a cell's source, in words and as the code that runs."""

import shlex
from typing import Any

import numpy as np

from tinyrnn.compiler.draft import draft_backward, draft_forward
from tinyrnn.compiler.gradients import draft_gradients
from tinyrnn.compiler.kernels import obstacle
from tinyrnn.compiler.nodes import Elementwise, Fourier, Product, Untraceable
from tinyrnn.compiler.plan import Transform
from tinyrnn.compiler.toolchain import find_compiler
from tinyrnn.core import engine
from tinyrnn.core.steps import Plain

ABOUT = """\
{cell}: one time step as `cell.compile()` runs it.

The cell's `step`, `step_backward` and `gradients` were run once on symbolic arrays, which noted every operation. Here
they are again as C, for one row of the batch after the other. at_foo is where foo's numbers begin, the_foo_3 the fourth
of them, to_foo where a result goes; FOR j goes over the units, a vector of them at a time; GEMM(n_in, n_out, …) is a
matrix product for all rows at once. The gradients of the weights are added up over the rows of many time steps.
"""


def explain(cell: Any) -> str:
    """A text: how many matrix products and loops a step forward, a step backward and the gradients of the weights have
    become, and the generated C.

    What cannot be compiled runs as it stands in the source; the text says why.
    """
    parts = [ABOUT.format(cell=cell)]
    if reason := obstacle(cell.dtype):
        parts.append(f"Nothing is compiled on this machine, and the cell runs as it stands: {reason}.\n")
    else:
        parts.append(f"C compiler: {shlex.join(find_compiler())}\n")
    p = cell.derive(cell.params)
    x = np.zeros((1, 1, cell.input_size), cell.dtype)
    tape = engine.forward(cell, x)[1]
    for title, draft in (
        ("Forward", lambda: draft_forward(cell, p, x, None)),
        ("Backward", lambda: draft_backward(cell, p, tape, False)),
        ("Gradients of the weights", lambda: draft_gradients(cell, p, x, *asked(cell, tape))),
    ):
        try:
            parts.append(described(title, draft()))
        except Untraceable as reason:
            parts.append(f"{title}: runs as it stands, for the cell {reason}.\n")
    return "\n".join(parts)


def asked(cell: Any, tape: Any) -> Any:
    """Of a tape of one step, da, and what the cell asks the tape for to make gradients of it."""
    da, _ = Plain().backward(cell, tape, 0, 1, None, [np.zeros_like(s) for s in tape.state], None)
    return da, {name: tape.asked(cell, name) for name in cell.gradients_needs}


def described(title: Any, draft: Any) -> Any:
    """One kernel: how many operations, products, loops and transforms it has, and its C text."""
    products = sum(len(node.args) for node in draft.plan.of(Product))
    loops = [loop for stage in draft.plan.stages for loop in stage.loops if not isinstance(loop, Transform)]
    transforms = len(draft.plan.of(Fourier))
    counts = [counted(products, "matrix product"), counted(len(loops), "loop")]
    counts += [counted(transforms, "Fourier transform")] if transforms else []
    operations = len(draft.plan.of(Elementwise))
    return f"{title}: {operations} elementwise operations in {', '.join(counts)}.\n\n{draft.code.text}"


def counted(n: Any, thing: Any) -> Any:
    """ "1 loop", "2 loops": the count and the noun."""
    return f"{n} {thing}{'' if n == 1 else 's'}"
