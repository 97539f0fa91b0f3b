"""Large complex matrices as products of small ones, on real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`).

    R_L ... R_1         layers of rotations, each of pairs of units (Jing et al. 2017)      O(n L) time
    W_1 (x) ... (x) W_F   Kronecker products of tiny matrices (Jose, Cisse & Fleuret 2018)    O(n log n) time

Like the blocks there, each is a function forward and one backward, whose weights are derived once a sequence.
"""

import numpy as np

from tinyrnn.cells.parts.blocks import (
    complex_matrix,
    complex_matrix_backward,
    pairs,
    phase_weights,
    phases,
    phases_backward,
    phases_gradient,
)
from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import join, reshape, split, sum_over_time, weight_gradient

# layers of rotations -------------------------------------------------------------------------------------------------


def pairs_of_layers(n, pairing, capacity):
    """[(j, k)] for each layer, from the first that h meets: arrays of the pairs' first and second units."""
    units = np.arange(n)
    if pairing == "tunable":
        firsts = [units[k % 2 : n - 1 : 2] for k in range(capacity)]
        return [(first, first + 1) for first in firsts]
    distances = [2**k for k in reversed(range((n - 1).bit_length()))]
    firsts = [units[(units & d == 0) & (units + d < n)] for d in distances]
    return [(first, first + d) for first, d in zip(firsts, distances, strict=True)]


def rotation_weights(theta, phi, layers, n):
    """What the functions below read: for each layer, of all units, cos and +-sin of theta (L, 2n), partner (L, 2n) and
    phases E (2, 2, L, n); and where pair number k's units are in rows of n, first and second (number of pairs,)."""
    xp = xp_of(theta)
    first, second = (np.concatenate([[], *(n * k + pair[i] for k, pair in enumerate(layers))]) for i in (0, 1))
    alone = np.setdiff1d(np.arange(n * len(layers)), [*first, *second])
    order = np.concatenate([first, second, alone]).argsort()
    partner = np.concatenate([second, first, alone])[order].astype(int).reshape(-1, n) % n

    def spread(*values):
        return reshape(xp.take(xp.concat(values), xp.asarray(order)), -1, n)

    none, nothing = xp.zeros(len(alone), dtype=theta.dtype), xp.zeros_like(theta)
    cos, sin = xp.cos(theta), xp.sin(theta)
    return {
        "cos": xp.tile(spread(cos, cos, none + 1), (1, 2)),
        "sin": xp.tile(spread(-sin, sin, none), (1, 2)),
        "partner": xp.asarray(np.concatenate([partner, partner + n], axis=1)),
        "E": phase_weights(spread(phi, nothing, none)),
        "first": xp.asarray(first.astype(int)),
        "second": xp.asarray(second.astype(int)),
    }


def rotations(z, p):
    """R_L ... R_1 z, of z (..., 2n)."""
    for k in range(p.cos.shape[0]):
        z = phases(z, p.E[:, :, k, :])
        z = p.cos[k, :] * z + p.sin[k, :] * xp_of(z).take(z, p.partner[k, :], axis=-1)
    return z


def rotations_backward(dy, p):
    """The layers undone from the last to the first: the two units of a pair have opposite signs of sin."""
    for k in reversed(range(p.cos.shape[0])):
        dy = p.cos[k, :] * dy - p.sin[k, :] * xp_of(dy).take(dy, p.partner[k, :], axis=-1)
        dy = phases_backward(dy, p.E[:, :, k, :])
    return dy


