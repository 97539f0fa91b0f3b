"""The linear-transition RNN: the nonlinearity sits on the input, the recurrence is a matrix and nothing else."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.activations import get_activation
from tinyrnn.core.backend import xp_of
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.ops import affine, affine_backward, weight_gradient
from tinyrnn.init.distributions import gaussian_orthogonal, glorot_uniform


class LinearRNN(Cell):
    """Linear-transition RNN, LT-RNN (Henaff, Szlam & LeCun 2016, eq. 2).

        a_t = sigma(x_t U + b)
        h_t = h_{t-1} V + a_t

    activation: sigma, "identity" (default; the copy task), "relu" (the adding task) or "tanh".
    transition: how V starts: "orthogonal" (LT-ORNN: Gaussian of variance 1/n, then the nearest orthogonal matrix) or
        "identity" (LT-IRNN).

    Shapes: x (T, B, input_size); h (T, B, hidden_size); U (input_size, hidden_size); V (hidden_size, hidden_size).
    The paper's column vectors are rows here, so U and V are its matrices transposed.

    Good for: long memory that can be worked out on paper: orthogonal it solves the copy task at once, as identity with
    ReLU the adding task.
    """

    names = {
        "lt-ornn": {},
        "lt-ornn-relu": {"activation": "relu"},
        "lt-ornn-tanh": {"activation": "tanh"},
        "lt-irnn": {"activation": "relu", "transition": "identity"},
    }
    family = "lt-rnn"
    inputs_on_paper = 2
    recurrent = ("V",)

    def __init__(self, input_size, hidden_size, *, activation="identity", transition="orthogonal", **options):
        if transition not in ("orthogonal", "identity"):
            raise ValueError(f'transition must be "orthogonal" or "identity", got {transition!r}')
        self.activation = activation
        self.transition = transition
        self.sigma, self.dsigma, self.kink = get_activation(activation)
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        V = np.eye(H) if self.transition == "identity" else gaussian_orthogonal(H, rng)
        return {"U": glorot_uniform((n, H), rng=rng), "V": V, "b": np.zeros(H)}

    @staticmethod
    def params_of_blocks(W_x, W_h, b):
        return {"U": W_x[0], "V": W_h[0], "b": b[0]}

    def project(self, p, x):
        return self.sigma(affine(x, p.U, p.b))

    def step(self, p, a, h_prev):
        h = h_prev @ p.V + a
        return (h,), {}

    def step_backward(self, p, dh):
        da = dh
        dh_prev = dh @ p.V.T
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, a, h_prev):
        dx, dU, db = affine_backward(x, p.U, da * self.dsigma(a))
        return dx, {"U": dU, "V": weight_gradient(h_prev, da), "b": db}

    def derive_inverse(self, p):
        """V^-1 and not V^T: V starts orthogonal, but training does not keep it so. ValueError where V is singular."""
        xp = xp_of(p.V)
        try:
            return Params(p, V_inverse=xp.linalg.inv(p.V))
        except np.linalg.LinAlgError:
            raise ValueError(f"{self.name}: V is singular, so its steps cannot be inverted") from None

    def step_inverse(self, p, a, h):
        h_prev = (h - a) @ p.V_inverse
        return (h_prev,)

    def equations(self, lib, p, x, h):
        return (h @ p.V + eq.activation(lib, self.activation, x @ p.U + p.b),)
