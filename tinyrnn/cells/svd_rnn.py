"""The spectral RNN: a transition given by its singular value decomposition, with the singular values held near one."""

import numpy as np

from tinyrnn.cells.householder import check_reflections, reflections, reflections_backward
from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.activations import get_activation
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, sum_over_time, tanh, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class SpectralRNN(Cell):
    """Spectral RNN, svdRNN (Zhang, Lei & Dhillon 2018).

        W = U diag(s) V^T                                       U and V orthogonal, products of k reflections each
        s = 1 + 2 r (sigmoid(g) - 1/2) = 1 + r tanh(g/2)        the singular values of W, within 1 - r and 1 + r
        h_t = phi(x_t M + h_{t-1} W + b)

    W is never written out: U = 1 - Y_U Z_U and V = 1 - Y_V Z_V (see `tinyrnn.cells.householder.reflections`), so that a
    step costs 4 k hidden_size multiplications. By W, a gradient grows or shrinks by a factor within 1 ± r a step.

    reflections: k, by default a quarter of hidden_size. r: the radius, 0.01 as in the authors' code. activation: phi,
        "relu" (default), "tanh", "elu" or "identity".

    Shapes: x (T, B, input_size); h (T, B, hidden_size); M (input_size, hidden_size), Glorot-uniform; U, V (hidden_size,
    k), N(0, 1), the reflections as in `HouseholderRNN`; g (hidden_size,) and b (hidden_size,), zero, so that W starts
    orthogonal.

    Good for: long sequences where an exactly orthogonal transition is too stiff; r says how far it may depart from one.
    """

    names = {"svd-rnn": {}}

    def __init__(self, input_size, hidden_size, *, reflections=None, r=0.01, activation="relu", **options):
        self.reflections = check_reflections(self.name, reflections, hidden_size, hidden_size // 4)
        if not 0 < r < 1:
            raise ValueError(f"{self.name}: r must be between 0 and 1, got {r!r}")
        self.r = r
        self.activation = activation
        self.phi, self.dphi, self.kink = get_activation(activation)
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H, k = self.input_size, self.hidden_size, self.reflections
        U, V = np.tril(rng.normal(size=(2, H, k)))
        return {"M": glorot_uniform((n, H), rng=rng), "U": U, "V": V, "g": np.zeros(H), "b": np.zeros(H)}

    def derive(self, p):
        Y_U, Z_U = reflections(p.U)
        Y_V, Z_V = reflections(p.V)
        s = 1 + self.r * tanh(p.g / 2)
        return Params(p, Y_U=Y_U, Z_U=Z_U, Y_V=Y_V, Z_V=Z_V, s=s)

    def derive_backward(self, p, dparams):
        dg = dparams.pop("s") * (self.r**2 - (p.s - 1) ** 2) / (2 * self.r)
        dU = reflections_backward(p.Y_U, p.Z_U, dparams.pop("Y_U"), dparams.pop("Z_U"))
        dV = reflections_backward(p.Y_V, p.Z_V, dparams.pop("Y_V"), dparams.pop("Z_V"))
        return {**dparams, "U": dU, "V": dV, "g": dg}

    def project(self, p, x):
        return affine(x, p.M, p.b)

    def step(self, p, a, h_prev):
        q = h_prev @ p.Y_U
        u = h_prev - q @ p.Z_U  # h_{t-1} U
        v = u * p.s
        w = v @ p.Z_V.T
        z = a + v - w @ p.Y_V.T
        h = self.phi(z)
        return (h,), {"q": q, "u": u, "v": v, "w": w}

    def step_backward(self, p, dh, *, h):
        dz = dh * self.dphi(h)
        dw = -(dz @ p.Y_V)
        dv = dz + dw @ p.Z_V
        du = dv * p.s
        dq = -(du @ p.Z_U.T)
        dh_prev = du + dq @ p.Y_U.T
        return (dz, dw, dv, du, dq), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, q, u, v, w):
        da, dw, dv, du, dq = da
        dx, dM, db = affine_backward(x, p.M, da)
        ds = sum_over_time(dv * u)
        dY_U = weight_gradient(h_prev, dq)
        dZ_U = -weight_gradient(q, du)
        dY_V = -weight_gradient(da, w)
        dZ_V = weight_gradient(dw, v)
        return dx, {"M": dM, "Y_U": dY_U, "Z_U": dZ_U, "Y_V": dY_V, "Z_V": dZ_V, "s": ds, "b": db}

    def equations(self, lib, p, x, h):
        s = 1 - self.r + 2 * self.r * eq.sigmoid(lib, p.g)
        wh = eq.reflected(eq.reflected(h, lib.tril(p.U).T) * s, reversed(list(lib.tril(p.V).T)))
        return (eq.activation(lib, self.activation, x @ p.M + wh + p.b),)
