"""A gradient that is right at the point is asked a little further on, where what is kept from earlier calls shows."""

import numpy as np

from tinyrnn.checking.functions.looking import fit_claim
from tinyrnn.checking.functions.slopes import FIVE_POINT, Slopes
from tinyrnn.checking.functions.subject import OWNER

EPS = np.finfo(float).eps
FAR = 0.01  # of each number, in two different ways


def look_elsewhere(subject, report, rng):
    """Marks arrays as wrong, and stale, whose gradient is right at the point and not at either of two points nearby."""
    right = [name for name, found in report.findings.items() if found.verdict == "right"]
    if subject.in_place or not right:
        return
    votes = dict.fromkeys(right, 0)
    for _ in range(2):
        there = {name: moved(subject.leaves[name], rng) for name in report.findings}
        try:
            claims = subject.claims(there)
            for name in right:
                votes[name] += wrong_there(subject, name, claims[name], there, rng)
        except Exception:  # it is not defined there
            return
    for name in right:
        if votes[name] == 2 or (name in subject.stale and OWNER in subject.root):
            report.findings[name].verdict = "wrong"
            subject.stale.add(name)


def moved(value, rng):
    """The array with magnitudes larger by half `FAR` to `FAR` of each, zeros made that; in its own dtype."""
    step = FAR * rng.uniform(0.5, 1.0, value.shape)
    return (value * (1 + step) + (value == 0) * step).astype(value.dtype)


def wrong_there(subject, name, claimed, there, rng):
    """Whether claim and derivative differ along a random direction."""
    probe = Slopes(subject, name, EPS, 0.0)
    probe.others = {other: value for other, value in there.items() if other != name}
    flat = there[name].ravel()
    probe.plain = np.concatenate([flat.real, flat.imag]) if probe.is_complex else flat
    probe.here = probe.shifted(probe.plain)
    claimed = fit_claim(probe, claimed)
    direction = probe.scales * rng.uniform(0.5, 1.0, probe.size) * rng.choice([-1.0, 1.0], probe.size)
    along, size = float(claimed[0] @ direction), float(abs(claimed[0]) @ abs(direction))
    if abs(probe.quickly_along(direction, FIVE_POINT)[0] - along) <= 1e-6 * size:
        return False
    slope = probe.look_along(direction)
    if slope.kind not in ("smooth", "flat", "kink") or not np.isfinite(slope.error):
        return False
    low, high = slope.hull
    slack = 3 * slope.error + 1e-6 * size
    return not low - slack <= along <= high + slack
