"""Elman networks: one step and many, the way back, what reaches back how far, clipping, and where a unit comes to rest.

Time is the first axis, a batch has one sequence a row: x (T, B, m), states (T, B, n). dfoo is the gradient of foo, of
foo's shape. No function changes its arguments.
"""

import numpy as np


def elman_step(x, h_prev, Wx, Wh, b):
    """One step of an Elman network (practice): h = tanh(x Wx + h_prev Wh + b).

    x: (B, m). h_prev: (B, n). Wx: (m, n). Wh: (n, n). b: (n,). Returns h (B, n).
    """
    # BEGIN SOLUTION
    h = np.tanh(x @ Wx + h_prev @ Wh + b)
    return h
    # END SOLUTION


def elman_step_backward(dh, x, h_prev, h, Wx, Wh):
    """The gradients of `elman_step` (practice).

    dh, h_prev, h: (B, n). x: (B, m). Wx: (m, n). Wh: (n, n).
    Returns a dict: "dx" (B, m), "dh_prev" (B, n), "dWx" (m, n), "dWh" (n, n), "db" (n,).
    """
    # BEGIN SOLUTION
    dsum = dh * (1 - h**2)
    return {
        "dx": np.einsum("bh,nh->bn", dsum, Wx),
        "dh_prev": np.einsum("bh,gh->bg", dsum, Wh),
        "dWx": np.einsum("bn,bh->nh", x, dsum),
        "dWh": np.einsum("bg,bh->gh", h_prev, dsum),
        "db": np.einsum("bh->h", dsum),
    }
    # END SOLUTION


def growth(w, T):
    """The gradient dh_T/dh_1 of single linear units, h_t = w h_{t-1}, from step 1 to step T (practice).

    w: (K,), a weight for each of K units. T: an integer, at least 1. Returns an array (K,).
    """
    # BEGIN SOLUTION
    return w ** (T - 1)
    # END SOLUTION


def leaky_step(x, v_prev, Wx, Wh, b, tau):
    """One step of a network of leaky units, each with a time constant of its own.

        keep = exp(-1 / tau)
        r_prev = tanh(v_prev)
        a = x Wx + r_prev Wh + b
        v = keep ∘ v_prev + (1 - keep) ∘ a

    x: (B, m). v_prev: (B, n). Wx: (m, n). Wh: (n, n). b, tau: (n,), tau > 0. Returns v and a, both (B, n).
    """
    # BEGIN SOLUTION
    keep = np.exp(-1 / tau)
    r_prev = np.tanh(v_prev)
    a = x @ Wx + r_prev @ Wh + b
    v = keep * v_prev + (1 - keep) * a
    return v, a
    # END SOLUTION


def leaky_step_backward(dv, x, v_prev, a, Wx, Wh, tau):
    """The gradients of `leaky_step`, of which only v is read on.

    dv, v_prev, a: (B, n). x: (B, m). Wx: (m, n). Wh: (n, n). tau: (n,).
    Returns a dict: "dx" (B, m), "dv_prev" (B, n), "dWx" (m, n), "dWh" (n, n), "db" (n,), "dtau" (n,).
    """
    # BEGIN SOLUTION
    keep = np.exp(-1 / tau)
    r_prev = np.tanh(v_prev)
    da = dv * (1 - keep)
    dkeep = (dv * (v_prev - a)).sum(axis=0)
    dtau = dkeep * keep / tau**2
    dx = da @ Wx.T
    dr_prev = da @ Wh.T
    dv_prev = dv * keep + dr_prev * (1 - r_prev**2)
    dWx = x.T @ da
    dWh = r_prev.T @ da
    db = da.sum(axis=0)
    return {"dx": dx, "dv_prev": dv_prev, "dWx": dWx, "dWh": dWh, "db": db, "dtau": dtau}
    # END SOLUTION


def leaky_sequence(x, v0, mask, Wx, Wh, b, tau):
    """`leaky_step` for every step, one after the other. Where the mask is False, a state stays as it was.

    x: (T, B, m). v0: (B, n), the state before the first step. mask: booleans (T, B). The others: as in `leaky_step`.
    Returns v, the state after every step, and a, as `leaky_step` gives it at every step, masked or not: both (T, B, n).
    """
    # BEGIN SOLUTION
    v, a = [], []
    state = v0
    for t in range(len(x)):
        new, drive = leaky_step(x[t], state, Wx, Wh, b, tau)
        state = np.where(mask[t][:, None], new, state)
        v.append(state)
        a.append(drive)
    return np.stack(v), np.stack(a)
    # END SOLUTION


