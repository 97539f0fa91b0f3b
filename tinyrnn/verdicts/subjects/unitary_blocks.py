"""The unitary blocks, each alone: a forward pass from its own weights, and a backward pass back to them."""

from tinyrnn.cells.parts.blocks import (
    fourier,
    fourier_backward,
    inverse_fourier,
    inverse_fourier_backward,
    permutation,
    permutation_backward,
    phase_weights,
    phases,
    phases_backward,
    phases_gradient,
    reflection,
    reflection_backward,
    reflection_gradient,
    reflection_weights,
    reflection_weights_backward,
)
from tinyrnn.cells.unitary import modrelu, modrelu_backward


def turn(z, theta):
    """(y, cache): each entry of z (..., 2n) rotated by its phase."""
    E = phase_weights(theta)
    y = phases(z, E)
    return y, (z, E)


def turn_backward(dy, cache):
    """{"z": dz, "theta": dtheta}, shaped as z and theta."""
    z, E = cache
    dz = phases_backward(dy, E)
    dtheta = phases_gradient(z, dz)
    return {"z": dz, "theta": dtheta}


def reflect(z, v):
    """(y, cache): z (..., 2n) reflected in the hyperplane orthogonal to v."""
    Q = reflection_weights(v)
    y = reflection(z, Q)
    return y, (z, v, Q)


def reflect_backward(dy, cache):
    """{"z": dz, "v": dv}, shaped as z and v."""
    z, v, Q = cache
    dz = reflection_backward(dy, Q)
    dQ = reflection_gradient(z, dy, Q)
    dv = reflection_weights_backward(v, dQ)
    return {"z": dz, "v": dv}


def permute(z, perm):
    """(y, cache): y_j = z_{perm[j]} along the last axis, perm integers."""
    y = permutation(z, perm)
    return y, perm


def permute_backward(dy, cache):
    """{"z": dz}: the entries of dy back in the order of z."""
    perm_inverse = cache.argsort()
    dz = permutation_backward(dy, perm_inverse)
    return {"z": dz}


def transform(z):
    """(y, None): the unitary Fourier transform of z (..., 2n)."""
    y = fourier(z)
    return y, None


def transform_backward(dy, cache):
    """{"z": dz}, shaped as z; cache is None."""
    dz = fourier_backward(dy)
    return {"z": dz}


def transform_back(z):
    """(y, None): the inverse Fourier transform of z (..., 2n)."""
    y = inverse_fourier(z)
    return y, None


def transform_back_backward(dy, cache):
    """{"z": dz}, shaped as z; cache is None."""
    dz = inverse_fourier_backward(dy)
    return {"z": dz}


def rectify(z, b):
    """(h, cache): modReLU of z (T, B, 2n) with biases b (n,)."""
    h, u, gain = modrelu(z, b)
    return h, (u, gain)


def rectify_backward(dh, cache):
    """{"z": dz, "b": db}: shapes (T, B, 2n) and (n,)."""
    u, gain = cache
    dz, dshifted = modrelu_backward(dh, u, gain)
    db = dshifted.sum(axis=(0, 1))
    return {"z": dz, "b": db}
