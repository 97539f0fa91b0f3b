"""What names say of the forward pass: a function called after an activation, a branch for a word, an argument that is
only kept; and what is taken for its opposite, or for its neighbour."""

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.named_activations import activation_of

R = np.random.default_rng(37)
NET = """
    class Sigmoid:
        def forward(self, z):
            self.out = 1 / (1 + np.exp(-z))
            return self.out

        def backward(self, d):
            return d * self.out * (1 - self.out)

    class Dropout:
        def __init__(self, rate, mask):
            self.rate, self.mask = rate, mask

        def forward(self, x):
            return x * self.mask / (1 - self.rate)

        def backward(self, d):
            return d * self.mask / (1 - self.rate)

    def softmax(z):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / np.sum(e, axis=1, keepdims=True)

    def affine(x, W, b):
        y = x @ W + b
        cache = (x, W, b)
        return y, cache

    def affine_back(d, cache):
        x, W, b = cache
        return d @ W.T, x.T @ d, d.sum(axis=0)

    def loss_and_gradients(x, y, mask, W1, b1, W2, b2):
        gate, drop = Sigmoid(), Dropout(0.4, mask)
        a, first = affine(x, W1, b1)
        h = drop.forward(gate.forward(a))
        z, second = affine(h, W2, b2)
        p = softmax(z)
        loss = -np.sum(y * np.log(p))
        dh, dW2, db2 = affine_back(p - y, second)
        dx, dW1, db1 = affine_back(gate.backward(drop.backward(dh)), first)
        return loss, dx, dW1, db1, dW2, db2
"""
CLASSES = {"x": R.normal(size=(3, 4)), "y": np.eye(6)[[5, 0, 2]], "mask": (R.random((3, 5)) < 0.6) * 1.0}
CLASSES |= {"W1": R.normal(size=(4, 5)), "b1": R.normal(size=5), "W2": R.normal(size=(5, 6)), "b2": R.normal(size=6)}
WORDS = """
    def relu(z):
        return np.maximum(z, 0)

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def relu_back(d, z):
        return d * (z > 0)

    def sigmoid_back(d, z):
        s = 1 / (1 + np.exp(-z))
        return d * s * (1 - s)

    def activate(z, kind):
        if kind == "relu":
            return relu(z)
        elif kind == "sigmoid":
            return sigmoid(z)

    def activate_back(d, z, kind):
        if kind == "relu":
            return relu_back(d, z)
        elif kind == "sigmoid":
            return sigmoid_back(d, z)

    def loss_and_gradients(x, W1, W2):
        a = x @ W1
        h = activate(a, "relu")
        z = h @ W2
        y = activate(z, "sigmoid")
        loss = np.sum(y ** 2) / 2
        dz = activate_back(y, z, "sigmoid")
        dW2 = h.T @ dz
        da = activate_back(dz @ W2.T, a, "relu")
        return loss, da @ W1.T, x.T @ da, dW2
"""
WORD = {"x": R.normal(size=(3, 4)), "W1": R.normal(size=(4, 5)), "W2": R.normal(size=(5, 2))}
POOL = """
    def forward(x, size):
        rows, cols = x.shape[0] // size[0], x.shape[1] // size[1]
        y = np.zeros((rows, cols))
        for i in range(rows):
            for j in range(cols):
                top = i * size[0]
                left = j * size[1]
                y[i, j] = np.max(x[top:top + size[0], left:left + size[1]])
        return y, (x, size)

    def backward(dy, cache):
        x, size = cache
        dx = np.zeros_like(x)
        for i in range(dy.shape[0]):
            for j in range(dy.shape[1]):
                above = i * size[0]
                beside = j * size[1]
                window = x[above:above + size[0], beside:beside + size[1]]
                best = np.unravel_index(np.argmax(window), window.shape)
                for u in range(size[0]):
                    for v in range(size[1]):
                        if (u, v) == best:
                            dx[above + u, beside + v] += dy[i, j]
        return dx
"""
PICTURE = {"x": R.permutation(54).reshape(6, 9) / 10.0, "size": (2, 3)}
STEPS = """
    def loss_and_gradients(xs, W, U, V):
        h = {-1: np.zeros(4)}
        loss = 0.0
        for t in range(4):
            h[t] = np.tanh(W @ xs[t] + U @ h[t - 1])
            loss += np.sum((V @ h[t]) ** 2) / 2
        dW, dU, dV = np.zeros_like(W), np.zeros_like(U), np.zeros_like(V)
        d, da = {}, {4: np.zeros(4)}
        for t in (3, 2, 1):
            d[t] = V @ h[t]
            dV += np.outer(d[t], h[t])
            da[t] = (V.T @ d[t] + U.T @ da[t + 1]) * (1 - h[t] ** 2)
            dU += np.outer(da[t], h[t - 1])
            dW += np.outer(da[t], xs[t])
        d[0] = V @ h[0]
        dV += np.outer(d[0], h[0])
        da[0] = (V.T @ d[0] + U.T @ da[1]) * (1 - h[0] ** 2)
        dW += np.outer(da[0], xs[0])
        return loss, dW, dU, dV
"""
STEP = {"xs": R.normal(size=(4, 3)), "W": R.normal(size=(4, 3)), "U": R.normal(size=(4, 4)), "V": R.normal(size=(2, 4))}
HUBER = """
    def loss_and_gradients(x, y, w):
        e = x @ w - y
        small = np.abs(e) <= 1.0
        squared = 0.5 * e ** 2
        linear = np.abs(e) - 0.5
        loss = np.mean(np.where(small, squared, linear))
        d = np.where(small, e, np.sign(e)) / len(e)
        return loss, x.T @ d
"""
ERROR = {"x": R.normal(size=(8, 3)), "y": R.normal(size=8), "w": R.normal(size=3)}
NEGATIVES = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    class Pairs:
        def __init__(self, W, C):
            self.W, self.C = W, C

        def forward(self, word, near, others):
            self.v, self.u = self.W[word], self.C[near]
            self.n = self.C[others]
            self.pos = sigmoid(self.u @ self.v)
            self.neg = sigmoid(-self.n @ self.v)
            return -np.log(self.pos) - np.sum(np.log(self.neg))

        def backward(self, word, near, others):
            dW, dC = np.zeros_like(self.W), np.zeros_like(self.C)
            g = self.pos - 1
            dW[word] += g * self.u
            dC[near] += g * self.v
            d = 1 - self.neg
            for i, k in enumerate(others):
                dW[word] += d[i] * self.n[i]
                dC[k] += d[i] * self.v
            return dW, dC

    def loss_and_gradients(W, C):
        pairs = Pairs(W, C)
        loss = pairs.forward(2, 0, [1, 4, 3])
        return loss, *pairs.backward(2, 0, [1, 4, 3])
