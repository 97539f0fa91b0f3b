"""Backpropagation through time, written once for every cell.

`forward` runs a cell over a whole sequence and keeps a named tape; `backward` walks the tape from the last step to the
first. Everything that happens *around* a cell lives here and nowhere else: masks, truncation, h-detach, activation
clipping, the 1/T normalisation, dropped weights, early stop on underflow, learned initial states, and gathering the
weight gradients for many time steps at once. What a cell itself must provide is written in `tinyrnn.core.cell`.
"""

from typing import Any

from tinyrnn.core.backend import check_home, to_numpy, xp_of
from tinyrnn.core.dropout import drop_backward, dropped
from tinyrnn.core.ops import astype, in_precision, is_dtype, is_index
from tinyrnn.core.tape import Gradients, Tape, one_after_the_other
from tinyrnn.core.types import Array, Parts


def forward(
    cell: Any, x: Array, state: Parts | None = None, mask: Array | None = None, dropout: Any = None
) -> tuple[Array, Tape]:
    """Run `cell` over the sequence `x`; returns (h, tape).

    x: (T, B, input_size) floats, or (T, B) integers standing for one-hot rows. state: tuple of arrays (B, n), or None
    for the learned initial state if the cell has one, else zeros. mask: (T, B) booleans, False where a sequence has
    ended (or not begun): there the state is carried through unchanged. dropout: masks on weights, name of the parameter
    -> array of its shape (see `tinyrnn.core.dropout`), the same at every step. h: (T, B, output_size).
    """
    x, mask = check_input(cell, x, mask)
    xp = xp_of(x)
    T, B = x.shape[:2]
    p = cell.derive(dropped(cell.params, dropout))
    learned = state is None and cell.learn_state
    state = initial_state(cell, xp, B, state)
    dtype = xp.result_type(*(v.dtype for v in (x, *state, *cell.params.values()) if not is_index(v)))
    states = {name: cell.runner.empty((T + 1, *s.shape), dtype, xp) for name, s in zip(cell.states, state, strict=True)}
    for array, s in zip(states.values(), state, strict=True):
        array[0, ...] = s
    tape = Tape(p, x, states, mask, learned, dropout)
    size = cell.runner.forward_steps(cell, tape, chunk_size(T, B, cell))
    for start in range(0, T, size):
        cell.runner.forward(cell, tape, start, min(start + size, T))
    return states[cell.states[0]][1:, ...], tape


