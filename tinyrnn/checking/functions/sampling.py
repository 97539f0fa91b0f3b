"""Which entries are asked: all, or of arrays too large for that, some."""

import time
import warnings
from itertools import pairwise

import numpy as np

ALL = 4096  # entries of all arrays together up to which every one is asked
SMALL = 512  # entries up to which every one is asked even if it takes a minute
LONG = 60.0
SECONDS = 5.0  # that the entries may take, about
SAMPLED = 1.0  # the same where there are more than `ALL`: random directions look at those that are not asked


def plan(subject, most, rng, claims):
    """{array: flat numbers of the entries to ask}. most: entries in all, None: by the time that a call takes."""
    sizes = {name: entries_in(subject.leaves[name]) for name in subject.judged}
    cost = cost_of_entry(subject, max(sizes, key=sizes.get))
    seconds = SECONDS if sum(sizes.values()) <= ALL else SAMPLED
    limit = most or int(np.clip(seconds / max(cost, 1e-9), 30, ALL))
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
