"""Claims that runs or the numbers of an analysis decide: hold, in part, do not, or are left open by so few runs."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import Chosen, choose, is_solved

HOLDS, IN_PART, NOT, OPEN = "holds", "holds in part", "does not hold", "not decided by so few runs"
LEVEL = 0.05  # of the tests


class Verdict(NamedTuple):
    """One of the four words, and what it rests on."""

    word: str
    why: str


@dataclass(frozen=True)
class Claim:
    """Base: `text` is what the document says, in our words; `verdict` is a subclass's."""

    text: str

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """What the runs say. A contender without finished runs leaves it open."""
        raise NotImplementedError(f"{type(self).__name__} must define verdict(sweep, chosen)")


@dataclass(frozen=True)
class Solves(Claim):
    """These contenders solve the task: in every run, or with `never` in none; after so many updates in the document."""

    contenders: tuple[str, ...]
    never: bool = False
    updates: int = 0

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """By counts: all runs, some, or none; left open where what more updates might change is all that there is."""
        rows = [row for label in self.contenders if label in chosen for row in chosen[label].rows]
        if {*self.contenders} - {*chosen}:
            return Verdict(OPEN, "there are no runs of it")
        solved = sum(is_solved(sweep, row) for row in rows)
        right = len(rows) - solved if self.never else solved
        word = HOLDS if right == len(rows) else IN_PART if right else NOT
        short = after(rows, self.updates)
        if short and (solved == 0 if self.never else solved < len(rows)):
            word = OPEN
        return Verdict(word, f"{solved} of {len(rows)} runs below {sweep.solved:.0%} of the baseline{short}")


@dataclass(frozen=True)
class Oftener(Claim):
    """Of all runs of the grid, more of one contender's solve the task than of another's. Fisher's exact test."""

    better: str
    worse: str

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """Holds or does not where the shares are surely apart; else it is open."""
        from scipy.stats import fisher_exact

        if {self.better, self.worse} - {*chosen}:
            return Verdict(OPEN, "there are no runs of it")
        counts = [(chosen[c].solved, len(chosen[c].every) - chosen[c].solved) for c in (self.better, self.worse)]
        for_it, against = (fisher_exact(counts, alternative=side).pvalue for side in ("greater", "less"))
        a, b = (f"{solved} of {solved + others}" for solved, others in counts)
        word = HOLDS if for_it <= LEVEL else NOT if against <= LEVEL else OPEN
        return Verdict(word, f"{a} against {b}, p = {min(for_it, against):.2g}")


@dataclass(frozen=True)
class Better(Claim):
    """One contender ends with a lower `measure` than another (with `higher`, such as an accuracy, a higher one).

    Decided by the rank-sum test of Mann & Whitney over the seeds of what was chosen, or with `every` over all runs of
    the grid; a run that diverged is worse than any other. Where there are so few that no order of theirs could decide
    it, that is said.
    """

    better: str
    worse: str
    measure: str = "test_loss"
    higher: bool = False
    every: bool = False

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """Holds or does not where the ranks are surely apart; else it is open, and the means are told."""
        from scipy.stats import mannwhitneyu

        if {self.better, self.worse} - {*chosen}:
            return Verdict(OPEN, "there are no runs of it")
        sign = -1.0 if self.higher else 1.0
        lost = math.inf

        def values(label: str) -> list[float]:
            rows = chosen[label].every if self.every else chosen[label].rows
            found = [row[self.measure] for row in rows]
            return [lost if value is None else sign * value for value in found]

        a, b = values(self.better), values(self.worse)
        for_it, against = (mannwhitneyu(*pair, alternative="less", method="exact").pvalue for pair in ((a, b), (b, a)))
        words = f"{mean(a, sign)} against {mean(b, sign)}, p = {min(for_it, against):.2g}{too_few(a, b)}"
        return Verdict(HOLDS if for_it <= LEVEL else NOT if against <= LEVEL else OPEN, words)


@dataclass(frozen=True)
class Reaches(Claim):
    """A contender's mean `measure` is within `within` of what the document has, after so many updates there."""

    contender: str
    value: float
    within: float
    measure: str = "test_loss"
    updates: int = 0

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """By the distance of the mean; left open where it is too large but the runs are shorter than its."""
        if self.contender not in chosen:
            return Verdict(OPEN, "there are no runs of it")
        found = [row[self.measure] for row in chosen[self.contender].rows]
        if None in found:
            return Verdict(NOT, "a run diverged")
        here = sum(found) / len(found)
        near = abs(here - self.value) <= self.within
        short = after(chosen[self.contender].rows, self.updates)
        word = HOLDS if near else OPEN if short else NOT
        return Verdict(word, f"{here:.4g}{short}, where the document has {self.value:.4g}")


@dataclass(frozen=True)
class LargestRate(Claim):
    """Another claim, judged with the rates that are chosen by the largest that does not diverge, from the same runs.

    Of these rates there may be fewer seeds: only those of what was chosen by validation have had them all.
    """

    claim: Solves | Better

    def verdict(self, sweep: Sweep, chosen: dict[str, Chosen]) -> Verdict:
        """That of the claim, and the rates."""
        again = choose(replace(sweep, by="largest rate"), [row for of in chosen.values() for row in of.every])
        word, why = self.claim.verdict(sweep, again)
        rates = ", ".join(f"{label} {of.values['lr']:g}" for label, of in again.items())
        return Verdict(word, f"{why}; rates: {rates}")


@dataclass(frozen=True)
class Computed(Claim):
    """What an analysis decides. says: its numbers -> (whether it holds, the reason in words); whether: None means in
    part, and `OPEN` that the numbers are of a scale that has not run it."""

    says: Callable[[dict[str, Any]], tuple[bool | str | None, str]] = lambda numbers: (False, "")

    def judged(self, numbers: dict[str, Any]) -> Verdict:
        """The verdict on the numbers, as the analysis' JSON file has them."""
        holds, why = self.says(numbers)
        if holds == OPEN:
            return Verdict(OPEN, why)
        return Verdict(IN_PART if holds is None else HOLDS if holds else NOT, why)


def too_few(a: list[float], b: list[float]) -> str:
    """Words on the least p that a rank test of so many values can give, if it is above `LEVEL`; else none."""
    least = 1 / math.comb(len(a) + len(b), len(a))
    return f"; {len(a)} against {len(b)} runs cannot give less than {least:.2g}" if least > LEVEL else ""


def after(rows: list[dict[str, Any]], updates: int) -> str:
    """Words on how many updates the runs have had, if these are fewer than so many; else none."""
    done = max(row["updates"] for row in rows) if updates else 0
    return f" after {done} of {updates} updates" if done < updates else ""


def mean(values: list[float], sign: float) -> str:
    """Their mean, as text; of runs that diverged there is none."""
    kept = [sign * value for value in values if math.isfinite(value)]
    lost = f" ({len(values) - len(kept)} diverged)" if len(kept) < len(values) else ""
    return f"{sum(kept) / len(kept):.4g}{lost}" if kept else "diverged"
