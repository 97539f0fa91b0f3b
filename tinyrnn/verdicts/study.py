"""How well the line verdicts find mistakes: every small mistake in the backward sources of the package, planted and judged.

For each function on trial, all its mutants (`tinyrnn.verdicts.mutation`) are made, one at a time, then some two and
three at a time. A mutant whose results are those of the original at several random points of different sizes is
equivalent and left out: two expressions of this kind that agree there agree everywhere, but for a null set. Of the
others, the verdicts have to accuse a line (detected), and exactly the one that was changed (located).
"""

from dataclasses import dataclass, field

import numpy as np
from tqdm import tqdm

from tinyrnn.backend import as_rng
from tinyrnn.verdicts.judging import Judge
from tinyrnn.verdicts.lines import report_on
from tinyrnn.verdicts.mutation import combine, mutants
from tinyrnn.verdicts.run import arrays_of


@dataclass
class Trial:
    """What became of the mutants of one subject. missed, astray: those not detected, or not located, with the report's
    accusations."""

    name: str
    mutants: int = 0
    equivalent: int = 0
    detected: int = 0
    located: int = 0
    missed: list = field(default_factory=list)
    astray: list = field(default_factory=list)

    @property
    def counted(self):
        return self.mutants - self.equivalent


class Subject:
    """One subject of the study: problems at several points, judged at the first. functions: those to be mutated."""

    def __init__(self, name, problems, functions):
        self.name, self.problems, self.functions = name, problems, functions
        self.judge = Judge(problems[0], problems[0].truth())
        self.results = []  # of the original, at each point
        self.forwards = [self.judge.truth.result, *(p.program().run(quiet, p.forward) for p in problems[1:])]
        for problem, forward in zip(problems, self.forwards, strict=True):
            self.results.append(outcome(problem, problem.program(), forward))

    def trees(self, function, tree):
        return {function: tree}

    def is_equivalent(self, trees):
        """Whether nothing that comes out differs from the original's, at any of the points."""
        for problem, forward, wanted in zip(self.problems, self.forwards, self.results, strict=True):
            got = outcome(problem, problem.program(trees), forward)
            if got is None or len(got) != len(wanted):
                return False
            for a, b in zip(got, wanted, strict=True):
                if a.shape != b.shape or not np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True):
                    return False
        return True

    def try_out(self, trial, changed):
        """Plant mutants, (function, mutant) pairs, all at once, and judge."""
        trial.mutants += 1
        by_function = {}
        for function, mutant in changed:
            by_function.setdefault(function, []).append(mutant)
        trees = {function: combine(function, several) for function, several in by_function.items()}
        if self.is_equivalent(trees):
            trial.equivalent += 1
            return
        report = report_on(self.problems[0], self.judge, self.problems[0].program(trees))
        accused = {(row.function, row.line) for row in report.wrong}
        wanted = {(function.__qualname__, mutant.line) for function, mutant in changed}
        story = "; ".join(f"{f.__qualname__} {m}" for f, m in changed), sorted(accused), report.problems
        if report.ok:
            trial.missed.append(story)
            return
        trial.detected += 1
        if accused == wanted:
            trial.located += 1
        else:
            trial.astray.append(story)


def quiet(site, value, key=None):
    return value


def outcome(problem, program, forward):
    """All arrays of floats that the backward pass returns, or None if it ends in an error."""
    with np.errstate(all="ignore"):
        try:
            return list(arrays_of(program.run(quiet, problem.backward_call(forward))))
        except Exception:
            return None


def study(subject, *, several=(2, 3), draws=100, rng=0, progress=True):
    """Try out all mutants of a `Subject` one at a time, then `draws` random sets of each number in `several`, all on
    different lines. Returns {1: Trial, 2: Trial, …}."""
    rng = as_rng(rng)
    every = [(function, mutant) for function in subject.functions for mutant in mutants(function)]
    trials = {1: Trial(subject.name)}
    for one in tqdm(every, desc=subject.name, disable=not progress, leave=False):
        subject.try_out(trials[1], [one])
    for number in several:
        trials[number] = Trial(subject.name)
        if len({(f, m.line) for f, m in every}) < number:
            continue
        for _ in tqdm(range(draws), desc=f"{subject.name}, {number} at once", disable=not progress, leave=False):
            chosen = []
            while len(chosen) < number:
                function, mutant = every[rng.integers(len(every))]
                if (function, mutant.line) not in [(f, m.line) for f, m in chosen]:
                    chosen.append((function, mutant))
            if not any(subject.is_equivalent({f: combine(f, [m])}) for f, m in chosen):
                subject.try_out(trials[number], chosen)
    return trials
