"""Right programs as other people write them: something beside the gradients looks like one, or a little is added."""

import numpy as np
import pytest
from written_modules import judged, written

SOFTMAX = """
    class Attention:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W_q, self.W_k = r.normal(size=(4, 4)), r.normal(size=(4, 4))
        def forward(self, x):
            self.x, self.q, self.k = x, x @ self.W_q, x @ self.W_k
            s = self.q @ self.k.T / 2
            e = np.exp(s - np.max(s, axis=-1, keepdims=True))
            self.p = e / (np.sum(e, axis=-1, keepdims=True) + 1e-8)
            return self.p @ x
        def backward(self, dout):
            dp = dout @ self.x.T
            ds = self.p * (dp - np.sum(dp * self.p, axis=-1, keepdims=True)) / 2
            dq, dk = ds @ self.k, ds.T @ self.q
            dx = self.p.T @ dout + dq @ self.W_q.T + dk @ self.W_k.T
            return dx, self.x.T @ dq, self.x.T @ dk
"""
LEFT_BEHIND = """
    class Scale:
        def __init__(self):
            self.gamma, self.beta = np.ones(3), np.zeros(3)
            self.params = {"gamma": self.gamma, "beta": self.beta}
            self.grads = {name: np.zeros(3) for name in self.params}
            self.gamma, self.beta = np.array([1.0, 2.0, 0.5]), np.array([0.1, 0.2, 0.3])
        def __call__(self, x):
            self.x = x
            return self.gamma * x**2 + self.beta
        def forward(self, x):
            return self(x)
        def backward(self, dout):
            self.grads["gamma"] = np.sum(dout * self.x**2, axis=0)
            self.grads["beta"] = np.sum(dout, axis=0)
            return dout * 2 * self.gamma * self.x
"""
WITHIN = """
    class Tanh:
        def forward(self, inputs):
            self.output = np.tanh(inputs)
            return self.output
        def backward(self, dvalues):
            self.dinputs = dvalues * (1 - self.output**2)

    class Recurrent:
        def __init__(self):
            r = np.random.default_rng(0)
            self.Wx, self.Wh, self.h0, self.tanh = r.normal(size=(3, 4)), r.normal(size=(3, 3)), np.ones((3, 1)), Tanh()
        def forward(self, inputs):
            self.inputs, self.h, h = inputs, [], self.h0
            for x in inputs:
                h = self.tanh.forward(self.Wx @ x.reshape(-1, 1) + self.Wh @ h)
                self.h.append(h)
            return np.hstack(self.h).T
        def backward(self, dvalues):
            dWx, dWh, dh_next = np.zeros_like(self.Wx), np.zeros_like(self.Wh), np.zeros((3, 1))
            for t in reversed(range(len(dvalues))):
                dh = dvalues[t].reshape(-1, 1) + dh_next
                self.tanh.output = self.h[t]
                self.tanh.backward(dh)
                dht = self.tanh.dinputs
                dWx += dht @ self.inputs[t].reshape(1, -1)
                dWh += dht @ (self.h[t - 1] if t > 0 else self.h0).T
                dh_next = self.Wh.T @ dht
            return dWx, dWh
"""
WORDS = """
    class Words:
        def __init__(self):
            self.W, self.V = np.random.default_rng(0).normal(size=(3, 5)), np.random.default_rng(1).normal(size=(2, 3))
        def forward(self, X):
            self.X = X
            out = X
            return {"input_ids": out, "features": self.W.T[X].sum(axis=1)}
        def loss_and_gradients(self, X, y):
            out = self.forward(X)["features"]
            scores = out @ self.V.T
            p = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
            loss = -np.sum(y * np.log(abs(p)))
            dscores = p - y
            dV, dout = dscores.T @ out, dscores @ self.V
            dW = np.zeros_like(self.W)
            np.add.at(dW.T, X, dout[:, None, :])
            return loss, dW, dV
"""
KEPT = """
    class Regression:
        def __init__(self):
            r = np.random.default_rng(0)
            self.weights, self.bias = {"wy": r.normal(size=(2, 3))}, {"by": r.normal(size=(2, 1))}
            self.gradient = {}
        def forward(self, x):
            self.x = x
            return self.weights["wy"] @ x.reshape(-1, 1) + self.bias["by"]
        def loss_and_gradients(self, x, label):
            y = self.forward(x).ravel()
            self.gradient["z"] = y - label
            self.gradient["wy"] = self.gradient["z"].reshape(-1, 1) @ x.reshape(1, -1)
            self.gradient["by"] = self.gradient["z"].reshape(-1, 1)
            boxes = ({name: self.gradient[name] for name in names} for names in (self.weights, self.bias))
            return 0.5 * np.sum((y - label) ** 2), *boxes
"""
ROWS = np.random.default_rng(1).normal(size=(5, 4))
CASES = {  # source, class, inputs, a right line and what it becomes
    "a small number against a division by zero": (
        SOFTMAX, "Attention", {"x": ROWS},
        "dq, dk = ds @ self.k", "dq, dk = ds @ self.q",
    ),
    "a dict of weights that the object has replaced": (
        LEFT_BEHIND, "Scale", {"x": ROWS[:, :3]},
        "dout * self.x**2", "dout * self.x",
    ),
    "what an object within keeps of its own": (
        WITHIN, "Recurrent", {"inputs": ROWS},
        "self.Wh.T @ dht", "self.Wh @ dht",
    ),
    "whole numbers that are handed on": (
        WORDS, "Words", {"X": np.array([[0, 3], [4, 3]]), "y": np.eye(2)},
        "p - y", "y - p",
    ),
    "the gradient of the scores, kept, of a bias in a column": (
        KEPT, "Regression", {"x": ROWS[0, :3], "label": ROWS[1, :2]},
        'self.gradient["z"].reshape(-1, 1)\n', '2 * self.gradient["z"].reshape(-1, 1)\n',
    ),
}  # fmt: skip


@pytest.mark.few(1)
@pytest.mark.parametrize("case", CASES)
def test_right_code_is_right_and_its_mistake_is_found_with(tmp_path, case):
    source, name, inputs, right, wrong = CASES[case]
    methods = ("loss_and_gradients",) * 2 if "loss_and" in source else ("forward", "backward")
    for text, expected in ((source, True), (source.replace(right, wrong), False)):
        folder = tmp_path / str(expected)
        folder.mkdir()
        path = written(folder, program=text)
        report, accused = judged(path, lambda module: getattr(module, name)(), methods=methods, **inputs)
        assert report.ok == expected and not report.not_compared, report
        assert len(accused) == (not expected), report
        assert all(wrong.strip() in line for line in accused), report
