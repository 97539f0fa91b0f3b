"""Right, wrong, or not decided: the gradient claimed for one array against its numerical derivatives.

Every entry is first looked at cheaply: by the complex step where the function carries complex numbers, else by two
central differences. What agrees is right. What does not, or seems to sit on a kink, is looked at again with the whole V
of error against step (`curve`), and is wrong only if the two differ by more than that measurement's own error. At a
kink all values between the derivatives of both sides are right; where several meet, what counts is a point beside.
"""

import time
from dataclasses import dataclass, field

import numpy as np

from tinyrnn.checking.functions.looking import COARSE, RELATIVE, closer
from tinyrnn.checking.functions.slopes import FIVE_POINT, RealOnly, Slopes

MOST_LOOKED_AT = 24  # entries in doubt for which the whole V is worked out, if those all say the same
MOST_KINKS = 400
ENOUGH, PATIENCE = 3, 1.0  # where that takes longer, in seconds, this many will do; of clear ones always
CLEAR = 10  # times the tolerance: what is off by more, at no kink, is clear
MOST_WATCHED = 256  # entries of an array that are searched for kinks though complex step and claim agree
ROUNDING = 1e-12  # of the largest entry


@dataclass
class Found:
    """What was found of one array, entry by entry; arrays are (losses, entries), NaN where nothing was looked at.

    verdict: right, wrong or not decided. status: {(loss, entry): word} of those that are not simply right.
    slopes: {(loss, entry): Slope} of those looked at closely. method: "complex step" or "central differences".
    Of an array of which not every entry was asked: directions: random ones along which the rest was compared. places:
    boxes of wrong entries, tuples of slices, and whether these are all. scattered: no single entry is wrong enough.
    """

    name: str
    claimed: np.ndarray
    numerical: np.ndarray
    error: np.ndarray
    tolerance: np.ndarray
    unseen: np.ndarray  # derivatives so small that no move by x itself would show them in the loss
    verdict: str = "right"
    status: dict = field(default_factory=dict)
    slopes: dict = field(default_factory=dict)
    method: str = "central differences"
    why_not_complex: str = ""
    size: int = 0
    resolution: float = 0.0  # relative size of the mistakes that can be seen
    notes: list = field(default_factory=list)
    missed: str = ""
    directions: int = 0
    places: list = field(default_factory=list)
    places_are_all: bool = False
    scattered: bool = False

    def having(self, word):
        """[(loss, entry)] whose status is that word."""
        return [place for place, status in self.status.items() if status == word]


def judge_array(subject, name, claimed, entries, eps, noise, rng, tick=lambda: None, relative=RELATIVE):
    """The `Found` on one array. claimed: (losses, entries of the array). entries: flat numbers to look at."""
    probe = Slopes(subject, name, eps, noise)
    k = len(claimed)
    empty = np.full((k, probe.size), np.nan)
    found = Found(name, claimed, *(empty.copy() for _ in range(4)), size=probe.size)
    fit = find_method(probe, found, rng, eps)
    gap = empty.copy()
    watched = set(rng.choice(entries, min(len(entries), MOST_WATCHED), replace=False).tolist()) if fit else ()
    for entry in entries:
        if fit:
            try:
                found.numerical[:, entry] = probe.complex_step(entry)
            except RealOnly as unfit:
                fit, found.method, found.why_not_complex = False, "central differences", str(unfit)
                return judge_array_again(found, probe, subject, entries, rng, tick, relative)
            found.error[:, entry] = 0.0
            if entry not in watched:
                tick()
                continue
            value, error, gap[:, entry] = probe.near(entry)
            off = ~(abs(value - found.numerical[:, entry]) <= 1e-4 * abs(value) + error)
            gap[off, entry] = np.inf
        else:
            found.numerical[:, entry], found.error[:, entry], gap[:, entry] = probe.five_point(entry)
        tick()
    settle(found, probe, entries, gap, fit, rng, relative, tick)
    return found


def judge_array_again(found, probe, subject, entries, rng, tick, relative):
    """By central differences, as one entry did not take the complex step."""
    gap = np.full(found.numerical.shape, np.nan)
    for entry in entries:
        found.numerical[:, entry], found.error[:, entry], gap[:, entry] = probe.five_point(entry)
        tick()
    settle(found, probe, entries, gap, False, rng, relative, tick)
    return found


def find_method(probe, found, rng, eps):
    """Whether the complex step can be taken: tried along a random direction through the array, against the V."""
    if eps > np.finfo(float).eps:
        found.why_not_complex = "it computes in a lesser precision"
        return False
    direction = rng.uniform(0.5, 1.0, probe.size) * rng.choice([-1.0, 1.0], probe.size) * probe.scales
    try:
        by_complex = probe.complex_along(direction)
    except RealOnly as unfit:
        found.why_not_complex = str(unfit)
        return False
    for component in range(min(len(by_complex), 8)):
        if abs(by_complex[component] - probe.quickly_along(direction, FIVE_POINT, component)[0]) <= (
            1e-7 * abs(by_complex[component])
        ):
            continue
        slope = probe.look_along(direction, component)
        if slope.kind in ("smooth", "flat") and not abs(by_complex[component] - slope.value) <= (
            10 * slope.error + 1e-7 * abs(slope.value)
        ):
            found.why_not_complex = "the imaginary part gets lost: abs, max or a cast?"
            return False
        if slope.kind not in ("smooth", "flat") and not np.isfinite(by_complex[component]):
            found.why_not_complex = "the complex step is not finite here"
            return False
    found.method = "complex step"
    return True


