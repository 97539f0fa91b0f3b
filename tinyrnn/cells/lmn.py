"""The Linear Memory Network: a nonlinear layer computes, a linear one remembers."""

import numpy as np

from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform, random_orthogonal


class LMN(Cell):
    """Linear Memory Network (Bacciu, Carta & Sperduti 2019; section 2 of Carta, Sperduti & Bacciu 2020).

        a_t = x_t W_xh + b_h
        h_t = tanh(a_t + m_{t-1} W_mh)
        m_t = h_t W_hm + m_{t-1} W_mm + b_m

    The output is the memory m. With W_hm = 1 and W_mm = 0 it is an Elman network (W_xh its W_x, W_mh its W_h).

    memory_size: units of m, by default as many as h has.

    Shapes: x (T, B, input_size); m (T, B, memory_size); W_xh (input_size, hidden_size); W_mh (memory_size,
    hidden_size); W_hm (hidden_size, memory_size); W_mm (memory_size, memory_size). W_mm starts orthogonal, the other
    weights Glorot-uniform, biases zero. The state is m alone: h is on the tape, but the next step does not look at it.

    Good for: memory that can be set up without training, by a linear autoencoder, and then trained on.
    """

    names = {"lmn": {}}
    family = "lmn"
    inputs_on_paper = 1
    states = ("m",)
    recurrent = ("W_mm",)
    detach = ("W_mh",)

    def __init__(self, input_size, hidden_size, *, memory_size=None, **options):
        self.memory_size = hidden_size if memory_size is None else memory_size
        super().__init__(input_size, hidden_size, **options)

    @property
    def state_sizes(self):
        return (self.memory_size,)

    def init(self, rng):
        n, H, M = self.input_size, self.hidden_size, self.memory_size
        return {
            "W_xh": glorot_uniform((n, H), rng=rng),
            "W_mh": glorot_uniform((M, H), rng=rng),
            "W_hm": glorot_uniform((H, M), rng=rng),
            "W_mm": random_orthogonal(M, rng=rng),
            "b_h": np.zeros(H),
            "b_m": np.zeros(M),
        }

    def project(self, p, x):
        return affine(x, p.W_xh, p.b_h)

    def step(self, p, a, m_prev):
        h = tanh(a + m_prev @ p.W_mh)
        m = h @ p.W_hm + m_prev @ p.W_mm + p.b_m
        return (m,), {"h": h}

    def step_backward(self, p, dm, *, h):
        dh = dm @ p.W_hm.T
        da = dh * (1 - h * h)
        dm_prev = dm @ p.W_mm.T + da @ p.W_mh.T
        return (da, dm), (dm_prev,)

    def gradients(self, p, x, da, *, m_prev, h):
        da, dm = da
        dx, dW_xh, db_h = affine_backward(x, p.W_xh, da)
        _, dW_hm, db_m = affine_backward(h, p.W_hm, dm)
        dW_mh = weight_gradient(m_prev, da)
        dW_mm = weight_gradient(m_prev, dm)
        return dx, {"W_xh": dW_xh, "W_mh": dW_mh, "W_hm": dW_hm, "W_mm": dW_mm, "b_h": db_h, "b_m": db_m}

    def equations(self, lib, p, x, m):
        h = lib.tanh(x @ p.W_xh + m @ p.W_mh + p.b_h)
        return (h @ p.W_hm + m @ p.W_mm + p.b_m,)
