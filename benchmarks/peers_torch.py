"""The same training step in PyTorch, for `training_step.py`.

`nn.RNN`, `nn.LSTM` and `nn.GRU` where PyTorch has the layer; otherwise a loop over time as a careful user writes it:
the input projected before the loop, one fused product-and-sum a recurrent matrix, gates side by side in one call, the
time axis taken apart by `unbind` (whose backward pass is one `stack`; indexing would build a zero array a step).
A loop comes in two forms, eager and with its body through `torch.compile`; the benchmark keeps the faster at each size.
What else was tried is said in the comments below.
"""

import warnings

import torch
from torch.nn import functional as F

from tinyrnn.nn import interop

# the compiled part of the unitary RNN takes complex tensors apart before it computes
warnings.filterwarnings("ignore", "Torchinductor does not support code generation for complex operators")

LAYERS = {"elman": torch.nn.RNN, "lt-ornn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}


def forms(name, cell, x, dh, last, input_gradient=False):
    """The ways to take a training step of the cell called `name` in PyTorch: form -> function.

    cell: ours, whose weights are copied. x (T, B, n) and dh (T, B, output_size): float32 arrays. last: the loss looks
    at the last step only. Each function returns the outputs and the gradient of the recurrent weights. Empty if there
    is no peer.
    """
    x, dh = torch.tensor(x, requires_grad=input_gradient), torch.from_numpy(dh)
    if name in LAYERS:
        return {"": layer_step(name, cell, x, dh, last)}
    if name not in LOOPS:
        return {}
    torch.compiler.reset()  # a new size is a new program, not one more guard on the old
    loop, body = LOOPS[name]
    p = {key: torch.tensor(value, requires_grad=True) for key, value in cell.params.items()}
    if name == "urnn":
        p = complex_weights(p, cell.constants["permutation"])
        dh = torch.complex(*dh.chunk(2, dim=-1))
    watched = next(p[key] for key in ("W_h", "W_rz", "thetas") if key in p)
    return {
        form: training_step(lambda body=compiled: loop(p, x, body), watched, p.values(), dh, last)
        for form, compiled in {"eager": body, "compiled": torch.compile(body)}.items()
    }


def layer_step(name, cell, x, dh, last):
    """PyTorch's own layer with our weights. It has no linear-transition RNN: `nn.RNN` does the same products."""
    layer = LAYERS[name](cell.input_size, cell.hidden_size)
    if name != "lt-ornn":
        layer.load_state_dict({key: torch.from_numpy(value) for key, value in interop.to_torch(cell).items()})
    return training_step(lambda: layer(x)[0], layer.weight_hh_l0, list(layer.parameters()), dh, last)


def training_step(forward, watched, params, dh, last):
    """Forward and backward; returns the outputs and the gradient of `watched`."""
    params = list(params)

    def step():
        for p in params:
            p.grad = None
        h = forward()
        if last:
            h[-1].backward(dh[-1])
        else:
            h.backward(dh)
        return h.detach(), watched.grad

    return step


def projected(x, W, b):
    """x W + b for all time steps at once, as a tuple of time steps."""
    return F.linear(x, W.T, b).unbind(0)


# peephole LSTM ---------------------------------------------------------------------------------------------------


def peephole_lstm(p, x, body):
    h = c = x.new_zeros(x.shape[1], len(p["W_h"]))
    p_if = torch.stack([p["p_i"], p["p_f"]])
    outputs = []
    for a in projected(x, p["W_x"], p["b"]):
        h, c = body(a, h, c, p["W_h"], p_if, p["p_o"])
        outputs.append(h)
    return torch.stack(outputs)


def peephole_body(a, h, c, W_h, p_if, p_o):
    """Gates i, f, o, g side by side; i and f go through one sigmoid."""
    H = h.shape[1]
    a_if, a_o, a_g = torch.addmm(a, h, W_h).split([2 * H, H, H], dim=1)
    i, f = torch.sigmoid(torch.addcmul(a_if.unflatten(1, [2, H]), c.unsqueeze(1), p_if)).unbind(1)
    c = torch.addcmul(f * c, i, torch.tanh(a_g))
    return torch.sigmoid(torch.addcmul(a_o, p_o, c)) * torch.tanh(c), c


# GRU, reset before the product -----------------------------------------------------------------------------------


def cho_gru(p, x, body):
    h = x.new_zeros(x.shape[1], len(p["W_n"]))
    outputs = []
    for a in projected(x, p["W_x"], p["b"]):
        h = body(a, h, p["W_rz"], p["W_n"])
        outputs.append(h)
    return torch.stack(outputs)


def cho_gru_body(a, h, W_rz, W_n):
    H = h.shape[1]
    a_rz, a_n = a.split([2 * H, H], dim=1)
    r, z = torch.sigmoid(torch.addmm(a_rz, h, W_rz)).chunk(2, dim=1)
    n = torch.tanh(torch.addmm(a_n, r * h, W_n))
    return torch.lerp(n, h, z)


# unitary RNN -----------------------------------------------------------------------------------------------------
# On complex tensors with torch.fft. Faster than before by: the phases once a sequence (torch.polar); transforms without
# the 1/sqrt(n) each (the pair of them is the inverse's 1/n); a reflection as one product and one addmm; outputs left
# complex. No gain from: index_select or a hand-written backward pass for the permutation, torch.sgn or real arithmetic
# for modReLU in eager mode. The compiled form does phases, sum and modReLU in one kernel on the real and imaginary
# parts, since torch.compile does not fuse complex arithmetic: much faster at large sizes.


def complex_weights(p, permutation):
    """Our real weights [Re; Im] as complex leaves."""
    leaf = {
        "thetas": torch.stack([p["theta_1"], p["theta_2"], p["theta_3"]]),
        "vs": torch.stack([torch.complex(*p[key].chunk(2)) for key in ("v_1", "v_2")]),
        "V": torch.complex(*p["V"].chunk(2, dim=1)),
        "b": p["b"],
        "h_0": torch.complex(*p["h_0"].chunk(2)),
    }
    leaf = {key: value.detach().clone().requires_grad_() for key, value in leaf.items()}
    return leaf | {"permutation": torch.from_numpy(permutation)}


def unitary_rnn(p, x, body):
    d1, d2, d3 = torch.polar(torch.ones_like(p["thetas"]), p["thetas"])
    u1, u2 = (p["vs"] / torch.linalg.vector_norm(p["vs"], dim=1, keepdim=True)).unsqueeze(1)
    d3, u1_star, u2_star = torch.view_as_real(d3), u1.mH, u2.mH
    V = torch.view_as_real(p["V"]).flatten(1)
    h = p["h_0"].expand(x.shape[1], -1)
    outputs = []
    for a in projected(x, V, None):
        z = torch.fft.fft(h * d1)
        z = torch.addmm(z, z @ u1_star, u1, alpha=-2)
        z = torch.fft.ifft(z[:, p["permutation"]] * d2)
        z = torch.addmm(z, z @ u2_star, u2, alpha=-2)
        h = body(z, d3, a.view(*z.shape, 2), p["b"])
        outputs.append(h)
    return torch.stack(outputs)


def unitary_body(z, d3, a, b):
    """modReLU(z d3 + a); the phases d3 and the input a as pairs (Re, Im)."""
    if not torch.compiler.is_compiling():
        z = torch.addcmul(torch.view_as_complex(a), z, torch.view_as_complex(d3))
        size = z.abs()
        return z * (torch.relu(size + b) / (size + 1e-12))
    z = torch.view_as_real(z)
    re = z[..., 0] * d3[..., 0] - z[..., 1] * d3[..., 1] + a[..., 0]
    im = z[..., 0] * d3[..., 1] + z[..., 1] * d3[..., 0] + a[..., 1]
    gain = torch.relu(1 + b / torch.sqrt(re * re + im * im + 1e-24))
    return torch.view_as_complex(torch.stack([re * gain, im * gain], dim=-1))


LOOPS = {
    "lstm-peephole": (peephole_lstm, peephole_body),
    "gru-cho": (cho_gru, cho_gru_body),
    "urnn": (unitary_rnn, unitary_body),
}