def leaky_sequence_backward(dv, dv_last, x, v0, v, a, mask, Wx, Wh, tau):
    """The gradients of `leaky_sequence`: backpropagation through time.

    dv: (T, B, n), what reaches the state after every step from above. dv_last: (B, n), what reaches the state after the
    last step besides, from whatever comes after the sequence. x: (T, B, m). v0: (B, n). v, a: (T, B, n), as the forward
    pass gave them. mask: booleans (T, B). Wx: (m, n). Wh: (n, n). tau: (n,).
    Returns a dict: "dx" (T, B, m), "dv0" (B, n), "dWx" (m, n), "dWh" (n, n), "db" (n,), "dtau" (n,).
    """
    # BEGIN SOLUTION
    dx = np.zeros(x.shape)
    total = {"dWx": 0.0, "dWh": 0.0, "db": 0.0, "dtau": 0.0}
    carried = dv_last
    for t in reversed(range(len(x))):
        before = v[t - 1] if t > 0 else v0
        on = mask[t][:, None]
        arriving = dv[t] + carried
        part = leaky_step_backward(arriving * on, x[t], before, a[t], Wx, Wh, tau)
        dx[t] = part["dx"]
        carried = part["dv_prev"] + arriving * ~on
        for name in total:
            total[name] = total[name] + part[name]
    return {"dx": dx, "dv0": carried, **total}
    # END SOLUTION


def gradient_by_lag(dv, v0, v, Wh, tau, window):
    """dWh of a sequence of leaky steps without a mask, sorted by how far back each part of it reaches.

        by_lag[k] = Σ_t (the part of dWh that goes from dv_t, back through k steps, to the use of Wh in step t - k)

    dv, v: (T, B, n), as in `leaky_sequence_backward`. v0: (B, n). Wh: (n, n). tau: (n,). window: an integer, 1 to T.
    Returns a dict: "by_lag" (T, n, n); "norms" (T,), the Euclidean norm of each by_lag[k], as of one long vector;
    "truncated" (n, n), the sum of the first `window` lags, 0 to window - 1.
    """
    # BEGIN SOLUTION
    keep = np.exp(-1 / tau)
    earlier = np.tanh(np.concatenate([v0[None], v[:-1]]))
    by_lag = np.zeros((len(v), *Wh.shape))
    delta = dv
    for lag in range(len(v)):
        dinput = delta * (1 - keep)
        by_lag[lag] = np.einsum("tbg,tbh->gh", earlier, dinput)
        back = delta * keep + (dinput @ Wh.T) * (1 - earlier**2)
        delta = np.concatenate([back[1:], np.zeros((1, *v0.shape))])
    norms = np.sqrt((by_lag**2).sum(axis=(1, 2)))
    return {"by_lag": by_lag, "norms": norms, "truncated": by_lag[:window].sum(axis=0)}
    # END SOLUTION


def clip_updates(dWx, dWh, db, mean, factor, decay):
    """Clip the gradients of K updates by their norm, against a limit that follows the norms so far.

    For each update in turn, g being its three gradients as one vector:

        limit = factor × mean
        g <- g limit / ‖g‖                                    if ‖g‖ > limit; else g stays as it is
        mean <- decay × mean + (1 - decay) × min(‖g‖, limit)  with the norm from before clipping

    dWx: (K, m, n). dWh: (K, n, n). db: (K, n). mean: a number > 0, for the first update. factor, decay: numbers.
    Returns a dict: "dWx", "dWh", "db", clipped, and "limits" (K,), that of every update.
    """
    # BEGIN SOLUTION
    clipped = {"dWx": dWx.copy(), "dWh": dWh.copy(), "db": db.copy()}
    limits = np.zeros(len(db))
    for k in range(len(db)):
        norm = np.sqrt(sum((g[k] ** 2).sum() for g in (dWx, dWh, db)))
        limits[k] = factor * mean
        if norm > limits[k]:
            for g in clipped.values():
                g[k] *= limits[k] / norm
        mean = decay * mean + (1 - decay) * min(norm, limits[k])
    return {**clipped, "limits": limits}
    # END SOLUTION


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
    # BEGIN SOLUTION
    count, points = [], []
    for weight, bias in zip(w, b, strict=True):

        def excess(v, weight=weight, bias=bias):
            return weight * np.tanh(v) + bias - v

        reach = abs(weight) + abs(bias) + 1
        grid = np.linspace(-reach, reach, 4000)
        below = excess(grid) < 0
        crossings = np.flatnonzero(below[1:] != below[:-1])
        count.append(len(crossings))
        points += [bisect(excess, grid[j], grid[j + 1]) for j in crossings]
    points = np.array(points)
    keep, gain = (np.repeat(each, count) for each in (np.exp(-1 / tau), w))
    slopes = keep + (1 - keep) * gain * (1 - np.tanh(points) ** 2)
    return {"count": np.array(count), "points": points, "slopes": slopes, "sinks": np.abs(slopes) < 1}
    # END SOLUTION
