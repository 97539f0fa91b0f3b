"""The package's own cells and parts as problems, by name.

    problem = named("lstm")             problem = named("adam")

NAMES lists them all.
"""

from dataclasses import replace

from tinyrnn.cells import CELLS
from tinyrnn.checking.probe import move_params
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.sources import reachable
from tinyrnn.verdicts.name import environment
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import fresh
from tinyrnn.verdicts.subjects import parts, penalties, updates
from tinyrnn.verdicts.vocabulary import partners

# name -> functions that make the problem, one for each point
PARTS = parts.PARTS | penalties.PENALTIES | updates.UPDATES
NAMES = (*CELLS, *PARTS)
POINTS = ((2, 5, 3, 4), (3, 4, 4, 2))  # input_size, hidden_size, T and B of a cell


def named(name, point=0):
    """The problem of the cell or part called `name`, at one of its points; KeyError if there is none."""
    return points(name, [point])[0]


def points(name, which=None):
    """The problems of a cell or part at the points `which`, by default at all it has."""
    if name in PARTS:
        makers = PARTS[name]
    else:
        cls, options = CELLS[name]
        makers = [
            lambda n=n, H=H, T=T, B=B, k=k: of_cell(cls(n, H, rng=k, **options), T=T, B=B, rng=k)
            for k, (n, H, T, B) in enumerate(POINTS, 1)
        ]
    return [makers[k]() for k in (range(len(makers)) if which is None else which)]


def of_cell(cell, *, T=3, B=3, rng=0, perturb=0.3):
    """The whole sequence of a cell: `project`, `step`, `step_backward`, `gradients` and what the engine does
    between."""
    rng = as_rng(rng)
    cell = fresh(cell)
    move_params(cell, rng, perturb)
    return at_point(cell, replace(make_probe(cell, T, B, rng), mask=None))


def at_point(cell, probe):
    """The same for a cell as it is, at the inputs, initial state and gradients from above of a `Probe`."""
    cls, (T, B) = type(cell), probe.x.shape[:2]
    inputs = (
        {"inputs": probe.x}
        | dict(cell.params)
        | {f"state.{n}": s for n, s in zip(cell.states, probe.state, strict=True)}
    )

    def forward(program, **changed):
        made = program.instance(cell)
        for name in cell.params:
            if name in changed:
                made.params[name] = changed[name]
        state = tuple(changed.get(f"state.{n}", s) for n, s in zip(cell.states, probe.state, strict=True))
        h, tape = made.forward(changed.get("inputs", probe.x).copy(), state, probe.mask)
        return h, tape

    def loss(result):
        h, tape = result
        return (probe.dh * h).sum() + sum((d * s).sum() for d, s in zip(probe.dstate, tape.state, strict=True))

    def backward(program, result):
        return program.instance(cell).backward(probe.dh.copy(), result[1], fresh(probe.dstate))

    def results(back):
        known = (
            {"inputs": back.inputs}
            | back.params
            | {f"state.{n}": s for n, s in zip(cell.states, back.state, strict=True)}
        )
        return {name: known[name] for name in inputs if name not in [f"{s}_0" for s in cell.states]}

    def scope(name):
        return getattr(cls, name).__qualname__

    def maker(name):
        if name.startswith("state."):
            return "step_backward"
        return "derive_backward" if "derive_backward" in vars(cls) and name != "inputs" else "gradients"

    def namer(truth):
        if cls.family is None:
            return None
        _, tape = cell.forward(probe.x, probe.state)
        back = cell.backward(probe.dh, tape, probe.dstate, record=True)
        known = environment.of_cell(cell, probe.x, probe.state, back.states[cell.states[0]], probe.dstate[1:], probe.dh)
        return Namer(cls.family, known, cell.gates)

    functions, classes = reachable([], [c for c in cls.__mro__ if issubclass(c, Cell) and c is not Cell])
    return Problem(
        title=f"{cell!r}, T={T}, B={B}",
        functions=functions,
        classes=classes,
        forward=forward,
        backward=backward,
        loss=loss,
        inputs=inputs,
        scopes={
            scope("step_backward"): [scope("step")],
            scope("gradients"): [scope("project"), scope("step"), scope("derive")],
            scope("derive_backward"): [scope("derive")],
        }
        | partners(f.__qualname__ for f in functions),
        results=results,
        handed={
            scope("step_backward"): scope("step_backward"),
            scope("gradients"): scope("step_backward"),
            scope("derive_backward"): scope("gradients"),
        },
        made_by=lambda name: scope(maker(name)),
        gates=cell.gates,
        sizes=(("T", T), ("B", B)),
        namer=namer,
        shown=[getattr(cls, name) for name in ("step_backward", "gradients", "derive_backward") if name in vars(cls)],
    )
