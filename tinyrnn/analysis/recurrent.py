"""The matrices by which a network's state acts on its next state, in one convention, whatever the cell.

Cells multiply rows, h_t = h_{t-1} W + ...; papers multiply columns, h_t = W h_{t-1} + ... Everything in
`tinyrnn.analysis` that takes a matrix takes that of the papers, in which W[i, j] leads from unit j to unit i. Here, and
only here, a cell's weights are turned into such matrices.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from tinyrnn.analysis.jacobians import unit_upstream
from tinyrnn.cells import (
    EURNN,
    Antisymmetric,
    ExpRNN,
    FullUnitaryRNN,
    HouseholderRNN,
    KroneckerRNN,
    MultiplicativeRNN,
    MultiScaleLMN,
    SpectralRNN,
    UnitaryRNN,
)
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.cell import Cell, Params
from tinyrnn.core.types import Array, Parts, Weights
from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.layers import Layers, cells_and_tapes
from tinyrnn.nn.model import Model


def matrices(network: Any) -> Weights:
    """The recurrent matrices of a cell, `Stack`, `Bidirectional` or `Model`: name -> (n, n) array, column convention.

    Gates are taken apart: "W_h[i]", "W_h[f]", ... Weights that the cell derives from its parameters are given as it
    uses them, such as the orthogonal W of `ExpRNN` or M = W - Wᵀ - γ1 of `Antisymmetric`; a matrix that is never
    written out, such as the unitary RNN's, is written out here. Complex ones are real (2n, 2n), for columns [Re; Im].
    Of `MultiplicativeRNN`, in which the input chooses the matrix, it is the one for which all gains are 1. Layers put
    together have their parts' names in front: "0.W_h", "1.backward.W_h".

    A cell that names no matrices in `recurrent`, such as a `StepCell` or `QRNN`, has one called "jacobian": that of
    one step, of all its states side by side, at the zero state and zero input (`linearised`).

    Returns new float64 arrays. Raises ValueError for what has no recurrent layers.
    """
    if isinstance(network, Model):
        return matrices(network.layers)
    if isinstance(network, Layers):
        parts = ((prefix, cell) for prefix, cell, _ in cells_and_tapes(network, None))
        return {f"{prefix}{name}": W for prefix, cell in parts for name, W in matrices(cell).items()}
    if not hasattr(network, "state_sizes") or isinstance(network, EncoderDecoder):
        raise ValueError(f"{type(network).__name__} has no recurrent matrices: give a cell, layers or a Model")
    found = in_rows(network)
    if not found:
        return {"jacobian": linearised(network)[0]}
    return {name: np.array(to_numpy(W).T, dtype=np.float64, order="C") for name, W in found.items()}


@singledispatch
def in_rows(cell: Cell) -> Weights:
    """name -> (n, n), row convention; this one is for cells that say in `recurrent` which weights are meant."""
    found, gates = dict[str, Array](), iter(getattr(cell, "gates", ()))
    for name in getattr(cell, "recurrent", ()):
        W = cell.params[name]
        count = W.shape[1] // W.shape[0]
        blocks = [W[:, k * len(W) : (k + 1) * len(W)] for k in range(count)]
        named = [next(gates, k) for k in range(count)]
        found |= {name: W} if count == 1 else {f"{name}[{gate}]": B for gate, B in zip(named, blocks, strict=True)}
    return found


@in_rows.register
def _(cell: ExpRNN):
    return {"W": cell.derive(cell.params).W}


@in_rows.register(Antisymmetric)
@in_rows.register(MultiScaleLMN)
@in_rows.register(FullUnitaryRNN)
def _(cell):
    return {"M": cell.derive(cell.params).M}


@in_rows.register
def _(cell: HouseholderRNN):
    p = cell.derive(cell.params)
    return {"W": np.eye(cell.hidden_size) - to_numpy(p.Y) @ to_numpy(p.Z)}


@in_rows.register
def _(cell: SpectralRNN):
    p, one = cell.derive(cell.params), np.eye(cell.hidden_size)
    U, V = (one - to_numpy(p[f"Y_{name}"]) @ to_numpy(p[f"Z_{name}"]) for name in "UV")
    return {"W": U * to_numpy(p.s) @ V.T}


@in_rows.register
def _(cell: MultiplicativeRNN):
    return {"W_fh W_hf": cell.params.W_fh @ cell.params.W_hf}


@in_rows.register(UnitaryRNN)
@in_rows.register(EURNN)
@in_rows.register(KroneckerRNN)
def _(cell):
    """With b = 0 modReLU changes nothing, so that a step without input applies W, here to each unit vector."""
    p = cell.derive(Params(cell.params, b=0 * cell.params.b))
    one = 0 * cell.params.V[:1].T + np.eye(cell.output_size, dtype=cell.dtype)
    (W,), _ = cell.step(p, 0 * one, one)
    return {"W": W}


def linearised(cell: Cell, state: Parts | None = None, x: Array | None = None) -> tuple[Array, Array]:
    """(A, B) of δs_t = A δs_{t-1} + B δx_t, one step of `cell` to first order, by its own backward pass.

    cell: anything with the cells' `forward` and `backward`. state: tuple of arrays (n,) to linearise at, default zeros;
    x: (input_size,), default zeros. All the states are side by side in s, m numbers: A (m, m), B (m, input_size), both
    for columns. Cells with ReLU have the derivative 0 at 0: there, give a state where the units are on.
    """
    m = sum(cell.state_sizes)
    parts = [np.zeros(n) for n in cell.state_sizes] if state is None else [np.asarray(s, float) for s in state]
    x = np.zeros(cell.input_size) if x is None else np.asarray(x, float)
    # row k of the batch asks for the gradient of the k-th number of the new state
    _, tape = cell.forward(np.tile(x, (1, m, 1)), tuple(np.tile(s, (m, 1)) for s in parts))
    back = cell.backward(None, tape, unit_upstream(np, cell, tape.state, 1))
    return np.concatenate(back.state, axis=1), np.array(back.inputs[0])
