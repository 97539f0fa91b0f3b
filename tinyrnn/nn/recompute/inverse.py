"""States recomputed by the inverse of a cell's step instead of being kept.

A unitary transition can be undone: where h_t and the input are known, so is h_{t-1}. A cell that can do this offers
`step_inverse`; backpropagation then keeps no state at all, but walks back from the last one: each window is inverted
step by step down to its start, and run forward again from there for its tape. The cost is one more pass forward and one
in reverse; the memory does not grow with the number of steps but for a few numbers a window.

The inverse undoes rounding errors no better than anything else: they are carried along, and grow by as much as the
inverse stretches. `drift` measures it: the largest max |h_inverted - h| / |h| over the last 100, 1000 and 10 000 steps
of a sequence of 10 000, white-noise input, 4 rows, 128 numbers in a state:

                                        float32                     float64
    linear, V orthogonal          3e-6    1e-5    4e-3        3e-14   3e-13   3e-10
    linear, 0.999 V               3e-6    2e-5    5e+0        3e-14   4e-13   1e-7
    linear, 0.99 V                6e-6    5e-2    nan         5e-14   6e-10   1e+31
    unitary, b = 0                8e-6    9e-5    7e-2        1e-14   1e-13   1e-10
    unitary, b = 0.01             8e-6    8e-5    9e-2        1e-14   1e-13   1e-10
    unitary, b = -0.001           9e-6    8e-5    8e-2        1e-14   1e-13   2e-3
    unitary, b = -0.01            9e-6    7e-3    4e+2        1e-14   7e-3    4e+2

Where the transition is unitary, rounding errors are merely added up: in float64 the drift is of no account. (The last
column overstates it: this input makes the state grow, and early states are small beside the errors of late ones.)
Training does not keep V orthogonal nor b at zero. Singular values of V below 1, or a b below 0, stretch errors at every
step, exponentially, and a unit that modReLU has set to zero cannot be brought back at all, which is what the last row
shows. So the way back is checked: going forward, eight random projections of the state at the start of each window are
kept, and where what the inverse finds differs from them by more than `tolerance`, the rest is done with kept states
instead, with a warning, as it costs time.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from tinyrnn.core.backend import xp_of
from tinyrnn.core.engine import check_input
from tinyrnn.nn.layers import Stack, deal

PROJECTIONS = 8


@dataclass(frozen=True)
class Inverse:
    """Recompute states by the inverse.

    length: steps in a window (None: about a thousand rows). states: how many states to keep at most where the inverse
    has drifted. tolerance: relative error of a state that counts as drifted (None: the square root of the precision,
    1.5e-8 in float64, 3.5e-4 in float32).
    """

    length: int | None = None
    states: int = 64
    tolerance: float | None = None


def invert(network, x, state, mask=None):
    """The state before the first step of x, from the one after the last: a tuple of arrays (B, n).

    network: a cell, or a `Stack` of cells; x and mask as in `forward`. ValueError if a cell has no inverse step.
    """
    if not isinstance(network, Stack):
        return invert_cell(network, x, state, mask)
    before = ()
    for layer, s in zip(network.layers, deal(state, network), strict=True):
        start = invert(layer, x, s, mask)
        before += start
        if layer is not network.layers[-1]:
            x = layer.forward(x, start, mask)[0]  # what the next layer had to read
    return before


def invert_cell(cell, x, state, mask=None):
    """The state before x, from the one after it, step by step."""
    x, mask = check_input(cell, x, mask)
    p = cell.derive_inverse(cell.derive(cell.params))
    a = cell.project(p, x)
    for t in reversed(range(len(x))):
        before = cell.step_inverse(p, a[t], *state)
        if mask is not None:
            where, live = xp_of(x).where, mask[t][:, None]
            before = tuple(where(live, b, s) for b, s in zip(before, state, strict=True))
        state = before
    return tuple(state)


def refuse_unless_invertible(network):
    """ValueError if some cell of the network has no inverse step."""
    for part in getattr(network, "parts", {}).values():
        refuse_unless_invertible(part)
    if not hasattr(network, "step_inverse"):  # no cell: a readout, or a composite, whose parts have been asked
        return
    if network.step_inverse is None:
        raise ValueError(f"{network.name} has no inverse step; give checkpoint a memory budget instead")
    if network.clip_state is not None:
        raise ValueError(f"{network.name}: activation clipping has no inverse; give checkpoint a memory budget instead")


def projections(state):
    """Eight fixed random projections of each array of a state, (B, 8): enough to see an error in any direction."""
    rng = np.random.default_rng(0)
    result = []
    for s in state:
        R = rng.normal(size=(s.shape[-1], PROJECTIONS)).astype(s.dtype)
        result.append(s @ xp_of(s).asarray(R))
    return result


def error(found, wanted):
    """How far two lists of projections are apart: the largest row of the difference by the largest row; inf for NaN."""
    xp = xp_of(found[0])
    difference = max(float(xp.sqrt(((f - w) ** 2).sum(axis=-1)).max()) for f, w in zip(found, wanted, strict=True))
    size = max(float(xp.sqrt((w * w).sum(axis=-1)).max()) for w in wanted)
    return difference / max(size, np.finfo(found[0].dtype).tiny) if difference == difference else float("inf")


def tolerated(inverse, dtype):
    """How far the inverse may drift: what was asked for, or half of the digits."""
    return float(np.finfo(dtype).eps) ** 0.5 if inverse.tolerance is None else inverse.tolerance


def warn_of_drift(step, found):
    """Says that rounding has used up the inverse, and what is done about it."""
    warnings.warn(
        f"the inverse has drifted by {found:.1e} at step {step}: the steps before it are run from kept states",
        RuntimeWarning,
        stacklevel=2,
    )


def drift(network, x, mask=None):
    """max |h_inverted - h| / |h| for each time step before the last, (T - 1,): how well the inverse finds the way back.

    The tape is kept whole, so this is for sequences that fit in memory. The norm is over the units, the maximum over
    the batch; only the first state of a cell is looked at.
    """
    h, tape = network.forward(x, None, mask)
    xp, state = xp_of(h), tape.state
    errors = xp.zeros(len(x) - 1)
    for t in reversed(range(1, len(x))):
        state = invert(network, x[t : t + 1], state, None if mask is None else mask[t : t + 1])
        away, size = (xp.sqrt((d * d).sum(axis=-1)) for d in (state[0] - h[t - 1], h[t - 1]))
        errors[t - 1] = (away / xp.maximum(size, np.finfo(h.dtype).tiny)).max()
    return errors
