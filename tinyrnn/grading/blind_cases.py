"""Looks for mistakes that lose nothing: tries the mutants of all solutions, and counts what becomes of them.

What is found is a case that is missing, or a change that is none, which belongs into equivalent.py with a reason
(`tinyrnn.grading.mutants` says how).
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from tinyrnn.core.progress import Bar
from tinyrnn.grading.build import masters, without_data
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.mutants import DRAWINGS, solutions, tried

PIECE = 100  # mutants that are tried by one process before it is given others


@dataclass
class Fates:
    """What became of the mutants of an exercise. lost: lose points in every drawing. accepted: taken by a judge, as
    another right answer. equivalent: listed. blind: texts, those that are neither. unused: listed, but lose points or
    are not there."""

    lost: int = 0
    accepted: int = 0
    equivalent: int = 0
    blind: list = field(default_factory=list)
    unused: list = field(default_factory=list)

    @property
    def number(self):
        """How many mutants were tried."""
        return self.lost + self.accepted + self.equivalent + len(self.blind)

    def __str__(self):
        parts = f"{self.lost} lose points, {self.accepted} are other right answers, {self.equivalent} are equivalent"
        return f"{self.number} mutants: {parts}, {len(self.blind)} lose nothing"


def blind_cases(root, numbers=None, *, jobs=1, sample=None, drawings=DRAWINGS, progress=False):
    """Tries the mutants of the exercises in a folder of the teacher's. Returns folder name -> `Fates`.

    numbers: numbers or names of exercises; None: all. sample: about so many mutants of each, spread evenly; None: all.
    drawings: of hidden cases, in each of which a mutant must lose points. jobs: processes at a time. ValueError if
    there are no such exercises.
    """
    if jobs < 1 or (sample is not None and sample < 1):
        raise ValueError(f"jobs and sample must be at least 1, not {min(jobs, sample or jobs)}")
    every = masters(root)
    chosen = [exercise(which, root) for which in dict.fromkeys(numbers)] if numbers else every
    outcomes = {each.folder.name: [] for each in chosen}
    with without_data():
        work = [(each, piece) for each in chosen for piece in pieces(each, sample)]
        for each, found in done(work, drawings, jobs, progress):
            outcomes[each.folder.name] += found
    return {each.folder.name: tally(each, outcomes[each.folder.name], whole=sample is None) for each in chosen}


def done(work, drawings, jobs, progress):
    """(exercise, [(text, fate)]) of each piece of work, as it is finished."""
    bar = Bar(total=sum(len(indices) for _, (_, indices) in work), desc="mutants", unit="", disable=not progress)
    with bar:
        if jobs == 1:
            for each, (which, indices) in work:
                yield each, tried(str(each.folder), which, indices, drawings)
                bar.update(len(indices))
            return
        # Started anew, not forked: the children must not inherit threads of numerical libraries.
        pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
        try:
            futures = {}
            for each, (which, indices) in work:
                futures[pool.submit(tried, str(each.folder), which, indices, drawings)] = each, len(indices)
            for future in as_completed(futures):
                each, number = futures[future]
                yield each, future.result()
                bar.update(number)
        finally:
            pool.shutdown(cancel_futures=True)


def pieces(exercise, sample=None):
    """[(index of the solution, indices of mutants in it)]: all mutants of an exercise, or about `sample` of them spread
    evenly, in pieces that take some seconds each."""
    every = [(s, k) for s, solution in enumerate(solutions(exercise)) for k in range(len(solution.every))]
    every = every[:: max(1, len(every) // sample)] if sample else every
    found = [[(s, k) for s, k in every if s == which] for which in dict.fromkeys(s for s, _ in every)]
    return [(part[0][0], [k for _, k in part[i : i + PIECE]]) for part in found for i in range(0, len(part), PIECE)]


def tally(exercise, outcomes, whole=True):
    """The `Fates` of outcomes, (text, fate) each; whole: of all mutants, so that what is listed must be among them."""
    listed = exercise.equivalent
    found = Fates()
    for text, fate in outcomes:
        if fate == "blind" and text in listed:
            found.equivalent += 1
        elif fate == "blind":
            found.blind.append(text)
        else:
            setattr(found, fate, getattr(found, fate) + 1)
    unused = set(listed) - {text for text, fate in outcomes if fate == "blind"}
    found.unused = sorted(unused) if whole else []
    return found
