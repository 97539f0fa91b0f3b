"""The Householder RNN: an orthogonal transition as a product of a few reflections."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, real, weight_gradient
from tinyrnn.init.distributions import glorot_uniform


class HouseholderRNN(Cell):
    """Householder RNN, oRNN (Mhammedi, Hellicar, Rahman & Bailey 2017).

        W = H(u_1) H(u_2) ... H(u_k),   H(u) = 1 - 2 u u^T / |u|^2
        z_t = x_t V + h_{t-1} W + b
        h_t = z where z > 0, else slope z

    W is orthogonal whatever the u_j, whose lengths do not matter; det W = (-1)^k, and k = hidden_size reflections reach
    every such matrix. W is never written out: W = 1 - Y Z with two thin matrices (see `reflections`), so that a step
    costs two products, 2 k hidden_size multiplications instead of hidden_size^2: worth it for k < hidden_size / 2.

    reflections: k, by default 16, or hidden_size if that is less. slope: of the leaky ReLU, 0.1 as in the authors'
        code; 1 makes the network linear, 0 gives the ReLU.

    Shapes: x (T, B, input_size); h (T, B, hidden_size); V (input_size, hidden_size), Glorot-uniform; b (hidden_size,),
    zero; U (hidden_size, k), N(0, 1), its column j being u_j, of which the first j entries (from 0) do not count: any
    product of k reflections can be written so.

    Good for: long sequences with as much orthogonal transition as one wants to pay for, from one reflection to all.
    """

    names = {"householder": {}}

    def __init__(self, input_size, hidden_size, *, reflections=None, slope=0.1, **options):
        self.reflections = check_reflections(self.name, reflections, hidden_size, 16)
        if not 0 <= slope <= 1:
            raise ValueError(f"{self.name}: slope must be in [0, 1], got {slope!r}")
        self.slope = slope
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        U = np.tril(rng.normal(size=(H, self.reflections)))
        return {"V": glorot_uniform((n, H), rng=rng), "U": U, "b": np.zeros(H)}

    def derive(self, p):
        Y, Z = reflections(p.U)
        return Params(p, Y=Y, Z=Z)

    def derive_backward(self, p, dparams):
        dU = reflections_backward(p.Y, p.Z, dparams.pop("Y"), dparams.pop("Z"))
        return {**dparams, "U": dU}

    def project(self, p, x):
        return affine(x, p.V, p.b)

    def step(self, p, a, h_prev):
        q = h_prev @ p.Y
        z = a + h_prev - q @ p.Z
        h = xp_of(z).where(real(z) > 0, z, self.slope * z)
        return (h,), {"q": q}

    def step_backward(self, p, dh, *, h):
        dz = xp_of(dh).where(real(h) > 0, dh, self.slope * dh)
        dq = -(dz @ p.Z.T)
        dh_prev = dz + dq @ p.Y.T
        return (dz, dq), (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, q):
        da, dq = da
        dx, dV, db = affine_backward(x, p.V, da)
        dY = weight_gradient(h_prev, dq)
        dZ = -weight_gradient(q, da)
        return dx, {"V": dV, "Y": dY, "Z": dZ, "b": db}

    def equations(self, lib, p, x, h):
        z = x @ p.V + eq.reflected(h, lib.tril(p.U).T) + p.b
        return (lib.where(z > 0, z, self.slope * z),)


def check_reflections(name, k, n, default):
    """The number of reflections, by default `default` if there are as many units; ValueError if it cannot be."""
    if k is None:
        return max(1, min(default, n))
    if not isinstance(k, int | np.integer) or not 1 <= k <= n:
        raise ValueError(f"{name}: reflections must be an integer from 1 to hidden_size = {n}, got {k!r}")
    return int(k)


def reflections(U):
    """Y (n, k), Z (k, n) with H(u_1) ... H(u_k) = 1 - Y Z, u_j the columns of U (n, k) from the diagonal on down.

    Z = S^-1 Y^T, with the part of Y^T Y above the diagonal and half its diagonal as S (Joffrain et al. 2006).
    """
    xp = xp_of(U)
    Y = xp.tril(U)
    G = Y.T @ Y
    rows = Y.T
    S = G * above_and_half(G)
    Z = xp.linalg.solve(S, rows)
    return Y, Z


def reflections_backward(Y, Z, dY, dZ):
    """dU from dY and dZ."""
    xp = xp_of(Y)
    G = Y.T @ Y
    S = G * above_and_half(G)
    drows = xp.linalg.solve(S.T, dZ)
    dS = -drows @ Z.T
    dG = dS * above_and_half(G)
    dY = dY + drows.T + Y @ (dG + dG.T)
    return xp.tril(dY)


def above_and_half(G):
    """1 above the diagonal, 1/2 on it, 0 below; like G (k, k)."""
    xp = xp_of(G)
    one = xp.ones_like(G)
    return (xp.triu(one) + xp.triu(one, k=1)) / 2
