"""Copy tasks: read a few symbols, wait, and say them again in the same order.

With S symbols out of K and delay T a sequence has T + 2S steps; `.` is the blank, `|` the delimiter:

    input    3 1 2 . . . . . . | . . .        S symbols, T - 1 blanks, the delimiter, S blanks
    target   . . . . . . . . . . 3 1 2        T + S blanks, the S symbols
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.backend import as_rng
from tinyrnn.tasks.task import Batch, Task, check_batch, option


@dataclass(frozen=True)
class Copy(Task):
    """Copy after a fixed delay (Henaff et al. 2016, §3.1; Arjovsky et al. 2015, §4.1; Orhan & Pitkow 2019).

    Give either the delay or the total length. The recall fills the last S steps, whatever the switches; the
    loss is the mean over all steps.

        Copy(delay=100)                            Henaff et al., Arjovsky et al.
        Copy(total=500)                            Orhan & Pitkow: the same with a delay of 480
        Copy(delay=1000, recall="at")              Lezcano-Casado & Martínez-Rubio 2019 (expRNN)
        Copy(delay=1000, delimiter="repeated", delimiter_class=True)      Bai et al. 2018 (TCN)
    """

    name: ClassVar = "copy"
    loss: ClassVar = "cross_entropy"
    readout: ClassVar = "every"
    baseline_name: ClassVar = "no memory: guess the symbols"

    delay: int | None = option(None, "T: a symbol is due T + S steps after it was read (Henaff, Arjovsky)", 1)
    total: int | None = option(None, "T + 2S, the total number of steps, instead of T (Orhan & Pitkow)", 1)
    symbols: int = option(8, "K, the number of different symbols", 2)
    length: int = option(10, "S, the number of symbols to remember", 1)
    codes: Literal["blank-first", "blank-last"] = option(
        "blank-first",
        "blank-first: blank 0, symbols 1..K (code of Arjovsky, Orhan & Pitkow, TCN, expRNN); "
        "blank-last: symbols 0..K-1, blank K (text of Henaff, Arjovsky; cannon). The delimiter is K+1",
    )
    delimiter: Literal["once", "repeated"] = option(
        "once", "repeated: instead of blanks until the recall ends, S+1 times in all (TCN)"
    )
    recall: Literal["after", "at"] = option(
        "after",
        "after: the first symbol is due one step after the delimiter; at: on its very step (expRNN)",
    )
    delimiter_class: bool = option(
        False,
        "whether the delimiter, which is never a target, has an output class too: K+2 classes "
        "(construction of Henaff, TCN, cannon) instead of K+1 (code of Arjovsky, Orhan & Pitkow, expRNN)",
    )

    def __post_init__(self):
        super().__post_init__()
        if (self.delay is None) == (self.total is None):
            raise ValueError(f"{self.name}: give exactly one of delay (T) and total (T + 2S)")
        if self.steps <= 2 * self.length:
            least = 2 * self.length + 1
            raise ValueError(f"{self.name}: total must be at least 2 x length + 1 = {least}, got {self.total}")

    @property
    def steps(self) -> int:
        """T, of the whole sequence."""
        return (self.delay or 0) + 2 * self.length if self.total is None else self.total

    @property
    def input_size(self) -> int:
        """The symbols, the blank and the delimiter, one-hot."""
        return self.symbols + 2

    @property
    def output_size(self) -> int:
        """The symbols and the blank; the delimiter too, where it is a class of its own."""
        return self.symbols + 1 + self.delimiter_class

    @property
    def baseline(self) -> float:
        """Cross-entropy of who remembers nothing, in nats a step."""
        return copy_baseline(self.symbols, self.length, self.steps)

    def starts(self, rng: Any, size: int) -> Any:
        """(size,) the step on which each sequence's recall begins."""
        return np.full(size, self.steps - self.length)

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of class numbers: x (steps, size), target (steps, size); `dtype` has nothing to act on."""
        check_batch(size, dtype)
        rng = as_rng(rng)
        blank, first_symbol = (0, 1) if self.codes == "blank-first" else (self.symbols, 0)
        symbols = rng.integers(first_symbol, first_symbol + self.symbols, (self.length, size))
        start = self.starts(rng, size)
        column = np.arange(size)
        recalled = start + np.arange(self.length)[:, None]

        x = np.full((self.steps, size), blank)
        x[: self.length] = symbols
        x[start - (self.recall == "after"), column] = self.symbols + 1
        if self.delimiter == "repeated":
            x[recalled, column] = self.symbols + 1
        target = np.full((self.steps, size), blank)
        target[recalled, column] = symbols
        return Batch(x, target)


@dataclass(frozen=True)
class VariableCopy(Copy):
    """Copy whose delimiter comes at a random time (Henaff et al. 2016, §3.1.3).

    The delimiter stands on one of the steps S+1 … S+T (counted from 1), all equally likely; the recall begins
    right after it (or on it, which then may be step S+T+1 as well) and blanks fill the rest. All else is as
    in Copy.

    The baseline is that of Copy: guess the symbols, but know when they are due. That takes S steps of memory,
    for the delimiter; a predictor without any has the larger `clock_baseline`.
    """

    name: ClassVar = "copy-variable"
    baseline_name: ClassVar = "no long memory: guess the symbols"

    def starts(self, rng: Any, size: int) -> Any:
        """(size,) the step on which each sequence's recall begins: uniform over all that are possible."""
        return rng.integers(self.length + (self.recall == "after"), self.steps - self.length + 1, size)


def copy_baseline(symbols: int, length: int, steps: int) -> float:
    """S ln K / (T + 2S): blanks until the recall, then each symbol with probability 1/K (Arjovsky, §4.1)."""
    return float(length * np.log(symbols) / steps)


def clock_baseline(symbols: int, length: int, delay: int) -> float:
    """Loss on VariableCopy of the best predictor that knows the time and the present input, and nothing else.

    On step t, `due` of the T positions of the delimiter make a symbol due and `other` a blank (the delimiter
    itself is seen, and costs nothing). The loss is the entropy of that choice, plus ln K for a symbol.
    """
    t = np.arange(delay + 2 * length)
    first, last = length, length + delay - 1
    due = np.maximum(np.minimum(last, t - 1) - np.maximum(first, t - length) + 1, 0)
    other = delay - ((first <= t) & (t <= last)) - due
    xlogy = scipy.special.xlogy
    timing = xlogy(due + other, due + other) - xlogy(due, due) - xlogy(other, other)
    return float(timing.sum() / delay / len(t)) + copy_baseline(symbols, length, len(t))
