"""Convolutions without padding, and what runs backwards through them.

    y[i, j] = sum_{k, l} x[s i + k, s j + l] W[k, l]         W[k, l] a matrix from channels in to channels out
    y[s i + k, s j + l] += x[i, j] W[k, l]^T                 transposed: what was gathered is spread

Each is the other's gradient with respect to its input, so there are two maps here, `gather` and `spread`, and two
layers that use one forward and the other backward.

Shapes: images (N, rows, columns, channels); W (k, k, C, D), of a convolution from C channels to D, or of a transposed
one from D to C; b is as wide as the result. All in one float dtype.
"""

import numpy as np

from tinyrnn.core.types import Array


def conv(x: Array, W: Array, b: Array, stride: int) -> Array:
    """x (N, H, H', C) -> (N, (H - k) // stride + 1, (H' - k) // stride + 1, D)."""
    return gather(x, W, stride) + b


def conv_backward(x: Array, W: Array, dy: Array, stride: int) -> tuple[Array, Array, Array]:
    """dx, dW and db of `conv`. What a last step did not reach, where the stride does not divide, gets zeros."""
    return spread(dy, W, stride, x.shape), products(x, dy, W.shape, stride), dy.sum(axis=(0, 1, 2))


def deconv(x: Array, W: Array, b: Array, stride: int) -> Array:
    """Transposed: x (N, H, H', D) -> (N, (H - 1) stride + k, (H' - 1) stride + k, C)."""
    N, rows, columns, _ = x.shape
    k, _, C, _ = W.shape
    return spread(x, W, stride, (N, (rows - 1) * stride + k, (columns - 1) * stride + k, C)) + b


def deconv_backward(x: Array, W: Array, dy: Array, stride: int) -> tuple[Array, Array, Array]:
    """dx, dW and db of `deconv`."""
    return gather(dy, W, stride), products(dy, x, W.shape, stride), dy.sum(axis=(0, 1, 2))


def gather(x: Array, W: Array, stride: int) -> Array:
    """The sum over each window of x, weighted by W: one matrix product."""
    return windows(x, W.shape[0], stride) @ W.reshape(-1, W.shape[-1])


def spread(y: Array, W: Array, stride: int, shape: tuple[int, ...]) -> Array:
    """The transpose of `gather`: each y, weighted by W, is added to its window of an image of this shape."""
    k = W.shape[0]
    rows, columns = (n * stride for n in y.shape[1:3])
    parts = (y @ W.reshape(-1, W.shape[-1]).T).reshape(*y.shape[:3], *W.shape[:3])
    x = np.zeros(shape, parts.dtype)
    for i in range(k):
        for j in range(k):
            x[:, i : i + rows : stride, j : j + columns : stride] += parts[:, :, :, i, j]
    return x


def products(x: Array, y: Array, shape: tuple[int, ...], stride: int) -> Array:
    """The gradient of W (k, k, C, D): windows of x times y, summed over images and places."""
    patches = windows(x, shape[0], stride)
    return (patches.reshape(-1, patches.shape[-1]).T @ y.reshape(-1, y.shape[-1])).reshape(shape)


def windows(x: Array, k: int, stride: int) -> Array:
    """The k x k windows of x (N, H, H', C), each in a row: (N, rows, columns, k k C)."""
    views = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(1, 2))[:, ::stride, ::stride]
    return np.moveaxis(views, 3, -1).reshape(*views.shape[:3], -1)
