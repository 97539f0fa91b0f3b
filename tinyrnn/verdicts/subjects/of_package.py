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
from tinyrnn.sources.vocabulary import partners
from tinyrnn.verdicts.name import environment
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.run import fresh
from tinyrnn.verdicts.subjects import parts, penalties, updates
from tinyrnn.verdicts.subjects.probed import ProbedCell

# name -> functions that make the problem, one for each point
PARTS = parts.PARTS | penalties.PENALTIES | updates.UPDATES
NAMES = (*CELLS, *PARTS)
BACKWARD = ("step_backward", "gradients", "derive_backward")  # the methods of a backward pass
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
    return WholeSequence(cell, probe)


class WholeSequence(ProbedCell):
    """The sequence of one of the package's own cells."""

    def __init__(self, cell, probe):
        cls, (T, B) = type(cell), probe.x.shape[:2]
        functions, classes = reachable([], [c for c in cls.__mro__ if issubclass(c, Cell) and c is not Cell])
        step, back, gradients, derive, undo = map(self.scope_in(cls), ("step", *BACKWARD[:2], "derive", BACKWARD[2]))
        scopes = {back: [step], gradients: [self.scope_in(cls)("project"), step, derive], undo: [derive]}
        super().__init__(
            f"{cell!r}, T={T}, B={B}",
            cell,
            probe,
            {"inputs": probe.x} | dict(cell.params),
            functions=functions,
            classes=classes,
            scopes=scopes | partners(f.__qualname__ for f in functions),
            handed={back: back, gradients: back, undo: gradients},
            gates=cell.gates,
            sizes=(("T", T), ("B", B)),
            shown=[getattr(cls, name) for name in BACKWARD if name in vars(cls)],
        )

    @staticmethod
    def scope_in(cls):
        """A function of a method's name: its qualified name where the class has it from."""
        return lambda name: getattr(cls, name).__qualname__

    def maker(self, name):
        """The qualified name of `step_backward` for a state, else of `derive_backward` or `gradients`."""
        derives = "derive_backward" in vars(type(self.cell)) and name != "inputs"
        method = "step_backward" if name in self.states else "derive_backward" if derives else "gradients"
        return self.scope_in(type(self.cell))(method)

    def namer(self, truth):
        """A `Namer` from the package's own two passes, in the terms of the cell's family; None without a family."""
        cell, probe = self.cell, self.probe
        family = type(cell).family
        if family is None:
            return None
        _, tape = cell.forward(probe.x, probe.state)
        back = cell.backward(probe.dh, tape, probe.dstate, record=True)
        known = environment.of_cell(cell, probe.x, probe.state, back.states[cell.states[0]], probe.dstate[1:], probe.dh)
        return Namer(family, known, cell.gates)
