"""Reading a sentence from its last word to its first, however long each of a batch is."""

from typing import Any

from tinyrnn.core.backend import xp_of
from tinyrnn.core.types import Array


def reading_order(source: Array, mask: Array | None = None) -> Any:
    """(S, B) step numbers that reverse each sequence among its own unmasked steps and leave the masked ones alone."""
    xp = xp_of(source)
    S, B = source.shape[:2]
    if mask is None:
        return xp.broadcast_to(xp.arange(S)[::-1, None], (S, B))
    steps = xp.arange(S)[:, None]
    live_first = xp.argsort(xp.where(mask, steps, steps + S), axis=0)  # the k-th unmasked step of each sequence
    rank = xp.cumsum(mask, axis=0) - 1
    opposite = xp.where(mask, mask.sum(axis=0) - 1 - rank, 0)
    return xp.where(mask, xp.take_along_axis(live_first, opposite, axis=0), steps)


def reordered(x: Array, order: Array | None) -> Any:
    """x (S, B, …) with step t of sequence b taken from step order[t, b]; as it is if there is no order."""
    return x if order is None else x[order, xp_of(x).arange(x.shape[1])]
