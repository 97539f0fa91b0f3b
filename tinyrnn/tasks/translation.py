"""Translation between two made-up languages, for an encoder-decoder: read a sentence, then say it in other words."""

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.tasks.bleu import bleu
from tinyrnn.tasks.task import TEST, Task, check_batch, option, stream
from tinyrnn.tasks.toy_language import sentence, source_words, target_words

BEGIN, END = "<s>", "</s>"
HELD_OUT = 10  # one in this many of all sentences is never trained on


class Pairs(NamedTuple):
    """Pairs of sentences side by side, time first, as NumPy arrays: the arguments of `EncoderDecoder.gradients`.

    source: (S, B) class numbers. target: (T, B) class numbers, each sentence's last being </s>. mask, target_mask:
    (S, B) and (T, B) booleans, False after the end, where the class number is 0.
    """

    source: np.ndarray
    target: np.ndarray
    mask: np.ndarray
    target_mask: np.ndarray


@dataclass(frozen=True)
class Translation(Task):
    """Translation of made-up sentences (`tinyrnn.tasks.toy_language`), in the manner of Sutskever et al. 2014.

    Words are tokens; a target sentence ends with </s>. Every batch holds new sentences. Which sentences are held out
    is a matter of their text alone: those whose CRC-32 is divisible by 10, one in ten; the test set are the first
    `test_size` different ones, and none of them is ever trained on.
    """

    name: ClassVar = "translation"
    loss: ClassVar = "cross_entropy"
    readout: ClassVar = "every"
    pairs: ClassVar = True
    baseline_name: ClassVar = "how often each word is said"
    note: ClassVar = "the languages are made up, and the tests are on 1000 sentences that were held out"

    reverse: bool = option(False, "read each source from its last word to its first (Sutskever et al.)")
    shortest: int = option(6, "least number of words of a source", 3)
    longest: int = option(25, "greatest number of words of a source; at least 4 more", 7)

    def __post_init__(self):
        super().__post_init__()
        if self.longest < self.shortest + 4:
            raise ValueError(
                f"{self.name}: longest must be at least shortest + 4 = {self.shortest + 4}, got {self.longest}"
            )

    @cached_property
    def source_words(self) -> Any:
        """Class number -> word of the source."""
        return source_words()

    @cached_property
    def target_words(self) -> Any:
        """Class number -> word of the target: <s>, </s>, and the language's."""
        return [BEGIN, END, *target_words()]

    @cached_property
    def _numbers(self):
        return tuple({word: k for k, word in enumerate(words)} for words in (self.source_words, self.target_words))

    @property
    def steps(self) -> int:
        """The length of the longest sentence."""
        return self.longest

    @property
    def input_size(self) -> int:
        """The words of the source language."""
        return len(self.source_words)

    @property
    def output_size(self) -> int:
        """The words of the target language."""
        return len(self.target_words)

    @property
    def baseline(self) -> float:
        """Cross-entropy of who knows how often each word is said, in nats a word."""
        return self._baseline

    @cached_property
    def _baseline(self):
        """Entropy of the words of the held-out targets, in nats."""
        counts = Counter(word for _, target in self.held_out for word in [*target, END])
        shares = np.array([*counts.values()]) / counts.total()
        return float(-(shares * np.log(shares)).sum())

    @cached_property
    def held_out(self) -> Any:
        """The test set: `test_size` different pairs (source, target) of tuples of words."""
        found, draw = dict[Any, Any](), uniforms(stream(0, TEST))
        while len(found) < self.test_size:
            source, target = self._sentence(draw, held_out=True)
            found[tuple(source)] = tuple(target)
        return tuple(found.items())

    def _sentence(self, draw, held_out):
        while True:
            source, target = sentence(draw, self.shortest, self.longest)
            if is_held_out(source) == held_out:
                return source, target

    def sample(self, rng: Any, size: int, dtype: str = "float32") -> Pairs:
        """`Pairs` of `size` sentences that are not held out; `dtype` has nothing to act on."""
        check_batch(size, dtype)
        draw = uniforms(as_rng(rng))
        return self.encode([self._sentence(draw, held_out=False) for _ in range(size)])

    def test_batches(self, size: int, dtype: str = "float32") -> Any:
        """All held-out pairs as `Pairs` of `size` sentences (the last may be fewer)."""
        check_batch(size, dtype)
        for start in range(0, self.test_size, size):
            yield self.encode(self.held_out[start : start + size])

    def valid_batches(self, size: int, dtype: str = "float32") -> Any:
        """None: ValueError."""
        raise ValueError(f"{self.name}: no sentences are held out for validation")

    def encode(self, pairs: Any) -> Any:
        """`Pairs` out of a list of (source, target), each a sequence of words without <s> and </s>."""
        source_numbers, target_numbers = self._numbers
        source, mask = padded([[source_numbers[word] for word in source] for source, _ in pairs])
        target, target_mask = padded([[target_numbers[word] for word in (*target, END)] for _, target in pairs])
        return Pairs(source, target, mask, target_mask)

    def read(self, text: Any) -> Any:
        """(S, 1) class numbers of a source sentence. Raises ValueError for an empty one or an unknown word."""
        numbers, _ = self._numbers
        words = text.lower().replace(",", " ").replace(".", " ").split()
        if not words:
            raise ValueError(f"{self.name}: there is no word to translate in {text!r}")
        for word in words:
            if word not in numbers:
                raise ValueError(f"{self.name}: unknown word {word!r}; known are {', '.join(self.source_words)}")
        return np.array([[numbers[word]] for word in words])

    def sentences(self, words: Any, mask: Any) -> Any:
        """Tuples of words out of what `EncoderDecoder.decode` returns, without </s>."""
        end = self.target_words.index(END)
        return [
            tuple(self.target_words[k] for k, said in zip(column, live, strict=True) if said and k != end)
            for column, live in zip(words.T.tolist(), mask.T.tolist(), strict=True)
        ]

    def score(self, model: Any, size: int = 250, limit: Any = None) -> Any:
        """Greedy translations of the held-out sources (the first `limit`) against the held-out targets.

        exact: share of sentences that are right in every word. bleu: their BLEU, 0 to 1.
        """
        pairs = self.held_out[:limit]
        said = []
        for start in range(0, len(pairs), size):
            batch = self.encode(pairs[start : start + size])
            said += self.sentences(*model.decode(batch.source, batch.mask, max_length=2 * self.longest))
        wanted = [target for _, target in pairs]
        exact = sum(a == b for a, b in zip(said, wanted, strict=True)) / len(wanted)
        return {"exact": exact, "bleu": bleu(said, wanted)}


def is_held_out(source: Any) -> Any:
    """Whether a sentence, a list of words, is one of those that are never trained on."""
    return zlib.crc32(" ".join(source).encode()) % HELD_OUT == 0


def uniforms(rng: Any, block: int = 1024) -> Any:
    """A function that gives one float of U[0, 1) a call; NumPy draws a block of them as fast as one."""

    def endless():
        while True:
            yield from rng.random(block).tolist()

    return endless().__next__


def padded(columns: Any) -> Any:
    """(T, B) integers, zero after the end of each list, and their mask."""
    lengths = np.array([len(column) for column in columns])
    mask = np.arange(lengths.max())[:, None] < lengths
    numbers = np.zeros(mask.shape, np.int64)
    numbers.T[mask.T] = np.concatenate(columns)
    return numbers, mask
