"""Line verdicts on sizes, sums and means, on what a function forgets to fill, carry on or add, and on what all results
have in common."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(0)
DENSE = """
    def layer_back(dz, a, W):
        m = a.shape[1]
        dW = 1 / m * np.dot(dz, a.T)
        db = np.sum(dz, axis=1, keepdims=True) / m
        return np.dot(W.T, dz), dW, db

    def cost_of(p, y):
        m = y.shape[1]
        return -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum() / m

    def loss_and_gradients(x, y, W1, b1, W2, b2):
        m = x.shape[1]
        h = np.tanh(np.dot(W1, x) + b1)
        p = 1 / (1 + np.exp(-(np.dot(W2, h) + b2)))
        dz = p - y
        dh, dW2, db2 = layer_back(dz, h, W2)
        _, dW1, db1 = layer_back(dh * (1 - h ** 2), x, W1)
        return cost_of(p, y), dW1, db1, dW2, db2
"""
LOGISTIC = """
    def loss_and_gradients(w, b, x, y):
        m = x.shape[1]
        p = 1 / (1 + np.exp(-(np.dot(w.T, x) + b)))
        loss = -1 / m * np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))
        dw = 1 / m * np.dot(x, (p - y).T)
        db = 1 / m * np.sum(p - y)
        return loss, dw, db
"""
TOTALS = """
    def loss_and_gradients(x, y, W1, b1, W2, b2):
        N = len(x)
        h = 1 / (1 + np.exp(-(x @ W1 + b1)))
        z = np.exp(h @ W2 + b2)
        p = z / z.sum(axis=1, keepdims=True)
        loss = -np.sum(y * np.log(p)) / N
        dz2 = p - y
        dW2 = np.dot(h.T, dz2)
        db2 = np.sum(dz2, axis=0)
        dh = np.dot(dz2, W2.T)
        dz1 = dh * h * (1 - h)
        dW1 = np.dot(x.T, dz1)
        db1 = np.sum(dz1, axis=0)
        gradW1 = dW1 / N
        gradb1 = db1 / N
        gradW2 = dW2 / N
        gradb2 = db2 / N
        return loss, gradW1, gradb1, gradW2, gradb2
"""
WINDOWS = """
    class Windows:
        def __init__(self, width):
            self.width = width

        def forward(self, x):
            self.x = x
            out = np.zeros((len(x), self.W.shape[1], x.shape[1] - self.width + 1))
            for k in range(out.shape[2]):
                out[:, :, k] = x[:, k:k + self.width] @ self.W + self.b
            return out

        def backward(self, grads):
            self.dW = np.zeros_like(self.W)
            self.db = np.sum(grads, axis=(0, 2))
            for k in range(grads.shape[2]):
                self.dW += self.x[:, k:k + self.width].T @ grads[:, :, k]

    def loss_and_gradients(x, kernel, shift):
        layer = Windows(3)
        layer.W, layer.b = kernel, shift
        out = layer.forward(x)
        layer.backward(np.cos(out))
        return np.sum(np.sin(out)), layer.dW, layer.db
"""
ONE_STEP = """
    def single(part, W, b):
        Z = np.sum(part * W)
        Z = Z + b.item()
        return Z

    def loss_and_gradients(x, W, b):
        out = np.array([[single(x[i:i + 2], W[c], b[c:c + 1]) for c in range(len(W))] for i in range(len(x) - 1)])
        above = np.cos(out)
        dW, db = np.zeros_like(W), np.zeros_like(b)
        for i in range(len(out)):
            for c in range(len(W)):
                dW[c] += above[i, c] * x[i:i + 2]
                db[c] += above[i, c]
        return np.sum(np.sin(out)), dW, db
"""
CARRIED = """
    def step_back(dh, dc, cache):
        h, c, f, w = cache
        dc = dc + dh * (1 - np.tanh(c) ** 2)
        return {"dW": np.sum(dc * w), "dh_prev": 0.3 * dh + 0.1 * dc, "dc_prev": dc * f}

    def forward(x, W):
        h, c, caches = np.zeros(x.shape[1]), np.zeros(x.shape[1]), []
        for t in range(len(x)):
            h, c, w = 0.3 * h + np.tanh(0.5 * c + 0.1 * h + W * x[t]), 0.5 * c + 0.1 * h + W * x[t], x[t]
            caches.append((h, c, 0.5, w))
        return h, caches

    def loss_and_gradients(x, W):
        h, caches = forward(x, W)
        dh_start, dc_start, dW = np.cos(h), np.zeros_like(h), 0.0
        dc_next = dc_start
        dh_next = dh_start
        for t in reversed(range(len(x))):
            grads = step_back(dh_next, dc_next, caches[t])
            dW += grads["dW"]
            dc_next = grads["dc_prev"]
            dh_next = grads["dh_prev"]
        return np.sum(np.sin(h)), np.array([dW])
