"""The worked examples of the lectures, computed by the package: one function a section.

What a function takes is read from the page; what it returns, name -> number, has to stand there.
"""

import numpy as np

from tinyrnn.cells import GRU, LMN, LSTM, Elman, LinearRNN, PeepholeLSTM, UnitaryRNN
from tinyrnn.cells.parts import blocks
from tinyrnn.cells.unitary import modrelu, modrelu_backward
from tinyrnn.core.cell import Params
from tinyrnn.core.ops import split
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.losses import (
    softmax_cross_entropy,
    softmax_cross_entropy_backward,
    squared_error,
    squared_error_backward,
)
from tinyrnn.optim.clipping import clip_by_norm
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp


def weights(**params):
    return Params({name: np.atleast_2d(value) for name, value in params.items()})


def over_time(numbers):
    """One unit, one sequence."""
    return np.reshape(numbers, (-1, 1, 1))


def logit(y):
    return np.log(y / (1 - y))


def matrix_product(W_h, da):
    _, (dh_prev,) = Elman(2, 2, activation="identity").step_backward(weights(W_h=W_h), da, h=da)
    return {"dh_prev": dh_prev, "da @ W_h": da @ W_h}


def elman(x, W_x, b, h_prev, W_h):
    p = weights(W_x=W_x, W_h=W_h, b=b)
    a = Elman(1, 1).project(p, np.atleast_2d(x))
    (h,), _ = Elman(1, 1).step(p, a, np.atleast_2d(h_prev))
    return {"a": a, "h": h, "tanh(a) + tanh(h_prev W_h)": np.tanh(a) + np.tanh(h_prev * W_h)}


def slope_of_tanh(h, dh):
    da, _ = Elman(1, 1).step_backward(weights(W_h=0), np.atleast_2d(dh), h=np.atleast_2d(h))
    return {"da": da}


def carry(W_h, dout):
    cell = Elman(1, 1, activation="identity")
    cell.params["W_h"][...] = W_h
    _, tape = cell.forward(np.zeros((len(dout), 1, 1)))
    return {"dh": cell.backward(over_time(dout), tape, record=True).states["h"]}


def weight_of_every_step(h_prev, da):
    _, dparams = Elman(1, 1).gradients(weights(W_x=0), 0 * over_time(da), over_time(da), h_prev=over_time(h_prev))
    return {"dW_h": dparams["W_h"]}


def bias(da):
    _, dparams = Elman(2, 2).gradients(weights(W_x=np.eye(2)), 0 * da, da, h_prev=0 * da)
    return {"db": dparams["b"]}


def inputs(W_x, da):
    da = da[:, None]
    return {"dx": Elman(2, 2).gradients(weights(W_x=W_x), 0 * da, da, h_prev=0 * da)[0]}


def initial_state(W_h, dh):
    cell = Elman(1, 1, activation="identity", learn_state=True)
    cell.params["W_h"][...] = W_h
    _, tape = cell.forward(np.zeros((1, 2, 1)))
    back = cell.backward(dh.reshape(1, 2, 1), tape)
    return {"dh_prev": back.state[0], "dh_0": back.params["h_0"]}


def readout(h, W, dy):
    head = Readout(2, 1)
    head.params["W"][...] = W
    dh, dparams = head.backward(dy, h)
    return {"dh": dh, "dW": dparams["W"], "db": dparams["b"]}


def mean(p_target, mask=None):
    logits = np.log(np.stack([p_target, 1 - p_target], axis=1))
    loss, kept = softmax_cross_entropy(logits, np.zeros(len(p_target), int), mask)
    return {"loss": loss, "weight": kept[2]}, softmax_cross_entropy_backward(kept)


def masked(p_target, mask):
    values, dz = mean(p_target, mask == 1)
    return {"loss": values["loss"], "dz_target": dz[:, 0]}


def error(y, target):
    loss, kept = squared_error(y, target)
    return {"loss": loss, "dy": squared_error_backward(kept)}


def softmax(p, target):
    loss, kept = softmax_cross_entropy(np.log(p), target.astype(int))
    return {"loss": loss, "dlogits": softmax_cross_entropy_backward(kept)}


