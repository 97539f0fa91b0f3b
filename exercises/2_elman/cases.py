"""What the functions of exercise 2 are called with: sizes that all differ, no state and no bias that is zero, and a
gradient for everything that has one.

The backward functions get states that a forward pass could have given: they are drawn first, and what must have led to
them is worked out from the end.
"""

import numpy as np


def sizes(rng):
    """Four different sizes from 3 to 7: T, B, m and n."""
    return [int(size) for size in rng.permutation(np.arange(3, 8))[:4]]


def weights(rng, m, n):
    return {"Wx": rng.normal(size=(m, n)), "Wh": rng.normal(size=(n, n)) / np.sqrt(n) * 1.5}


def time_constants(rng, n):
    return rng.uniform(0.8, 4, size=n)


def pauses(rng, T, B):
    """Booleans (T, B): the first sequence is whole, the second ends early, the third one pauses in between."""
    mask = rng.random((T, B)) < 0.75
    mask[:, 0] = True
    mask[-1, 1] = False
    mask[1, 2], mask[-1, 2] = False, True
    return mask


# practice -------------------------------------------------------------------------------------------------------------


def elman(rng):
    _, B, m, n = sizes(rng)
    given = {"x": rng.normal(size=(B, m)), "h_prev": rng.uniform(-0.9, 0.9, size=(B, n))}
    return {**given, **weights(rng, m, n), "b": rng.normal(size=n)}


def elman_backward(rng):
    _, B, m, n = sizes(rng)
    states = {name: rng.uniform(-0.9, 0.9, size=(B, n)) for name in ("h_prev", "h")}
    return {"dh": rng.normal(size=(B, n)), "x": rng.normal(size=(B, m)), **states, **weights(rng, m, n)}


def units(rng):
    return {"w": rng.uniform(0.8, 1.2, size=5), "T": int(rng.integers(20, 60))}


# leaky units ----------------------------------------------------------------------------------------------------------


def step(rng):
    _, B, m, n = sizes(rng)
    given = {"x": rng.normal(size=(B, m)), "v_prev": rng.normal(size=(B, n)), **weights(rng, m, n)}
    return {**given, "b": rng.normal(size=n), "tau": time_constants(rng, n)}


def step_backward(rng, lengths=None):
    _, B, m, n = sizes(rng) if lengths is None else lengths
    given = {name: rng.normal(size=(B, n)) for name in ("dv", "v_prev", "a")}
    return {**given, "x": rng.normal(size=(B, m)), **weights(rng, m, n), "tau": time_constants(rng, n)}


def sequence(rng):
    T, B, m, n = sizes(rng)
    given = {"x": rng.normal(size=(T, B, m)), "v0": rng.normal(size=(B, n)), "mask": pauses(rng, T, B)}
    return {**given, **weights(rng, m, n), "b": rng.normal(size=n), "tau": time_constants(rng, n)}


def past(rng, mask, n):
    """v0, v, a and tau that go together, with states that stand still where the mask is False."""
    tau = time_constants(rng, n)
    v0, v = rng.normal(size=(mask.shape[1], n)), rng.normal(size=(*mask.shape, n))
    before = v0
    for t, on in enumerate(mask):
        v[t, ~on] = before[~on]
        before = v[t]
    since = np.diff(v, axis=0, prepend=v0[None])
    a = v + since / np.expm1(1 / tau)  # what a must have been to move the state by this much
    a[~mask] = rng.normal(size=a[~mask].shape)  # in a pause the step gives something, too, which moves nothing
    return {"v0": v0, "v": v, "a": a, "tau": tau}


def sequence_backward(rng, lengths=None):
    T, B, m, n = sizes(rng) if lengths is None else lengths
    mask = pauses(rng, T, B)
    above = {"dv": rng.normal(size=(T, B, n)), "dv_last": rng.normal(size=(B, n))}
    return {**above, "x": rng.normal(size=(T, B, m)), "mask": mask, **past(rng, mask, n), **weights(rng, m, n)}


def lags(rng, lengths=None):
    T, B, m, n = sizes(rng) if lengths is None else lengths
    given = past(rng, np.ones((T, B), bool), n)
    Wh = weights(rng, m, n)["Wh"]
    known = {name: given[name] for name in ("v0", "v", "tau")}
    return {"dv": rng.normal(size=(T, B, n)), **known, "Wh": Wh, "window": int(rng.integers(2, T))}


# clipping and fixed points --------------------------------------------------------------------------------------------


def updates(rng):
    """Updates of all sizes in random order, relative to the mean to start with: nothing, little, much."""
    _, _, m, n = sizes(rng)
    sizes_relative = [*rng.permutation([0.0, 0.2, 0.6, 1.2, 8.0, 30.0]), 0.9]
    mean = float(rng.uniform(0.5, 2))
    grads = [rng.normal(size=m * n + n * n + n) for _ in sizes_relative]
    grads = np.array([g * size * mean / np.linalg.norm(g) for g, size in zip(grads, sizes_relative, strict=True)])
    dWx, dWh, db = np.split(grads, [m * n, m * n + n * n], axis=1)
    given = {"dWx": dWx.reshape(-1, m, n), "dWh": dWh.reshape(-1, n, n), "db": db, "mean": mean}
    return {**given, "factor": float(rng.uniform(1.1, 1.6)), "decay": float(rng.uniform(0.6, 0.9))}


def signed(rng, low, high):
    return rng.choice([-1, 1]) * rng.uniform(low, high)


def resting(rng):
    """Units of seven kinds, in random order: weights small, large, and large and negative; fast and slow; and one
    without a weight, whose bias alone takes it far out."""
    kinds = [
        (rng.uniform(2, 3), signed(rng, 0.1, 0.35), rng.uniform(0.5, 4)),
        (rng.uniform(2, 3), signed(rng, 0.1, 0.35), rng.uniform(0.5, 4)),
        (rng.uniform(1.2, 1.6), signed(rng, 0.6, 1.2), rng.uniform(0.5, 4)),
        (rng.uniform(-4, -3), signed(rng, 0.1, 0.3), rng.uniform(0.3, 0.5)),
        (rng.uniform(-3.5, -2.5), signed(rng, 0.1, 0.3), rng.uniform(2, 4)),
        (rng.uniform(0.3, 0.8), signed(rng, 0.5, 1.5), rng.uniform(0.5, 4)),
        (0.0, rng.uniform(3, 4), rng.uniform(0.5, 4)),
    ]
    w, b, tau = np.array(kinds)[rng.permutation(len(kinds))].T
    return {"w": w.copy(), "b": b.copy(), "tau": tau.copy()}
