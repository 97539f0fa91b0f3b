"""Hidden feedforward structure: number the units by when a pulse reaches them, and see who drives whom.

Orhan & Pitkow (2020, section 2.4, after Rajan, Harvey & Tank 2016): give the network one pulse of input, let it run on,
order the units by the time of their peak, and take the mean weight W_ij against i - j, the places of the driven and of
the driving unit in that order. A sequence shows as more weight at small positive i - j, from units that peak earlier
to units that peak later. Matrices are for columns, W[i, j] from unit j to unit i.
"""

import numpy as np

from tinyrnn.analysis.spectrum import square
from tinyrnn.core.activations import get_activation
from tinyrnn.core.backend import as_rng, to_numpy
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array

STEPS = 100  # that a network runs on after the pulse


def linear_response(W: Array, v: Array, steps: int = STEPS, activation: str = "identity") -> Array:
    """h_0 = f(v), h_k = f(W h_{k-1}), an array (steps + 1, n): what W (n, n) makes of a pulse through v (n,)."""
    W, f = square(W), get_activation(activation)[0]
    h = [f(np.asarray(v, dtype=np.float64))]
    if h[0].shape != (len(W),):
        raise ValueError(f"v must be a vector of W's {len(W)} units, got shape {h[0].shape}")
    for _ in range(steps):
        h.append(f(W @ h[-1]))
    return np.array(h)


def response(cell: Cell, steps: int = STEPS, pulse: float = 1.0) -> Array:
    """What a pulse changes: (steps + 1, n) differences of the outputs with it and without it, from the zero state.

    cell: anything with the cells' `forward`. pulse: the input of the first step, (input_size,) or a number for all of
    them; after it, and without it, all inputs are zero. The difference, because biases alone move a trained network.
    """
    x = np.zeros((steps + 1, 2, cell.input_size), cell.dtype)
    x[0, 0] = pulse
    zeros = tuple(np.zeros((2, n), cell.dtype) for n in cell.state_sizes)
    h, _ = cell.forward(x, zeros)
    h = to_numpy(h).astype(np.float64)
    return h[:, 0] - h[:, 1]


def peak_order(h: Array, rng: int = 0) -> Array:
    """The units, an array (n,), by the time at which |h| is largest, h (T, n) from `response` or `linear_response`.

    Ties are broken at random (rng), or the order that the units already have would pass for a structure. Units that
    the pulse never reaches come last.
    """
    h = abs(np.asarray(h))
    peak = np.where(h.max(axis=0) > 0, h.argmax(axis=0), len(h))
    return np.lexsort((np.asarray(as_rng(rng).random(h.shape[1])), peak))


def weight_profile(W: Array, order: Array) -> tuple[Array, Array]:
    """(offsets, means): the mean of W_ij over all i - j = offset, for offsets 1-n … n-1, the units numbered by `order`.

    W (n, n), such as one of `tinyrnn.analysis.recurrent.matrices`, order (n,) from `peak_order`. Positive offsets are
    weights from units that peak earlier to units that peak later; a chain is a single peak at 1.
    """
    W = square(W)
    order = np.asarray(order)
    if sorted(order) != list(range(len(W))):
        raise ValueError(f"order must number the {len(W)} units of W, each once")
    W, offsets = W[np.ix_(order, order)], np.arange(1 - len(W), len(W))
    return offsets, np.array([np.diagonal(W, -k).mean() for k in offsets])


def forward_excess(offsets: Array, means: Array, reach: int = 5) -> float:
    """Mean weight at offsets 1 … reach less that at -reach … -1, in one number: above 0 where a sequence leads on."""
    near = (offsets >= 1) & (offsets <= reach)
    return float(means[near].mean() - means[near[::-1]].mean())
