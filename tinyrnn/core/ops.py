"""The few array functions that cells are written in.

They and the cells use what the array API standard has and nothing else, so that NumPy, CuPy and every module that keeps
to the standard run the same source: functions of the array's own module (`xp_of`) in the place of methods, all axes of
an index written out or cut short by `...`, no arithmetic between booleans and numbers.

All are safe for the complex-step gradient check: they are analytic where the textbook function is, and branches look at
the real part only.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from tinyrnn.core.backend import xp_of
from tinyrnn.core.types import Array


def tanh(z: Array) -> Array:
    """The hyperbolic tangent."""
    return xp_of(z).tanh(z)


def sigmoid(z: Array) -> Array:
    """σ(z) = 1/(1 + e^-z), written as ½ tanh(½z) + ½: no overflow, and NumPy's tanh is vectorised."""
    return 0.5 * xp_of(z).tanh(0.5 * z) + 0.5


def real(z: Array) -> Array:
    """The real part, which is z itself but for the complex step: what a branch looks at."""
    if hasattr(z, "real"):
        return z.real
    return xp_of(z).real(z) if is_complex(z) else z


def positive(z: Array) -> Array:
    """1 where z > 0, else 0, in z's dtype: the derivative of the positive part, and a factor that switches off."""
    return astype(real(z) > 0, z.dtype)


def split(a: Any, n: int) -> Any:
    """`n` equal blocks along the last axis, as views: `i, f, o, g = split(a, 4)`."""
    size = a.shape[-1] // n
    return [a[..., k * size : (k + 1) * size] for k in range(n)]


def join(*blocks: Any) -> Array:
    """Blocks side by side along the last axis: the inverse of `split`."""
    return xp_of(blocks[0]).concat(blocks, axis=-1)


def reshape(z: Array, *shape: Any) -> Array:
    """z in another shape, one of whose sizes may be -1; a view where it can be."""
    # NumPy's method is five times faster than its function, which is what the standard has
    return z.reshape(shape) if hasattr(z, "reshape") else xp_of(z).reshape(z, shape)


def astype(z: Array, dtype: Any) -> Array:
    """z in another dtype; z itself where it has that already."""
    return z.astype(dtype, copy=False) if hasattr(z, "astype") else xp_of(z).astype(z, dtype, copy=False)


def complex_of(re: Array, im: Array) -> Array:
    """re + i im."""
    xp = xp_of(re)
    z = xp.empty(re.shape, dtype=xp.result_type(re.dtype, xp.complex64))
    if not hasattr(z, "real"):  # the standard has no way to write to a part
        return re + 1j * im
    z.real, z.imag = re, im
    return z


@lru_cache(64)  # NumPy takes a microsecond to say
def is_dtype(xp: Any, dtype: Any, kind: str) -> bool:
    """Whether a dtype is of a kind that the array API standard names, such as "real floating"."""
    return xp.isdtype(dtype, kind)


def is_complex(z: Array) -> bool:
    """Whether z holds complex numbers."""
    return is_dtype(xp_of(z), z.dtype, "complex floating")


def is_index(x: Array) -> bool:
    """Whether `x` holds class numbers, which stand for one-hot rows that are never built."""
    return is_dtype(xp_of(x), x.dtype, "integral")


LARGEST_STEP = 1e-10  # imaginary parts of the complex-step check; whatever is larger is no step but a complex number


def in_precision(what: str, array: Array, dtype: Any) -> Array:
    """`array` in `dtype`, a cell's; what: the expression that it was given as.

    Complex numbers become real where all imaginary parts are zero, and stay complex where all are tiny, as those of the
    complex-step check. TypeError in one line for all others, and for what holds no numbers.
    """
    xp = xp_of(array)
    if is_dtype(xp, array.dtype, ("real floating", "integral", "bool")) or is_dtype(xp, dtype, "complex floating"):
        return astype(array, dtype)
    if not is_complex(array):
        raise TypeError(f"{what} must hold real numbers, got {array.dtype}: write {what}.astype(float)")
    step = float(xp.max(abs(xp.imag(array))))
    if not step < LARGEST_STEP:
        raise TypeError(f"{what} must hold real numbers, got {array.dtype}: write {what}.real")
    return array if step else astype(1 * xp.real(array), dtype)  # 1 *: without gaps, which change how NumPy adds


def affine(x: Array, W: Array, b: Array | None = None) -> Array:
    """`x W + b` for all time steps at once.

    x: floats (..., n_in), or integers (...) that stand for one-hot rows, for which `x W` is the row `W[x]`.
    W: (n_in, n_out). b: (n_out,) or None. Returns (..., n_out).
    """
    y = rows(W, x) if is_index(x) else x @ W
    return y if b is None else y + b


def affine_backward(x: Array, W: Array, dy: Array) -> tuple[Array | None, Array, Array]:
    """Gradients of `affine`: dx (like x, or None where x holds class numbers), dW (n_in, n_out), db (n_out,)."""
    db = xp_of(dy).sum(reshape(dy, -1, dy.shape[-1]), axis=0)
    if is_index(x):
        dx, dW = None, add_rows(dy, x, W)
    else:
        dx, dW = dy @ W.T, weight_gradient(x, dy)
    return dx, dW, db


def sum_over_time(dy: Array) -> Array:
    """Summed over time and batch: dy (..., n) -> (n,), the gradient of what is added to every row."""
    return xp_of(dy).sum(reshape(dy, -1, dy.shape[-1]), axis=0)


def weight_gradient(x: Array, dy: Array) -> Array:
    """dW of `y = x W`, summed over time and batch in one product: x (..., n_in), dy (..., n_out) -> (n_in, n_out)."""
    return reshape(x, -1, x.shape[-1]).T @ reshape(dy, -1, dy.shape[-1])


def rows(W: Array, x: Array) -> Array:
    """`W[x]`: a row of W (n, k) for each of the class numbers x (...) -> (..., k)."""
    y = xp_of(W).take(W, reshape(x, -1), axis=0)
    return reshape(y, *x.shape, W.shape[1])


def add_rows(dy: Array, x: Array, W: Array) -> Array:
    """dW (n, k) of `y = W[x]`: row j is the sum of the rows of dy (..., k) with `x == j`; x integers (...).

    W: (n, k), of which only the shape is asked.
    """
    xp, (n, k) = xp_of(dy), W.shape
    dy, x = reshape(dy, -1, k), reshape(x, -1)
    if xp is np:  # ufunc.at is several times slower than a sparse product
        from scipy.sparse import csr_array  # to import it takes longer than to import all else

        # in the order of the classes, which is what csr_array would find out for itself in three times the time
        order, x = np.argsort(x, kind="stable"), x.astype(np.intp)  # bincount of NumPy 2.1 takes no uint64
        ends = np.concatenate(([0], np.cumsum(np.bincount(x, minlength=n))))
        return csr_array((np.ones(len(x), dy.dtype), order, ends), (n, len(x))) @ dy
    if not hasattr(xp.add, "at"):  # the standard cannot add to chosen rows, but it can multiply with one-hot ones
        return astype(x[:, None] == xp.arange(n), dy.dtype).T @ dy
    dW = xp.zeros((n, k), dtype=dy.dtype)
    xp.add.at(dW, x, dy)
    return dW
