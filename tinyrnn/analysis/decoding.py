"""How much of the past can be read off a state: the best linear decoder in closed form, judged on what it never saw.

A state h_t remembers the input x_{t-k} as far as some W and b give x_{t-k} = h_t W + b. For each lag k that is a
regression of its own, and all of them share one matrix of products of h with itself (`tinyrnn.nn.ridge.Regression`), so
three hundred lags cost hardly more than one. R^2 is the share of the variance that the decoder explains: 1 is perfect,
0 is what the mean alone does, and below 0 is worse than that, which happens to a decoder that has learned by heart.

Without noise a linear decoder finds whatever is left above the rounding, however small it is: a perfect R^2 says that
nothing is lost, not that there is much of it. Working with h^T h, directions of the state below 1e-8 of the largest
one's size are lost.

Orhan & Pitkow (2020), section 2 and Figure 2; Carta, Sperduti & Bacciu (2021), Figures 2b and 3.
"""

from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.activations import get_activation
from tinyrnn.core.backend import as_rng, to_numpy
from tinyrnn.core.ops import is_index
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.model import Model
from tinyrnn.nn.ridge import Regression


class Decoded(NamedTuple):
    """W (n, k) and b (k,) of the decoder; of each target, on the rows held out: mse (k,), the mean squared error,
    variance (k,), and predicted (rows, k)."""

    W: np.ndarray
    b: np.ndarray
    mse: np.ndarray
    variance: np.ndarray
    predicted: np.ndarray

    @property
    def r2(self) -> Array:
        """(k,) 1 - mse / variance, and NaN of what does not vary."""
        return 1 - share(self.mse, self.variance)


class Memory(NamedTuple):
    """Of each of the lags (K,): mse (K,), the held-out squared error of x_{t-k} read off h_t, averaged over the
    input's features, and variance (K,), what it would be without any memory."""

    lags: np.ndarray
    mse: np.ndarray
    variance: np.ndarray

    @property
    def wrong(self) -> Array:
        """(K,) mse / variance, the share that is wrong, and NaN of what does not vary."""
        return share(self.mse, self.variance)

    @property
    def r2(self) -> Array:
        """(K,) 1 - mse / variance, and NaN of what does not vary."""
        return 1 - self.wrong


def share(mse: Array, variance: Array) -> Array:
    """mse / variance, NaN where the variance is 0."""
    return np.divide(mse, variance, where=variance > 0, out=np.full(np.shape(mse), np.nan))


def decode(states: Any, target: Array, train: float = 0.5, ridge: float = 0.0) -> Decoded:
    """The best linear decoder target = states W + b of the first rows, judged on the others; a `Decoded`.

    states (N, n) and target (N, k), or (N,) for one; train: the share of the rows to fit to, between 0 and 1.
    ridge: as for `tinyrnn.nn.ridge.Regression.solve`. float64 inside. Raises ValueError for other shapes or a share
    that leaves no row on either side.
    """
    states, target = np.asarray(states, "float64"), np.asarray(target, "float64")
    target = target[:, None] if target.ndim == 1 else target
    if states.ndim != 2 or target.ndim != 2 or len(states) != len(target):
        raise ValueError(f"decode: states (N, n) and target (N, k) do not fit, got {states.shape} and {target.shape}")
    cut = split_at(len(states), train)
    regression = Regression()
    regression.add(states[:cut], target[:cut])
    W, b = regression.solve(ridge)
    predicted = states[cut:] @ W + b
    return Decoded(W, b, ((predicted - target[cut:]) ** 2).mean(axis=0), target[cut:].var(axis=0), predicted)


def memory(layers: Any, x: Array, lags: Any, *, train: float = 0.5, ridge: float = 0.0, batch: int = 50) -> Memory:
    """How well x_{t-k} can be read off the output h_t, for every lag k in `lags`; a `Memory`.

    layers: a cell, `Stack`, `Bidirectional`, `Model` (what is below its readout) or `StepCell`. x (T, B, d) floats, as
    the layers read them, or (T, B) class numbers, which are read off as one-hot rows, or as the model's embedding has
    them. Every lag has a linear decoder of its own, fitted to the first `train` of the B sequences and judged on the
    others; all are judged on the same steps, those that have all lags behind them. batch: sequences run at a time.
    Raises ValueError for a lag below 0, no lags, sequences not longer than the largest one, or too few of them.
    """
    lags = np.asarray(lags)
    if lags.ndim != 1 or not lags.size or lags.dtype.kind not in "iu" or lags.min() < 0:
        raise ValueError("memory: lags must be a list of at least one number of steps, 0 or more")
    T, B = x.shape[:2]
    if lags.max() >= T:
        raise ValueError(f"memory: a lag of {lags.max()} needs sequences of more steps than that, got {T}")
    if isinstance(layers, Model):
        x = layers.embedding.forward(x)[0] if layers.embedding is not None and is_index(x) else x
        layers = layers.layers
    cut = split_at(B, train, "sequences")
    regression = Regression()
    for h, past in pairs(layers, x[:, :cut], lags, batch):
        regression.add(h, past)
    W, b = regression.solve(ridge)
    middle = regression.mean_t  # near the mean of what is judged, so that no digits are lost
    judged, sums = 0, np.zeros((3, len(middle)))
    for h, past in pairs(layers, x[:, cut:], lags, batch):
        judged += len(h)
        sums += [((h @ W + b - past) ** 2).sum(axis=0), (past - middle).sum(axis=0), ((past - middle) ** 2).sum(axis=0)]
    error, first, second = sums / judged
    # of each lag, the mean over the input's features
    return Memory(lags, *(each.reshape(len(lags), -1).mean(axis=1) for each in (error, second - first**2)))


