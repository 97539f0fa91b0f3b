"""Weights to and from other programs: the state dicts of PyTorch's RNN, LSTM and GRU, and safetensors files.

    theirs = torch.nn.LSTM(3, 5, num_layers=2, bidirectional=True, dtype=torch.float64)
    ours = from_torch(theirs.state_dict())
    theirs.load_state_dict({name: torch.from_numpy(array) for name, array in to_torch(ours).items()})

    save("model.safetensors", model)          # see `tinyrnn.nn.saving`
    model = load("model.safetensors")

PyTorch is not needed for this, and never imported. Both compute the same function; theirs takes time-major arrays as
ours does unless it is made with batch_first=True, which changes no weight.

PyTorch multiplies weights by columns, we rows by weights, so matrices are transposed. It adds two biases; we have one
where one is enough, which becomes `bias_ih`. Its LSTM orders the gates i, f, g, o, ours i, f, o, g.
"""

import re

import numpy as np

from tinyrnn.cells import GRU, IRNN, LSTM, Elman
from tinyrnn.core.backend import to_numpy
from tinyrnn.nn.layers import Bidirectional, Stack
from tinyrnn.nn.saving import load as load
from tinyrnn.nn.saving import save as save

TORCH_KINDS = {Elman: "rnn", IRNN: "rnn", LSTM: "lstm", GRU: "gru"}
BLOCKS = {"rnn": (0,), "lstm": (0, 1, 3, 2), "gru": (0, 1, 2)}  # theirs in our order, and ours in theirs
NONLINEARITIES = ("tanh", "relu")
TORCH_NAME = re.compile(r"(weight_ih|weight_hh|bias_ih|bias_hh)_l(\d+)(_reverse)?")
SUPPORTED = "an Elman (tanh or relu), LSTM or GRU, or a Stack or Bidirectional of equal ones"


def to_torch(layers):
    """The state dict, name -> NumPy array, of the torch.nn.RNN, LSTM or GRU that computes the same as `layers`.

    layers: a cell or Bidirectional, or a Stack of these, of one kind and one hidden size throughout; build PyTorch's
    with the same input_size, hidden_size, num_layers, bidirectional and nonlinearity. Arrays are copies of our dtype.
    Raises TypeError for other cells and arrangements, ValueError for a learned initial state or a clipped one, which
    PyTorch has not.
    """
    rows = [cells_of(layer) for layer in (layers.layers if type(layers) is Stack else [layers])]
    shared = {(type(c), c.hidden_size, getattr(c, "activation", None)) for row in rows for c in row}
    if len(shared) > 1 or len({len(row) for row in rows}) > 1:
        raise TypeError(f"to_torch takes {SUPPORTED}: here the layers or directions differ")
    state = {}
    for k, row in enumerate(rows):
        for cell, suffix in zip(row, ("", "_reverse"), strict=False):
            state |= {f"{name}_l{k}{suffix}": array for name, array in cell_to_torch(cell).items()}
    return state


def cells_of(layer):
    """[cell], or [forward cell, backward cell], of one layer; TypeError if PyTorch has no such layer."""
    cells = layer.layers if type(layer) is Bidirectional else [layer]
    for cell in cells:
        kind = TORCH_KINDS.get(type(cell))
        if kind is None or (kind == "rnn" and cell.activation not in NONLINEARITIES):
            what = f"{cell.name} ({cell.activation})" if kind else type(cell).__name__
            raise TypeError(f"to_torch takes {SUPPORTED}; PyTorch has no counterpart of {what}")
        if cell.learn_state or cell.clip_state is not None:
            option = "learn_state" if cell.learn_state else "clip_state"
            raise ValueError(f"to_torch: {cell.name} has {option}, which PyTorch's layers have not")
    return cells


def cell_to_torch(cell):
    kind = TORCH_KINDS[type(cell)]
    p = {name: to_numpy(value) for name, value in cell.params.items()}
    bias = reorder(p["b"], kind)
    recurrent_bias = np.zeros_like(bias)
    if kind == "gru":
        recurrent_bias[2 * cell.hidden_size :] = p["b_n"]
    return {
        "weight_ih": reorder(p["W_x"], kind).T,
        "weight_hh": reorder(p["W_h"], kind).T,
        "bias_ih": bias,
        "bias_hh": recurrent_bias,
    }


