"""The exponential RNN: an orthogonal transition, reached from a skew-symmetric matrix by the matrix exponential."""

import math

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.activations import relu
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, real, sum_over_time, weight_gradient
from tinyrnn.init.distributions import cayley_skew, henaff_skew

SKEW = {"henaff": henaff_skew, "cayley": cayley_skew}


class ExpRNN(Cell):
    """Exponential RNN, expRNN (Lezcano-Casado & Martínez-Rubio 2019).

        S = A - A^T,   W = exp(S)                  S is skew-symmetric, so W is orthogonal, a rotation
        z_t = x_t V + h_{t-1} W
        h_t = modReLU(z_t) = (|z| + b) sign(z)     where |z| + b > 0, else 0; sign(0) = 0

    A's entries are free, so any optimiser will do and W stays orthogonal but for rounding. Of A only what is strictly
    above the diagonal counts; the rest is never looked at and its gradient is zero.

    transition: how S starts: "henaff" (default), turns of pairs by U(-pi, pi), or "cayley", by tan(u/2), u from
        U(0, pi/2); see `tinyrnn.init.distributions`. The source learns A ten times slower than the rest.

    Shapes: x (T, B, input_size); h (T, B, hidden_size); A (hidden_size, hidden_size); V (input_size, hidden_size),
    N(0, 2/input_size); b (hidden_size,), U(-0.01, 0.01). W is made once a sequence, in O(hidden_size^3).

    Good for: long copy and pixel-by-pixel tasks, with a dense transition that neither shrinks nor stretches.
    """

    names = {"exprnn": {}}

    def __init__(self, input_size, hidden_size, *, transition="henaff", **options):
        if transition not in SKEW:
            raise ValueError(f"ExpRNN: transition must be one of {', '.join(SKEW)}, got {transition!r}")
        self.transition = transition
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        S = SKEW[self.transition](H, rng=rng)
        A = xp_of(S).triu(S, k=1)
        return {"A": A, "V": rng.normal(0, math.sqrt(2 / n), (n, H)), "b": rng.uniform(-0.01, 0.01, H)}

    def derive(self, p):
        upper = xp_of(p.A).triu(p.A, k=1)
        S = upper - upper.T
        return Params(p, S=S, W=expm(S))

    def derive_backward(self, p, dparams):
        dS = expm_backward(p.S, dparams.pop("W"))
        dupper = dS - dS.T
        return {**dparams, "A": xp_of(dupper).triu(dupper, k=1)}

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        z = a + h_prev @ p.W
        s = sign(z)
        shifted = s * z + p.b
        h = relu(shifted) * s
        return (h,), {}

    def step_backward(self, p, dh, *, h):
        dz = dh * sign(h) ** 2  # sign(h) is that of z where the unit is on, and 0 where it is off
        dh_prev = dz @ p.W.T
        return dz, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev, h):
        dshifted = da * sign(h)
        dx, dV, _ = affine_backward(x, p.V, da)
        return dx, {"W": weight_gradient(h_prev, da), "V": dV, "b": sum_over_time(dshifted)}

    def equations(self, lib, p, x, h):
        upper = lib.triu(p.A, 1)
        z = x @ p.V + h @ eq.expm(lib, upper - upper.T)
        length = abs(z) + p.b
        return (length * (length > 0) * lib.sign(z),)


def sign(z):
    """-1, 0 or 1; of complex numbers it looks at the real part."""
    return xp_of(z).sign(real(z))


PADE = (1, 1 / 2, 3 / 26, 5 / 312, 5 / 3432, 1 / 11440, 1 / 308880, 1 / 17297280)


def expm(S):
    """e^S of a square matrix, real or complex: the [7/7] Padé approximant of S / 2^k, squared k times (Higham 2005).

    With p(S) the polynomial with the coefficients PADE, the approximant is p(S) / p(-S): orthogonal where S is
    skew-symmetric, whatever its error, which is below 1e-16 for S / 2^k of norm up to 0.95.
    """
    xp = xp_of(S)
    norm = float(xp.max(xp.sum(abs(S), axis=0)))
    k = max(0, math.ceil(math.log2(norm / 0.95))) if norm > 0 else 0
    S = S / 2**k
    S2 = S @ S
    S4 = S2 @ S2
    S6 = S4 @ S2
    one = xp.eye(S.shape[0], dtype=S.dtype)
    even = PADE[0] * one + PADE[2] * S2 + PADE[4] * S4 + PADE[6] * S6
    odd = S @ (PADE[1] * one + PADE[3] * S2 + PADE[5] * S4 + PADE[7] * S6)
    E = xp.linalg.solve(even - odd, even + odd)
    for _ in range(k):
        E = E @ E
    return E


def expm_backward(S, dE):
    """dS from dE, E = e^S, S real and skew-symmetric: the adjoint of the exponential's Fréchet derivative.

    i S is Hermitian, i S = Q diag(w) Q*, so that e^S = Q diag(e^{-iw}) Q* and the derivative in the direction D is
    Q (F ∘ (Q* D Q)) Q*, with the divided differences (Daletskii & Krein 1965)

        F_jk = (e^{-i w_j} - e^{-i w_k}) / (-i w_j + i w_k) = e^{-i (w_j + w_k)/2} sinc((w_j - w_k)/2),

    sinc x = sin(x)/x, which equal eigenvalues do not trouble. The adjoint has conj(F) in F's place.
    """
    xp = xp_of(S)
    w, Q = xp.linalg.eigh(1j * S)
    mean, half = (w[:, None] + w[None, :]) / 2, (w[:, None] - w[None, :]) / 2
    F = xp.exp(-1j * mean) * sinc(half)
    Q_star = xp.conj(Q).T
    dS = Q @ (xp.conj(F) * (Q_star @ dE @ Q)) @ Q_star
    return real(dS)


def sinc(x):
    """sin(x)/x, which is 1 at 0."""
    xp = xp_of(x)
    nonzero = xp.where(x == 0, 1, x)
    return xp.where(x == 0, 1, xp.sin(nonzero) / nonzero)
