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
    # BEGIN SOLUTION
    re, im = z
    cos = np.cos(theta)
    sin = np.sin(theta)
    y_re = cos * re - sin * im
    y_im = sin * re + cos * im
    return np.stack([y_re, y_im])
    # END SOLUTION


def phases_backward(dy, z, theta):
    """The gradient of `phases`. dy (2, B, n), z (2, B, n), theta (n,) -> dz (2, B, n), dtheta (n,)."""
    # BEGIN SOLUTION
    y_re, y_im = phases(z, theta)
    dy_re, dy_im = dy
    dz = phases(dy, -theta)
    dtheta = (dy_im * y_re - dy_re * y_im).sum(axis=0)
    return dz, dtheta
    # END SOLUTION


def modrelu(z, b):
    """h = relu(|z| + b) z / |z|, and 0 where z = 0. z (2, B, n), b (n,) -> h (2, B, n)."""
    # BEGIN SOLUTION
    size = np.sqrt((z * z).sum(axis=0))
    u = z / np.where(size == 0, 1, size)
    length = np.maximum(size + b, 0)
    h = length * u
    return h
    # END SOLUTION


# graded ----------------------------------------------------------------------------------------------------------


def leaky_phases_backward(dy, z, nu, theta):
    """The gradient of `leaky_phases`.

    dy (2, B, n) is the gradient of y; z, nu and theta are what the forward pass was given.
    Returns dz (2, B, n), dnu (n,), dtheta (n,), the last two summed over the batch.
    """
    # BEGIN SOLUTION
    y = leaky_phases(z, nu, theta)
    y_re, y_im = y
    dy_re, dy_im = dy
    dz = leaky_phases(dy, nu, -theta)
    dnu = -np.exp(nu) * (dy * y).sum(axis=(0, 1))
    dtheta = (dy_im * y_re - dy_re * y_im).sum(axis=0)
    return dz, dnu, dtheta
    # END SOLUTION


def turnstile(z, v, phi):
    """R = 1 - (1 - e^{i phi}) v v* / ||v||^2: turns the part of z along v by phi and leaves the rest alone.

    z (2, B, n), v (2, n), phi a number -> y (2, B, n), y = R z for each sequence.
    """
    # BEGIN SOLUTION
    z, v = as_complex(z), as_complex(v)
    s = z @ v.conj() / (abs(v) ** 2).sum()
    kappa = 1 - np.exp(1j * phi)
    y = z - kappa * np.outer(s, v)
    return as_pair(y)
    # END SOLUTION


def turnstile_backward(dy, z, v, phi):
    """The gradient of `turnstile`.

    dy (2, B, n) is the gradient of y; z, v and phi are what the forward pass was given.
    Returns dz (2, B, n), dv (2, n), dphi a number.
    """
    # BEGIN SOLUTION
    dy, z, v = as_complex(dy), as_complex(z), as_complex(v)
    square = (abs(v) ** 2).sum()
    s = z @ v.conj() / square
    c = dy @ v.conj() / square
    kappa = 1 - np.exp(1j * phi)
    dz = dy - kappa.conj() * np.outer(c, v)
    dv_outside = -(kappa * s).conj() @ dy
    dv_inside = -(kappa * c.conj()) @ z
    dv_square = 2 * (kappa * c.conj() * s).sum().real * v
    dv = dv_outside + dv_inside + dv_square
    dphi = (1j * np.exp(1j * phi) * c.conj() * s).sum().real * square
    return as_pair(dz), as_pair(dv), dphi
    # END SOLUTION


def shuffle(z, perm):
    """S = H P: permute, then transform. (P z)_j = z_perm[j]; H the orthonormal Hartley transform, in O(n log n).

    (H x)_k = sum_j (cos(2 pi jk / n) + sin(2 pi jk / n)) x_j / sqrt(n), of the real and the imaginary parts apart.
    z (2, B, n), perm (n,) integers -> y (2, B, n).
    """
    # BEGIN SOLUTION
    permuted = z[..., perm]
    spectrum = np.fft.fft(permuted, norm="ortho")
    return spectrum.real - spectrum.imag
    # END SOLUTION


