"""The gated recurrent unit, reset before the product (the form of its first paper)."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, split, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class ChoGRU(Cell):
    """Gated recurrent unit, reset before the product (Cho et al. 2014, eqs. 5-8).

        a_t = x_t W_x + b
        r = sigmoid(a_r + h_{t-1} W_r)      z = sigmoid(a_z + h_{t-1} W_z)
        q = r * h_{t-1}
        n = tanh(a_n + q W_n)
        h_t = (1 - z) * n + z * h_{t-1}

    `GRU` resets after the product, as PyTorch does; the two are different functions of the same weights.

    Shapes, blocks r, z, n side by side along the last axis: x (T, B, input_size); h (T, B, hidden_size);
    W_x (input_size, 3 hidden_size); W_rz (hidden_size, 2 hidden_size); W_n (hidden_size, hidden_size);
    b (3 hidden_size,).

    Good for: the papers that use this form; and the lesson that where a gate stands makes another function.
    """

    names = {"gru-cho": {}}
    family = "gru-cho"
    inputs_on_paper = 1
    gates = ("r", "z", "n")
    recurrent = ("W_rz", "W_n")

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {
            "W_x": np.concatenate([glorot_uniform((n, H), rng=rng) for _ in self.gates], axis=1),
            "W_rz": np.concatenate([glorot_uniform((H, H), rng=rng) for _ in "rz"], axis=1),
            "W_n": glorot_uniform((H, H), rng=rng),
            "b": np.zeros(3 * H),
        }

    @staticmethod
    def params_of_blocks(W_x, W_h, b):
        W_rz = np.concatenate(W_h[:2], axis=1)
        return {"W_x": np.concatenate(W_x, axis=1), "W_rz": W_rz, "W_n": W_h[2], "b": np.concatenate(b)}

    def project(self, p, x):
        return affine(x, p.W_x, p.b)

    def step(self, p, a, h_prev):
        a_r, a_z, a_n = split(a, 3)
        u = h_prev @ p.W_rz
        u_r, u_z = split(u, 2)
        r = sigmoid(a_r + u_r)
        z = sigmoid(a_z + u_z)
        q = r * h_prev
        n = tanh(a_n + q @ p.W_n)
        h = (1 - z) * n + z * h_prev
        return (h,), {"r": r, "z": z, "q": q, "n": n}

    def step_backward(self, p, dh, *, r, z, n, h_prev):
        dn = dh * (1 - z)
        dz = dh * (h_prev - n)
        da_n = dn * (1 - n * n)
        dq = da_n @ p.W_n.T
        dr = dq * h_prev
        da_z = dz * z * (1 - z)
        da_r = dr * r * (1 - r)
        du = join(da_r, da_z)
        dh_prev = dh * z + dq * r + du @ p.W_rz.T
        da = join(du, da_n)
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, q):
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        du, da_n = da[..., : 2 * self.hidden_size], da[..., 2 * self.hidden_size :]
        return dx, {
            "W_x": dW_x,
            "W_rz": weight_gradient(h_prev, du),
            "W_n": weight_gradient(q, da_n),
            "b": db,
        }

    def equations(self, lib, p, x, h):
        r, z = (
            eq.sigmoid(lib, x @ eq.block(p.W_x, k, 3) + h @ eq.block(p.W_rz, k, 2) + eq.block(p.b, k, 3))
            for k in (0, 1)
        )
        n = lib.tanh(x @ eq.block(p.W_x, 2, 3) + eq.block(p.b, 2, 3) + (r * h) @ p.W_n)
        return (n - z * n + z * h,)
