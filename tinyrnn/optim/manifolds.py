"""Parameters that stay on a manifold: updates that leave a unitary matrix unitary, and an orthogonal one orthogonal.

    opt = Manifold(Adam(lr=1e-3), model.manifolds)        # {"layers.W": "unitary"}
    opt.step(model.params, grads)

A gradient step W - lr G leaves the manifold. The Cayley step turns W instead (Wisdom et al. 2016, eqs. 8 and 9):

    Y = G W* - W G*                                       skew-Hermitian: Y* = -Y
    W <- (1 + lr/2 Y)^-1 (1 - lr/2 Y) W                   the Cayley transform of Y is unitary, and so is the product

To first order in lr, W changes by -lr (G - W G* W), along which the loss falls. The step is the same whether W is
applied to rows or to columns: transposing W and G transposes the result.

G = dL/dRe W + i dL/dIm W is the gradient as it is handed over. If it was clipped to a global norm together with those
of the other parameters, it had its share in that norm, and was scaled down as they were.

Rounding is not undone, but it is small: after 1000 updates the largest entry of W* W - 1 is some 1e-14 in float64 and
1e-6 in float32, with 16 units as with 128.
"""

from typing import Any

import numpy as np

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import join, split
from tinyrnn.core.types import Array, Weights
from tinyrnn.optim.optimisers import Optimiser, dicts

KINDS = {
    "unitary": "complex (n, n) matrices, stored as real ones (n, 2n) with rows [Re; Im]",
    "orthogonal": "real (n, n) matrices",
}


class Cayley(Optimiser):
    """The Cayley step, for parameters that are all of one kind: a name in `KINDS`, which says how they are stored.

    rms: divide the gradient, entry by entry, by a running root mean square first, as RMSProp does: v <- rho v + (1 -
        rho) g^2, g / (sqrt v + eps). The authors' code has this choice, rho = 0.9 and eps = 1e-8. Steps are then as
        large for small gradients as for large ones, so that lr should be smaller; and what is scaled entry by entry is
        no gradient any more: even where the loss is least on the manifold, W does not come to rest.
    """

    def __init__(self, kind: str, lr: float = 1e-3, *, rms: bool = False, rho: float = 0.9, eps: float = 1e-8) -> None:
        if kind not in KINDS:
            raise ValueError(f"unknown manifold {kind!r}; choose from {', '.join(KINDS)}")
        super().__init__(lr, **({"v": 0.0} if rms else {}))
        self.name = f"cayley-{kind}"
        self.kind, self.rms, self.rho, self.eps = kind, bool(rms), float(rho), float(eps)

    def update(self, lr: float, p: Array, g: Array, v: Array | None = None) -> None:
        """One step along the manifold, p in place."""
        n, columns = p.shape if p.ndim == 2 else (0, 1)
        if columns != (2 * n if self.kind == "unitary" else n):
            raise ValueError(f"{self.kind} parameters are {KINDS[self.kind]}, got shape {p.shape}")
        if v is not None:
            v[...] = self.rho * v + (1 - self.rho) * g**2
            g = g / (xp_of(p).sqrt(v) + self.eps)
        if self.kind == "unitary":
            W = cayley(as_complex(p), as_complex(g), lr)
            p[...] = join(W.real, W.imag)
        else:
            p[...] = cayley(p, g, lr)


def cayley(W: Array, G: Array, lr: float) -> Array:
    """The new W (n, n), complex or real; G like it, the gradient."""
    xp = xp_of(W)
    P = G @ W.conj().T
    Y = P - P.conj().T
    half = lr / 2 * Y
    W_new = xp.linalg.solve(xp.eye(len(W), dtype=W.dtype) + half, W - half @ W)
    return W_new


def as_complex(a: Any) -> Array:
    """[Re; Im] (..., 2n) as complex numbers (..., n) of the same precision."""
    re, im = split(a, 2)
    return re + xp_of(a).asarray(1j, np.result_type(a.dtype, np.complex64)) * im


class Manifold:
    """An optimiser for parameters some of which are on a manifold: these take Cayley steps, the others its own.

    optimiser: of the other parameters. manifolds: name of a parameter -> its kind. lr: the Cayley steps' rate, None for
        the optimiser's. A rate handed to `step`, as a schedule gives it, is the optimiser's, and the Cayley steps' goes
        up and down in proportion. options: of `Cayley`.

    Answers to the same calls as an `Optimiser`; the state is that of all parts in one dict.
    """

    def __init__(
        self, optimiser: Optimiser, manifolds: dict[str, str], lr: float | None = None, **options: Any
    ) -> None:
        self.optimiser, self.manifolds = optimiser, dict(manifolds)
        kinds = sorted(set(self.manifolds.values()))
        self.steps = {kind: Cayley(kind, optimiser.lr if lr is None else lr, **options) for kind in kinds}

    def __repr__(self):
        kept = ", ".join(f"{name} {kind}" for name, kind in self.manifolds.items())
        return f"Manifold({self.optimiser!r}; {kept})"

    @property
    def lr(self) -> float:
        """The rate of what is on no manifold."""
        return self.optimiser.lr

    def compile(self, threads: int | None = None) -> Any:
        """Compile the optimiser of what is on no manifold: see `Optimiser.compile`; returns self."""
        self.optimiser.compile(threads)
        return self

    def step(self, params: Weights, grads: Weights, lr: float | None = None, scale: float = 1.0) -> None:
        """One update of all `params`, in place: see `Optimiser.step`."""
        params, grads = dicts(params, grads)
        if missing := sorted(self.manifolds.keys() - params.keys()):
            raise ValueError(f"{missing[0]!r} is said to be on a manifold, but is no parameter")
        for kind, part in [(None, self.optimiser), *self.steps.items()]:
            rate = lr if kind is None or lr is None else part.lr * (lr / self.lr if self.lr else 1.0)
            own, their = ({n: a for n, a in d.items() if self.manifolds.get(n) == kind} for d in (params, grads))
            part.step(own, their, rate, scale)

    def state_dict(self) -> Weights:
        """Copies of what is remembered, as NumPy arrays: the optimiser's own and "cayley-unitary.t" and the like."""
        parts = (self.optimiser, *self.steps.values())
        return {name: array for part in parts for name, array in part.state_dict().items()}

    def load_state_dict(self, state: Weights) -> None:
        """Goes on where the optimiser that gave `state` stopped; ValueError if it was of another kind."""
        rest = dict(state)
        for part in self.steps.values():
            part.load_state_dict({n: rest.pop(n) for n in state if n.startswith(f"{part.name}.")})
        self.optimiser.load_state_dict(rest)
