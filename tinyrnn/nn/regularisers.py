"""Penalties that are added to the loss: on recurrent weights, and on a cell's outputs.

Each is a pair of functions, forward and backward by hand, with strength 1:

    penalty, cache = forward(W or h, ...)       dW or dh = backward(cache, dpenalty=1.0)

and a small object that a cell's `regularisers` may hold, with one or both of the methods

    weights(cell) -> value, {name of a parameter: gradient}         outputs(h, mask) -> value, dh

Where there is a mask, (T, B) and False where a sequence has no such step, only what exists counts; means are over all
sequences of the batch together. `Model.gradients` adds the gradients to those of the task, reports the sum of the
values as `penalty`, and leaves the loss alone. All are analytic, so they can be checked with the complex step.

Which weights: those that the cell names in `recurrent`. Where several square matrices stand side by side, as those of
the gates do in an LSTM's W_h (H, 4 H), each is penalised by itself, so that each would be orthogonal in the end.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import astype, real
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.layers import cells_and_tapes

# on weights ---------------------------------------------------------------------------------------------------------


def soft_orthogonality(W: Array) -> Any:
    """||W^T W - 1||^2 (Frobenius), zero for orthogonal W: section 3.3 of Carta, Sperduti & Bacciu 2020. W (n, n)."""
    E = W.T @ W - xp_of(W).eye(W.shape[0], dtype=W.dtype)
    penalty = xp_of(W).sum(E * E)
    return penalty, (W, E)


def soft_orthogonality_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dW = 4 W (W^T W - 1)."""
    W, E = cache
    dE = 2 * dpenalty * E
    dW = W @ (dE + dE.T)
    return dW


def point_residuals(W: Array, x: Array) -> Any:
    """The mean of ||W W^T x - x||^2 over points x, rows (m, n) of the unit sphere (Henaff, Szlam & LeCun 2016).

    W (n, n) acts on rows from the right. Over the whole sphere the mean is ||W W^T - 1||^2 / n, so m points cost
    O(m n^2) for an estimate of what `soft_orthogonality` finds in O(n^3), divided by n.
    """
    y = x @ W
    r = y @ W.T - x
    penalty = xp_of(r).sum(r * r) / x.shape[0]
    return penalty, (W, x, y, r)


def point_residuals_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """W is used twice, and sends back twice."""
    W, x, y, r = cache
    dr = 2 * dpenalty / x.shape[0] * r
    dy = dr @ W
    dW = dr.T @ y + x.T @ dy
    return dW


def point_norms(W: Array, x: Array) -> Any:
    """The mean of (||x W||^2 - 1)^2 over points x (m, n) of the unit sphere: the other way to ask that lengths stay."""
    y = x @ W
    excess = xp_of(y).sum(y * y, axis=-1) - 1
    penalty = xp_of(y).sum(excess * excess) / x.shape[0]
    return penalty, (x, y, excess)


