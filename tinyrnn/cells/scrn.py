"""The structurally constrained recurrent network: ordinary hidden units, and context units that change slowly."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, join, sigmoid, sum_over_time, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class SCRN(Cell):
    """Structurally constrained recurrent network, SCRN (Mikolov, Joulin, Chopra, Mathieu & Ranzato 2015, section 3).

        s_t = (1 - alpha) x_t B + alpha s_{t-1}                the context: a running mean of the input,
            = x_t B + alpha (s_{t-1} - x_t B)                  which goes the share alpha of the way back
        h_t = sigmoid(s_t P + x_t A + h_{t-1} R)

    The paper's output reads both, y = f(h U + s V), so both side by side are the cell's one state and its output,
    hs = [h; s]: a readout on it has U and V as the two parts of its weight. `tape["h"]` and `tape["s"]` are the parts.

    context_size: units of s, by default half as many as h has (the paper's best had 40 beside 100). alpha: how slow
        the context is, 0.95. learn_alpha: every context unit learns its own, sigmoid(beta), beginning at alpha.

    Shapes: x (T, B, input_size); hs (T, B, hidden_size + context_size); B (input_size, context_size), A (input_size,
    hidden_size), P (context_size, hidden_size), R (hidden_size, hidden_size), all Glorot-uniform; with learn_alpha,
    beta (context_size,). There are no biases, as in the paper.

    Good for: language models that need the topic of the text at the price of an Elman network.
    """

    names = {"scrn": {}}
    states = ("hs",)
    recurrent = ("R",)

    def __init__(self, input_size, hidden_size, *, context_size=None, alpha=0.95, learn_alpha=False, **options):
        if context_size is not None and not (isinstance(context_size, int | np.integer) and context_size >= 1):
            raise ValueError(f"{self.name}: context_size must be a positive integer, got {context_size!r}")
        if not 0 < alpha < 1:
            raise ValueError(f"{self.name}: alpha must be between 0 and 1, got {alpha!r}")
        self.context_size = (hidden_size + 1) // 2 if context_size is None else int(context_size)
        self.alpha = alpha
        self.learn_alpha = learn_alpha
        super().__init__(input_size, hidden_size, **options)

    @property
    def state_sizes(self):
        return (self.hidden_size + self.context_size,)

    def init(self, rng):
        n, H, C = self.input_size, self.hidden_size, self.context_size
        shapes = {"B": (n, C), "A": (n, H), "P": (C, H), "R": (H, H)}
        params = {name: glorot_uniform(shape, rng=rng) for name, shape in shapes.items()}
        beta = np.full(C, np.log(self.alpha / (1 - self.alpha)))
        return params | ({"beta": beta} if self.learn_alpha else {})

    def derive(self, p):
        fixed = xp_of(p.B).full((self.context_size,), self.alpha, dtype=p.B.dtype)
        alpha = sigmoid(p.beta) if self.learn_alpha else fixed
        return Params(p, alpha=alpha, AB=join(p.A, p.B))

    def derive_backward(self, p, dparams):
        dalpha = dparams.pop("alpha")
        dA, dB = self.h_and_s(dparams.pop("AB"))
        if self.learn_alpha:
            dparams["beta"] = dalpha * p.alpha * (1 - p.alpha)
        return {**dparams, "A": dA, "B": dB}

    def h_and_s(self, hs):
        """The part of h and the part of s, out of something that has both side by side."""
        return hs[..., : self.hidden_size], hs[..., self.hidden_size :]

    def project(self, p, x):
        return affine(x, p.AB)

    def step(self, p, a, hs_prev):
        a_h, a_s = self.h_and_s(a)
        h_prev, s_prev = self.h_and_s(hs_prev)
        e = s_prev - a_s
        s = a_s + p.alpha * e
        h = sigmoid(s @ p.P + a_h + h_prev @ p.R)
        hs = join(h, s)
        return (hs,), {"h": h, "s": s, "e": e}

    def step_backward(self, p, dhs, *, h):
        dh, ds = self.h_and_s(dhs)
        da_h = dh * h * (1 - h)
        ds = ds + da_h @ p.P.T
        de = ds * p.alpha
        da_s = ds - de
        ds_prev = de
        dh_prev = da_h @ p.R.T
        dhs_prev = join(dh_prev, ds_prev)
        da = join(da_h, da_s)
        return (da, ds), (dhs_prev,)

    def gradients(self, p, x, da, *, hs_prev, s, e):
        da, ds = da
        da_h = da[..., : self.hidden_size]
        dx, dAB, _ = affine_backward(x, p.AB, da)
        dP = weight_gradient(s, da_h)
        dR = weight_gradient(hs_prev[..., : self.hidden_size], da_h)
        dalpha = sum_over_time(ds * e)
        return dx, {"AB": dAB, "P": dP, "R": dR, "alpha": dalpha}

    def equations(self, lib, p, x, hs):
        h, s = hs[..., : self.hidden_size], hs[..., self.hidden_size :]
        alpha = eq.sigmoid(lib, p.beta) if self.learn_alpha else self.alpha
        s = (1 - alpha) * (x @ p.B) + alpha * s
        h = eq.sigmoid(lib, s @ p.P + x @ p.A + h @ p.R)
        return (lib.concatenate([h, s], -1),)
