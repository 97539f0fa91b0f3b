"""What stands before and after the recurrent layers: embeddings and readouts, each forward and backward by hand.

All act on any leading axes, so the same readout serves every step (T, B, n) and the last step alone (B, n).
"""

from copy import copy
from types import SimpleNamespace
from typing import Any

import numpy as np

from tinyrnn.core.backend import as_rng, check_home, move, xp_of
from tinyrnn.core.cell import Params
from tinyrnn.core.ops import add_rows, affine, affine_backward, astype, is_index, rows
from tinyrnn.core.types import Array, Seed, Weights
from tinyrnn.init.distributions import glorot_uniform


class Head:
    """Base: parameters and where they live. `constants` is empty; it is there because layers have it."""

    def __init__(self, params: Weights, dtype: str) -> None:
        self.params = Params({name: np.asarray(value, dtype) for name, value in params.items()})
        self.constants: dict = {}

    @property
    def dtype(self) -> Any:
        """Of the weights."""
        return next(iter(self.params.values())).dtype

    @property
    def weights(self) -> Params:
        """All that the passes read: the parameters, and where weights are tied those of the other part."""
        return self.params

    def with_weights(self, weights: Params) -> Any:
        """The same head that reads other `weights`, which may be symbolic."""
        twin = copy(self)
        twin.params = weights
        return twin

    @property
    def stores(self) -> Any:
        """The dicts in which the arrays are."""
        return [self.params, self.constants]

    def to(self, xp: Any) -> Any:
        """As `Cell.to`."""
        move(self.stores, xp)
        return self

    def __repr__(self):
        return f"{type(self).__name__}({self.input_size} -> {self.output_size}, {self.dtype})"


class Readout(Head):
    """Linear readout y = h W + b.

    h (..., input_size) -> y (..., output_size). W Glorot-uniform, b zero. bias=False leaves b out (Henaff et al. 2016).
    """

    def __init__(
        self, input_size: int, output_size: int, *, bias: bool = True, rng: Seed = None, dtype: str = "float64"
    ) -> None:
        self.input_size, self.output_size, self.bias = input_size, output_size, bias
        params = {"W": glorot_uniform((input_size, output_size), rng=as_rng(rng))}
        super().__init__(params | ({"b": np.zeros(output_size)} if bias else {}), dtype)

    def forward(self, h: Array) -> tuple[Array, Any]:
        """Returns y and what `backward` needs."""
        y = affine(h, self.params.W, self.params.get("b"))
        return y, h

    def backward(self, dy: Array, h: Array) -> Any:
        """Returns dh and a dict of parameter gradients."""
        dh, dW, db = affine_backward(h, self.params.W, dy)
        return dh, {"W": dW, "b": db} if "b" in self.params else {"W": dW}


class TiedReadout(Head):
    """Readout whose weights are a model's embedding E: y = h E^T + b (Press & Wolf 2017, "weight tying").

    h (..., input_size) -> y (..., output_size), with E (output_size, input_size): what goes in has as many classes as
    what comes out, and the layers end in as many features as the embedding has. b starts at zero; bias=False leaves it
    out. The weights are the embedding's parameter and no other's, and their gradient is the sum of both uses: `Model`
    hands over the embedding (`tie`), and adds.
    """

    def __init__(
        self, input_size: int, output_size: int, *, bias: bool = True, rng: Seed = None, dtype: str = "float64"
    ) -> None:
        self.input_size, self.output_size, self.bias = input_size, output_size, bias
        self.own_dtype = np.dtype(dtype)
        self.embedding: Any = None  # until it is tied
        super().__init__({"b": np.zeros(output_size)} if bias else {}, dtype)

    @property
    def dtype(self) -> Any:
        """Of the embedding's weights."""
        return self.own_dtype if self.embedding is None else self.embedding.dtype

    def tie(self, embedding: Any) -> Any:
        """Read the weights of this `Embedding` from now on. ValueError if there is none, or none of the right sizes."""
        if embedding is None:
            raise ValueError("TiedReadout: there is no embedding whose weights it could read")
        if (embedding.input_size, embedding.output_size) != (self.output_size, self.input_size):
            raise ValueError(
                f"TiedReadout: {self.input_size} features to {self.output_size} classes need an embedding the other "
                f"way round, got {embedding.input_size} classes to {embedding.output_size} features"
            )
        self.embedding = embedding

    @property
    def weights(self) -> Params:
        """As `Head.weights`: with the embedding's, under "embedding"."""
        return Params({**self.params, "embedding": self.embedding.params.W})

    def with_weights(self, weights: Params) -> Any:
        """As `Head.with_weights`."""
        twin = super().with_weights(weights)
        twin.embedding = SimpleNamespace(params=Params(W=weights.embedding))
        return twin

    def forward(self, h: Array) -> tuple[Array, Any]:
        """y (..., classes) of h (..., n), and what the backward pass needs."""
        E = self.embedding.params.W
        W = E.T
        y = affine(h, W, self.params.get("b"))
        return y, h

    def backward(self, dy: Array, h: Array) -> Any:
        """Returns dh and a dict of gradients, that of the embedding's weights under "embedding"."""
        E = self.embedding.params.W
        W = E.T
        dh, dW, db = affine_backward(h, W, dy)
        dE = dW.T
        return dh, {"b": db, "embedding": dE} if self.bias else {"embedding": dE}