def shuffle_backward(dy, perm):
    """The gradient of `shuffle`, which is also its inverse: P^T H. dy (2, B, n), perm (n,) -> dz (2, B, n)."""
    # BEGIN SOLUTION
    spectrum = np.fft.fft(dy, norm="ortho")
    dpermuted = spectrum.real - spectrum.imag
    dz = np.empty_like(dpermuted)
    dz[..., perm] = dpermuted
    return dz
    # END SOLUTION


def modtanh_backward(dh, z, b):
    """The gradient of `modtanh`. Where z = 0, b is below 0, so that the unit is off.

    dh (2, B, n) is the gradient of h; z (2, B, n) and b (n,) are what the forward pass was given.
    Returns dz (2, B, n), db (n,), the latter summed over the batch.
    """
    # BEGIN SOLUTION
    size = np.sqrt((z * z).sum(axis=0))
    safe = np.where(size == 0, 1, size)
    u = z / safe
    shifted = size + b
    length = np.tanh(np.maximum(shifted, 0))
    dlength = (u * dh).sum(axis=0)
    dshifted = dlength * (1 - length**2) * (shifted > 0)
    across = dh - u * dlength
    dz = u * dshifted + across * length / safe
    db = dshifted.sum(axis=0)
    return dz, db
    # END SOLUTION


def step(x, h_prev, p):
    """One step of the network: h = modtanh(W h_prev + x V, b) with W = S^-1 D_2 R S D_1, in O(n log n).

    x (B, m) real; h_prev (2, B, n); p, the parameters by name: V (2, m, n), b, nu_1, theta_1, nu_2, theta_2 (n,),
    v (2, n), phi a number, perm (n,). Returns all that comes on the way, by name, each (2, B, n):
    y1 = D_1 h_prev, y2 = S y1, y3 = R y2, y4 = D_2 y3, y5 = S^-1 y4, z = y5 + x V, h.
    """
    # BEGIN SOLUTION
    y1 = leaky_phases(h_prev, p["nu_1"], p["theta_1"])
    y2 = shuffle(y1, p["perm"])
    y3 = turnstile(y2, p["v"], p["phi"])
    y4 = leaky_phases(y3, p["nu_2"], p["theta_2"])
    y5 = shuffle_backward(y4, p["perm"])
    z = y5 + x @ p["V"]
    h = modtanh(z, p["b"])
    return {"y1": y1, "y2": y2, "y3": y3, "y4": y4, "y5": y5, "z": z, "h": h}
    # END SOLUTION


def step_backward(dh, kept, p):
    """The gradient of `step`.

    dh (2, B, n); kept: x, h_prev and what `step` returned, by name; p, the parameters by name. Returns the gradients
    by name: dx (B, m), dh_prev (2, B, n), and as their parameters dV, db, dnu_1, dtheta_1, dnu_2, dtheta_2, dv, dphi.
    """
    # BEGIN SOLUTION
    dz, db = modtanh_backward(dh, kept["z"], p["b"])
    dx = dz[0] @ p["V"][0].T + dz[1] @ p["V"][1].T
    dV = kept["x"].T @ dz
    dy4 = shuffle(dz, p["perm"])
    dy3, dnu_2, dtheta_2 = leaky_phases_backward(dy4, kept["y3"], p["nu_2"], p["theta_2"])
    dy2, dv, dphi = turnstile_backward(dy3, kept["y2"], p["v"], p["phi"])
    dy1 = shuffle_backward(dy2, p["perm"])
    dh_prev, dnu_1, dtheta_1 = leaky_phases_backward(dy1, kept["h_prev"], p["nu_1"], p["theta_1"])
    return {
        "dx": dx,
        "dh_prev": dh_prev,
        "dV": dV,
        "db": db,
        "dnu_1": dnu_1,
        "dtheta_1": dtheta_1,
        "dnu_2": dnu_2,
        "dtheta_2": dtheta_2,
        "dv": dv,
        "dphi": dphi,
    }
    # END SOLUTION