def settle(found, probe, entries, gap, fit, rng, relative, tick):
    """Work out verdicts: tolerances, entries in doubt, and a closer look at those."""
    entries = np.asarray(entries)
    claimed = found.claimed[:, entries]
    scale = largest(np.r_[found.numerical[:, entries].ravel(), claimed.ravel()])
    suspicious = beyond_tolerance(found, probe, entries, scale, relative)
    if not fit and suspicious.sum() > MOST_LOOKED_AT:
        second_look(found, probe, entries, suspicious, gap, tick)
        suspicious = beyond_tolerance(found, probe, entries, scale, relative)
    off, tolerance = abs(claimed - found.numerical[:, entries]), found.tolerance[:, entries]
    both = sizes(found, entries)
    kinked = gap[:, entries] > 1e-2 * both + 1e-4 * scale + 100 * probe.uncertainty()[:, None] / 6e-6
    doubt = np.argwhere(suspicious | kinked)
    order = (
        np.argsort(-np.nan_to_num(off / np.maximum(tolerance, 1e-300), nan=np.inf)[tuple(doubt.T)])
        if len(doubt)
        else []
    )
    clear = suspicious & ~kinked & (off > CLEAR * tolerance)
    closer_look(
        found,
        probe,
        [(int(c), int(entries[e])) for c, e in doubt[order]],
        places_of(suspicious, entries),
        places_of(clear, entries),
        fit,
        rng,
        scale,
        tick,
    )
    undecided(found, scale, entries)
    if found.having("wrong"):
        found.verdict = "wrong"
    elif any(word in ("noise", "undefined", "infinite", "jump", "coarse") for word in found.status.values()):
        found.verdict = "not decided"


def sizes(found, entries):
    """The larger of claim and derivative, entry by entry."""
    return np.maximum(*(abs(np.nan_to_num(a[:, entries])) for a in (found.claimed, found.numerical)))


def beyond_tolerance(found, probe, entries, scale, relative):
    """Where claim and derivative differ by more than rounding and the measurement's own error; sets `tolerance`."""
    error = np.nan_to_num(found.error[:, entries], nan=np.inf, posinf=np.inf)
    found.unseen[:, entries] = 4 * probe.eps * abs(probe.here)[:, None]
    rounding = relative * sizes(found, entries) + max(ROUNDING, relative * (1e-3 if relative < 1e-6 else 0.1)) * scale
    found.tolerance[:, entries] = found.unseen[:, entries] + rounding + 3 * error
    return ~(abs(found.claimed[:, entries] - found.numerical[:, entries]) <= found.tolerance[:, entries])


def places_of(where, entries):
    """{(loss, entry)} where booleans (losses, looked at) are true; entries: the flat numbers of their columns."""
    return {(int(c), int(entries[e])) for c, e in np.argwhere(where)}


def second_look(found, probe, entries, suspicious, gap, tick):
    """With smaller steps, within which fewer kinks lie."""
    for e in np.flatnonzero(suspicious.any(axis=0)):
        entry = entries[e]
        value, error, near_gap = probe.near(entry)
        better = ~(abs(found.claimed[:, entry] - found.numerical[:, entry]) <= 3 * found.error[:, entry])
        better &= abs(found.claimed[:, entry] - value) <= 3 * error
        found.numerical[better, entry], found.error[better, entry] = value[better], error[better]
        gap[:, entry] = near_gap
        tick()


def closer_look(found, probe, doubtful, suspicious, clear, fit, rng, scale, tick):
    """The V for entries in doubt, the worst first; of clear ones for some, if those all are wrong."""
    words, start = [], time.perf_counter()
    for number, place in enumerate(doubtful):
        plain = words.count("wrong") == len(words)
        enough = number >= MOST_LOOKED_AT or (
            len(words) >= ENOUGH and (doubtful[number] in clear or time.perf_counter() - start > PATIENCE)
        )
        if number >= MOST_KINKS or (enough and plain):
            if place in suspicious:
                found.status[place] = "wrong" if "wrong" in words else "noise"
            continue
        word = closer(found, probe, place, place in suspicious, fit, rng, scale)
        words.append(word) if place in suspicious else None
        if word != "right":
            found.status[place] = word
        tick()


def undecided(found, scale, entries):
    """The array is not decided where agreement would say nothing."""
    error = found.error[:, entries]
    error = error[np.isfinite(error)]
    found.resolution = float(np.median(found.tolerance[:, entries]) / scale) if scale else 0.0
    if scale and error.size and np.median(error) > COARSE * scale and not found.having("wrong"):
        found.status[0, int(entries[0])] = "noise"


def largest(values):
    """The largest finite magnitude, a float; 0 if there is none."""
    values = abs(values[np.isfinite(values)])
    return float(values.max()) if values.size else 0.0
