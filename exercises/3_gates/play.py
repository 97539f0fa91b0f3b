"""Your LSTM with coupled gates learns to hold on: run me when `coupled_sequence_backward` is right.

A sign is read at the first step, then noise; it is asked for after the last one. Nothing here is graded.
"""

import numpy as np
from ex3_gates import coupled_sequence, coupled_sequence_backward

n, B, UPDATES = 16, 32, 400
rng = np.random.default_rng(0)


def learn(T, keep):
    """How often the sign is right after so many updates. keep: the bias of the gates before any training."""
    Wx, Wh = rng.normal(size=(2, 3 * n)), rng.normal(size=(n, 3 * n)) / np.sqrt(n)
    p = {"Wx": Wx, "Wh": Wh, "b": np.full(3 * n, float(keep)), "V": np.zeros(n)}
    squares, right = {name: np.zeros_like(w) for name, w in p.items()}, 0.5
    zero, mask = np.zeros((B, n)), np.ones((T, B), bool)
    for _ in range(UPDATES):
        sign = rng.choice([-1.0, 1.0], size=B)
        x = 0.3 * rng.normal(size=(T, B, 2))
        x[0] = np.stack([sign, np.ones(B)], axis=1)
        states = coupled_sequence(x, mask, zero, zero, p["Wx"], p["Wh"], p["b"])
        said = states[0][-1] @ p["V"]
        right += 0.02 * ((said * sign > 0).mean() - right)
        dsaid = -sign / (1 + np.exp(sign * said)) / B
        back = coupled_sequence_backward(
            np.zeros_like(states[0]), np.outer(dsaid, p["V"]), zero, x, mask, zero, zero, *states, p["Wx"], p["Wh"]
        )
        for name, g in {**{name: back[f"d{name}"] for name in ("Wx", "Wh", "b")}, "V": dsaid @ states[0][-1]}.items():
            squares[name] = 0.95 * squares[name] + 0.05 * g**2
            p[name] -= 0.02 * g / (np.sqrt(squares[name]) + 1e-6)
    return right


for T in 10, 40, 80:
    closed, opened = learn(T, 0), learn(T, 3)
    print(f"over {T} steps: {closed:.0%} right if gates start half open, {opened:.0%} if they start open (bias 3)")
