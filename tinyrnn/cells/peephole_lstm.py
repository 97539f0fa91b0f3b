"""The LSTM whose gates look at the cell state."""

import numpy as np

from tinyrnn.cells.lstm import LSTM
from tinyrnn.core.ops import affine_backward, join, sigmoid, split, sum_over_time, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class PeepholeLSTM(LSTM):
    """LSTM with peepholes (Gers, Schraudolph & Schmidhuber 2002; eq. 6 of Henaff, Szlam & LeCun 2016).

        a_t = x_t W_x + b + h_{t-1} W_h
        i = sigmoid(a_i + p_i * c_{t-1})        f = sigmoid(a_f + p_f * c_{t-1})        g = tanh(a_g)
        c_t = f * c_{t-1} + i * g
        o = sigmoid(a_o + p_o * c_t)            h_t = o * tanh(c_t)

    peepholes: "diagonal" (default), as above, one weight a unit; or "output-matrix", the form in the code of Arjovsky,
        Shah & Bengio (2015): no p_i and p_f, and a full matrix on the output gate, o = sigmoid(a_o + c_t V_o).

    The gradient is the full one: nothing is cut where the error flows back through the peepholes. Shapes as in `LSTM`;
    p_i, p_f, p_o (hidden_size,), starting at zero; V_o (hidden_size, hidden_size), starting Glorot-uniform.

    Good for: precise timing and counting, where the gates must see what the cell holds.
    """

    names = {"lstm-peephole": {}, "lstm-output-matrix": {"peepholes": "output-matrix"}}
    family = "lstm-peephole"
    inputs_on_paper = None

    def __init__(self, input_size, hidden_size, *, peepholes="diagonal", **options):
        if peepholes not in ("diagonal", "output-matrix"):
            raise ValueError(f'peepholes must be "diagonal" or "output-matrix", got {peepholes!r}')
        self.peepholes = peepholes
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        params = super().init(rng)
        if self.peepholes == "diagonal":
            return params | {name: np.zeros(self.hidden_size) for name in ("p_i", "p_f", "p_o")}
        return params | {"V_o": glorot_uniform((self.hidden_size, self.hidden_size), rng=rng)}

    def step(self, p, a, h_prev, c_prev):
        a_i, a_f, a_o, a_g = split(a + h_prev @ p.W_h, 4)
        diagonal = self.peepholes == "diagonal"
        i = sigmoid(a_i + p.p_i * c_prev if diagonal else a_i)
        f = sigmoid(a_f + p.p_f * c_prev if diagonal else a_f)
        g = tanh(a_g)
        c = f * c_prev + i * g
        o = sigmoid(a_o + (p.p_o * c if diagonal else c @ p.V_o))
        tanh_c = tanh(c)
        h = o * tanh_c
        return (h, c), {"i": i, "f": f, "o": o, "g": g, "tanh_c": tanh_c}

    def step_backward(self, p, dh, dc, *, i, f, o, g, c_prev, tanh_c):
        diagonal = self.peepholes == "diagonal"
        do = dh * tanh_c
        da_o = do * o * (1 - o)
        dtanh_c = dh * o
        dc = dc + dtanh_c * (1 - tanh_c * tanh_c)  # c feeds h, the next step's c,
        dc = dc + (da_o * p.p_o if diagonal else da_o @ p.V_o.T)  # and the output gate
        df = dc * c_prev
        di = dc * g
        dg = dc * i
        da_f = df * f * (1 - f)
        da_i = di * i * (1 - i)
        da_g = dg * (1 - g * g)
        dc_prev = dc * f
        if diagonal:
            dc_prev = dc_prev + da_i * p.p_i + da_f * p.p_f
        da = join(da_i, da_f, da_o, da_g)
        dh_prev = da @ p.W_h.T
        return da, (dh_prev, dc_prev)

    def gradients(self, p, x, da, *, h_prev, c_prev, c):
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        dparams = {"W_x": dW_x, "W_h": weight_gradient(h_prev, da), "b": db}
        da_i, da_f, da_o, _ = split(da, 4)
        if self.peepholes == "diagonal":
            dparams["p_i"] = sum_over_time(da_i * c_prev)
            dparams["p_f"] = sum_over_time(da_f * c_prev)
            dparams["p_o"] = sum_over_time(da_o * c)
        else:
            dparams["V_o"] = weight_gradient(c, da_o)
        return dx, dparams

    def equations(self, lib, p, x, h, c):
        if self.peepholes == "diagonal":
            see = (lambda c: p.p_i * c), (lambda c: p.p_f * c), (lambda c: p.p_o * c)
        else:
            see = (lambda c: 0), (lambda c: 0), (lambda c: c @ p.V_o)
        return super().equations(lib, p, x, h, c, see)
