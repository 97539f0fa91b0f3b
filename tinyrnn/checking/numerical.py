"""`tinyrnn.numerical`: derivatives of any function by numbers alone, each with an estimate of its own error.

    gradient(f, x)      of a number                 jvp(f, x, v)      J v, the derivative along v
    jacobian(f, x)      of an array                 vjp(f, x, u)      u J
    hvp(f, x, v)        H v                         hessian(f, x)     H, of a number

method: "complex", the complex step (Squire & Trapp 1998): exact to rounding, for functions that carry complex numbers;
"richardson", central differences of all step sizes from 0.1 down, extrapolated, and read where the V of error against
step has its bottom; "central", the same without the extrapolation; "auto", the complex step if it turns out to agree
with differences, else "richardson". Of f, x is the only argument: an array or a number; others go in a closure.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.checking.functions.curve import LAST, bottom, extrapolated, ladder

STEP = 1e-20
METHODS = ("auto", "complex", "richardson", "central")


class Estimate(NamedTuple):
    """A derivative. error: an estimate of its absolute error, of the same shape. method: how it was got."""

    value: np.ndarray
    error: np.ndarray
    method: str


def gradient(f: Any, x: Any, method: str = "auto") -> Any:
    """The `Estimate` of df/dx, shaped like x. Raises ValueError if f does not return a number."""
    if np.size(f(array_of(x))) != 1:
        raise ValueError("gradient is of a function that returns a number; of an array, see jacobian")
    found = jacobian(f, x, method)
    shape = np.shape(x)
    return Estimate(found.value.reshape(shape), found.error.reshape(shape), found.method)


def jacobian(f: Any, x: Any, method: str = "auto") -> Any:
    """The `Estimate` of df/dx, of shape (*shape of f(x), *shape of x)."""
    x = array_of(x)
    directions = np.eye(x.size).reshape(x.size, *x.shape)
    columns, method = along_all(f, x, directions, method)
    shape = np.shape(f(x)) + x.shape
    value, error = (np.stack([c[k] for c in columns], axis=-1).reshape(shape) for k in (0, 1))
    return Estimate(value, error, method)


def jvp(f: Any, x: Any, v: Any, method: str = "auto") -> Any:
    """The `Estimate` of the derivative of f at x along v, shaped like f(x)."""
    x, v = array_of(x), fitting(v, np.shape(x), "v")
    ((value, error),), method = along_all(f, x, [v], method)
    shape = np.shape(f(x))
    return Estimate(value.reshape(shape), error.reshape(shape), method)


def vjp(f: Any, x: Any, u: Any, method: str = "auto") -> Any:
    """The `Estimate` of u J, shaped like x: the gradient of sum(u * f(x)), what a backward pass returns."""
    u = fitting(u, np.shape(f(array_of(x))), "u")
    return gradient(lambda x: np.sum(u * f(x)), x, method)


def hvp(f: Any, x: Any, v: Any, grad: Any = None, method: str = "auto") -> Any:
    """The `Estimate` of H v, shaped like x, of a function that returns a number.

    grad: its gradient, if there is one to be trusted, which is then differentiated along v.
    """
    x, v = array_of(x), fitting(v, np.shape(x), "v")
    if grad is not None:
        return jvp(grad, x, v, method)
    first = gradient(f, x, method)
    found = jvp(lambda y: gradient(f, y, first.method).value, x, v, "richardson")
    length = max(float(abs(v).max()), np.finfo(float).tiny)
    return Estimate(found.value, found.error + first.error * length, f"{first.method}, then richardson")


def hessian(f: Any, x: Any, grad: Any = None, method: str = "auto") -> Any:
    """The `Estimate` of the matrix of second derivatives, of shape (*shape of x, *shape of x)."""
    x = array_of(x)
    columns = [hvp(f, x, v, grad, method) for v in np.eye(x.size).reshape(x.size, *x.shape)]
    values, errors = (np.stack([c[k] for c in columns], axis=-1).reshape(x.shape * 2) for k in (0, 1))
    return Estimate(values, errors, columns[0].method)


# along directions -----------------------------------------------------------------------------------------------------


def along_all(f: Any, x: Any, directions: Any, method: Any) -> Any:
    """([(value, error) flat, for each direction], the method that was taken)."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    with np.errstate(all="ignore"):
        if method in ("auto", "complex"):
            reason = unfit(f, x)
            if reason is None:
                try:
                    return [by_complex_step(f, x, v) for v in directions], "complex"
                except (TypeError, ValueError, np.exceptions.ComplexWarning) as error:
                    reason = f"{type(error).__name__}: {error}"
            if method == "complex":
                raise ValueError(f"the complex step cannot be taken: {reason}")
        extrapolate = method != "central"
        return [by_differences(f, x, v, extrapolate) for v in directions], "richardson" if extrapolate else "central"


