"""Backpropagation window by window, for sequences whose tape does not fit in memory.

`tinyrnn.nn.recompute.revolve` says which windows and in which order, this does it, on nothing but the `forward` and
`backward` of the network. So it serves every cell, `Stack` and `Model`, compiled or not, with masks, truncation and all
else. Sums over time are added up in another order than without windows; that is the only difference.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tinyrnn.core.backend import described, xp_of
from tinyrnn.core.tape import Gradients
from tinyrnn.core.types import Array, Parts
from tinyrnn.nn.recompute.inverse import error, invert, projections, tolerated, warn_of_drift
from tinyrnn.nn.recompute.revolve import leaves_of, schedule
from tinyrnn.nn.recompute.revolve import plan as make_plan


class Checkpointed(NamedTuple):
    """gradients: `Gradients`, as `backward` returns. state: the final state. plan: the `Schedule` that was followed."""

    gradients: Gradients
    state: tuple
    plan: object


def backpropagate(
    network: Any,
    x: Array,
    dh: Any = None,
    dstate: tuple | None = None,
    *,
    checkpoint: Any,
    state: Parts | None = None,
    mask: Array | None = None,
    progress: Callable[[int], Any] | None = None,
    **options: Any,
) -> Checkpointed:
    """Forward and backward through a sequence without keeping its tape; returns `Checkpointed`.

    network: a cell or a `Stack` (a `Model` has `gradients(..., checkpoint=...)`). x (T, B, n), state, mask: as in its
    `forward`. dh, dstate: upstream, as in its `backward`; dh may also be a function (start, stop, h) that returns the
    gradient (stop - start, B, output_size) of the outputs h of these steps, or None for zero, so that neither h nor dh
    ever exist for all time steps. It is called once for each window, the last one first.
    checkpoint: a memory budget such as "512 MiB", a number of steps, (steps, states) or "inverse": see
    `tinyrnn.nn.recompute.revolve.plan`. progress: a function, called with the number of steps each time some are done,
    such as `tqdm(total=len(x)).update`. options: truncate, average, detach.

        out = tr.backpropagate(cell, x, lambda start, stop, h: h - target[start:stop], checkpoint="256 MiB")
        out.gradients.params["W_h"]
    """
    first_upstream, upstream = 0, dh
    if dh is None and dstate is None:
        raise ValueError("backpropagate: give dh, dstate or both; there is nothing to propagate")
    if not callable(dh):
        wanted = (*x.shape[:2], network.output_size)
        if dh is not None and getattr(dh, "shape", None) != wanted:
            got = getattr(dh, "shape", type(dh).__name__)
            raise ValueError(f"backpropagate: dh must be a function or an array of shape {wanted}, got {got}")
        first_upstream = len(x) if dh is None else first_nonzero(dh)

        def upstream(start, stop, h):
            return None if dh is None else dh[start:stop]

    return run(network, x, upstream, dstate, checkpoint, state, mask, progress, first_upstream, **options)


def run(
    network,
    x,
    upstream,
    dstate,
    checkpoint,
    state,
    mask,
    progress=None,
    first_upstream=0,
    *,
    truncate=None,
    average=False,
    record=False,
    detach=None,
):
    """What `backpropagate` does, for anything that has `forward` and `backward` (see `Windows`)."""
    if not hasattr(x, "nbytes"):
        raise TypeError(f"checkpoint: windows are for NumPy and CuPy arrays alone, got {described(x)}")
    if record:
        raise ValueError("record=True keeps a gradient for every step, which checkpointing is there to avoid")
    if truncate is not None and truncate < 1:
        raise ValueError(f"truncate must be at least 1 step, got {truncate}")
    for leaf in leaves_of(getattr(network, "model", network)):
        if hasattr(leaf, "compile_if_it_pays"):
            leaf.compile_if_it_pays(x)  # for it will see it window by window
    plan = make_plan(network, x, checkpoint, state=state, mask=mask, truncate=truncate)
    if mask is not None and mask.shape != x.shape[:2]:
        raise ValueError(f"mask must be booleans {x.shape[:2]}, got {mask.dtype} {mask.shape}")
    if detach is not None and getattr(detach, "shape", None) != (len(x),):
        raise ValueError(f"detach must be booleans {(len(x),)}, one a step")
    windows = Windows(network, x, mask, plan.bounds, upstream, dstate, truncate, first_upstream, progress, detach)
    if plan.inverse is None:
        reverse_by_kept_states(windows, state, len(plan.starts), plan.states)
    else:
        reverse_by_inverse(windows, state, plan.inverse)
    if average:  # everything is linear in the upstream gradients
        windows.scale(1 / len(x))
    return Checkpointed(Gradients(windows.dx, windows.dstate, windows.dparams), windows.state, plan)


def reverse_by_kept_states(windows, state, n, k):
    """Reverse the first n windows with at most k states kept; state: the one before the first window, or None."""
    kept = {0: state}
    for i, j, keep in schedule(n, k):
        here = windows.advance(i, j, kept[i])
        if keep:
            kept[j] = here
            continue
        windows.reverse(j, here)
        kept.pop(j, None)
        if windows.nothing_left:
            return


def reverse_by_inverse(windows, state, inverse):
    """Reverse all windows, finding the state at the start of each by the inverse, from the one at its end."""
    n, here, seen = len(windows.bounds) - 1, state, [None]
    for j in range(1, n):
        here = windows.advance(j - 1, j, here)
        seen.append(projections(here))
    for j in reversed(range(n)):
        if j < n - 1:
            here = windows.invert(j, here) if j else state
        if 0 < j < n - 1:
            drifted = error(projections(here), seen[j])
            if not drifted <= tolerated(inverse, here[0].dtype):
                warn_of_drift(windows.bounds[j], drifted)
                return reverse_by_kept_states(windows, state, j + 1, inverse.states)
        windows.reverse(j, here)
        if windows.nothing_left:
            return


class Windows:
    """A sequence cut into windows, and the gradients gathered so far.

    network: has `forward` and `backward`; it may have `advance` (x, state, mask -> final state), for where outputs are
    not needed, and `invert` (x, state, mask -> state before x). upstream: function (start, stop, output) -> gradient of
    the output or None; dstate: of the final state. first_upstream: no step before this one has any.
    """

    def __init__(self, network, x, mask, bounds, upstream, dstate, truncate, first_upstream, progress, detach=None):
        self.network, self.x, self.mask, self.bounds = network, x, mask, bounds
        self.upstream, self.truncate, self.first_upstream = upstream, truncate, first_upstream
        self.progress, self.detach = progress, detach
        self.state, self.dstate = None, dstate
        self.dx, self.dparams = None, {}
        self.nothing_left = False  # whether all gradients of earlier steps are zero

    def part(self, j):
        """x and mask of window j."""
        where = slice(self.bounds[j], self.bounds[j + 1])
        return self.x[where], None if self.mask is None else self.mask[where]

    def advance(self, i, j, state):
        """From the state at the start of window i to the one at the start of window j."""
        go = getattr(self.network, "advance", None) or partial(final_state, self.network)
        for window in range(i, j):
            x, mask = self.part(window)
            state = copies(go(x, state, mask))
        return state

    def invert(self, j, state):
        """From the state at the end of window j to the one at its start."""
        x, mask = self.part(j)
        go = getattr(self.network, "invert", None) or partial(invert, self.network)
        return go(x, state, mask)

    def reverse(self, j, state):
        """Run window j forward from the state at its start, then backward."""
        start, stop = self.bounds[j : j + 2]
        x, mask = self.part(j)
        output, tape = self.network.forward(x, state, mask)
        if self.state is None:
            self.state = copies(tape.state)
        d = self.upstream(start, stop, output)
        dstate = (None,) * len(self.state) if self.dstate is None else self.dstate
        options = {} if self.detach is None else {"detach": self.detach[start:stop]}
        back = self.network.backward(d, tape, dstate, **cut(self.truncate, stop - start), **options)
        self.gather(start, stop, back)
        if self.progress is not None:
            self.progress(stop - start)

    def gather(self, start, stop, back):
        """Takes up the gradients of the steps start … stop - 1."""
        for name, d in back.params.items():
            self.dparams[name] = self.dparams[name] + d if name in self.dparams else d
        if back.inputs is not None:
            if self.dx is None:
                self.dx = xp_of(back.inputs).zeros((len(self.x), *back.inputs.shape[1:]), back.inputs.dtype)
            self.dx[start:stop] = back.inputs
        self.dstate = copies(back.state)
        if start and self.truncate is not None and start % self.truncate == 0:
            self.dstate = tuple(xp_of(d).zeros_like(d) for d in self.dstate)
        self.nothing_left = start <= self.first_upstream and not any(bool(d.any()) for d in self.dstate)

    def scale(self, factor):
        """Multiplies what has been added up so far."""
        self.dx = None if self.dx is None else self.dx * factor
        self.dstate = tuple(d * factor for d in self.dstate)
        self.dparams = {name: d * factor for name, d in self.dparams.items()}


def cut(truncate, length):
    """The option for `backward`, where a window holds more than one stretch of truncated steps."""
    return {} if truncate is None or truncate >= length else {"truncate": truncate}


def final_state(network, x, state, mask):
    """The state after x, of which nothing else is kept."""
    return network.forward(x, state, mask)[1].state


def copies(state):
    """The arrays of a state by themselves: on a tape they are views that would keep all of it alive."""
    return tuple(s.copy() for s in state)


def first_nonzero(dh):
    """The first time step with a gradient from above, T if there is none."""
    nonzero = xp_of(dh).any(dh.reshape(len(dh), -1) != 0, axis=1)
    return int(nonzero.argmax()) if bool(nonzero.any()) else len(dh)
