"""Arrays too large for every entry to be asked: sampled entries, random directions, and what those can miss.

Along a direction of +1 and -1, each entry's error counts in full, so that a single wrong entry cannot hide if it is
wrong by more than the direction's own error; several can cancel, in half of the directions. Where a direction does not
agree, halves of the entries are moved alone until one entry is left.
"""

import time
import warnings
from itertools import pairwise

import numpy as np

from tinyrnn.checking.functions.judging import judge_array
from tinyrnn.checking.functions.looking import RELATIVE
from tinyrnn.checking.functions.slopes import RealOnly, Slopes

ALL = 4096  # entries of all arrays together up to which every one is asked
SMALL = 512  # entries up to which every one is asked even if it takes a minute
LONG = 60.0
DIRECTIONS = 6
BESIDE = 3  # entries that are judged in each row and column of a wrong one
SECONDS = 5.0  # that the entries may take, about


def plan(subject, most, rng, claims):
    """{array: flat numbers of the entries to ask}. most: entries in all, None: by the time that a call takes."""
    sizes = {name: entries_in(subject.leaves[name]) for name in subject.judged}
    cost = cost_of_entry(subject, max(sizes, key=sizes.get))
    limit = most or int(np.clip(SECONDS / max(cost, 1e-9), 30, ALL))
    small = min(SMALL, int(LONG / max(cost, 1e-9)))
    if sum(sizes.values()) <= (most or max(limit, small)):
        return {name: np.arange(size) for name, size in sizes.items()}
    chosen, left, waiting = {}, limit, sorted(sizes, key=sizes.get)
    for number, name in enumerate(waiting):  # the small ones whole, as far as it goes
        share = max(8, left // (len(waiting) - number))
        chosen[name] = some(sizes[name], share, rng, claims[name])
        left = max(0, left - len(chosen[name]))
    return {name: chosen[name] for name in sizes}


def cost_of_entry(subject, name):
    """Seconds that one entry takes, about: four values of the function, one of them of complex numbers if it can."""
    start = time.perf_counter()
    subject.losses()
    once = time.perf_counter() - start
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            subject.losses({name: subject.leaves[name] + 0j})
    except Exception:
        return 5 * once
    return 2 * once + (time.perf_counter() - start)


def entries_in(value):
    """How many real numbers an array holds: two for each complex entry."""
    return value.size * (2 if value.dtype.kind == "c" else 1)


def some(size, number, rng, claimed):
    """Numbers of entries: a quarter of those with the largest gradients, the others spread evenly at random."""
    if size <= number:
        return np.arange(size)
    heights = np.nan_to_num(abs(claimed).max(axis=0), nan=np.inf)
    top = np.argpartition(heights, size - number // 4 - 1)[size - number // 4 - 1 :]
    edges = np.linspace(0, size, number - len(top) + 1)
    spread = [rng.integers(int(a), max(int(b), int(a) + 1)) for a, b in pairwise(edges)]
    return np.unique(np.concatenate([top, spread]))


def check_directions(subject, found, eps, noise, rng, tick=lambda: None):
    """Compare the claim along random directions, for an array of which not every entry was asked; into `found`."""
    probe = Slopes(subject, found.name, eps, noise)
    limit, wrong = 0.0, []
    for _ in range(DIRECTIONS):
        signs = rng.choice([-1.0, 1.0], probe.size)
        for component in range(min(len(probe.here), 4)):
            agrees, error = compare(probe, found, signs, component)
            limit = max(limit, error)
            if not agrees:
                wrong.append((component, signs))
        if wrong:  # one is enough to search in
            break
        tick()
    if wrong and not found.having("wrong"):
        component, signs = wrong[0]
        entry = search(probe, found, signs, component, rng)
        found.status[component, entry] = "wrong"
        found.verdict = "wrong"
        slope = found.slopes[component, entry] = probe.look_at(entry, component)
        found.numerical[component, entry], found.error[component, entry] = slope.value, slope.error
        look_around(subject, found, entry, eps, noise, rng)
    asked = int(np.isfinite(found.numerical).any(axis=0).sum())
    usual = float(np.sqrt(np.mean(abs(found.claimed[np.isfinite(found.claimed)]) ** 2))) or 1.0
    found.missed = (
        f"{asked} of {probe.size} entries and {DIRECTIONS} random directions: a single entry wrong by more than "
        f"{limit:.0e} ({limit / usual:.0e} of a usual one) cannot be missed; one wrong by less is missed with a "
        f"probability of {100 * (1 - asked / probe.size):.4g} %"
    )


def look_around(subject, found, entry, eps, noise, rng):
    """Judge some entries in the same rows and columns as a wrong one, which show if it is alone; into `found`."""
    shape = subject.leaves[found.name].shape
    if len(shape) < 2:
        return
    index, beside = np.unravel_index(entry % np.prod(shape), shape), set()
    for axis, length in enumerate(shape):
        for other in rng.choice(length, min(length, BESIDE), replace=False):
            beside.add(int(np.ravel_multi_index((*index[:axis], other, *index[axis + 1 :]), shape)))
    beside = sorted(beside - {entry})
    near = judge_array(subject, found.name, found.claimed, beside, eps, noise, rng)
    for what in ("numerical", "error", "tolerance", "unseen"):
        getattr(found, what)[:, beside] = getattr(near, what)[:, beside]
    found.status |= near.status
    found.slopes |= near.slopes


def compare(probe, found, signs, component):
    """(whether claim and derivative agree along a direction, error below which nothing can be said)."""
    claimed = np.nan_to_num(found.claimed[component])
    along = float(claimed @ signs)
    rounding = 20 * np.finfo(float).eps * float(abs(claimed).sum()) + RELATIVE * abs(along)
    if found.method == "complex step":
        try:
            value = probe.complex_along(signs)[component]
            rounding += 1e-10 * float(np.sqrt((claimed**2).sum()))
            if abs(value - along) <= rounding:
                return True, rounding
        except RealOnly:
            pass
    slope = probe.look_along(signs, component)
    if slope.kind not in ("smooth", "flat", "kink", "edge"):
        return True, np.inf
    low, high = slope.hull
    error = 3 * slope.error + rounding
    return low - error <= along <= high + error, error


def search(probe, found, signs, component, rng):
    """The number of one wrong entry, by halving the set of those that are moved."""
    inside = np.arange(probe.size)
    step = probe.look_along(signs, component).step
    while len(inside) > 1:
        halves = np.array_split(inside, 2)
        off = []
        for half in halves:
            direction = np.zeros(probe.size)
            direction[half] = signs[half]
            slope = quick_slope(probe, found, direction, component, step)
            off.append(abs(slope - float(np.nan_to_num(found.claimed[component]) @ direction)))
        inside = halves[int(np.argmax(np.nan_to_num(off, nan=-np.inf)))]
    return int(inside[0])


def quick_slope(probe, found, direction, component, step):
    """The derivative along a direction in one or two evaluations."""
    if found.method == "complex step":
        return probe.complex_along(direction)[component]
    return ((probe.along(direction, step) - probe.along(direction, -step)) / (2 * step))[component]
