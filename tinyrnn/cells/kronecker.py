"""The Kronecker recurrent unit: a large matrix made of tiny ones."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.cells.parts.products import (
    kronecker,
    kronecker_backward,
    kronecker_gradient,
    kronecker_weights,
    kronecker_weights_backward,
    matrices,
    prime_factors,
)
from tinyrnn.cells.unitary import modrelu, modrelu_backward, modrelu_bias_gradient
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, reshape
from tinyrnn.init.distributions import glorot_uniform, random_unitary, unit_state


class KroneckerRNN(Cell):
    """Kronecker recurrent unit, KRU (Jose, Cisse & Fleuret 2018).

        W = W_1 (x) W_2 (x) ... (x) W_F             (x) the Kronecker product, of complex factors
        z_t = h_{t-1} W + x_t V
        h_t = modReLU(z_t) = (|z| + b) z / |z|  where |z| + b > 0, else 0

    The factors are 2 x 2 where n is a power of two, else as large as n's prime factors, in ascending order. W is never
    written out: with the units numbered by F digits, each factor acts on one digit, which takes O(n) time.

    W is unitary if all factors are, which they begin as. To keep them near it, `unitarity` times sum_f ||W_f* W_f -
    1||^2 is added to the loss (see `Unitarity`; with 0 nothing is).

    Complex vectors are real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`): h (T, B, 2n) for `hidden_size` n
    complex units.

    Parameters: W (sum of 2 q^2,), the q x q factors one after the other, each with its rows [Re; Im], random unitary
    matrices (Haar measure); V (input_size, 2n), Glorot-uniform; b (n,), zero; and h_0 (2n,), the initial state, learned
    by default, of unit expected norm.

    Good for: many units with hardly any weights between them, 8 log2 n real numbers, where input and readout do most of
    the work.
    """

    names = {"kronecker": {}}

    def __init__(self, input_size, hidden_size, *, unitarity=0.1, learn_state=True, **options):
        if not unitarity >= 0:
            raise ValueError(f"KroneckerRNN: unitarity must be at least 0, got {unitarity!r}")
        self.unitarity = unitarity
        self.regularisers = (Unitarity(unitarity),) if unitarity else ()
        super().__init__(input_size, hidden_size, learn_state=learn_state, **options)

    @property
    def state_sizes(self):
        return (2 * self.hidden_size,)

    @property
    def sizes(self):
        """Of the factors."""
        return prime_factors(self.hidden_size)

    def init(self, rng):
        n = self.hidden_size
        params = {"W": np.concatenate([random_unitary(q, rng=rng).ravel() for q in self.sizes])}
        params |= {"V": glorot_uniform((self.input_size, 2 * n), rng=rng), "b": np.zeros(n)}
        return params | ({"h_0": unit_state(n, rng=rng)} if self.learn_state else {})

    def derive(self, p):
        return Params(p, M=kronecker_weights(p.W, self.sizes))

    def derive_backward(self, p, dparams):
        dM = dparams.pop("M")
        return {**dparams, "W": kronecker_weights_backward(dM, self.sizes)}

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        z = kronecker(h_prev, p.M, self.sizes) + a
        h, u, gain = modrelu(z, p.b)
        return (h,), {"u": u, "gain": gain}

    def step_backward(self, p, dh, *, u, gain):
        dz, _ = modrelu_backward(dh, u, gain)
        dh_prev = kronecker_backward(dz, p.M, self.sizes)
        return dz, (dh_prev,)

    def gradients(self, p, x, dz, *, h_prev, u):
        dx, dV, _ = affine_backward(x, p.V, dz)
        dM = kronecker_gradient(h_prev, dz, p.M, self.sizes)
        db = modrelu_bias_gradient(u, dz)
        return dx, {"M": dM, "V": dV, "b": db}

    def equations(self, lib, p, x, h):
        rest, n, W, q = p.W, self.hidden_size, lib.ones((1, 1)), 2
        while n > 1:
            while n % q == 0:
                W = lib.kron(W, eq.as_complex(rest[: 2 * q * q].reshape(q, 2 * q)))
                rest, n = rest[2 * q * q :], n // q
            q += 1
        return eq.modrelu(lib, p, eq.as_complex(h) @ W + eq.as_complex(x @ p.V))


class Unitarity:
    """The penalty strength * sum_f ||W_f* W_f - 1||^2 (squared Frobenius norms) on the factors of a `KroneckerRNN`."""

    def __init__(self, strength):
        self.strength = strength

    def weights(self, cell):
        """(value, {"W": gradient}); a factor's real matrix M has every entry of W* W - 1 twice in E."""
        xp, M, value, gradients = xp_of(cell.params.W), kronecker_weights(cell.params.W, cell.sizes), 0.0, []
        for factor in matrices(M, cell.sizes):
            E = factor.T @ factor - xp.eye(factor.shape[0], dtype=factor.dtype)
            value += self.strength / 2 * float(xp.sum(E * E))
            gradients.append(2 * self.strength * factor @ E)
        dM = xp.concat([reshape(each, -1) for each in gradients])
        return value, {"W": kronecker_weights_backward(dM, cell.sizes)}
