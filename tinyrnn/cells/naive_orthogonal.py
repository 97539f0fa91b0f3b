"""A real orthogonal matrix with fixed eigenvectors, whose eigenvalues come in conjugate pairs."""

import math

import numpy as np

from tinyrnn.cells.exprnn import ExpRNN
from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.cell import Params
from tinyrnn.core.ops import join
from tinyrnn.init.distributions import random_orthogonal


class NaiveOrthogonalRNN(ExpRNN):
    """Real orthogonal RNN with fixed eigenvectors (Arjovsky, Shah & Bengio 2015, section 2).

        W = U diag(e^{i w}) U*   is real where eigenvalues and eigenvectors come in conjugate pairs: w_k = -w_j
          = Q R Q^T              the same in real numbers: Q orthogonal, R turns axes j and m + j by theta_j
        z_t = x_t V + h_{t-1} W
        h_t = modReLU(z_t) = (|z| + b) sign(z)     where |z| + b > 0, else 0; sign(0) = 0

    The real one of what `NaiveUnitaryRNN` is: hidden_size / 2 parameters for O(hidden_size^2) memory and time. Where
    hidden_size is odd, the last axis does not turn; W has the determinant of a rotation, 1, at every step of training.
    The steps, forward and backward, are those of `ExpRNN`: only where W comes from is another matter.

    Shapes: x (T, B, input_size); h (T, B, hidden_size); theta (hidden_size // 2,), U(-pi, pi); V (input_size,
    hidden_size), N(0, 2/input_size); b (hidden_size,), U(-0.01, 0.01). Q is drawn once (Haar measure): a constant.

    Good for: comparison with its complex counterpart, and seeing that real numbers are enough.
    """

    names = {"orthogonal-naive": {}}

    def __init__(self, input_size, hidden_size, *, rng=None, **options):
        rng = as_rng(rng)
        super().__init__(input_size, hidden_size, rng=rng, **options)
        self.constants["Q"] = np.asarray(random_orthogonal(self.hidden_size, rng=rng), self.dtype)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        theta = rng.uniform(-math.pi, math.pi, H // 2)
        return {"theta": theta, "V": rng.normal(0, math.sqrt(2 / n), (n, H)), "b": rng.uniform(-0.01, 0.01, H)}

    def derive(self, p):
        Q, m = self.constants["Q"], self.hidden_size // 2
        xp = xp_of(Q)
        c, s = xp.cos(p.theta), xp.sin(p.theta)
        one, other, rest = Q[:, :m], Q[:, m : 2 * m], Q[:, 2 * m :]
        Y = join(c * one + s * other, c * other - s * one, rest)
        return Params(p, Q=Q, Y=Y, W=Y @ Q.T)

    def derive_backward(self, p, dparams):
        dY, m = dparams.pop("W") @ p.Q, self.hidden_size // 2
        one, other = slice(None, m), slice(m, 2 * m)
        dtheta = xp_of(dY).sum(dY[:, one] * p.Y[:, other] - dY[:, other] * p.Y[:, one], axis=0)
        return {**dparams, "theta": dtheta}

    def equations(self, lib, p, x, h):
        Q, m = lib.asarray(self.constants["Q"]), self.hidden_size // 2
        c, s = lib.cos(p.theta), lib.sin(p.theta)
        turned = [Q[:, j] * c[j] + Q[:, m + j] * s[j] for j in range(m)]
        turned += [Q[:, m + j] * c[j] - Q[:, j] * s[j] for j in range(m)] + [Q[:, j] for j in range(2 * m, len(Q))]
        z = x @ p.V + h @ (lib.stack(turned, 1) @ Q.T)
        length = abs(z) + p.b
        return (length * (length > 0) * lib.sign(z),)
