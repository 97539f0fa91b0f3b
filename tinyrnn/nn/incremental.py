"""Incremental training: a trained network gets another part, and computes what it did until that part has learned."""

from typing import Any

from tinyrnn.cells.multiscale_lmn import MultiScaleLMN
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.signatures import option_names
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.model import Model


def grow(network: Any, rng: Seed = None, W_hm: Array | None = None, W_mm: Array | None = None) -> Any:
    """A new network with one more, slower module, that computes what `network` does: nothing reads the module yet.

    network: a `MultiScaleLMN`, or a `Model` of one and a `Readout`; it is left alone. Trained further, the new module
    is read and learns (Carta, Sperduti & Bacciu 2020: incremental training). An optimiser's memory does not fit the new
    shapes: begin with a new one.
    W_hm (hidden_size, module_size), W_mm (module_size, module_size): how the module itself starts, Glorot-uniform and
        orthogonal if not given. The source starts it as a linear autoencoder of the hidden activations h, taken every
        2^k steps: then these are that autoencoder's weights.

    Raises TypeError for other networks, ValueError for weights of another shape.
    """
    if isinstance(network, Model):
        cell, readout = network.layers, network.readout
        if not isinstance(cell, MultiScaleLMN) or type(readout) is not Readout:
            raise TypeError(f"grow: cannot add a module to {network!r}: it needs a MultiScaleLMN below a Readout")
        options = {"bias": readout.bias, "rng": rng, "dtype": readout.dtype}
        new = Readout(cell.output_size + cell.module_size, readout.output_size, **options)
        put_into(new.params, readout.params)
        return Model(grow(cell, rng, W_hm, W_mm), new, loss=network.loss, at=network.at, embedding=network.embedding)
    if not isinstance(network, MultiScaleLMN):
        raise TypeError(f"grow: cannot add a module to {type(network).__name__}, only to a MultiScaleLMN")
    options = {name: getattr(network, name) for name in option_names(type(network)) if name != "dtype"}
    new = type(network)(**options | {"modules": network.modules + 1}, rng=rng, dtype=network.dtype)
    S, old = network.module_size, network.output_size
    own = {"W_hm": new.params.W_hm[:, old:].copy(), "W_mm": new.params.W_mm[old:, old:].copy()}
    for name, given in (("W_hm", W_hm), ("W_mm", W_mm)):
        if given is not None:
            if given.shape != own[name].shape:
                raise ValueError(f"grow: {name} must have shape {own[name].shape}, got {given.shape}")
            own[name] = given
    put_into(new.params, network.params)
    new.params.W_hm[:, -S:] = own["W_hm"]
    new.params.W_mm[-S:, -S:] = own["W_mm"]
    return new


def put_into(new: Any, old: Any) -> Any:
    """Copy each array to the top left corner of the larger one of the same name; the rest of it becomes zero."""
    for name, value in old.items():
        new[name][...] = 0
        new[name][tuple(slice(n) for n in value.shape)] = to_numpy(value)