"""
LETTERS = """
    def loss_and_gradients(x, y, W, V, U):
        hs, ps, loss = {-1: np.zeros((len(W), 1))}, {}, 0
        for t in range(len(y)):
            hs[t] = np.tanh(W @ x[t][:, None] + V @ hs[t - 1])
            z = U @ hs[t]
            ps[t] = np.exp(z) / np.sum(np.exp(z))
            loss += -np.log(ps[t][y[t], 0])
        dW, dV, dU, dnext = np.zeros_like(W), np.zeros_like(V), np.zeros_like(U), np.zeros((len(W), 1))
        for t in reversed(range(len(y))):
            dz = np.copy(ps[t])
            dz[y[t]] -= 1
            dU += dz @ hs[t].T
            da = (1 - hs[t] * hs[t]) * (U.T @ dz + dnext)
            dW += da @ x[t][None]
            dV += da @ hs[t - 1].T
            dnext = V.T @ da
        return loss, dW, dV, dU
"""
WORDS = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def whole(v, target, U):
        z = U @ v
        p = np.exp(z) / np.sum(np.exp(z))
        d = p.copy()
        d[target] -= 1
        dv = np.dot(d, U)
        return -np.log(p[target]), dv, np.outer(d, v)

    def negative_samples(v, target, U, others):
        rows = U[[target, *others]]
        cost = -np.log(sigmoid(rows[0] @ v)) - np.sum(np.log(sigmoid(-(rows[1:] @ v))))
        wanted = np.zeros(len(rows))
        wanted[0] = 1.0
        d = sigmoid(rows @ v) - wanted
        dU = np.zeros_like(U)
        for k, row in enumerate([target, *others]):
            dU[row] += d[k] * v
        return cost, d @ rows, dU

    def loss_and_gradients(v, U):
        first = whole(v, 1, U)
        second = negative_samples(v, 2, U, [0, 3, 4])
        return tuple(a + b for a, b in zip(first, second))
"""
HIDDEN = """
    def loss_and_gradients(x, W, b, V, c):
        h = np.tanh(x @ W + b)
        out = h @ V + c
        d = np.cos(out)
        da = (d @ V.T) * (1 - h ** 2)
        return np.sum(np.sin(out)), x.T @ da, da.sum(axis=0), h.T @ d, d.sum(axis=0)
"""
DROPPED = """
    def loss_and_gradients(x, y, W1, W2, W3, kept):
        np.random.seed(1)
        a1 = np.maximum(0, W1 @ x)
        d1 = (np.random.rand(*a1.shape) < kept).astype(int)
        a1 *= d1
        a1 /= kept
        a2 = np.maximum(0, W2 @ a1)
        d2 = (np.random.rand(*a2.shape) < kept).astype(int)
        a2 *= d2
        a2 /= kept
        p = 1 / (1 + np.exp(-(W3 @ a2)))
        loss = np.sum(np.multiply(-np.log(p), y) + np.multiply(-np.log(1 - p), 1 - y))
        dz = p - y
        dW3 = dz @ a2.T
        da2 = W3.T @ dz
        da2 *= d2
        da2 /= kept
        dz2 = np.multiply(da2, np.int64(a2 > 0))
        dW2 = dz2 @ a1.T
        da1 = W2.T @ dz2
        da1 *= d1
        da1 /= kept
        dz1 = np.multiply(da1, np.int64(a1 > 0))
        return loss, dz1 @ x.T, dW2, dW3
"""
KINDS = """
    def relu_slope(d, z):
        return d * (z > 0)

    def sigmoid_slope(d, z):
        s = 1 / (1 + np.exp(-z))
        return d * s * (1 - s)

    def layer(x, W, kind):
        z = W @ x
        return (np.maximum(0, z) if kind == "relu" else 1 / (1 + np.exp(-z))), (x, W, z)

    def layer_back(d, cache, kind):
        x, W, z = cache
        if kind == "relu":
            dz = relu_slope(d, z)
        elif kind == "sigmoid":
            dz = sigmoid_slope(d, z)
        return W.T @ dz, dz @ x.T

    def loss_and_gradients(x, W1, W2):
        a, first = layer(x, W1, "relu")
        out, second = layer(a, W2, "sigmoid")
        da, dW2 = layer_back(np.cos(out), second, "sigmoid")
        _, dW1 = layer_back(da, first, "relu")
        return np.sum(np.sin(out)), dW1, dW2
"""
CLASSES = (np.arange(6) % 3 == np.arange(3)[:, None]).astype(float)
NET = {"W1": R.normal(size=(5, 4)), "b1": R.normal(size=(5, 1)), "W2": R.normal(size=(3, 5))}
NET |= {"b2": R.normal(size=(3, 1)), "x": R.normal(size=(4, 6)), "y": CLASSES}
LINE = {"w": R.normal(size=(4, 1)), "b": 0.3, "x": R.normal(size=(4, 5))}
LINE |= {"y": R.integers(2, size=(1, 5)).astype(float)}
ROWS = {"x": NET["x"].T, "y": NET["y"].T, "W1": NET["W1"].T, "b1": NET["b1"].T[0], "W2": NET["W2"].T}
ROWS |= {"b2": NET["b2"].T[0]}
PARTS = {"x": R.normal(size=(4, 6)), "kernel": R.normal(size=(3, 2)), "shift": R.normal(size=2)}
SERIES = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(2, 2, 3)), "b": R.normal(size=2)}
STATES = {"x": R.normal(size=(4, 3)), "W": np.array([0.7])}
TEXT = {"x": R.normal(size=(4, 3)), "y": np.array([1, 0, 3, 2]), "W": R.normal(size=(5, 3)), "V": R.normal(size=(5, 5))}
TEXT |= {"U": R.normal(size=(4, 5))}
LAYERS = {"x": R.normal(size=(4, 5)), "W": R.normal(size=(5, 3)), "b": R.normal(size=3)}
LAYERS |= {"V": R.normal(size=(3, 3)), "c": R.normal(size=3)}
DEEP = {"x": R.normal(size=(4, 6)), "y": R.integers(2, size=(2, 6)).astype(float), "W1": R.normal(size=(7, 4))}
DEEP |= {"W2": R.normal(size=(6, 7)), "W3": R.normal(size=(2, 6)), "kept": 0.7}
TWO = {"x": R.normal(size=(4, 3)), "W1": R.normal(size=(5, 4)), "W2": R.normal(size=(3, 5))}
VECTORS = {"v": R.normal(size=3), "U": R.normal(size=(6, 3))}
CASES = {
    "no size that would be one": (DENSE, NET, "dz = p - y", "dz = (p - y) / m"),
    "the mean of a table": (DENSE, NET, ".sum() / m", ".mean()"),
    "the other term of a loss": (DENSE, NET, "(1 - y) * np.log(1 - p)", "y * np.log(1 - p)"),
    "the sum that two gradients divide": (LOGISTIC, LINE, "-1 / m * np.sum(y", "-np.sum(y"),
    "what is divided as others are": (TOTALS, ROWS, "np.sum(dz2, axis=0)", "np.mean(dz2, axis=0)"),
    "a difference that all goes through": (TOTALS, ROWS, "dz2 = p - y", "dz2 = y - p"),
    "a shift that the object calls otherwise": (WINDOWS, PARTS, "@ self.W + self.b", "@ self.W"),
    "a number that is given as an array": (ONE_STEP, SERIES, "        Z = Z + b.item()\n", ""),
    "what is moved on as another": (CARRIED, STATES, '            dc_next = grads["dc_prev"]\n', ""),
    "a loss that is not added up": (LETTERS, TEXT, "loss += -np.log", "loss = -np.log"),
    "the slope of a state": (LETTERS, TEXT, "(1 - hs[t] * hs[t]) *", "hs[t] * (1 - hs[t]) *"),
    "a shift within a layer that is right without": (HIDDEN, LAYERS, "np.tanh(x @ W + b)", "np.tanh(x @ W)"),
    "a mean over negative samples": (WORDS, VECTORS, "np.sum(np.log(sigmoid(-", "np.mean(np.log(sigmoid(-"),
    "what a sibling is scaled by": (DROPPED, DEEP, "        a1 *= d1\n        a1 /= kept\n", "        a1 *= d1\n"),
    "and its gradient": (DROPPED, DEEP, "        da1 *= d1\n        da1 /= kept\n", "        da1 *= d1\n"),
    "the second term of a loss": (DROPPED, DEEP, "-np.log(1 - p), 1 - y", "-np.log(p), 1 - y"),
    "the slope that a branch is for": (KINDS, TWO, "dz = relu_slope(d, z)", "dz = sigmoid_slope(d, z)"),
    "one place": (WORDS, VECTORS, "d[target] -= 1", "d -= 1"),
    "zeros that nothing fills": (WORDS, VECTORS, "        wanted[0] = 1.0\n", ""),
    "one product for their sum": (WORDS, VECTORS, "np.dot(d, U)", "d[target] * U[target]"),
}
LEFT_OUT = {  # the line that is accused where one is left out
    "what a sibling is scaled by": "a1 *= d1",
    "and its gradient": "da1 *= d1",
    "a number that is given as an array": "Z = np.sum(part * W)",
    "what is moved on as another": "dc_next = dc_start",
    "zeros that nothing fills": "wanted = np.zeros(len(rows))",
}


@pytest.mark.parametrize("name", CASES)
def test_one_line_is_accused(tmp_path, name):
    source, inputs, right, wrong = CASES[name]
    assert lines_accused(tmp_path, source, "", "", inputs)[0].ok
    report, lines = lines_accused(tmp_path, source, right, wrong, inputs)
    assert not report.ok and len(lines) == 1
    assert (LEFT_OUT.get(name) or wrong) in lines.pop()


def test_what_is_done_alike_with_all_results_is_not_at_fault_where_one_is_wrong(tmp_path):
    report, _ = lines_accused(tmp_path, WORDS, "np.outer(d, v)", "np.outer(np.cumsum(d), v * v)", VECTORS)
    told = [*report.problems, *(row.text for row in report.wrong)]
    assert not report.ok and told
    assert not any("of loss_and_gradients" in one for one in report.problems)
