"""Weights that are one array, two nets that call their weights the same, tensors that look like arrays; lengths, and
losses that are means."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(38)
ONE = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def sigmoid_grad(f):
        return f * (1 - f)

    def softmax(z):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def loss_and_gradients(x, y, params):
        W1 = np.reshape(params[:20], (4, 5))
        b1 = np.reshape(params[20:25], (1, 5))
        W2 = np.reshape(params[25:55], (5, 6))
        b2 = np.reshape(params[55:], (1, 6))
        h = sigmoid(x @ W1 + b1)
        p = softmax(h @ W2 + b2)
        loss = -np.sum(y * np.log(p))
        d = p - y
        db2 = np.sum(d, axis=0, keepdims=True)
        dW2 = h.T @ d
        da = d @ W2.T * sigmoid_grad(h)
        db1 = np.sum(da, axis=0, keepdims=True)
        dW1 = x.T @ da
        grad = np.concatenate((dW1.flatten(), db1.flatten(), dW2.flatten(), db2.flatten()))
        return loss, grad
"""
CLASSES = {"x": R.normal(size=(3, 4)), "y": np.eye(6)[[5, 0, 2]]}
PARAMS = CLASSES | {"params": R.normal(size=61)}
TWO = """
    class Line:
        def forward(self, x):
            self.x = x
            return x @ self.W1 + self.b1

        def backward(self, d):
            return {"W1": self.x.T @ d, "b1": d.sum(axis=0)}

    class Net:
        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W1 + self.b1)
            return self.h @ self.W2 + self.b2

        def backward(self, d):
            da = (d @ self.W2.T) * (1 - self.h ** 2)
            return [self.x.T @ da, da.sum(axis=0), self.h.T @ d, d.sum(axis=0)]

    def loss_and_gradients(x, A, a, W1, b1, W2, b2):
        line, net = Line(), Net()
        line.W1, line.b1 = A, a
        net.W1, net.b1, net.W2, net.b2 = W1, b1, W2, b2
        first, second = line.forward(x), net.forward(x)
        grads, rest = line.backward(first), net.backward(second)
        return (np.sum(first ** 2) + np.sum(second ** 2)) / 2, *(grads[k] for k in ("W1", "b1")), *rest
"""
NETS = {"x": R.normal(size=(3, 4)), "A": R.normal(size=(4, 2)), "a": R.normal(size=2), "W1": R.normal(size=(4, 5))}
NETS |= {"b1": R.normal(size=5), "W2": R.normal(size=(5, 6)), "b2": R.normal(size=6)}
TENSOR = """
    class Tensor:
        def __init__(self, data, parents=(), back=None):
            self.data, self.parents, self.back = np.array(data), parents, back
            self.grad = None

        @property
        def dtype(self):
            return self.data.dtype

        @property
        def ndim(self):
            return self.data.ndim

        def __len__(self):
            return len(self.data)

        def __getitem__(self, key):
            return Tensor(self.data[key])

    class Rows:
        @staticmethod
        def calculate(grad, words, table):
            found = np.zeros_like(table.data)
            for k in range(len(words)):
                found[words.data[k]] += grad[k]
            return found

    class Product:
        @staticmethod
        def calculate(grad, x, W):
            return grad @ W.data.T, x.data.T @ grad

    def rows(words, table):
        return Tensor(table.data[words.data], (words, table), Rows)

    def product(x, W):
        return Tensor(x.data @ W.data, (x, W), Product)

    def loss_and_gradients(words, table, W):
        words, table, W = Tensor(words), Tensor(table), Tensor(W)
        x = rows(words, table)
        y = product(x, W)
        W.grad = y.back.calculate(y.data, *y.parents)
        x.grad, W.grad = W.grad
        table.grad = x.back.calculate(x.grad, *x.parents)
        return np.sum(y.data ** 2) / 2, table.grad, W.grad
"""
WORDS = {"words": np.array([2, 0, 2]), "table": R.normal(size=(4, 5)), "W": R.normal(size=(5, 3))}
MEAN = """
    class Loss:
        def forward(self, z, label):
            self.z, self.label = z, label
            each = np.log(np.sum(np.exp(z), axis=1)) - z[np.arange(len(z)), label]
            return np.mean(each)

        def backward(self):
            e = np.exp(self.z)
            d = e / np.sum(e, axis=1)[:, None]
            d[np.arange(len(d)), self.label] -= 1
            d /= self.label.shape[0]
            return d

    def loss_and_gradients(x, label, W, b):
        loss = Loss()
        value = loss.forward(x @ W + b, label)
        d = loss.backward()
        return value, x.T @ d, d.sum(axis=0)
"""
LABELS = {"x": R.normal(size=(4, 3)), "label": np.array([4, 0, 2, 2]), "W": R.normal(size=(3, 5))}
LABELS |= {"b": R.normal(size=5)}
SIZE = """
    def loss_and_gradients(x, y, W, V):
        h = np.maximum(W @ x, 0)
        e = V @ h - y
        loss = np.sum(e ** 2) / (2 * x.shape[1])
        m = x.shape[1]
        dV = 1 / m * e @ h.T
        dh = V.T @ e * (h > 0)
        dW = 1 / m * dh @ x.T
        return loss, dW, dV
"""
SAMPLES = {
    "x": R.normal(size=(4, 3)),
    "y": R.normal(size=(2, 3)),
    "W": R.normal(size=(5, 4)),
    "V": R.normal(size=(2, 5)),
}
WINDOWS = """
    class Windows:
        def __init__(self, K):
            self.K = K

        def forward(self, x):
            self.x = x
            y = np.zeros((x.shape[0] - 2, x.shape[1] - 2))
            for i in range(y.shape[0]):
                for j in range(y.shape[1]):
                    part = x[i:i + 3, j:j + 3]
                    y[i, j] = np.sum(part * self.K)
            return y

        def backward(self, d):
            dK, dx = np.zeros_like(self.K), np.zeros_like(self.x)
            for i in range(d.shape[0]):
                for j in range(d.shape[1]):
                    part = self.x[i:i + 3, j:j + 3]
                    dK += d[i, j] * part
                    dx[i:i + 3, j:j + 3] += d[i, j] * self.K
            return dK, dx

    def loss_and_gradients(x, K):
        windows = Windows(K)
        y = windows.forward(x)
        return np.sum(y ** 2) / 2, *windows.backward(y)[::-1]
"""
BOTH = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def sigmoid_prime(a):
        return a * (1 - a)

    def both(x, y, U, V):
        h = sigmoid(np.matmul(U, x))
        o = sigmoid(np.matmul(V, h))
        error = o - y
        gradient2 = error * sigmoid_prime(o)
        change2 = np.matmul(gradient2, h.T)
        below = np.matmul(V.T, gradient2)
        gradient1 = below * sigmoid_prime(h)
        return error, np.matmul(gradient1, x.T), change2

    def loss_and_gradients(xs, ys, U, V):
        total, found = 0, [0, 0]
        for x, y in zip(xs, ys):
            error, *changes = both(x, y, U, V)
            total += np.sum(error ** 2) / 2
            found = [old + new for old, new in zip(found, changes)]
        return total, *found
