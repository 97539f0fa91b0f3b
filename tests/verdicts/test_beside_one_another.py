"""What is done to one thing and not to another beside it, sums by weights, and programs that work sample by sample."""

import ast

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.statements import filled_again_for_nothing

R = np.random.default_rng(35)
SAMPLES = """
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def d_sigmoid(x):
        y = sigmoid(x)
        return y * (1 - y)

    class Net:
        def __init__(self, w, b):
            self.w, self.b = dict(enumerate(w, 1)), dict(enumerate(b, 1))

        def fit(self, x, y, rate):
            loss, grow_w, grow_b = 0.0, {}, {}
            for k in self.w:
                grow_w[k] = np.zeros_like(self.w[k])
                grow_b[k] = np.zeros_like(self.b[k])
            for i in range(x.shape[0]):
                a, h = {}, {0: x[i]}
                for k in self.w:
                    a[k] = self.w[k] @ h[k - 1] + self.b[k]
                    h[k] = sigmoid(a[k])
                loss += np.sum((h[2] - y[i]) ** 2) / 2
                g = h[2] - y[i]
                for k in (2, 1):
                    g = g * d_sigmoid(a[k])
                    grow_w[k] += np.outer(g, h[k - 1])
                    grow_b[k] += g
                    g = self.w[k].T @ g
            self.loss = loss / x.shape[0]
            for k in self.w:
                grow_w[k] /= x.shape[0]
                grow_b[k] /= x.shape[0]
            for k in self.w:
                self.w[k] -= rate * grow_w[k]
                self.b[k] -= rate * grow_b[k]

    def loss_and_gradients(x, y, w1, b1, w2, b2):
        net = Net([w1.copy(), w2.copy()], [b1.copy(), b2.copy()])
        net.fit(x, y, 1.0)
        return net.loss, w1 - net.w[1], b1 - net.b[1], w2 - net.w[2], b2 - net.b[2]
"""
SAMPLE = {"x": R.normal(size=(3, 4)), "y": R.random((3, 2)), "w1": R.normal(size=(5, 4)), "b1": R.normal(size=5)}
SAMPLE |= {"w2": R.normal(size=(2, 5)), "b2": R.normal(size=2)}
WORDS = """
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def loss_and_gradients(word, near, others, W, C):
        v, u, n = W[word], C[near], C[others]
        to_pos, to_neg = u @ v, n @ v
        at_pos = np.logaddexp(0, -to_pos)
        loss = at_pos + np.sum(np.logaddexp(0, to_neg))
        d_pos = sigmoid(to_pos) - 1
        d_neg = sigmoid(to_neg)
        dW, dC = np.zeros_like(W), np.zeros_like(C)
        dW[word] = d_pos * u + np.dot(d_neg, n)
        dC[near] = d_pos * v
        dC[others] = d_neg[:, None] * v
        return loss, dW, dC
"""
WORD = {"word": 2, "near": 0, "others": np.array([1, 4, 3]), "W": R.normal(size=(5, 6)), "C": R.normal(size=(5, 6))}
LAYER = """
    def forward(x, W, b):
        return x @ W + b, (x, W)

    def backward(dy, cache):
        x, W = cache
        N = len(x)
        dW = np.dot(x.T, dy)
        db = np.sum(dy, axis=0)
        return dW / N, db / N, dy @ W.T

    def loss_and_gradients(x, target, W, b):
        y, cache = forward(x, W, b)
        p = np.exp(y) / np.exp(y).sum(axis=1, keepdims=True)
        loss = -np.sum(target * np.log(p)) / len(x)
        dW, db, dx = backward(p - target, cache)
        return loss, dW, db
"""
CLASSES = {"x": R.normal(size=(4, 3)), "target": np.eye(5)[[0, 3, 1, 4]], "W": R.normal(size=(3, 5))}
CLASSES |= {"b": R.normal(size=5)}
CHANGED = {
    "a division that another array has": (SAMPLES, "grow_b[k] /= x.shape[0]", "pass"),
    "a derivative given what the activation gave": (SAMPLES, "d_sigmoid(a[k])", "d_sigmoid(h[k])"),
    "the half of a sum of squares": (SAMPLES, "** 2) / 2", "** 2)"),
    "a sum by weights": (WORDS, "np.dot(d_neg, n)", "np.sum(n, axis=0)"),
    "a derivative for a difference": (WORDS, "sigmoid(to_pos) - 1", "sigmoid(to_pos) * (1 - sigmoid(to_pos))"),
    "a loss of positives without its minus": (WORDS, "np.logaddexp(0, -to_pos)", "np.logaddexp(0, to_pos)"),
    "a mean beside another one": (LAYER, "return dW / N, ", "return dW, "),
}
GIVEN = {SAMPLES: SAMPLE, WORDS: WORD, LAYER: CLASSES}


@pytest.mark.parametrize("source", GIVEN, ids=["samples", "words", "layer"])
def test_right_programs_of_these_kinds_are_right(tmp_path, source):
    report, lines = lines_accused(tmp_path, source, "", "", GIVEN[source])
    assert report.ok and not lines


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CHANGED)
def test_the_changed_line_is_accused_and_no_other(tmp_path, name):
    source, right, wrong = CHANGED[name]
    report, lines = lines_accused(tmp_path, source, right, wrong, GIVEN[source])
    if wrong == "pass":  # which nobody can be shown: what builds up the same array is
        assert lines == {"grow_b[k] += g"}, report
    else:
        (line,) = lines
        assert wrong in line, report


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("da = d + up[t]", ["back[l]"]),
        ("da = d + back[l]", []),  # read
        ("da = d + back.sum()", []),  # read as a whole
        ("back[l, t] = d", ["back[l]"]),  # what is kept of each turn is no such entry, and reads none
    ],
)
def test_entries_that_every_turn_sets_anew_are_found_where_none_reads_them(body, found):
    source = (
        f"def f(d, up, back):\n    for t in d:\n        for l in up:\n            {body}\n            back[l] = d\n"
    )
    assert [ast.unparse(one) for one in filled_again_for_nothing(ast.parse(source))] == found
