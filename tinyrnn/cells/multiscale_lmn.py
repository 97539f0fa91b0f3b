"""The multi-scale Linear Memory Network: memory modules, each slower than the one before, added while training."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, astype, real, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform, random_orthogonal


class MultiScaleLMN(Cell):
    """Multi-scale Linear Memory Network, MS-LMN (Carta, Sperduti & Bacciu 2021, "Incremental training …").

        h_t = tanh(x_t W_xh + m_{t-1} W_mh + b_h)
        u_t = h_t W_hm + m_{t-1} M + b_m                M = W_mm, without what leads from a faster module to a slower
        m_t = u_t in modules that are due, else m_{t-1}
        n_t = n_{t-1} - 1, and + 2^k in modules that are due

    m is made of modules k = 0, 1, …; module k is due every 2^k steps, when its clock n, the steps until then, is at
    zero. Clocks start at zero, so all are due at the first step. The clock is part of the state: windows, masks (a
    sequence's clock stands still while it pauses) and a state that is carried on keep time.

    modules: how many, 3 by default. module_size: units of each, by default hidden_size.

    The output is m, all modules side by side. Every module is computed at every step and thrown away where it is not
    due, so slow modules cost as much as fast ones. With one module it is the `LMN`; `tinyrnn.grow` adds a module.
    Two things are not checked against the source's text: at which step module k is due first, and that slower modules
    feed faster ones but not the other way round (as in the Clockwork RNN, Koutnik et al. 2014).

    Shapes, with G modules, S = module_size: m (B, G S); n (B, G); W_xh (input_size, hidden_size); W_mh (G S,
    hidden_size); W_hm (hidden_size, G S); W_mm (G S, G S), row blocks the modules it comes from. Each module's block
    of W_mm starts orthogonal, the rest of it zero; the others Glorot-uniform, biases zero.

    Good for: dependencies on several time scales at once, learned one after the other by adding slower modules.
    """

    names = {"lmn-multiscale": {}}
    states = ("m", "n")
    recurrent = ("W_mm",)
    detach = ("W_mh",)

    def __init__(self, input_size, hidden_size, *, modules=3, module_size=None, **options):
        module_size = hidden_size if module_size is None else module_size
        for name, size in (("modules", modules), ("module_size", module_size)):
            if not isinstance(size, int | np.integer) or size < 1:
                raise ValueError(f"{self.name}: {name} must be a positive integer, got {size!r}")
        self.modules, self.module_size = int(modules), int(module_size)
        super().__init__(input_size, hidden_size, **options)
        k = np.arange(self.modules)
        self.constants["module"] = np.repeat(k, self.module_size)  # of each unit
        self.constants["period"] = 2**k

    @property
    def state_sizes(self):
        return (self.modules * self.module_size, self.modules)

    def init(self, rng):
        n, H, S, G = self.input_size, self.hidden_size, self.module_size, self.modules
        W_mm = np.zeros((G * S, G * S))
        for k in range(G):
            W_mm[k * S : (k + 1) * S, k * S : (k + 1) * S] = random_orthogonal(S, rng=rng)
        return {
            "W_xh": glorot_uniform((n, H), rng=rng),
            "W_mh": glorot_uniform((G * S, H), rng=rng),
            "W_hm": np.concatenate([glorot_uniform((H, S), rng=rng) for _ in range(G)], axis=1),
            "W_mm": W_mm,
            "b_h": np.zeros(H),
            "b_m": np.zeros(G * S),
        }

    def allowed(self, W):
        """W (G S, G S) where a unit may drive another, within a module or from a slower one to a faster one, else 0."""
        module = self.constants["module"]
        return xp_of(W).where(module[:, None] >= module[None, :], W, 0)

    def derive(self, p):
        period = astype(self.constants["period"], real(p.W_mm).dtype)
        return Params(p, M=self.allowed(p.W_mm), module=self.constants["module"], period=period)

    def derive_backward(self, p, dparams):
        dM = dparams.pop("M")
        return {**dparams, "W_mm": self.allowed(dM)}

    def project(self, p, x):
        return affine(x, p.W_xh, p.b_h)

    def step(self, p, a, m_prev, n_prev):
        xp = xp_of(m_prev)
        h = tanh(a + m_prev @ p.W_mh)
        u = h @ p.W_hm + m_prev @ p.M + p.b_m
        due = astype(real(n_prev) <= 0, real(a).dtype)  # 1 or 0 for each module
        ready = xp.take(due, p.module, axis=-1)  # the same for each unit
        m = xp.where(ready > 0, u, m_prev)
        n = n_prev - 1 + due * p.period
        return (m, n), {"h": h, "ready": ready}

    def step_backward(self, p, dm, dn, *, h, ready):
        du = dm * ready
        dh = du @ p.W_hm.T
        da = dh * (1 - h * h)
        dm_prev = dm * (1 - ready) + du @ p.M.T + da @ p.W_mh.T
        dn_prev = dn
        return (da, du), (dm_prev, dn_prev)

    def gradients(self, p, x, da, *, m_prev, h):
        da, du = da
        dx, dW_xh, db_h = affine_backward(x, p.W_xh, da)
        _, dW_hm, db_m = affine_backward(h, p.W_hm, du)
        dW_mh = weight_gradient(m_prev, da)
        dM = weight_gradient(m_prev, du)
        return dx, {"W_xh": dW_xh, "W_mh": dW_mh, "W_hm": dW_hm, "M": dM, "b_h": db_h, "b_m": db_m}

    def equations(self, lib, p, x, m, n):
        G, new_m, new_n = self.modules, [], []
        h = lib.tanh(x @ p.W_xh + m @ p.W_mh + p.b_h)
        for k in range(G):
            rows = [p.W_mm[j * self.module_size :][: self.module_size] for j in range(G)]
            slower = sum(eq.block(m, j, G) @ eq.block(rows[j], k, G) for j in range(k, G))
            due = eq.block(n, k, G) <= 0
            new_m.append(lib.where(due, h @ eq.block(p.W_hm, k, G) + slower + eq.block(p.b_m, k, G), eq.block(m, k, G)))
            new_n.append(lib.where(due, eq.block(n, k, G) + 2**k - 1, eq.block(n, k, G) - 1))
        return lib.concatenate(new_m, -1), lib.concatenate(new_n, -1)