def unfit(f: Any, x: Any) -> Any:
    """Why the complex step cannot be taken; None if it agrees with differences along a random direction."""
    v = np.random.default_rng(0).normal(size=x.shape) * np.maximum(abs(x), 1e-3)
    try:
        got, _ = by_complex_step(f, x, v)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    wanted, error = by_differences(f, x, v)
    sure = np.isfinite(wanted) & np.isfinite(error)
    agrees = abs(got - wanted)[sure] <= 10 * error[sure] + 1e-7 * abs(wanted[sure])
    return None if sure.any() and agrees.all() else "the imaginary part gets lost: abs, max or a cast?"


def by_complex_step(f: Any, x: Any, v: Any) -> Any:
    """(derivative of f along v at x, its estimated error) by the complex step."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        moved = np.ravel(f(x + 1j * STEP * v))
    if not np.iscomplexobj(moved):
        if np.array_equal(moved, np.ravel(f(x))):
            return np.zeros(moved.shape), np.zeros(moved.shape)
        raise TypeError("the imaginary part gets lost")
    value = moved.imag / STEP
    eps = np.finfo(float).eps
    return value, 64 * eps * abs(value) + 8 * eps * abs(moved.real) * float(abs(v).max())


def by_differences(f: Any, x: Any, v: Any, extrapolate: bool = True) -> Any:
    """Central differences of all steps, read at the bottom of the V of each output."""
    length = max(float(abs(v).max()), np.finfo(float).tiny)
    steps = ladder(0.1 * max(1.0, float(abs(x).max(initial=0))) / length, 1e-12 / length)
    here = np.ravel(np.asarray(f(x.copy()), float))
    up = np.array([np.ravel(f(x + h * v)) for h in steps], float)
    down = np.array([np.ravel(f(x - h * v)) for h in steps], float)
    central = (up - down) / (2 * steps[:, None])
    found = np.empty((2, here.size))
    for k in range(here.size):
        noise = max(2 * np.finfo(float).eps * abs(here[k]), scatter(up[:, k] - down[:, k], steps))
        values = extrapolated(central[:, k]) if extrapolate else central[:, k]
        rounding = np.finfo(float).eps * float(abs(x).max(initial=0)) / (steps * length)  # of x + h v itself
        found[:, k] = bottom(steps, values, noise / steps + rounding * abs(central[:, k]))[:2]
    return found[0], found[1]


def scatter(rises: Any, steps: Any) -> Any:
    """How far the differences at the smallest steps are from lying on a line through zero; the first that is not zero,
    of a function that changes in steps."""
    if not rises[-LAST:].any():
        return float(next((abs(r) for r in rises[::-1] if r and np.isfinite(r)), 0.0))
    rises, steps = rises[-LAST:], steps[-LAST:]
    line = (steps @ rises) / (steps @ steps)
    return float(np.nan_to_num(abs(rises - line * steps).max()))


def array_of(x: Any) -> Any:
    """x as an array of float64; TypeError for complex numbers, which have two derivatives."""
    if np.iscomplexobj(x):
        raise TypeError("derivatives are with respect to real numbers: take real and imaginary part apart")
    return np.array(x, float)


def fitting(v: Any, shape: Any, name: Any) -> Any:
    """v as an array of that shape; ValueError in one line if it has another."""
    v = np.asarray(v, float)
    if v.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {v.shape}")
    return v
