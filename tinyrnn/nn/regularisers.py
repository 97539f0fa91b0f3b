"""Penalties that are added to the loss: on recurrent weights, and on a cell's outputs.

`tinyrnn.nn.penalties` has their functions. Here is a small object for each that a cell's `regularisers` may hold, with
one or both of the methods

    weights(cell) -> value, {name of a parameter: gradient}         outputs(h, mask) -> value, dh

`Model.gradients` adds the gradients to those of the task, reports the sum of the values as `penalty`, and leaves the
loss alone.

Which weights: those that the cell names in `recurrent`. Where several square matrices stand side by side, as those of
the gates do in an LSTM's W_h (H, 4 H), each is penalised by itself, so that each would be orthogonal in the end.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import real
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.layers import cells_and_tapes
from tinyrnn.nn.penalties import activation as activation
from tinyrnn.nn.penalties import activation_backward as activation_backward
from tinyrnn.nn.penalties import activation_change as activation_change
from tinyrnn.nn.penalties import activation_change_backward as activation_change_backward
from tinyrnn.nn.penalties import norm_stabiliser as norm_stabiliser
from tinyrnn.nn.penalties import norm_stabiliser_backward as norm_stabiliser_backward
from tinyrnn.nn.penalties import point_norms as point_norms
from tinyrnn.nn.penalties import point_norms_backward as point_norms_backward
from tinyrnn.nn.penalties import point_residuals as point_residuals
from tinyrnn.nn.penalties import point_residuals_backward as point_residuals_backward
from tinyrnn.nn.penalties import soft_orthogonality as soft_orthogonality
from tinyrnn.nn.penalties import soft_orthogonality_backward as soft_orthogonality_backward


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
