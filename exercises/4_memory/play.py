"""Your clock, and a read-out that learns: run me when `clock_matrix` is right.

The clock keeps a list of symbols, as you built it; what is learned is only how to read it, by gradients of a
cross-entropy. Nothing here is graded.
"""

import numpy as np
from ex4_memory import clock_matrix

K, d, S, DELAY, B = 6, 48, 8, 30, 64
rng = np.random.default_rng(0)
period = S + DELAY
V = clock_matrix(rng.integers(1, period, size=d), period)
codes = rng.normal(size=(K, 2 * d)) / np.sqrt(2 * d)
W, squares, right = np.zeros((2 * d, K)), np.zeros((2 * d, K)), 1 / K
for update in range(1, 1001):
    symbols = rng.integers(0, K, size=(S, B))
    h = np.zeros((B, 2 * d))
    for t in range(period):
        h = h @ V + (codes[symbols[t]] if t < S else 0)
    loss, dW = 0.0, np.zeros_like(W)
    for t in range(S):  # one symbol a step comes round, in order
        h = h @ V
        odds = np.exp(h @ W - (h @ W).max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        target = np.eye(K)[symbols[t]]
        loss -= np.log((odds * target).sum(axis=1)).mean() / S
        right += 0.01 * ((odds.argmax(axis=1) == symbols[t]).mean() - right)
        dW += h.T @ (odds - target) / (B * S)
    squares = 0.99 * squares + 0.01 * dW**2
    W -= 0.02 * dW / (np.sqrt(squares) + 1e-6)
    if update in (1, 100, 300, 1000):
        print(
            f"after {update} updates: loss {loss:.3f} (guessing: {np.log(K):.3f}), {right:.0%} of symbols right lately"
        )
found = np.corrcoef((codes @ W).ravel(), np.eye(K).ravel())[0, 1]
print(f"What it found is what you would write down: codes times W looks like the identity, correlation {found:.2f}.")
