"""What the functions of exercise 4 are called with, and the sequences that weights are tried on."""

import numpy as np


def adding(rng):
    return {"top": float(rng.uniform(2.5, 6))}


def coupled_adding(rng):
    return {"accuracy": float(10 ** rng.uniform(-4, -2))}


def bias(rng):
    """Few steps and many: two of them are more than 10^10."""
    steps = np.floor(10 ** np.array([0, *rng.uniform(0.5, 9, 3), *rng.uniform(10, 12, 2)]))
    return {"steps": steps, "share": rng.uniform(0.05, 0.95, 6)}


def clock(rng):
    """At least one hand takes more than two steps to come round, so that its direction shows."""
    period = int(rng.integers(7, 30))
    numbers = rng.integers(0, period, int(rng.integers(3, 7)))
    numbers[0] = 1
    return {"numbers": numbers, "period": period}


def clocks(rng):
    """Hands whose numbers and periods have a factor in common, and that are back after different times; some stand."""
    rows = [hands(rng) for _ in range(4)]
    numbers, periods = np.array(rows).transpose(1, 0, 2)
    numbers[-1, -1] = 0
    return {"numbers": numbers, "periods": periods}


def hands(rng):
    """(numbers, periods) of four hands, in any order."""
    base = np.array([4, 6, rng.choice([9, 10, 14, 15]), 1])
    factor = rng.choice([5, 7], 4)
    numbers, periods = factor * (base - 1), factor * base
    order = rng.permutation(4)
    return numbers[order], periods[order]


def crosstalk(rng, agree=None):
    """agree: whether all hands turn at the same speed; None: either."""
    K, d = int(rng.integers(3, 6)), int(rng.integers(6, 10))
    period = int(rng.integers(20, 40))
    numbers = rng.integers(1, period, d)
    if rng.random() < 0.5 if agree is None else agree:
        numbers[:] = 1
    lags = np.concatenate([[0, 1], rng.integers(2, 300, 5)])
    return {"codes": unit_rows(rng, K, 2 * d), "numbers": numbers, "period": period, "lags": rng.permutation(lags)}


def copying(rng, longest=30):
    K, length, delay = int(rng.integers(3, 7)), int(rng.integers(3, 6)), int(rng.integers(8, longest))
    d = int(rng.integers(112, 145))
    numbers = rng.integers(0, length + delay, d)
    return {"codes": unit_rows(rng, K, 2 * d), "numbers": numbers, "length": length, "delay": delay}


def unit_rows(rng, *shape):
    rows = rng.normal(size=shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# what weights are tried on --------------------------------------------------------------------------------------------


def random_of(*numbers):
    """A generator that is the same whenever the arguments are."""
    return np.random.default_rng(list(np.array(numbers, float).tobytes()))


def marked_sequences(rng, steps, batch, top, marks):
    """X (steps, batch, 2), the two marked values (batch,) each. Places: anywhere, and side by side at either end."""
    values = rng.uniform(0, top, (steps, batch))
    values[:, 0], values[:, 1] = top, 0
    places = np.array([rng.choice(steps, 2, replace=False) for _ in range(batch)]).T
    places[:, 2:6] = [[0, steps - 1, 0, 1], [1, steps - 2, steps - 1, 0]]
    X = np.stack([values, np.zeros_like(values)], axis=-1)
    rows = np.arange(batch)
    for place, mark in zip(places, marks, strict=True):
        X[place, rows, 1] = mark
    first, second = (values[place, rows] for place in places)
    return X, first, second


def linear_memory(X, U, b, V, h0, W, relu=True):
    """y after every step, (T, B, k)."""
    entering = np.maximum(X @ U + b, 0) if relu else X @ U + b
    h, outputs = np.tile(h0, (X.shape[1], 1)), []
    for entered in entering:
        h = h @ V + entered
        outputs.append(h @ W)
    return np.array(outputs)
