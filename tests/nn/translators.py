"""Encoder-decoders of all kinds, batches for them, and their gradients by the complex step."""

import copy

import numpy as np
from contract import leaves

import tinyrnn as tr
from tinyrnn.nn.losses import softmax_cross_entropy

S, T, B = 5, 4, 3
SOURCE, TARGET = 6, 7  # words
H = 4
PAIRS = {  # encoder and decoder that read n and m features
    "elman": lambda n, m: (tr.Elman(n, H, rng=1), tr.Elman(m, H, rng=2)),
    "lstm": lambda n, m: (tr.LSTM(n, H, rng=1), tr.LSTM(m, H, rng=2)),
    "gru to lt-rnn": lambda n, m: (tr.GRU(n, H, rng=1), tr.LinearRNN(m, H, rng=2)),
    "lmn": lambda n, m: (tr.LMN(n, H, memory_size=3, rng=1), tr.LMN(m, H, memory_size=3, rng=2)),
    "antisymmetric": lambda n, m: (tr.Antisymmetric(n, H, rng=1), tr.GatedAntisymmetric(m, H, rng=2)),
    "stacks": lambda n, m: (
        tr.Stack(tr.LSTM(n, H, rng=1), tr.GRU(H, 3, rng=2)),
        tr.Stack(tr.LSTM(m, H, rng=3), tr.GRU(H, 3, rng=4)),
    ),
    "both ways, then two layers": lambda n, m: (
        tr.Bidirectional(tr.GRU(n, H, rng=1), tr.GRU(n, 3, rng=2)),
        tr.Stack(tr.GRU(m, H, rng=3), tr.GRU(H, 3, rng=4)),
    ),
    "learned state, clipped": lambda n, m: (
        tr.LSTM(n, H, rng=1, learn_state=True, clip_state=0.5),
        tr.LSTM(m, H, rng=2, clip_state=0.5),
    ),
}


def build(pair="lstm", embedded=True, **options):
    """A network with no parameter zero."""
    n, m = (3, 2) if embedded else (SOURCE, TARGET)
    encoder, decoder = PAIRS[pair](n, m)
    embeddings = (tr.Embedding(SOURCE, n, rng=5), tr.Embedding(TARGET, m, rng=6)) if embedded else ()
    network = tr.EncoderDecoder(
        encoder, decoder, tr.Readout(decoder.output_size, TARGET, rng=7), *embeddings, **options
    )
    rng = np.random.default_rng(8)
    for value in network.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return network


def batch(network, masked=True, floats=False, seed=0):
    """source, target, mask, target_mask, and an initial state of the encoder."""
    rng = np.random.default_rng(seed)
    source = rng.normal(size=(S, B, SOURCE)) if floats else rng.integers(0, SOURCE, (S, B))
    target = rng.integers(0, TARGET, (T, B))
    mask, target_mask = np.arange(S)[:, None] < [5, 3, 1], np.arange(T)[:, None] < [1, 4, 2]
    mask[:2, 0] = False  # a sequence that begins late
    state = tuple(rng.normal(size=(B, n)) for n in network.state_sizes)
    return source, target, mask if masked else None, target_mask if masked else None, state


def loss_of(network, source, target, mask, target_mask, state, upstream):
    """The loss, plus the final state times what comes from above."""
    y, tape = network.forward(source, target, state, mask, target_mask)
    loss, _ = softmax_cross_entropy(y, target, target_mask)
    return loss + sum((u * s).sum() for u, s in zip(upstream, tape.state, strict=True))


def made_complex(network):
    network = copy.deepcopy(network)
    for part in leaves(network):
        part.params.update({name: value.astype(complex) for name, value in part.params.items()})
    return network


def complex_step(network, arguments, upstream):
    """Gradient of `loss_of` with respect to every parameter, the initial state and a source of floats."""
    network = made_complex(network)
    source, target, mask, target_mask, state = arguments
    inputs = {} if source.dtype.kind == "i" else {"source": source.astype(complex)}
    states = {} if state is None else {f"state[{k}]": s.astype(complex) for k, s in enumerate(state)}
    result = {}
    for name, array in {**network.params, **inputs, **states}.items():
        result[name] = np.empty(array.shape)
        for index in np.ndindex(array.shape):
            array.imag[index] = 1e-30
            moved = inputs.get("source", source), target, mask, target_mask, tuple(states.values()) or None
            result[name][index] = loss_of(network, *moved, upstream).imag / 1e-30
            array.imag[index] = 0
    return result


def hand_written(network, arguments, upstream, **options):
    out = network.gradients(*arguments, dstate=upstream, **options)
    inputs = {} if out.layers.inputs is None else {"source": out.layers.inputs}
    return {**out.params, **inputs, **{f"state[{k}]": d for k, d in enumerate(out.layers.state)}}


def upstream_of(network):
    rng = np.random.default_rng(9)
    return tuple(rng.normal(size=(B, n)) for n in network.state_sizes)
