"""The echo-state network: a recurrence that is drawn once and never trained."""

from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import affine, affine_backward, tanh, weight_gradient
from tinyrnn.init.distributions import reservoir


class EchoStateNetwork(Cell):
    """Echo-state network with leaky units (Jaeger 2001; leaky units as in Lukoševičius 2012, eqs. 2-3).

        g_t = tanh(x_t W_x + h_{t-1} W_h + b)
        h_t = (1 - leak) h_{t-1} + leak g_t

    Training leaves W_x, W_h and b as they were drawn (`fixed`): only the readout learns, best in closed form
    (`tinyrnn.nn.ridge`). Their gradients are there all the same, for whoever asks `backward`.

    spectral_radius: largest absolute eigenvalue of W_h, 0.9 by default. Below 1, the first state is forgotten in
        practice, the "echo state property", though that is no guarantee (Jaeger 2001 has the conditions).
    connections: units that drive each unit, 10 by default (Jaeger 2001 recommends few, whatever the size), or all of
        them where there are not more. W_h is kept as a full matrix: few connections save no time here.
    leak: 1 (default) has no leak. input_scale: W_x is U(-input_scale, input_scale). bias_scale: the same for b.

    Shapes: x (T, B, input_size); h (T, B, hidden_size); W_x (input_size, hidden_size); W_h (hidden_size, hidden_size),
    entry (i, j) the weight from unit i to unit j; b (hidden_size,). There is no feedback from the readout.

    Good for: a baseline that trains in one pass, and forecasting chaotic series; memory fades with the spectral radius.
    """

    names = {"esn": {}}
    fixed = ("W_x", "W_h", "b")
    recurrent = ("W_h",)

    def __init__(
        self,
        input_size,
        hidden_size,
        *,
        spectral_radius=0.9,
        connections=10,
        leak=1.0,
        input_scale=1.0,
        bias_scale=0.1,
        **options,
    ):
        if not spectral_radius >= 0:
            raise ValueError(f"spectral_radius must be at least 0, got {spectral_radius!r}")
        if not isinstance(connections, int) or connections < 1:
            raise ValueError(f"connections must be a whole number of at least 1, got {connections!r}")
        if not 0 < leak <= 1:
            raise ValueError(f"leak must be above 0 and at most 1, got {leak!r}")
        self.spectral_radius, self.connections, self.leak = spectral_radius, connections, leak
        self.input_scale, self.bias_scale = input_scale, bias_scale
        super().__init__(input_size, hidden_size, **options)

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {
            "W_x": self.input_scale * rng.uniform(-1, 1, (n, H)),
            "W_h": reservoir(H, self.spectral_radius, self.connections, rng),
            "b": self.bias_scale * rng.uniform(-1, 1, H),
        }

    def project(self, p, x):
        return affine(x, p.W_x, p.b)

    def step(self, p, a, h_prev):
        g = tanh(a + h_prev @ p.W_h)
        h = (1 - self.leak) * h_prev + self.leak * g
        return (h,), {"g": g}

    def step_backward(self, p, dh, *, g):
        dg = self.leak * dh
        da = dg * (1 - g * g)
        dh_prev = (1 - self.leak) * dh + da @ p.W_h.T
        return da, (dh_prev,)

    def gradients(self, p, x, da, *, h_prev):
        dx, dW_x, db = affine_backward(x, p.W_x, da)
        return dx, {"W_x": dW_x, "W_h": weight_gradient(h_prev, da), "b": db}

    def equations(self, lib, p, x, h):
        return (h + self.leak * (lib.tanh(x @ p.W_x + h @ p.W_h + p.b) - h),)
