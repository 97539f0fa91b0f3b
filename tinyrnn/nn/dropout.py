"""Dropout for recurrent networks: what is dropped is drawn once for a sequence and stays dropped at all its steps.

Noise that is drawn anew at each time step drowns what a network should remember over many of them; a mask that stays
does not (Gal & Ghahramani 2016). Every kind here is a product with a mask that holds 0 with probability p and 1/(1-p)
otherwise ("inverted" scaling: the mean is 1), so nothing has to be rescaled when the network is tested:

    input, layers, output   a mask (B, n): each sequence drops its own features (variational or locked dropout)
    embedding               a mask (V,): whole words, wherever they stand (Gal & Ghahramani 2016; Merity et al. 2017)
    weight                  a mask as large as the recurrent matrix, for the whole batch (DropConnect: Wan et al. 2013;
                            as weight drop on W_h in Merity et al. 2017)

A `Dropout` says how much of each; `draw` draws the masks, a dict whose names follow the parameters': "embedding",
"input", "output", "layers.1" for what layer 1 reads, "layers.0.W_h" for a weight. Where masks are given, dropout is on.
"""

from dataclasses import dataclass, fields
from typing import Any

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.ops import reshape
from tinyrnn.core.ops import rows as rows_of
from tinyrnn.core.types import Weights


@dataclass(frozen=True)
class Dropout:
    """Probabilities of dropping, each at least 0 and below 1; 0 is no dropout.

    input: features that the first layer reads (behind an embedding, if there is one). layers: features between layers
    of a `Stack`. output: features that the readout reads. embedding: words. weight: entries of the recurrent matrices,
    those that a cell names in `recurrent`.
    """

    input: float = 0.0
    layers: float = 0.0
    output: float = 0.0
    embedding: float = 0.0
    weight: float = 0.0

    def __post_init__(self):
        for kind in fields(self):
            if not 0 <= getattr(self, kind.name) < 1:
                raise ValueError(f"dropout: {kind.name} must be in [0, 1), got {getattr(self, kind.name)!r}")

    def __bool__(self):
        return any(getattr(self, kind.name) for kind in fields(self))

    def check(self, model: Any) -> None:
        """ValueError in one line if the model has no such thing to drop."""
        if self.embedding and model.embedding is None:
            raise ValueError("dropout: there is no embedding whose words could be dropped")
        if self.layers and not getattr(model.layers, "upper", {}):
            raise ValueError("dropout: there are no features between layers, for there is one layer")
        if self.weight and not any(cell.recurrent for _, cell in cells_of(model.layers)):
            raise ValueError("dropout: no cell names a recurrent matrix (`recurrent`) whose entries could be dropped")

    def draw(self, model: Any, rng: Any, sequences: int, rows: Any = None) -> Weights:
        """Masks for one batch, name -> array, where the model's arrays are and in its dtype.

        rng: seed or Generator. sequences: how many the batch has. rows: a slice of them, if these alone are wanted;
        what is drawn for a sequence does not depend on it.
        """
        rng, rows = as_rng(rng), slice(None) if rows is None else rows
        like = next(iter(model.params.values()))
        masks = {}

        def mask(name, p, shape, of_sequences=True):
            if p:
                keep = (rng.random(shape) >= p) / (1 - p)
                masks[name] = xp_of(like).asarray(keep[rows] if of_sequences else keep, dtype=like.dtype)

        if self.embedding:
            mask("embedding", self.embedding, (model.embedding.input_size,), False)
        mask("input", self.input, (sequences, model.layers.input_size))
        for name, layer in getattr(model.layers, "upper", {}).items():
            mask(f"layers.{name}", self.layers, (sequences, layer.input_size))
        for prefix, cell in cells_of(model.layers, "layers."):
            for name in cell.recurrent:
                mask(prefix + name, self.weight, cell.params[name].shape, False)
        mask("output", self.output, (sequences, model.layers.output_size))
        return masks


# how masks find their way ---------------------------------------------------------------------------------------------


def inside(masks: Any, name: str) -> Any:
    """The keyword argument for `forward` of the part `name`: those of the masks that lie in it, or nothing."""
    begin = f"{name}."
    found = {key.removeprefix(begin): keep for key, keep in (masks or {}).items() if key.startswith(begin)}
    return {"dropout": found} if found else {}


def of_input(masks: Any, classes: Any) -> Any:
    """The masks on what the first layer reads, a list; classes: (T, B) class numbers that were embedded, or None."""
    keeps = []
    if "embedding" in masks:
        keep = masks["embedding"]
        keeps.append(rows_of(reshape(keep, -1, 1), classes))
    if "input" in masks:
        keeps.append(masks["input"])
    return keeps


def cells_of(network: Any, prefix: str = "") -> Any:
    """(prefix of its parameters' names, part) for every part that has none itself: every cell of layers."""
    if not hasattr(network, "parts"):
        yield prefix, network
        return
    for name, part in network.parts.items():
        yield from cells_of(part, f"{prefix}{name}.")