"""
PAIRS = {"xs": R.normal(size=(3, 4, 1)), "ys": R.random((3, 2, 1)), "U": R.normal(size=(5, 4))}
PAIRS |= {"V": R.normal(size=(2, 5))}
PICTURE = {"x": R.normal(size=(5, 6)), "K": R.normal(size=(3, 3))}
GIVEN = {ONE: PARAMS, TWO: NETS, TENSOR: WORDS, MEAN: LABELS, SIZE: SAMPLES, WINDOWS: PICTURE, BOTH: PAIRS}
CHANGED = {
    "what a derivative is given": (ONE, "f * (1 - f)", "sigmoid(f) * (1 - sigmoid(f))"),
    "a difference where all is one function": (ONE, "d = p - y", "d = y - p"),
    "a sum of one array": (ONE, "db1 = np.sum(da, ", "db1 = np.mean(da, "),
    "the first of two nets": (TWO, "self.x.T @ d, ", "2 * self.x.T @ d, "),
    "the second of two nets": (TWO, "(1 - self.h ** 2)", "(1 - self.h)"),
    "rows that are added up": (TENSOR, "found[words.data[k]] += grad[k]", "found[words.data[k]] = grad[k]"),
    "a transpose of tensors": (TENSOR, "x.data.T @ grad", "x.data.T @ (2 * grad)"),
    "a loss that is no mean": (MEAN, "np.mean(each)", "np.sum(each)"),
    "a slope where one function does both": (BOTH, "gradient2 = error * sigmoid_prime(o)", "gradient2 = error"),
    "a transpose too many": (WINDOWS, "d[i, j] * part", "d[i, j] * part.T"),
    "a length that is another one": (SIZE, "m = x.shape[1]", "m = x.shape[0]"),
}


@pytest.mark.parametrize(
    "source", GIVEN, ids=["one array", "two nets", "tensors", "mean", "size", "windows", "both passes"]
)
def test_right_programs_of_these_kinds_are_right(tmp_path, source):
    report, lines = lines_accused(tmp_path, source, "", "", GIVEN[source])
    assert report.ok and not lines


@pytest.mark.few(4)
@pytest.mark.parametrize("name", CHANGED)
def test_the_changed_line_is_accused_and_no_other(tmp_path, name):
    source, right, wrong = CHANGED[name]
    report, lines = lines_accused(tmp_path, source, right, wrong, GIVEN[source])
    assert len(lines) == 1 and wrong in lines.pop(), report


def test_a_division_that_was_deleted_is_missing_and_its_loss_no_sum(tmp_path):
    report, lines = lines_accused(tmp_path, MEAN, "d /= self.label.shape[0]", "pass", LABELS)
    assert len(lines) == 1 and lines.pop().startswith("d"), report
