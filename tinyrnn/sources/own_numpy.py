"""The NumPy that rewritten programs see: in double precision, and fit for a complex step."""

from types import SimpleNamespace

import numpy as np

from tinyrnn.sources.strides import LIB
from tinyrnn.sources.syntax import ZERO_MAKERS

BUFFER_MAKERS = (*ZERO_MAKERS, "ones", "ones_like", "full", "full_like")


def variance(values, axis=None, ddof=0, keepdims=False):
    """`np.var`, of complex numbers continued analytically: without absolute values."""
    values = np.asarray(values)
    far = values - values.mean(axis=axis, keepdims=True)
    squares = (far * far).sum(axis=axis, keepdims=keepdims)
    return squares / (values.size / np.size(squares) - ddof)


def norm(values, ord=None, axis=None, keepdims=False):
    """`np.linalg.norm`, the root of the sum of squares continued analytically; any other norm as it is there."""
    is_of_vectors = np.ndim(values) == 1 or isinstance(axis, int)
    is_root = ord in (None, "fro") or (ord == 2 and is_of_vectors)
    if not is_root:
        return np.linalg.norm(values, ord, axis, keepdims)
    values = np.asarray(values)
    return np.sqrt((values * values).sum(axis=axis, keepdims=keepdims))


LINALG = SimpleNamespace(**{**vars(np.linalg), "norm": norm})
ANALYTIC = {  # continued analytically from the real numbers, as the complex step needs it
    "abs": lambda z: np.where(np.real(z) < 0, -z, z),
    "absolute": lambda z: np.where(np.real(z) < 0, -z, z),
    "sign": lambda z: np.sign(np.real(z)),
    "maximum": lambda a, b: np.where(np.real(a) >= np.real(b), a, b),
    "minimum": lambda a, b: np.where(np.real(a) <= np.real(b), a, b),
    "var": variance,
    "std": lambda *args, **kwargs: np.sqrt(variance(*args, **kwargs)),
    "linalg": LINALG,
}
ANALYTIC |= {"fmax": ANALYTIC["maximum"], "fmin": ANALYTIC["minimum"]}


DOUBLE: dict[type, type] = {np.float32: np.float64, np.float16: np.float64, np.complex64: np.complex128}


def in_double(value):
    """Of a type of numbers of less precision that of double precision, anything else as it is."""
    return DOUBLE.get(value, value) if isinstance(value, type) else value


def clipped_on_one_side(values, a_min=None, a_max=None, out=None, **options):
    """`np.clip`, but between -c and c everything stays as it is."""
    is_both = isinstance(a_max, int | float) and isinstance(a_min, int | float) and a_min == -a_max
    if not is_both:
        return np.clip(values, a_min, a_max, out=out, **options)
    if out is None:
        return np.array(values)
    out[...] = values
    return out


class Numpy:
    """The module `numpy`, but what is said to be of single precision is of double, so that no rounding is taken for a
    mistake; and a complex step survives: arrays made to be filled are complex, and abs, maximum and the like go by the
    real part, `var` and norms by squares; and no view reaches beyond an array's memory."""

    complex_buffers = False
    is_unclipped = False  # whether what cuts gradients to a size on both sides leaves them as they are

    def __eq__(self, other):  # `self.xp == np`, where an object has kept the module
        return other is np or isinstance(other, Numpy)

    def __hash__(self):
        return hash(np)

    def __getattr__(self, name):
        value = in_double(getattr(np, name)) if name != "lib" else LIB
        if self.is_unclipped and name == "clip":
            return clipped_on_one_side
        if self.complex_buffers and name in ANALYTIC:
            return ANALYTIC[name]
        if name in ANALYTIC or name == "clip":
            return value
        made = self.maker(value) if name in BUFFER_MAKERS else value
        setattr(self, name, made)  # what is always the same is looked up once
        return made

    def maker(self, function):
        """A function that makes arrays, which are complex where it is asked for."""

        def make(*args, **kwargs):
            made = function(*args, **kwargs)
            return (
                made.astype(complex if self.complex_buffers else float, copy=False) if made.dtype.kind == "f" else made
            )

        return make
