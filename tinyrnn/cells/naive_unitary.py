"""A unitary matrix with fixed eigenvectors: the obvious construction, and what it costs."""

from types import MappingProxyType

import numpy as np

from tinyrnn.cells.full_unitary import FullUnitaryRNN
from tinyrnn.cells.parts import equations as eq
from tinyrnn.cells.parts.blocks import complex_matrix, phase_weights, phases, phases_gradient
from tinyrnn.core.cell import Params
from tinyrnn.init.distributions import glorot_uniform, random_unitary, unit_state


class NaiveUnitaryRNN(FullUnitaryRNN):
    """Unitary RNN with fixed eigenvectors (Arjovsky, Shah & Bengio 2015, section 4).

        W = Q diag(e^{i theta}) Q*                  Q a fixed unitary matrix
        z_t = h_{t-1} W + x_t V
        h_t = modReLU(z_t) = (|z| + b) z / |z|  where |z| + b > 0, else 0

    A matrix is unitary exactly if it has such a form; the source names this one (with V for Q) to say what is wrong
    with it: n parameters for O(n^2) memory and time. `UnitaryRNN` is what it proposes instead.

    Complex vectors are real arrays [Re; Im] (see `tinyrnn.cells.parts.blocks`): h (T, B, 2n) for `hidden_size` n
    complex units.

    Parameters: theta (n,), uniform in [-pi, pi]; V (input_size, 2n), Glorot-uniform; b (n,), zero; and h_0 (2n,), the
    initial state, learned by default, of unit expected norm. Q is drawn once (Haar measure) and fixed: a constant (n,
    2n), complex rows.

    The steps, forward and backward, are those of `FullUnitaryRNN`: only where W comes from is another matter.

    Good for: comparison, as the simplest recurrence that is unitary whatever the optimiser does.
    """

    names = {"urnn-naive": {}}
    manifolds = MappingProxyType({})

    def __init__(self, input_size, hidden_size, *, rng=None, **options):
        rng = np.random.default_rng(rng)
        super().__init__(input_size, hidden_size, rng=rng, **options)
        self.constants["Q"] = random_unitary(self.hidden_size, rng=rng, dtype=self.dtype)

    def init(self, rng):
        n = self.hidden_size
        params = {"theta": rng.uniform(-np.pi, np.pi, n)}
        params |= {"V": glorot_uniform((self.input_size, 2 * n), rng=rng), "b": np.zeros(n)}
        return params | ({"h_0": unit_state(n, rng=rng)} if self.learn_state else {})

    def derive(self, p):
        Q = complex_matrix(self.constants["Q"])
        Y = phases(Q, phase_weights(p.theta))
        M = Y @ Q.T
        return Params(p, Q=Q, Y=Y, M=M)

    def derive_backward(self, p, dparams):
        dM = dparams.pop("M")
        dY = dM @ p.Q
        return {**dparams, "theta": phases_gradient(p.Y, dY)}

    def equations(self, lib, p, x, h):
        Q = lib.asarray(eq.as_complex(self.constants["Q"]))
        W = (Q * lib.exp(1j * p.theta)) @ Q.conj().T
        return eq.modrelu(lib, p, eq.as_complex(h) @ W + eq.as_complex(x @ p.V))
