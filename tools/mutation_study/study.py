"""How well the line verdicts find mistakes: every small mistake in the backward sources of the package, planted and
judged.

    python -m tools.mutation_study                    every class of cells once, and all other parts
    python -m tools.mutation_study lstm adam --show   some of them, and the mutants that were not found, or elsewhere
    python -m tools.mutation_study --share 10         a tenth of the mutants of each, drawn by lot

For each function on trial, all its mutants (`tinyrnn.sources.mutation`) are made, one at a time, then some two and
three at a time. A mutant whose results are those of the original at several random points of different sizes is
equivalent and left out: two expressions of this kind that agree there agree everywhere, but for a null set. Of the
others, the verdicts have to accuse a line (detected), and exactly the one that was changed (located), no other.
"""

import argparse
import math
import sys
import time
from concurrent.futures import as_completed
from dataclasses import dataclass, field

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.core.progress import Bar
from tinyrnn.parallel.processes import new_pool
from tinyrnn.sources.mutation import combine, mutants
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.record.run import arrays_of
from tinyrnn.verdicts.subjects import of_package as subjects

NAMES = (  # every class of cells once, not in all its variants; then all that is no cell
    *("elman", "elman-relu", "lt-ornn-relu", "lstm", "lstm-peephole", "lstm-output-matrix", "gru", "gru-cho"),
    *("urnn", "urnn-full", "urnn-naive", "eurnn", "eurnn-fft", "kronecker"),
    *("lmn", "lmn-multiscale", "antisymmetric", "antisymmetric-gated", "exprnn", "householder", "svd-rnn"),
    *("multiplicative", "scrn", "qrnn", "qrnn-f", "qrnn-ifo", "esn"),
    *subjects.PARTS,
)
LEAST = {1: 95.0, 2: 90.0, 3: 90.0}  # per cent located, of mutants one, two and three at a time
COLUMNS = ("mutants", "equivalent", "detected %", "located %", "two at once %", "three at once %", "seconds")

HOW_MANY = "sets of two, and of three, for every 100 mutants (default: %(default)s)"