def clipped(dW, db, limit):
    grads, norm = clip_by_norm({"W": dW, "b": db}, float(limit))
    return {"norm": norm, "factor": grads["b"] / db, "dW clipped": grads["W"], "db clipped": grads["b"]}


def steps(optimiser, p, gradients):
    """p, and the memory of it, after each step."""
    params, found = {"p": np.array([p])}, []
    for g in np.atleast_1d(gradients):
        optimiser.step(params, {"p": np.array([g])})
        found.append({"p": params["p"][0], **{name: array[0] for name, array in optimiser.memory["p"].items()}})
    return {name: [values[name] for values in found] for name in found[0]}


def bias_correction(beta1, g):
    found = steps(Adam(lr=1, beta1=beta1, beta2=0), 0.0, g)  # with v_hat = 1, each step is m_hat
    return {"m": found["m"], "m_hat": -np.diff([0, *found["p"]])}


def linear(V, dh):
    return {"dh_prev": LinearRNN(2, 2).step_backward(weights(V=V), dh)[1][0]}


def memory(W_hm, W_mm, W_mh, h, dm):
    p, h = weights(W_hm=W_hm, W_mm=W_mm, W_mh=W_mh), np.atleast_2d(h)
    (da, _), (dm_prev,) = LMN(1, 1).step_backward(p, np.atleast_2d(dm), h=h)
    return {"dh": da / (1 - h * h), "da": da, "dm_prev": dm_prev}


def lstm(i, f, o, g, c_prev):
    a = np.array([[logit(i), logit(f), logit(o), np.arctanh(g)]])
    (h, c), kept = LSTM(1, 1).step(weights(W_h=np.zeros((1, 4))), a, np.zeros((1, 1)), np.atleast_2d(c_prev))
    return {"c": c, "tanh_c": kept["tanh_c"], "h": h}


def lstm_back(dh=0.0, dc=0.0, *, cls=LSTM, **kept):
    """Gradients (da_i, da_f, da_o, da_g) and dc_prev; what is not given is 0.5."""
    p = weights(W_h=np.zeros((1, 4))) | {name: kept.pop(name, 0.0) for name in ("p_i", "p_f", "p_o")}
    kept = {name: np.atleast_2d(kept.get(name, 0.5)) for name in ("i", "f", "o", "g", "c_prev", "tanh_c")}
    da, (_, dc_prev) = cls(1, 1).step_backward(Params(p), np.atleast_2d(dh), np.atleast_2d(dc), **kept)
    return [*split(da, 4), dc_prev]


def cell_path(dh, o, tanh_c, f, dnext_c):
    dc_prev = lstm_back(dh, dnext_c, o=o, tanh_c=tanh_c, f=f)[-1]
    return {"dc": dc_prev / f, "dc_prev": dc_prev}


def gates(dc, i, f, g, c_prev):
    da_i, da_f, _, da_g, dc_prev = lstm_back(0, dc, i=i, f=f, g=g, c_prev=c_prev)
    slopes = i * (1 - i), f * (1 - f), 1 - g * g
    return {"di": da_i / slopes[0], "df": da_f / slopes[1], "dg": da_g / slopes[2], "dc_prev": dc_prev}


def slopes(i, di, g, dg):
    return {"da_i": lstm_back(0, di / g, i=i, g=g)[0], "da_g": lstm_back(0, dg / i, i=i, g=g)[3]}


def gate_order(W_h, da):
    return {"dh_prev": sum(d @ W.T for d, W in zip(split(da, 4), split(W_h, 4), strict=True))}


def peepholes(dh, o, tanh_c, dnext_c, p_o):
    found = lstm_back(dh, dnext_c, cls=PeepholeLSTM, o=o, tanh_c=tanh_c, p_o=p_o, f=1)
    return {"da_o": found[2], "dc": found[-1]}


def gru(z, n, h_prev):
    a, p = np.array([[0.0, logit(z), np.arctanh(n)]]), weights(W_h=np.zeros((1, 3)), b_n=0)
    return {"h": GRU(1, 1).step(p, a, np.atleast_2d(h_prev))[0][0]}


