"""The efficient unitary RNN: layers of plane rotations, as many as one can afford."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.cells.parts.blocks import phase_weights, phases, phases_backward
from tinyrnn.cells.parts.products import (
    pairs_of_layers,
    rotation_weights,
    rotations,
    rotations_backward,
    rotations_gradient,
)
from tinyrnn.cells.unitary import modrelu, modrelu_backward, modrelu_bias_gradient, modrelu_inverse
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward
from tinyrnn.init.distributions import glorot_uniform, unit_state


class EURNN(Cell):
    """Efficient unitary RNN, EURNN (Jing et al. 2017).

        W = D R_L ... R_1                           D = diag(e^{i omega})
        z_t = W h_{t-1} + V x_t
        h_t = modReLU(z_t) = (|z| + b) z / |z|  where |z| + b > 0, else 0

    A layer R rotates the units in pairs (j, k), each by its own theta, after one of them was turned by its own phi:

        y_j = cos theta e^{i phi} z_j - sin theta z_k         y_k = sin theta e^{i phi} z_j + cos theta z_k

    With e^{i phi} on y_j instead, D would do the last layer's work again, and with L = n layers W could move in n^2 - n
    + 1 directions only, not in all n^2; the source's code, too, has the phase before the rotation.

    pairing: "tunable" (default), `capacity` L layers (2 by default, as in the source's code) of neighbours, in turn (0,
    1)(2, 3)... and (1, 2)(3, 4)...: with L = n, W can be any unitary matrix. "fft": log2 n layers, of units n/2 apart,
    then n/4, ... 1. Each takes O(n) time. A unit that a layer finds no partner for goes through it as it is: at an end
    of the row, and in "fft" where n is no power of two.

    Complex vectors are real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`): h (T, B, 2n) for `hidden_size` n
    complex units.

    Parameters: theta and phi (number of pairs,), the first layer's first, and omega (n,), all uniform in [-pi, pi]; V
    (input_size, 2n), Glorot-uniform; b (n,), zero; and h_0 (2n,), the initial state, learned by default, of unit
    expected norm.

    Good for: long memories in many units at O(n L) a step, with L to choose between speed and capacity.
    """

    names = {"eurnn": {}, "eurnn-fft": {"pairing": "fft"}}

    def __init__(self, input_size, hidden_size, *, capacity=2, pairing="tunable", learn_state=True, **options):
        if pairing not in ("tunable", "fft"):
            raise ValueError(f'EURNN: pairing must be "tunable" or "fft", got {pairing!r}')
        if not isinstance(capacity, int | np.integer) or capacity < 1:
            raise ValueError(f"EURNN: capacity must be a positive number of layers, got {capacity!r}")
        self.capacity, self.pairing = int(capacity), pairing
        super().__init__(input_size, hidden_size, learn_state=learn_state, **options)

    @property
    def state_sizes(self):
        return (2 * self.hidden_size,)

    def init(self, rng):
        n = self.hidden_size
        count = sum(len(first) for first, _ in pairs_of_layers(n, self.pairing, self.capacity))
        params = {name: rng.uniform(-np.pi, np.pi, count) for name in ("theta", "phi")}
        params |= {"omega": rng.uniform(-np.pi, np.pi, n)}
        params |= {"V": glorot_uniform((self.input_size, 2 * n), rng=rng), "b": np.zeros(n)}
        return params | ({"h_0": unit_state(n, rng=rng)} if self.learn_state else {})

    def derive(self, p):
        layers = pairs_of_layers(self.hidden_size, self.pairing, self.capacity)
        return Params(p, D=phase_weights(p.omega), **rotation_weights(p.theta, p.phi, layers, self.hidden_size))

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        y = rotations(h_prev, p)
        z = phases(y, p.D) + a
        h, u, gain = modrelu(z, p.b)
        return (h,), {"u": u, "gain": gain}

    def step_backward(self, p, dh, *, u, gain):
        dz, _ = modrelu_backward(dh, u, gain)
        dy = phases_backward(dz, p.D)
        dh_prev = rotations_backward(dy, p)
        return (dz, dh_prev), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, u):
        dz, dh_prev = da
        dx, dV, _ = affine_backward(x, p.V, dz)
        dtheta, dphi, domega = rotations_gradient(h_prev, dh_prev, p)
        db = modrelu_bias_gradient(u, dz)
        return dx, {"theta": dtheta, "phi": dphi, "omega": domega, "V": dV, "b": db}

    def step_inverse(self, p, a, h):
        """Each block's backward pass is its inverse. A unit with h = 0 is taken to have had z = 0."""
        z = modrelu_inverse(h, p.b)
        y = phases_backward(z - a, p.D)
        h_prev = rotations_backward(y, p)
        return (h_prev,)

    def equations(self, lib, p, x, h):
        n, z, count = self.hidden_size, eq.as_complex(h), 0
        distances = [1] * self.capacity if self.pairing == "tunable" else [d for d in (16, 8, 4, 2, 1) if d < n]
        for layer, d in enumerate(distances):
            if self.pairing == "tunable":
                pairs = [(j, j + 1) for j in range(layer % 2, n - 1, 2)]
            else:
                pairs = [(j, j + d) for j in range(n - d) if j // d % 2 == 0]
            units = [z[..., j] for j in range(n)]
            for j, k in pairs:
                c, s, turn = lib.cos(p.theta[count]), lib.sin(p.theta[count]), lib.exp(1j * p.phi[count])
                units[j], units[k] = c * turn * z[..., j] - s * z[..., k], s * turn * z[..., j] + c * z[..., k]
                count += 1
            z = lib.stack(units, -1)
        return eq.modrelu(lib, p, z * lib.exp(1j * p.omega) + eq.as_complex(x @ p.V))
