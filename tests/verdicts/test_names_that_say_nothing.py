"""Gradients whose names say nothing of what they are of, and calls by themselves that look alike."""

from types import SimpleNamespace

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.judge.repeatable import is_repeatable

R = np.random.default_rng(35)
WORDS = """
    class Words:
        def __init__(self, near, far):
            self.near, self.far = near, far

        def forward(self, a, b, drawn):
            self.own, self.other, self.rest = self.near[a], self.far[b], self.far[drawn]
            self.p = 1 / (1 + np.exp(-np.sum(self.own * self.other, axis=1)))
            self.q = 1 / (1 + np.exp(-np.einsum("bd,bkd->bk", self.own, self.rest)))
            return -np.sum(np.log(self.p)) - np.sum(np.log(1 - self.q))

        def learn(self, a, b, drawn, rate):
            at_other = (self.p - 1)[:, None]
            at_rest = self.q[:, :, None]
            one = at_other * self.other + np.sum(at_rest * self.rest, axis=1)
            two = at_other * self.own
            three = at_rest * self.own[:, None]
            np.add.at(self.near, a, -rate * one)
            np.add.at(self.far, b, -rate * two)
            np.add.at(self.far, drawn, -rate * three)

    def loss_and_gradients(a, b, drawn, W, C):
        words = Words(W.copy(), C.copy())
        loss = words.forward(a, b, drawn)
        words.learn(a, b, drawn, 1.0)
        first, second = W - words.near, C - words.far
        return loss, first, second
"""
GIVEN = {"a": np.array([4, 1, 4]), "b": np.array([2, 0, 5]), "drawn": np.array([[0, 6, 6], [1, 3, 5], [2, 2, 0]])}
GIVEN |= {"W": R.normal(size=(7, 4)), "C": R.normal(size=(7, 4))}


def test_results_whose_names_say_nothing_are_compared_in_the_order_of_the_inputs(tmp_path):
    report, lines = lines_accused(tmp_path, WORDS, "", "", GIVEN)
    assert report.ok and not lines and not report.not_compared


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("at_other = (self.p - 1)[:, None]", "at_other = self.p[:, None]"),
        ("two = at_other * self.own", "two = at_other * self.other"),
        ("np.add.at(self.near, a, -rate * one)", "np.add.at(self.near, b, -rate * one)"),
    ],
)
def test_a_mistake_in_one_of_them_or_both_is_found(tmp_path, right, wrong):
    assert lines_accused(tmp_path, WORDS, right, wrong, GIVEN)[1] == {wrong}


def test_a_call_that_lacks_the_minus_of_those_that_look_alike_is_accused(tmp_path):
    right, wrong = "np.add.at(self.far, drawn, -rate * three)", "np.add.at(self.far, drawn, rate * three)"
    assert lines_accused(tmp_path, WORDS, right, wrong, GIVEN)[1] == {wrong}


IN_A_SET = """
    class Layer:
        def __init__(self, w):
            self.w = w

    def loss_and_gradients(x, a, b, c):
        layers = [Layer(a), Layer(b), Layer(c)]
        learning = set(layers)
        h1 = np.tanh(x @ a)
        h2 = np.tanh(h1 @ b)
        out = h2 @ c
        loss = 0.5 * np.sum(out ** 2) + sum(0.05 * np.sum(layer.w ** 2) for layer in learning)
        d2 = out @ c.T * (1 - h2 ** 2)
        d1 = d2 @ b.T * (1 - h1 ** 2)
        return loss, x.T @ d1 + 0.1 * a, h1.T @ d2 + 0.1 * b, h2.T @ out + 0.1 * c
"""
LAYERS = {name: R.normal(size=shape) for name, shape in (("x", (3, 4)), ("a", (4, 5)), ("b", (5, 6)), ("c", (6, 2)))}


def test_a_loss_that_goes_through_a_set_of_objects_is_judged_whatever_their_order(tmp_path):
    problem, truth = SimpleNamespace(title="", forward=None, loss=lambda result: result), SimpleNamespace(result=0.6)
    truth.value = lambda forward: 0.1 + 0.2 + 0.3  # another order of the same numbers
    assert truth.value(None) != truth.result and is_repeatable(problem, truth)
    truth.value = lambda forward: 0.6 + 1e-9
    assert not is_repeatable(problem, truth)
    report, lines = lines_accused(tmp_path, IN_A_SET, "", "", LAYERS)
    assert report.ok and not lines
    right, wrong = "d1 = d2 @ b.T * (1 - h1 ** 2)", "d1 = d2 @ b.T * (1 - h1)"
    assert lines_accused(tmp_path, IN_A_SET, right, wrong, LAYERS)[1] == {wrong}


LISTS = """
    def loss_and_gradients(x, y, W1, b1, W2, b2, W3, b3):
        weights, biases, outs = [W1, W2, W3], [b1, b2, b3], [x]
        for W, b in zip(weights, biases):
            outs.append(np.tanh(outs[-1] @ W + b))
        d, dws, dbs = outs[-1] - y, [], []
        for W, before, out in zip(weights[::-1], outs[-2::-1], outs[::-1]):
            d = d * (1 - out**2)
            dws.append(before.T @ d)
            dbs.append(d.sum(axis=0))
            d = d @ W.T
        found = []
        for pair in zip(dws[::-1], dbs[::-1]):
            found += pair
        return 0.5 * np.sum((outs[-1] - y) ** 2), *found
"""
SIZES = {"W1": (4, 7), "b1": (7,), "W2": (7, 6), "b2": (6,), "W3": (6, 5), "b3": (5,)}


@pytest.mark.parametrize(
    ("returned", "exchanged"),
    [
        ("dws[::-1], dbs[::-1]", False),
        ("dws[::-1], dbs", True),
        ("dbs[::-1], dws[::-1]", False),  # another order altogether is a convention
    ],
)
def test_two_that_stand_in_each_other_s_place_are_not_all_right(tmp_path, returned, exchanged):
    r = np.random.default_rng(37)
    given = {"x": r.normal(size=(3, 4)), "y": r.normal(size=(3, 5))}
    given |= {name: r.normal(size=size) / 2 for name, size in SIZES.items()}
    report, lines = lines_accused(tmp_path, LISTS, "dws[::-1], dbs[::-1]", returned, given)
    assert not lines and report.ok != exchanged, report
    assert exchanged == any("the gradient of b3 is returned where that of b1" in text for text in report.problems)