def gru_back(dh, z, n, h_prev, r=0.5, s=0.5, W_h=((0.0, 0.0, 0.0),)):
    kept = {"r": r, "z": z, "s": s, "n": n, "h_prev": h_prev}
    kept = {name: np.atleast_2d(value) for name, value in kept.items()}
    return GRU(1, 1).step_backward(weights(W_h=W_h), np.atleast_2d(dh), **kept)


def update_gate(dh, z, n, h_prev):
    _, da_z, da_n = split(gru_back(dh, z, n, h_prev)[0][0], 3)
    return {"dn": da_n / (1 - n * n), "dz": da_z / (z * (1 - z)), "da_n": da_n, "da_z": da_z}


def reset_gate(da_n, r, s):
    (_, du), _ = gru_back(da_n, 0, 0, 0, r, s)  # with z = n = 0, dh is da_n
    return {"dr": split(du, 3)[0] / (r * (1 - r)), "ds": split(du, 3)[2]}


def gru_paths(dh, z, n, h_prev, r, s, W_h):
    (_, du), (dh_prev,) = gru_back(dh, z, n, h_prev, r, s, W_h)
    return {"du": du, "dh_prev": dh_prev}


def unitary(n):
    params = UnitaryRNN(1, int(n), rng=0).params
    few = sum(value.size for name, value in params.items() if name.startswith(("theta", "v_")))
    return {"numbers in θ and v": few, "numbers in a full matrix": 2 * n**2}


def turned(theta, z, dy):
    E = blocks.phase_weights(theta[None])
    dz = blocks.phases_backward(dy, E)
    return {"y": blocks.phases(z, E), "dz": dz, "dtheta": blocks.phases_gradient(z, dz)}


def reflected(v, z, dy):
    Q = blocks.reflection_weights(v)
    dv = blocks.reflection_weights_backward(v, blocks.reflection_gradient(z, dy, Q))
    return {"y": blocks.reflection(z, Q), "dz": blocks.reflection_backward(dy, Q), "dv": dv}


def permuted(perm, z, dy):
    perm = perm.astype(int)
    inverse = np.argsort(perm)
    dz = blocks.permutation_backward(dy, inverse)
    return {"y": blocks.permutation(z, perm), "perm_inverse": inverse, "dz": dz}


def along_and_across(z, b, dh):
    h, u, gain = modrelu(z, b[None])
    dz, dshifted = modrelu_backward(dh, u, gain)
    return {"h": h, "gain": gain, "dz": dz, "dshifted": dshifted}


EXAMPLES = {
    "bptt/matrix-product": matrix_product,
    "elman/forward": elman,
    "elman/tanh": slope_of_tanh,
    "bptt/carry": carry,
    "bptt/weights": weight_of_every_step,
    "bptt/bias": bias,
    "bptt/inputs": inputs,
    "bptt/initial-state": initial_state,
    "losses/readout": readout,
    "losses/mean": lambda p_target: mean(p_target)[0],
    "losses/squared-error": error,
    "losses/softmax": softmax,
    "losses/mask": masked,
    "clipping/norm": clipped,
    "optimisers/sgd": lambda lr, momentum, g: steps(SGD(lr, momentum), 0.0, g),
    "optimisers/rmsprop": lambda lr, rho, g: steps(RMSProp(lr, rho=rho, eps=0, initial=0), 5.0, g),
    "optimisers/adam": lambda lr, beta1, beta2, g: steps(Adam(lr, beta1, beta2), 1.0, g),
    "optimisers/bias-correction": bias_correction,
    "linear/recurrence": linear,
    "lmn/memory": memory,
    "lstm/forward": lstm,
    "lstm/cell-path": cell_path,
    "lstm/gates": gates,
    "lstm/sigmoid": slopes,
    "lstm/gate-order": gate_order,
    "lstm/peepholes": peepholes,
    "gru/forward": gru,
    "gru/update-gate": update_gate,
    "gru/reset-gate": reset_gate,
    "gru/paths": gru_paths,
    "unitary/forward": unitary,
    "unitary/phases": turned,
    "unitary/reflection": reflected,
    "unitary/order": permuted,
    "unitary/modrelu": along_and_across,
}
