"""Backward passes that step the weights of their object by themselves, and give their gradients in no other way."""

import numpy as np
import pytest
from written_modules import judged, written

X = np.random.default_rng(3).normal(size=(4, 3))
LAYER = """
    class Rule:
        def update(self, w, grad_w):
            return w - 0.05 * grad_w

    class Layer:
        rate = 0.02
        def __init__(self):
            rng = np.random.default_rng(0)
            self.W, self.b, self.rule = rng.normal(size=(3, 2)), rng.normal(size=2), Rule()
            self.seen = {}
        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W + self.b)
            return self.h
        def backward(self, dout, learning_rate=1e-3):
            dz = dout * (1 - self.h ** 2)
            dW = self.x.T @ dz
            db = dz.sum(axis=0)
            dx = dz @ self.W.T
            UPDATE
            return dx
"""
UPDATES = {
    "argument": "self.W -= learning_rate * dW; self.b -= learning_rate * db",
    "constant": "self.W = self.W - 0.01 * dW; self.b = self.b - db * 0.01",
    "attribute": "self.W += -self.rate * dW; self.b += -self.rate * db",
    "of the number of rows": "self.W -= learning_rate / 2 * dW; self.b -= learning_rate / 2 * db",
    "loop": "for p, d in zip((self.W, self.b), (dW, db)): p -= 0.01 * d",
    "decay": "self.W -= learning_rate * (dW + 0.3 * self.W); self.b -= (self.b * self.rate + db) * learning_rate",
    "rule": "self.W, self.b = self.rule.update(self.W, dW), self.rule.update(self.b, db)",
}
SCALED = (
    "self.W -= learning_rate * dW / np.sqrt(dW * dW + 1e-8); self.b -= learning_rate * db / np.sqrt(db * db + 1e-8)"
)


def of_layer(folder, update, right="", wrong=""):
    text = LAYER.replace("UPDATE", update)
    assert right in text
    return judged(written(folder, program=text.replace(right, wrong)), lambda module: module.Layer(), x=X)


@pytest.mark.few(2)
@pytest.mark.parametrize("update", UPDATES)
def test_the_gradients_that_weights_are_stepped_by_are_compared(tmp_path, update):
    report, lines = of_layer(tmp_path, UPDATES[update])
    assert report.ok and not lines and report.compared == 3, report


@pytest.mark.few(1)
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("wrong", ["dW = self.x.T @ self.h", "dW = self.x.T @ dout"])
def test_a_wrong_gradient_that_a_weight_is_stepped_by_is_accused(tmp_path, update, wrong):
    report, lines = of_layer(tmp_path, UPDATES[update], "dW = self.x.T @ dz", wrong)
    assert lines == {wrong} and report.wrong_results == ["W"], report


def test_a_step_uphill_is_accused(tmp_path):
    uphill = "self.W += learning_rate * dW"
    report, lines = of_layer(tmp_path, uphill + "\n            self.b -= learning_rate * db")
    assert lines == {uphill} and report.wrong_results == ["W"], report


def test_of_a_step_that_is_no_multiple_of_the_gradient_it_is_said_that_it_is_not_compared(tmp_path):
    report, lines = of_layer(tmp_path, SCALED)
    assert not report.ok and not lines
    assert [text.partition(",")[0] for text in report.not_compared] == ["not compared: W", "not compared: b"]
