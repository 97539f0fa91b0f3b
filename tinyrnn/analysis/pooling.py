"""What pooling keeps of a rotating state, and what it loses (Henaff, Szlam & LeCun 2016, sections 2.3 and 3.3).

The length of a pair of units that a rotation turns does not change, only its phase does. So where every pool is such a
pair, P(V^m h) = P(h): to a decoder that sees the pools alone, V might as well be the identity.
"""

from typing import Any

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.types import Array
from tinyrnn.nn.heads import PooledReadout


def pools(h: Array, size: int = 2, stride: int | None = None) -> Array:
    """P(h)_j, the length of pool j: h (..., n) -> (..., pools), as `tinyrnn.PooledReadout` pools them."""
    _, (_, pooled) = PooledReadout(h.shape[-1], 1, size=size, stride=stride, rng=0).forward(h)
    return pooled


def invariant_pools(V: Array, h: Array) -> Array:
    """Pools along V's own planes of rotation, (..., n): the length of h's component in each eigenvector.

    V (n, n), orthogonal, for column vectors; h (..., n). Every orthogonal V has such planes, but their axes are seldom
    the units, which is where a network pools. A plane has two eigenvectors, and so is there twice.
    Raises ValueError for a V that is not normal to 1e-6, and so has no orthogonal eigenvectors.
    """
    V = np.asarray(V, float)
    if np.abs(V @ V.T - V.T @ V).max() > 1e-6:
        raise ValueError("V is not normal: its eigenvectors are not orthogonal, so it has no planes of rotation")
    _, Z = scipy.linalg.schur(V, output="complex")
    return np.abs(h @ Z.conj())


def fluctuation(values: Array) -> float:
    """How much values change over time, the first axis: their standard deviation over time, relative to their size.

    The root of the mean square deviation from each one's mean over time, divided by the root mean square. A float in
    [0, 1]: 0 for what stands still, 1 for what swings about zero.
    """
    values = np.asarray(values)
    size = np.sqrt((np.abs(values) ** 2).mean())
    return float(np.sqrt((np.abs(values - values.mean(axis=0)) ** 2).mean()) / size) if size else 0.0


def activity(h: Array, cuts: Any) -> Array:
    """How much a state moves in each part of a sequence: the root mean square of h_t - h_{t-1} over units and steps.

    h (T, n); cuts: the steps, counted from 0 and increasing, at which a new part begins. Returns (len(cuts) + 1,)
    floats; what moves h from step t - 1 to t belongs to t. ValueError for cuts that leave a part without such a change.
    """
    changes = np.diff(h, axis=0)
    edges = [0, *(cut - 1 for cut in cuts), len(changes)]
    if (np.diff(edges) < 1).any():
        raise ValueError(f"cuts {list(cuts)} leave a part of the {len(h)} steps without a change of state")
    parts = np.split(changes, edges[1:-1])
    return np.array([np.sqrt((part**2).mean()) for part in parts])
