"""What is printed by accident is short: shapes and settings in one line, never arrays."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.optim.manifolds import Manifold
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp

X, TARGET = np.ones((4, 2, 3)), np.zeros((4, 2), int)


def model():
    return tr.Model(tr.Stack(tr.GRU(3, 5, rng=0), tr.GRU(5, 5, rng=1)), tr.Readout(5, 2, rng=2))


def stepped(opt):
    opt.step(model(), model().gradients(X, TARGET))
    return opt


SHORT = {
    "cell": (lambda: tr.GRU(3, 5), "GRU(3 -> 5, float64)"),
    "stack": (lambda: model().layers, "Stack(0=GRU(3 -> 5, float64), 1=GRU(5 -> 5, float64))"),
    "model": (
        model,
        "Model(layers=Stack(0=GRU(3 -> 5, float64), 1=GRU(5 -> 5, float64)), readout=Readout(5 -> 2, float64))",
    ),
    "tape": (lambda: tr.Elman(3, 5).forward(X)[1], "Tape(T=4, B=2: x, h, h_prev)"),
    "tape of layers": (
        lambda: tr.Stack(tr.Elman(3, 5)).forward(X)[1],
        "LayersTape(0=Tape(T=4, B=2: x, h, h_prev))",
    ),
    "tape of a model": (
        lambda: tr.Model(tr.Elman(3, 5), tr.Readout(5, 2)).forward(X)[1],
        "ModelTape(Tape(T=4, B=2: x, h, h_prev))",
    ),
    "gradients": (
        lambda: tr.Elman(3, 5).backward(None, tr.Elman(3, 5).forward(X)[1], (np.ones((2, 5)),)),
        "Gradients(inputs (4, 2, 3), state [(2, 5)], params {W_x (3, 5), W_h (5, 5), b (5,)})",
    ),
    "adam": (lambda: stepped(Adam(lr=0.1)), "Adam(lr=0.1, beta1=0.9, beta2=0.999, eps=1e-08), 1 steps done"),
    "momentum": (lambda: SGD(0.1, momentum=0.9), "SGD(lr=0.1, momentum=0.9, nesterov=False), 0 steps done"),
    "rmsprop": (lambda: RMSProp(), "RMSProp(lr=0.001, rho=0.9, eps=0.0), 0 steps done"),
    "manifold": (
        lambda: Manifold(SGD(0.1), {"W": "unitary"}),
        "Manifold(SGD(lr=0.1, momentum=0.0, nesterov=False), 0 steps done; W unitary)",
    ),
}


@pytest.mark.parametrize("case", SHORT)
def test_it_is_one_short_line(case):
    make, text = SHORT[case]
    assert repr(make()) == text


def test_a_models_gradients_say_the_loss_and_shapes():
    out = model().gradients(X, TARGET)
    assert repr(out).startswith(f"LossGradients(loss={out.loss:.6g}, y (4, 2, 2), params {{layers.0.W_x (3, 15), ")
    assert len(repr(out)) < 400 and "\n" not in repr(out)
    windows = model().gradients(X, TARGET, checkpoint=2)
    assert "y (" not in repr(windows)


def test_recorded_states_and_class_numbers_are_told_apart():
    cell = tr.Elman(3, 5)
    _, tape = cell.forward(np.zeros((4, 2), int))
    back = cell.backward(np.ones((4, 2, 5)), tape, record=True)
    assert "inputs" not in repr(back) and repr(back).endswith("states {h (4, 2, 5)})")
