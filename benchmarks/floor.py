"""The bare matrix products of a training step, in NumPy: what remains if everything else cost nothing.

Forward: the input's projection, and one product a step and recurrent matrix. Backward: one a step and matrix, with the
transpose contiguous. Then the gradients of weights and input, each one product for all time steps. Results go into
buffers that are kept.
"""

import numpy as np

# input weights, recurrent weights; the unitary RNN has none, its work is in Fourier transforms
WEIGHTS = {
    "elman": ("W_x", ["W_h"]),
    "lt-ornn": ("U", ["V"]),
    "lstm": ("W_x", ["W_h"]),
    "lstm-peephole": ("W_x", ["W_h"]),
    "gru": ("W_x", ["W_h"]),
    "gru-cho": ("W_x", ["W_rz", "W_n"]),
}


def forms(name, cell, x):
    """form -> function; empty for a cell without recurrent matrices. Arguments as in `peers_torch.forms`."""
    if name not in WEIGHTS:
        return {}
    T, B, n = x.shape
    W_x = cell.params[WEIGHTS[name][0]]
    rng = np.random.default_rng(0)
    h = rng.normal(size=(T, B, cell.hidden_size)).astype(x.dtype)
    a = rng.normal(size=(T, B, W_x.shape[1])).astype(x.dtype)
    recurrent = []
    for key in WEIGHTS[name][1]:
        W = cell.params[key]
        da = rng.normal(size=(T, B, W.shape[1])).astype(x.dtype)
        recurrent.append((W, np.ascontiguousarray(W.T), da, np.empty_like(da[0]), np.empty_like(W)))
    rows, h_rows, dh, dx, dW_x = (
        x.reshape(T * B, n),
        h.reshape(T * B, -1),
        h[0].copy(),
        np.empty_like(x),
        np.empty_like(W_x),
    )

    def step():
        a_rows = np.matmul(rows, W_x, out=a.reshape(T * B, -1))
        for t in range(T):
            for W, _, _, u, _ in recurrent:
                np.matmul(h[t], W, out=u)
        for t in reversed(range(T)):
            for _, W_T, da, _, _ in recurrent:
                np.matmul(da[t], W_T, out=dh)
        np.matmul(rows.T, a_rows, out=dW_x)
        np.matmul(a_rows, W_x.T, out=dx.reshape(T * B, n))
        for _, _, da, _, dW in recurrent:
            np.matmul(h_rows.T, da.reshape(T * B, -1), out=dW)

    return {"": step}
