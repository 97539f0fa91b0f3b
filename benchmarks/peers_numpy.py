"""The same training step in other people's NumPy, for `training_step.py`. Their code is not part of this repository.

* deep-learning-from-scratch-2, the code of Saito's second book: a clone of oreilly-japan/deep-learning-from-scratch-2;
  `common/time_layers.py` has TimeRNN, TimeLSTM and TimeGRU (reset before the product).
* CS231n, assignment 3: a folder with a *solved* `rnn_layers.py` (it is handed out unsolved; solutions abound), with
  `rnn_forward` and `rnn_backward`, `lstm_forward` and `lstm_backward`.

Both take one sequence a row, (B, T, n), and compute the gradient of the input too. Their arguments are float32; what
they make of them is theirs (CS231n collects its outputs in float64).
"""

import importlib
import sys

import numpy as np


def imported(module, folder):
    """`module` out of `folder`, put first on the path: dlfs2's modules import one another as `common`."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise ValueError(f"no {module.replace('.', '/')}.py in {folder}") from None


def batch_first(x, dh, last):
    """x and dh as (B, T, ·), contiguous; dh zero before the last step if only that counts."""
    dh = np.concatenate([np.zeros_like(dh[:-1]), dh[-1:]]) if last else dh
    return (np.ascontiguousarray(np.swapaxes(array, 0, 1)) for array in (x, dh))


def reordered(array, blocks, order):
    """The blocks along the last axis in another order, contiguous."""
    parts = np.split(array, blocks, axis=-1)
    return np.ascontiguousarray(np.concatenate([parts[k] for k in order], axis=-1))


def dlfs2(folder, name, cell, x, dh, last):
    """form -> function, as `peers_torch.forms`."""
    layers = imported("common.time_layers", folder)
    p = cell.params
    if name == "elman":
        layer = layers.TimeRNN(p.W_x, p.W_h, p.b)
    elif name == "lstm":  # gates f, g, i, o
        layer = layers.TimeLSTM(*(reordered(p[key], 4, (1, 3, 0, 2)) for key in ("W_x", "W_h", "b")))
    elif name == "gru-cho":  # gates z, r, h, and z = 1 takes the new state
        W_h = np.concatenate([p.W_rz, p.W_n], axis=1)
        weights = [reordered(array, 3, (1, 0, 2)) for array in (p.W_x, W_h, p.b)]
        for array in weights:
            array[..., : cell.hidden_size] *= -1
        layer = layers.TimeGRU(*weights)
    else:
        return {}
    x, dh = batch_first(x, dh, last)

    def step():
        h = layer.forward(x)
        layer.backward(dh)
        dW_h = layer.grads[1]
        return np.swapaxes(h, 0, 1), dW_h[:, : 2 * cell.hidden_size] if name == "gru-cho" else dW_h

    return {"": step}


def cs231n(folder, name, cell, x, dh, last):
    """form -> function, as `peers_torch.forms`."""
    layers = imported("rnn_layers", folder)
    calls = {
        "elman": (layers.rnn_forward, layers.rnn_backward),
        "lstm": (layers.lstm_forward, layers.lstm_backward),  # gates i, f, o, g, as ours
    }
    if name not in calls:
        return {}
    forward, backward = calls[name]
    x, dh = batch_first(x, dh, last)
    p, h_0 = cell.params, np.zeros((len(x), cell.hidden_size), x.dtype)

    def step():
        h, cache = forward(x, h_0, p.W_x, p.W_h, p.b)
        dW_h = backward(dh, cache)[3]
        return np.swapaxes(h, 0, 1), dW_h

    return {"": step}