def backward(
    cell: Any,
    dh: Array | None,
    tape: Tape,
    dstate: tuple | None = None,
    *,
    truncate: int | None = None,
    average: bool = False,
    record: bool = False,
    detach: Any = None,
    inputs: bool = True,
) -> Gradients:
    """Backpropagate through the sequence on `tape`; returns `Gradients`.

    dh: gradient of the loss with respect to every output, (T, B, output_size), or None if only the final state counts.
    dstate: gradients of the final state, a tuple of arrays (B, n) (None entries are zero), or None.
    truncate: cut the carried gradient at every multiple of this many steps, which gives the gradient of truncated BPTT
        with the state carried on from window to window.
    average: divide the gradients of the hidden activations by T (Henaff et al. 2016).
    record: keep the gradient of every state at every step in `Gradients.states`.
    detach: (T,) booleans, True where the gradient must not pass through h to the step before (h-detach, Arpit et al.
        2018, algorithm 1; section 3.3 of Carta, Sperduti & Bacciu 2020 for the LMN): there the weights that the cell
        names in `detach` carry nothing back, though their own gradient stays. Whatever else carries (c, the linear
        memory) is not touched. ValueError for a cell that names none.
    inputs: whether the gradient of x is wanted; without it `Gradients.inputs` is None, and compiled cells do less.
    """
    xp = xp_of(tape.x)
    T, B = tape.x.shape[:2]
    needs = {name: tape.asked(cell, name) for name in cell.gradients_needs}
    if average:
        dh, dstate = averaged(dh, dstate, T)
    dh, dstate = check_upstream(cell, dh, dstate, tape)
    if tape.added is not None:
        dh = tape.added if dh is None else dh + tape.added
    if truncate is not None and truncate < 1:
        raise ValueError(f"truncate must be at least 1 step, got {truncate}")
    walk = cell.runner.backward if detach is None else Detached(cell, tape, check_detach(cell, detach, T)).backward
    dparams: dict = {}
    dx, recorded = None, None
    if record:
        recorded = {name: xp.zeros_like(array[1:, ...]) for name, array in tape.states.items()}

    stop, size = T, chunk_size(T, B, cell)
    while stop > 0:
        start = max(stop - size, 0)
        if truncate is not None:
            start = max(start, (stop - 1) // truncate * truncate)
        da, dstate = walk(cell, tape, start, stop, dh, dstate, recorded)
        if truncate is not None and start % truncate == 0 and start > 0:
            dstate = [xp.zeros_like(d) for d in dstate]
        dx_chunk = cell.runner.gradients(cell, tape, start, stop, da, needs, dparams, inputs)
        if dx_chunk is not None:
            if dx is None:
                dx = xp.zeros((T, *dx_chunk.shape[1:]), dtype=dx_chunk.dtype)
            dx[start:stop, ...] = dx_chunk
        if underflowed(dstate) and (dh is None or not xp.any(dh[:start, ...] != 0)):
            dstate = [xp.zeros_like(s[0, ...]) for s in tape.states.values()]
            break
        stop = start

    dparams = cell.derive_backward(tape.p, dparams)
    for name, keep in tape.dropout.items():
        dparams[name] = drop_backward(dparams[name], keep)
    if cell.learn_state:
        for name, d in zip(cell.states, dstate, strict=True):
            dparams[f"{name}_0"] = xp.sum(d, axis=0) if tape.learned else xp.zeros_like(cell.params[f"{name}_0"])
    dparams = {name: dparams[name] for name in cell.params}
    return Gradients(dx, tuple(dstate), dparams, recorded)


class Detached:
    """Walks back in runs of steps that agree on whether h is detached, where it is with a tape on which the weights
    that read h are zero. All else of a step's backward pass is that of the cell, as it stands or compiled."""

    def __init__(self, cell, tape, detach):
        self.detach = detach
        p = tape.p
        self.cut = tape.with_weights(type(p)(p, **{name: xp_of(p[name]).zeros_like(p[name]) for name in cell.detach}))

    def backward(self, cell, tape, start, stop, dh, dstate, recorded):
        """As `Plain.backward`."""
        das = []
        while stop > start:
            first = stop - 1
            while first > start and self.detach[first - 1] == self.detach[stop - 1]:
                first -= 1
            here = self.cut if self.detach[first] else tape
            da, dstate = cell.runner.backward(cell, here, first, stop, dh, dstate, recorded)
            das.append(da)
            stop = first
        return one_after_the_other(das[::-1]), dstate


def check_detach(cell, detach, T):
    """Validate the choice of steps; returns it as a NumPy array."""
    if not cell.detach:
        raise ValueError(f"{cell.name}: no h-detach for this cell, which names no weights that read h (`detach`)")
    detach = to_numpy(detach)
    if detach.shape != (T,) or detach.dtype != bool:
        raise ValueError(f"{cell.name}: detach must be booleans {(T,)}, one a step, got {detach.dtype} {detach.shape}")
    return detach


def averaged(dh, dstate, T):
    """Upstream gradients divided by T; None stays None."""
    return None if dh is None else dh / T, dstate and tuple(None if d is None else d / T for d in dstate)


def chunk_size(T, B, cell):
    """Time steps that are projected together, and whose weight gradients are taken together."""
    return cell.runner.chunk_size(T, B) if cell.chunked else T


def underflowed(dstate):
    """Whether all that is carried back is below the smallest normal number of its dtype.

    From there on it is zero to working precision, and denormal arithmetic is up to a hundred times slower.
    """
    xp = xp_of(dstate[0])
    return all(float(xp.max(xp.abs(d))) < xp.finfo(d.dtype).smallest_normal for d in dstate)


def initial_state(cell, xp, B, state):
    """The initial state as a tuple of arrays (B, n): the one passed, the learned one, or zeros."""
    sizes = dict(zip(cell.states, cell.state_sizes, strict=True))
    if state is None and cell.learn_state:
        return tuple(xp.broadcast_to(cell.params[f"{name}_0"], (B, n)) for name, n in sizes.items())
    if state is None:
        return tuple(xp.zeros((B, n), dtype=cell.dtype) for n in sizes.values())
    if not isinstance(state, tuple | list) or len(state) != len(sizes):
        names = ", ".join(sizes)
        raise ValueError(f"{cell.name}: state must be a tuple of {len(sizes)} arrays ({names}), got {describe(state)}")
    for (name, n), s in zip(sizes.items(), state, strict=True):
        check_shape(f"{cell.name}: initial {name}", s, (B, n))
    return tuple(cast(f"state[{k}]", s, xp, cell.dtype) for k, s in enumerate(state))


def check_input(cell, x, mask):
    """Validate x and mask, bring x to the cell's dtype and silence what is masked (so that a NaN there is harmless)."""
    xp, n = cell.xp, cell.input_size
    check_home("x", x, xp)
    if is_index(x) and x.shape[2:] == (n,):  # features that happen to be whole numbers
        x = astype(x, cell.dtype)
    if is_index(x):
        if x.ndim != 2 or 0 in x.shape:
            raise ValueError(
                f"{cell.name}: class numbers must have shape (T, B), and features (T, B, {n}), got {x.dtype} {x.shape}"
            )
    elif x.ndim != 3 or x.shape[2] != n or 0 in x.shape[:2]:
        raise ValueError(f"{cell.name}: x must have shape (T, B, {n}), time first, got {x.shape}")
    else:
        x = cast("x", x, xp, cell.dtype)
    if mask is not None:
        check_home("mask", mask, xp)
        if mask.shape != x.shape[:2] or not is_dtype(xp, mask.dtype, "bool"):
            raise ValueError(f"{cell.name}: mask must be booleans {x.shape[:2]}, got {mask.dtype} {mask.shape}")
        x = xp.where(mask if is_index(x) else mask[..., None], x, 0)
    if is_index(x):
        least, most = int(xp.min(x)), int(xp.max(x))
        if least < 0 or most >= n:
            raise ValueError(f"{cell.name}: class numbers must lie in 0..{n - 1}, got {least}..{most}")
    return x, mask


def check_upstream(cell, dh, dstate, tape):
    """Validate the upstream gradients; returns dh or None, and dstate as a list of arrays."""
    xp = xp_of(tape.x)
    if dh is None and dstate is None:
        raise ValueError(f"{cell.name}.backward: give dh, dstate or both; there is nothing to propagate")
    final = tape.state
    if dh is not None:
        check_shape(f"{cell.name}.backward: dh", dh, (len(tape), *final[0].shape))
        dh = cast("dh", dh, xp, final[0].dtype)
    given = dstate if dstate is not None else (None,) * len(final)
    if not isinstance(given, tuple | list) or len(given) != len(final):
        raise ValueError(f"{cell.name}.backward: dstate must be a tuple of {len(final)} arrays, got {describe(given)}")
    result = []
    for k, (d, s) in enumerate(zip(given, final, strict=True)):
        if d is not None:
            check_shape(f"{cell.name}.backward: dstate", d, s.shape)
        result.append(xp.zeros_like(s) if d is None else cast(f"dstate[{k}]", d, xp, s.dtype))
    return dh, result


def check_shape(what, array, shape):
    """ValueError in a line unless the array has this shape."""
    if getattr(array, "shape", None) != shape:
        raise ValueError(f"{what} must have shape {shape}, got {describe(array)}")


def cast(what, array, xp, dtype):
    """`array`, given as `what`, in the cell's precision, if it is where the cell is and holds real numbers."""
    check_home(what, array, xp)
    return in_precision(what, array, dtype)


def describe(value):
    """An array's shape, or the type of what is none, for messages."""
    if hasattr(value, "state"):
        return f"a {type(value).__name__}: give its .state"
    return f"shape {value.shape}" if hasattr(value, "shape") else type(value).__name__
