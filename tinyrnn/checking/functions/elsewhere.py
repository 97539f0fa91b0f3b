"""A gradient that is right at the point is asked a little further on, where what is kept from earlier calls shows."""

import numpy as np

from tinyrnn.checking.functions.looking import claims_at
from tinyrnn.checking.functions.slopes import Probe

EPS = np.finfo(float).eps


def look_elsewhere(subject, report, rng):
    """Is a gradient that is right here right a little further on too? What is kept from an earlier call shows there."""
    for name, found in report.findings.items():
        if found.verdict != "right" or subject.in_place:
            continue
        probe = Probe(subject, name, EPS, 0.0)
        before, here = probe.plain, probe.here
        wrong = 0
        for _ in range(2):
            step = 0.01 * probe.scales * rng.uniform(0.5, 1.0, probe.size)
            probe.plain = (before + np.where(before == 0, 0.5, np.sign(before)) * step).astype(before.dtype)
            wrong += wrong_there(probe, rng)
        probe.plain, probe.here = before, here
        if wrong == 2:
            found.verdict = "wrong"
            subject.stale.add(name)


def wrong_there(probe, rng):
    """Whether claim and derivative differ along a random direction at the probe's present point."""
    try:
        probe.here = probe.shifted(probe.plain)
        claimed = claims_at(probe)
        direction = rng.uniform(0.5, 1.0, probe.size) * rng.choice([-1.0, 1.0], probe.size)
        slope = probe.look_along(direction * probe.scales)
    except Exception:
        return False
    if slope.kind not in ("smooth", "flat", "kink"):
        return False
    along = float(claimed[0] @ (direction * probe.scales))
    size = float(abs(claimed[0]) @ (abs(direction) * probe.scales))
    low, high = slope.hull
    slack = 3 * slope.error + 1e-6 * size
    return not low - slack <= along <= high + slack
