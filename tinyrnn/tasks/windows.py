"""Where the windows begin that a long text is read in: edges in symbols from 0 to the text's length."""

import bisect
from functools import lru_cache
from typing import Any

import numpy as np

from tinyrnn.tasks.task import WINDOWS, stream

SHORTEST = 5  # steps of a random window
SPREAD = 5.0  # standard deviation of its length
HALVED = 0.05  # how often it is drawn around half the length


@lru_cache(maxsize=4)
def regular_edges(length: int, window: Any) -> Any:
    """Where windows of one length begin and the last ends, in a text of `length` symbols."""
    return (*range(0, length, window), length)


@lru_cache(maxsize=4)
def random_edges(seed: int, epoch: Any, length: int, window: Any) -> Any:
    """0 … length, the edges of one epoch's windows, as long as `window` or now and then half of it, more or less."""
    rng = stream(seed, WINDOWS, epoch)
    most = -(-length // SHORTEST)
    middle = np.where(rng.random(most) < HALVED, window / 2, window)
    edges = np.cumsum(np.maximum(rng.normal(middle, SPREAD).astype(int), SHORTEST)).tolist()
    return (0, *edges[: bisect.bisect_left(edges, length)], length)


@lru_cache(maxsize=4096)
def count_of_edges(seed: int, epoch: Any, length: int, window: Any) -> Any:
    """How many edges the windows of this epoch have."""
    return len(random_edges(seed, epoch, length, window))
