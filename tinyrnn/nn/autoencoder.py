"""A variational autoencoder of pictures, with its backward pass by hand (Kingma & Welling 2014)."""

import numpy as np

from tinyrnn.core.activations import relu
from tinyrnn.core.backend import as_rng
from tinyrnn.core.ops import affine, positive, sigmoid, weight_gradient
from tinyrnn.core.types import Array, Seed, Weights
from tinyrnn.init.distributions import glorot_uniform
from tinyrnn.nn.convolution import conv, conv_backward, deconv, deconv_backward

ENCODER = (4, 4, 4, 4)  # sizes of the windows: 64 x 64 pixels, then 31, 14, 6, 2
DECODER = (5, 5, 6, 6)  # from 1 x 1 to 5, 13, 30, 64
STRIDE = 2


class VAE:
    """The autoencoder of World Models (Ha & Schmidhuber 2018), for frames x (N, 64, 64, 3) between 0 and 1.

        mu, log_var = affine maps of four convolutions of x, each with ReLU
        z = mu + exp(log_var / 2) noise
        y = sigmoid of four transposed convolutions of an affine map of z, with ReLU between them
        loss = mean over frames of  sum (y - x)^2  +  max(KL(N(mu, exp(log_var)) || N(0, 1)), free)

    width: channels of the first convolution; the others have twice, four times and eight times as many. The source has
    32, latents = 32 and free = 16, half a nat a latent, below which the divergence costs nothing.

    Parameters: W_e1 … W_e4 and W_d1 … W_d4 (k, k, channels, channels) with biases b_e1 …; W_z, b_z to mu and log_var
    side by side; W_d0, b_d0 from z. All weights begin Glorot-uniform, biases zero.
    """

    def __init__(self, latents: int = 32, width: int = 32, free: float = 0.5, rng: Seed = None, dtype: str = "float32"):
        self.latents, self.width, self.free = latents, width, free * latents
        rng = as_rng(rng)
        down = [3, width, 2 * width, 4 * width, 8 * width]
        up = [32 * width, 4 * width, 2 * width, width, 3]
        weights = {f"e{n + 1}": (k, k, *down[n : n + 2]) for n, k in enumerate(ENCODER)}
        weights |= {"z": (32 * width, 2 * latents), "d0": (latents, 32 * width)}
        weights |= {f"d{n + 1}": (k, k, up[n + 1], up[n]) for n, k in enumerate(DECODER)}
        self.params: Weights = {}
        for name, shape in weights.items():
            flat = glorot_uniform((int(np.prod(shape[:-1])), shape[-1]), rng, dtype=dtype)
            self.params[f"W_{name}"] = flat.reshape(shape)
            outputs = shape[-2] if name in ("d1", "d2", "d3", "d4") else shape[-1]
            self.params[f"b_{name}"] = np.zeros(outputs, dtype)

    def encode(self, x: Array) -> tuple[Array, Array]:
        """mu and log_var, (N, latents) each, of frames x."""
        mu, log_var, _ = self._encode(x)
        return mu, log_var

    def decode(self, z: Array) -> Array:
        """The frames y (N, 64, 64, 3) that z (N, latents) stand for."""
        return self._decode(z)[-1]

    def gradients(self, x: Array, noise: Array) -> tuple[Array, dict[str, Array], Weights]:
        """The loss of frames x with noise (N, latents), its two parts by name, and the parameters' gradients."""
        p, N = self.params, len(x)
        grads: Weights = {}
        mu, log_var, seen = self._encode(x)
        sigma = np.exp(log_var / 2)
        z = mu + sigma * noise
        drawn = self._decode(z)
        y = drawn[-1]
        error = ((y - x) ** 2).sum() / N
        divergences = 0.5 * (mu**2 + sigma**2 - 1 - log_var).sum(axis=1)
        paid = positive(divergences - self.free)
        divergence = (self.free + paid * (divergences - self.free)).sum() / N

        da = 2 / N * (y - x) * y * (1 - y)
        for n in (4, 3, 2, 1):
            dh, grads[f"W_d{n}"], grads[f"b_d{n}"] = deconv_backward(drawn[n - 1], p[f"W_d{n}"], da, STRIDE)
            da = dh * positive(drawn[n - 1]) if n > 1 else dh  # the affine map has no ReLU
        da = da.reshape(N, -1)
        grads["W_d0"], grads["b_d0"] = weight_gradient(z, da), da.sum(axis=0)
        dz = da @ p["W_d0"].T
        share = paid[:, None] / N
        dmu = dz + share * mu
        dlog_var = dz * noise * sigma / 2 + share * (sigma**2 - 1) / 2
        dboth = np.concatenate([dmu, dlog_var], axis=1)
        grads["W_z"], grads["b_z"] = weight_gradient(seen[-1].reshape(N, -1), dboth), dboth.sum(axis=0)
        dh = (dboth @ p["W_z"].T).reshape(seen[-1].shape)
        for n in (4, 3, 2, 1):
            da = dh * positive(seen[n])
            dh, grads[f"W_e{n}"], grads[f"b_e{n}"] = conv_backward(seen[n - 1], p[f"W_e{n}"], da, STRIDE)
        return error + divergence, {"error": error, "divergence": divergence}, grads

    def _encode(self, x):
        """mu, log_var, and x with what each convolution made of it."""
        p, seen = self.params, [x]
        for n in (1, 2, 3, 4):
            seen.append(relu(conv(seen[-1], p[f"W_e{n}"], p[f"b_e{n}"], STRIDE)))
        both = affine(seen[-1].reshape(len(x), -1), p["W_z"], p["b_z"])
        return both[:, : self.latents], both[:, self.latents :], seen

    def _decode(self, z):
        """What the affine map, each transposed convolution and the sigmoid made of z."""
        p = self.params
        drawn = [affine(z, p["W_d0"], p["b_d0"]).reshape(len(z), 1, 1, -1)]
        for n in (1, 2, 3, 4):
            a = deconv(drawn[-1], p[f"W_d{n}"], p[f"b_d{n}"], STRIDE)
            drawn.append(relu(a) if n < 4 else sigmoid(a))
        return drawn
