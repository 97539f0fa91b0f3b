"""Language modelling: read a text, and say at every symbol what the next one will be.

The training text is cut into `size` streams of equal length, side by side, which are read window by window: batch k
goes on where batch k - 1 stopped, and so does the network's state, while the gradient ends at the window's edge
(truncated backpropagation through time). When the streams have been read, an epoch is over and the next begins anew.

    stream j = symbols  j L … (j+1) L,  L = floor((N - 1) / size)        the last one of each is only ever a target

The windows may have random lengths, which stops the same symbols from always being the last before the edge (Merity,
Keskar & Socher 2017, section 5); they are a function of the seed and the epoch, so a resumed run has the same ones.

Losses are nats per symbol; `measures` are the units of the sources: bits per character, per byte or per word (Orhan &
Pitkow 2020, table 1, calls all three "bpc"), and for words the perplexity.
"""

import math
import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.tasks import corpora
from tinyrnn.tasks.task import Batch, Measure, Task, check_batch, option
from tinyrnn.tasks.windows import count_of_edges, random_edges, regular_edges

BPC = Measure("bpc", "bits per character", lambda nats: nats / math.log(2))
BITS_PER_BYTE = Measure("bpc", "bits per byte", lambda nats: nats / math.log(2))
BITS_PER_WORD = Measure("bits_per_word", "bits per word", lambda nats: nats / math.log(2))
PERPLEXITY = Measure("perplexity", "perplexity per word", lambda nats: math.exp(nats) if nats < 700 else math.inf)


