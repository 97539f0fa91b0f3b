"""Every way in which arrays that a forward pass was given can be the input, the state and the weights of one of the
package's cells."""

from typing import NamedTuple

import numpy as np

from tinyrnn.sources.vocabulary import CELL, HIDDEN, X, likeliest, role_of


class Layout(NamedTuple):
    """x (T, B, n); state: arrays (B, H); W_x, W_h, b: lists of blocks (n, H), (H, H) and (H,), one for each gate."""

    x: np.ndarray
    state: tuple
    W_x: list
    W_h: list
    b: list

    @property
    def blocks(self):
        """How many gates' blocks there are in W_x."""
        return len(self.W_x)


def readings(inputs):
    """Every `Layout` that the shapes of arrays, name -> array, allow."""
    inputs = {name.split(".")[-1]: value for name, value in inputs.items() if "grad" not in name}
    roles = {name: role_of(name, list(inputs))[0] for name in inputs}
    named_states = {name: value for name, value in inputs.items() if roles[name] == "state"}
    h, c = likeliest(HIDDEN, named_states), likeliest(CELL, named_states)
    rest = {name: value for name, value in inputs.items() if value is not h and value is not c}
    sequences = {name: value for name, value in rest.items() if value.ndim in (2, 3)}
    x = likeliest(X, sequences)
    for name, one in sequences.items():
        if x is None or one is x:
            others = {n: value for n, value in rest.items() if n != name}
            cell_only = {n: value for n, value in others.items() if roles[n] not in ("W_y", "b_y")}
            for weights in (cell_only, others) if len(cell_only) < len(others) else (others,):
                yield from layouts(one, h, c, list(weights.values()))


def layouts(x, h, c, others):
    """The same for arrays of which it is known what they are; others: weights and biases."""
    weights = [v for v in others if v.ndim == 2 and 1 not in v.shape]
    biases = [v.reshape(-1) for v in others if v.ndim == 1 or (v.ndim == 2 and 1 in v.shape)]
    for columns, xs in inputs_as_time_major(x):
        _, B, n = xs.shape
        states = [s.T if columns else s for s in (h, c) if s is not None and s.ndim == 2]
        sizes = {s.shape[1] for s in states} or {size for w in weights for size in w.shape}
        if any(s.shape[0] != B for s in states):
            continue
        for H in sizes:
            for parts in split_weights(weights, biases, n, H, columns):
                yield Layout(xs, tuple(states or [np.zeros((B, H))]), *parts)


def inputs_as_time_major(x):
    """(whether features come before the batch, x as (T, B, n)) for each order of axes."""
    if x.ndim == 2:
        yield False, x[None]
        yield True, x.T[None]
    elif x.ndim == 3:
        yield False, x
        yield False, x.swapaxes(0, 1)
        yield True, x.swapaxes(1, 2)
        yield True, x.transpose(1, 2, 0)


def split_weights(weights, biases, n, H, columns):
    """(blocks of W_x (n, H), blocks of W_h (H, H), blocks of b (H,)) in every way the shapes allow."""
    if columns:
        weights = [w.T for w in weights]
    joined_x = [w for w in weights if w.shape[0] == n and w.shape[1] % H == 0]
    joined_h = [w for w in weights if w.shape[0] == H and w.shape[1] % H == 0]
    both = [w for w in weights if w.shape == (n + H, H)]
    found = []
    if len(joined_x) == len(joined_h) and joined_x:
        found.append((blocks(joined_x, H), blocks(joined_h, H)))
    if both:
        found.append(([w[H:] for w in both], [w[:H] for w in both]))
        found.append(([w[:n] for w in both], [w[n:] for w in both]))
    for W_x, W_h in found:
        k = len(W_x)
        if len(W_h) != k:
            continue
        options = [
            [b for b in biases if b.shape == (H,)],
            [p for b in biases if b.shape == (k * H,) for p in np.split(b, k)],
        ]
        for b in options:
            if len(b) == k:
                yield W_x, W_h, b
                break
        else:
            yield W_x, W_h, [np.zeros(H)] * k


def blocks(matrices, H):
    """All matrices (n, k H) cut along their columns into blocks (n, H), in one list."""
    return [block for w in matrices for block in np.split(w, w.shape[1] // H, axis=1)]
