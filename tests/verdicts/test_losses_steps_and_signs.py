"""Losses that end in a method's call, the step before the first one, and a sign that is wrong in all gradients."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(34)
LOSS = """
    def forward(x, target, W):
        a = x @ W
        powers = np.exp(a)
        Z = powers.sum(axis=1, keepdims=True)
        return ((np.log(Z) - a) * target).sum(), (x, target, W, powers, Z)

    def backward(dloss, cache):
        x, target, W, powers, Z = cache
        da = dloss * (powers / Z - target)
        return da @ W.T, x.T @ da
"""
WORDS = {"x": R.normal(size=(4, 3)), "target": np.eye(5)[[0, 3, 1, 4]], "W": R.normal(size=(3, 5))}
STEPS = """
    def forward(x, h0, W, U):
        h, before = [], h0
        for t in range(len(x)):
            before = np.tanh(x[t] @ W + before @ U)
            h.append(before)
        return np.array(h), (x, np.array(h), h0, W, U)

    def backward(dh, cache):
        x, h, h0, W, U = cache
        dW, dU, dx = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x)
        above = np.zeros_like(h[0])
        for t in reversed(range(len(x))):
            da = (dh[t] + above) * (1 - h[t] * h[t])
            last = h[t - 1] if t > 0 else h0
            dW += np.outer(x[t], da)
            dU += np.outer(last, da)
            dx[t] = W @ da
            above = U @ da
        return dx, above, dW, dU
"""
GIVEN = {"x": R.normal(size=(4, 3)), "h0": R.normal(size=5), "W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5))}
LEARNS = """
    class Net:
        def __init__(self, W, V):
            self.W, self.V = W, V

        def forward(self, x):
            self.x = x
            self.h = np.tanh(x @ self.W)
            return self.h @ self.V

        def learn(self, d):
            change = self.h.T @ d
            below = self.x.T @ (d @ self.V.T * (1 - self.h ** 2))
            for name, step in (("W", below), ("V", change)):
                setattr(self, name, getattr(self, name) - step)

    def loss_and_gradients(x, y, W, V):
        net = Net(W, V)
        out = net.forward(x)
        delta = out - y
        net.learn(delta)
        return 0.5 * np.sum((out - y) ** 2), W - net.W, V - net.V
"""
NET = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))}


def test_right_programs_of_these_kinds_are_right(tmp_path):
    for source, given in ((LOSS, WORDS), (STEPS, GIVEN), (LEARNS, NET)):
        report, lines = lines_accused(tmp_path, source, "", "", given)
        assert report.ok and not lines


def test_a_forgotten_logarithm_is_found_in_a_loss_that_ends_in_a_call_of_a_method(tmp_path):
    right, wrong = "(np.log(Z) - a) * target", "(Z - a) * target"
    (line,) = lines_accused(tmp_path, LOSS, right, wrong, WORDS)[1]
    assert wrong in line


def test_what_stands_before_the_first_step_is_put_in(tmp_path):
    right, wrong = "last = h[t - 1] if t > 0 else h0", "last = h[t - 1]"
    assert lines_accused(tmp_path, STEPS, right, wrong, GIVEN)[1] == {wrong}


def test_a_sign_that_is_wrong_in_all_gradients_is_turned_where_a_difference_is(tmp_path):
    right, wrong = "delta = out - y", "delta = y - out"
    assert lines_accused(tmp_path, LEARNS, right, wrong, NET)[1] == {wrong}


def test_a_step_the_wrong_way_is_turned_and_not_what_was_learnt(tmp_path):
    source = LEARNS.replace("delta = out - y", "delta = out").replace("(out - y) ** 2", "out ** 2")
    right, wrong = "getattr(self, name) - step", "getattr(self, name) + step"
    (line,) = lines_accused(tmp_path, source, right, wrong, NET)[1]
    assert wrong in line


PAIR = """
    def loss_and_gradients(word, other, label, W, C, lr=1.0):
        near, far = W.copy(), C.copy()
        h = near[word]
        u = np.sum(h * far[other], axis=1)
        p = 1 / (1 + np.exp(-u))
        loss = -np.sum(label * np.log(p) + (1 - label) * np.log(1 - p))
        dz = p - label
        dh = dz[:, None] * far[other]
        far[other] -= lr * dz[:, None] * h
        near[word] -= lr * dh
        return loss, W - near, C - far
"""
PAIRS = {"word": np.array([4, 1, 0]), "other": np.array([2, 0, 5]), "label": np.array([1.0, 0.0, 1.0])}
PAIRS |= {"W": R.normal(size=(6, 4)), "C": R.normal(size=(6, 4))}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dz = p - label", "dz = (p - label) * p * (1 - p)"),
        ("(1 - label) * np.log(1 - p)", "(1 - label) * np.log(p)"),
    ],
)
def test_mistakes_of_word_vectors_that_learn_at_once_are_found(tmp_path, right, wrong):
    assert lines_accused(tmp_path, PAIR, "", "", PAIRS)[0].ok
    (line,) = (one.strip() for one in PAIR.replace(right, wrong).splitlines() if wrong in one)
    assert lines_accused(tmp_path, PAIR, right, wrong, PAIRS)[1] == {line}


def test_the_row_alone_is_put_in_where_something_is_taken_from_all_rows(tmp_path):
    source = PAIR.replace("axis=1", "axis=0").replace("dz[:, None]", "dz")
    one = PAIRS | {"word": 4, "other": 2, "label": 1.0}
    assert lines_accused(tmp_path, source, "", "", one)[0].ok
    right, wrong = "near[word] -= lr * dh", "near -= lr * dh"
    assert lines_accused(tmp_path, source, right, wrong, one)[1] == {wrong}
