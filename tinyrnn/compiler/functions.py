"""The module that symbolic arrays compute with, in the place of NumPy: the functions that cells may call."""

import math

import numpy as np

from tinyrnn.compiler import nodes
from tinyrnn.compiler.nodes import Gather, Untraceable
from tinyrnn.compiler.totals import Total
from tinyrnn.compiler.traced import Traced

UNARY = ("tanh", "exp", "expm1", "sqrt", "log", "log1p", "sin", "cos")


class Namespace:
    """What `xp_of` answers for a `Traced` array."""

    complex64, complex128, float32, float64 = np.complex64, np.complex128, np.float32, np.float64
    bool_, int64, pi = np.bool_, np.int64, math.pi

    def __init__(self, trace):
        self.trace = trace
        self.fft = Transforms(trace)
        self.add = Add()

    def __getattr__(self, name):
        if name in UNARY:
            return lambda z: self.trace.apply(name, z) if isinstance(z, Traced) else getattr(np, name)(z)
        raise Untraceable(f"calls {name}")

    def abs(self, z):
        """|z|, entry by entry."""
        return abs(z)

    def sign(self, z):
        """1, 0 or -1, in the dtype of z; 0 where z is not a number."""
        return (z > 0).astype(z.dtype) - (z < 0).astype(z.dtype)

    def where(self, condition, a, b):
        """a where the condition holds and b elsewhere, broadcast."""
        return self.trace.apply("where", condition, a, b)

    def maximum(self, a, b):
        """The larger of each two entries, broadcast; not a number where one of them is not."""
        return self.trace.apply("max", a, b)

    def minimum(self, a, b):
        """The smaller of each two entries, broadcast; not a number where one of them is not."""
        return self.trace.apply("min", a, b)

    def real(self, z):
        """The real part of z."""
        return z.real

    def imag(self, z):
        """The imaginary part of z."""
        return z.imag

    def sum(self, z, axis=None, keepdims=False):
        """As `Traced.sum`: over the last axis or over rows; Untraceable for any other axis."""
        return z.sum(axis, keepdims)

    def finfo(self, dtype):
        """As `numpy.finfo`."""
        return np.finfo(dtype)

    def isdtype(self, dtype, kind):
        """As `numpy.isdtype`."""
        return np.isdtype(dtype, kind)

    def concat(self, parts, axis=0):
        """The parts joined along the last axis; Untraceable for any other."""
        if axis not in (-1, parts[0].ndim - 1):
            raise Untraceable("joins along other axes than the last one")
        return self.trace.join(parts)

    concatenate = concat

    def take(self, z, index, axis=None):
        """Rows of weights by class numbers (axis 0), or entries of rows in a fixed order; Untraceable for all else."""
        index = self.trace.wrap(index)
        if axis == 0:
            return z.picked(index)
        if axis not in (-1, z.ndim - 1) or not index.integer or index.lead or len(z.view.shape) != 1:
            raise Untraceable("takes other things than entries of a row in a fixed order")
        order = self.trace.orders.get(index.view.node)
        if order is None or order.min() < 0 or order.max() >= z.size:
            raise Untraceable("takes entries that are not known to be there")
        n = index.view.shape
        node = self.trace.node(Gather, (z.stored().view, index.view), n)
        return Traced(self.trace, node.view(), z.lead)

    def zeros(self, shape, dtype=None):
        """A `Total` of this shape to which nothing has been added yet; dtype is not looked at."""
        return Total(tuple(shape))

    def zeros_like(self, z, dtype=None):
        """Zeros of the shape of z, symbolic."""
        return self.trace.apply("zero", z)

    def ones_like(self, z, dtype=None):
        """Ones of the shape of z, symbolic."""
        return self.trace.apply("one", z)

    def result_type(self, *kinds):
        """As `numpy.result_type`."""
        return np.result_type(*kinds)

    def empty(self, shape, dtype=None):
        """A `Complex` whose parts are still to be set; Untraceable for a dtype that is not complex."""
        if np.dtype(dtype).kind != "c":
            raise Untraceable("fills an empty array")
        return Complex(None, None)


class Add:
    """`xp.add`, to add up rows by their class numbers."""

    def at(self, total, index, rows):
        """Note that `rows` go to the entries `index` of a `Total`; Untraceable for what is no sum over rows."""
        if not isinstance(total, Total) or not index.integer or (index.lead, rows.lead) != (1, 1):
            raise Untraceable("adds to entries of other things than a sum over rows")
        total.products += ((index, rows),)


class Complex:
    """A complex array, known only between being packed from two real ones and being unpacked again."""

    def __init__(self, real, imag):
        self.real, self.imag = real, imag


class Transforms:
    """`xp.fft`, for one axis and in the unitary normalisation."""

    def __init__(self, trace):
        self.trace = trace

    def fft(self, z, norm=None, op="forward"):
        """The unitary transform of packed complex rows, a `Complex`; Untraceable for any other."""
        if norm != "ortho" or not isinstance(z, Complex) or len(z.real.view.shape) != 1:
            raise Untraceable("knows the unitary Fourier transform of packed complex rows only")
        re, im = z.real.stored(), z.imag.stored()
        node = self.trace.node(nodes.Fourier, (re.view, im.view), (2, *re.view.shape), op=op)
        both = Traced(self.trace, node.view(), re.lead)
        return Complex(both[..., 0, :], both[..., 1, :])

    def ifft(self, z, norm=None):
        """The inverse of `fft`, unitary too; Untraceable for the same reasons."""
        return self.fft(z, norm, op="inverse")
