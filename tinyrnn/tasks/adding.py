"""The adding task: of many random numbers, remember the two that are marked, and say their sum at the end."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.tasks.task import Batch, Task, check_batch, option


@dataclass(frozen=True)
class Adding(Task):
    """Adding (Hochreiter & Schmidhuber 1997, task 4, in the form of Arjovsky et al. 2015, §4.2).

    Two inputs a step: a value from U[0, 1], and a mark that is 1 on two steps i ≠ j and 0 on the others. The
    target after the last step is value_i + value_j, summed in the batch's own precision; the loss is the
    squared error.
    """

    name: ClassVar = "adding"
    loss: ClassVar = "squared_error"
    readout: ClassVar = "last"
    baseline_name: ClassVar = "no memory: answer 1"
    input_size: ClassVar = 2
    output_size: ClassVar = 1

    steps: int = option(100, "T, the total number of steps (Arjovsky: 100 to 750; Orhan & Pitkow: 750)", 2)
    marks: Literal["halves", "anywhere"] = option(
        "halves",
        "halves: one mark in the first T//2 steps, one in the rest (Arjovsky, Orhan & Pitkow); "
        "anywhere: any two different steps (TCN, cannon; Henaff does not say)",
    )
    channels: Literal["value-mark", "mark-value"] = option(
        "value-mark",
        "order of the two inputs: value-mark (Henaff, Arjovsky, TCN, cannon) or mark-value (Orhan & Pitkow)",
    )

    @property
    def baseline(self) -> float:
        """Mean squared error of who always answers 1."""
        return adding_baseline()

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of floats (`dtype` only rounds them): x (steps, size, 2), target (size, 1)."""
        dtype = check_batch(size, dtype)
        rng = as_rng(rng)
        values = rng.random((self.steps, size)).astype(dtype)
        if self.marks == "halves":
            i = rng.integers(0, self.steps // 2, size)
            j = rng.integers(self.steps // 2, self.steps, size)
        else:
            i = rng.integers(0, self.steps, size)
            j = rng.integers(0, self.steps - 1, size)
            j += j >= i  # skips i, so that the other steps stay equally likely
        column = np.arange(size)
        marks = np.zeros_like(values)
        marks[i, column] = marks[j, column] = 1
        target = values[i, column] + values[j, column]
        pair = (values, marks) if self.channels == "value-mark" else (marks, values)
        return Batch(np.stack(pair, axis=-1), target[:, None])


def adding_baseline(remembered: int = 0) -> float:
    """Squared error of the best predictor that remembers 0, 1 or 2 of the addends: 1/6, 1/12, 0.

    It adds ½ for each addend it has forgotten, at the cost of the variance of U[0, 1]: 1/12 each.
    """
    if remembered not in (0, 1, 2):
        raise ValueError(f"remembered must be 0, 1 or 2 addends, got {remembered!r}")
    return (2 - remembered) / 12
