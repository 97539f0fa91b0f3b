"""Frames of CarRacing as a variational autoencoder's latents: trained on some of them, as in World Models."""

import numpy as np

from tinyrnn.core.progress import Bar
from tinyrnn.nn.autoencoder import VAE
from tinyrnn.optim.optimisers import Adam
from tinyrnn.tasks.task import stream

BATCH, RATE = 32, 1e-3  # of ours; the source has 100 and 1e-4, with four times the channels and for much longer
WEIGHTS, FRAMES, NOISE, DRAWS = 203, 204, 205, 206  # what the random streams are for


def train(frames, latents, updates, width=8, seed=0, progress=True, batch=BATCH, lr=RATE):
    """A `VAE` after `updates` of Adam, each on some of the frames (N, 64, 64, 3) uint8, drawn at random."""
    vae, optimiser = VAE(latents, width, rng=stream(seed, WEIGHTS)), Adam(lr=lr)
    which, noise = stream(seed, FRAMES), stream(seed, NOISE)
    for _ in Bar(range(updates), desc="autoencoder", unit="update", disable=not progress):
        x = pixels(frames[which.integers(0, len(frames), batch)])
        _, _, gradients = vae.gradients(x, noise.normal(size=(batch, latents)).astype("float32"))
        optimiser.step(vae.params, gradients)
    return vae


def draw(vae, frames, seed, number):
    """z (n, latents) ~ N(mu, sigma) of the frames of rollout `number`, drawn once; the source draws for every batch."""
    mu, log_var = vae.encode(pixels(frames))
    return mu + np.exp(log_var / 2) * stream(seed, DRAWS, number).normal(size=mu.shape).astype("float32")


def held(vae, frames):
    """The share of the frames' variance that their decoded mu hold."""
    x = pixels(frames)
    return 1 - ((vae.decode(vae.encode(x)[0]) - x) ** 2).sum() / ((x - x.mean(axis=0)) ** 2).sum()


def pixels(frames):
    """uint8 as float32 between 0 and 1."""
    return frames.astype("float32") / 255


def as_arrays(vae):
    """What a recording holds of it: name -> parameter."""
    return {f"vae/{name}": value for name, value in vae.params.items()}


def from_arrays(arrays):
    """The `VAE` of these parameters, without the `vae/`; ValueError where they are those of another network."""
    try:
        vae = VAE(arrays["W_d0"].shape[0], arrays["W_e1"].shape[-1], rng=0)
        if {name: value.shape for name, value in vae.params.items()} != {n: v.shape for n, v in arrays.items()}:
            raise ValueError
    except (KeyError, ValueError, IndexError):
        raise ValueError("this recording's autoencoder is incomplete, so its frames cannot be shown") from None
    vae.params = dict(arrays)
    return vae