@dataclass
class Trial:
    """What became of the mutants of one subject. missed, astray: those not detected, or not located, with the report's
    accusations."""

    mutants: int = 0
    equivalent: int = 0
    detected: int = 0
    located: int = 0
    missed: list = field(default_factory=list)
    astray: list = field(default_factory=list)

    @property
    def counted(self):
        return self.mutants - self.equivalent

    def __add__(self, other):
        return Trial(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


class Subject:
    """One subject of the study: problems at several points, all of the same functions, of which `shown` are mutated."""

    def __init__(self, name, problems, share=100, rng=0):
        self.name, self.problems, self.functions = name, problems, problems[0].shown
        self.judges = [Judge(problem, problem.truth()) for problem in problems]
        for judge in self.judges:
            judge.namer = None  # only the place matters here
        self.results = [self.outcome(k, problems[0].program()) for k in range(len(problems))]
        self.every = [(function, mutant) for function in self.functions for mutant in mutants(function)]
        if share < 100:
            drawn = as_rng(rng).choice(len(self.every), math.ceil(len(self.every) * share / 100), replace=False)
            self.every = [self.every[k] for k in sorted(drawn)]
        self.shows = {}  # mutant -> the first point at which it does, or None

    def outcome(self, point, program):
        """All arrays of floats that the backward pass returns at a point, or None if it ends in an error."""
        call = self.problems[point].backward_call(self.judges[point].truth.result)
        with np.errstate(all="ignore"):
            try:
                return list(arrays_of(program.run(quiet, call)))
            except Exception:
                return None

    def where_it_shows(self, program):
        """The first point at which a program's results are not those of the original, or None."""
        for point, wanted in enumerate(self.results):
            got = self.outcome(point, program)
            if got is None or len(got) != len(wanted) or not all(map(equal, got, wanted)):
                return point
        return None

    def accused(self, point, program):
        """(whether the report finds no fault, the lines it accuses, problems with no line)."""
        report = report_on(self.problems[point], self.judges[point], program)
        return report.ok, {(row.function, row.line) for row in report.wrong}, report.problems

    def false_alarms(self):
        """What the reports on the correct source say, at all points: should be empty."""
        program = self.problems[0].program()
        found = [self.accused(point, program) for point in range(len(self.problems))]
        return [(point, lines, problems) for point, (ok, lines, problems) in enumerate(found) if not ok]

    def try_out(self, trial, changed):
        """Plant mutants, (function, mutant) pairs, all at once, and judge at the first point where they show."""
        trial.mutants += 1
        by_function = {}
        for function, mutant in changed:
            by_function.setdefault(function, []).append(mutant)
        trees = {function: combine(function, several) for function, several in by_function.items()}
        program = self.problems[0].program(trees)
        point = self.where_it_shows(program)
        if len(changed) == 1:
            self.shows[key_of(*changed[0])] = point
        if point is None:
            trial.equivalent += 1
            return
        ok, accused, problems = self.accused(point, program)
        story = "; ".join(f"{f.__qualname__} {m}" for f, m in changed), sorted(accused), problems
        if ok:
            trial.missed.append(story)
            return
        trial.detected += 1
        if accused == {(function.__qualname__, mutant.line) for function, mutant in changed}:
            trial.located += 1
        else:
            trial.astray.append(story)

    def draw(self, rng, number):
        """`number` random mutants on different lines that show at the same point; None if there are too few lines."""
        first = self.shows.get(key_of(*self.every[rng.integers(len(self.every))]))
        every = [one for one in self.every if first is not None and self.shows.get(key_of(*one)) == first]
        if len({(f, m.line) for f, m in every}) < number:
            return None
        chosen = {}
        while len(chosen) < number:
            function, mutant = every[rng.integers(len(every))]
            chosen.setdefault((function, mutant.line), (function, mutant))
        return list(chosen.values())


def key_of(function, mutant):
    return function, mutant.place, mutant.after


def quiet(site, value, key=None):
    return value


def equal(a, b):
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def study(subject, *, several=(2, 3), draws=20, rng=0, progress=True):
    """Try out all mutants of a `Subject` one at a time, then random sets of each number in `several`, all on different
    lines, `draws` of them for every hundred mutants. Returns {1: Trial, 2: Trial, …}."""
    rng = as_rng(rng)
    trials = {1: Trial()}
    for one in Bar(subject.every, desc=subject.name, disable=not progress, leave=False):
        subject.try_out(trials[1], [one])
    for number in several:
        trials[number] = Trial()
        sets = range(math.ceil(draws * len(subject.every) / 100))
        for _ in Bar(sets, desc=f"{subject.name}, {number} at once", disable=not progress, leave=False):
            if (chosen := subject.draw(rng, number)) is not None:
                subject.try_out(trials[number], chosen)
    return trials


# the command ----------------------------------------------------------------------------------------------------------


def named(name, share=100):
    """The `Subject` called `name`, with all its points, and `share` per cent of its mutants."""
    return Subject(name, subjects.points(name), share)


def outcome_of(name, draws, share):
    """(false alarms, {number: Trial}, seconds) of one subject."""
    start = time.perf_counter()
    subject = named(name, share)
    return subject.false_alarms(), study(subject, draws=draws, progress=False), time.perf_counter() - start


def run(names, draws, jobs, share=100):
    """name -> what `outcome_of` gives, several at a time."""
    found = {}
    with new_pool(jobs) as pool:
        longest_first = sorted(names, key=lambda name: -size_of(name))
        waiting = {pool.submit(outcome_of, name, draws, share): name for name in longest_first}
        for done in Bar(as_completed(waiting), total=len(waiting), unit="subject"):
            found[waiting[done]] = done.result()
    return {name: found[name] for name in names}


def size_of(name):
    problem = subjects.named(name)
    return sum(len(function.__code__.co_code) for function in problem.shown)


def row(name, trials, seconds):
    one = trials[1]
    parts = [percent(one.detected, one.counted), percent(one.located, one.counted)]
    parts += [percent(trials[k].located, trials[k].counted) for k in (2, 3)]
    return "  ".join(
        f"{text:>{width}}"
        for text, width in zip(
            (f"{name:<22}", one.mutants, one.equivalent, *parts, f"{seconds:.0f}"),
            (22, *map(len, COLUMNS)),
            strict=True,
        )
    )


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def total(outcomes):
    trials = {k: Trial() for k in (1, 2, 3)}
    for _, found, _ in outcomes.values():
        trials = {k: trials[k] + found[k] for k in trials}
    return trials


def faults(outcomes):
    """What is below the mark, a list of sentences."""
    trials = total(outcomes)
    found = [f"the correct {name} is accused: {alarms}" for name, (alarms, _, _) in outcomes.items() if alarms]
    if trials[1].missed:
        found.append(f"{len(trials[1].missed)} mutants are not detected")
    for number, least in LEAST.items():
        trial = trials[number]
        if trial.located < least / 100 * trial.counted:
            found.append(f"only {percent(trial.located, trial.counted)} % located, {number} at a time")
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.mutation_study", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: all of {', '.join(NAMES)}")
    parser.add_argument(
        "--draws", type=int, default=50, help="sets of two, and of three, for each (default: %(default)s)"
    )
    parser.add_argument("--share", type=float, default=100, help="per cent of the mutants, drawn by lot (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="list the mutants that were missed, or placed elsewhere")
    args = parser.parse_args(arguments)
    unknown = [name for name in args.names if name not in subjects.NAMES]
    if unknown:
        parser.error(f"there is no {unknown[0]}: choose from {', '.join(subjects.NAMES)}")
    outcomes = run(args.names or NAMES, args.draws, args.jobs, args.share)
    print("  ".join([f"{'subject':<22}", *COLUMNS]))
    for name, (_, trials, seconds) in outcomes.items():
        print(row(name, trials, seconds))
    print(row("total", total(outcomes), sum(seconds for *_, seconds in outcomes.values())))
    if args.show:
        for name, (_, trials, _) in outcomes.items():
            for number, trial in trials.items():
                for what, stories in (("missed", trial.missed), ("elsewhere", trial.astray)):
                    for story, accused, problems in stories:
                        print(f"{name}, {number} at once, {what}: {story} | {accused} {problems}")
    found = faults(outcomes)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0
