"""What the problems of a cell have in common, be it one of the package's own or a `StepCell`."""

from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import fresh


class ProbedCell(Problem):
    """A cell at the inputs, the initial state and the gradients from above of a `Probe`.

    params: those of its weights that are judged. A subclass says with `made` what of it runs in a program.
    """

    def __init__(self, title, cell, probe, inputs, **facts):
        self.cell, self.probe = cell, probe
        self.states = [f"state.{name}" for name in cell.states]
        super().__init__(title, inputs | dict(zip(self.states, probe.state, strict=True)), **facts)

    def made(self, program):
        """A copy of the cell, rewritten."""
        return program.instance(self.cell)

    def forward_pass(self, program, **changed):
        """(h, tape) of a new copy of the cell, with changed parameters, inputs or initial states."""
        made = self.made(program)
        made.params.update({name: value for name, value in changed.items() if name in self.cell.params})
        state = tuple(changed.get(name, value) for name, value in zip(self.states, self.probe.state, strict=True))
        return made.forward(changed.get("inputs", self.probe.x).copy(), fresh(state), self.probe.mask)

    def loss(self, result):
        """The outputs and the final states, each times its gradient from above, summed."""
        h, tape = result
        above = zip(self.probe.dstate, tape.state, strict=True)
        return (self.probe.dh * h).sum() + sum((d * s).sum() for d, s in above)

    def backward_pass(self, program, result):
        """The cell's `Gradients`, from copies of the gradients from above."""
        return self.made(program).backward(self.probe.dh.copy(), result[1], fresh(self.probe.dstate))

    def above_all(self):
        """The gradients from above, of the outputs and of the final states."""
        return [self.probe.dh, *self.probe.dstate]

    def results(self, back):
        """{input: gradient}; of a learned initial state only once, under the state's name."""
        known = {"inputs": back.inputs} | back.params | dict(zip(self.states, back.state, strict=True))
        learned = [f"{name}_0" for name in self.cell.states]  # which are the state's, once more
        return {name: known[name] for name in self.inputs if name not in learned and known[name] is not None}
