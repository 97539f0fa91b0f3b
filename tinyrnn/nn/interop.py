"""Weights to and from other programs: the state dicts of PyTorch's RNN, LSTM and GRU, and safetensors files.

    theirs = torch.nn.LSTM(3, 5, num_layers=2, bidirectional=True, dtype=torch.float64)
    ours = from_torch(theirs.state_dict())
    theirs.load_state_dict({name: torch.from_numpy(array) for name, array in to_torch(ours).items()})

    theirs = gradients_to_torch(ours, ours.backward(dh, tape))      # what loss.backward() leaves in each .grad

    save("model.safetensors", model)          # see `tinyrnn.nn.saving`
    model = load("model.safetensors")

PyTorch is not needed for this, and never imported. Both compute the same function; theirs takes time-major arrays as
ours does unless it is made with batch_first=True, which changes no weight.

PyTorch multiplies weights by columns, we rows by weights, so matrices are transposed. It adds two biases; we have one
where one is enough, which becomes `bias_ih`. Its LSTM orders the gates i, f, g, o, ours i, f, o, g.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyrnn.cells import GRU, IRNN, LSTM, Elman
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.types import Array, Weights
from tinyrnn.nn.layers import Bidirectional, Stack, cells_and_tapes
from tinyrnn.nn.saving import load as load
from tinyrnn.nn.saving import save as save

TORCH_KINDS = {Elman: "rnn", IRNN: "rnn", LSTM: "lstm", GRU: "gru"}
BLOCKS = {"rnn": (0,), "lstm": (0, 1, 3, 2), "gru": (0, 1, 2)}  # theirs in our order, and ours in theirs
NONLINEARITIES = ("tanh", "relu")
TORCH_NAME = re.compile(r"(weight_ih|weight_hh|bias_ih|bias_hh)_l(\d+)(_reverse)?")
CELL_NAME = re.compile(r"(weight_ih|weight_hh|bias_ih|bias_hh)")  # of an LSTMCell and the like
ANYWHERE = re.compile(rf"(.*\.)?({TORCH_NAME.pattern}|{CELL_NAME.pattern})")
SUPPORTED = "an Elman (tanh or relu), LSTM or GRU, or a Stack or Bidirectional of equal ones"


def to_torch(layers: Any) -> Weights:
    """The state dict, name -> NumPy array, of the torch.nn.RNN, LSTM or GRU that computes the same as `layers`.

    layers: a cell or Bidirectional, or a Stack of these, of one kind and one hidden size throughout; build PyTorch's
    with the same input_size, hidden_size, num_layers, bidirectional and nonlinearity. Arrays are copies of our dtype.
    Raises TypeError for other cells and arrangements, ValueError for a learned initial state or a clipped one, which
    PyTorch has not.
    """
    state: Weights = {}
    for cell, _, suffix in torch_cells(layers):
        state |= {f"{name}{suffix}": array for name, array in cell_to_torch(cell, cell.params, np.zeros_like).items()}
    return state


def gradients_to_torch(layers: Any, gradients: Any) -> Weights:
    """The gradients, name -> NumPy array, that the parameters of PyTorch's module have of the same loss (`.grad`).

    layers: as for `to_torch`. gradients: what `layers.backward` returned, or its `params`; of a model's, those of its
    layers: `gradients_to_torch(model.layers, model.gradients(x, target).layers)`. PyTorch adds two biases where one is
    enough, so both have the gradient of their sum. Raises as `to_torch` does, and ValueError for gradients of others.
    """
    given, state = getattr(gradients, "params", gradients), dict[str, Array]()
    if given.keys() != layers.params.keys():
        raise ValueError(
            f"gradients_to_torch: the gradients are of {', '.join(given)}, not of {', '.join(layers.params)}"
        )
    for cell, prefix, suffix in torch_cells(layers):
        own = {name: given[f"{prefix}{name}"] for name in cell.params}
        state |= {f"{name}{suffix}": array for name, array in cell_to_torch(cell, own, np.copy).items()}
    return state


def torch_cells(layers: Any) -> Any:
    """[(cell, prefix of its parameters' names here, suffix of theirs in PyTorch)]; errors as of `to_torch`."""
    rows = [cells_of(layer) for layer in (layers.layers if type(layers) is Stack else [layers])]
    shared = {(type(c), c.hidden_size, getattr(c, "activation", None)) for row in rows for c in row}
    if len(shared) > 1 or len({len(row) for row in rows}) > 1:
        raise TypeError(f"to_torch takes {SUPPORTED}: here the layers or directions differ")
    suffixes = [f"_l{k}{way}" for k, row in enumerate(rows) for way in ("", "_reverse")[: len(row)]]
    return [(c, prefix, suffix) for (prefix, c, _), suffix in zip(cells_and_tapes(layers, None), suffixes, strict=True)]


def cells_of(layer: Any) -> Any:
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


def cell_to_torch(cell: Any, params: Weights, second: Any) -> Any:
    """Parameters of a cell, or their gradients, in PyTorch's layout; second(bias) makes the bias that we have not."""
    kind = TORCH_KINDS[type(cell)]
    p = {name: to_numpy(value) for name, value in params.items()}
    bias = reorder(p["b"], kind)
    recurrent_bias = second(bias)
    if kind == "gru":
        recurrent_bias[2 * cell.hidden_size :] = p["b_n"]
    return {
        "weight_ih": reorder(p["W_x"], kind).T,
        "weight_hh": reorder(p["W_h"], kind).T,
        "bias_ih": bias,
        "bias_hh": recurrent_bias,
    }


def from_torch(
    state_dict: Any,
    kind: str | None = None,
    nonlinearity: str | None = None,
    dtype: Any = None,
    *,
    prefix: str | None = None,
) -> Any:
    """The cell, Bidirectional or Stack that computes the same as the PyTorch module with this state dict.

    state_dict: name -> tensor or array, of one torch.nn.RNN, LSTM or GRU with any number of layers, one direction or
        both, with biases or without (bias=False gives biases of zero here), or of one RNNCell, LSTMCell or GRUCell; or
        the module itself. bfloat16, which NumPy has not, becomes float32.
    prefix: of a larger module, what its names begin with: "encoder.lstm". None: all names are this layer's.
    kind: "rnn", "lstm" or "gru"; None finds out from the shapes. nonlinearity: "tanh" or "relu", of an RNN, whose
        weights do not tell; None: the module's, or else "tanh". dtype: None keeps that of the weights.
    Raises ValueError for missing, foreign or misshapen entries, and for projections (proj_size), which we have not, and
    TypeError for what is no state dict.
    """
    if hasattr(state_dict, "params"):
        raise TypeError("from_torch makes new layers and fills none: layers = from_torch(state_dict)")
    if kind not in (None, *BLOCKS):
        raise ValueError(f'from_torch: kind must be "rnn", "lstm", "gru" or None, got {told(kind)}')
    if nonlinearity not in (None, *NONLINEARITIES):
        raise ValueError(f'from_torch: nonlinearity must be "tanh" or "relu", got {nonlinearity!r}')
    module = state_dict if hasattr(state_dict, "state_dict") else None
    named = state_dict if module is None else module.state_dict()
    if not isinstance(named, Mapping):
        raise TypeError(f"from_torch takes a state dict or a module of PyTorch's, got {told(state_dict)}")
    found, place = entries(named, prefix)
    if module is not None and nonlinearity is None:
        nonlinearity = getattr(module.get_submodule(place), "nonlinearity", None)
    arrays = {name: tensor_to_numpy(value) for name, value in found.items()}
    layers = 1 + max(int(re.sub(TORCH_NAME, r"\2", name)) for name in arrays)
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
            cells.append(cell_from_torch(parts, f"_l{k}{suffix}", kind, nonlinearity or "tanh", dtype))
        built.append(Bidirectional(*cells) if len(cells) == 2 else cells[0])
    return built[0] if layers == 1 else Stack(*built)


def entries(state_dict: Any, prefix: str | None) -> Any:
    """The entries of one recurrent module under its own names, those of a cell as of layer 0, and where it is ("" or
    "encoder.lstm"). ValueError in one line if it is not the only one."""
    start = f"{prefix.rstrip('.')}." if prefix else ""
    own = {name.removeprefix(start): value for name, value in state_dict.items() if name.startswith(start)}
    places = list(dict.fromkeys(match[1] or "" for match in map(ANYWHERE.fullmatch, own) if match))
    place = places[0] if places else ""
    if len(places) > 1 or not all(name.startswith(place) for name in own):
        choices = " or ".join(repr(f"{start}{place}".rstrip(".")) for place in places)
        raise ValueError(f"from_torch: the state dict has more than one module's weights: write prefix={choices}")
    found = {name.removeprefix(place): value for name, value in own.items()}
    found = {f"{name}_l0" if CELL_NAME.fullmatch(name) else name: value for name, value in found.items()}
    if any(name.startswith("weight_hr_") for name in found):
        raise ValueError("from_torch: projections (proj_size > 0) are not supported")
    foreign = [name for name in found if not TORCH_NAME.fullmatch(name)]
    if foreign or not found:
        what = repr(foreign[0]) if foreign else f"nothing under {prefix!r}" if prefix else "nothing"
        raise ValueError(
            f"from_torch takes the state dict of one torch.nn.RNN, LSTM or GRU (weight_ih_l0, …), this has {what}"
        )
    return found, f"{start}{place}".rstrip(".")


def told(value: Any) -> Any:
    """A short word for what was given in the place of something else."""
    return repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"


def cell_from_torch(parts: Any, suffix: Any, kind: str | None, nonlinearity: Any, dtype: Any) -> Any:
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


def reorder(array: Array, kind: str) -> Any:
    """Exchange their order of the gates' blocks along the last axis for ours, or ours for theirs; a copy."""
    blocks = np.split(array, len(BLOCKS[kind]), axis=-1)
    return np.concatenate([blocks[k] for k in BLOCKS[kind]], axis=-1)


def tensor_to_numpy(value: Any) -> Array:
    """A NumPy array from a tensor, without knowing PyTorch, or from any array."""
    if not hasattr(value, "detach"):
        return to_numpy(value)
    value = value.detach().cpu()
    try:
        return value.numpy()
    except TypeError:  # bfloat16
        return value.float().numpy()