def point_norms_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dW (n, n)."""
    x, y, excess = cache
    dexcess = 2 * dpenalty / x.shape[0] * excess
    dy = 2 * y * dexcess[:, None]
    dW = x.T @ dy
    return dW


# on outputs ---------------------------------------------------------------------------------------------------------


def norm_stabiliser(h: Array, mask: Array | None = None) -> Any:
    """The mean of (||h_t|| - ||h_{t-1}||)^2 over t = 2 ... T and the batch (Krueger & Memisevic 2016, eq. 1).

    h (T, B, n). Only steps whose predecessor exists as well count; the initial state is none of them. 0 if there are
    none. A state that is exactly zero gets no gradient. (The paper divides by T and begins with the initial state; its
    use in Carta, Sperduti & Bacciu 2020, section 3.3, divides by T - 1, as here. Whether it is a mean or a sum over the
    batch neither says.)
    """
    xp = xp_of(h)
    norm = xp.sqrt(xp.sum(h * h, axis=-1))
    rise = norm[1:, :] - norm[:-1, :]
    both, count = pairs(h, mask)
    weight = share(both, count, h)
    penalty = xp.sum(weight * rise * rise)
    unit = h / xp.where(norm == 0, 1, norm)[..., None]
    return penalty, (unit, rise, weight)


def norm_stabiliser_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    unit, rise, weight = cache
    xp = xp_of(unit)
    drise = 2 * dpenalty * weight * rise
    nothing = xp.zeros((1, unit.shape[1]), dtype=unit.dtype)
    dnorm = xp.concat([nothing, drise]) - xp.concat([drise, nothing])
    dh = dnorm[..., None] * unit
    return dh


def activation(h: Array, mask: Array | None = None) -> Any:
    """The mean of h^2 over all entries, "AR" (Merity, McCann & Socher 2017, section 4). h (T, B, n)."""
    xp = xp_of(h)
    steps = xp.ones(h.shape[:2], dtype=xp.bool) if mask is None else mask
    weight = share(steps, int(xp.count_nonzero(steps)) * h.shape[-1], h)[..., None]
    penalty = xp.sum(weight * h * h)
    return penalty, (h, weight)


def activation_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    h, weight = cache
    dh = 2 * dpenalty * weight * h
    return dh


def activation_change(h: Array, mask: Array | None = None) -> Any:
    """The mean of (h_t - h_{t-1})^2 over all entries, t = 2 ... T, "TAR" (Merity, McCann & Socher 2017, section 4)."""
    change = h[1:, ...] - h[:-1, ...]
    both, count = pairs(h, mask)
    weight = share(both, count * h.shape[-1], h)[..., None]
    penalty = xp_of(h).sum(weight * change * change)
    return penalty, (change, weight)


def activation_change_backward(cache: Any, dpenalty: float = 1.0) -> Any:
    """dh (T, B, n)."""
    change, weight = cache
    xp = xp_of(change)
    dchange = 2 * dpenalty * weight * change
    nothing = xp.zeros((1, *change.shape[1:]), dtype=change.dtype)
    dh = xp.concat([nothing, dchange]) - xp.concat([dchange, nothing])
    return dh


def pairs(h: Array, mask: Array | None) -> Any:
    """(T - 1, B) booleans, True where a step and the one before it exist; and how many there are."""
    xp = xp_of(h)
    if mask is None:
        both = xp.ones((h.shape[0] - 1, h.shape[1]), dtype=xp.bool)
    else:
        both = mask[1:, :] & mask[:-1, :]
    return both, int(xp.count_nonzero(both))


def share(counts: Any, n: int, like: Any) -> Any:
    """1/n where `counts`, else 0, as reals of the precision of `like`."""
    return astype(counts, real(like).dtype) / max(n, 1)


# as objects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Regulariser:
    """strength: what the penalty and its gradient are multiplied with, at least 0."""

    strength: float
    everywhere = True  # whether a run gives it to every layer, or to the last one only

    def __post_init__(self):
        s = self.strength
        if isinstance(s, bool) or not isinstance(s, int | float) or not 0 <= s < 1e38:
            raise ValueError(f"{type(self).__name__}: strength must be a number of at least 0, got {s!r}")


class OfWeights(Regulariser):
    """Base of those that look at the recurrent matrices: `of(W, rng) -> penalty, dW` for one square matrix."""

    def of(self, W: Array, rng: Any) -> Any:
        """What a subclass writes."""
        raise NotImplementedError

    def weights(self, cell: Any, rng: Seed = None) -> Any:
        """The penalty of a cell's recurrent weights, and its gradients, name -> array."""
        if not cell.recurrent:
            raise ValueError(f"{cell.name} names no recurrent matrix (`recurrent`) that could be made orthogonal")
        value, gradients = 0.0, {}
        for name in cell.recurrent:
            W = cell.params[name]
            n = W.shape[0]
            if W.ndim != 2 or W.shape[1] % n:
                raise ValueError(f"{cell.name}: {name} {W.shape} is not made of square matrices side by side")
            blocks = [self.of(W[:, k : k + n], rng) for k in range(0, W.shape[1], n)]
            value += sum(penalty for penalty, _ in blocks)
            gradients[name] = xp_of(W).concat([dW for _, dW in blocks], axis=1)
        return self.strength * value, gradients


class SoftOrthogonality(OfWeights):
    """strength ||W^T W - 1||^2 for each recurrent matrix (see `soft_orthogonality`)."""

    def of(self, W: Array, rng: Any) -> Any:
        """Penalty and gradient of one matrix."""
        penalty, cache = soft_orthogonality(W)
        return penalty, soft_orthogonality_backward(cache, self.strength)


