"""The multiplicative RNN: the input chooses the transition."""

import numpy as np

from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, join, sum_over_time, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class MultiplicativeRNN(Cell):
    """Multiplicative RNN, MRNN (Sutskever, Martens & Hinton 2011, section 3).

        m_t = x_t W_fx                              one gain for each factor
        f_t = m_t * (h_{t-1} W_fh)
        h_t = tanh(x_t W_hx + f_t W_hf + b)

    Every input has a transition matrix of its own, W_fh diag(m_t) W_hf, and they share their factors: a tensor with a
    matrix for each symbol would be input_size times as large.

    factors: how many, by default as many as units.

    Shapes: x (T, B, input_size); h (T, B, hidden_size); W_fx (input_size, factors); W_fh (hidden_size, factors); W_hf
    (factors, hidden_size); W_hx (input_size, hidden_size); all Glorot-uniform, b (hidden_size,) zero. The names are the
    paper's, W_fh being *to* f *from* h; its matrices are for columns and stand here transposed.

    Good for: text by characters, where what a character means for the state depends on the state.
    """

    names = {"multiplicative": {}}

    def __init__(self, input_size, hidden_size, *, factors=None, **options):
        if factors is not None and not (isinstance(factors, int | np.integer) and factors >= 1):
            raise ValueError(f"{self.name}: factors must be a positive integer, got {factors!r}")
        self.factors = hidden_size if factors is None else int(factors)
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H, F = self.input_size, self.hidden_size, self.factors
        shapes = {"W_fx": (n, F), "W_fh": (H, F), "W_hf": (F, H), "W_hx": (n, H)}
        return {name: glorot_uniform(shape, rng=rng) for name, shape in shapes.items()} | {"b": np.zeros(H)}

    def derive(self, p):
        return Params(p, W_x=join(p.W_fx, p.W_hx))

    def derive_backward(self, p, dparams):
        dW_x = dparams.pop("W_x")
        return {**dparams, "W_fx": dW_x[:, : self.factors], "W_hx": dW_x[:, self.factors :]}

    def project(self, p, x):
        return affine(x, p.W_x)

    def step(self, p, a, h_prev):
        m, a_h = a[..., : self.factors], a[..., self.factors :]
        u = h_prev @ p.W_fh
        f = m * u
        h = tanh(a_h + f @ p.W_hf + p.b)
        return (h,), {"m": m, "u": u, "f": f}

    def step_backward(self, p, dh, *, h, m, u):
        da_h = dh * (1 - h * h)
        df = da_h @ p.W_hf.T
        dm = df * u
        du = df * m
        dh_prev = du @ p.W_fh.T
        da = join(dm, da_h)
        return (da, du), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, f):
        da, du = da
        da_h = da[..., self.factors :]
        dx, dW_x, _ = affine_backward(x, p.W_x, da)
        dW_fh = weight_gradient(h_prev, du)
        dW_hf = weight_gradient(f, da_h)
        db = sum_over_time(da_h)
        return dx, {"W_x": dW_x, "W_fh": dW_fh, "W_hf": dW_hf, "b": db}

    def equations(self, lib, p, x, h):
        return (lib.tanh(x @ p.W_hx + ((h @ p.W_fh) * (x @ p.W_fx)) @ p.W_hf + p.b),)
