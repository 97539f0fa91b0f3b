"""The AntisymmetricRNN: a stable ordinary differential equation, followed in small steps."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, split, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class Antisymmetric(Cell):
    """AntisymmetricRNN (Chang, Chen, Haber & Chi 2019, eq. 12).

        M = W - W^T - gamma 1
        h_t = h_{t-1} + epsilon tanh(h_{t-1} M + x_t V + b)

    M's eigenvalues have the real part -gamma: with gamma near zero, the state neither grows nor fades.

    epsilon: step size, gamma: diffusion (both 0.01 by default; the source tunes them for each task).

    Shapes: x (T, B, input_size); h (T, B, hidden_size); V (input_size, hidden_size), Glorot-uniform; W (hidden_size,
    hidden_size), N(0, 1/hidden_size); b (hidden_size,), zero. Only W's antisymmetric part matters.

    Good for: long sequences with a network that looks like an Elman network and neither explodes nor forgets.
    """

    names = {"antisymmetric": {}}

    def __init__(self, input_size, hidden_size, *, epsilon=0.01, gamma=0.01, **options):
        self.epsilon, self.gamma = epsilon, gamma
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {"V": glorot_uniform((n, H), rng=rng), "W": rng.normal(0, H**-0.5, (H, H)), "b": np.zeros(H)}

    def derive(self, p):
        return Params(p, M=p.W - p.W.T - self.gamma * xp_of(p.W).eye(self.hidden_size, dtype=p.W.dtype))

    def derive_backward(self, p, dparams):
        dM = dparams.pop("M")
        return {**dparams, "W": dM - dM.T}

    def project(self, p, x):
        return affine(x, p.V, p.b)

    def step(self, p, a, h_prev):
        g = tanh(a + h_prev @ p.M)
        h = h_prev + self.epsilon * g
        return (h,), {"g": g}

    def step_backward(self, p, dh, *, g):
        dg = self.epsilon * dh
        da = dg * (1 - g * g)
        dh_prev = dh + da @ p.M.T
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev):
        dx, dV, db = affine_backward(x, p.V, da)
        return dx, {"V": dV, "M": weight_gradient(h_prev, da), "b": db}

    def equations(self, lib, p, x, h):
        return (h + self.epsilon * lib.tanh(h @ p.W - h @ p.W.T - self.gamma * h + x @ p.V + p.b),)


class GatedAntisymmetric(Antisymmetric):
    """AntisymmetricRNN with an input gate that shares M (Chang, Chen, Haber & Chi 2019, eq. 13).

        u_t = h_{t-1} M
        z = sigmoid(u_t + x_t V_z + b_z)        g = tanh(u_t + x_t V_g + b_g)
        h_t = h_{t-1} + epsilon z * g

    Shapes as in `Antisymmetric`, but V (input_size, 2 hidden_size) and b (2 hidden_size,), blocks z and g.

    Good for: the same, where the input should decide how fast the state moves.
    """

    names = {"antisymmetric-gated": {}}
    gates = ("z", "g")

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        V = np.concatenate([glorot_uniform((n, H), rng=rng) for _ in self.gates], axis=1)
        return {**super().init(rng), "V": V, "b": np.zeros(2 * H)}

    def step(self, p, a, h_prev):
        a_z, a_g = split(a, 2)
        u = h_prev @ p.M
        z = sigmoid(u + a_z)
        g = tanh(u + a_g)
        h = h_prev + self.epsilon * z * g
        return (h,), {"z": z, "g": g}

    def step_backward(self, p, dh, *, z, g):
        dz = self.epsilon * dh * g
        dg = self.epsilon * dh * z
        da_z = dz * z * (1 - z)
        da_g = dg * (1 - g * g)
        du = da_z + da_g
        dh_prev = dh + du @ p.M.T
        da = join(da_z, da_g)
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev):
        dx, dV, db = affine_backward(x, p.V, da)
        du = sum(split(da, 2))
        return dx, {"V": dV, "M": weight_gradient(h_prev, du), "b": db}

    def equations(self, lib, p, x, h):
        u = h @ p.W - h @ p.W.T - self.gamma * h
        z = eq.sigmoid(lib, u + x @ eq.block(p.V, 0, 2) + eq.block(p.b, 0, 2))
        return (h + self.epsilon * z * lib.tanh(u + x @ eq.block(p.V, 1, 2) + eq.block(p.b, 1, 2)),)
