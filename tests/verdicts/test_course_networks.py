"""Line verdicts on networks as courses have them: weight decay, dropout, sums over the samples in comprehensions,
slopes that layers keep, losses of two terms, nodes that may be used once."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(0)
NETWORK = """
    class Network:
        def __init__(self, weights, biases):
            self.weights, self.biases = weights, biases

        def __getattr__(self, name):
            return None

        def feed(self, x):
            zs, hs = [], [x]
            for w, b in zip(self.weights, self.biases):
                zs.append(w @ hs[-1] + b)
                hs.append(1 / (1 + np.exp(-zs[-1])))
            return zs, hs

        def cost(self, xs, ys, strength):
            total = 0
            for x, y in zip(xs, ys):
                a = self.feed(x)[1][-1]
                total += np.sum(-y * np.log(a) - (1 - y) * np.log(1 - a))
            return total / len(xs) + 0.5 * strength * sum(np.sum(w ** 2) for w in self.weights)

        def back(self, x, y):
            zs, hs = self.feed(x)
            delta = hs[-1] - y
            gradW, gradB = [], []
            for k in range(len(self.weights))[::-1]:
                gradW.insert(0, delta @ hs[k].T)
                gradB.insert(0, delta)
                if k > 0:
                    delta = self.weights[k].T @ delta * hs[k] * (1 - hs[k])
            return gradW, gradB

        def learn(self, xs, ys, strength):
            sums_w = [np.zeros(w.shape) for w in self.weights]
            sums_b = [np.zeros(b.shape) for b in self.biases]
            for x, y in zip(xs, ys):
                more_w, more_b = self.back(x, y)
                sums_w = [s + w for s, w in zip(sums_w, more_w)]
                sums_b = [s + b for s, b in zip(sums_b, more_b)]
            self.found_w = [s / len(xs) + strength * w for s, w in zip(sums_w, self.weights)]
            self.found_b = [s / len(xs) for s in sums_b]

    def loss_and_gradients(x, y, W1, b1, W2, b2):
        net = Network([W1, W2], [b1, b2])
        net.learn(x, y, 0.3)
        return net.cost(x, y, 0.3), *net.found_w, *net.found_b
"""
WEIGHTS = {"W1": (5, 3), "b1": (5, 1), "W2": (2, 5), "b2": (2, 1)}
SAMPLES = {"x": R.normal(size=(4, 3, 1)), "y": R.integers(2, size=(4, 2, 1)).astype(float)}
SAMPLES |= {name: R.normal(size=size) for name, size in WEIGHTS.items()}
LAYERS = """
    class Relu:
        def forward(self, z):
            self.d_input = (z > 0) * 1.0
            return np.maximum(z, 0)

        def backward(self, above):
            return above * self.d_input

    def drop(x, rate):
        np.random.seed(0)
        return (np.random.rand(*x.shape) > rate) / (1 - rate)

    class Net:
        def __init__(self, rate):
            self.rate, self.relu = rate, Relu()

        def forward(self, x, W, V):
            self.x, self.W, self.V = x, W, V
            self.h = self.relu.forward(x @ W)
            self.kept = drop(self.h, self.rate) > 0
            return self.h * self.kept / (1 - self.rate) @ V

        def backward(self, dout):
            dV = (self.h * self.kept / (1 - self.rate)).T @ dout
            dh = dout @ self.V.T * self.kept / (1 - self.rate)
            return self.x.T @ self.relu.backward(dh), dV

    def loss_and_gradients(x, y, W, V):
        net = Net(0.4)
        out = net.forward(x, W, V)
        return np.sum((out - y) ** 2) / 2, *net.backward(out - y)
"""
GIVEN = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 6)), "V": R.normal(size=(6, 2))}
NODES = """
    class Node:
        def __init__(self, value, back):
            self.value, self.back = value, back

    class Loss(Node):
        pass

    def loss_of(x, y, W, b):
        a = np.tanh(x @ W + b)

        def back():
            dz = (a - y) * (1 - a ** 2)
            return x.T @ dz, dz.sum(axis=0)
        return Loss(np.sum((a - y) ** 2) / 2, back)

    def gradients(loss):
        assert not hasattr(loss, "used"), "it was used already"
        loss.used = True
        return loss.back()

    def loss_and_gradients(x, y, W, b):
        loss = loss_of(x, y, W, b)
        return loss.value, *gradients(loss)
