"""The quasi-recurrent network: gates by convolution over time, and a recurrence without a single matrix product."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, split, tanh
from tinyrnn.init.distributions import glorot_uniform


class QRNN(Cell):
    """Quasi-recurrent network (Bradbury, Merity, Xiong & Socher 2017, eqs. 1-4), fo-pooling.

        [a_z, a_f, a_o] = sum over j = 0 ... window - 1 of x_{t-j} W^j + b
        z = tanh(a_z)        f = sigmoid(a_f)        o = sigmoid(a_o)
        c_t = f * c_{t-1} + (1 - f) * z
        h_t = o * c_t

    window: steps the convolution looks at, this one and those before it (2 by default, and at least).

    What is before the first step counts as zero. The convolution is done for all time steps at once, as one product
    x_t [W^0 W^1 ...]; what x_t has to say to later steps waits in the state, as sums that are still to be added to:

        s_t = x_t [W^0 W^1 ...] + [q_{t-1} 0]        [a_z, a_f, a_o, q_t] = s_t

    so a sequence may be cut in two, pause (masked steps are not there for the convolution either) or consist of class
    numbers. The price is memory: q is (window - 1) times as large as the gates together, and is on the tape. The
    next step does not look at h. The source's zoneout and densely connected layers are not here.

    Shapes, gates side by side, G = 3 hidden_size: x (T, B, input_size); h, c (B, hidden_size); q (B, (window - 1) G);
    W (input_size, window G), W^0 first, Glorot-uniform as the (window input_size, hidden_size) matrix that each gate
    has; b (G,), zero.

    Good for: long sequences where speed counts, as in language models, since the time loop holds no matrix product.
    """

    names = {"qrnn": {}}
    states = ("h", "c", "q")
    unread = ("h",)
    gates = ("z", "f", "o")

    def __init__(self, input_size, hidden_size, *, window=2, **options):
        if not isinstance(window, int) or window < 2:
            raise ValueError(f"window must be a whole number of at least 2 steps, got {window!r}")
        self.window = window
        super().__init__(input_size, hidden_size, **options)

    @property
    def width(self):
        """G, all gates side by side."""
        return len(self.gates) * self.hidden_size

    @property
    def state_sizes(self):
        return (*[self.hidden_size] * (len(self.states) - 1), (self.window - 1) * self.width)

    def init(self, rng):
        k, n, H = self.window, self.input_size, self.hidden_size
        filters = np.concatenate([glorot_uniform((k * n, H), rng=rng) for _ in self.gates], axis=1)
        return {"W": np.concatenate(np.split(filters, k), axis=1), "b": np.zeros(self.width)}

    def derive(self, p):
        later = [xp_of(p.b).zeros_like(p.b)] * (self.window - 1)  # the bias is added once
        return Params(p, b_now=join(p.b, *later))

    def derive_backward(self, p, dparams):
        db_now = dparams.pop("b_now")
        return {**dparams, "b": db_now[: self.width]}

    def project(self, p, x):
        return affine(x, p.W, p.b_now)

    def step(self, p, a, h_prev, c_prev, q_prev):
        s = a + join(q_prev, xp_of(a).zeros_like(q_prev[..., : self.width]))
        q = s[..., self.width :]
        a_z, a_f, a_o = split(s[..., : self.width], 3)
        z = tanh(a_z)
        f = sigmoid(a_f)
        o = sigmoid(a_o)
        c = f * c_prev + (1 - f) * z
        h = o * c
        return (h, c, q), {"z": z, "f": f, "o": o}

    def step_backward(self, p, dh, dc, dq, *, z, f, o, c_prev, c):
        do = dh * c
        dc = dc + dh * o
        df = dc * (c_prev - z)
        dz = dc * (1 - f)
        dc_prev = dc * f
        da = join(dz * (1 - z * z), df * f * (1 - f), do * o * (1 - o), dq)
        dq_prev = da[..., : -self.width]
        return da, (xp_of(dh).zeros_like(dh), dc_prev, dq_prev)

    def gradients(self, p, x, da):
        dx, dW, db_now = affine_backward(x, p.W, da)
        return dx, {"W": dW, "b_now": db_now}

    def convolution(self, lib, p, x, q):
        """For `equations`: pre-activations of the gates, and what waits for later steps, a block for each."""
        k, parts = self.window, []
        for j in range(k):
            parts.append(x @ eq.block(p.W, j, k) + (eq.block(q, j, k - 1) if j < k - 1 else 0))
        gates = parts[0] + p.b
        return [eq.block(gates, j, len(self.gates)) for j in range(len(self.gates))], lib.concatenate(parts[1:], -1)

    def equations(self, lib, p, x, h, c, q):
        (z, f, o), q = self.convolution(lib, p, x, q)
        c = eq.sigmoid(lib, f) * c + (1 - eq.sigmoid(lib, f)) * lib.tanh(z)
        return eq.sigmoid(lib, o) * c + 0 * h, c, q  # autograd wants to see h


class QRNNf(QRNN):
    """Quasi-recurrent network with f-pooling, the simplest (Bradbury, Merity, Xiong & Socher 2017, eq. 3).

        h_t = f * h_{t-1} + (1 - f) * z

    z, f and the convolution as in `QRNN`, with the two gates z, f side by side (G = 2 hidden_size) and the states h, q.

    Good for: a moving average whose rate the input sets; the cheapest of the three poolings.
    """

    names = {"qrnn-f": {}}
    states = ("h", "q")
    unread = ()
    gates = ("z", "f")

    def step(self, p, a, h_prev, q_prev):
        s = a + join(q_prev, xp_of(a).zeros_like(q_prev[..., : self.width]))
        q = s[..., self.width :]
        a_z, a_f = split(s[..., : self.width], 2)
        z = tanh(a_z)
        f = sigmoid(a_f)
        h = f * h_prev + (1 - f) * z
        return (h, q), {"z": z, "f": f}

    def step_backward(self, p, dh, dq, *, z, f, h_prev):
        df = dh * (h_prev - z)
        dz = dh * (1 - f)
        dh_prev = dh * f
        da = join(dz * (1 - z * z), df * f * (1 - f), dq)
        dq_prev = da[..., : -self.width]
        return da, (dh_prev, dq_prev)

    def equations(self, lib, p, x, h, q):
        (z, f), q = self.convolution(lib, p, x, q)
        return eq.sigmoid(lib, f) * h + (1 - eq.sigmoid(lib, f)) * lib.tanh(z), q


class QRNNifo(QRNN):
    """Quasi-recurrent network with ifo-pooling (Bradbury, Merity, Xiong & Socher 2017, eq. 5).

        c_t = f * c_{t-1} + i * z        i = sigmoid(a_i)
        h_t = o * c_t

    The rest as in `QRNN`, with four gates side by side, z, f, o, i (G = 4 hidden_size).

    Good for: what the LSTM is good for, where forgetting and writing must not be tied to each other.
    """

    names = {"qrnn-ifo": {}}
    gates = ("z", "f", "o", "i")

    def step(self, p, a, h_prev, c_prev, q_prev):
        s = a + join(q_prev, xp_of(a).zeros_like(q_prev[..., : self.width]))
        q = s[..., self.width :]
        a_z, a_f, a_o, a_i = split(s[..., : self.width], 4)
        z = tanh(a_z)
        f = sigmoid(a_f)
        o = sigmoid(a_o)
        i = sigmoid(a_i)
        c = f * c_prev + i * z
        h = o * c
        return (h, c, q), {"z": z, "f": f, "o": o, "i": i}

    def step_backward(self, p, dh, dc, dq, *, z, f, o, i, c_prev, c):
        do = dh * c
        dc = dc + dh * o
        df = dc * c_prev
        di = dc * z
        dz = dc * i
        dc_prev = dc * f
        da = join(dz * (1 - z * z), df * f * (1 - f), do * o * (1 - o), di * i * (1 - i), dq)
        dq_prev = da[..., : -self.width]
        return da, (xp_of(dh).zeros_like(dh), dc_prev, dq_prev)

    def equations(self, lib, p, x, h, c, q):
        (z, f, o, i), q = self.convolution(lib, p, x, q)
        c = eq.sigmoid(lib, f) * c + eq.sigmoid(lib, i) * lib.tanh(z)
        return eq.sigmoid(lib, o) * c + 0 * h, c, q  # autograd wants to see h
