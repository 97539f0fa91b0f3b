"""The V of error against step, along a line, and what its slopes say.

    phi(t) = loss(x + t v)              central(h) = (phi(h) - phi(-h)) / 2h          gap(h) = right(h) - left(h)

On a smooth function the error of central(h) falls as h^2 while h shrinks, until the rounding of phi takes over, whose
share grows as 1/h: a V, at whose bottom the derivative is read. Where the two arms are is measured, not assumed: step
sizes over fourteen decades are tried, and what neighbouring ones disagree by is the estimate of the error. The gap of
the one-sided differences falls as h where phi is smooth, stays at a kink, and grows as 1/h at a jump; the slope of the
difference itself is h^(p-1) where phi behaves as t^p (a square root at zero).
"""

from dataclasses import dataclass, field

import numpy as np

RATIO = 10**-0.5  # from one step size to the next
EPS = np.finfo(float).eps
LAST = 8  # of the smallest steps, which tell noise, powers and kinks


@dataclass
class Slope:
    """The derivative along a line. error: an estimate of that of `value`. kind: smooth, kink, jump, infinite, edge
    (only one side is defined), undefined or flat. noise: how uncertain phi is; steps, central: the V."""

    value: float
    error: float
    kind: str = "smooth"
    left: float = np.nan
    right: float = np.nan
    step: float = np.nan
    noise: float = 0.0
    steps: np.ndarray | None = field(default=None, repr=False)
    central: np.ndarray | None = field(default=None, repr=False)

    @property
    def hull(self):
        """(least, largest) derivative that counts as right."""
        if self.kind == "kink":
            return min(self.left, self.right) - self.error, max(self.left, self.right) + self.error
        return self.value - self.error, self.value + self.error


def ladder(largest=0.1, smallest=1e-13):
    """Step sizes from the largest down; none is so small that its square is no number."""
    smallest = max(smallest, 1e-25)
    return largest * RATIO ** np.arange(int(np.ceil(2 * np.log10(largest / smallest))) + 1)


def look(phi, steps, eps=EPS):
    """The `Slope` of phi at 0. phi: t -> (the t that was really taken, value). eps: rounding unit of phi's values."""
    with np.errstate(all="ignore"):
        here = float(phi(0.0)[1])
        if not np.isfinite(here):
            return Slope(np.nan, np.inf, "undefined")
        up = Side.of(phi, steps, here)
        down = Side.of(phi, -steps, here)
        central = (up.rise - down.rise) / (up.t - down.t)
        if np.isfinite(central).sum() < 4:
            return edge(steps, up, down, here, eps)
        if not up.rise.any() and not down.rise.any():
            return Slope(0.0, eps * abs(here) / steps[0], "flat", 0.0, 0.0, steps[0], 0.0, steps, central)
        return judged(steps, here, up, down, central, eps)


@dataclass
class Side:
    """Steps to one side of a point, and how much phi rises over each."""

    t: np.ndarray
    rise: np.ndarray
    stair: float = 0.0  # height of the first step, of a phi that is flat near the point and then jumps

    @classmethod
    def of(cls, phi, steps, here):
        """The `Side` of phi at the given steps. here: phi(0). With a stair if phi rests at the smallest."""
        both = np.array([phi(h) for h in steps], float)
        made = cls(both[:, 0], both[:, 1] - here)
        moved = np.flatnonzero(made.rise)
        if len(moved) and moved[-1] < len(steps) - LAST and np.isfinite(made.rise[moved[-1] :]).all():
            made.stair = first_stair(phi, here, steps[moved[-1]], steps[moved[-1] + 1])
        return made

    @property
    def slope(self):
        """The one-sided difference quotient at each step, an array."""
        return self.rise / self.t

    @property
    def power(self):
        """p of phi ~ |t|^p at the smallest steps; NaN where that does not describe it."""
        t, rise = abs(self.t[-LAST:]), abs(self.rise[-LAST:])
        if not (np.isfinite(rise).all() and rise.all()):
            return np.nan
        line = np.polyfit(np.log(t), np.log(rise), 1)
        return line[0] if np.std(np.log(rise) - np.polyval(line, np.log(t))) < 0.03 else np.nan

    def scatter(self):
        """How far the rises at the smallest steps are from lying on a line through zero; the height of a staircase's
        first step, if they are all zero."""
        t, rise = self.t[-LAST:], self.rise[-LAST:]
        fine = np.isfinite(rise)
        if fine.sum() < 3:
            return 0.0
        if not rise[fine].any():
            return self.stair
        line = (t[fine] @ rise[fine]) / (t[fine] @ t[fine])
        return float(abs(rise[fine] - line * t[fine]).max())


