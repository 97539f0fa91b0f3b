"""CarRacing: what the camera will see next, given what it sees and what the driver does."""

import math
import os
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.core.files import cache_folder
from tinyrnn.tasks.mnist import shuffled
from tinyrnn.tasks.task import Batch, Task, check_batch, option

FILE = "car_racing.npz"  # as `tinyrnn record car-racing` makes it
NOTE = "latents are principal components, not an autoencoder's: only the order of losses can be compared"


@dataclass(frozen=True)
class CarRacing(Task):
    """CarRacing: predict the next frame's latents, from each frame and action (Ha & Schmidhuber 2018).

    The predictive network of World Models, on which Orhan & Pitkow (2020, Table 2) compare initialisations: the input
    is the latents z_t of the frame beside the action a_t, the target z_{t+1}, and the readout a mixture of Gaussians
    for each latent. A sequence is `steps` steps of one rollout; the end of a rollout that fills no whole one is padded
    and masked. Training goes through the sequences epoch by epoch, each in a new order; the last few, that do not fill
    a batch, sit that epoch out. Tests are on rollouts that neither training nor the making of the latents has seen.

    No one publishes the frames, so they must be recorded: see `tinyrnn.tasks.car_racing_recording`, which also says how
    its latents differ from the source's.
    """

    name: ClassVar = "car-racing"
    loss: ClassVar = "mixture_density"
    readout: ClassVar = "every"
    baseline_name: ClassVar = "no memory: one Gaussian a latent"

    file: str = option("", f"the recording (default: {FILE} in $TINYRNN_DATA or the cache folder)")
    latents: int = option(32, "latents of a frame that are used, the first ones", 1)
    mixtures: int = option(5, "Gaussians in the mixture of each latent", 1)
    steps: int = option(250, "steps of a sequence", 1)

    @property
    def input_size(self) -> int:
        """The latents of a frame and the three actions."""
        return self.latents + 3

    @property
    def output_size(self) -> int:
        """For each latent, weight, mean and width of every Gaussian of its mixture."""
        return 3 * self.mixtures * self.latents

    @cached_property
    def _recording(self):
        recording = read_recording(self.file or find_recording())
        if self.latents > recording.latents.shape[-1]:
            raise ValueError(f"car-racing: latents={self.latents}, but the recording has {recording.latents.shape[-1]}")
        return recording

    @property
    def note(self) -> Any:
        """What there is to say of the latents, or ""."""
        return "" if self._recording.vae else NOTE

    @cached_property
    def _train(self):
        return self._sequences(0, len(self._recording.lengths) - self._recording.held_out)

    @cached_property
    def _test(self):
        count = len(self._recording.lengths)
        return self._sequences(count - self._recording.held_out, count)

    def _sequences(self, first, last):
        """Rollouts first … last - 1 cut into one Batch of all their sequences, in float32."""
        z, actions, lengths = (a[first:last] for a in self._recording[:3])
        x, target, mask = [], [], []
        for rollout, length in enumerate(lengths):
            for start in range(0, length, self.steps):
                n = min(self.steps, length - start)
                here = slice(start, start + n)
                next_z = z[rollout, start + 1 : start + n + 1, : self.latents]
                x.append(padded(np.hstack([z[rollout, here, : self.latents], actions[rollout, here]]), self.steps))
                target.append(padded(next_z, self.steps))
                mask.append(np.arange(self.steps) < n)
        return Batch(np.stack(x, axis=1), np.stack(target, axis=1), np.stack(mask, axis=1))

    @cached_property
    def baseline(self) -> float:
        """Mean loss over the training targets of the Gaussian that fits each latent's best: ½ ln(2πe σ²)."""
        targets = self._train.target[self._train.mask].astype("float64")
        variances = targets.var(axis=0)
        if not variances.all():
            raise ValueError("car-racing: a latent never changes in this recording, so nothing is to be predicted")
        return float((0.5 * np.log(2 * math.pi * math.e * variances)).mean())

    @property
    def train_size(self) -> Any:
        """Number of sequences that are trained on."""
        return self._train.x.shape[1]

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of training sequences, each drawn from all: x (steps, size, latents + 3), target, mask."""
        check_batch(size, dtype)
        return chosen(self._train, as_rng(rng).integers(0, self.train_size, size), dtype)

    def batch(self, seed: int, step: int, size: int, dtype: str = "float32") -> Batch:
        """The training Batch number `step` of the run with this `seed`; an epoch shows no sequence twice.

        Raises ValueError where there are fewer than `size` sequences.
        """
        check_batch(size, dtype)
        if size > self.train_size:
            raise ValueError(f"car-racing: a batch of {size} is more than the {self.train_size} training sequences")
        epoch, k = divmod(step, self.train_size // size)
        return chosen(self._train, shuffled(seed, epoch, self.train_size)[k * size : (k + 1) * size], dtype)

    def test_batches(self, size: int, dtype: str = "float32") -> Any:
        """All sequences of the rollouts held out, as Batches of `size` (the last may be smaller)."""
        check_batch(size, dtype)
        count = self._test.x.shape[1]
        for start in range(0, count, size):
            yield chosen(self._test, np.arange(start, min(start + size, count)), dtype)

    def valid_batches(self, size: int, dtype: str = "float32") -> Any:
        """None: ValueError."""
        raise ValueError("car-racing: no rollouts are held out for validation")


class Drives(NamedTuple):
    """R rollouts of at most S steps, as `tinyrnn.tasks.car_racing_recording.record` describes them.

    A recording cut down to its numbers has neither components nor an autoencoder, and so no frames.
    """

    latents: np.ndarray
    actions: np.ndarray
    lengths: np.ndarray
    held_out: int
    mean: np.ndarray | None = None
    components: np.ndarray | None = None
    scale: np.ndarray | None = None
    vae: dict[str, np.ndarray] | None = None

    def frames(self, latents: Any) -> Any:
        """The pictures (..., 64, 64, 3) uint8 that latents (..., D) stand for.

        They are the first D of the recording's components, or all latents of its autoencoder.
        """
        if self.vae:
            from tinyrnn.tasks.car_racing_autoencoder import from_arrays  # which loads what trains it

            if latents.shape[-1] != self.latents.shape[-1]:
                raise ValueError(f"an autoencoder's frames need all of its {self.latents.shape[-1]} latents")
            y = from_arrays(self.vae).decode(np.asarray(latents, "float32").reshape(-1, latents.shape[-1]))
            return np.rint(255 * y).astype("uint8").reshape(*latents.shape[:-1], *y.shape[1:])
        if self.components is None or self.mean is None or self.scale is None:
            raise ValueError("this recording holds no components, so its frames cannot be shown")
        D = latents.shape[-1]
        pictures = np.tensordot(latents * self.scale[:D], self.components[:D], axes=1) + self.mean
        return np.clip(np.rint(pictures), 0, 255).astype("uint8")


def read_recording(path: Any) -> Any:
    """The `Drives` in an npz file.

    Raises FileNotFoundError, or a ValueError in one line that says what is wrong with the file.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist or is not a file: make one with `tinyrnn record car-racing`")
    try:
        with open(path, "rb") as opened, np.load(opened) as file:
            arrays = {name: file[name] for name in Drives._fields if name in file}
            arrays["vae"] = {name.removeprefix("vae/"): file[name] for name in file if name.startswith("vae/")}
    except (zipfile.BadZipFile, zlib.error, ValueError, TypeError, EOFError, OSError):
        raise ValueError(f"{path} is no npz file, or is damaged: record it again") from None
    missing = [name for name in ("latents", "actions", "lengths", "held_out") if name not in arrays]
    if missing:
        raise ValueError(f"{path} is no recording of CarRacing: it has no {', '.join(missing)}")
    z, actions, lengths, held_out = (arrays[name] for name in ("latents", "actions", "lengths", "held_out"))
    R, S = actions.shape[:2] if actions.ndim == 3 else (0, 0)
    shapes = {"latents": (R, S + 1, z.shape[-1] if z.ndim == 3 else 1), "actions": (R, S, 3), "lengths": (R,)}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{path} is no recording of CarRacing: {name} is {arrays[name].shape}, expected {shape}")
    if lengths.dtype.kind not in "iu" or not ((lengths >= 1) & (lengths <= S)).all():
        raise ValueError(f"{path} is no recording of CarRacing: lengths must be whole numbers from 1 to {S}")
    if held_out.shape != () or not 1 <= int(held_out) < R:
        raise ValueError(f"{path} is no recording of CarRacing: of its {R} rollouts, {held_out} are held out")
    if not (np.isfinite(z).all() and np.isfinite(actions).all()):
        raise ValueError(f"{path} holds numbers that are not finite: record it again")
    as_floats = {"latents": z.astype("float32"), "actions": actions.astype("float32")}
    return Drives(**{**arrays, **as_floats, "held_out": int(held_out)})


def find_recording() -> Any:
    """Where the recording is, in $TINYRNN_DATA or the cache folder. Raises FileNotFoundError, which says what to do."""
    folders = [cache_folder()]
    if os.environ.get("TINYRNN_DATA"):
        folders.insert(0, Path(os.environ["TINYRNN_DATA"]).expanduser())
    for folder in folders:
        if (folder / FILE).is_file():
            return folder / FILE
    places = " nor in ".join(map(str, folders))
    raise FileNotFoundError(f"{FILE} is not in {places}: make it with `tinyrnn record car-racing`")


def padded(rows: Any, n: Any) -> Any:
    """rows (m, k) with n - m rows of zeros after them."""
    return np.concatenate([rows, np.zeros((n - len(rows), rows.shape[1]), rows.dtype)])


def chosen(sequences: Any, which: Any, dtype: Any) -> Any:
    """The Batch of some of the sequences, in this order; without a mask where none of them ends early."""
    x, target, mask = (np.ascontiguousarray(a[:, which]) for a in sequences)
    return Batch(x.astype(dtype, copy=False), target.astype(dtype, copy=False), None if mask.all() else mask)
