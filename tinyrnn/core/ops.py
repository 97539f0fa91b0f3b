"""The few array functions that cells are written in, for NumPy and CuPy alike.

All are safe for the complex-step gradient check: they are analytic where the textbook function is, and branches look at
the real part only.
"""

import numpy as np
from scipy.sparse import csr_array

from tinyrnn.core.backend import xp_of


def tanh(z):
    return xp_of(z).tanh(z)


def sigmoid(z):
    """σ(z) = 1/(1 + e^-z), written as ½ tanh(½z) + ½: no overflow, and NumPy's tanh is vectorised."""
    return 0.5 * xp_of(z).tanh(0.5 * z) + 0.5


def split(a, n):
    """`n` equal blocks along the last axis, as views: `i, f, o, g = split(a, 4)`."""
    size = a.shape[-1] // n
    return [a[..., k * size : (k + 1) * size] for k in range(n)]


def join(*blocks):
    """Blocks side by side along the last axis: the inverse of `split`."""
    return xp_of(blocks[0]).concatenate(blocks, axis=-1)


def is_index(x):
    """Whether `x` holds class numbers, which stand for one-hot rows that are never built."""
    return x.dtype.kind in "iu"


def affine(x, W, b=None):
    """`x W + b` for all time steps at once.

    x: floats (..., n_in), or integers (...) that stand for one-hot rows, for which `x W` is the row `W[x]`.
    W: (n_in, n_out). b: (n_out,) or None. Returns (..., n_out).
    """
    y = W[x] if is_index(x) else x @ W
    return y if b is None else y + b


def affine_backward(x, W, dy):
    """Gradients of `affine`: dx (like x, or None where x holds class numbers), dW (n_in, n_out), db (n_out,)."""
    db = dy.reshape(-1, dy.shape[-1]).sum(axis=0)
    if is_index(x):
        dx, dW = None, add_rows(dy, x, W)
    else:
        dx, dW = dy @ W.T, weight_gradient(x, dy)
    return dx, dW, db


def weight_gradient(x, dy):
    """dW of `y = x W`, summed over time and batch in one product: x (..., n_in), dy (..., n_out) -> (n_in, n_out)."""
    return x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])


def add_rows(dy, x, W):
    """dW (n, k) of `y = W[x]`: row j is the sum of the rows of dy (..., k) with `x == j`; x integers (...)."""
    n, dy, x = len(W), dy.reshape(-1, dy.shape[-1]), x.reshape(-1)
    if isinstance(dy, np.ndarray):  # ufunc.at is several times slower than a sparse product
        return csr_array((np.ones(len(x), dy.dtype), (x, np.arange(len(x)))), (n, len(x))) @ dy
    dW = xp_of(dy).zeros((n, dy.shape[1]), dy.dtype)
    xp_of(dy).add.at(dW, x, dy)
    return dW
