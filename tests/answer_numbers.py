"""The numbers in the answers to the questions of the backward passes, computed by the package: one function a section.

What a function takes is read from the page; what it returns, name -> number, has to stand there. A claim in the words
of the answer is asserted beside it.
"""

import lecture_numbers as examples
import numpy as np
import pytest
from lecture_numbers import over_time, weights

import tinyrnn as tr
from tinyrnn.nn.losses import squared_error, squared_error_backward
from tinyrnn.optim.optimisers import SGD, Adam

ALMOST = 1e-12  # a gate is a sigmoid: it is never quite shut or open


def matrix_product(W_h, da):
    with pytest.raises(ValueError, match="mismatch"):
        np.ones((1, 8)) @ np.ones((2, 8))  # da @ W_h of an LSTM of two units
    return examples.matrix_product(W_h, da)


def elman(x, W_x, b, h_prev, h_prev_other):
    _, (dh_prev,) = tr.Elman(1, 1).step_backward(weights(W_h=0), np.ones((1, 1)), h=np.zeros((1, 1)))
    assert dh_prev == 0
    return {
        "h": examples.elman(x, W_x, b, h_prev, 0)["h"],
        "h_other": examples.elman(x, W_x, b, h_prev_other, 0)["h"],
    }


def slope_of_tanh(h):
    slope = examples.slope_of_tanh(h, 1.0)["da"]
    assert slope**10 < np.finfo(float).eps
    return {"slope": slope, "exponent of ten": 10 * np.log10(slope)}


def weight_of_every_step(h_prev, x, da):
    _, dparams = tr.Elman(1, 1).gradients(weights(W_x=0), over_time(x), over_time(da), h_prev=over_time(h_prev))
    return {"dW_h": dparams["W_h"], "dW_x": dparams["W_x"]}


def bias(da):
    return {"da.sum(axis=0)": da.sum(axis=0), "da.sum()": da.sum(), "db": examples.bias(da)["db"]}


def chain(W_h, dout, W_x=1.0):
    """Back through h_t = x_t W_x + W_h h_{t-1}."""
    cell = tr.Elman(1, 1, activation="identity")
    cell.params["W_h"][...], cell.params["W_x"][...] = W_h, W_x
    _, tape = cell.forward(np.zeros((len(dout), 1, 1)))
    return cell.backward(over_time(dout), tape, record=True)


def inputs(W_x, W_h, dout):
    back = chain(W_h, dout, W_x)
    return {"dh": back.states["h"], "dx": back.inputs}


def initial_state(W_h, h_0, dh_1):
    assert h_0 == 0
    return {"dh_0": chain(W_h, np.array([dh_1])).state[0]}


def readout():
    head = tr.Readout(3, 2, rng=0)
    _, kept = head.forward(np.ones((5, 2, 3)))
    dy = np.zeros((5, 2, 2))
    dy[-1] = 1
    dout, _ = head.backward(dy, kept)
    assert not dout[:-1].any()
    return {"entries of dout": dout.size, "not zero": np.count_nonzero(dout)}


def mean(p_target):
    x, target = np.arange(4.0).reshape(2, 2, 1), np.array([[0, 1], [1, 0]])
    model = tr.Model(tr.Elman(1, 3, rng=0), tr.Readout(3, 2, rng=0))
    once, twice = (model.gradients(np.tile(x, (1, n, 1)), np.tile(target, (1, n))).params for n in (1, 2))
    for name in once:
        np.testing.assert_allclose(once[name], twice[name], rtol=1e-12)
    return examples.mean(p_target)[0]


def root_of_error(y, target):
    M, kept = squared_error(y, target)
    return {
        "mean": M,
        "dy of the mean": squared_error_backward(kept),
        "root": np.sqrt(M),
        "dy of the root": tr.numerical.gradient(lambda y: np.sqrt(squared_error(y, target)[0]), y).value,
    }


def softmax(p, target):
    dlogits = examples.softmax(p, target)["dlogits"]
    return {"dlogits": dlogits, "sum": dlogits.sum()}


def velocity(momentum):
    return {"v": examples.steps(SGD(0.1, float(momentum)), 0.0, np.ones(400))["v"][-1]}


def contradicting(lr, beta1, g):
    n = 4000
    found = examples.steps(Adam(float(lr), float(beta1)), 0.0, g * (-1.0) ** np.arange(n))
    shares = 1 - beta1**n, 1 - 0.999**n
    return {
        "size of m_hat": abs(found["m"][-1]) / shares[0],
        "root of v_hat": np.sqrt(found["v"][-1] / shares[1]),
        "step": abs(found["p"][-1] - found["p"][-2]),
    }


def half_a_mean(beta2):
    v = np.array(examples.steps(Adam(beta2=float(beta2)), 0.0, np.ones(700))["v"])
    assert 1 + np.argmax(v >= 0.5) == 693
    return {"t": np.log(0.5) / np.log(beta2)}


def linear(h_prev, dh, x, dsigma):
    cell = tr.LinearRNN(1, 1, activation="relu")
    a = np.full((1, 1, 1), 0.0)
    assert cell.dsigma(a) == dsigma
    p = weights(U=-1.0, V=1.0)
    _, dparams = cell.gradients(p, over_time([x]), over_time([dh]), a=a, h_prev=over_time([h_prev]))
    return {"dV": dparams["V"], "dU": dparams["U"]}


