"""The same numbers as PyTorch, in float64 to 1e-10: its own layers where it has them, else its autograd on the plain
equations in `references.py`. Outputs, final states, and the gradients of inputs, initial states and all parameters."""

import copy

import numpy as np
import pytest
from contract import Case, assert_same, numbered, run
from references import unroll

from tinyrnn.cells import CELLS
from tinyrnn.nn.interop import from_torch, to_torch

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tinyrnn[peers]'")

T, B, D, H = 6, 3, 2, 4
TOLERANCE = 1e-10


def layer(kind, layers, bidirectional):
    """PyTorch's layer with random weights and biases, and what of it `from_torch` cannot know."""
    module, options = {
        "tanh": (torch.nn.RNN, {"nonlinearity": "tanh"}),
        "relu": (torch.nn.RNN, {"nonlinearity": "relu"}),
        "lstm": (torch.nn.LSTM, {}),
        "gru": (torch.nn.GRU, {}),
    }[kind]
    torch.manual_seed(layers)
    theirs = module(D, H, num_layers=layers, bidirectional=bidirectional, dtype=torch.float64, **options)
    return theirs, from_torch(theirs.state_dict(), **options)


def tensor(array, grad=True):
    return torch.tensor(array, requires_grad=grad)


def state_gradients_as_ours(states):
    """PyTorch's h (and c), each (layers x directions, B, H), as our flat tuple."""
    return [s[k] for k in range(len(states[0])) for s in states]


def parameter_gradients_as_theirs(ours, back):
    """Our gradients under PyTorch's names: what `to_torch` does to weights holds for their gradients, too."""
    gradients = copy.deepcopy(ours)
    for name, value in gradients.params.items():
        value[...] = back.params[name]
    result = to_torch(gradients)
    for name in result:
        if name.startswith("bias_hh"):  # it has the gradient of bias_ih, wherever the two are simply added
            own = result[name].copy()
            result[name] = result[name.replace("hh", "ih")].copy()
            if len(own) == 3 * H:
                result[name][2 * H :] = own[2 * H :]
    return result


@pytest.mark.parametrize("masked", [False, True], ids=["full", "ragged"])
@pytest.mark.parametrize("bidirectional", [False, True], ids=["forward", "bidirectional"])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["tanh", "relu", "lstm", "gru"])
def test_pytorchs_layers(kind, layers, bidirectional, masked):
    theirs, ours = layer(kind, layers, bidirectional)
    count, parts = layers * (1 + bidirectional), 1 + (kind == "lstm")
    lengths = torch.tensor([3, 6, 1] if masked else [T] * B)
    mask = np.arange(T)[:, None] < lengths.numpy()
    rng = np.random.default_rng(layers)
    x, dh = rng.normal(size=(T, B, D)), rng.normal(size=(T, B, H * (1 + bidirectional))) * mask[..., None]
    states, dstates = ([rng.normal(size=(count, B, H)) for _ in range(parts)] for _ in range(2))

    inputs = [tensor(x), *(tensor(s) for s in states)]
    packed = torch.nn.utils.rnn.pack_padded_sequence(inputs[0], lengths, enforce_sorted=False)
    given = tuple(inputs[1:]) if kind == "lstm" else inputs[1]
    output, final = theirs(packed, given)
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(output, total_length=T)
    final = final if kind == "lstm" else (final,)
    upstream = [tensor(d, grad=False) for d in (dh, *dstates)]
    torch.autograd.backward([output, *final], upstream)

    h, tape = ours.forward(x, state_gradients_as_ours(states), mask if masked else None)
    back = ours.backward(dh, tape, state_gradients_as_ours(dstates))
    wanted_h = {"h": output.detach().numpy()}  # PyTorch puts out zeros where a sequence has ended
    assert_same({"h": h * mask[..., None]}, wanted_h, TOLERANCE)
    finals = [s.detach().numpy() for s in final]
    assert_same(numbered("final", tape.state), numbered("final", state_gradients_as_ours(finals)), TOLERANCE)
    dinputs = [i.grad.numpy() for i in inputs]
    got = {"dx": back.inputs} | numbered("dstate", back.state)
    assert_same(got, {"dx": dinputs[0]} | numbered("dstate", state_gradients_as_ours(dinputs[1:])), TOLERANCE)
    wanted = {name: parameter.grad.numpy() for name, parameter in theirs.named_parameters()}
    assert_same(parameter_gradients_as_theirs(ours, back), wanted, TOLERANCE)


@pytest.mark.parametrize("cell", CELLS)
def test_pytorchs_autograd_on_the_plain_equations(cell):
    case = Case(cell, T=T, B=B)
    ours = case.network()
    probe = case.probe(ours)
    x, state = tensor(probe.x), [tensor(s) for s in probe.state]
    params = {name: tensor(value) for name, value in ours.params.items()}
    outputs, final = unroll(torch, ours, params, x, state)
    upstream = [tensor(d, grad=False) for d in (probe.dh, *probe.dstate)]
    torch.autograd.backward([torch.stack(outputs), *final], upstream)

    wanted = {"h": torch.stack(outputs), **numbered("final", final), "dx": x.grad}
    wanted |= numbered("dstate", [s.grad for s in state])
    wanted |= {f"d{name}": torch.zeros_like(v) if v.grad is None else v.grad for name, v in params.items()}
    assert_same(run(ours, probe), {name: value.detach().numpy() for name, value in wanted.items()}, TOLERANCE)
