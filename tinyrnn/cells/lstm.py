"""Long short-term memory."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, split, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class LSTM(Cell):
    """Long short-term memory (Hochreiter & Schmidhuber 1997, in the form of Zaremba et al. 2014; eqs. 3-5 of Henaff,
    Szlam & LeCun 2016, eqs. 6-8 of Grosse's lecture 16).

        a_t = x_t W_x + b + h_{t-1} W_h
        i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o)        g = tanh(a_g)
        c_t = f * c_{t-1} + i * g
        h_t = o * tanh(c_t)

    forget_bias: initial bias of the forget gate, default 1 (Arjovsky, Shah & Bengio 2015). It is an initial value and
        nothing else: the forward pass adds no constant of its own.

    Shapes, gates i, f, o, g side by side along the last axis: x (T, B, input_size); h and c (B, hidden_size);
    W_x (input_size, 4 hidden_size); W_h (hidden_size, 4 hidden_size); b (4 hidden_size,). Weights start Glorot-uniform.

    Good for: nearly everything, at four times the cost of an Elman network: the default for real data.
    """

    names = {"lstm": {}}
    family = "lstm"
    inputs_on_paper = 1
    states = ("h", "c")
    gates = ("i", "f", "o", "g")
    recurrent = ("W_h",)
    detach = ("W_h",)

    def __init__(self, input_size, hidden_size, *, forget_bias=1.0, **options):
        self.forget_bias = forget_bias
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        b = np.zeros(4 * H)
        b[H : 2 * H] = self.forget_bias
        return {
            "W_x": np.concatenate([glorot_uniform((n, H), rng=rng) for _ in self.gates], axis=1),
            "W_h": np.concatenate([glorot_uniform((H, H), rng=rng) for _ in self.gates], axis=1),
            "b": b,
        }

    def project(self, p, x):
        return affine(x, p.W_x, p.b)

    def step(self, p, a, h_prev, c_prev):
        a_i, a_f, a_o, a_g = split(a + h_prev @ p.W_h, 4)
        i = sigmoid(a_i)
        f = sigmoid(a_f)
        o = sigmoid(a_o)
        g = tanh(a_g)
        c = f * c_prev + i * g
        tanh_c = tanh(c)
        h = o * tanh_c
        return (h, c), {"i": i, "f": f, "o": o, "g": g, "tanh_c": tanh_c}

    def step_backward(self, p, dh, dc, *, i, f, o, g, c_prev, tanh_c):
        do = dh * tanh_c
        dtanh_c = dh * o
        dc = dc + dtanh_c * (1 - tanh_c * tanh_c)  # c feeds both h and the next step's c
        df = dc * c_prev
        di = dc * g
        dg = dc * i
        dc_prev = dc * f
        da = join(di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g * g))
        dh_prev = da @ p.W_h.T
        return da, (dh_prev, dc_prev)

    def gradients(self, p, x, da, *, h_prev):
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        return dx, {"W_x": dW_x, "W_h": weight_gradient(h_prev, da), "b": db}

    def equations(self, lib, p, x, h, c, see=None):
        def gate(k):
            return x @ eq.block(p.W_x, k, 4) + h @ eq.block(p.W_h, k, 4) + eq.block(p.b, k, 4)

        i_sees, f_sees, o_sees = see or [lambda c: 0] * 3
        i = eq.sigmoid(lib, gate(0) + i_sees(c))
        f = eq.sigmoid(lib, gate(1) + f_sees(c))
        c = f * c + i * lib.tanh(gate(3))
        o = eq.sigmoid(lib, gate(2) + o_sees(c))
        return o * lib.tanh(c), c
