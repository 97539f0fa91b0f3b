"""Exercise 5: a unitary matrix that is never written out.

A complex vector of n entries, for each of B sequences, is a real array z (2, B, n): real parts in z[0], imaginary parts
in z[1]. A gradient dz has the same shape: dL/dRe in dz[0], dL/dIm in dz[1].
"""

import numpy as np

# given -----------------------------------------------------------------------------------------------------------


def as_complex(z):
    """z (2, ...) real -> (...) complex."""
    return z[0] + 1j * z[1]


def as_pair(c):
    """c (...) complex -> (2, ...) real."""
    return np.stack([c.real, c.imag])


def leaky_phases(z, nu, theta):
    """D: y_j = exp(-exp(nu_j) + i theta_j) z_j. Every entry turns by theta_j and keeps the part rho_j of its length.

    z (2, B, n), nu (n,), theta (n,) -> y (2, B, n).
    """
    re, im = z
    rho = np.exp(-np.exp(nu))
    cos = rho * np.cos(theta)
    sin = rho * np.sin(theta)
    y_re = cos * re - sin * im
    y_im = sin * re + cos * im
    return np.stack([y_re, y_im])


def modtanh(z, b):
    """h = tanh(relu(|z| + b)) z / |z|, and 0 where z = 0. z (2, B, n), b (n,) -> h (2, B, n)."""
    size = np.sqrt((z * z).sum(axis=0))
    u = z / np.where(size == 0, 1, size)
    shifted = size + b
    length = np.tanh(np.maximum(shifted, 0))
    h = length * u
    return h


# practice: what the package contains as well ---------------------------------------------------------------------


def phases(z, theta):
    """D without a leak: y_j = exp(i theta_j) z_j. z (2, B, n), theta (n,) -> y (2, B, n)."""
    raise NotImplementedError("phases")


def phases_backward(dy, z, theta):
    """The gradient of `phases`. dy (2, B, n), z (2, B, n), theta (n,) -> dz (2, B, n), dtheta (n,)."""
    raise NotImplementedError("phases_backward")


def modrelu(z, b):
    """h = relu(|z| + b) z / |z|, and 0 where z = 0. z (2, B, n), b (n,) -> h (2, B, n)."""
    raise NotImplementedError("modrelu")


# graded ----------------------------------------------------------------------------------------------------------


def leaky_phases_backward(dy, z, nu, theta):
    """The gradient of `leaky_phases`.

    dy (2, B, n) is the gradient of y; z, nu and theta are what the forward pass was given.
    Returns dz (2, B, n), dnu (n,), dtheta (n,), the last two summed over the batch.
    """
    raise NotImplementedError("leaky_phases_backward")


def turnstile(z, v, phi):
    """R = 1 - (1 - e^{i phi}) v v* / ||v||^2: turns the part of z along v by phi and leaves the rest alone.

    z (2, B, n), v (2, n), phi a number -> y (2, B, n), y = R z for each sequence.
    """
    raise NotImplementedError("turnstile")


def turnstile_backward(dy, z, v, phi):
    """The gradient of `turnstile`.

    dy (2, B, n) is the gradient of y; z, v and phi are what the forward pass was given.
    Returns dz (2, B, n), dv (2, n), dphi a number.
    """
    raise NotImplementedError("turnstile_backward")


def shuffle(z, perm):
    """S = H P: permute, then transform. (P z)_j = z_perm[j]; H the orthonormal Hartley transform, in O(n log n).

    (H x)_k = sum_j (cos(2 pi jk / n) + sin(2 pi jk / n)) x_j / sqrt(n), of the real and the imaginary parts apart.
    z (2, B, n), perm (n,) integers -> y (2, B, n).
    """
    raise NotImplementedError("shuffle")


def shuffle_backward(dy, perm):
    """The gradient of `shuffle`, which is also its inverse: P^T H. dy (2, B, n), perm (n,) -> dz (2, B, n)."""
    raise NotImplementedError("shuffle_backward")


def modtanh_backward(dh, z, b):
    """The gradient of `modtanh`. Where z = 0, b is below 0, so that the unit is off.

    dh (2, B, n) is the gradient of h; z (2, B, n) and b (n,) are what the forward pass was given.
    Returns dz (2, B, n), db (n,), the latter summed over the batch.
    """
    raise NotImplementedError("modtanh_backward")


def step(x, h_prev, p):
    """One step of the network: h = modtanh(W h_prev + x V, b) with W = S^-1 D_2 R S D_1, in O(n log n).

    x (B, d) real; h_prev (2, B, n); p, the parameters by name: V (2, d, n), b, nu_1, theta_1, nu_2, theta_2 (n,),
    v (2, n), phi a number, perm (n,). Returns all that comes on the way, by name, each (2, B, n):
    y1 = D_1 h_prev, y2 = S y1, y3 = R y2, y4 = D_2 y3, y5 = S^-1 y4, z = y5 + x V, h.
    """
    raise NotImplementedError("step")


def step_backward(dh, kept, p):
    """The gradient of `step`.

    dh (2, B, n); kept: x, h_prev and what `step` returned, by name; p, the parameters by name. Returns the gradients
    by name: dx (B, d), dh_prev (2, B, n), and as their parameters dV, db, dnu_1, dtheta_1, dnu_2, dtheta_2, dv, dphi.
    """
    raise NotImplementedError("step_backward")
