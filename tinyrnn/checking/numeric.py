"""Numerical derivatives of a scalar function of one real array: the judges of every backward pass written by hand.

    complex step          f'(x) = Im f(x + ih) / h           nothing is subtracted, so h can be tiny: exact to rounding
    central differences   f'(x) = (f(x+h) - f(x-h)) / 2h     about ten digits at the best h, but any f will do

The complex step (Squire & Trapp 1998) needs an f that continues analytically to complex numbers: branches that look at
real parts only, and nothing on the way that drops the imaginary part (abs, max, a cast).

All take f, which maps an array shaped like x to one number, and x, a float64 array of any shape, which is not modified;
f gets a new array each time, where x lives. The derivatives are NumPy arrays of x's shape.
"""

import numpy as np

from tinyrnn.core.backend import to_numpy, xp_of

COMPLEX_STEP = 1e-20
CENTRAL_STEP = np.finfo(float).eps ** (1 / 3)  # balances the error of the formula, h^2, and of rounding, eps / h


def complex_step(f, x, h=COMPLEX_STEP):
    """df/dx by the complex step."""
    slope = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        slope[index] = moved(f, x, index, 1j * h).imag / h
    return slope


def central_differences(f, x, h=CENTRAL_STEP):
    """df/dx by central differences; h is multiplied by |x| where that is above 1."""
    slope = np.zeros(x.shape)
    for index, value in np.ndenumerate(to_numpy(x)):
        step = h * max(1.0, abs(value))
        slope[index] = (moved(f, x, index, step) - moved(f, x, index, -step)) / (2 * step)
    return slope


def one_sided(f, x, index, h=1e-5):
    """Left and right derivative of f in the entry x[index], each accurate to h^2: they differ where f has a kink.

    left = (3 f(x) - 4 f(x-h) + f(x-2h)) / 2h        right = (-3 f(x) + 4 f(x+h) - f(x+2h)) / 2h
    """
    h = h * max(1.0, abs(float(x[index])))
    here = moved(f, x, index, 0.0)
    left = (3 * here - 4 * moved(f, x, index, -h) + moved(f, x, index, -2 * h)) / (2 * h)
    right = (-3 * here + 4 * moved(f, x, index, h) - moved(f, x, index, 2 * h)) / (2 * h)
    return left, right


def moved(f, x, index, step):
    """f at x with `step`, real or complex, added to one entry."""
    y = to_numpy(x).astype(type(step))
    y[index] += step
    return f(xp_of(x).asarray(y))
