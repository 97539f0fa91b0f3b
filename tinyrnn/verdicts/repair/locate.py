"""Which statements of a backward program are at fault."""

from functools import cached_property

from tinyrnn.verdicts.repair.editing import Editing
from tinyrnn.verdicts.repair.explaining import Explaining
from tinyrnn.verdicts.repair.known import Known
from tinyrnn.verdicts.repair.replay import Replay
from tinyrnn.verdicts.repair.results import Results
from tinyrnn.verdicts.repair.search import Search


class Locator:
    """Locates mistakes in the backward programs of one forward pass.

    problem, truth: of the forward pass. uses: its `Truth` made with uses. error: (came, wanted) -> relative error.
    """

    def __init__(self, problem, truth, uses, error):
        self.problem, self.truth, self.make_uses, self.error = problem, truth, uses, error
        self.wanted = {name: truth.of_input(name) for name in problem.inputs}

    @cached_property
    def explaining(self):
        """What values can be explained as: worked out when first asked."""
        return Explaining(lambda: Known(self.make_uses(), self.problem.above_all(), list(self.wanted.values())))

    def results_of(self, run):
        """The `Results` that a run that did not break off is compared by."""
        came, problem = self.problem.came(run.result), self.problem
        return Results(came, self.wanted, self.error, self.truth.tolerance, problem.aliases, not problem.returns_more)

    def search(self, program):
        """The `Search` in a program; None where the pass breaks off."""
        replay = Replay(self.problem, program, self.truth.result)
        base = replay.run()
        if base.error is not None:
            return None
        results = self.results_of(base)
        editing = Editing(self.problem, program, self.truth.result, results)
        return Search(replay, results, self.explaining, editing, base)
