"""Sequential MNIST: the digits read as sequences, by pixel, by row, or by pixel in a scrambled order."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.tasks import data
from tinyrnn.tasks.task import ORDER, Batch, Task, check_batch, option, stream


@dataclass(frozen=True)
class SequentialMNIST(Task):
    """MNIST, one pixel or one row of 28 a step, classified after the last step (Le et al. 2015, §4.2).

    Training goes through the images epoch by epoch, each in a new order; the last few images, that do not
    fill a whole batch, sit that epoch out. The files are read when the first batch is asked for:
    `tinyrnn.tasks.data` says where they are looked for.
    """

    name: ClassVar = "mnist"
    loss: ClassVar = "cross_entropy"
    readout: ClassVar = "last"
    baseline_name: ClassVar = "no memory: guess the digit"
    classes: ClassVar = 10
    output_size: ClassVar = 10

    order: Literal["pixels", "rows", "permuted"] = option(
        "pixels",
        "pixels: 784 steps of one pixel, row after row; rows: 28 steps of one row; "
        "permuted: the pixels in one fixed random order",
    )
    permutation_seed: int = option(0, "seed of the permuted order; the papers share none", 0)
    scaling: Literal["unit", "standard"] = option(
        "unit",
        "unit: p/255 (Orhan & Pitkow, Arjovsky, cannon); "
        "standard: (p/255 - 0.1307)/0.3081, mean 0 and standard deviation 1 over the training images (TCN)",
    )
    valid: int = option(0, "number of training images, the last ones, that are held out for validation", 0)
    tested: int = option(0, "number of test images, the first ones, that are used; 0: all", 0)

    @property
    def validates(self) -> bool:
        """Whether images are held out for it."""
        return self.valid > 0

    @property
    def steps(self) -> int:
        """28 rows, or 784 pixels."""
        return 28 if self.order == "rows" else 784

    @property
    def input_size(self) -> int:
        """The pixels of a row, or one."""
        return 28 if self.order == "rows" else 1

    @property
    def baseline(self) -> float:
        """Cross-entropy of who guesses, ln 10."""
        return guessing_baseline(self.classes)

    @property
    def permutation(self) -> Any:
        """(784,) pixel numbers in the order in which the permuted task shows them."""
        return as_rng(self.permutation_seed).permutation(784)

    @cached_property
    def _train(self):
        images, labels = data.mnist("train")
        if self.valid >= len(images):
            raise ValueError(f"mnist: valid={self.valid} leaves none of the {len(images)} images to train on")
        return images, labels

    @cached_property
    def _test(self):
        images, labels = data.mnist("test")
        return images[: self.tested or None], labels[: self.tested or None]

    @property
    def train_size(self) -> Any:
        """Number of images that are trained on."""
        return len(self._train[0]) - self.valid

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of training images, each drawn from all: x (steps, size, input_size), target (size,)."""
        check_batch(size, dtype)
        return self._batch(self._train, as_rng(rng).integers(0, self.train_size, size), dtype)

    def batch(self, seed: int, step: int, size: int, dtype: str = "float32") -> Batch:
        """The training Batch number `step` of the run with this `seed`; an epoch shows no image twice.

        Raises ValueError where there are fewer than `size` images.
        """
        check_batch(size, dtype)
        if size > self.train_size:
            raise ValueError(f"mnist: a batch of {size} is more than the {self.train_size} training images")
        epoch, k = divmod(step, self.train_size // size)
        chosen = shuffled(seed, epoch, self.train_size)[k * size : (k + 1) * size]
        return self._batch(self._train, chosen, dtype)

    def test_batches(self, size: int, dtype: str = "float32") -> Any:
        """The test images in the file's order, as Batches of `size` (the last may be smaller)."""
        check_batch(size, dtype)
        yield from self._batches(self._test, 0, size, dtype)

    def valid_batches(self, size: int, dtype: str = "float32") -> Any:
        """The held-out training images, as in `test_batches`. Raises ValueError where there are none."""
        check_batch(size, dtype)
        if not self.valid:
            raise ValueError("mnist: no images are held out for validation: set valid, for example to 5000")
        yield from self._batches(self._train, self.train_size, size, dtype)

    def _batches(self, images_and_labels, first, size, dtype):
        count = len(images_and_labels[0])
        for start in range(first, count, size):
            yield self._batch(images_and_labels, np.arange(start, min(start + size, count)), dtype)

    def _batch(self, images_and_labels, chosen, dtype):
        images, labels = images_and_labels
        pixels = images[chosen].reshape(len(chosen), self.steps, self.input_size)
        if self.order == "permuted":
            pixels = pixels[:, self.permutation]
        grey = np.arange(256) / 255  # the float of each of the 256 values, worked out once and looked up
        if self.scaling == "standard":
            grey = (grey - 0.1307) / 0.3081
        x = grey.astype(dtype)[np.ascontiguousarray(pixels.swapaxes(0, 1))]
        return Batch(x, labels[chosen].astype(np.int64))


@lru_cache(maxsize=4)
def shuffled(seed: int, epoch: Any, n: Any) -> Any:
    """(n,) the numbers 0 … n-1 in the order of one epoch of the run with this seed; shared, so read-only."""
    order = stream(seed, ORDER, epoch).permutation(n)
    order.flags.writeable = False
    return order


def guessing_baseline(classes: Any) -> float:
    """ln C: every class with probability 1/C."""
    return float(np.log(classes))
