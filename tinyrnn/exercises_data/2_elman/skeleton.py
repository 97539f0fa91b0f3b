"""Elman networks: one step and many, the way back, what reaches back how far, clipping, and where a unit comes to rest.

Time is the first axis, a batch has one sequence a row: x (T, B, N), states (T, B, H). dfoo is the gradient of foo, of
foo's shape. No function changes its arguments.
"""

import numpy as np


def elman_step(x, h_prev, Wx, Wh, b):
    """One step of an Elman network (practice): h = tanh(x Wx + h_prev Wh + b).

    x: (B, N). h_prev: (B, H). Wx: (N, H). Wh: (H, H). b: (H,). Returns h (B, H).
    """
    raise NotImplementedError("elman_step")


def elman_step_backward(dh, x, h_prev, h, Wx, Wh):
    """The gradients of `elman_step` (practice).

    dh, h_prev, h: (B, H). x: (B, N). Wx: (N, H). Wh: (H, H).
    Returns a dict: "dx" (B, N), "dh_prev" (B, H), "dWx" (N, H), "dWh" (H, H), "db" (H,).
    """
    raise NotImplementedError("elman_step_backward")


def growth(w, T):
    """The gradient dh_T/dh_1 of single linear units, h_t = w h_{t-1}, from step 1 to step T (practice).

    w: (K,), a weight for each of K units. T: an integer, at least 1. Returns an array (K,).
    """
    raise NotImplementedError("growth")


def leaky_step(x, v_prev, Wx, Wh, b, tau):
    """One step of a network of leaky units, each with a time constant of its own.

        keep = exp(-1 / tau)
        r_prev = tanh(v_prev)
        a = x Wx + r_prev Wh + b
        v = keep ∘ v_prev + (1 - keep) ∘ a

    x: (B, N). v_prev: (B, H). Wx: (N, H). Wh: (H, H). b, tau: (H,), tau > 0. Returns v and a, both (B, H).
    """
    raise NotImplementedError("leaky_step")


def leaky_step_backward(dv, x, v_prev, a, Wx, Wh, tau):
    """The gradients of `leaky_step`, of which only v is read on.

    dv, v_prev, a: (B, H). x: (B, N). Wx: (N, H). Wh: (H, H). tau: (H,).
    Returns a dict: "dx" (B, N), "dv_prev" (B, H), "dWx" (N, H), "dWh" (H, H), "db" (H,), "dtau" (H,).
    """
    raise NotImplementedError("leaky_step_backward")


def leaky_sequence(x, v0, mask, Wx, Wh, b, tau):
    """`leaky_step` for every step, one after the other. Where the mask is False, a state stays as it was.

    x: (T, B, N). v0: (B, H), the state before the first step. mask: booleans (T, B). The others: as in `leaky_step`.
    Returns v, the state after every step, and a, as `leaky_step` gives it at every step, masked or not: both (T, B, H).
    """
    raise NotImplementedError("leaky_sequence")


def leaky_sequence_backward(dv, dv_last, x, v0, v, a, mask, Wx, Wh, tau):
    """The gradients of `leaky_sequence`: backpropagation through time.

    dv: (T, B, H), what reaches the state after every step from above. dv_last: (B, H), what reaches the state after the
    last step besides, from whatever comes after the sequence. x: (T, B, N). v0: (B, H). v, a: (T, B, H), as the forward
    pass gave them. mask: booleans (T, B). Wx: (N, H). Wh: (H, H). tau: (H,).
    Returns a dict: "dx" (T, B, N), "dv0" (B, H), "dWx" (N, H), "dWh" (H, H), "db" (H,), "dtau" (H,).
    """
    raise NotImplementedError("leaky_sequence_backward")


def gradient_by_lag(dv, v0, v, Wh, tau, window):
    """dWh of a sequence of leaky steps without a mask, sorted by how far back each part of it reaches.

        by_lag[k] = Σ_t (the part of dWh that goes from dv_t, back through k steps, to the use of Wh in step t - k)

    dv, v: (T, B, H), as in `leaky_sequence_backward`. v0: (B, H). Wh: (H, H). tau: (H,). window: an integer, 1 to T.
    Returns a dict: "by_lag" (T, H, H); "norms" (T,), the Euclidean norm of each by_lag[k], as of one long vector;
    "truncated" (H, H), the sum of the first `window` lags, 0 to window - 1.
    """
    raise NotImplementedError("gradient_by_lag")


def clip_updates(dWx, dWh, db, mean, factor, decay):
    """Clip the gradients of K updates by their norm, against a limit that follows the norms so far.

    For each update in turn, g being its three gradients as one vector:

        limit = factor × mean
        g <- g limit / ‖g‖                                    if ‖g‖ > limit; else g stays as it is
        mean <- decay × mean + (1 - decay) × min(‖g‖, limit)  with the norm from before clipping

    dWx: (K, N, H). dWh: (K, H, H). db: (K, H). mean: a number > 0, for the first update. factor, decay: numbers.
    Returns a dict: "dWx", "dWh", "db", clipped, and "limits" (K,), that of every update.
    """
    raise NotImplementedError("clip_updates")


def bisect(g, low, high):
    """A zero of g between low and high, where g has different signs: halves the interval as long as it goes (given)."""
    negative = g(low) < 0
    for _ in range(100):
        middle = (low + high) / 2
        if (g(middle) < 0) == negative:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fixed_points(w, b, tau):
    """All fixed points of single leaky units without input, and which of them attract.

        v <- f(v) = keep v + (1 - keep) (w tanh(v) + b)        keep = exp(-1 / tau)

    w, b, tau: (K,), K units that have nothing to do with each other. M: the number of fixed points of all together.
    Returns a dict: "count" (K,), integers, how many each unit has; "points" (M,), those of the first unit in ascending
    order, then those of the second, and so on; "slopes" (M,), f' at each of them; "sinks" (M,), booleans: does it
    attract what is near?
    """
    raise NotImplementedError("fixed_points")
