"""The Elman network, also called simple or vanilla RNN."""

import numpy as np

from tinyrnn.cells.parts import equations as eq
from tinyrnn.core.activations import get_activation
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, weight_gradient
from tinyrnn.init.distributions import glorot_uniform, scaled_identity


class Elman(Cell):
    """Elman network (Elman 1990; eq. 1 of Henaff, Szlam & LeCun 2016).

        a_t = x_t W_x + b
        h_t = phi(a_t + h_{t-1} W_h)

    activation: "tanh" (default), "relu", "elu" or "identity". Weights start Glorot-uniform, biases zero, as the tanh
    network of Arjovsky, Shah & Bengio (2015).

    Shapes: x (T, B, input_size); h (T, B, hidden_size); W_x (input_size, hidden_size); W_h (hidden_size, hidden_size).

    Good for: seeing backpropagation through time with nothing in the way, and gradients that vanish; short memories.
    """

    names = {
        "elman": {},
        "elman-relu": {"activation": "relu"},
        "elman-elu": {"activation": "elu"},
        "elman-identity": {"activation": "identity"},
    }
    family = "elman"
    inputs_on_paper = 2
    recurrent = ("W_h",)

    def __init__(self, input_size, hidden_size, *, activation="tanh", **options):
        self.activation = activation
        self.phi, self.dphi, self.kink = get_activation(activation)
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {
            "W_x": glorot_uniform((n, H), rng=rng),
            "W_h": glorot_uniform((H, H), rng=rng),
            "b": np.zeros(H),
        }

    def project(self, p, x):
        return affine(x, p.W_x, p.b)

    def step(self, p, a, h_prev):
        h = self.phi(a + h_prev @ p.W_h)
        return (h,), {}

    def step_backward(self, p, dh, *, h):
        da = dh * self.dphi(h)
        dh_prev = da @ p.W_h.T
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev):
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        return dx, {"W_x": dW_x, "W_h": weight_gradient(h_prev, da), "b": db}

    def equations(self, lib, p, x, h):
        return (eq.activation(lib, self.activation, x @ p.W_x + h @ p.W_h + p.b),)


class IRNN(Elman):
    """Identity RNN (Le, Jaitly & Hinton 2015): Elman with ReLU, W_h starting as `scale` times identity.

    Good for: long sums, such as the adding task, as long as the learning rate is small: what is added stays.
    """

    names = {"irnn": {}}

    def __init__(self, input_size, hidden_size, *, scale=1.0, activation="relu", **options):
        self.scale = scale
        super().__init__(input_size, hidden_size, activation=activation, **options)

    def init(self, rng):
        return {**super().init(rng), "W_h": scaled_identity(self.hidden_size, self.scale)}
