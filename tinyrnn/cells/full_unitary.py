"""The full-capacity unitary RNN: any unitary matrix, kept so by the optimiser."""

from types import MappingProxyType

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.cells.parts.blocks import complex_matrix, complex_matrix_backward
from tinyrnn.cells.unitary import modrelu, modrelu_backward, modrelu_bias_gradient, modrelu_inverse
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, weight_gradient
from tinyrnn.init.distributions import glorot_uniform, random_unitary, unit_state


class FullUnitaryRNN(Cell):
    """Full-capacity unitary RNN (Wisdom, Powers, Hershey, Le Roux & Atlas 2016).

        z_t = h_{t-1} W + x_t V                     W any unitary matrix
        h_t = modReLU(z_t) = (|z| + b) z / |z|  where |z| + b > 0, else 0

    W is a parameter like any other here, and its gradient that of an unconstrained matrix. What keeps it unitary is the
    optimiser: `manifolds` says what W is, and `tinyrnn.optim.manifolds` takes a step that stays there (its eqs. 8 and
    9).

    Complex vectors are real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`): h (T, B, 2n) for `hidden_size` n
    complex units.

    Parameters: W (n, 2n), complex rows, a random unitary matrix (Haar measure); V (input_size, 2n), Glorot-uniform; b
    (n,), zero; and h_0 (2n,), the initial state, learned by default, of unit expected norm.

    Good for: long memories in a state of few units, where the n^2 parameters and an n x n linear system an update are
    affordable.
    """

    names = {"urnn-full": {}}
    manifolds = MappingProxyType({"W": "unitary"})

    def __init__(self, input_size, hidden_size, *, learn_state=True, **options):
        super().__init__(input_size, hidden_size, learn_state=learn_state, **options)

    @property
    def state_sizes(self):
        return (2 * self.hidden_size,)

    def init(self, rng):
        n = self.hidden_size
        params = {"W": random_unitary(n, rng=rng)}
        params |= {"V": glorot_uniform((self.input_size, 2 * n), rng=rng), "b": np.zeros(n)}
        return params | ({"h_0": unit_state(n, rng=rng)} if self.learn_state else {})

    def derive(self, p):
        return Params(p, M=complex_matrix(p.W))

    def derive_backward(self, p, dparams):
        dM = dparams.pop("M")
        return {**dparams, "W": complex_matrix_backward(dM)}

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        z = h_prev @ p.M + a
        h, u, gain = modrelu(z, p.b)
        return (h,), {"u": u, "gain": gain}

    def step_backward(self, p, dh, *, u, gain):
        dz, _ = modrelu_backward(dh, u, gain)
        dh_prev = dz @ p.M.T
        return dz, (dh_prev,)

    def gradients(self, p, x, dz, *, h_prev, u):
        dx, dV, _ = affine_backward(x, p.V, dz)
        dM = weight_gradient(h_prev, dz)
        db = modrelu_bias_gradient(u, dz)
        return dx, {"M": dM, "V": dV, "b": db}

    def step_inverse(self, p, a, h):
        """W* undoes W. A unit with h = 0 is taken to have had z = 0."""
        z = modrelu_inverse(h, p.b)
        h_prev = (z - a) @ p.M.T
        return (h_prev,)

    def equations(self, lib, p, x, h):
        return eq.modrelu(lib, p, eq.as_complex(h) @ eq.as_complex(p.W) + eq.as_complex(x @ p.V))
