"""`tinyrnn record car-racing`: drives the CarRacing of Gymnasium at random and compresses what the camera saw.

What World Models (Ha & Schmidhuber 2018) does, smaller and with two deviations. There a variational autoencoder turns
each frame into 32 numbers, as here with `autoencoder` (see `tinyrnn.tasks.car_racing_autoencoder`). Without, which is
much faster, they are the frame's first 32 principal components, each divided by its standard deviation. So they are
uncorrelated and of variance 1 over the frames, as the autoencoder's are meant to be, but linear in the frame and not
noisy. There a network with random weights drives; here the policy looks at nothing: it holds an action for 10 steps on
average and then draws another, steering from U(-1, 1), pedals from U(-0.2, 1), where above zero is gas and below is
brake. The first second, in which the camera comes down from the sky, is not recorded.

Components, mean and deviations, or the autoencoder, are those of all rollouts' frames but the last tenth's, which is
held out.

The frames of every rollout are kept beside the file until it is whole, so an interrupted recording goes on where it
was. Each rollout has an environment and random streams of its own, so it does not matter when it was made.
"""

import math
import os
import shutil
from functools import cache
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

from tinyrnn.core.files import read_json, write_atomically, write_json
from tinyrnn.core.progress import Bar
from tinyrnn.tasks import car_racing_autoencoder
from tinyrnn.tasks.task import stream

SIZE = 64  # of the square frames that are kept
SHOWN = 84  # rows of the picture above the bar of instruments, which World Models cuts off too
POLICY, TRACK = 201, 202  # what a rollout's random streams are for
ZOOM = 50  # steps until the camera is where it stays
FIT, SEEN = 2000, 10_000  # frames at most that the components are worked out from, that an autoencoder learns from


