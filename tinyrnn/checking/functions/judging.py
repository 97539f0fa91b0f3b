"""Right, wrong, or not decided: the gradient claimed for one array against its numerical derivatives.

Every entry is first looked at cheaply: by the complex step where the function carries complex numbers, else by two
central differences. What agrees is right. What does not, or seems to sit on a kink, is looked at again with the whole V
of error against step (`curve`), and is wrong only if the two differ by more than that measurement's own error. At a
kink all values between the derivatives of both sides are right; where several meet, what counts is a point beside.
"""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.checking.functions.shaping import as_array, fitted
from tinyrnn.checking.functions.slopes import Probe, Unfit

MOST_LOOKED_AT = 24  # entries in doubt for which the whole V is worked out, if those all say the same
MOST_KINKS = 400
MOST_WATCHED = 256  # entries of an array that are searched for kinks though complex step and claim agree
RELATIVE = 1e-9  # errors smaller than this are put down to the gradient's own rounding, which is seldom above 1e-12
ROUNDING = 1e-12  # of the largest entry
COARSE = 0.1  # of the largest entry: with an error above this, agreement tells nothing


@dataclass
class Finding:
    """What was found of one array, entry by entry; arrays are (losses, entries), NaN where nothing was looked at.

    verdict: right, wrong or not decided. status: {(loss, entry): word} of those that are not simply right.
    slopes: {(loss, entry): Slope} of those looked at closely. method: "complex step" or "central differences".
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

    def having(self, word):
        return [place for place, status in self.status.items() if status == word]


def judge_array(subject, name, claimed, entries, eps, noise, rng, tick=lambda: None, relative=RELATIVE):
    """The `Finding` on one array. claimed: (losses, entries of the array). entries: flat numbers to look at."""
    probe = Probe(subject, name, eps, noise)
    k = len(claimed)
    empty = np.full((k, probe.size), np.nan)
    found = Finding(name, claimed, *(empty.copy() for _ in range(4)), size=probe.size)
    fit = find_method(probe, found, rng, eps)
    gap = empty.copy()
    watched = set(rng.choice(entries, min(len(entries), MOST_WATCHED), replace=False).tolist()) if fit else ()
    for entry in entries:
        if fit:
            try:
                found.numerical[:, entry] = probe.complex_step(entry)
            except Unfit as unfit:
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
    except Unfit as unfit:
        found.why_not_complex = str(unfit)
        return False
    weights = np.ones(len(by_complex))
    for component in range(min(len(weights), 8)):
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
    closer_look(
        found,
        probe,
        [(int(c), int(entries[e])) for c, e in doubt[order]],
        suspicious_set(suspicious, entries),
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


def suspicious_set(suspicious, entries):
    return {(int(c), int(entries[e])) for c, e in np.argwhere(suspicious)}


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


def closer_look(found, probe, doubtful, suspicious, fit, rng, scale, tick):
    """The V for entries in doubt, the worst first."""
    words = []
    for number, place in enumerate(doubtful):
        plain = words.count("wrong") == len(words)
        if number >= MOST_KINKS or (number >= MOST_LOOKED_AT and plain):
            if place in suspicious:
                found.status[place] = "wrong" if "wrong" in words else "noise"
            continue
        word = closer(found, probe, place, place in suspicious, fit, rng, scale)
        words.append(word) if place in suspicious else None
        if word != "right":
            found.status[place] = word
        tick()


def closer(found, probe, place, suspicious, fit, rng, scale):
    """The word for one entry, from its V: right, wrong, kink, jump, infinite, undefined or noise."""
    component, entry = place
    claimed, by_complex = found.claimed[place], found.numerical[place]
    slope = found.slopes[place] = probe.look_at(entry, component)
    slack = found.tolerance[place] - 3 * np.nan_to_num(found.error[place], nan=0.0, posinf=0.0)
    slack = max(slack, RELATIVE * max(abs(slope.value), abs(claimed))) if np.isfinite(slope.value) else slack
    if not np.isfinite(claimed) and slope.kind in ("smooth", "flat", "kink"):
        return "wrong"
    if slope.kind == "kink":
        low, high = slope.hull
        if not fit:
            found.numerical[place] = nearest(claimed, slope.left, slope.right)
        if low - slack <= claimed <= high + slack:
            return "kink"
        return "kink" if right_beside(found, probe, place, rng) else "wrong"
    if slope.kind in ("jump", "infinite", "undefined"):
        if (
            slope.kind == "jump"
            and min(abs(claimed - slope.value), abs(claimed - by_complex)) <= 3 * slope.error + slack
        ):
            return "kink"
        found.numerical[place] = slope.value
        if slope.kind == "infinite" and np.isinf(claimed):
            return "infinite"
        return slope.kind if right_beside(found, probe, place, rng) else "wrong"
    level = slope.kind in ("flat", "smooth") and abs(slope.value) <= slope.error
    if level and abs(claimed) <= 64 * probe.eps * probe.usual_size(component):
        found.unseen[place] = max(found.unseen[place], abs(claimed))
        return "right"
    if not suspicious:
        return "right"
    off = abs(claimed - slope.value)
    if fit and abs(by_complex - slope.value) <= 3 * slope.error + 1e-7 * abs(
        slope.value
    ):  # the finer of the two counts
        if off > 3 * slope.error + slack:
            return "wrong"
        return "wrong" if beyond_rounding(found, probe, place) else "right"
    found.numerical[place], found.error[place] = slope.value, slope.error
    if off <= 3 * slope.error + slack:
        return "right" if slope.error <= COARSE * max(scale, 1e-300) else "noise"
    return "wrong"


def beyond_rounding(found, probe, place):
    """Whether claim and complex step differ by more than either of them changes when x is moved by its rounding."""
    component, entry = place
    off = abs(found.claimed[place] - found.numerical[place])
    eps = np.finfo(float).eps
    if off <= 16 * eps * probe.usual_size(component):
        return False
    wobble = 0.0
    before = probe.plain
    try:
        for factor in (1 + 4 * eps, 1 - 4 * eps):
            probe.plain = before * factor
            slope = probe.complex_step(entry)[component]
            claim = claims_at(probe)[component, entry]
            wobble = max(wobble, abs(slope - found.numerical[place]), abs(claim - found.claimed[place]))
    except Exception:
        return True
    finally:
        probe.plain = before
    return off > 20 * wobble


def right_beside(found, probe, place, rng):
    """Whether the claim is right at a point nearby, where no two kinks meet."""
    component, entry = place
    before, here = probe.plain, probe.here
    tried = 0
    try:
        for sign in (1, -1, None, None):  # a function may be defined on one side only
            signs = rng.choice([-1.0, 1.0], probe.size) if sign is None else sign
            nudge = 1e-3 * probe.scales * rng.uniform(0.3, 1.0, probe.size) * signs
            probe.plain = (before + nudge).astype(before.dtype)
            probe.here = probe.shifted(probe.plain)
            slope, claim = probe.look_at(entry, component), claims_at(probe)[component, entry]
            if slope.kind == "undefined":
                continue
            low, high = slope.hull
            slack = 3 * slope.error + 1e-7 * abs(claim)
            if slope.kind not in ("smooth", "flat", "kink", "edge") or not low - slack <= claim <= high + slack:
                return False
            tried += 1
        return tried > 0
    except Exception:
        return False
    finally:
        probe.plain, probe.here = before, here


def claims_at(probe):
    """The claimed gradient at the probe's present point, as (losses, entries)."""
    value = probe.array_of(probe.plain)
    claimed = as_array(probe.subject.claims({probe.name: value})[probe.name])
    k, leaf = len(probe.here), probe.value
    front = probe.subject.outputs()[0].shape if probe.subject.jacobian else ()
    front = front if int(np.prod(front)) == k else (k,)
    return probe.entries_of(fitted(claimed, leaf, front, k)[0])


def undecided(found, scale, entries):
    """The array is not decided where agreement would say nothing."""
    error = found.error[:, entries]
    error = error[np.isfinite(error)]
    found.resolution = float(np.median(found.tolerance[:, entries]) / scale) if scale else 0.0
    if scale and error.size and np.median(error) > COARSE * scale and not found.having("wrong"):
        found.status[0, int(entries[0])] = "noise"


def nearest(claimed, left, right):
    return min((left, right), key=lambda side: abs(side - claimed))


def largest(values):
    values = abs(values[np.isfinite(values)])
    return float(values.max()) if values.size else 0.0
