"""Which other values of some statements would make all results right: a question of linear algebra.

What follows a value in a backward pass is linear in it, so additions of one in each entry tell how the results depend
on it, exactly. Where it is not (a local derivative such as 1 - h ** 2, worked out from h), Gauss and Newton go there.
"""

from functools import cached_property

import numpy as np

from tinyrnn.verdicts.repair.patience import spend

MOST_ENTRIES = 500  # of one unit, that are tried one by one
MOST_ENDS = 16  # first and last executions of one unit, of which each is asked whether any result depends on it
MOST_RUNS = 6000  # of the backward pass, in one search
CURVED = 1 / 6  # of them, at most where the results are not linear: that there are values says little then
ROUNDS = 8  # of Gauss and Newton
ROUNDING = 1e-14  # of the largest result, in a difference of two
UNLIKE = 1e-6  # the size of one column, as a part of that of the largest, that a rank may not tell from zero
RANK = 1e-10  # singular values below this part of the largest are zero
TINY = 2.0**-6  # of what is added to try: little, as gradients may be clipped; less where all results are smaller
NIL = 1e-11  # what is left of a value, relative, that should be zero
NEAR = 0.01  # of the tolerance, of what is wrong: as near as Newton goes, as small results have to be right too
SMALL = 1e-6  # addition, relative, where the results are not linear in it


class Solver:
    """Solves for repairs. replay: of the backward pass. results: a `Results`. base: `Replayed` without any repair.
    most: runs, after which nothing more is solved for."""

    def __init__(self, replay, results, base, most=MOST_RUNS):
        self.replay, self.results, self.most = replay, results, most
        self.goal = results.goal()
        self.came = self.vector(base)
        largest = abs(self.goal).max(initial=0)
        self.scale = 2.0 ** np.floor(np.log2(largest)) if 0 < largest < TINY else TINY  # of what is added to try
        self.places, self.values = {}, {}  # unit -> its places in time; place -> value
        scopes = replay.program.sites
        for place, (unit, value) in base.units.items():
            if unit.site.kind == "argument" and (not unit.caller or unit.caller[1] not in scopes):
                continue  # what a function is given by no line that is judged
            if unit.place in replay.problem.trusted:
                continue
            self.places.setdefault(unit, []).append(place)
            self.values[place] = value
        self.matrices, self.idle, self.runs = {}, {}, 0
        self.curved = 0  # the runs in which the results are not linear
        self.left = []  # the units that were left out, as they would take too many runs

    @property
    def gave_up(self):
        """Whether something was left out."""
        return bool(self.left)

    def vector(self, run):
        """The results of a run as one array; None where they cannot be compared."""
        if run.error is not None:
            return None
        return self.results.vector(self.replay.problem.came(run.result, self.results.pairs))

    def added(self, additions):
        """The results with some arrays added, {place: array}; None where that cannot be."""
        spend()
        self.runs += 1
        return self.vector(self.replay.run(added(additions), record=False))

    def entries(self, unit):
        """How many numbers a unit computes, in all its executions."""
        return sum(self.values[place].size for place in self.places[unit])

    def split(self, units, flat):
        """{place: array} from one flat array of the values of some units."""
        found, start = {}, 0
        for unit in units:
            for place in self.places[unit]:
                value = self.values[place]
                found[place] = flat[start : start + value.size].reshape(value.shape)
                start += value.size
        return found

    def is_linear(self, unit, rng, scale=None):
        """Whether the results are linear in what a unit computes; None where they cannot be compared. scale: of what is
        added to try, if not the usual one."""
        flat = (scale or self.scale) * rng.normal(size=self.entries(unit))
        once, twice = self.added(self.split([unit], flat)), self.added(self.split([unit], 2 * flat))
        if once is None or twice is None or not np.isfinite(twice).all():
            return None
        scale = max(abs(once - self.came).max(initial=0), np.finfo(float).tiny)
        bend = abs(twice - 2 * once + self.came).max(initial=0)
        return bool(bend <= 1e-7 * max(scale, abs(self.came).max(initial=0)))

    def matrix(self, units, at=None, step=None):
        """The derivatives of all results by what some units compute, around additions `at` (flat)."""
        columns, step = [], step or self.scale
        base = self.came if at is None else self.added(self.split(units, at))
        size = sum(map(self.entries, units))
        for k in range(size):
            flat = np.zeros(size) if at is None else at.copy()
            flat[k] += step
            moved = self.added(self.split(units, flat))
            if moved is None or base is None:
                return None
            columns.append((moved - base) / step)
        rounding = ROUNDING * abs(base).max(initial=0) / step
        return np.array([column * (abs(column).max(initial=0) > rounding) for column in columns]).T

    def known_matrix(self, unit):
        """`matrix` of one unit that the results are linear in, worked out once."""
        if unit not in self.matrices:
            self.matrices[unit] = self.matrix([unit])
        return self.matrices[unit]

    def matrix_in_time(self, unit):
        """`known_matrix`, that of a unit of many entries only while there are runs left; else None."""
        is_cheap = self.entries(unit) <= MOST_ENTRIES and self.runs + self.entries(unit) <= 2 * self.most
        return self.known_matrix(unit) if is_cheap or unit in self.matrices else None

    def is_idle(self, place):
        """Whether no result depends on the value at a place, of several runs of a line the last, say; of those in the
        midst of many, whether none depends on any of them."""
        places = self.midst.get(place) or ((place,) if place in self.values else ())
        if places and places[0] not in self.idle:
            moved = self.added({one: self.scale * (1 + abs(self.values[one])) for one in places})
            self.idle[places[0]] = moved is not None and np.array_equal(moved, self.came, equal_nan=True)
        return bool(places) and self.idle[places[0]]

    @cached_property
    def midst(self):
        """{place: all places in the midst of its unit's}, of units that run many times."""
        several = [tuple(at[MOST_ENDS:-MOST_ENDS]) for at in self.places.values()]
        return {place: places for places in several for place in places}

    def solve(self, units, is_linear, tolerance):
        """{place: what to add there} with which all results are right, the smallest such additions; None if there are
        none."""
        size = sum(self.entries(unit) for unit in units if unit not in self.matrices)
        if not np.isfinite(self.came).all():
            return None
        if size > MOST_ENTRIES * len(units) or self.runs + size > self.most:
            self.left += units
            return None
        if not is_linear and self.curved + size > CURVED * self.most:
            return None
        if is_linear:
            parts = [self.known_matrix(unit) for unit in units]
            addition = None if any(p is None for p in parts) else least(np.hstack(parts), self.goal - self.came)
            if addition is None or not self.is_solved(parts, addition, tolerance):
                return None
            addition = self.refined(units, np.hstack(parts), addition)
        else:
            before = self.runs
            addition = self.newton(units, tolerance)
            self.curved += self.runs - before
        if addition is None:
            return None
        return self.split(units, addition)

    def refined(self, units, matrix, addition):
        """An addition, once more with what it leaves: differences have the rounding of large sums."""
        now = self.added(self.split(units, addition))
        more = None if now is None else least(matrix, self.goal - now)
        return addition if more is None else addition + more

    def is_solved(self, parts, addition, tolerance):
        """Whether an addition makes up for all that is wrong."""
        left = np.hstack(parts) @ addition - (self.goal - self.came)
        return abs(left).max(initial=0) <= tolerance * abs(self.goal - self.came).max(initial=0)

    def newton(self, units, tolerance):
        """An addition that makes all results right, found step by step; None if none is."""
        at = np.zeros(sum(map(self.entries, units)))
        best, last = None, np.inf
        enough = tolerance * max(abs(self.goal).max(initial=0), 1e-12)
        for _ in range(ROUNDS):
            now = self.added(self.split(units, at))
            if now is None or not np.isfinite(now).all():
                return best
            error = abs(self.goal - now).max(initial=0)
            best = at if error <= enough and error < last else best
            if error <= NEAR * tolerance * abs(self.goal - self.came).max(initial=0):
                return best
            is_worth_it = error < last * 0.9 and self.runs + at.size <= 2 * self.most
            matrix = self.matrix(units, at, SMALL) if is_worth_it else None
            if matrix is None or not np.isfinite(matrix).all():
                return best
            last = error
            at = at + least(matrix, self.goal - now)
        return best