"""
WORDS = """
    def softmax(z):
        e = np.exp(z - z.max(axis=0))
        return e / e.sum(axis=0)

    def back_prop(x, yhat, y, z, h, W1, W2, kind):
        n = x.shape[1]
        l1 = np.dot(W2.T, (yhat - y))
        if kind == "tanh":
            slope = 1 - h ** 2
        else:
            slope = z.copy()
            slope[z <= 0] = 0
            slope[z > 0] = 1
        l1 = slope * l1
        dW1 = np.dot(l1, x.T) / n
        dW2 = np.dot(yhat - y, h.T) / n
        db1 = l1.sum(axis=1, keepdims=True) / n
        db2 = (yhat - y).sum(axis=1, keepdims=True) / n
        return dW1, dW2, db1, db2

    def loss_and_gradients(x, y, W1, W2, b1, b2):
        z = W1 @ x + b1
        h = np.maximum(z, 0)
        yhat = softmax(W2 @ h + b2)
        loss = -np.sum(y * np.log(yhat)) / x.shape[1]
        return loss, *back_prop(x, yhat, y, z, h, W1, W2, "relu")
"""
COLUMNS = {"x": R.normal(size=(5, 4)), "y": np.eye(5)[:, [0, 2, 1, 4]], "W1": R.normal(size=(6, 5))}
COLUMNS |= {"W2": R.normal(size=(5, 6)), "b1": R.normal(size=(6, 1)), "b2": R.normal(size=(5, 1))}
ONCE = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 2)), "b": R.normal(size=2)}


@pytest.mark.parametrize(
    ("source", "given", "right", "wrong", "accused"),
    [
        (NETWORK, SAMPLES, "sums_b = [s + b for", "sums_b = [b for", "sums_b = [b for s, b in zip(sums_b, more_b)]"),
        (NETWORK, SAMPLES, "+ 0.5 * strength", "+ strength", "return total / len(xs) + strength * sum("),
        (NETWORK, SAMPLES, " - (1 - y) * np.log(1 - a))", ")", "total += np.sum(-y * np.log(a))"),
        (NETWORK, SAMPLES, "delta = hs[-1] - y", "delta = (hs[-1] - y) * hs[-1]", "delta = (hs[-1] - y) * hs[-1]"),
        (LAYERS, GIVEN, "return above * self.d_input", "return above", "return above"),
        (LAYERS, GIVEN, "@ self.V.T * self.kept / (1 - self.rate)", "@ self.V.T * self.kept", "dh = dout @ self.V.T"),
        (WORDS, COLUMNS, "np.dot(W2.T, (yhat - y))", "np.dot(W1, (yhat - y))", "l1 = np.dot(W1, (yhat - y))"),
        (WORDS, COLUMNS, "            slope[z > 0] = 1\n", "", "slope[z <= 0] = 0"),
        (WORDS, COLUMNS, "np.sum(y * np.log(", "np.sum(y * np.log2(", "loss = -np.sum(y * np.log2(yhat))"),
        (NODES, ONCE, "dz.sum(axis=0)", "dz.mean(axis=0)", "return x.T @ dz, dz.mean(axis=0)"),
    ],
)
def test_the_line_is_accused_that_was_changed(tmp_path, source, given, right, wrong, accused):
    report, lines = lines_accused(tmp_path, source, right, wrong, given)
    assert len(lines) == 1 and min(lines).startswith(accused), report


@pytest.mark.parametrize(("source", "given"), [(NETWORK, SAMPLES), (LAYERS, GIVEN), (WORDS, COLUMNS), (NODES, ONCE)])
def test_they_are_right_as_they_are(tmp_path, source, given):
    report, lines = lines_accused(tmp_path, source, "", "", given)
    assert report.ok and not lines, report