def pairs(layers: Any, x: Array, lags: Any, batch: int) -> Any:
    """(h, past) of some sequences at a time, in rows: h_t, and x_{t-k} for all lags k side by side."""
    T, longest = len(x), int(lags.max())
    for start in range(0, x.shape[1], batch):
        some = x[:, start : start + batch]
        h = to_numpy(layers.forward(some)[0])[longest:]
        seen = np.eye(layers.input_size)[to_numpy(some)] if is_index(some) else to_numpy(some)
        past = np.concatenate([seen[longest - k : T - k] for k in lags], axis=-1)
        yield h.reshape(-1, h.shape[-1]), past.reshape(-1, past.shape[-1])


def final_states(layers: Any, x: Array, batch: int = 100) -> Array:
    """The output after the last step of every sequence, (B, n) float64, for x (T, B, d), `batch` of them at a time."""
    parts = range(0, x.shape[1], batch)
    final = [layers.final(layers.forward(x[:, start : start + batch])[1].state) for start in parts]
    return np.concatenate([to_numpy(each) for each in final]).astype("float64", copy=False)


def split_at(count: int, train: Any, what: str = "rows") -> int:
    """How many of `count` to fit to; ValueError if that leaves none on one side."""
    cut = round(count * train)
    if not 0 < cut < count:
        raise ValueError(f"of {count} {what}, a share of {train:g} leaves none to fit to or none to judge by")
    return cut


def driven(W: Array, v: Array, s: Array, noise: float = 0.0, activation: str = "identity", rng: Seed = None) -> Array:
    """h_T of h_t = f(W h_{t-1} + v s_t + z_t) from h_0 = 0, noise z_t ~ N(0, noise^2) on every unit: (B, n).

    W (n, n), acting on columns; v (n,); s (T, B) the signal; activation: f, as for `tinyrnn.Elman`. Noise inside the
    recurrence is what no cell has, hence this one (Orhan & Pitkow 2020, eqs. 1 and 5).
    """
    f, rng = get_activation(activation).f, as_rng(rng)
    h = np.zeros((s.shape[1], len(v)))
    for s_t in s:
        z = noise * rng.standard_normal(h.shape) if noise else 0.0
        h = f(h @ W.T + s_t[:, None] * v + z)
    return h


def explained(W: Array, v: Array, steps: int, noise: float) -> float:
    """R^2 of the best linear decoder of s_t from h_T in `driven`, f = identity, s_t ~ N(0, 1), of infinitely many rows.

    With b_k = W^k v, what s_{T-k} left in h_T, and S = sum_{k<T} b_k b_k^T + noise^2 W^k W^k^T, the covariance of h_T,
    it is b_k^T S^-1 b_k. Returns (steps,) for the lags k = 0 … steps - 1. noise must be above 0, or S may be singular.
    For a chain of `steps` units or more it is a^2k / (a^2k + noise^2 sum_{j<=k} a^2j).
    """
    if not noise > 0:
        raise ValueError(f"explained: noise must be above 0, got {noise}")
    left, power, S = [], np.eye(len(v)), np.zeros((len(v), len(v)))
    for _ in range(steps):
        left.append(power @ v)
        S += np.outer(left[-1], left[-1]) + noise**2 * power @ power.T
        power = W @ power
    left = np.array(left)
    return (left * np.linalg.solve(S, left.T).T).sum(axis=1)


def components_error(train: Any, test: Any, size: int) -> float:
    """Mean squared error of `test` (N, k) from its `size` first principal components, those of `train`: a float.

    No code of `size` numbers that are linear in x, with a linear decoder, does better on `train` (Eckart & Young 1936).
    """
    mean = train.mean(axis=0)
    _, vectors = np.linalg.eigh((train - mean).T @ (train - mean))
    kept = vectors[:, ::-1][:, :size]
    away = test - mean
    return float(((away - away @ kept @ kept.T) ** 2).mean())