@dataclass(frozen=True)
class RandomPoints(OfWeights):
    """Soft orthogonality at random points of the unit sphere, new ones in every update (Henaff, Szlam & LeCun 2016).

    points: how many. loss: "residuals" (`point_residuals`, the default) or "norms" (`point_norms`); the text of the
    paper does not give the formula. There each iteration takes one step of plain gradient descent on this loss, apart
    from the step on the task's; here it is a penalty, whose gradient joins the task's in the optimiser's step.
    """

    points: int = 50
    loss: str = "residuals"
    random = True  # `weights` draws, and needs a Generator

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.points, int) or self.points < 1:
            raise ValueError(f"RandomPoints: points must be a whole number of at least 1, got {self.points!r}")
        if self.loss not in ("residuals", "norms"):
            raise ValueError(f'RandomPoints: loss must be "residuals" or "norms", got {self.loss!r}')

    def of(self, W: Array, rng: Any) -> Any:
        """Penalty and gradient of one matrix, at points that rng draws."""
        x = rng.normal(size=(self.points, W.shape[0]))
        x = xp_of(W).asarray(x / (x * x).sum(axis=1, keepdims=True) ** 0.5, dtype=real(W).dtype)
        if self.loss == "residuals":
            penalty, cache = point_residuals(W, x)
            return penalty, point_residuals_backward(cache, self.strength)
        penalty, cache = point_norms(W, x)
        return penalty, point_norms_backward(cache, self.strength)


class OfOutputs(Regulariser):
    """Base of those that look at a cell's outputs h (T, B, n): `passes`, the pair of functions."""

    passes: ClassVar[tuple]

    def outputs(self, h: Array, mask: Array | None = None) -> Any:
        """The penalty of outputs h (T, B, n), and its gradient."""
        forward, backward = self.passes
        penalty, cache = forward(h, mask)
        return self.strength * penalty, backward(cache, self.strength)


class NormStabiliser(OfOutputs):
    """strength mean (||h_t|| - ||h_{t-1}||)^2 (see `norm_stabiliser`)."""

    passes = norm_stabiliser, norm_stabiliser_backward


class Activation(OfOutputs):
    """strength mean h^2, AR (see `activation`), of what the cell puts out. Merity et al. take the last layer's, behind
    its dropout with probability p, which in the mean over masks is 1 / (1 - p) times as much."""

    passes = activation, activation_backward
    everywhere = False


class ActivationChange(OfOutputs):
    """strength mean (h_t - h_{t-1})^2, TAR (see `activation_change`). Merity et al. take the last layer's."""

    passes = activation_change, activation_change_backward
    everywhere = False


# name -> (class, options)
REGULARISERS = {
    "soft-orthogonality": (SoftOrthogonality, {}),
    "random-points": (RandomPoints, {}),
    "random-point-norms": (RandomPoints, {"loss": "norms"}),
    "norm-stabiliser": (NormStabiliser, {}),
    "ar": (Activation, {}),
    "tar": (ActivationChange, {}),
}


# in a network -------------------------------------------------------------------------------------------------------


def penalise(layers: Any, tape: Any, rng: Seed = None) -> Any:
    """The sum of all the cells' penalties, a float, and the gradients of those on weights, name -> array.

    The gradients of those on outputs go on the cells' tapes, whose backward pass adds them. tape: what `layers.forward`
    left behind; None if there is no tape of the whole sequence, where ValueError if some cell's outputs are penalised.
    """
    total, gradients = 0.0, dict[str, Array]()
    for prefix, of_cell, value, d in penalties(layers, tape, rng):
        total += float(real(value))
        if isinstance(d, dict):
            add_penalties(gradients, d, prefix)
        else:
            of_cell.added = d if of_cell.added is None else of_cell.added + d
    return total, gradients


def penalties(layers: Any, tape: Any, rng: Seed) -> Any:
    """(prefix of the cell's parameters, its tape, penalty, gradient: a dict of weights' or that of the outputs) of each
    regulariser of each cell; those that draw at random are left out if there is no Generator."""
    for prefix, cell, of_cell in cells_and_tapes(layers, tape):
        for term in cell.regularisers:
            random = getattr(term, "random", False)
            if hasattr(term, "weights") and not (random and rng is None):
                yield prefix, of_cell, *(term.weights(cell, rng) if random else term.weights(cell))
            if hasattr(term, "outputs"):
                if of_cell is None:
                    kind = type(term).__name__
                    raise ValueError(f"{cell.name}: {kind} needs all outputs at once, which a checkpoint does without")
                yield prefix, of_cell, *term.outputs(of_cell[cell.states[0]], of_cell.mask)


def add_penalties(gradients: Any, more: Any, prefix: str = "") -> Any:
    """Add a dict of gradients to another, in new arrays."""
    for name, d in more.items():
        name = prefix + name
        gradients[name] = gradients[name] + d if name in gradients else d