def car_racing():
    """A new environment; ValueError in one line where Gymnasium or its physics engine is not installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # it draws, but nobody looks
    try:
        import gymnasium

        return gymnasium.make("CarRacing-v3")
    except Exception as error:
        if type(error).__name__ not in ("ImportError", "ModuleNotFoundError", "DependencyNotInstalled"):
            raise
        reason = " ".join(str(error).split())
        raise ValueError(f"CarRacing needs Gymnasium: pip install 'tinyrnn[car-racing]' ({reason})") from None


def record(path, rollouts=150, steps=250, latents=32, seed=0, make=car_racing, progress=True, autoencoder=0, width=8):
    """Record `rollouts` drives of at most `steps` steps each into the npz file `path`, which is returned.

    The file holds, for R rollouts of S steps and D latents,
        latents (R, S + 1, D) float32, actions (R, S, 3) float32: zero after a rollout's end;
        lengths (R,): steps in each rollout; held_out: how many rollouts, the last ones, the components do not know;
        mean (64, 64, 3), components (D, 64, 64, 3), scale (D,): frame = mean + sum_d latent_d scale_d component_d;
        explained (D,): each component's share of the frames' variance; seed.

    autoencoder: updates of an autoencoder with `width` channels in its first convolution. Then, in place of mean,
    components and scale, there are its parameters, as vae/NAME, and explained (), its share over the rollouts held out.

    make() returns a new environment. Raises FileExistsError where there is such a file already, ValueError for counts
    that make no sense or where an interrupted recording with other settings lies beside it.
    """
    path = Path(path)
    for name, value, least in (
        ("rollouts", rollouts, 2),
        ("steps", steps, 1),
        ("latents", latents, 1),
        ("autoencoder", autoencoder, 0),
        ("width", width, 1),
    ):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    if path.suffix != ".npz":
        raise ValueError(f"the recording must be called something.npz, not {path.name}")
    if path.exists():
        raise FileExistsError(f"{path} exists already: move it away, or choose another --out")
    folder = path.with_name(f"{path.name}.unfinished")
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"steps": steps, "seed": seed}
    if (folder / "settings.json").exists() and read_json(folder / "settings.json") != settings:
        raise ValueError(f"{folder} holds a recording with other settings: go on with those, or remove it")
    write_json(folder / "settings.json", settings)

    parts = [folder / f"{k:05d}.npz" for k in range(rollouts)]
    for k in Bar(range(rollouts), desc="driving", unit="rollout", disable=not progress):
        if not parts[k].exists():
            frames, actions = rollout(make(), seed, k, steps)
            write_npz(parts[k], frames=frames, actions=actions)
    held_out = max(1, rollouts // 10)
    arrays = compress(parts, held_out, steps, latents, progress, seed, autoencoder, width)
    write_npz(path, **arrays, held_out=np.array(held_out), seed=np.array(seed))
    shutil.rmtree(folder)
    return path


def rollout(env, seed, number, steps):
    """Drive once: frames (n + 1, 64, 64, 3) uint8 and actions (n, 3) float32, n <= steps; closes env."""
    rng = stream(seed, POLICY, number)
    try:
        frame, _ = env.reset(seed=int(stream(seed, TRACK, number).integers(2**31)))
        for _ in range(ZOOM):
            frame = env.step(np.zeros(3, "float32"))[0]
        frames, actions = [shrink(frame)], []
        for _ in range(steps):
            if not actions or rng.random() < 0.1:
                pedal = rng.uniform(-0.2, 1)
                action = np.array([rng.uniform(-1, 1), max(pedal, 0), max(-pedal, 0)], "float32")
            frame, _, terminated, truncated, _ = env.step(action)
            frames.append(shrink(frame))
            actions.append(action)
            if terminated or truncated:
                break
    finally:
        env.close()
    return np.stack(frames), np.stack(actions)


def shrink(frame):
    """A camera picture (96, 96, 3) uint8 without its instruments, as (64, 64, 3) uint8: means over areas."""
    rows, columns = averaging(SHOWN), averaging(frame.shape[1])
    small = np.einsum("ir,rcd->icd", rows, frame[:SHOWN], optimize=True)
    return np.rint(columns @ small).astype("uint8")


@cache
def averaging(n):
    """(64, n): row i holds how much of each of n pixels lies in the i-th of 64 equal parts, as shares of the part."""
    edges = np.arange(SIZE + 1)[:, None] * n / SIZE
    covered = np.clip(edges - np.arange(n), 0, 1)  # of pixel j, left of edge i
    return np.diff(covered, axis=0) * SIZE / n


def compress(parts, held_out, steps, latents, progress=True, seed=0, autoencoder=0, width=8):
    """The arrays of the file, from the rollouts' frames on disk, which never are in memory all at once."""
    known, unknown = parts[:-held_out], parts[-held_out:]
    if autoencoder:
        vae = car_racing_autoencoder.train(sample(known, SEEN), latents, autoencoder, width, seed, progress)
        explained = car_racing_autoencoder.held(vae, sample(unknown, FIT // 4))
        model = {**car_racing_autoencoder.as_arrays(vae), "explained": explained}
    else:
        model = by_components(sample(known, FIT), latents)
    z = np.zeros((len(parts), steps + 1, latents), "float32")
    actions = np.zeros((len(parts), steps, 3), "float32")
    lengths = np.zeros(len(parts), int)
    for k, part in enumerate(Bar(parts, desc="compressing", unit="rollout", disable=not progress)):
        with np.load(part) as arrays:
            frames, lengths[k] = arrays["frames"], len(arrays["actions"])
            if autoencoder:
                z[k, : len(frames)] = car_racing_autoencoder.draw(vae, frames, seed, k)
            else:
                flat = (frames - model["mean"]).reshape(len(frames), -1)
                z[k, : len(frames)] = flat @ model["components"].reshape(latents, -1).T / model["scale"]
            actions[k, : lengths[k]] = arrays["actions"]
    return {"latents": z, "actions": actions, "lengths": lengths, **model}


def by_components(frames, n):
    """Mean, first n components, deviations along them and shares of the variance, of frames (N, 64, 64, 3)."""
    mean, components, scale, explained = principal(frames.reshape(len(frames), -1).astype("float32"), n)
    shape = frames.shape[1:]
    found = {"mean": mean.reshape(shape), "components": components.reshape(n, *shape)}
    return found | {"scale": scale, "explained": explained}


def sample(parts, most):
    """(n, 64, 64, 3) uint8: at most so many frames, the same number from each rollout, evenly spaced."""
    each = max(1, most // len(parts))
    chosen = []
    for part in parts:
        with np.load(part) as arrays:
            frames = arrays["frames"]
        take = np.unique(np.linspace(0, len(frames) - 1, min(each, len(frames))).astype(int))
        chosen.append(frames[take])
    return np.concatenate(chosen)


def principal(frames, n):
    """Mean (p,), first n principal components (n, p), deviations (n,) along them and shares of the variance (n,).

    The components of N frames lie in the span of the frames, so the N x N matrix of products is enough (Sirovich 1987):
    if A Aᵀ v = s² v for the centred frames A, then Aᵀ v / s is the component, with deviation s / sqrt(N). Their signs
    are arbitrary; here the largest entry is positive.
    """
    mean = frames.mean(axis=0)
    A = frames - mean
    products = (A @ A.T).astype("float64")
    N, total = len(A), np.trace(products)
    if n >= N:
        raise ValueError(f"{n} latents need more than {n} frames, but there are {N}: record more")
    squares, v = eigh(products, subset_by_index=[N - n, N - 1])
    squares, v = squares[::-1], v[:, ::-1]
    if squares[-1] <= 1e-6 * total:
        rank = int((squares > 1e-6 * total).sum())
        raise ValueError(f"the frames differ in only {rank} directions, which is too few for {n} latents")
    s = np.sqrt(squares)
    components = (v / s).T.astype("float32") @ A
    components *= np.sign(np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1))
    return mean, components, (s / math.sqrt(N)).astype("float32"), (squares / total).astype("float32")


def write_npz(path, **arrays):
    """Writes arrays, name -> array, compressed and in one move."""

    def write(temporary):
        with open(temporary, "wb") as file:
            np.savez_compressed(file, **arrays)

    write_atomically(path, write)
