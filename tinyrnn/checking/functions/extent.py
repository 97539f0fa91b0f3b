"""How far it is wrong around an entry that is: its neighbours along each axis, by steps that double and then halve."""

import numpy as np

from tinyrnn.checking.functions.judging import CLEAR, beyond_tolerance, largest
from tinyrnn.checking.functions.looking import closer

BESIDE = 3  # entries that are asked in each row and column of a wrong one besides


class Asking:
    """Judges single entries of an array, into its `Found`. asked: those that were before."""

    def __init__(self, probe, found, asked, relative, rng):
        self.probe, self.found, self.relative, self.rng = probe, found, relative, rng
        self.shape, self.known = probe.value.shape, set(asked.tolist())
        claimed = found.claimed[:, asked]
        self.scale = largest(np.r_[found.numerical[:, asked].ravel(), claimed.ravel()])

    def is_wrong(self, place):
        """Whether the claim at a place (loss, entry) is wrong."""
        found, probe, entry = self.found, self.probe, place[1]
        if entry not in self.known:
            self.known.add(entry)
            fit = found.method == "complex step"
            gap = np.zeros(len(probe.here))
            if fit:
                found.numerical[:, entry], found.error[:, entry] = probe.complex_step(entry), 0.0
            else:
                found.numerical[:, entry], found.error[:, entry], gap = probe.five_point(entry)
            suspicious = beyond_tolerance(found, probe, np.array([entry]), self.scale, self.relative)
            for number in np.flatnonzero(suspicious):
                here = int(number), entry
                known = self.is_clear(here) and gap[number] <= 1e-2 * self.scale and found.having("wrong")
                word = "wrong" if known else closer(found, probe, here, True, fit, self.rng, self.scale)
                if word != "right":
                    found.status[here] = word
                found.verdict = "wrong" if word == "wrong" else found.verdict
        return found.status.get(place) == "wrong"

    def is_clear(self, place):
        """Whether claim and derivative at a place are further apart than any doubt about the derivative."""
        return abs(self.found.claimed[place] - self.found.numerical[place]) > CLEAR * self.found.tolerance[place]


def box_around(asking, place):
    """The slices (one for each axis) that reach as far as entries are wrong along each axis through a wrong one."""
    component, entry = place
    size = int(np.prod(asking.shape))
    part, flat = divmod(entry, size)  # of a complex array the part, real or imaginary
    index = np.unravel_index(flat, asking.shape)
    box = []
    for axis, length in enumerate(asking.shape):

        def is_wrong(k, axis=axis):
            other = (*index[:axis], k, *index[axis + 1 :])
            return asking.is_wrong((component, part * size + int(np.ravel_multi_index(other, asking.shape))))

        here = int(index[axis])
        box.append(slice(reach(is_wrong, here, 0), reach(is_wrong, here, length - 1) + 1))
        for other in asking.rng.choice(length, min(length, BESIDE), replace=False):
            is_wrong(int(other))
    return tuple(box)


def reach(is_wrong, start, end):
    """The last number from start towards end for which `is_wrong` holds, if it holds up to there and no further."""
    way = 1 if end > start else -1
    inside, step = start, 1
    while inside != end:
        ahead = inside + way * min(step, abs(end - inside))
        if not is_wrong(ahead):
            while abs(ahead - inside) > 1:
                middle = (ahead + inside) // 2
                inside, ahead = (middle, ahead) if is_wrong(middle) else (inside, middle)
            return inside
        inside, step = ahead, 2 * step
    return inside
