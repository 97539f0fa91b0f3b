"""The best linear readout in closed form, for networks whose recurrence stays as it is.

Where nothing below the readout is trained, the readout is a linear regression from what the layers put out to the
targets, and needs no gradient: ridge regression, as for echo-state networks (Jaeger 2001) and for a linear network
(Carta, Sperduti & Bacciu 2021: m_t = A x_t + B m_{t-1}, y_t = W_o m_t). Its sums are gathered batch by batch, so that
the states of no more than one batch are ever there.
"""

from typing import Any

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.backend import to_numpy, xp_of
from tinyrnn.core.types import Array, Parts
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.model import Model


class Regression:
    """Sums for the linear regression of targets on features, in float64: counts, means and products about the means.

    `add` takes some rows, `solve` gives the weights for all rows so far. Memory: n (n + k) numbers for n features and k
    targets, however many rows there are.
    """

    def __init__(self) -> None:
        self.count = 0

    def add(self, h: Array, target: Array) -> Any:
        """h (N, n) features, target (N, k), one row for each example."""
        if len(h) == 0:
            return
        h, target = np.asarray(h, "float64"), np.asarray(target, "float64")
        n, mean_h, mean_t = len(h), h.mean(axis=0), target.mean(axis=0)
        h, target = h - mean_h, target - mean_t
        hh, ht = h.T @ h, h.T @ target
        if self.count == 0:
            self.count, self.mean_h, self.mean_t, self.hh, self.ht = n, mean_h, mean_t, hh, ht
            return
        # products about two means, put together about the joint one (Chan, Golub & LeVeque 1983)
        total = self.count + n
        away_h, away_t = mean_h - self.mean_h, mean_t - self.mean_t
        share = self.count * n / total
        self.hh += hh + share * np.outer(away_h, away_h)
        self.ht += ht + share * np.outer(away_h, away_t)
        self.mean_h = self.mean_h + away_h * n / total
        self.mean_t = self.mean_t + away_t * n / total
        self.count = total

    def solve(self, ridge: float, bias: bool = True) -> Any:
        """W (n, k) and b (k,), or None, that minimise mean ||h W + b - target||^2 + ridge ||W||^2 over the rows.

        Where several do (ridge 0 and dependent features), W is the smallest. Working with h^T h squares the condition
        number: with ridge 0, directions of h with less than about 1e-8 of the largest one's size are lost.
        """
        if not 0 <= ridge < np.inf:
            raise ValueError(f"ridge must be at least 0, got {ridge}")
        if self.count == 0:
            raise ValueError("there is nothing to fit a readout to: no target counts")
        gram, moment = self.hh / self.count, self.ht / self.count
        if not bias:
            gram = gram + np.outer(self.mean_h, self.mean_h)
            moment = moment + np.outer(self.mean_h, self.mean_t)
        if not (np.isfinite(gram).all() and np.isfinite(moment).all()):
            raise ValueError("cannot fit a readout: the network's outputs or the targets are not finite")
        W = solve_symmetric(gram + ridge * np.eye(len(gram)), moment, definite=ridge > 0)
        return W, (self.mean_t - self.mean_h @ W if bias else None)


def solve_symmetric(A: Any, B: int, definite: bool) -> Any:
    """The smallest X with A X = B, or as near as it gets, for a positive semidefinite A."""
    if definite:
        try:
            return scipy.linalg.cho_solve(scipy.linalg.cho_factor(A), B)
        except np.linalg.LinAlgError:  # ridge is too small next to the rounding of A
            pass
    return scipy.linalg.lstsq(A, B, cond=len(A) * np.finfo(A.dtype).eps)[0]


def fit_readout(model: Any, batches: Any, ridge: float = 1e-6) -> Model:
    """Set the model's readout to the one that minimises mean ||y - target||^2 + ridge ||W||^2; returns the model.

    model: a `Model` with a `Readout`; its W and b are replaced, all else stays as it is. The bias is not penalised.
    batches: (x, target) or (x, target, mask) tuples, as for `Model.gradients`, such as `Task.batch` gives; each is read
        once. Class numbers are fitted as one-hot rows, so that the largest output says the class (cross-entropy is
        then reported of outputs that it did not fit, and only accuracy tells much). The mask means what it means there.
    ridge: 0 or more, next to the mean, so that it means the same for any number of batches.

    The squared error is summed over the outputs, not averaged. Everything is in float64. Raises ValueError for other
    readouts, targets that do not fit, a negative ridge, or no target at all.
    """
    check_readout(model)
    regression = Regression()
    for x, target, *mask in batches:
        h, wanted, _ = examples(model, x, target, *mask)
        regression.add(h, wanted)
    put_readout(model.readout, *regression.solve(ridge, model.readout.bias))
    return model


def check_readout(model: Any) -> Any:
    """ValueError in one line for a model whose readout has no closed form."""
    if type(model.readout) is not Readout:
        raise ValueError(f"a readout in closed form must be a plain Readout, not a {type(model.readout).__name__}")
    if not model.loss.least_squares:
        raise ValueError(f"a readout in closed form fits classes or numbers, not the loss {model.loss_name}")


def put_readout(readout: Any, W: Array, b: Array | None) -> Any:
    """Give a `Readout` the weights W (n, k) and, unless it is None, the bias b (k,)."""
    for name, value in {"W": W, "b": b}.items():
        if value is not None:
            old = readout.params[name]
            old[...] = xp_of(old).asarray(value, dtype=old.dtype)


def examples(model: Any, x: Array, target: Array, mask: Array | None = None, *, state: Parts | None = None) -> Any:
    """What the readout sees, (N, n), and what it should answer, (N, k), for the targets that count; and the new state.

    x, target, mask, state: as for `Model.gradients`.
    """
    if model.embedding is not None:
        x, _ = model.embedding.forward(x)
    h, tape = model.layers.forward(x, state, mask)
    h = to_numpy(h if model.at == "every" else model.layers.final(tape.state))
    target, k = to_numpy(target), model.readout.output_size
    if model.loss.classes:
        if target.shape != h.shape[:-1] or target.dtype.kind not in "iu":
            raise ValueError(f"target must be class numbers {h.shape[:-1]}, got {target.dtype} {target.shape}")
    elif target.shape != (*h.shape[:-1], k):
        raise ValueError(f"target must have shape {(*h.shape[:-1], k)}, got {target.shape}")
    if mask is not None and model.at == "every":
        h, target = h[to_numpy(mask)], target[to_numpy(mask)]
    if model.loss.classes:
        target = target.reshape(-1)
        if target.size and not 0 <= target.min() <= target.max() < k:
            raise ValueError(f"target must be class numbers in 0..{k - 1}, got {target.min()}..{target.max()}")
        return h.reshape(-1, h.shape[-1]), np.eye(k)[target], tape.state
    return h.reshape(-1, h.shape[-1]), target.reshape(-1, k), tape.state
