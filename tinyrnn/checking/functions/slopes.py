"""Numerical derivatives of a subject's losses with respect to the entries of one of its arrays, and along directions.

Entries go by their flat number. Of a complex array there are twice as many: real parts, then imaginary parts.
"""

import warnings

import numpy as np

from tinyrnn.checking.functions.curve import RATIO, extrapolated, ladder, look

COMPLEX_STEP = 1e-20
FIVE_POINT = 2.5e-4  # the nearer of the two steps of Richardson's pair, for entries of size one
NEAR = 6e-6  # the step of the second look, which fewer kinks lie within


class RealOnly(Exception):
    """The function cannot be asked for its values at complex points; the message says where it stopped."""


class Slopes:
    """One array of a subject. eps: rounding unit of the losses. noise: how uncertain a loss is, at least."""

    def __init__(self, subject, name, eps, noise):
        self.subject, self.name, self.eps, self.noise = subject, name, eps, noise
        self.value = subject.leaves[name]
        self.is_complex = self.value.dtype.kind == "c"
        self.size = self.value.size * (2 if self.is_complex else 1)
        flat = self.value.ravel()
        self.plain = np.concatenate([flat.real, flat.imag]) if self.is_complex else flat.copy()  # entries of it move
        sizes = abs(self.plain.astype(float))
        usual = float(np.sqrt(np.mean(sizes**2)))
        self.scales = np.maximum(sizes, min(1.0, 1e3 * usual) if usual else 1.0)
        self.here = subject.losses()
        self.others = {}  # other arrays that are put in the places of theirs

    def entries_of(self, gradient):
        """A gradient (k, *shape) as (k, number of entries) real numbers."""
        flat = gradient.reshape(len(gradient), -1)
        return np.concatenate([flat.real, flat.imag], axis=1) if self.is_complex else flat

    def array_of(self, entries):
        """The opposite of `entries_of` for one row."""
        n = self.value.size
        whole = entries[:n] + 1j * entries[n:] if self.is_complex else entries
        return whole.reshape(self.value.shape)

    def shifted(self, plain):
        """Losses with the array's entries set."""
        value = self.array_of(plain)
        value = value if np.iscomplexobj(value) else value.astype(self.value.dtype, copy=False)
        return self.subject.losses(self.others | {self.name: value})

    def moved(self, entry, step):
        """(step that was really taken, losses)."""
        before = self.plain[entry]
        self.plain[entry] += step
        try:
            return float(self.plain[entry]) - float(before), self.shifted(self.plain)
        finally:
            self.plain[entry] = before

    def along(self, direction, step):
        """Losses (k,) a step along a direction, given as one number for each entry."""
        plain = step * direction
        plain += self.plain
        return self.shifted(plain.astype(self.plain.dtype, copy=False))

    # derivatives ------------------------------------------------------------------------------------------------------

    def complex_losses(self, imaginary, entries=slice(None)):
        """Losses at x + i imaginary, of those entries, the imaginary parts; raises `RealOnly`."""
        if self.is_complex:
            raise RealOnly("it computes with complex numbers of its own")
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                moved = self.plain.astype(complex)
                moved.imag[entries] = imaginary
                found = self.subject.losses({self.name: moved.reshape(self.value.shape)})
            except Exception as error:
                raise RealOnly(reason(error)) from None
        if not np.iscomplexobj(found):
            if np.array_equal(found, self.here):
                return np.zeros(found.shape)
            raise RealOnly("the imaginary part gets lost: abs, max or a cast?")
        return found.imag

    def complex_step(self, entry):
        """The derivatives (k,) of the losses in one entry; raises `RealOnly`."""
        return self.complex_losses(COMPLEX_STEP, entry) / COMPLEX_STEP

    def complex_along(self, direction):
        """The derivatives (k,) of the losses along a direction; raises `RealOnly`."""
        return self.complex_losses(COMPLEX_STEP * direction) / COMPLEX_STEP

    def five_point(self, entry):
        """(derivative, its error, gap between the sides) of all losses, from two central differences."""
        h = self.widest(FIVE_POINT) * self.scales[entry]
        near, gap = self.central(entry, h)
        far, _ = self.central(entry, 2 * h)
        value = (4 * near - far) / 3
        return value, 0.02 * abs(value - near) + 4 * self.uncertainty() / h, gap

    def near(self, entry):
        """The same from one central difference with a smaller step."""
        h = self.widest(NEAR) * self.scales[entry]
        value, gap = self.central(entry, h)
        return value, 4 * self.uncertainty() / h + 1e-9 * abs(value), gap

    def quickly_along(self, direction, step, component=0):
        """(derivative, its error) of one loss along a direction: the V at three steps only, the middle one given."""
        steps = step * np.array([1 / RATIO, 1.0, RATIO])
        losses = [[self.along(direction, way * h)[component] for way in (1, -1)] for h in steps]
        coarse, value, _ = extrapolated(np.array([float(up - down) for up, down in losses]) / (2 * steps))
        return value, abs(value - coarse) + 4 * float(self.uncertainty()[component]) / step

    def widest(self, step):
        """A step for float64, or one as far up the right arm of the V for a lesser precision."""
        return step * (self.eps / np.finfo(float).eps) ** (1 / 5)

    def uncertainty(self):
        """How uncertain each loss is at the point, (k,): the noise, or rounding where that is more."""
        return np.maximum(self.noise, self.eps * abs(self.here))

    def central(self, entry, h):
        """(central difference, gap between the right and left ones) with step h, both (k,)."""
        with np.errstate(all="ignore"):
            (up_t, up), (down_t, down) = self.moved(entry, h), self.moved(entry, -h)
            right, left = (up - self.here) / up_t, (self.here - down) / -down_t
            return (up - down) / (up_t - down_t), abs(right - left)

    def look_at(self, entry, component=0):
        """The `Slope` of one loss in one entry."""

        def phi(t):
            if not t:
                return 0.0, self.here[component]
            step, losses = self.moved(entry, t)
            return step or t, losses[component]

        size = abs(float(self.plain[entry]))
        smallest = 1e-13 * min(size or 1.0, 1.0) * (self.eps / np.finfo(float).eps) ** 0.5
        return look(phi, ladder(0.1 * max(1.0, size), smallest), self.slope_eps(component))

    def look_along(self, direction, component=0):
        """The `Slope` of one loss along a direction through all entries."""

        def phi(t):
            return t, (self.along(direction, t) if t else self.here)[component]

        smallest = 1e-13 * (self.eps / np.finfo(float).eps) ** 0.5
        return look(phi, ladder(0.1, smallest), self.slope_eps(component))

    def usual_size(self, component):
        """How large a loss is at other points: here, its terms may happen to cancel."""
        rng = np.random.default_rng(2)
        flips = [self.plain * rng.choice([-1.0, 1.0], self.size) for _ in range(6)]
        values = [abs(float(self.shifted(flip.astype(self.plain.dtype))[component])) for flip in flips]
        return max([abs(float(self.here[component])), *filter(np.isfinite, values)])

    def slope_eps(self, component):
        """The relative uncertainty of a loss."""
        here = abs(float(self.here[component]))
        return max(self.eps, float(self.noise) / here if here else 0.0)


def reason(error):
    """Why a function stopped at complex numbers, and where: `TypeError: … (loss.py:12)`."""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename.replace("\\", "/")
        ours = any(part in file for part in ("site-packages", "tinyrnn/checking", "tinyrnn/sources"))
        if not ours and not file.startswith("<"):
            place = f" ({file.rpartition('/')[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    lines = str(error).strip().splitlines()[:1]
    return f"{type(error).__name__}{''.join(f': {line[:100]}' for line in lines)}{place}"
