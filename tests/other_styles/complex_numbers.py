"""A step of a unitary evolution RNN as one writes it with NumPy's complex numbers: h' = modReLU(R F D h + V x).

The gradient of a complex number z is dL/dRe z + i dL/dIm z.
"""

import numpy as np


def urnn_step(re_prev, im_prev, x, theta, v_re, v_im, V_re, V_im, b):
    h_prev = re_prev + 1j * im_prev
    d = np.exp(1j * theta)
    y1 = h_prev * d
    y2 = np.fft.fft(y1, norm="ortho")
    v = v_re + 1j * v_im
    square = (v * v.conj()).real.sum()
    s = y2 @ v.conj()
    y3 = y2 - 2 / square * s[:, None] * v
    V = V_re + 1j * V_im
    z = y3 + x @ V
    size = abs(z)
    u = z / size
    shifted = size + b
    length = np.maximum(shifted, 0)
    h = length * u
    re, im = h.real, h.imag
    cache = (h_prev, x, d, y2, v, square, s, V, z, size, u, shifted, length)
    return re, im, cache


def urnn_step_backward(dre, dim, cache):
    h_prev, x, d, y2, v, square, s, V, z, size, u, shifted, length = cache
    dh = dre + 1j * dim
    dlength = (dh * u.conj()).real
    du = dh * length
    dshifted = dlength * (shifted > 0)
    db = dshifted.sum(axis=0)
    dsize = dshifted - (du * z.conj()).real / size**2
    dz = du / size + dsize * u
    dV = x.T @ dz
    dx = (dz @ V.conj().T).real
    dy3 = dz
    ds = -2 / square * (dy3 * v.conj()).sum(axis=1)
    dsquare = 2 / square**2 * (dy3 * (s[:, None] * v).conj()).real.sum()
    dv = -2 / square * s.conj() @ dy3 + ds.conj() @ y2 + 2 * dsquare * v
    dy2 = dy3 + ds[:, None] * v
    dy1 = np.fft.ifft(dy2, norm="ortho")
    dh_prev = dy1 * d.conj()
    dd = (dy1 * h_prev.conj()).sum(axis=0)
    dtheta = (dd * (1j * d).conj()).real
    dre_prev, dim_prev = dh_prev.real, dh_prev.imag
    dv_re, dv_im = dv.real, dv.imag
    dV_re, dV_im = dV.real, dV.imag
    return dre_prev, dim_prev, dx, dtheta, dv_re, dv_im, dV_re, dV_im, db


def examples():
    rng = np.random.default_rng(0)
    n, B, k = 4, 3, 2
    shapes = dict(re_prev=(B, n), im_prev=(B, n), x=(B, k), theta=n, v_re=n, v_im=n, V_re=(k, n), V_im=(k, n), b=n)
    return {"urnn_step": {name: rng.normal(size=shape) for name, shape in shapes.items()}}
