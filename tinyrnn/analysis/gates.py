"""What the gates of an LSTM make of its memory: the gate table, and why gradients pass through (Grosse 2018, 3.4).

Gates are set by biases so large that the sigmoid is 0 or 1 whatever the input.

Why gradients pass through. With c_t = f ∘ c_{t-1} + i ∘ g and h_t = o ∘ tanh(c_t), dc_t is made of what comes from
c_{t+1} and of what comes from h_t, which is dh_t ∘ o ∘ (1 - tanh² c_t). From there,

    dc_{t-1} = dc_t ∘ f      di = dc_t ∘ g      df = dc_t ∘ c_{t-1}      dg = dc_t ∘ i      do = dh_t ∘ tanh(c_t)

and di, df, do reach h_{t-1}, and through it c_{t-1}, multiplied by i (1 - i), f (1 - f) and o (1 - o). With f = 1 and
i = o = 0 these are all zero, and so are dg and what h_t sends: dc_{t-1} = dc_t is all that is left, hence
∂c_T/∂c_0 = I, for any weights and any T. Exactly so only in the limit: a bias of b gives f = σ(b), 1 - f ≈ e^-b, and
without recurrent weights ∂c_T/∂c_0 = σ(b)^T I ≈ (1 - T e^-b) I.
"""

from typing import Any, NamedTuple

import numpy as np

from tinyrnn.cells.lstm import LSTM
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array, Parts

# (input gate, forget gate) -> what the memory does, in the lecture's order
BEHAVIOURS = {(0, 1): "remember", (1, 1): "add", (0, 0): "erase", (1, 0): "overwrite"}


def set_gates(cell: Cell, bias: float, **gates: Any) -> Cell:
    """Set gates of an LSTM open (1) or shut (0) by their biases, ±bias, in place; returns the cell.

    gates: i, f and o, each 0 or 1; what is not named stays. Raises ValueError for others, and for a bias that is not
    positive.
    """
    if not bias > 0:
        raise ValueError(f"the bias must be positive, got {bias}")
    n = cell.hidden_size
    for gate, value in gates.items():
        if gate not in ("i", "f", "o") or value not in (0, 1):
            raise ValueError(f"a gate i, f or o is set to 0 or 1, got {gate} = {value}")
        k = cell.gates.index(gate)
        cell.params["b"][k * n : (k + 1) * n] = bias if value else -bias
    return cell


def memory(i: int, f: int, bias: float = 50.0) -> Cell:
    """An LSTM with one block: g_t = tanh(x_t), output gate open, the others as given, no recurrent weights."""
    cell = LSTM(1, 1)
    for value in cell.params.values():
        value[...] = 0
    cell.params["W_x"][0, cell.gates.index("g")] = 1
    return set_gates(cell, bias, i=i, f=f, o=1)


class GateRun(NamedTuple):
    """c (T + 1,): the memory as the LSTM has it. expected (T + 1,): as the table says."""

    c: np.ndarray  # (T + 1,), the memory, c_0 first
    g: np.ndarray  # (T,), the new values
    expected: np.ndarray  # (T + 1,), what the table says


def run_gates(i: int, f: int, values: Array, start: float = 0.0, bias: float = 50.0) -> GateRun:
    """The memory over time when it starts at `start` and the new values g_t, each within ±1, arrive.

    Returns a `GateRun`, with the memory as the LSTM has it beside the one that the table predicts.
    """
    values = np.asarray(values, float)
    if values.ndim != 1 or not len(values) or not (abs(values) < 1).all():
        raise ValueError("the new values must be a list of numbers between -1 and 1, for they come out of a tanh")
    x = np.arctanh(values)[:, None, None]
    _, tape = memory(i, f, bias).forward(x, state=(np.zeros((1, 1)), np.full((1, 1), float(start))))
    c = np.r_[start, tape["c"][:, 0, 0]]
    return GateRun(c, tape["g"][:, 0, 0], predicted(BEHAVIOURS[i, f], values, start))


def predicted(behaviour: str, values: Array, start: float) -> Array:
    """The memory (T + 1,) by the words of the table alone."""
    after = {
        "remember": np.full(len(values), float(start)),
        "add": start + np.cumsum(values),
        "erase": np.zeros(len(values)),
        "overwrite": values,
    }
    return np.r_[start, after[behaviour]]


def passed_through(cell: Cell, x: Array, state: Parts | None = None) -> Array:
    """∂c_T/∂c_t of an LSTM for t = 0 … T, column convention: (T + 1, n, n), the last one the identity.

    cell: an `LSTM`, with any weights. x: (T, 1, input_size), one sequence. state: (h_0, c_0), each (1, n), zeros if
    None. By one backward pass over n copies of the sequence, copy k starting from the k-th unit vector.
    """
    n = cell.hidden_size
    if x.ndim != 3 or x.shape[1] != 1:
        raise ValueError(f"one sequence (T, 1, {cell.input_size}) is needed, got shape {x.shape}")
    h0, c0 = (np.zeros((1, n)),) * 2 if state is None else state
    _, tape = cell.forward(np.repeat(x, n, axis=1), state=(np.repeat(h0, n, axis=0), np.repeat(c0, n, axis=0)))
    back = cell.backward(None, tape, dstate=(None, np.eye(n)), record=True)
    return np.concatenate([back.state[1][None], back.states["c"]])
