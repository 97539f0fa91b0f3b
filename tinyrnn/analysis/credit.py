"""Who gets the credit: the gradient of each step's loss, taken apart by the step whose state it reaches.

    L = L_1 + L_2 + ... + L_T           triangle[t, k] = dL_t / dh_k           0 for k > t

Backpropagation through time adds the rows up and shows only the sums, dL/dh_k. The rows say how far back a loss is
felt: an entry `lag` steps below the diagonal is the influence of what was in memory `lag` steps earlier. `horizon`
makes one number of it.

One backward pass gives many rows: the sequence runs many times side by side, and copy t has upstream at step t only.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.analysis.jacobians import check_forward_in_time, state_slices
from tinyrnn.core.backend import as_rng, to_numpy, xp_of
from tinyrnn.core.types import Array, Parts, Weights
from tinyrnn.nn.model import Model

MEMORY = 2**27  # bytes that the arrays of one backward pass may have, roughly


class Triangle(NamedTuple):
    """What `triangle` found; t and k count steps from 0.

    norms: (T, T), ||dL_t / ds_k||: s_k is the state after step k, all its parts (of every layer) and all sequences
        together; 0 above the diagonal and in rows of steps that have no loss.
    vectors: name of the state's part -> (T, T, B, n), the gradients themselves, or None. Their sum over t is what
        `backward(..., record=True)` gives.
    counted: (T,) booleans, True for the steps that have a loss.
    """

    norms: np.ndarray
    vectors: dict | None
    counted: np.ndarray


def triangle(
    network: Any,
    x: Array,
    target: Array | None = None,
    *,
    upstream: Array | None = None,
    state: Parts | None = None,
    mask: Array | None = None,
    at: str | None = None,
    parts: Any = None,
    vectors: bool = False,
    memory: float = MEMORY,
    progress: Callable[[int], Any] | None = None,
) -> Triangle:
    """The `Triangle` of dL_t / ds_k.

    network: a `Model`, with `target`, whose loss is taken apart into what each step adds to it (`Model.gradients`
        without penalties and dropout; mask as there); or a cell or `Stack`, with `upstream`.
    x: (T, B, features) or (T, B) class numbers. state: the initial one, or None.
    upstream: (T, B, output_size), dL_t / dh_t. `directions` draws some where there is no loss.
    at: "every" looks at a model that answers at the last step as though it were asked for the same target after each:
        the last row is the true one, and the others are what it would be for a sequence that ends there.
    parts: names of the parts of the state to look at, such as ("h",) or ("0.c", "1.c"); all by default. In a `Stack`
        the gradient of a lower layer's state contains the way through the upper ones.
    vectors: whether to keep the vectors, which takes T² times the memory of a state.
    memory: bytes that one backward pass may take, roughly; progress: called with the number of rows done each time.

    Raises ValueError for a missing or superfluous target or upstream, an unknown part, or layers that read backwards.
    """
    if not isinstance(network, Model):
        if target is not None or upstream is None or at is not None:
            raise ValueError("triangle: a cell has no loss; give upstream (T, B, output_size), and no target or at")
        layers, dh, last = network, upstream, None
    else:
        if target is None or upstream is not None:
            raise ValueError("triangle: a model has a loss of its own; give a target, and no upstream")
        check_forward_in_time(network.layers)
        layers = network.layers
        dh, last = upstream_of(network, x, target, state, mask, at or network.at)
        x = x if network.embedding is None else network.embedding.forward(x)[0]
    names = list(state_slices(layers))
    for name in parts or ():
        if name not in names:
            raise ValueError(f"triangle: no part {name!r} of the state; there are {', '.join(names)}")
    T, B = x.shape[:2]
    sizes = dict(zip(names, layers.state_sizes, strict=True))
    wanted = names if parts is None else list(parts)
    kept = {name: np.zeros((T, T, B, sizes[name])) for name in wanted} if vectors else None
    norms, counted = np.zeros((T, T)), np.zeros(T, bool)

    def put(rows, stop, gradients):
        """gradients: name -> (stop, len(rows), B, n), of the losses of these steps."""
        squares = 0
        for name in wanted:
            d = to_numpy(gradients[name])
            squares = squares + np.einsum("kcbn,kcbn->ck", d, d)
            if vectors:
                kept[name][rows, :stop] = d.swapaxes(0, 1)
        norms[rows, :stop] = np.sqrt(squares)
        counted[rows] = True
        if progress is not None:
            progress(len(rows))

    if last is not None:
        _, tape = layers.forward(x, state, mask)
        back = layers.backward(None, tape, last, record=True)
        put([T - 1], T, {name: d[:, None] for name, d in back.states.items()})
        return Triangle(norms, kept, counted)
    for rows in groups(dh, sum(layers.state_sizes), memory):
        stop = rows[-1] + 1
        put(rows, stop, side_by_side(layers, x, dh, rows, state, mask))
    return Triangle(norms, kept, counted)


def side_by_side(layers: Any, x: Array, dh: Array, rows: Any, state: Parts | None, mask: Array | None) -> Weights:
    """Gradients of the states, name -> (stop, len(rows), B, n), of the losses of these steps, in one backward pass."""
    xp, B, copies, stop = xp_of(x), x.shape[1], len(rows), rows[-1] + 1

    def tiled(array, axis):
        return xp.concatenate([array] * copies, axis=axis)

    _, tape = layers.forward(
        tiled(x[:stop], 1),
        None if state is None else tuple(tiled(s, 0) for s in state),
        None if mask is None else tiled(mask[:stop], 1),
    )
    alone = xp.zeros((stop, copies, *dh.shape[1:]), dh.dtype)
    for copy, t in enumerate(rows):
        alone[t, copy] = dh[t]
    back = layers.backward(alone.reshape(stop, copies * B, -1), tape, record=True)
    return {name: d.reshape(stop, copies, B, -1) for name, d in back.states.items()}


def upstream_of(
    model: Model, x: Array, target: Array, state: Parts | None, mask: Array | None, at: str | None
) -> tuple[Any, Any]:
    """(dh, None), dh (T, B, output_size) being each step's share of the loss differentiated by the layers' output; or
    (None, dstate) for a loss at the last step."""
    if at not in ("every", "last") or (at == "last" and model.at == "every"):
        raise ValueError(f'triangle: at must be "every", or None for the model\'s own, got {at!r}')
    h, tape = model.below(x, state, mask, None)
    if at == "last":
        y, kept_readout = model.readout_forward(model.layers.final(tape.state), None)
        _, kept = model.loss(y, target, None)
        dfinal, _ = model.readout_backward(model.loss_backward(kept), kept_readout, None)
        return None, model.layers.final_backward(dfinal)
    share = 1.0
    if model.at == "last":  # each step's loss is a mean of its own
        xp, share = xp_of(target), float(len(x))
        target = xp.broadcast_to(target, (len(x), *target.shape))
    y, kept_readout = model.readout_forward(h, None)
    _, kept = model.loss(y, target, mask if model.at == "every" else None)
    dh, _ = model.readout_backward(model.loss_backward(kept, share), kept_readout, None)
    return dh, None


def groups(dh: Array, size: int, memory: float) -> list:
    """The steps that have a loss, in lists short enough for one backward pass each; size: numbers in a state."""
    T, B = dh.shape[:2]
    steps = np.flatnonzero(to_numpy(dh).reshape(T, -1).any(axis=1))
    # what a tape keeps differs from cell to cell; some ten arrays of the state's size for forward and backward pass
    per_copy = 10 * T * B * size * dh.dtype.itemsize
    length = max(1, min(64, memory // per_copy))
    return [steps[k : k + length].tolist() for k in range(0, len(steps), length)]


def directions(T: int, B: Any, n: int, rng: int = 0) -> Array:
    """Random unit vectors to stand for dL_t / dh_t where there is no loss: (T, B, n). rng: seed or Generator."""
    d = as_rng(rng).normal(size=(T, B, n))
    return d / np.linalg.norm(d, axis=-1, keepdims=True)


# how far back ------------------------------------------------------------------------------------------------------


def profile(norms: Array) -> Array:
    """How much of the gradient of a loss is left so many steps earlier: (T,), entry `lag`; the first is 1.

        profile[lag] = mean over t >= lag of norms[t, t - lag] / mean over t >= lag of norms[t, t]

    Both means are over the same steps t, so that steps with a larger loss do not pass for memory. norms: (T, T), as
    `triangle` gives them. NaN for lags that no step with a gradient reaches.
    """
    T = len(norms)
    own = np.diagonal(norms)
    sums = np.array([[np.diagonal(norms, -lag).sum(), own[lag:].sum()] for lag in range(T)])
    return np.divide(sums[:, 0], sums[:, 1], out=np.full(T, np.nan), where=sums[:, 1] > 0)


def horizon(norms: Array, fraction: float = 1 / math.e) -> float:
    """Effective memory horizon: the lag at which the `profile` of norms (T, T) first falls to `fraction`, a float.

    Between two lags the profile is taken to be exponential, so for h_t = w h_{t-1} with |w| < 1 the horizon is exactly
    1 / ln(1 / |w|) steps: 9.49 for w = 0.9. inf where the profile stays above the fraction for all lags there are, NaN
    where no step has a gradient. What rises again after it has fallen is not looked at. Raises ValueError for a
    fraction outside (0, 1).
    """
    if not 0 < fraction < 1:
        raise ValueError(f"horizon: fraction must lie between 0 and 1, got {fraction}")
    left = profile(norms)
    left = left[~np.isnan(left)]
    if len(left) == 0:
        return math.nan
    below = np.flatnonzero(left <= fraction)
    if len(below) == 0:
        return math.inf
    lag = int(below[0])
    if left[lag] == 0:
        return float(lag - 1)  # the limit: an exponential that falls to nothing does so at once
    return lag - 1 + math.log(left[lag - 1] / fraction) / math.log(left[lag - 1] / left[lag])


def cumulative_horizon(norms: Array, share: float = 0.9) -> int | None:
    """The smallest lag up to which the `profile` of norms (T, T) has added up to `share` of its sum, an int.

    Another answer to the same question, which also sees a gradient that falls and comes back. It depends on T: a
    gradient that stays as it is has its 90 % at 0.9 T. For h_t = w h_{t-1} it is the first lag with
    1 - |w|^(lag + 1) >= share (1 - |w|^T). None where no step has a gradient. Raises ValueError for a share outside
    (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"cumulative_horizon: share must lie in (0, 1], got {share}")
    left = profile(norms)
    left = left[~np.isnan(left)]
    if len(left) == 0:
        return None
    total = np.cumsum(left)
    return int(np.argmax(total >= share * total[-1] * (1 - 1e-12)))  # rounding must not cost a lag