"""
PAIR = {"W": R.normal(size=(5, 6)), "C": R.normal(size=(5, 6))}
GIVEN = {NET: CLASSES, WORDS: WORD, POOL: PICTURE, STEPS: STEP, HUBER: ERROR, NEGATIVES: PAIR}
CHANGED = {
    "a sigmoid of minus": (NET, "np.exp(-z))", "np.exp(z))"),
    "a softmax over all": (NET, "np.sum(e, axis=1, keepdims=True)", "np.sum(e)"),
    "a bias that is only kept": (NET, "y = x @ W + b", "y = x @ W"),
    "a derivative of a sigmoid that is one": (NET, "self.out * (1 - self.out)", "(1 - self.out ** 2)"),
    "a scale of what is dropped": (NET, "x * self.mask / (1 - self.rate)", "x * self.mask"),
    "a word given to the backward pass": (WORDS, 'W2.T, a, "relu")', 'W2.T, a, "sigmoid")'),
    "what a branch calls, forwards": (WORDS, "return relu(z)", "return sigmoid(z)"),
    "what a sigmoid is given": (WORDS, "d * s * (1 - s)", "d * z * (1 - z)"),
    "the place of the least": (POOL, "np.argmax(window)", "np.argmin(window)"),
    "the same side twice, forwards": (POOL, "left = j * size[1]", "left = j * size[0]"),
    "counters exchanged where it is put": (POOL, "dx[above + u, beside + v]", "dx[above + v, beside + u]"),
    "the half of a square that is chosen": (HUBER, "squared = 0.5 * e ** 2", "squared = e ** 2"),
    "a row of what is not mentioned": (NEGATIVES, "d[i] * self.n[i]", "d[i] * self.u"),
}


@pytest.mark.parametrize("source", GIVEN, ids=["net", "words", "pool", "steps", "huber", "negatives"])
def test_right_programs_of_these_kinds_are_right(tmp_path, source):
    report, lines = lines_accused(tmp_path, source, "", "", GIVEN[source])
    assert report.ok and not lines


@pytest.mark.few(4)
@pytest.mark.parametrize("name", CHANGED)
def test_the_changed_line_is_accused_and_no_other(tmp_path, name):
    source, right, wrong = CHANGED[name]
    report, lines = lines_accused(tmp_path, source, right, wrong, GIVEN[source])
    assert len(lines) == 1 and wrong in lines.pop(), report


def test_of_a_step_that_is_written_out_the_line_that_the_loop_has_is_accused(tmp_path):
    report, lines = lines_accused(tmp_path, STEPS, "dW += np.outer(da[0], xs[0])", "pass", STEP)
    assert lines == {"dW += np.outer(da[t], xs[t])"}, report


@pytest.mark.parametrize(
    ("scope", "kind"),
    [
        ("sigmoid", "sigmoid"),
        ("Net.stable_softmax", "softmax"),
        ("TanhLayer.forward", "tanh"),
        ("ActivationsReluLayer.__call__", "relu"),
        ("relu_backward", None),
        ("d_sigmoid", None),
        ("SoftmaxCrossEntropy.forward", None),
        ("leaky_relu", None),
        ("Net.forward", None),
        ("sigmoid_or_tanh", None),
    ],
)
def test_only_the_name_of_one_activation_alone_says_what_a_function_should_give(scope, kind):
    assert activation_of(scope) == kind
