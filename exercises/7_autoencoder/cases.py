"""What the functions of exercise 7 are called with: sizes that all differ, sequences of different lengths, and nothing
that is zero by chance."""

import numpy as np


def sizes(rng, low, high, number):
    """`number` different sizes from `low` to `high`."""
    return [int(size) for size in rng.permutation(np.arange(low, high + 1))[:number]]


def fading(rng):
    return round(float(rng.uniform(0.6, 0.9)), 3)


def orthonormal(rng, d, p):
    """(d, p) with orthonormal columns."""
    return np.linalg.qr(rng.normal(size=(d, p)))[0]


def sequences(rng):
    """x (T, B, k) and lengths (B,): one sequence is whole, another one has half of it or less; junk in the padding."""
    T, B = sizes(rng, 4, 6, 2)
    k = int(rng.integers(2, 4))
    lengths = rng.integers(2, T, size=B)
    lengths[:2] = T, T // 2
    lengths = rng.permutation(lengths)
    x = 1 + rng.normal(size=(T, B, k))
    x[np.arange(T)[:, None] >= lengths] = 7 + 3 * rng.normal()
    return {"x": x, "lengths": lengths, "fade": fading(rng)}


def rows(rng):
    """Xi (n, d), n > d, whose columns have means that are not zero and whose directions have energies well apart."""
    d = int(rng.integers(6, 10))
    n, p = d + int(rng.integers(4, 8)), int(rng.integers(3, d - 1))
    energies = np.sort(rng.uniform(0.8, 1.2, size=d) * 0.75 ** np.arange(d))[::-1]
    Xi = orthonormal(rng, n, d) * energies @ orthonormal(rng, d, d).T
    return {"Xi": Xi + 0.3 * rng.normal(size=d), "p": p}


def subspace(rng):
    T, k = sizes(rng, 3, 5, 1)[0], int(rng.integers(2, 4))
    p = int(rng.integers(4, T * k))
    return {"U": orthonormal(rng, T * k, p), "k": k, "fade": fading(rng)}


def encoder(rng):
    """A (p, k), B (p, p) of an autoencoder that keeps most, and mean (k,)."""
    k, p = int(rng.integers(2, 4)), int(rng.integers(4, 7))
    U = orthonormal(rng, p + 2, p + 2)
    A, B = U[:k, :p].T, 0.9 * U[2:, :p].T @ U[:-2, :p]
    return {"A": A, "B": B, "mean": 1 + rng.normal(size=k)}


def reading(rng):
    given = encoder(rng)
    T, N = sizes(rng, 3, 5, 2)
    return {"x": rng.normal(size=(T, N, len(given["mean"]))), **given}


def recalling(rng):
    given = encoder(rng)
    N, steps = sizes(rng, 3, 6, 2)
    return {"m": rng.normal(size=(N, len(given["A"]))), **given, "fade": fading(rng), "steps": steps}


def loading(rng):
    given = encoder(rng)
    p = len(given["A"])
    return {**given, "gain": float(rng.uniform(0.01, 0.1)), "b_u": rng.uniform(0.5, 2, size=p) * rng.choice([-1, 1], p)}


def network(rng, lengths=None):
    T, N, k, H, p = sizes(rng, 3, 8, 5) if lengths is None else lengths
    weights = {
        "W_xh": (k, H),
        "W_mh": (p, H),
        "b_h": (H,),
        "W_xu": (k, p),
        "b_u": (p,),
        "W_hm": (H, p),
        "W_mm": (p, p),
    }
    given = {name: 0.5 * rng.normal(size=shape) for name, shape in weights.items()}
    return {"x": rng.normal(size=(T, N, k)), "m0": rng.normal(size=(N, p)), **given}


def network_backward(rng, lengths=None):
    """As if `lmn` had run: h in (-1, 1), u in (0, 1); the backward pass must take them as they come."""
    given = network(rng, lengths)
    T, N, p = len(given["x"]), *given["m0"].shape
    h = np.tanh(rng.normal(size=(T, N, len(given["W_hm"]))))
    u = rng.uniform(0.1, 0.9, size=(T, N, p))
    kept = {"m": rng.normal(size=(T, N, p)), "h": h, "u": u}
    return {
        "dm": rng.normal(size=(T, N, p)),
        **{name: a for name, a in given.items() if name not in ("b_h", "b_u")},
        **kept,
    }
