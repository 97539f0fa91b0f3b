"""What every task has: its sizes, its loss, its baseline, and batches that depend on their arguments alone.

A run sees batch 0, 1, 2, … of its seed. Each is drawn from a random stream of its own, so a run that is
interrupted and resumed sees the same data as one that is not. Test data come from a stream that no seed of a
run can reach.
"""

import operator
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from tinyrnn.nn.losses import Loss

# what a stream is for: any numbers that differ and never change
TRAIN, TEST, ORDER, WINDOWS, VALID = 101, 102, 103, 104, 105


class Batch(NamedTuple):
    """Sequences side by side, time first, as NumPy arrays.

    x: (T, B) class numbers or (T, B, n) floats.
    target: (T, B) class numbers, one for each step; (B,) class numbers or (B, 1) floats for the last step.
    mask: (T, B) booleans, True where a step counts, or None where all do.
    """

    x: np.ndarray
    target: np.ndarray
    mask: np.ndarray | None = None


class Measure(NamedTuple):
    """A loss in the unit that the sources report: its key in logs and results, its name in words, and how it is had."""

    key: str
    words: str
    of: Callable[[float], float]  # from a loss in nats


class Task:
    """Base of the tasks: frozen dataclasses, whose settings, ready for JSON, are `dataclasses.asdict(task)`.

    A task adds its fields (made with `option`), the attributes below, and `sample`.
    """

    name: ClassVar[str]  # its key in TASKS
    loss: ClassVar[str | Loss]  # its name in `tinyrnn.nn.losses.LOSSES`, or the loss itself
    readout: ClassVar[Literal["every", "last"]]  # the steps at which the network answers
    baseline_name: ClassVar[str]  # what the baseline does, in a few words, for plots
    test_size: ClassVar[int] = 1000  # sequences in the test set
    measures: ClassVar[tuple[Measure, ...]] = ()  # other units of the loss; the first is the one that is drawn
    carries: ClassVar[bool] = False  # whether a batch goes on where the one before stopped, and so does the state
    pairs: ClassVar[bool] = False  # whether its batches are `Pairs`, for an encoder-decoder
    validates: ClassVar[bool] = False  # whether runs are watched on `valid_batches`, unasked, instead of the test set
    note: ClassVar[str] = ""  # what must be said with every result

    steps: int  # total number of time steps, T in the shapes
    input_size: int  # number of input classes, or of input channels
    output_size: int  # number of output classes, or of regression targets
    baseline: float  # loss of the best predictor without memory

    def __post_init__(self):
        """Refuses a value that its field does not allow. Raises ValueError."""
        hints = get_type_hints(type(self))
        for setting in fields(self):
            check_option(self.name, setting, hints[setting.name], getattr(self, setting.name))

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of `size` sequences drawn from `rng` (a seed or Generator); floats are of `dtype`."""
        raise NotImplementedError(f"{type(self).__name__} must define sample(rng, size, dtype)")

    def batch(self, seed: int, step: int, size: int, dtype: str = "float32") -> Batch:
        """The training Batch number `step` (0, 1, …) of the run with this `seed`: always the same one.

        Raises ValueError for a negative or TypeError for a non-integer seed or step.
        """
        return self.sample(stream(seed, TRAIN, step), size, dtype)

    def test_batches(self, size: int, dtype: str = "float32") -> Any:
        """The test set, the same for every run, as Batches of `size` sequences (the last may be smaller)."""
        yield from self._drawn(TEST, size, dtype)

    def valid_batches(self, size: int, dtype: str = "float32") -> Any:
        """As many sequences as in the test set, and none of its own, on which to choose between runs."""
        yield from self._drawn(VALID, size, dtype)

    def _drawn(self, purpose, size, dtype):
        check_batch(size, dtype)
        x, target, mask = self.sample(stream(0, purpose), self.test_size, dtype)
        for start in range(0, self.test_size, size):
            part = slice(start, start + size)
            yield Batch(
                np.ascontiguousarray(x[:, part]),
                np.ascontiguousarray(target[:, part] if self.readout == "every" else target[part]),
                None if mask is None else np.ascontiguousarray(mask[:, part]),
            )

    def begins(self, seed: int, step: int, size: int) -> Any:
        """Whether batch `step` follows from nothing before it, so that the state begins anew."""
        return True

    def epoch(self, seed: int, step: int, size: int) -> Any:
        """How often all training data had been seen before batch `step`. Raises ValueError where that means nothing."""
        raise ValueError(f"{self.name} has no epochs: its batches are drawn one by one")

    def rate_factor(self, seed: int, step: int, size: int) -> Any:
        """What the learning rate of update `step` is multiplied by, on account of what its batch is like."""
        return 1.0

    def reported(self, loss: Any, prefix: str = "") -> Any:
        """The loss in the task's own units, key -> float; none where the loss itself is what sources report."""
        return {f"{prefix}{measure.key}": measure.of(loss) for measure in self.measures}


def stream(seed: int, *key: Any) -> Any:
    """The random Generator of `seed` for one purpose.

    Different keys give independent Generators. Seeds made of tuples do not: `default_rng((3, 0))` is
    `default_rng(3)`, so that the first batch would be made of the numbers that initialised the weights.
    """
    key = tuple(operator.index(word) for word in key)
    return np.random.default_rng(np.random.SeedSequence(operator.index(seed), spawn_key=key))


def check_batch(size: int, dtype: Any) -> Any:
    """`dtype` as a NumPy dtype. Raises ValueError for an empty batch, TypeError unless `dtype` is a float."""
    if operator.index(size) < 1:
        raise ValueError(f"a batch needs at least 1 sequence, got size={size}")
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"dtype must be a float type such as 'float32', got {dtype!r}")
    return np.dtype(dtype)


def option(default: Any, help: Any, least: Any = None) -> Any:
    """A dataclass field that documents itself (`metadata["help"]`); integers are at least `least`."""
    return field(default=default, metadata={"help": help, "least": least})


def check_option(task: Any, setting: Any, hint: Any, value: Any) -> Any:
    """Raises ValueError unless `value` fits the dataclass field `setting` of that type `hint`."""
    least = setting.metadata["least"]
    if get_origin(hint) is Literal:
        right, wanted = value in get_args(hint), "one of " + ", ".join(map(repr, get_args(hint)))
    elif hint is bool:
        right, wanted = type(value) is bool, "True or False"
    elif hint is str:
        right, wanted = type(value) is str, "text"
    else:
        right = (type(value) is int and value >= least) or (value is None and type(None) in get_args(hint))
        wanted = f"a whole number of at least {least}"
    if not right:
        raise ValueError(f"{task}: {setting.name} must be {wanted}, got {value!r}")