def rotations_gradient(h_prev, dh_prev, p):
    """dtheta, dphi and domega, from what goes into the layers: a gradient goes through unitary layers as a state does,
    so that both can be followed from there, and nothing within a step need be kept."""
    xp = xp_of(h_prev)
    both = xp.stack([h_prev, dh_prev])
    moments = turns = [xp.zeros(0, dtype=h_prev.dtype)]
    for k in range(p.cos.shape[0]):
        turns = [*turns, phases_gradient(both[0, ...], both[1, ...])]
        both = phases(both, p.E[:, :, k, :])
        both = p.cos[k, :] * both + p.sin[k, :] * xp.take(both, p.partner[k, :], axis=-1)
        z, dz = both[0, ...], both[1, ...]
        across = z * xp.take(dz, p.partner[k, :], axis=-1)
        moments = [*moments, sum_over_time(pairs(across))]
    moment, turn = xp.concat(moments), xp.concat(turns)
    dtheta = xp.take(moment, p.first) - xp.take(moment, p.second)
    return dtheta, xp.take(turn, p.first), phases_gradient(both[0, ...], both[1, ...])


# Kronecker products --------------------------------------------------------------------------------------------------


def prime_factors(n):
    """Of a positive int, ascending; [1] for 1."""
    factors, q = [], 2
    while n > 1:
        while n % q == 0:
            factors.append(q)
            n //= q
        q += 1
    return factors or [1]


def matrices(M, sizes):
    """The factors' real matrices (2q, 2q), out of one row M that holds them all, q from `sizes`."""
    ends = np.cumsum([4 * q * q for q in sizes])
    return [reshape(M[end - 4 * q * q : end], 2 * q, 2 * q) for q, end in zip(sizes, ends, strict=True)]


def complex_rows(W, sizes):
    """The factors (q, 2q), complex rows [Re; Im], out of one row W that holds them all."""
    ends = np.cumsum([2 * q * q for q in sizes])
    return [reshape(W[end - 2 * q * q : end], q, 2 * q) for q, end in zip(sizes, ends, strict=True)]


def kronecker_weights(W, sizes):
    """The real matrices of the complex factors W (`blocks.complex_matrix` of each), in one row as well."""
    return xp_of(W).concat([reshape(complex_matrix(factor), -1) for factor in complex_rows(W, sizes)])


def kronecker_weights_backward(dM, sizes):
    """The gradient of W, from those of the factors' real matrices."""
    return xp_of(dM).concat([reshape(complex_matrix_backward(each), -1) for each in matrices(dM, sizes)])


def kronecker(z, M, sizes):
    """z (W_1 (x) ... (x) W_F), of z (..., 2n), n the product of the `sizes`; M from `kronecker_weights`.

    Number the units by F digits, as in a positional system: each factor acts on one digit.
    """
    for factor in reversed(matrices(M, sizes)):
        z = on_last_digit(z, factor)
    return z


def kronecker_backward(dy, M, sizes):
    """The transpose of a Kronecker product is that of its factors' transposes."""
    for factor in reversed(matrices(M, sizes)):
        dy = on_last_digit(dy, factor.T)
    return dy


def on_last_digit(z, M):
    """z (..., 2n), the last digit of its units' numbers acted on by M (2q, 2q), which then becomes the first: after one
    factor for each digit, all are in their places again."""
    q = M.shape[0] // 2
    if z.shape[-1] == 2 * q:
        return z @ M
    parts = [part[..., k::q] for part in split(z, 2) for k in range(q)]
    return join(*[sum(part * M[i, j] for i, part in enumerate(parts)) for j in range(2 * q)])


def kronecker_gradient(z, dy, M, sizes):
    """dM, like M, summed over all leading axes; z before the product, dy after it."""
    xp, before, gradients, n = xp_of(z), [z], [], z.shape[-1] // 2
    factors = matrices(M, sizes)
    for factor in reversed(factors[1:]):
        before.append(on_last_digit(before[-1], factor))
    for q, factor, z in zip(sizes, factors, reversed(before), strict=True):
        rows = reshape(xp.permute_dims(reshape(z, -1, 2, n // q, q), (0, 2, 1, 3)), -1, n // q, 2 * q)
        drows = xp.permute_dims(reshape(dy, -1, 2 * q, n // q), (0, 2, 1))
        gradients.append(reshape(weight_gradient(rows, drows), -1))
        dy = xp.permute_dims(reshape(drows @ factor.T, -1, n // q, 2, q), (0, 2, 1, 3))
        dy = reshape(dy, -1, 2 * n)
    return xp.concat(gradients)
