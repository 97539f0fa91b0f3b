"""One time step, forward or backward, with what happens around the cell: masks and activation clipping.

`Plain` runs these steps one after the other, the cell's source as it stands. A compiled cell (`tinyrnn.compiler`) has
another runner in its place, made from the very same functions; the engine does not see the difference.
"""

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import astype, real
from tinyrnn.core.tape import at, stack
from tinyrnn.core.threads import for_products


def step(cell, p, a, prev, live=None):
    """One step forward: the new state, a list, and what to keep, a dict.

    prev: the state before it, a list. live: (B, 1), False where a sequence has no such step; None: all have it.
    """
    new, cache = cell.step(p, a, *prev)
    if cell.clip_state is not None:
        new, cache = clip_state(cell, new, cache)
    if live is not None:
        where = xp_of(live).where
        new = [where(live, after, before) for after, before in zip(new, prev, strict=True)]
    return new, cache


def step_backward(cell, p, dstate, needs, live=None, clipped=None):
    """One step of the cell's backward pass; returns da and a list, dstate_prev.

    dstate: gradients of the new state, a list. needs: what the cell asks the tape for, name -> value at this step.
    clipped: with activation clipping, h after it and the scale.
    """
    carried = None
    if live is not None:
        where = xp_of(live).where
        carried = [where(live, 0, d) for d in dstate]  # past the step, where there was none
        dstate = [where(live, d, 0) for d in dstate]
    if cell.clip_state is not None:
        dh, *rest = dstate
        dstate = [clip_state_backward(cell, dh, *clipped), *rest]
    da, dstate_prev = cell.step_backward(p, *dstate, **needs)
    if carried is None:
        return da, list(dstate_prev)
    return da, [d + c for d, c in zip(dstate_prev, carried, strict=True)]


class Plain:
    """Runs a cell as it stands, one NumPy (or CuPy) operation after the other; nothing is prepared or remembered."""

    # Weight gradients are taken for this many rows (time steps x batch) in one matrix product: enough to keep the
    # product efficient, few enough for the rows to be still in cache.
    rows_per_chunk = 1024

    def session(self, cell, x):
        """Open while the engine runs the cell over x."""
        return for_products(cell.params, x)

    def chunk_size(self, T, B):
        """Time steps whose weight gradients are taken together."""
        return min(T, max(16, self.rows_per_chunk // B))

    def empty(self, shape, dtype, xp):
        """An array for a tape, (T, B, n), not yet filled."""
        return xp.empty(shape, dtype=dtype)

    def forward_steps(self, cell, tape, chunk):
        """How many time steps `forward` should be given at once; chunk: what is good for the matrix products."""
        return chunk

    def forward(self, cell, tape, start, stop):
        """Fill the tape from time step `start` up to `stop`."""
        a = cell.project(tape.p, tape.x[start:stop, ...])
        if "a" in cell.step_needs or "a" in cell.gradients_needs:
            tape.keep(slice(start, stop), {"a": a})
        for t in range(start, stop):
            self.forward_at(t, cell, tape, a[t - start, ...])

    def forward_at(self, t, cell, tape, a):
        """Step t: its state and what it keeps go onto the tape."""
        states = list(tape.states.values())
        new, cache = step(cell, tape.p, a, [array[t, ...] for array in states], tape.live(t))
        for array, s in zip(states, new, strict=True):
            array[t + 1, ...] = s
        tape.keep(t, cache)

    def backward(self, cell, tape, start, stop, dh, dstate, recorded):
        """From step `stop` - 1 down to `start`: what the steps return as da, stacked over time, and the new dstate.

        dh: upstream on the outputs, over all time, or None. dstate: a list. recorded: name -> array over all time that
        the total gradient of the states is written to, or None.
        """
        needs = {name: tape.asked(cell, name) for name in cell.step_needs}
        clipped = (tape[cell.states[0]], tape["clip_scale"]) if cell.clip_state is not None else None
        das = []
        for t in reversed(range(start, stop)):
            if dh is not None:
                dstate = [dstate[0] + dh[t, ...], *dstate[1:]]
            if recorded is not None:
                for name, d in zip(recorded, dstate, strict=True):
                    recorded[name][t, ...] = d
            now = {name: at(values, t) for name, values in needs.items()}
            at_t = None if clipped is None else [values[t, ...] for values in clipped]
            da, dstate = self.backward_at(t, cell, tape, dstate, now, at_t)
            das.append(da)
        return stack(das[::-1]), dstate

    def backward_at(self, t, cell, tape, dstate, needs, clipped):
        """Step t backwards; see `step_backward`."""
        return step_backward(cell, tape.p, dstate, needs, tape.live(t), clipped)

    def gradients(self, cell, tape, start, stop, da, needs, dparams, inputs=True):
        """Add the weight gradients of these time steps to the dict dparams; returns the gradient of the input, or None
        where that is not wanted.

        needs: what the cell asks the tape for, name -> values over all time.
        """
        now = {name: at(values, slice(start, stop)) for name, values in needs.items()}
        dx, d = cell.gradients(tape.p, tape.x[start:stop, ...], da, **now)
        add_to(dparams, d)
        return dx if inputs else None


def add_to(totals, values):
    """Add a dict of arrays to a dict of arrays of our own, in place."""
    for name, value in values.items():
        if name in totals:
            totals[name] += value
        else:
            totals[name] = value + 0  # a copy


# activation clipping ----------------------------------------------------------------------------------------------


def clip_state(cell, new, cache):
    """Activation clipping (Henaff et al. 2016): h <- h l / ||h|| where ||h|| > l, each row by itself."""
    h, *rest = new
    xp = xp_of(h)
    norm = xp.sqrt(xp.sum(h * h, axis=-1, keepdims=True))
    over = real(norm) > cell.clip_state
    scale = astype(xp.where(over, cell.clip_state / xp.where(over, norm, 1), 1), h.dtype)
    # the cell's backward pass may look at its own h, which must be the one before clipping
    return (h * scale, *rest), {**cache, cell.states[0]: h, "clip_scale": scale}


def clip_state_backward(cell, dh, h, scale):
    """With h the clipped state, ||h|| = l where clipped: dh_before = scale (dh - h (h . dh) / l^2)."""
    xp = xp_of(dh)
    radial = h * xp.sum(h * dh, axis=-1, keepdims=True) / cell.clip_state**2
    return scale * (dh - xp.where(real(scale) < 1, radial, 0))
