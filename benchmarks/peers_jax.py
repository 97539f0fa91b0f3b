"""The same training step in JAX, for `training_step.py`: `lax.scan`, jitted as a whole, gradients by `jax.vjp`.

The input is projected before the scan, as in ours. `scan`'s `unroll` was tried at 1, 4 and 16: 1, the default, is the
fastest here and compiles in seconds. The parameters have our names and layouts.
"""

import jax
import jax.numpy as jnp


def forms(name, cell, x, dh, last, input_gradient=False):
    """As `peers_torch.forms`."""
    if name not in BODIES:
        return {}
    params, x, dh = {key: jnp.asarray(value) for key, value in cell.params.items()}, jnp.asarray(x), jnp.asarray(dh)
    H = cell.hidden_size

    def outputs(params, x):
        a = x @ params["W_x"] + params["b"]
        state = (jnp.zeros((x.shape[1], H), x.dtype),) * len(cell.states)
        return jax.lax.scan(lambda state, a_t: BODIES[name](params, a_t, *state), state, a)[1]

    @jax.jit
    def gradients(params, x, dh):
        if input_gradient:
            h, pull = jax.vjp(outputs, params, x)
        else:
            h, pull = jax.vjp(lambda params: outputs(params, x), params)
        upstream = jnp.zeros_like(h).at[-1].set(dh[-1]) if last else dh
        return h, pull(upstream)

    def step():
        h, grads = jax.block_until_ready(gradients(params, x, dh))
        return h, grads[0]["W_h"]

    return {"": step}


def elman(p, a, h):
    h = jnp.tanh(a + h @ p["W_h"])
    return (h,), h


def lstm(p, a, h, c):
    i, f, o, g = jnp.split(a + h @ p["W_h"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def gru(p, a, h):
    a_r, a_z, a_n = jnp.split(a, 3, axis=-1)
    u_r, u_z, u_n = jnp.split(h @ p["W_h"], 3, axis=-1)
    r, z = jax.nn.sigmoid(a_r + u_r), jax.nn.sigmoid(a_z + u_z)
    n = jnp.tanh(a_n + r * (u_n + p["b_n"]))
    h = (1 - z) * n + z * h
    return (h,), h


BODIES = {"elman": elman, "lstm": lstm, "gru": gru}
