"""Random probes (`tinyrnn.checking.probe`) for whatever is to be checked: a cell, layers, a model, or a pair."""

from dataclasses import replace

import numpy as np

from tinyrnn.checking.pairs import make_pair_probe
from tinyrnn.checking.probe import Probe, ragged_mask
from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import is_index
from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.model import Model


def make_probe(network, T, B, rng, x=None, state=None):
    """A random `Probe` for T steps of B sequences, or with the inputs and the initial state given."""
    xp = xp_of(next(iter(network.params.values())))
    n, sizes = network.input_size, network.state_sizes

    def normal(*shape):
        return xp.asarray(rng.normal(size=shape))

    if x is None:
        classes = isinstance(network, EncoderDecoder) or (isinstance(network, Model) and network.embedding is not None)
        x = xp.asarray(rng.integers(0, n, (T, B))) if classes else normal(T, B, n)
    xp_of(x)
    if not (x.ndim == 2 if is_index(x) else x.ndim == 3 and x.shape[2] == n) or 0 in x.shape:
        raise ValueError(f"gradcheck: x must have shape (T, B, {n}), or (T, B) for class numbers, got {x.shape}")
    x = x if is_index(x) else x.astype(np.float64)
    T, B = x.shape[:2]
    if state is not None and [s.shape for s in state] != [(B, n) for n in sizes]:
        expected = ", ".join(str((B, n)) for n in sizes)
        raise ValueError(f"gradcheck: state must be a tuple of arrays of shapes {expected}")
    state = tuple(normal(B, n) for n in sizes) if state is None else tuple(s.astype(np.float64) for s in state)
    if isinstance(network, EncoderDecoder):
        return make_pair_probe(network, xp, x, state, B, rng)
    probe = Probe(
        x=x,
        mask=ragged_mask(xp, T, B),
        state=state,
        dstate=tuple(normal(B, n) for n in sizes),
    )
    if not isinstance(network, Model):
        return replace(probe, dh=normal(T, B, network.output_size))
    shape = (B, network.readout.output_size) if network.at == "last" else (T, B, network.readout.output_size)
    return replace(probe, target=xp.asarray(network.loss.probe(rng, shape)))
