"""A memory that was computed against one that is learned: run me when `loaded` and `lmn_backward` are right.

Both networks are trained to say what came some steps ago; one starts with your closed form. Nothing here is graded.
"""

import numpy as np
from ex7_autoencoder import directions, lmn, lmn_backward, loaded, memory, prefixes

T, N, AGO, p, UPDATES, RATE = 24, 32, 12, 20, 400, 0.0005
rng = np.random.default_rng(0)


def batch():
    """Sequences (T, N, 1) of smooth noise."""
    x = rng.normal(size=(T + 4, N, 1))
    return sum(x[k : T + k] for k in range(4)) / 2


x = batch()
Xi, mean = prefixes(x, np.full(N, T), 1.0)
U, _ = directions(Xi, p)
A, B = memory(U, 1, 1.0)
b_u = np.full(p, 2.0)
computed = {**loaded(A, B, mean, 0.1, b_u), "b_u": b_u, "V": U[AGO : AGO + 1].T}  # and the row that reads it
drawn = {name: rng.normal(size=w.shape) / np.sqrt(w.shape[0]) for name, w in computed.items()}

for name, weights in (("drawn at random", drawn), ("computed", computed)):
    w = {key: value.copy() for key, value in weights.items()}
    squares, errors = {key: np.zeros_like(value) for key, value in w.items()}, []
    for _ in range(UPDATES):
        x, m0 = batch(), np.zeros((N, p))
        net = {key: value for key, value in w.items() if key != "V"}
        m, h, u = lmn(x, m0, **net)
        wrong = (m @ w["V"])[AGO:] - x[:-AGO]
        errors.append((wrong**2).mean())
        dout = np.concatenate([np.zeros((AGO, N, 1)), wrong]) / wrong.size
        given = {key: value for key, value in net.items() if not key.startswith("b_")}
        back = lmn_backward(dout @ w["V"].T, x, m0, m, h, u, **given)
        grads = {key: back[f"d{key}"] for key in net} | {"V": np.einsum("tnp,tnk->pk", m, dout)}
        for key, g in grads.items():
            squares[key] = 0.99 * squares[key] + 0.01 * g**2
            w[key] -= RATE * g / (np.sqrt(squares[key]) + 1e-6)
    shown = ", ".join(f"{np.mean(errors[k : k + 20]):.3f}" for k in (0, 100, UPDATES - 20))
    print(f"{name}: squared error after 0, 100 and {UPDATES} updates: {shown}")
