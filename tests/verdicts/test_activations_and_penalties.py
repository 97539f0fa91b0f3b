"""Line verdicts on which activation is meant where both passes could be changed, on what branches of a pass are for,
and on the gradient of a penalty."""

import ast

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.penalties import penalties_in

R = np.random.default_rng(0)
KINDS = """
    def sigmoid(z):
        out = np.empty_like(z)
        out[z >= 0] = 1 / (1 + np.exp(-z[z >= 0]))
        out[z < 0] = np.exp(z[z < 0]) / (1 + np.exp(z[z < 0]))
        return out, z

    def relu(z):
        return np.maximum(0, z), z

    def sigmoid_backward(da, cache):
        s = 1 / (1 + np.exp(-cache))
        return da * s * (1 - s)

    def relu_backward(da, cache):
        dz = np.array(da, copy=True)
        dz[cache <= 0] = 0
        return dz

    def step(a, w, activation):
        z = w @ a
        if activation == "sigmoid":
            out, cache = sigmoid(z)
        elif activation == "relu":
            out, cache = relu(z)
        return out, ((a, w), cache)

    def step_backward(da, cache, activation):
        linear_cache, activation_cache = cache
        if activation == "relu":
            dz = relu_backward(da, activation_cache)
        elif activation == "sigmoid":
            dz = sigmoid_backward(da, activation_cache)
        a, w = linear_cache
        return w.T @ dz, dz @ a.T

    def forward(x, W1, W2, W3):
        caches, a = [], x
        for w in (W1, W2):
            a, cache = step(a, w, activation="relu")
            caches.append(cache)
        out, cache = step(a, W3, activation="sigmoid")
        caches.append(cache)
        return out, caches

    def loss_and_gradients(x, y, W1, W2, W3):
        out, caches = forward(x, W1, W2, W3)
        loss = -np.sum(y * np.log(out) + (1 - y) * np.log(1 - out))
        da = -(y / out) + (1 - y) / (1 - out)
        da, dW3 = step_backward(da, caches[2], "sigmoid")
        da, dW2 = step_backward(da, caches[1], "relu")
        da, dW1 = step_backward(da, caches[0], "relu")
        return loss, dW1, dW2, dW3
"""
SIZES = {"W1": (5, 3), "W2": (6, 5), "W3": (2, 6)}
INPUTS = {"x": R.normal(size=(3, 4)), "y": R.integers(2, size=(2, 4)).astype(float)}
INPUTS |= {name: R.normal(size=size) for name, size in SIZES.items()}
CHOSEN = {
    "another activation in the forward pass alone": ('a, w, activation="relu")', 'a, w, activation="sigmoid")'),
    "a slope that nothing calls": ("dz = relu_backward(da, activation_cache)", "dz = da"),
}
HIDDEN = """
    def loss_and_gradients(x, y, W1, W2):
        h = np.tanh(W1 @ x)
        p = 1 / (1 + np.exp(-(W2 @ h)))
        loss = -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))
        dz = p - y
        dW2 = dz @ h.T
        dh = np.multiply(W2.T @ dz, 1 - h ** 2)
        return loss, dh @ x.T, dW2
"""
POOLS = """
    def pool(x, mode):
        rows = []
        for k in range(len(x)):
            if mode == "max":
                rows.append([np.max(part) for part in (x[k, :2], x[k, 2:])])
            elif mode == "average":
                rows.append([np.mean(part) for part in (x[k, :2], x[k, 2:])])
        return np.array(rows)

    def pool_back(above, x, mode):
        dx = np.zeros_like(x)
        for k in range(len(x)):
            for j, at in enumerate((slice(0, 2), slice(2, 4))):
                if mode == "max":
                    dx[k, at] += above[k, j] * (x[k, at] == np.max(x[k, at]))
                elif mode == "average":
                    dx[k, at] += above[k, j] / 2
        return dx

    def loss_and_gradients(x, W, V):
        a = x @ W
        out = pool(a, "average") * V
        more = pool(a, "max") * V
        da = pool_back(V, a, "average") + pool_back(V, a, "max")
        return np.sum(out + more), x.T @ da, pool(a, "average") + pool(a, "max")
"""
PENALTY = """
    def loss_and_gradients(x, y, W, V, reg):
        p = np.exp(x @ W @ V)
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.sum(np.log(p[np.arange(len(y)), y])) / len(y) + reg * np.sum(W * W)
        p[np.arange(len(y)), y] -= 1
        dV = (x @ W).T @ p / len(y)
        dW = x.T @ p @ V.T
        dW = dW / len(y) + 2 * reg * W
        return loss, dW, dV
"""


@pytest.mark.parametrize("change", CHOSEN.values(), ids=CHOSEN)
def test_one_of_several_activations_is_accused_where_the_others_are_right(tmp_path, change):
    right, wrong = change
    assert lines_accused(tmp_path, KINDS, "", "", INPUTS)[0].ok
    report, lines = lines_accused(tmp_path, KINDS, right, wrong, INPUTS)
    assert not report.ok and len(lines) == 1
    assert wrong in lines.pop()


@pytest.mark.parametrize("wrong", ["h * (1 - h)", "(1 - h) * h"])
def test_the_slope_of_a_sigmoid_for_that_of_a_tanh_is_the_mistake_and_not_the_activation(tmp_path, wrong):
    report, lines = lines_accused(
        tmp_path,
        HIDDEN,
        "1 - h ** 2",
        wrong,
        {"x": INPUTS["x"], "y": INPUTS["y"], "W1": INPUTS["W1"], "W2": R.normal(size=(2, 5))},
    )
    assert not report.ok and len(lines) == 1
    assert wrong in lines.pop()


def test_a_mean_is_meant_where_the_branch_is_for_an_average(tmp_path):
    given = {"x": R.normal(size=(3, 5)), "W": R.normal(size=(5, 4)), "V": R.normal(size=(3, 2))}
    report, lines = lines_accused(tmp_path, POOLS, "np.mean(part)", "np.sum(part)", given)
    assert not report.ok and len(lines) == 1
    assert "np.sum(part)" in lines.pop()


def test_the_gradient_of_a_penalty_that_was_forgotten_is_missing_where_the_others_are_divided(tmp_path):
    given = {
        "x": R.normal(size=(4, 5)),
        "y": np.array([0, 2, 1, 2]),
        "W": R.normal(size=(5, 6)),
        "V": R.normal(size=(6, 3)),
    }
    report, lines = lines_accused(tmp_path, PENALTY, " + 2 * reg * W", "", given | {"reg": 0.3})
    assert not report.ok
    assert lines == {"dW = dW / len(y)"}


@pytest.mark.parametrize(
    ("source", "gradients"),
    [
        ("loss = a / n + reg * np.sum(W * W)", ["reg * 2 * W"]),
        ("loss += 0.5 * r * (np.sum(W1 ** 2) + np.sum(np.square(W2)))", ["(0.5 * r) * 2 * W1", "(0.5 * r) * 2 * W2"]),
        ("return x - r * np.sum(np.power(W, 2)) / 2", ["-(r * 2 * W / 2)"]),
        ("loss = np.sum((y - x) ** 2)", []),
        ("loss = np.exp(r * np.sum(W ** 2))", []),
    ],
)
def test_the_gradient_of_a_penalty_is_read_from_the_loss(source, gradients):
    assert list(penalties_in(ast.parse(source))) == gradients
