"""Jacobians through time: how the state after one step answers to a small change of the state before an earlier one.

    J_t = ds_t / ds_{t-1}            ds_T / ds_t = J_T J_{T-1} ... J_{t+1}

s_t is the whole state after step t, all its parts side by side (h and c of an LSTM, those of every layer of a `Stack`),
n numbers; s_0 is the initial one. Row i, column j of a Jacobian is the derivative of entry i by entry j, as in the
papers. Whether gradients explode or vanish is in the norms of these matrices (Grosse 2018, section 2; eq. 3 of
Arjovsky, Shah & Bengio 2015).

The derivatives are those of the hand-written backward passes: n copies of the sequence run side by side, copy i with
the upstream gradient 1 on entry i of the final state and 0 elsewhere, and one call of `backward` gives all of them.

A part of the state that counts steps, such as the clock of the multi-scale LMN, has derivative 1 for ever, and so the
whole Jacobian never falls below 1; `state_slices` says where each part is, to look at the others alone.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from tinyrnn.core.backend import to_numpy, xp_of
from tinyrnn.core.types import Array, Parts
from tinyrnn.nn.layers import Bidirectional, Layers

ROWS = 4096  # sequences that run side by side: enough for the matrix products, few enough for memory


def state_slices(layers: Any) -> dict[str, slice]:
    """Where each part of the state is: a dict, name -> slice of the n numbers. Names are those of the tape: h, 0.c."""
    check_forward_in_time(layers)
    ends = np.cumsum([0, *layers.state_sizes]).tolist()
    return {name: slice(*ends) for name, ends in zip(layers.states, pairwise(ends), strict=True)}


def step_jacobian(layers: Any, x_t: Array, state: Parts) -> Array:
    """ds_t / ds_{t-1} of one step for one sequence, (n, n).

    layers: a cell or `Stack`. x_t: (1, input_size) floats or (1,) class numbers. state: the one before the step, a
    tuple of arrays (1, size). Raises ValueError for a `Bidirectional`, whose state does not run forward in time, or
    more than one sequence.
    """
    return step_jacobians(layers, x_t[None], state)[0]


def step_jacobians(layers: Any, x: Array, state: Parts | None = None) -> Array:
    """J_1 ... J_T along one sequence, (T, n, n): entry t - 1 is ds_t / ds_{t-1}.

    layers: a cell or `Stack`. x: (T, 1, input_size) floats or (T, 1) class numbers. state: the initial one, a tuple of
    arrays (1, size), or None for the one that `forward` begins with. Every step is run as a sequence of its own from
    the state before it. Raises ValueError as `step_jacobian` does.
    """
    check_one_sequence(x)
    xp, T, n = xp_of(x), len(x), sum(layers.state_sizes)
    before = [f"{name}_prev" for name in state_slices(layers)]
    _, tape = layers.forward(x, state)
    states = [tape[name][:, 0] for name in before]
    J = np.empty((T, n, n), to_numpy(states[0]).dtype)
    per_run = max(1, ROWS // n)
    for start in range(0, T, per_run):
        here = slice(start, min(start + per_run, T))
        count = here.stop - start
        x_here = xp.repeat(x[here, 0], n, axis=0)[None]
        _, tape = layers.forward(x_here, tuple(xp.repeat(s[here], n, axis=0) for s in states))
        back = layers.backward(None, tape, unit_upstream(xp, layers, tape.state, count))
        J[here] = to_numpy(xp.concatenate(back.state, axis=1)).reshape(count, n, n)
    return J


def jacobians_through_time(layers: Any, x: Array, state: Parts | None = None) -> Array:
    """ds_T / ds_t for t = 0 ... T along one sequence, (T + 1, n, n): entry t is that of s_t; the last is the identity.

    Arguments and errors as for `step_jacobians`. For a cell this is one backward pass; for a `Stack`, in which a change
    of a lower layer's state would reach the upper ones within the same step, it is the product of the step Jacobians.
    """
    check_one_sequence(x)
    if isinstance(layers, Layers):
        return products(step_jacobians(layers, x, state))
    xp, n = xp_of(x), sum(layers.state_sizes)
    copies = None if state is None else tuple(xp.repeat(s, n, axis=0) for s in state)
    _, tape = layers.forward(xp.repeat(x, n, axis=1), copies)
    back = layers.backward(None, tape, unit_upstream(xp, layers, tape.state, 1), record=True)
    later = xp.concatenate(list(back.states.values()), axis=2)
    first = xp.concatenate(back.state, axis=1)
    return to_numpy(xp.concatenate([first[None], later]))


def products(steps: Array) -> Array:
    """J_T J_{T-1} ... J_{t+1} for t = 0 ... T, (T + 1, n, n), from the step Jacobians J_1 ... J_T (T, n, n)."""
    T, n, _ = steps.shape
    result = np.empty((T + 1, n, n), steps.dtype)
    result[T] = np.eye(n)
    for t in reversed(range(T)):
        result[t] = result[t + 1] @ steps[t]
    return result


def singular_values(jacobians: Array) -> Array:
    """Singular values of each of the matrices (..., m, n), largest first: (..., min(m, n)).

    The first is the spectral norm: by how much a gradient can grow at most on its way. Those of a long product that are
    below some 1e-16 of the largest are rounding; `lyapunov_exponents` has no such floor.
    """
    return np.linalg.svd(jacobians, compute_uv=False)


def lyapunov_exponents(steps: Array) -> Array:
    """Finite-time Lyapunov exponents of the step Jacobians (T, n, n): growth per step of n directions, largest first.

        Q_0 = 1        Q_t R_t = J_t Q_{t-1}        lambda_i = 1/T sum over t of ln |R_t[i, i]|

    e^lambda is the factor of an average step: 1 keeps a gradient, 0.9 leaves a third of it after 10 steps. For J_t = J,
    as T grows they tend to the logarithms of the moduli of J's eigenvalues; in finite time they also depend on Q_0, the
    directions followed, which here are the entries of the state. Directions that a step forgets altogether have
    -inf, or what rounding makes of it. (Benettin et al. 1980.)
    """
    T, n, _ = steps.shape
    Q, total = np.eye(n), np.zeros(n)
    with np.errstate(divide="ignore"):
        for J in steps:
            Q, R = np.linalg.qr(J @ Q)
            total += np.log(np.abs(np.diag(R)))
    return np.sort(total / T)[::-1]


def unit_upstream(xp: Any, layers: Any, state: Parts, count: int) -> Parts:
    """dstate for `count` blocks of n rows, row i of each with 1 on entry i of the state: a tuple of arrays."""
    n = sum(layers.state_sizes)
    eye = xp.asarray(np.tile(np.eye(n), (count, 1)))
    return tuple(eye[:, where].astype(s.dtype) for where, s in zip(state_slices(layers).values(), state, strict=True))


def check_one_sequence(x: Array) -> None:
    """ValueError unless x is one sequence."""
    if getattr(x, "ndim", 0) < 2 or x.shape[1] != 1:
        raise ValueError(f"Jacobians are those of one sequence, x (T, 1, …); got {getattr(x, 'shape', type(x))}")


def check_forward_in_time(layers: Any) -> None:
    """ValueError for anything that reads a sequence backwards."""
    parts = getattr(layers, "parts", {}).values()
    if isinstance(layers, Bidirectional):
        raise ValueError("Bidirectional: its state does not run forward in time; look at one direction alone")
    for part in parts:
        check_forward_in_time(part)
