"""The building blocks of a unitary matrix, on real arrays.

A complex vector of n entries is a real array (..., 2n), its real parts first, then its imaginary parts: [Re; Im]. Each
block is a pair of functions on such arrays, forward and backward. With five of them a unitary matrix need never be
written out, in O(n) or O(n log n) time and O(n) memory (Arjovsky, Shah & Bengio 2015):

    D   phases          y_j = e^{i theta_j} z_j
    R   reflection      y = z - 2 v (v* z) / ||v||^2
    Pi  permutation     y_j = z_{perm[j]}
    F   fourier         y = FFT(z) / sqrt(n)            F^-1   inverse_fourier

All are unitary, so each backward pass is the inverse map applied to the gradient dL/dRe + i dL/dIm, and a gradient
keeps its norm through all of them. D and R take real weights, derived from theta and v once a sequence. So does a
matrix that is written out, which is unitary only if somebody sees to it:

    W   complex_matrix  y = z W, as a real product
"""

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import complex_of, is_complex, join, reshape, split, sum_over_time, weight_gradient


def pairs(z):
    """[Re; Im] (..., 2n) as (..., 2, n), so that one real factor (..., 1, n) serves both parts; shares z's memory."""
    return reshape(z, *z.shape[:-1], 2, z.shape[-1] // 2)


# D ---------------------------------------------------------------------------------------------------------------


def phase_weights(theta):
    """theta (n,) -> E (2, 2, n), cos and sin laid out for [Re; Im]: y = E_0 [Re; Im] + E_1 [Im; Re]."""
    xp = xp_of(theta)
    cos, sin = xp.cos(theta), xp.sin(theta)
    return xp.stack([xp.stack([cos, cos]), xp.stack([-sin, sin])])


def phases(z, E):
    """D: rotate each entry of z (..., 2n) by its phase; E from `phase_weights`."""
    z2 = pairs(z)
    y2 = z2 * E[0, ...] + z2[..., ::-1, :] * E[1, ...]
    return reshape(y2, *z.shape)


def phases_backward(dy, E):
    """dz = e^{-i theta} dy."""
    dy2 = pairs(dy)
    dz2 = dy2 * E[0, ...] - dy2[..., ::-1, :] * E[1, ...]
    return reshape(dz2, *dy.shape)


def phases_gradient(z, dz):
    """dtheta (n,) = sum Re(conj(dz) i z) over all leading axes.

    Rotation changes neither term of the product, so z and dz may both be taken before or both after the block.
    """
    z2 = pairs(z)
    dz2 = pairs(dz)
    return sum_over_time(z2[..., 0, :] * dz2[..., 1, :] - z2[..., 1, :] * dz2[..., 0, :])


# R ---------------------------------------------------------------------------------------------------------------


def reflection_weights(v):
    """v (2n,) -> Q (2n, 2), with which the complex reflection is the real 1 - Q Q^T."""
    xp = xp_of(v)
    columns = xp.stack([v, times_i(v)], axis=1)
    square = xp.sum(v * v)
    scale = (2 / square) ** 0.5
    return columns * scale


def reflection(z, Q):
    """R: reflect z (..., 2n) in the hyperplane orthogonal to v; Q from `reflection_weights`. It is its own inverse."""
    s = z @ Q
    y = z - s @ Q.T
    return y


def reflection_backward(dy, Q):
    """dz = R dy, as R is Hermitian."""
    return reflection(dy, Q)


def reflection_gradient(z, dy, Q):
    """dQ (2n, 2), summed over all leading axes; z before the block, dy after it."""
    s = z @ Q
    ds = -(dy @ Q)
    return weight_gradient(z, ds) - weight_gradient(dy, s)


def reflection_weights_backward(v, dQ):
    """dv (2n,) from dQ: Q = columns * sqrt(2) / ||v||, the columns being v and i v."""
    xp = xp_of(v)
    columns = xp.stack([v, times_i(v)], axis=1)
    square = xp.sum(v * v)
    scale = (2 / square) ** 0.5
    dcolumns = dQ * scale
    dscale = xp.sum(dQ * columns)
    dsquare = -0.5 * dscale * scale / square
    dv = dcolumns[:, 0] - times_i(dcolumns[:, 1]) + 2 * dsquare * v
    return dv


def times_i(v):
    """i v, which is [-Im; Re] of v; the transpose of this map is its inverse, -i v."""
    re, im = split(v, 2)
    return join(-im, re)


# Pi --------------------------------------------------------------------------------------------------------------


def permutation(z, perm):
    """Pi: y_j = z_{perm[j]}; perm (2n,) integers, the same order in both halves."""
    return xp_of(z).take(z, perm, axis=-1)


def permutation_backward(dy, inverse):
    """dz_{perm[j]} = dy_j; `inverse` is `argsort(perm)`."""
    return xp_of(dy).take(dy, inverse, axis=-1)


# F ---------------------------------------------------------------------------------------------------------------


def fourier(z):
    """F: the unitary discrete Fourier transform of z (..., 2n)."""
    return transform(z, xp_of(z).fft.fft)


def fourier_backward(dy):
    """The inverse transform: the unitary one's backward pass is its inverse."""
    return inverse_fourier(dy)


def inverse_fourier(z):
    """F^-1, the inverse (and conjugate transpose) of `fourier`."""
    return transform(z, xp_of(z).fft.ifft)


def inverse_fourier_backward(dy):
    """The transform itself."""
    return fourier(dy)


def transform(z, fft):
    """Apply a complex transform to [Re; Im]. The map is linear over the reals, which is how it is continued to complex
    arrays, the complex step's: real and imaginary parts go through apart."""
    xp = xp_of(z)
    if is_complex(z):
        return transform(xp.real(z), fft) + 1j * transform(xp.imag(z), fft)
    y = fft(complex_of(*split(z, 2)), norm="ortho")
    return join(xp.real(y), xp.imag(y))


# W ---------------------------------------------------------------------------------------------------------------


def complex_matrix(W):
    """W (m, 2n), complex rows [Re; Im] -> the real M (2m, 2n) with which z W is z @ M; M of W* is the transpose.

    The unit vector e_k picks row k, and i e_k picks i times row k.
    """
    re, im = split(W, 2)
    return xp_of(W).concat([W, join(-im, re)])


def complex_matrix_backward(dM):
    """dW (m, 2n) from dM (2m, 2n): the gradient of the rows, and -i times that of i times the rows."""
    m = dM.shape[0] // 2
    top, bottom = dM[:m, :], dM[m:, :]
    re, im = split(bottom, 2)
    dW = top + join(im, -re)
    return dW