def first_stair(phi, here, outer, inner):
    """How high phi jumps where it first leaves its value, between two steps; 0 if it leaves without a jump."""
    full = abs(phi(outer)[1] - here)
    for _ in range(14):
        middle = (outer + inner) / 2
        if phi(middle)[1] == here:
            inner = middle
        else:
            outer = middle
    height = abs(phi(outer)[1] - here)
    return float(height) if height > 0.05 * full else 0.0


def judged(steps, here, up, down, central, eps):
    """The `Slope`, from both arms of the V and the gap between the sides."""
    rounding = 2 * eps * abs(here)
    for side, other in ((up, down), (down, up)):
        height = abs(side.rise[-1])
        if side.power < 0.9 and height > 1e3 * rounding:
            kind = "jump" if side.power < 0.05 else "infinite"
            value, error, best = bottom(steps, extrapolated_one_sided(other.slope), rounding / steps)
            return Slope(value, error, kind, down.slope[-1], up.slope[-1], steps[best], rounding, steps, central)
    noise = max(rounding, min(up.scatter(), down.scatter()))
    floor = noise / steps
    value, error, best = bottom(steps, extrapolated(central), floor)
    slope = Slope(value, error, "smooth", down.slope[best], up.slope[best], steps[best], noise, steps, central)
    gap = abs(up.slope - down.slope)
    seen = np.flatnonzero(np.isfinite(gap) & (gap > 20 * floor) & (steps < 0.03 * steps[0]))[-LAST:]
    if seen.size >= 4 and np.polyfit(np.log(steps[seen]), np.log(gap[seen]), 1)[0] < 0.35:
        left, left_error, _ = bottom(steps, extrapolated_one_sided(down.slope), floor)
        right, right_error, _ = bottom(steps, extrapolated_one_sided(up.slope), floor)
        if abs(right - left) > 4 * (left_error + right_error):
            slope.kind, slope.left, slope.right, slope.error = "kink", left, right, left_error + right_error
    return slope


def extrapolated(central):
    """Richardson's extrapolation of neighbouring central differences: the error's term in h^2 removed."""
    q = RATIO**2
    finer = np.append(central[1:], np.nan)
    return (finer - q * central) / (1 - q)


def extrapolated_one_sided(side):
    """The same for one-sided differences: the error's term in h removed; the last entry is NaN."""
    q = RATIO
    finer = np.append(side[1:], np.nan)
    return (finer - q * side) / (1 - q)


def bottom(steps, values, floor):
    """(value, error, its place) where neighbouring estimates agree best, given what rounding adds at each."""
    apart = abs(np.diff(values))
    apart = np.where(np.isfinite(apart), apart, np.inf)
    error = np.full(values.shape, np.inf)
    error[1:-1] = np.maximum(apart[:-1], apart[1:])
    error = error + 4 * floor + contradicted(values, floor)
    error = np.where(np.isfinite(values), error, np.inf)
    best = int(np.argmin(error))
    return float(values[best]), float(error[best]), best


def contradicted(values, floor):
    """By how much the estimates at smaller steps differ from each one, beyond their own rounding: a kink nearby makes
    all larger steps agree on the same wrong value."""
    found = np.zeros(values.shape)
    for k in range(len(values) - 1):
        apart = abs(values[k + 1 :] - values[k]) - 6 * floor[k + 1 :]
        found[k] = np.nanmax(apart, initial=0.0)
    return found


def edge(steps, up, down, here, eps):
    """The slope where phi is defined on one side only, or nowhere around."""
    for side in (up, down):
        if np.isfinite(side.rise).sum() >= 4:
            if side.power < 0.9:
                return Slope(np.nan, np.inf, "infinite", steps=steps, central=side.slope)
            value, error, best = bottom(steps, extrapolated_one_sided(side.slope), 2 * eps * abs(here) / steps)
            return Slope(value, error, "edge", value, value, steps[best], steps=steps, central=side.slope)
    return Slope(np.nan, np.inf, "undefined", steps=steps)