def added(additions):
    """What `Replay.run` puts in place where {place: array} is added."""
    return {place: lambda old, array=array: summed(old, array) for place, array in additions.items()}


def summed(old, more):
    """The sum of two arrays; zeros where nothing but rounding is left of it."""
    total = old + more
    return total * 0 if abs(total).max(initial=0) <= NIL * abs(old).max(initial=0) else total


def undetermined(matrix):
    """An orthonormal basis, in columns, of the additions that change no result; none where numbers cannot tell."""
    try:
        _, singular, right = np.linalg.svd(matrix)
    except np.linalg.LinAlgError:  # not finite, or entries of very different sizes
        return np.zeros((matrix.shape[1], 0))
    rank = int((singular > RANK * singular.max(initial=0)).sum())
    return right[rank:].T


def least(matrix, right):
    """The smallest least-squares solution; None if there is none that numbers can tell."""
    if not (np.isfinite(matrix).all() and np.isfinite(right).all()):
        return None
    sizes = sizes_of(matrix)
    try:
        return np.linalg.lstsq(matrix / sizes, right, rcond=RANK)[0] / sizes
    except np.linalg.LinAlgError:  # entries of very different sizes
        return None


def sizes_of(matrix):
    """What to divide the columns of a matrix by, so that none is lost beside another one: their sizes, where these are
    quite unlike, as behind a softmax that is nearly one; else ones."""
    sizes = np.linalg.norm(matrix, axis=0)
    is_unlike = sizes[sizes > 0].min(initial=np.inf) < UNLIKE * sizes.max(initial=0)
    return np.where(sizes > 0, sizes, 1.0) if is_unlike else np.ones(sizes.shape)