class PooledReadout(Head):
    """Readout that sees h and its pools (Henaff, Szlam & LeCun 2016, eq. 7): y = h W + P(h) W_p + b.

    P(h)_j = sqrt(sum of h_i^2 over pool j), pools of `size` neighbouring units, one every `stride` units (default: the
    size, so that they do not overlap; 2 in all of the paper's experiments). Units after the last full pool are in none.
    Where a pool is exactly zero its gradient is taken as zero.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        *,
        size: int = 2,
        stride: int | None = None,
        rng: Seed = None,
        dtype: str = "float64",
    ) -> None:
        stride = size if stride is None else stride
        if size < 1 or stride < 1 or size > input_size:
            raise ValueError(f"PooledReadout: cannot pool {input_size} units by size {size}, stride {stride}")
        self.input_size, self.output_size = input_size, output_size
        self.size, self.stride = size, stride
        self.pools = (input_size - size) // stride + 1
        rng = as_rng(rng)
        params = {
            "W": glorot_uniform((input_size, output_size), rng=rng),
            "W_p": glorot_uniform((self.pools, output_size), rng=rng),
            "b": np.zeros(output_size),
        }
        super().__init__(params, dtype)

    @property
    def members(self) -> Any:
        """Slices of h's last axis, one for each position within a pool: the k-th has the k-th unit of every pool."""
        last = self.stride * (self.pools - 1) + 1
        return [slice(k, k + last, self.stride) for k in range(self.size)]

    def places(self, xp: Any) -> Any:
        """For each position within a pool: of every unit the pool in which it is there, and whether there is one."""
        units = xp.arange(self.input_size, dtype=xp.int64)
        for k in range(self.size):
            pool = (units - k) // self.stride
            is_in = (pool * self.stride + k == units) & (pool >= 0) & (pool < self.pools)
            yield pool * astype(is_in, pool.dtype), is_in

    def forward(self, h: Array) -> tuple[Array, Any]:
        """y (..., outputs) of h (..., n), and what the backward pass needs."""
        squares = h * h
        total = sum(squares[..., k] for k in self.members)
        pooled = xp_of(h).sqrt(total)
        y = affine(h, self.params.W, self.params.b) + affine(pooled, self.params.W_p)
        return y, (h, pooled)

    def backward(self, dy: Array, cache: Any) -> Any:
        """dh (..., n) and the parameters' gradients."""
        h, pooled = cache
        xp = xp_of(h)
        dpooled, dW_p, _ = affine_backward(pooled, self.params.W_p, dy)
        dtotal = xp.where(pooled == 0, 0, dpooled / (2 * xp.where(pooled == 0, 1, pooled)))
        dsquares = sum(xp.where(is_in, xp.take(dtotal, pool, axis=-1), 0) for pool, is_in in self.places(xp))
        direct, dW, db = affine_backward(h, self.params.W, dy)
        dh = direct + 2 * h * dsquares
        return dh, {"W": dW, "W_p": dW_p, "b": db}


class Embedding(Head):
    """A vector for each class: x (T, B) integers -> W[x] (T, B, output_size). W starts as N(0, 1)."""

    def __init__(self, input_size: int, output_size: int, *, rng: Seed = None, dtype: str = "float64") -> None:
        self.input_size, self.output_size = input_size, output_size
        super().__init__({"W": as_rng(rng).normal(size=(input_size, output_size))}, dtype)

    def forward(self, x: Array) -> tuple[Array, Array]:
        """y (T, B, n) of class numbers x (T, B), and what the backward pass needs."""
        xp = xp_of(self.params.W)
        check_home("x", x, xp)
        if not is_index(x):
            raise ValueError(f"Embedding: x must hold class numbers (integers), got {x.dtype}")
        if int(xp.min(x)) < 0 or int(xp.max(x)) >= self.input_size:
            raise ValueError(f"Embedding: class numbers must lie in 0..{self.input_size - 1}")
        y = rows(self.params.W, x)
        return y, x

    def backward(self, dy: Array, x: Array) -> Any:
        """None, for class numbers have no gradient, and that of W."""
        return None, {"W": add_rows(dy, x, self.params["W"])}
