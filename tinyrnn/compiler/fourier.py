"""Twiddle factors for the compiled Fourier transform, `fft_` in fourier.h, which see.

They depend on the length alone, so that they are worked out once, in float64 whatever the precision of the transform:
rounded roots of unity lose less than roots made by rounded products.
"""

import numpy as np


def radices(n):
    """The factors of `n`, a positive int, in the order of the passes: fours, then a two, then odd primes ascending."""
    if not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"the length of a Fourier transform must be a positive integer, got {n!r}")
    found = []
    for r in (4, 2, *range(3, int(n) + 1, 2)):
        while n % r == 0:
            found.append(r)
            n //= r
        if n == 1:
            break
    return found


def rows(n):
    """How many rows a long input is split into (1: none), so that its passes stay within the processor's cache."""
    fitting = (n1 for n1 in range(16, 513) if n > 4096 and n % n1 == 0 and 64 <= n // n1 <= 2048)
    return next(fitting, 1)


def twiddles(n, dtype):
    """The constants that `fft_` needs for length `n`, one array of `dtype` ("float32" or "float64").

    For each pass, of radix r, with m the length that remains after it: e^(-2πi jp / (rm)) for j = 1 … r - 1 and
    p < m, as rows of m real parts and m imaginary parts in turn; then, for r > 5, the r roots of unity e^(-2πi j / r),
    real parts first. A long `n` = n1 n2 has e^(-2πi jk / n) for j < n1, k < n2 first (real parts, imaginary parts),
    then what n1 and n2 need. Raises ValueError where n is not a positive integer.
    """
    factors, n1 = radices(n), rows(n)
    if n1 > 1:
        between = roots(np.outer(np.arange(n1), np.arange(n // n1)), n).ravel()
        return np.concatenate([between.astype(dtype), twiddles(n1, dtype), twiddles(n // n1, dtype)])
    parts, m = [np.zeros(int(n == 1))], int(n)  # never empty
    for r in factors:
        m //= r
        parts.append(roots(np.outer(np.arange(1, r), np.arange(m)), r * m).transpose(1, 0, 2).ravel())
        if r > 5:
            parts.append(roots(np.arange(r), r).ravel())
    return np.concatenate(parts).astype(dtype)


def roots(k, n):
    """e^(-2πi k / n) for an integer array k, real and imaginary parts along a new first axis, float64."""
    angle = 2 * np.pi * (k % n) / n
    return np.stack([np.cos(angle), -np.sin(angle)])