def memory(x, m_prev, h, dm, da):
    cell = tr.LMN(1, 1)
    p = weights(W_xh=0, W_mh=0, W_hm=0, W_mm=0)
    kept = {"h": over_time([h]), "m_prev": over_time([m_prev])}
    _, dparams = cell.gradients(p, over_time([x]), (over_time([da]), over_time([dm])), **kept)
    return {f"d{name}": dparams[name] for name in ("W_hm", "W_mm", "W_xh", "W_mh")}


def shown_and_hidden(c_prev, f, i, g, o):
    found = [examples.lstm(abs(i - ALMOST), abs(f - ALMOST), each, g, c_prev) for each in o]
    return {name: [each[name] for each in found] for name in ("c", "h")}


def eight_gates(f):
    dc = 1.0
    for _ in range(9, 1, -1):  # steps 9 to 2, nothing coming from above
        dc = examples.lstm_back(0.0, dc, f=f)[-1]
    return {"factor": dc}


def first_gates(dc, i, f, g, c_prev):
    found = examples.gates(dc, i, f, g, c_prev)
    return {name: found[name] for name in ("df", "di", "dg")}


def decided():
    slopes = [examples.slopes(i, 1.0, 0.5, 1.0)["da_i"] for i in (0.5, 0.99)]
    return {"slope at 0.5": slopes[0], "slope at 0.99": slopes[1], "ratio": slopes[0] / slopes[1]}


def gate_order(theirs):
    ones = np.ones((4, 1))
    weights = {"weight_ih_l0": ones, "weight_hh_l0": ones, "bias_ih_l0": theirs, "bias_hh_l0": 0 * theirs}
    return {"ours": tr.interop.from_torch(weights, "lstm").params["b"]}


def peepholes(dh, o, tanh_c, dnext_c, p_o, c_prev):
    slope = 0.25  # f is 0.5 in what follows
    kept = {"cls": tr.PeepholeLSTM, "o": o, "tanh_c": tanh_c, "c_prev": c_prev}
    whole = examples.lstm_back(dh, dnext_c, p_o=p_o, **kept)
    without = examples.lstm_back(dh, dnext_c, p_o=0.0, **kept)
    return {"da_o": whole[2], "df": whole[1] / slope, "df without": without[1] / slope}


def agreeing(dh, z, n, h_prev):
    found = examples.update_gate(dh, z, n, h_prev)
    return {"dz": found["dz"], "dn": found["dn"]}


def shut_reset(da_n, r, s):
    (_, du), _ = examples.gru_back(da_n, 0, 0, 0, r, s)
    da_r, _, ds = np.squeeze(du)
    return {"dr": examples.reset_gate(da_n, ALMOST, s)["dr"], "da_r": da_r, "ds": ds}


def lengths(z, b):
    h = examples.along_and_across(z, b, z)["h"]
    return {"length before": np.linalg.norm(z), "h": h, "length after": np.linalg.norm(h)}


def turned(theta, z, dy):
    found = examples.turned(theta, z, dy)
    return {"y": found["y"], "dtheta": found["dtheta"]}


def reflected(v, z, dy):
    dv = examples.reflected(v, z, dy)["dv"]
    return {"dv": dv, "v · dv": v @ dv}


def permuted(perm, dy):
    found = examples.permuted(perm, dy, dy)
    orders = [np.array(p) for p in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1))]
    own = sum(np.array_equal(np.argsort(p), p) for p in orders)
    return {"perm_inverse": found["perm_inverse"], "dz": found["dz"], "orders of three that are their own inverse": own}


def dead(z, b, dh):
    found = examples.along_and_across(z, b, dh)
    return {"h": found["h"], "dz": found["dz"], "db": found["dshifted"]}


ANSWERS = {
    "bptt/matrix-product": matrix_product,
    "elman/forward": elman,
    "elman/tanh": slope_of_tanh,
    "bptt/carry": lambda W_h, dout: {"dh": chain(W_h, dout).states["h"]},
    "bptt/weights": weight_of_every_step,
    "bptt/bias": bias,
    "bptt/inputs": inputs,
    "bptt/initial-state": initial_state,
    "losses/readout": readout,
    "losses/mean": mean,
    "losses/squared-error": root_of_error,
    "losses/softmax": softmax,
    "losses/mask": examples.masked,
    "clipping/norm": examples.clipped,
    "optimisers/sgd": velocity,
    "optimisers/rmsprop": examples.EXAMPLES["optimisers/rmsprop"],
    "optimisers/adam": contradicting,
    "optimisers/bias-correction": half_a_mean,
    "linear/recurrence": linear,
    "lmn/memory": memory,
    "lstm/forward": shown_and_hidden,
    "lstm/cell-path": eight_gates,
    "lstm/gates": first_gates,
    "lstm/sigmoid": decided,
    "lstm/gate-order": gate_order,
    "lstm/peepholes": peepholes,
    "gru/forward": examples.gru,
    "gru/update-gate": agreeing,
    "gru/reset-gate": shut_reset,
    "gru/paths": examples.gru_paths,
    "unitary/forward": lengths,
    "unitary/phases": turned,
    "unitary/reflection": reflected,
    "unitary/order": permuted,
    "unitary/modrelu": dead,
}
