"""The gated recurrent unit, reset after the product (PyTorch's and cuDNN's form)."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, split, sum_over_time, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class GRU(Cell):
    """Gated recurrent unit, reset after the product (Cho et al. 2014, in the form of PyTorch and cuDNN).

        a_t = x_t W_x + b        u_t = h_{t-1} W_h
        r = sigmoid(a_r + u_r)   z = sigmoid(a_z + u_z)
        s = u_n + b_n
        n = tanh(a_n + r * s)
        h_t = (1 - z) * n + z * h_{t-1}

    `ChoGRU` resets before the product. Some texts exchange z and 1 - z: here z = 1 keeps the old state.

    Shapes, blocks r, z, n side by side along the last axis: x (T, B, input_size); h (T, B, hidden_size);
    W_x (input_size, 3 hidden_size); W_h (hidden_size, 3 hidden_size); b (3 hidden_size,); b_n (hidden_size,).

    Good for: what an LSTM is good for, with one state instead of two and a quarter fewer weights.
    """

    names = {"gru": {}}
    family = "gru"
    inputs_on_paper = 1
    gates = ("r", "z", "n")
    recurrent = ("W_h",)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {
            "W_x": np.concatenate([glorot_uniform((n, H), rng=rng) for _ in self.gates], axis=1),
            "W_h": np.concatenate([glorot_uniform((H, H), rng=rng) for _ in self.gates], axis=1),
            "b": np.zeros(3 * H),
            "b_n": np.zeros(H),
        }

    def project(self, p, x):
        return affine(x, p.W_x, p.b)

    def step(self, p, a, h_prev):
        a_r, a_z, a_n = split(a, 3)
        u = h_prev @ p.W_h
        u_r, u_z, u_n = split(u, 3)
        r = sigmoid(a_r + u_r)
        z = sigmoid(a_z + u_z)
        s = u_n + p.b_n
        n = tanh(a_n + r * s)
        h = (1 - z) * n + z * h_prev
        return (h,), {"r": r, "z": z, "s": s, "n": n}

    def step_backward(self, p, dh, *, r, z, s, n, h_prev):
        dn = dh * (1 - z)
        dz = dh * (h_prev - n)
        da_n = dn * (1 - n * n)
        dr = da_n * s
        ds = da_n * r
        da_z = dz * z * (1 - z)
        da_r = dr * r * (1 - r)
        da = join(da_r, da_z, da_n)
        du = join(da_r, da_z, ds)
        dh_prev = dh * z + du @ p.W_h.T
        return (da, du), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev):
        da, du = da
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        ds = split(du, 3)[2]
        return dx, {"W_x": dW_x, "W_h": weight_gradient(h_prev, du), "b": db, "b_n": sum_over_time(ds)}

    def equations(self, lib, p, x, h):
        r, z = (
            eq.sigmoid(lib, x @ eq.block(p.W_x, k, 3) + h @ eq.block(p.W_h, k, 3) + eq.block(p.b, k, 3)) for k in (0, 1)
        )
        n = lib.tanh(x @ eq.block(p.W_x, 2, 3) + eq.block(p.b, 2, 3) + r * (h @ eq.block(p.W_h, 2, 3) + p.b_n))
        return (n - z * n + z * h,)
