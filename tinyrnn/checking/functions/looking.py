"""A closer look at one entry: the whole V of error against step, and the word that its shape has for the claim."""

import numpy as np

from tinyrnn.checking.functions.shaping import as_array, fitted

RELATIVE = 1e-9  # errors smaller than this are put down to the gradient's own rounding, which is seldom above 1e-12
COARSE = 0.1  # of the largest entry: with an error above this, agreement tells nothing


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
    return fit_claim(probe, probe.subject.claims({probe.name: probe.array_of(probe.plain)})[probe.name])


def fit_claim(probe, claimed):
    """A claimed gradient as (losses, entries)."""
    k, leaf = len(probe.here), probe.value
    front = probe.subject.outputs()[0].shape if probe.subject.jacobian else ()
    front = front if int(np.prod(front)) == k else (k,)
    return probe.entries_of(fitted(as_array(claimed), leaf, front, k)[0])


def nearest(claimed, left, right):
    """The one of two one-sided derivatives that is nearer to what was claimed; the left one if they tie."""
    return min((left, right), key=lambda side: abs(side - claimed))
