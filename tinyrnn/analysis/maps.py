"""Iterated functions: orbits, fixed points and cycles, cobwebs, and the Mandelbrot set (Grosse 2018, section 2.2).

A network without input applies one function again and again, h_t = f(h_{t-1}), and so does backpropagation through it:
the gradient over T steps at an orbit is the product of f' along it. Whether gradients explode or vanish is therefore
read off the fixed points and cycles that orbits end in, by the modulus of f' there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.types import Array

NEUTRAL = 1e-6  # a double root is found to the square root of the rounding error, and so is |f'| there


class Map(NamedTuple):
    """A function of one variable, for floats and arrays, its derivative, and its formula in words."""

    f: Callable
    derivative: Callable
    formula: str


def square_plus(c: float = 0.15) -> Map:
    """x² + c, with c = 0.15 the lecture's monotonic example; for complex x and c the map of the Mandelbrot set."""
    return Map(lambda x: x * x + c, lambda x: 2 * x, f"x² + {c:g}")


def logistic(r: float = 3.5) -> Map:
    """r x (1 - x), eq. 2 of the lecture for r = 3.5."""
    return Map(lambda x: r * x * (1 - x), lambda x: r * (1 - 2 * x), f"{r:g} x (1 − x)")


def tanh_unit(w: float, b: float = 0.0) -> Map:
    """tanh(w x + b): what a step of one tanh unit without input does."""
    return Map(
        lambda x: np.tanh(w * x + b),
        lambda x: w * (1 - np.tanh(w * x + b) ** 2),
        f"tanh({w:g} x)" if b == 0 else f"tanh({w:g} x {b:+g})",
    )


def iterate(f: Callable, x0: Any, n: int) -> Array:
    """The orbit x0, f(x0), f(f(x0)), …: (n + 1, ...) for x0 of shape (...); what shoots off ends at ±inf."""
    orbit = [np.asarray(x0)]
    with np.errstate(over="ignore"):
        for _ in range(n):
            orbit.append(f(orbit[-1]))
    return np.stack(orbit)


def compose(map_: Map, n: int) -> Map:
    """The `Map` that applies `map_` n >= 1 times; its derivative is the product along the orbit (the chain rule)."""
    if n < 1:
        raise ValueError(f"a map must be applied at least once, not {n} times")

    def f(x):
        return iterate(map_.f, x, n)[-1]

    def derivative(x):
        return np.prod(map_.derivative(iterate(map_.f, x, n)[:-1]), axis=0)

    return Map(f, derivative, f"{map_.formula}, {n} times")


class FixedPoint(NamedTuple):
    """x with f(x) = x, and f'(x), by which a small distance from it is multiplied."""

    x: float
    multiplier: float  # f'(x)

    @property
    def kind(self) -> str:
        """ "sink" where |f'| < 1, "source" where |f'| > 1, "neutral" where |f'| = 1 decides nothing."""
        size = abs(self.multiplier)
        return "neutral" if abs(size - 1) <= NEUTRAL else "sink" if size < 1 else "source"


def fixed_points(map_: Map, interval: tuple[float, float], points: int = 2001) -> list[FixedPoint]:
    """The fixed points of a `Map` in the interval (from, to), in order, as `FixedPoint`s.

    f(x) - x is scanned at `points` places and solved where it changes its sign, and where it touches zero, which it
    does where f' = 1. Two fixed points closer together than the places scanned may be missed.
    Raises ValueError for an empty interval.
    """
    low, high = interval
    if not low < high:
        raise ValueError(f"the interval must not be empty, got {low:g} to {high:g}")
    x = np.linspace(low, high, points)
    found = roots(lambda x: map_.f(x) - x, x)
    for touch in roots(lambda x: map_.derivative(x) - 1, x):
        if abs(map_.f(touch) - touch) <= 1e-12 * max(1, abs(touch)):
            found.append(touch)
    distinct: list[float] = []
    for root in sorted(found):
        if not distinct or root - distinct[-1] > 1e-7 * max(1, abs(root)):
            distinct.append(root if abs(root) > 1e-14 else 0.0)  # as near as the solver goes
    return [FixedPoint(root, float(map_.derivative(root))) for root in distinct]


def roots(g: Callable, x: Array) -> list[float]:
    """Zeros of g between neighbours of the increasing x where its sign changes, and at x themselves."""
    values = np.broadcast_to(g(x), x.shape)  # the derivative of a linear map may be a plain number
    found = [float(each) for each in x[values == 0]] if not np.all(values == 0) else []
    for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0):
        found.append(scipy.optimize.brentq(g, x[k], x[k + 1], xtol=1e-15, rtol=8.9e-16))
    return found


class Cycle(NamedTuple):
    """points: the orbit's values, one period of them. multiplier: the product of f' along it."""

    points: np.ndarray  # (period,), from the smallest on, in the order in which they are visited
    multiplier: float  # the derivative of f applied period times, the same at each of the points


def attracting_cycle(
    map_: Map, x0: Any, settle: int = 10_000, longest: int = 64, tolerance: float = 1e-9
) -> Cycle | None:
    """The `Cycle` that the orbit of x0 ends in, a fixed point being one of period 1; None if it ends in none.

    settle: steps before it is looked for, longest: the longest period looked for. An orbit that shoots off, or has
    come no closer to itself than the tolerance, gives None.
    """
    x = np.asarray(x0)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(settle):
            x = map_.f(x)
        if not np.isfinite(x):
            return None
        orbit = iterate(map_.f, x, longest)
    back = np.flatnonzero(abs(orbit[1:] - x) <= tolerance * max(1, abs(x)))
    if not len(back):
        return None
    points = orbit[: back[0] + 1]
    return Cycle(np.roll(points, -int(points.argmin())), float(np.prod(map_.derivative(points))))


def cobweb(f: Callable, x0: float, n: int) -> Array:
    """Corners of the line that one draws by hand: up or down to the graph of f, across to the diagonal; (2n + 1, 2)."""
    orbit = iterate(f, x0, n)
    corners = np.repeat(orbit, 2)
    return np.stack([corners[:-1], np.r_[x0, corners[2:]]], axis=1)


def escape_times(c: Any, iterations: int = 200, at_once: Any = 1 << 16) -> Array:
    """The first n at which |z_n| > 2 for z_n = z_{n-1}² + c from z_0 = 0 (eq. 3); 0 where there is none.

    c: complex array (...); returns integers (...). From beyond 2 (and |c| <= 2, else at n = 1) there is no way back, so
    c with 0 is in the Mandelbrot set as far as so many iterations can tell. Only what has not escaped is iterated
    further, `at_once` numbers at a time, so that memory is that of c and of the answer.
    """
    if iterations < 1:
        raise ValueError(f"at least one iteration is needed, got {iterations}")
    c = np.asarray(c, complex)
    times = np.zeros(c.size, np.int32)
    for start in range(0, c.size, at_once):
        inside = c.reshape(-1)[start : start + at_once]
        where = np.arange(start, start + len(inside))
        z = np.zeros_like(inside)
        for n in range(1, iterations + 1):
            z = z * z + inside
            escaped = abs(z) > 2
            if escaped.any():
                times[where[escaped]] = n
                z, inside, where = z[~escaped], inside[~escaped], where[~escaped]
    return times.reshape(c.shape)


def quadratic_parameter(r: float) -> float:
    """c of z² + c that does to a shifted and scaled x what r x (1 - x) does to x: c = r (2 - r)/4."""
    return r * (2 - r) / 4