def from_torch(state_dict, kind=None, nonlinearity="tanh", dtype=None):
    """The cell, Bidirectional or Stack that computes the same as the PyTorch module with this state dict.

    state_dict: name -> tensor or array, of one torch.nn.RNN, LSTM or GRU with any number of layers, one direction or
        both, with biases or without (bias=False gives biases of zero here).
    kind: "rnn", "lstm" or "gru"; None finds out from the shapes. nonlinearity: "tanh" or "relu", of an RNN, whose
        weights do not tell. dtype: None keeps that of the weights.
    Raises ValueError for missing, foreign or misshapen entries, and for projections (proj_size), which we have not.
    """
    if kind not in (None, *BLOCKS):
        raise ValueError(f'from_torch: kind must be "rnn", "lstm", "gru" or None, got {kind!r}')
    if nonlinearity not in NONLINEARITIES:
        raise ValueError(f'from_torch: nonlinearity must be "tanh" or "relu", got {nonlinearity!r}')
    if any(name.startswith("weight_hr_") for name in state_dict):
        raise ValueError("from_torch: projections (proj_size > 0) are not supported")
    foreign = [name for name in state_dict if not TORCH_NAME.fullmatch(name)]
    if foreign or not state_dict:
        found = repr(foreign[0]) if foreign else "nothing"
        raise ValueError(
            f"from_torch takes the state dict of one torch.nn.RNN, LSTM or GRU (weight_ih_l0, …), this has {found}"
        )
    arrays = {name: tensor_to_numpy(value) for name, value in state_dict.items()}
    layers = 1 + max(int(TORCH_NAME.fullmatch(name)[2]) for name in arrays)
    suffixes = ("", "_reverse") if any(name.endswith("_reverse") for name in arrays) else ("",)
    biases = ("bias_ih", "bias_hh") if any(name.startswith("bias") for name in arrays) else ()
    built = []
    for k in range(layers):
        cells = []
        for suffix in suffixes:
            names = {part: f"{part}_l{k}{suffix}" for part in ("weight_ih", "weight_hh", *biases)}
            missing = [name for name in names.values() if name not in arrays]
            if missing:
                raise ValueError(f"from_torch: the state dict lacks {', '.join(missing)}")
            parts = {part: arrays[name] for part, name in names.items()}
            cells.append(cell_from_torch(parts, f"_l{k}{suffix}", kind, nonlinearity, dtype))
        built.append(Bidirectional(*cells) if len(cells) == 2 else cells[0])
    return built[0] if layers == 1 else Stack(*built)


def cell_from_torch(parts, suffix, kind, nonlinearity, dtype):
    """One cell from the arrays of one layer and direction; `suffix` is for the messages."""
    weight_ih, weight_hh = parts["weight_ih"], parts["weight_hh"]
    rows, H = weight_hh.shape if weight_hh.ndim == 2 else (0, 1)
    kind = kind or next((kind for kind, blocks in BLOCKS.items() if rows == len(blocks) * H), None)
    if kind is None:
        wanted = "(H, H) for an RNN, (4H, H) for an LSTM or (3H, H) for a GRU"
        raise ValueError(f"from_torch: weight_hh{suffix} must have shape {wanted}, got {weight_hh.shape}")
    rows, n = len(BLOCKS[kind]) * H, weight_ih.shape[-1] if weight_ih.ndim else 0
    for part, array in parts.items():
        wanted = {"weight_ih": (rows, n), "weight_hh": (rows, H)}.get(part, (rows,))
        if array.shape != wanted:
            what = f"a {kind.upper()} of {H} units and {n} inputs"
            raise ValueError(f"from_torch: {part}{suffix} must have shape {wanted} in {what}, got {array.shape}")

    options = {"activation": nonlinearity} if kind == "rnn" else {}
    cell_class = {"rnn": Elman, "lstm": LSTM, "gru": GRU}[kind]
    cell = cell_class(n, H, rng=0, dtype=dtype or weight_hh.dtype, **options)
    bias, recurrent_bias = parts.get("bias_ih", np.zeros(rows)), parts.get("bias_hh", np.zeros(rows)).copy()
    if kind == "gru":
        cell.params["b_n"][...] = recurrent_bias[2 * H :]
        recurrent_bias[2 * H :] = 0
    cell.params["W_x"][...] = reorder(weight_ih.T, kind)
    cell.params["W_h"][...] = reorder(weight_hh.T, kind)
    cell.params["b"][...] = reorder(bias + recurrent_bias, kind)
    return cell


def reorder(array, kind):
    """Exchange their order of the gates' blocks along the last axis for ours, or ours for theirs; a copy."""
    blocks = np.split(array, len(BLOCKS[kind]), axis=-1)
    return np.concatenate([blocks[k] for k in BLOCKS[kind]], axis=-1)


def tensor_to_numpy(value):
    """A NumPy array from a tensor, without knowing PyTorch, or from any array."""
    return to_numpy(value.detach().cpu().numpy() if hasattr(value, "detach") else value)
