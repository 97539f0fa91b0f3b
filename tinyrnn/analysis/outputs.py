"""What an output has kept of the numbers that it should have added: which addends a network remembers.

On the adding task the loss alone does not say it. A network may be stuck at 1/12 because it remembers one addend of
two, or half of each. The correlation of its outputs with each addend tells them apart (Arjovsky, Shah & Bengio 2016,
on an LSTM at T = 750, whose outputs had Pearson's ρ = 0.991 with the first addend).
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose parts are loaded when they are used: statistics take half a second

from tinyrnn.core.backend import to_numpy
from tinyrnn.core.types import Array

KEPT = {"neither addend": (0, 0), "the first": (1, 0), "the second": (0, 1), "both": (1, 1)}
VARIANCE = 1 / 12  # of a number from U[0, 1]


class Remembered(NamedTuple):
    """rho: Pearson's correlation of the output with each addend, NaN if the output is constant. weights: of the best
    y ≈ w_1 a_1 + w_2 a_2 + const, how much of each addend gets through. explained: the share of the output's variance
    that this sum explains, NaN if it has none. loss: the mean squared error against a_1 + a_2.
    """

    rho: tuple
    weights: tuple
    explained: float
    loss: float

    @property
    def kept(self) -> str:
        """Which addends it has, in words: the key of `KEPT` to whose correlations ρ is nearest."""
        if np.isnan(self.rho).any():
            return "neither addend"
        away = {words: expected(weights) if any(weights) else (0, 0) for words, weights in KEPT.items()}
        return min(away, key=lambda words: np.hypot(*np.subtract(away[words], self.rho)))


def addends(task: Any, x: Array) -> Array:
    """(B, 2): the numbers that the inputs x (T, B, 2) of the adding task mark, in the order in which they come."""
    value, mark = (0, 1) if task.channels == "value-mark" else (1, 0)
    x = to_numpy(x)
    marked = x[..., mark] > 0.5
    if (marked.sum(axis=0) != 2).any():
        raise ValueError("every sequence must have exactly two marks")
    sequences, steps = np.nonzero(marked.T)  # row by row: each sequence's two steps, the earlier first
    return x[steps, sequences, value].reshape(-1, 2).astype(float)


def remembered(y: Array, parts: Array) -> Remembered:
    """What the outputs y (B,) or (B, 1) have kept of the addends `parts` (B, 2); a `Remembered`.

    What to expect, with addends that know nothing of each other:

        y                         ρ             loss
        always 1                  undefined     1/6
        a_1 + 1/2                 1, 0          1/12
        a_1 + a_2                 √½, √½        0
        w_1 a_1 + w_2 a_2 + ...   w_k / √(w_1² + w_2² + 12 var(noise))

    ρ is blind to scale and to a constant: an output of 1 + (a_1 + a_2) / 1000 has the ρ of a network that has learnt
    everything and the loss of one that has learnt nothing. The weights are not. Raises ValueError for other shapes.
    """
    y, parts = to_numpy(y).astype(float).reshape(-1), to_numpy(parts).astype(float)
    if parts.shape != (len(y), 2) or len(y) < 3:
        raise ValueError(f"one output and two addends a sequence, and at least 3 of them: {len(y)}, {parts.shape}")
    design = np.column_stack([parts, np.ones(len(y))])
    solution = np.linalg.lstsq(design, y)[0]
    constant = np.ptp(y) <= 1e-12 * abs(y).max()  # what is left is rounding
    residual = y - design @ solution
    return Remembered(
        tuple(np.nan if constant else pearson(y, part) for part in parts.T),
        tuple(map(float, solution[:2])),
        np.nan if constant else float(1 - residual.var() / y.var()),
        float(((y - parts.sum(axis=1)) ** 2).mean()),
    )


def pearson(y: Array, part: Array) -> float:
    """The correlation of y (B,) and part (B,)."""
    with warnings.catch_warnings():
        # an untrained network may answer nearly always the same
        warnings.simplefilter("ignore", scipy.stats.NearConstantInputWarning)
        return float(scipy.stats.pearsonr(y, part).statistic)


def expected(weights: tuple[float, float], noise: float = 0.0) -> tuple[float, float]:
    """(ρ_1, ρ_2) of y = w_1 a_1 + w_2 a_2 + const + noise in closed form, a_k independent from U[0, 1].

    noise: its standard deviation. Raises ValueError if y is constant: then ρ is undefined.
    """
    spread = np.sqrt(VARIANCE * np.square(weights).sum() + noise**2)
    if not spread > 0:
        raise ValueError("the output is constant, so the correlations are undefined")
    first, second = (float(w * np.sqrt(VARIANCE) / spread) for w in weights)
    return first, second
