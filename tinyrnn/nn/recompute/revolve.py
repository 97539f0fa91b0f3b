"""Backpropagation through sequences whose tape does not fit in memory: what to keep, and when to run what again.

The sequence is cut into windows. Going forward only a few states are kept, each at the start of a window; going
backward, a window is run forward again from the kept state at its start, which gives its tape, and then backward. Where
not every window's state fits either, states are kept, dropped and made again in an order that is known to be the best:
the binomial schedule (Griewank & Walther 2000, "revolve"). With k states and n windows, let r be the least number with
n <= C(k + r, r). Then

    t(n, k) = r n - C(k + r, r - 1)          windows are run forward without a tape, and no order needs fewer.

As r grows with the k-th root of n only, a few dozen states serve a million steps with two or three times the work
forward. Here is the arithmetic of it; `tinyrnn.nn.recompute.windows` does the work.

Cells that can be run in reverse (`step_inverse` in `tinyrnn.core.cell`) need not keep states at all: see
`tinyrnn.nn.recompute.inverse`.
"""

import math
import re
from dataclasses import dataclass
from functools import cached_property

from tinyrnn.nn.recompute.inverse import Inverse, refuse_unless_invertible

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}
PROBE = 16  # steps run to see how much tape a step leaves behind


@dataclass(frozen=True)
class Schedule:
    """How a sequence of `steps` time steps will be cut up.

    starts: the first step of each window. states: how many states are kept at once, at most (the initial one counts).
    inverse: an `Inverse` if states are to be recomputed by the cell's inverse. memory: bytes of the kept states, of one
    window's tape and of what the backward pass makes of it, estimated.
    """

    steps: int
    starts: tuple
    states: int
    inverse: object
    memory: int

    @property
    def bounds(self):
        """The first step of each window, then the number of steps."""
        return (*self.starts, self.steps)

    @cached_property
    def recomputed(self):
        """Time steps run forward more often than once, each counted as often as it is run again.

        Inverted steps are not in it: with an inverse there are as many of them again.
        """
        if self.inverse is not None:
            return self.starts[-1]
        bounds = self.bounds
        return sum(bounds[j] - bounds[i] for i, j, _ in schedule(len(self.starts), self.states))


# the binomial schedule ------------------------------------------------------------------------------------------------


def advances(n, k):
    """t(n, k): how many windows must be run forward without a tape so that n can be reversed with k kept states."""
    r = repetitions(n, k)
    return r * n - math.comb(k + r, r - 1) if r else 0


def repetitions(n, k):
    """The least r with n <= C(k + r, r): how often a window is run forward without a tape, at most."""
    if n == 1:
        return 0
    high = 1
    while math.comb(k + high, high) < n:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if math.comb(k + middle, middle) < n else (low, middle)
    return high


def schedule(n, k):
    """The order of work for n windows and k kept states: yields (i, j, keep).

    From the state kept at window i (that of window 0 is there to begin with) go forward to the start of window j, and
    either keep the state there or reverse window j, after which a state kept at j is not needed any more.
    """
    kept, stop = [0], n
    while stop:
        i, free = kept[-1], k - len(kept)
        j = stop - 1 if not free else i + furthest(stop - i, free + 1)
        if i < j and free and j < stop - 1:
            kept.append(j)
            yield i, j, True
            continue
        j = stop - 1
        yield i, j, False
        stop = j
        if i == j:
            kept.pop()


def furthest(n, k):
    """How many of n windows to go forward before the next state is kept, k - 1 more being free; 0 for one window.

    Any m will do for which the m windows before it, with k states, and the n - m after it, with k - 1, both need
    the number of repetitions that the optimum has for them; this is the least.
    """
    r = repetitions(n, k)
    if r == 0:
        return 0
    return max(1, math.comb(k + r - 2, r - 2) if r > 1 else 0, n - math.comb(k + r - 1, r))


# from what the user says to a plan ------------------------------------------------------------------------------------


