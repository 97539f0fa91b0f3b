"""What `update.py` stands beside, in JAX: the same network and update as one jitted function."""

import jax
import jax.numpy as jnp
import numpy as np
from peers_jax import BODIES

GATES = {"elman": 1, "lstm": 4, "gru": 3}
B1, B2, EPS = 0.9, 0.999, 1e-8  # of Adam


class JaxPeer:
    """A scan over time, readout, loss, its gradients, clipping and Adam, compiled by XLA as a whole."""

    def __init__(self, trainer):
        self.settings, self.task, self.step = trainer.settings, trainer.task, 0
        self.params = start(trainer.settings, self.task)
        averages = [jax.tree.map(jnp.zeros_like, self.params) for _ in range(2)]
        shape, states = (self.settings.batch, self.settings.hidden), 2 if self.settings.cell == "lstm" else 1
        self.carried = (*averages, tuple(jnp.zeros(shape, jnp.float32) for _ in range(states)))
        self.jitted = jax.jit(self.new, donate_argnums=(0, 1))

    def update(self):
        """One update; the loss."""
        s = self.settings
        x, target = self.task.batch(s.seed, self.step, s.batch)[:2]
        self.step += 1
        self.params, self.carried, loss = self.jitted(self.params, self.carried, self.step, x, target)
        return float(loss)

    def new(self, params, carried, step, x, target):
        """(parameters, (Adam's two averages, state), loss) after an update."""
        first, second, state = carried
        (loss, state), grads = jax.value_and_grad(self.loss, has_aux=True)(params, state, x, target)
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
        scale = jnp.minimum(1, self.settings.clip_norm / (norm + 1e-6))
        first = jax.tree.map(lambda m, g: B1 * m + (1 - B1) * scale * g, first, grads)
        second = jax.tree.map(lambda v, g: B2 * v + (1 - B2) * (scale * g) ** 2, second, grads)
        rate = self.settings.lr * jnp.sqrt(1 - B2**step) / (1 - B1**step)
        params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + EPS), params, first, second)
        return params, (first, second, state if self.task.carries else carried[2]), loss

    def loss(self, p, state, x, target):
        """(loss, last state)."""
        if "embedding" in p:
            a = p["embedding"][x] @ p["W_x"]
        else:  # the row of a class is what a product with a one-hot vector picks
            a = p["W_x"][x] if x.dtype.kind in "iu" else x @ p["W_x"]
        body = BODIES[self.settings.cell]
        state, h = jax.lax.scan(lambda state, a_t: body(p, a_t, *state), state, a + p["b"])
        y = h if self.task.readout == "every" else h[-1]
        y = y @ (p["embedding"].T if self.settings.tied else p["V"]) + p["c"]
        if self.task.loss == "squared_error":
            return jnp.mean((y - target) ** 2), state
        picked = jnp.take_along_axis(jax.nn.log_softmax(y), target[..., None], axis=-1)
        return -jnp.mean(picked), state


def start(s, task):
    """Parameters as PyTorch draws them, uniform in ±1/sqrt(units)."""
    rng, n, H, k = np.random.default_rng(0), s.embedding or task.input_size, s.hidden, task.output_size
    shapes = {"W_x": (n, GATES[s.cell] * H), "W_h": (H, GATES[s.cell] * H), "b": (GATES[s.cell] * H,), "c": (k,)}
    shapes |= {"b_n": (H,)} if s.cell == "gru" else {}
    shapes |= {"embedding": (task.input_size, s.embedding)} if s.embedding else {}
    shapes |= {} if s.tied else {"V": (H, k)}
    drawn = {name: rng.uniform(-1, 1, shape) / np.sqrt(H) for name, shape in shapes.items()}
    return {name: jnp.asarray(value, jnp.float32) for name, value in drawn.items()}
