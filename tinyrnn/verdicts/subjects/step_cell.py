"""The problem of a `StepCell`: the two functions somebody wrote, run by the engine."""

from dataclasses import replace

from tinyrnn.checking.probe import move_params
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.core.backend import as_rng
from tinyrnn.core.ops import is_index
from tinyrnn.sources import reachable
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.vocabulary import partners
from tinyrnn.verdicts.record.run import fresh
from tinyrnn.verdicts.subjects.probed import ProbedCell


def of_step_cell(cell, *, B=3, rng=0, perturb=0.3, leave=()):
    """One step of a `StepCell`, from a random state and with a random gradient from above on every part of the new one.

    One step is all there is to judge: both functions know of nothing else, and the time loop around them is not theirs.
    """
    rng = as_rng(rng)
    cell = fresh(cell)
    move_params(cell, rng, perturb)
    return at_point(cell, replace(make_probe(cell, 1, B, rng), mask=None), leave)


def at_point(cell, probe, leave=()):
    """The same for a cell as it is, at the input, the state and the gradients from above of a `Probe` of one step."""
    return OneStep(cell, probe, leave)


class OneStep(ProbedCell):
    """One step of a `StepCell`."""

    def __init__(self, cell, probe, leave=()):
        self.step, self.step_backward = map(undecorated, cell.functions)
        learned = [f"{name}_0" for name in cell.states] if cell.learn_state else []
        inputs = {} if is_index(probe.x) else {"inputs": probe.x}  # class numbers cannot be changed a little
        inputs |= {name: value for name, value in cell.params.items() if name not in learned}
        functions, classes = reachable([self.step, self.step_backward], leave=leave)
        step, step_backward = self.step.__qualname__, self.step_backward.__qualname__
        scopes = partners(f.__qualname__ for f in functions) | {step_backward: [step]}
        super().__init__(
            f"{cell!r}, one step, B={probe.x.shape[1]}",
            cell,
            probe,
            inputs,
            functions=functions,
            classes=classes,
            scopes=scopes,
            top=(step, step_backward),
            shown=[f for f in functions if f.__qualname__ in scopes],
        )

    def made(self, program):
        """A copy of the `StepCell` that runs the program's rewritten step functions."""
        made = fresh(self.cell)
        made.functions = program[self.step], program[self.step_backward]
        return made

    def maker(self, name):
        """The qualified name of the learner's backward step, for every input."""
        return self.step_backward.__qualname__