def plan(network, x, checkpoint, *, state=None, mask=None, truncate=None):
    """The `Schedule` for a network (a cell, `Stack` or `Model`) and an input x (T, B, ...).

    checkpoint: a memory budget, "512 MiB" or "1 GB": windows and number of kept states are then chosen so that the
        fewest steps are run twice. An integer: windows of so many steps, the state kept at the start of each. A pair
        (steps, states): windows of so many steps, at most so many states kept. "inverse", or an `Inverse`.
    truncate: as in `tinyrnn.core.engine.backward`; windows then end where the gradient is cut.

    The budget is for kept states, one window's tape and the work on it, estimated; x and its gradient, the parameters
    and theirs are not in it. Raises ValueError if it is too small for a single step, or not understood, or if the
    network cannot be cut up in time (`Bidirectional`).
    """
    refuse_unless_causal(network)
    T = len(x)
    price = cost(network, x[:PROBE], state, None if mask is None else mask[:PROBE])
    inverse = Inverse() if checkpoint == "inverse" else checkpoint if isinstance(checkpoint, Inverse) else None
    if inverse is not None:
        refuse_unless_invertible(network)
        length, states = inverse.length or min(T, max(PROBE, 1024 // x.shape[1])), inverse.states
    elif isinstance(checkpoint, str):
        length, states = best(T, price, budget(checkpoint))
    else:
        length, states = checkpoint if isinstance(checkpoint, tuple) and len(checkpoint) == 2 else (checkpoint, None)
        for value in (length, 1 if states is None else states):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(
                    'checkpoint: give a memory budget such as "512 MiB", a number of steps, a pair (steps, states) '
                    f'or "inverse", got {checkpoint!r}'
                )
    starts = window_starts(T, length, truncate)
    states = min(len(starts), states or len(starts))
    longest = max(b - a for a, b in zip(starts, (*starts[1:], T), strict=True))
    return Schedule(T, starts, states, inverse, price.window(longest) + states * price.state)


def budget(text):
    """Bytes in "512 MiB", "1GB", "2e9" or "2e9 bytes"."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*(|[KMG]|[KMG]I?B|B|bytes?)\s*", text, flags=re.IGNORECASE)
    try:
        size, unit = match.groups()
        unit = re.sub("B$|BYTES?$", "", unit.upper())
        return int(float(size) * UNITS[unit])
    except (AttributeError, ValueError):
        raise ValueError(f'checkpoint: a memory budget reads "512 MiB" or "1 GB", got {text!r}') from None


@dataclass(frozen=True)
class Price:
    """Bytes: of one time step on the tape, with its outputs and their gradients; of one state.

    rows: for so many steps at once, at most, the backward pass holds the gradients of what is on the tape, which take
    about twice as much again (1.1 to 1.8 times, as measured for LSTM, GRU and the unitary RNN).
    """

    step: int
    state: int
    rows: int

    def window(self, length):
        """Bytes of the tape of a window of this many steps."""
        return (length + 2 * min(length, self.rows)) * self.step


def best(T, price, bytes_):
    """(length, states) with the fewest recomputed steps for T steps within a budget; of equals the longest windows.

    Of all lengths that give the same number of windows the least is the best, so only those are looked at.
    """
    if bytes_ < price.window(1) + price.state:
        need = price.window(1) + price.state
        raise ValueError(f"checkpoint: one time step takes {need} bytes, which is more than the budget of {bytes_}")
    root = math.isqrt(T) + 1
    lengths = {-(-T // n) for n in range(1, root + 1)} | set(range(1, min(T, root) + 1))
    choices = []
    for length in lengths:
        n, room = -(-T // length), bytes_ - price.window(length)
        if room >= price.state:
            states = min(n, room // price.state)
            choices.append((advances(n, states) * length, -length, states))
    _, length, states = min(choices)
    return -length, states


def window_starts(T, length, truncate=None):
    """Where windows of at most `length` steps begin; no window goes across a multiple of `truncate`."""
    if truncate is None or truncate >= T or length >= T:
        return tuple(range(0, T, length))
    if length >= truncate:
        return tuple(range(0, T, length // truncate * truncate))
    length = -(-truncate // -(-truncate // length))  # parts as equal as can be
    blocks = range(0, T, truncate)
    return tuple(start for block in blocks for start in range(block, min(block + truncate, T), length))


def refuse_unless_causal(network):
    """ValueError if some part of the network needs the whole sequence at once."""
    name = type(network).__name__
    if name == "Bidirectional" or not getattr(network, "chunked", True):
        raise ValueError(f"checkpoint: {name} needs the whole sequence at once, so it cannot be run in windows")
    for part in getattr(network, "parts", {}).values():
        refuse_unless_causal(part)


def cost(network, x, state, mask):
    """The `Price` of a network's time steps, from running it over the few of x."""
    _, tape = network.forward(x, state, mask)
    state_bytes = sum(s.nbytes for s in tape.state)
    leaves = list(leaves_of(network))
    item, B = leaves[0].dtype.itemsize, x.shape[1]
    through = 2 * B * item * sum(leaf.output_size for leaf in leaves)  # outputs and their gradients
    model = getattr(network, "model", network)
    loss = 6 * B * item * model.readout.output_size if hasattr(model, "readout") else 0
    step_bytes = -(-sum(a.nbytes for a in arrays_in(tape)) // len(x)) + through + loss + 2 * x[0].nbytes
    rows = max(leaf.runner.rows_per_chunk for leaf in leaves if hasattr(leaf, "runner"))
    return Price(step_bytes, state_bytes, max(16, rows // B))


def leaves_of(network):
    """The cells in a network."""
    parts = getattr(network, "parts", None)
    return [network] if parts is None else [leaf for part in parts.values() for leaf in leaves_of(part)]


def arrays_in(value):
    """Every array on a tape, each once; what the tape shares with the cell or the input is left out."""
    if isinstance(value, tuple | list | dict) and not hasattr(value, "layers"):
        items = value.values() if isinstance(value, dict) else value
        return list({id(a): a for item in items for a in arrays_in(item)}.values())
    for inner in ("layers", "tapes"):  # of a model's tape, of a stack's
        if hasattr(value, inner):
            return arrays_in(getattr(value, inner))
    if hasattr(value, "cache"):
        return arrays_in((value.states, value.cache))
    return [value] if hasattr(value, "nbytes") else []
