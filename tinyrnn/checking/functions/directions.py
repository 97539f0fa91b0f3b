"""Random directions through arrays too large for every entry to be asked, and what those can miss.

Along a direction of +1 and -1, each entry's error counts in full, so that a single wrong entry cannot hide if it is
wrong by more than the direction's own error; several can cancel, in half of the directions. Where a direction does not
agree, halves of the entries are moved alone until one entry is left; then its neighbours are asked, as far as they are
wrong (`extent`), and the directions again without those, until what is left agrees.
"""

import time

import numpy as np

from tinyrnn.checking.functions.extent import Asking, box_around
from tinyrnn.checking.functions.looking import RELATIVE
from tinyrnn.checking.functions.slopes import RealOnly, Slopes

DIRECTIONS = 6
PLACES = 3  # that are looked for, each a wrong entry and its neighbours
SECONDS = 3.0  # after which no second one is


def check_directions(subject, found, eps, noise, rng, relative=RELATIVE, tick=lambda: None):
    """Compare the claim along random directions, for an array of which not every entry was asked; into `found`."""
    probe = Slopes(subject, found.name, eps, noise)
    asked = np.flatnonzero(np.isfinite(found.numerical).any(axis=0))
    along = Along(probe, found, rng, tick)
    disagrees = along.disagreement()
    found.directions = DIRECTIONS
    wrong = sum(place[1] in asked for place in found.having("wrong"))
    if (disagrees or wrong) and wrong <= len(asked) / 2:
        find_places(along, Asking(probe, found, asked, relative, rng), disagrees)
    usual = float(np.sqrt(np.mean(abs(found.claimed[np.isfinite(found.claimed)]) ** 2))) or 1.0
    found.missed = (
        f"{len(asked)} of {probe.size} entries and {DIRECTIONS} random directions: a single entry wrong by more than "
        f"{along.limit:.0e} ({along.limit / usual:.0e} of a usual one) cannot be missed; one wrong by less is missed "
        f"with a probability of {100 * (1 - len(asked) / probe.size):.6g} %"
    )


def find_places(along, asking, disagrees):
    """Where it is wrong, into `found.places`: boxes of entries; and whether that is all."""
    found, start = along.found, time.perf_counter()
    while True:
        if disagrees:
            component, direction = disagrees
            place = component, along.search(direction, component)
        else:
            place = next((p for p in found.having("wrong") if not along.left_out[p[1]]), None)
        if place is None:
            found.places_are_all = True
            return
        if len(found.places) == PLACES or (found.places and time.perf_counter() - start > SECONDS):
            return
        if not asking.is_wrong(place) or not asking.is_clear(place):  # too many, and each too small to be seen alone
            found.verdict = "wrong"
            found.scattered = not found.places and not found.having("wrong")
            return
        box = box_around(asking, place)
        if all(part == slice(0, n) for part, n in zip(box, asking.shape, strict=True)):  # no place of its own
            return
        found.places.append(box)
        along.leave_out(box, asking.shape)
        disagrees = along.disagreement()


class Along:
    """Claim and derivative of one array along directions. limit: error below which nothing can be said. left_out:
    entries that are not moved."""

    def __init__(self, probe, found, rng, tick=lambda: None):
        self.probe, self.found, self.rng, self.tick = probe, found, rng, tick
        self.limit, self.slopes = 0.0, {}
        self.left_out = np.zeros(probe.size, bool)

    def leave_out(self, box, shape):
        """Move the entries in a box, slices of an array of that shape, no more."""
        inside = self.left_out.reshape(-1, *shape)  # of a complex array real parts, then imaginary parts
        inside[(slice(None), *box)] = True

    def disagreement(self):
        """(loss, direction) along which claim and derivative differ, None if there is none."""
        for _ in range(DIRECTIONS):
            signs = self.rng.choice([-1.0, 1.0], self.probe.size)
            signs[self.left_out] = 0.0
            for component in range(min(len(self.probe.here), 4)):
                agrees, error = self.compare(signs, component)
                self.limit = max(self.limit, error)
                if not agrees:
                    return component, signs
            self.tick()
        return None

    def compare(self, signs, component):
        """(whether claim and derivative agree along a direction, error below which nothing can be said)."""
        probe, found = self.probe, self.found
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
        before = self.slopes.get(component)  # a step that is good along one direction is along another
        if before is not None and np.isfinite(before.error):
            value, error = probe.quickly_along(signs, before.step, component)
            if error <= 2 * before.error + rounding and abs(value - along) <= 3 * error + rounding:
                return True, 3 * error + rounding
        slope = self.slopes[component] = probe.look_along(signs, component)
        if slope.kind not in ("smooth", "flat", "kink", "edge"):
            return True, np.inf
        low, high = slope.hull
        error = 3 * slope.error + rounding
        return low - error <= along <= high + error, error

    def search(self, signs, component):
        """The number of one wrong entry, by halving the set of those that are moved."""
        inside = np.flatnonzero(signs)
        claimed = np.nan_to_num(self.found.claimed[component])
        step = self.slopes[component].step if component in self.slopes else 1e-4
        off = self.slope(signs, component, step) - float(claimed @ signs)
        while len(inside) > 1:
            half, rest = np.array_split(inside, 2)
            direction = np.zeros(self.probe.size)
            direction[half] = signs[half]
            part = self.slope(direction, component, step) - float(claimed[half] @ signs[half])
            inside, off = (half, part) if not abs(part) < abs(off - part) else (rest, off - part)
        return int(inside[0])

    def slope(self, direction, component, step):
        """The derivative along a direction in one or two evaluations."""
        if self.found.method == "complex step":
            return self.probe.complex_along(direction)[component]
        probe = self.probe
        return ((probe.along(direction, step) - probe.along(direction, -step)) / (2 * step))[component]
