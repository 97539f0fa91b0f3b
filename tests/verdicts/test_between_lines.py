"""Mistakes that several lines could make up for: which of them is taken, and what the others are left for."""

import ast

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.edits import Edits
from tinyrnn.verdicts.repair.statements import counters_of

R = np.random.default_rng(43)


CELLS = """
    class Cell:
        def __init__(self, W, U):
            self.W, self.U = W, U
            self.dW, self.dU = np.zeros_like(W), np.zeros_like(U)

        def forward(self, x, h):
            self.x, self.h = x, h
            self.out = np.tanh(x @ self.W + h @ self.U)
            return self.out

        def backward(self, d):
            da = d * (1 - self.out ** 2)
            self.dW += self.x.T @ da
            self.dU += self.h.T @ da
            return da @ self.W.T, da @ self.U.T

    def loss_and_gradients(x, target, h0, W, U):
        cells, states, h = [], [], h0
        dW, dU, dx = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x)
        loss = 0.0
        for t in range(len(x)):
            cell = Cell(W, U)
            h = cell.forward(x[t], h)
            cells.append(cell)
            states.append(h)
            loss += 0.5 * ((h - target[t]) ** 2).sum()
        dh, dxs = np.zeros_like(h0), []
        for cell, state, wanted in zip(cells[::-1], states[::-1], target[::-1]):
            d, dh = cell.backward(state - wanted + dh)
            dxs.append(d)
            dW += cell.dW
            dU += cell.dU
        return loss, np.array(dxs[::-1]), dh, dW, dU
"""
SEQUENCE = {"x": R.normal(size=(4, 2, 3)), "target": R.normal(size=(4, 2, 5)), "h0": R.normal(size=(2, 5))}
SEQUENCE |= {"W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5)) / 2}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [("zip(cells[::-1]", "zip(cells[:]"), ("(state - wanted + dh)", "(wanted + dh)")],
    ids=["a list that is not turned round", "a term that the loop names and nothing reads"],
)
def test_of_what_a_loop_runs_through_the_line_with_the_slip_is_accused(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, CELLS, right, wrong, SEQUENCE)
    assert len(lines) == 1, report
    assert wrong in lines.pop(), report


TREE = """
    class Node:
        def __init__(self, label, left=None, right=None, word=None):
            self.label, self.left, self.right, self.word = label, left, right, word

    TREE = Node(1, Node(0, Node(2, word=0), Node(1, word=1)), Node(0, word=2))

    class Model:
        def __init__(self, L, W, Ws):
            self.L, self.W, self.Ws = L, W, Ws
            self.dL, self.dW, self.dWs = np.zeros_like(L), np.zeros_like(W), np.zeros_like(Ws)

        def forward(self, node):
            if node.word is not None:
                node.h, loss = self.L[node.word], 0.0
            else:
                loss = self.forward(node.left) + self.forward(node.right)
                node.both = np.concatenate([node.left.h, node.right.h])
                node.h = np.tanh(self.W @ node.both)
            scores = np.exp(self.Ws @ node.h)
            node.p = scores / scores.sum()
            return loss - np.log(node.p[node.label])

        def backward(self, node, above):
            delta = node.p.copy()
            delta[node.label] -= 1.0
            self.dWs += np.outer(delta, node.h)
            dh = self.Ws.T @ delta + above
            if node.word is not None:
                self.dL[node.word] += dh
                return
            da = dh * (1 - node.h ** 2)
            self.dW += np.outer(da, node.both)
            below = self.W.T @ da
            self.backward(node.left, below[: len(below) // 2])
            self.backward(node.right, below[len(below) // 2 :])

    def loss_and_gradients(L, W, Ws):
        model = Model(L, W, Ws)
        loss = model.forward(TREE)
        model.backward(TREE, np.zeros(L.shape[1]))
        return loss, model.dL, model.dW, model.dWs
"""
FOREST = {"L": R.normal(size=(3, 5)), "W": R.normal(size=(5, 10)) / 2, "Ws": R.normal(size=(3, 5))}


@pytest.mark.slow
def test_a_target_that_a_node_has_and_nothing_reads_is_missed_behind_the_line_that_sets_the_gradient(tmp_path):
    report, lines = lines_accused(tmp_path, TREE, "delta[node.label] -= 1.0", "pass", FOREST)
    assert lines == {"delta = node.p.copy()"}, report


VIEWS = """
    class Layer:
        def __init__(self, W, b):
            self.W, self.b = W, b

        def forward(self, x):
            self.x = x
            self.y = np.tanh(x @ self.W + self.b)
            return self.y

        def backward(self, d, rate):
            da = d * (1 - self.y ** 2)
            below = da @ self.W.T
            self.W -= rate * self.x.T @ da
            self.b -= rate * da.sum(axis=0)
            return below

    def loss_and_gradients(x, weights):
        now = weights.copy()
        first, second = Layer(now[:15].reshape(3, 5), now[15:20]), Layer(now[20:30].reshape(5, 2), now[30:])
        y = second.forward(first.forward(x))
        first.backward(second.backward(y, 1.0), 1.0)
        return 0.5 * (y ** 2).sum(), weights - now
"""


def test_what_is_given_to_an_object_instead_of_changed_in_it_is_accused_though_nothing_depends_on_it(tmp_path):
    wrong = "self.W = rate * self.x.T @ da"
    inputs = {"x": R.normal(size=(4, 3)), "weights": R.normal(size=32)}
    report, lines = lines_accused(tmp_path, VIEWS, "self.W -= rate * self.x.T @ da", wrong, inputs)
    assert lines == {wrong}, report


LSTM = """
    def slope_of_tanh(y):
        return 1 - y ** 2

    def loss_and_gradients(x, c0, Wf, Wi, Wo):
        f, i, o = np.tanh(x @ Wf), np.tanh(x @ Wi), np.tanh(x @ Wo)
        c = f * c0 + i
        h = o * np.tanh(c)
        dh = h
        do = dh * np.tanh(c)
        dc = dh * o * slope_of_tanh(np.tanh(c)) + 0.1 * c
        df, di, dc0 = dc * c0, dc, dc * f
        dWf = x.T @ (df * slope_of_tanh(f))
        dWi = x.T @ (di * slope_of_tanh(i))
        dWo = x.T @ (do * slope_of_tanh(o))
        return 0.5 * (h ** 2).sum() + 0.05 * (c ** 2).sum(), dc0, dWf, dWi, dWo
"""
GATES = {"x": R.normal(size=(4, 3)), "c0": R.normal(size=(4, 5))}
GATES |= {name: R.normal(size=(3, 5)) for name in ("Wf", "Wi", "Wo")}


def test_the_derivative_of_a_call_within_a_sum_is_missed(tmp_path):
    wrong = "dc = dh * o + 0.1 * c"
    right = "dc = dh * o * slope_of_tanh(np.tanh(c)) + 0.1 * c"
    report, lines = lines_accused(tmp_path, LSTM, right, wrong, GATES)
    assert lines == {wrong}, report


def test_of_the_names_that_loops_set_counters_may_be_of_no_use():
    tree = ast.parse("for t in reversed(range(3)):\n for k, x in enumerate(xs):\n  for y, z in zip(ys, zs):\n   pass")
    assert counters_of(tree) == {"t", "k"}


def texts(source, line, weight):
    """The sources of the edits of a line of a function."""
    edits = Edits(ast.parse(source).body[0])
    return {ast.unparse(change.made()) for change in edits.of_line(line, weight)}


def test_a_list_of_values_grows_at_its_end_and_one_of_gradients_at_either():
    assert "hs.insert(0, h)" not in texts("def f(h, hs):\n    hs.append(h)", 2, 1)
    assert "grads.insert(0, dh)" in texts("def f(dh, grads):\n    grads.append(dh)", 2, 1)


def test_what_is_called_on_a_value_that_is_worked_out_is_no_function_for_another():
    tree = ast.parse("def f(dh, x, y):\n    dx = (dh * x).astype(y)\n    dy = slope(y)").body[0]
    assert Edits(tree).functions == ["slope"]


RETURNED = "def f(loss, dW, db, dU):\n    return loss, -dW, db, -dU"


def test_an_entry_that_becomes_like_the_others_completes_a_pattern():
    edits = Edits(ast.parse(RETURNED).body[0])
    found = {ast.unparse(one.made()) for one in edits.of_line(2, 2) if edits.completes_a_pattern(one)}
    assert found == {"return (loss, -dW, -db, -dU)", "return (-loss, -dW, db, -dU)"}
