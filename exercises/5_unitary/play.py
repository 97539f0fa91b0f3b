"""Your unitary network learns to remember: run me when `step_backward` is right.

A number is read at the first step and asked for after many steps of noise. Nothing here is graded.
"""

import numpy as np
from ex5_unitary import step, step_backward

n, B, UPDATES = 32, 16, 200
rng = np.random.default_rng(0)


def fresh(leak):
    """Parameters to start from. leak: nu of all units; -40 is none at all."""
    p = {"V": 0.3 * rng.normal(size=(2, 2, n)), "b": np.full(n, -0.01), "v": rng.normal(size=(2, n)), "phi": np.pi}
    for k in "12":
        p |= {f"nu_{k}": np.full(n, float(leak)), f"theta_{k}": rng.uniform(-np.pi, np.pi, size=n)}
    return p | {"perm": rng.permutation(n), "out": np.zeros((2, n))}


def learn(T, leak):
    """The squared error of the last updates, relative to that of always answering 0."""
    p, errors = fresh(leak), []
    squares = {name: np.zeros_like(np.asarray(w, float)) for name, w in p.items() if name != "perm"}
    for _ in range(UPDATES):
        wanted = rng.uniform(-1, 1, size=B)
        x = np.zeros((T, B, 2))
        x[0, :, 0], x[1:, :, 1] = wanted, 0.05 * rng.normal(size=(T - 1, B))
        h, kept = np.zeros((2, B, n)), []
        for t in range(T):
            made = step(x[t], h, p)
            kept.append({"x": x[t], "h_prev": h, **made})
            h = made["h"]
        wrong = np.einsum("cbn,cn->b", h, p["out"]) - wanted
        errors.append((wrong**2).mean() * 3)
        grads = {"out": np.einsum("b,cbn->cn", wrong, h) / B}
        dh = np.einsum("b,cn->cbn", wrong, p["out"]) / B
        for t in reversed(range(T)):
            back = step_backward(dh, kept[t], p)
            dh = back.pop("dh_prev")
            back.pop("dx")
            for name, g in back.items():
                grads[name[1:]] = grads.get(name[1:], 0.0) + g
        for name, g in grads.items():
            squares[name] = 0.95 * squares[name] + 0.05 * np.asarray(g) ** 2
            p[name] = p[name] - 0.004 * g / (np.sqrt(squares[name]) + 1e-6)
    return np.mean(errors[-30:])


for T in 10, 40:
    print(f"{T} steps: error {learn(T, -40):.2f} without a leak, {learn(T, -2):.2f} with one (1.00 is knowing nothing)")
