"""Your leaky network learns to write: run me when `leaky_sequence_backward` and `clip_updates` are right.

It reads the handout beside this file, letter by letter, and guesses the next one. Nothing here is graded.
"""

from pathlib import Path

import numpy as np
from ex2_elman import clip_updates, leaky_sequence, leaky_sequence_backward

TEXT = Path(__file__).with_name("ex2_elman.md").read_text(encoding="utf-8").lower()
LETTERS = sorted(set(TEXT))
READ = np.array([LETTERS.index(letter) for letter in TEXT])
n, T, B, UPDATES = 64, 40, 16, 1500
rng = np.random.default_rng(0)
tau = rng.uniform(0.3, 6, size=n)  # fast and slow units
p = {
    "Wx": rng.normal(size=(len(LETTERS), n)),
    "Wh": 1.5 * rng.normal(size=(n, n)) / np.sqrt(n),
    "b": np.zeros(n),
    "V": np.zeros((n, len(LETTERS))),
}


def write(length=120):
    """What the network says by itself, letter after letter."""
    v, letter, said = np.zeros((1, n)), LETTERS.index(" "), ""
    for _ in range(length):
        x = np.eye(len(LETTERS))[[letter]][None]
        v = leaky_sequence(x, v, np.ones((1, 1), bool), p["Wx"], p["Wh"], p["b"], tau)[0][-1]
        odds = np.exp(1.3 * np.tanh(v[0]) @ p["V"])
        letter = rng.choice(len(LETTERS), p=odds / odds.sum())
        said += LETTERS[letter]
    return " ".join(said.split())


mean, squares, loss = 1.0, {name: np.zeros_like(w) for name, w in p.items()}, np.log(len(LETTERS))
for update in range(UPDATES + 1):
    if update % 500 == 0:
        print(f"after {update} updates, {np.exp(loss):.1f} letters to choose from: {write()}\n")
    start = rng.integers(0, len(READ) - T - 1, size=B)
    read = READ[start + np.arange(T + 1)[:, None]]
    x, target, mask = np.eye(len(LETTERS))[read[:-1]], np.eye(len(LETTERS))[read[1:]], np.ones((T, B), bool)
    v0 = np.zeros((B, n))
    v, a = leaky_sequence(x, v0, mask, p["Wx"], p["Wh"], p["b"], tau)
    odds = np.exp(np.tanh(v) @ p["V"])
    odds /= odds.sum(axis=-1, keepdims=True)
    loss += 0.02 * (-np.log((odds * target).sum(axis=-1)).mean() - loss)
    dlogits = (odds - target) / (T * B)
    dv = dlogits @ p["V"].T * (1 - np.tanh(v) ** 2)
    back = leaky_sequence_backward(dv, v0, x, v0, v, a, mask, p["Wx"], p["Wh"], tau)
    cut = clip_updates(back["dWx"][None], back["dWh"][None], back["db"][None], mean, 2.0, 0.9)
    mean = max(cut["limits"][0] / 2.0, 1e-3)
    grads = {"Wx": cut["dWx"][0], "Wh": cut["dWh"][0], "b": cut["db"][0]}
    grads["V"] = np.einsum("tbh,tbc->hc", np.tanh(v), dlogits)
    for name, g in grads.items():  # RMSProp
        squares[name] = 0.99 * squares[name] + 0.01 * g**2
        p[name] -= 0.005 * g / (np.sqrt(squares[name]) + 1e-6)