@dataclass(frozen=True)
class Language(Task):
    """What the language models share; a subclass has `read`, which returns a `Corpus`."""

    loss: ClassVar = "cross_entropy"
    readout: ClassVar = "every"
    baseline_name: ClassVar = "no context: how frequent each symbol is"
    carries: ClassVar = True
    validates: ClassVar = True

    window: int = option(100, "time steps of an update, over which the gradient goes back", 1)
    random_windows: bool = option(
        False, "draw the steps of each update at random around the window, and scale the learning rate with them"
    )
    test_streams: int = option(10, "streams into which the validation and test texts are cut, each read to its end", 1)

    def read(self) -> Any:
        """The task's `Corpus`; what a subclass writes."""
        raise NotImplementedError(f"{type(self).__name__} must define read()")

    @cached_property
    def corpus(self) -> Any:
        """The `tinyrnn.tasks.corpora.Corpus`, read when it is first asked for."""
        return self.read()

    @property
    def symbols(self) -> Any:
        """What each class stands for: a tuple of texts, or of bytes."""
        return self.corpus.symbols

    @property
    def note(self) -> Any:
        """What there is to say of the text, or ""."""
        return self.corpus.note

    @property
    def steps(self) -> int:
        """T of a batch, the longest window."""
        return self.window

    @property
    def input_size(self) -> int:
        """The number of symbols; the input is class numbers."""
        return len(self.symbols)

    output_size = input_size

    @cached_property
    def baseline(self) -> float:
        """-Σ p ln p, p being the shares of the symbols in the training text."""
        counts = np.bincount(self.corpus.train)
        p = counts[counts > 0] / counts.sum()
        return float(-(p * np.log(p)).sum())

    # training

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Batch:
        """A Batch of windows that begin anywhere in the training text: x and target (window, size)."""
        check_batch(size, dtype)
        text = self.corpus.train
        steps = min(self.window, len(text) - 1)
        return cut(text, as_rng(rng).integers(0, len(text) - steps, size), steps)

    def batch(self, seed: int, step: int, size: int, dtype: str = "float32") -> Batch:
        """The Batch number `step` of the run with this `seed`: the window after that of batch `step - 1`.

        x and target (T, size), T being the window, or less at the end of an epoch, or random.
        Raises ValueError where the text is too short for `size` streams.
        """
        check_batch(size, dtype)
        begin, end = self.bounds(seed, step, size)
        length = self.stream_length(size)
        return cut(self.corpus.train, length * np.arange(size) + begin, end - begin)

    def stream_length(self, size: int) -> Any:
        """L, the number of steps in an epoch of `size` streams."""
        length = (len(self.corpus.train) - 1) // size
        if not length:
            raise ValueError(f"{self.name}: a text of {len(self.corpus.train)} symbols makes no {size} streams")
        return length

    def bounds(self, seed: int, step: int, size: int) -> Any:
        """(begin, end) of the window of batch `step` within the streams."""
        edges, k = self.place(seed, step, size)[1:]
        return edges[k], edges[k + 1]

    def place(self, seed: int, step: int, size: int) -> Any:
        """(epoch, the edges of its windows, which of them batch `step` has)."""
        seed, step = whole("seed", seed), whole("step", step)
        length = self.stream_length(size)
        if not self.random_windows:
            edges = regular_edges(length, self.window)
            epoch, k = divmod(step, len(edges) - 1)
            return epoch, edges, k
        before = epoch = 0
        while step >= before + (n := count_of_edges(seed, epoch, length, self.window) - 1):
            before, epoch = before + n, epoch + 1
        return epoch, random_edges(seed, epoch, length, self.window), step - before

    def begins(self, seed: int, step: int, size: int) -> Any:
        """Whether this batch begins a reading of the text, so that no state is carried into it."""
        return self.place(seed, step, size)[2] == 0

    def epoch(self, seed: int, step: int, size: int) -> Any:
        """How often the text has been read before this batch."""
        return self.place(seed, step, size)[0]

    def rate_factor(self, seed: int, step: int, size: int) -> Any:
        """The window's length as a share of the usual one, where lengths are random (Merity et al. 2017), else 1."""
        if not self.random_windows:
            return 1.0
        begin, end = self.bounds(seed, step, size)
        return (end - begin) / self.window

    # evaluation

    def test_batches(self, size: int, dtype: str = "float32") -> Any:
        """The test text from its beginning to its end, as Batches to be read with the state carried on.

        There are `test_streams` streams, or `size` if that is less. Every symbol but the first is a target once; where
        the streams are not equally long, a mask is False after the end of the shorter.
        """
        return self.reading(self.corpus.test, size, dtype)

    def valid_batches(self, size: int, dtype: str = "float32") -> Any:
        """The validation text, as in `test_batches`."""
        return self.reading(self.corpus.valid, size, dtype)

    def reading(self, text: Any, size: int, dtype: Any) -> Any:
        """The batches of one reading of a text (N,), in `size` rows side by side, one after the other."""
        check_batch(size, dtype)
        targets = len(text) - 1
        streams = min(size, self.test_streams, targets)
        length = -(-targets // streams)
        for begin in range(0, length, self.window):
            steps = min(self.window, length - begin)
            first = length * np.arange(streams) + begin
            x, target, _ = cut(text, first, steps)
            there = first + np.arange(steps)[:, None] < np.minimum(length * np.arange(1, streams + 1), targets)
            yield Batch(x, target, None if there.all() else there)

    # text and class numbers

    def encode(self, text: Any) -> Any:
        """The class numbers (N,) of a text. Raises ValueError for a symbol that the training text has not."""
        numbers = {symbol: k for k, symbol in enumerate(self.symbols)}
        pieces = self.pieces(text)
        foreign = [piece for piece in pieces if piece not in numbers]
        if foreign:
            raise ValueError(f"{self.name}: the training text has no {foreign[0]!r}")
        return np.array([numbers[piece] for piece in pieces], np.int64)

    def pieces(self, text: Any) -> Any:
        """A text, cut into what the vocabulary numbers."""
        return list(text)

    def decode(self, numbers: Any) -> Any:
        """The text of class numbers, as one would write it."""
        return "".join(self.symbols[k] for k in numbers)

    @property
    def opening(self) -> Any:
        """What a text is begun with where nothing else is said."""
        return "\n" if "\n" in self.symbols else self.decode([int(self.corpus.train[0])])


@dataclass(frozen=True)
class PennWords(Language):
    """Penn Treebank by words (Mikolov's 10 000), in perplexity.

    The data files are ptb/ptb.train.txt and so on: `tinyrnn.tasks.data` says where they are looked for.
    """

    name: ClassVar = "ptb-word"
    baseline_name: ClassVar = "no context: how frequent each word is"
    measures: ClassVar = (PERPLEXITY, BITS_PER_WORD)
    window: int = option(35, "time steps of an update, over which the gradient goes back", 1)

    def read(self) -> Any:
        """The Penn Treebank by words."""
        return corpora.penn_words()

    def pieces(self, text: Any) -> Any:
        """Words, with a mark at the end of each line."""
        return text.replace("\n", f" {corpora.EOS} ").split()

    def decode(self, numbers: Any) -> Any:
        """The text of class numbers, the end of a sentence as a new line."""
        words = " ".join(self.symbols[k] for k in numbers)
        return words.replace(f"{corpora.EOS} ", "\n").replace(corpora.EOS, "\n")

    @property
    def opening(self) -> Any:
        """What sampling goes on from if nothing is said."""
        return "\n"


@dataclass(frozen=True)
class PennCharacters(Language):
    """Penn Treebank by characters (Mikolov's 50), in bits per character."""

    name: ClassVar = "ptb-char"
    measures: ClassVar = (BPC,)

    def read(self) -> Any:
        """The Penn Treebank by characters."""
        return corpora.penn_characters()

    def pieces(self, text: Any) -> Any:
        """Characters, the space as the file has it."""
        return list(text.replace(" ", "_"))

    def decode(self, numbers: Any) -> Any:
        """The text of class numbers."""
        return super().decode(numbers).replace("_", " ")


@dataclass(frozen=True)
class Enwik8(Language):
    """Wikipedia's first 10^8 bytes, in bits per byte. With a shorter file, results compare with no published ones."""

    name: ClassVar = "enwik8"
    baseline_name: ClassVar = "no context: how frequent each byte is"
    measures: ClassVar = (BITS_PER_BYTE,)

    def read(self) -> Any:
        """The first bytes of Wikipedia."""
        return corpora.enwik8()

    def pieces(self, text: Any) -> Any:
        """The bytes of a text in UTF-8."""
        return [bytes([code]) for code in text.encode()]

    def decode(self, numbers: Any) -> Any:
        """The text of class numbers; bytes that are no UTF-8 as replacement characters."""
        return b"".join(self.symbols[k] for k in numbers).decode(errors="replace")

    @property
    def opening(self) -> Any:
        """What sampling goes on from if nothing is said."""
        return "\n"


@dataclass(frozen=True)
class TextFile(Language):
    """Any text file by characters, 90, 5 and 5 per cent of it for training, validation and test."""

    name: ClassVar = "text"
    measures: ClassVar = (BPC,)
    file: str = option("", "the file, in UTF-8; none: tinyshakespeare")

    def read(self) -> Any:
        """The user's own text."""
        return corpora.text_file(self.file)


def cut(text: Any, first: Any, steps: int) -> Any:
    """The Batch of `steps` symbols from each of the places `first` on, and of what follows each; clipped at the end."""
    index = np.minimum(first + np.arange(steps + 1)[:, None], len(text) - 1)
    window = text[index].astype(np.int64)
    return Batch(window[:-1].copy(), window[1:].copy())


def whole(name: Any, value: Any) -> Any:
    """`value` as an int. TypeError unless it is one, ValueError if it is negative."""
    if operator.index(value) < 0:
        raise ValueError(f"{name} must be at least 0, got {value}")
    return operator.index(value)
