"""The unitary evolution RNN."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.cells.parts.blocks import (
    fourier,
    fourier_backward,
    inverse_fourier,
    inverse_fourier_backward,
    pairs,
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
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, astype, positive, real, reshape, split, sum_over_time
from tinyrnn.init.distributions import glorot_uniform, unit_state


class UnitaryRNN(Cell):
    """Unitary evolution RNN, uRNN (Arjovsky, Shah & Bengio 2015).

        W = D_3 R_2 F^-1 D_2 Pi R_1 F D_1           a unitary matrix, in O(n log n) time and O(n) memory
        z_t = W h_{t-1} + V x_t
        h_t = modReLU(z_t) = (|z| + b) z / |z|  where |z| + b > 0, else 0

    activation: "modrelu" (default), or "relu" on the two parts by themselves, relu(Re z + b_re) + i relu(Im z + b_im),
    which the source tried and found poor: it changes phases.

    Complex vectors are real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`), so `hidden_size` n complex units are an
    output of 2n real numbers: h (T, B, 2n). modReLU is 0 at z = 0.

    Parameters: theta_1, theta_2, theta_3 (n,), phases of D, uniform in [-pi, pi]; v_1, v_2 (2n,), reflections, uniform
    in [-1, 1] (their scale does not matter); V (input_size, 2n), Glorot-uniform; b, zero, (n,) for modReLU, (2n,) for
    ReLU; and h_0 (2n,), the initial state, learned by default, of unit expected norm. The permutation is drawn once and
    fixed (`constants`).

    Good for: remembering over hundreds of steps with few parameters, by modReLU: the copy task, long rows of pixels.
    """

    names = {"urnn": {}, "urnn-relu": {"activation": "relu"}}
    family = "urnn"

    def __init__(self, input_size, hidden_size, *, activation="modrelu", learn_state=True, rng=None, **options):
        if activation not in ("modrelu", "relu"):
            raise ValueError(f"unknown activation {activation!r}; choose from modrelu, relu")
        self.activation, self.modrelu = activation, activation == "modrelu"
        rng = np.random.default_rng(rng)
        super().__init__(input_size, hidden_size, learn_state=learn_state, rng=rng, **options)
        self.constants["permutation"] = rng.permutation(self.hidden_size)

    @property
    def state_sizes(self):
        return (2 * self.hidden_size,)

    def init(self, rng):
        n = self.hidden_size
        params = {f"theta_{k}": rng.uniform(-np.pi, np.pi, n) for k in (1, 2, 3)}
        params |= {f"v_{k}": rng.uniform(-1, 1, 2 * n) for k in (1, 2)}
        params |= {"V": glorot_uniform((self.input_size, 2 * n), rng=rng), "b": np.zeros(n if self.modrelu else 2 * n)}
        return params | ({"h_0": unit_state(n, rng=rng)} if self.learn_state else {})

    def derive(self, p):
        xp = xp_of(p.b)
        order = self.constants["permutation"]
        both_halves = xp.concat([order, order + self.hidden_size])
        return Params(
            p,
            D_1=phase_weights(p.theta_1),
            D_2=phase_weights(p.theta_2),
            D_3=phase_weights(p.theta_3),
            R_1=reflection_weights(p.v_1),
            R_2=reflection_weights(p.v_2),
            perm=both_halves,
            perm_inverse=xp.argsort(both_halves),
        )

    def derive_backward(self, p, dparams):
        dparams["v_1"] = reflection_weights_backward(p.v_1, dparams.pop("R_1"))
        dparams["v_2"] = reflection_weights_backward(p.v_2, dparams.pop("R_2"))
        return dparams

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        y1 = phases(h_prev, p.D_1)
        y2 = fourier(y1)
        y3 = reflection(y2, p.R_1)
        y4 = permutation(y3, p.perm)
        y5 = phases(y4, p.D_2)
        y6 = inverse_fourier(y5)
        y7 = reflection(y6, p.R_2)
        y8 = phases(y7, p.D_3)
        z = y8 + a
        h, u, gain = modrelu(z, p.b) if self.modrelu else split_relu(z, p.b)
        return (h,), {"y2": y2, "y4": y4, "y6": y6, "y7": y7, "u": u, "gain": gain}

    def step_backward(self, p, dh, *, u, gain):
        dz, dshifted = modrelu_backward(dh, u, gain) if self.modrelu else split_relu_backward(dh, u, gain)
        dy8 = dz
        dy7 = phases_backward(dy8, p.D_3)
        dy6 = reflection_backward(dy7, p.R_2)
        dy5 = inverse_fourier_backward(dy6)
        dy4 = phases_backward(dy5, p.D_2)
        dy3 = permutation_backward(dy4, p.perm_inverse)
        dy2 = reflection_backward(dy3, p.R_1)
        dy1 = fourier_backward(dy2)
        dh_prev = phases_backward(dy1, p.D_1)
        return (dz, dshifted, dy7, dy4, dy3, dh_prev), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, y2, y4, y6, y7):
        dz, dshifted, dy7, dy4, dy3, dh_prev = da
        dx, dV, _ = affine_backward(x, p.V, dz)
        return dx, {
            "theta_1": phases_gradient(h_prev, dh_prev),
            "theta_2": phases_gradient(y4, dy4),
            "theta_3": phases_gradient(y7, dy7),
            "R_1": reflection_gradient(y2, dy3, p.R_1),
            "R_2": reflection_gradient(y6, dy7, p.R_2),
            "V": dV,
            "b": sum_over_time(dshifted),
        }

    def step_inverse(self, p, a, h):
        """Each block's backward pass is its inverse. What is off is taken to have had z = 0; with ReLU, z + b = 0."""
        z = modrelu_inverse(h, p.b) if self.modrelu else split_relu_inverse(h, p.b)
        y8 = z - a
        y7 = phases_backward(y8, p.D_3)
        y6 = reflection_backward(y7, p.R_2)
        y5 = inverse_fourier_backward(y6)
        y4 = phases_backward(y5, p.D_2)
        y3 = permutation_backward(y4, p.perm_inverse)
        y2 = reflection_backward(y3, p.R_1)
        y1 = fourier_backward(y2)
        h_prev = phases_backward(y1, p.D_1)
        return (h_prev,)

    def equations(self, lib, p, x, h):
        def rotate(z, theta):
            return z * lib.exp(1j * theta)

        def reflect(z, v):
            v = eq.as_complex(v)
            return z - 2 * (z @ v.conj())[..., None] * v / (v * v.conj()).sum()

        z = eq.as_complex(h)
        z = reflect(lib.fft.fft(rotate(z, p.theta_1), norm="ortho"), p.v_1)
        z = rotate(z[..., self.constants["permutation"].tolist()], p.theta_2)
        z = rotate(reflect(lib.fft.ifft(z, norm="ortho"), p.v_2), p.theta_3)
        z = z + eq.as_complex(x @ p.V)
        return eq.modrelu(lib, p, z) if self.modrelu else eq.split_relu(lib, p, z)


def modrelu(z, b):
    """h = (|z| + b) u where |z| + b > 0, else 0, with the direction u = z / |z| (0 at z = 0).

    z (..., 2n), b (n,). Returns h and u (..., 2n), and the gain |h| / |z| (..., n).
    """
    xp = xp_of(z)
    re, im = split(z, 2)
    size = xp.sqrt(re * re + im * im)
    zero = astype(real(size) == 0, z.dtype)
    safe = size + zero  # where z = 0, any divisor will do
    u = reshape(pairs(z) / safe[..., None, :], *z.shape)
    shifted = size + b
    length = shifted * positive(shifted) * (1 - zero)
    h = reshape(pairs(u) * length[..., None, :], *z.shape)
    gain = length / safe
    return h, u, gain


def modrelu_backward(dh, u, gain):
    """The part of dh along u passes unchanged, the part across it is scaled by the gain; nothing passes where h = 0.

    Returns dz (..., 2n) and dshifted (..., n), the part along u, which is the gradient of |z| + b.
    """
    dlength = sum(split(u * dh, 2))
    dshifted = dlength * positive(gain)
    dz = pairs(dh) * gain[..., None, :] + pairs(u) * (dshifted - gain * dshifted)[..., None, :]
    return reshape(dz, *dh.shape), dshifted


def modrelu_bias_gradient(u, dz):
    """db (n,), summed over all leading axes, from the gradient dz before modReLU: its part along u, that of |z|."""
    dsize = sum(split(u * dz, 2))
    return sum_over_time(dsize)


def modrelu_inverse(h, b):
    """z = (|h| - b) h / |h|, the only z with modReLU(z) = h where h != 0. Where h = 0 there are many, and 0 is one."""
    xp = xp_of(h)
    re, im = split(h, 2)
    length = xp.sqrt(re * re + im * im)
    size = xp.maximum(length - b, 0)  # below 0 only by rounding
    scale = size / xp.where(length == 0, 1, length)
    return reshape(pairs(h) * scale[..., None, :], *h.shape)


def split_relu(z, b):
    """h = relu(z + b) on real and imaginary parts alike. z (..., 2n), b (2n,).

    Returns h (..., 2n) and, as u and as gain, which parts it passes: (..., 2n), 1 or 0.
    """
    shifted = z + b
    passed = positive(shifted)
    return shifted * passed, passed, passed


def split_relu_backward(dh, u, gain):
    """dz (..., 2n), and the same as the gradient of z + b."""
    dz = dh * gain
    return dz, dz


def split_relu_inverse(h, b):
    """z = h - b, the only z with relu(z + b) = h where h > 0."""
    return h - b
