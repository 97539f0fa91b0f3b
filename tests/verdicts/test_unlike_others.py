"""Programs unlike most: nodes as keys of dicts, a layer for each step with one matrix for all, types beside names, a
`while`, a `lambda`. They are judged as all others are."""

import ast

import numpy as np
import pytest
from students import accused_in_turn, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.repair.edits import Edits
from tinyrnn.verdicts.repair.search import Search

R = np.random.default_rng(11)
GRAPH = """
    class Node:
        def __init__(self, value, *sources):
            self.made, self.sources = value, {source: None for source in sources}

        def value(self):
            return self.made

    class Product(Node):
        def value(self):
            left, right = (source.value() for source in self.sources)
            return np.tanh(left @ right)

        def slopes(self, values, above):
            left, right = self.sources
            inner = above * (1 - np.tanh(values[left] @ values[right]) ** 2)
            return {
                left: inner @ values[right].T,
                right: values[left].T @ inner,
            }

    def forward(x, W, U):
        x, W, U = Node(x), Node(W), Node(U)
        first = Product(None, x, W)
        last = Product(None, first, U)
        return last.value(), (first, last)

    def backward(dout, nodes):
        first, last = nodes
        above, dU = last.slopes({one: one.value() for one in last.sources}, dout).values()
        dx, dW = first.slopes({one: one.value() for one in first.sources}, above).values()
        return dx, dW, dU
"""
LAYERS = """
    class Dense:
        def __init__(self, W):
            self.W = W

        def forward(self, x):
            self.x = x
            return np.tanh(x @ self.W)

        def backward(self, d):
            inner = d * (1 - np.tanh(self.x @ self.W) ** 2)
            self.gradient = self.x.T @ inner
            return inner @ self.W.T

    class Network:
        def __init__(self, W, steps):
            self.steps = [Dense(W) for _ in range(steps)]

        def forward(self, x, h):
            self.out = []
            for t, step in enumerate(self.steps):
                h = step.forward(np.concatenate((x[t], h), axis=1))
                self.out.append(h)
            return np.stack(self.out)

        def backward(self, d):
            dh, dx = np.zeros_like(d[0]), []
            total = np.zeros_like(self.steps[0].W)
            for t in reversed(range(len(self.steps))):
                both = self.steps[t].backward(d[t] + dh)
                dx.insert(0, both[:, : -d.shape[2]])
                dh = both[:, -d.shape[2] :]
                total += self.steps[t].gradient
            self.weights_gradient = total
            return np.stack(dx), dh
"""
ANNOTATED = """
    Array = np.ndarray

    def forward(x: Array, h0: Array, W: Array, U: Array):
        h: Array = h0
        hs: list = [h0]
        for t in range(len(x)):
            h_next: Array = np.tanh(x[t] @ W + h @ U)
            hs.append(h_next)
            h = h_next
        return np.stack(hs[1:]), (x, hs, W, U)

    def backward(dout: Array, cache: tuple):
        x, hs, W, U = cache
        dW: Array = np.zeros_like(W)
        dU: Array = np.zeros_like(U)
        dx: Array = np.zeros_like(x)
        later: Array = np.zeros_like(hs[0])
        halved = lambda one: one / 2
        t: int = len(x)
        while t > 0:
            t -= 1
            above: Array = dout[t] + later @ U.T
            inner: Array = halved(2 * above * (1 - hs[t + 1] ** 2))
            dW += x[t].T @ inner
            dU += hs[t].T @ inner
            dx[t] = inner @ W.T
            later = inner.copy()
        return dx, later @ U.T, dW, dU
"""
FOR = ("t: int = len(x)\n        while t > 0:\n            t -= 1", "for t in range(len(x))[::-1]:")
MEMORY = {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 5))}
MEMORY |= {"W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5)) / 2}
DEEP = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4)), "U": R.normal(size=(4, 5))}


def judged_network(folder, right, wrong):
    path = write(folder, LAYERS.replace(right, wrong) if right else LAYERS)
    with loaded(path) as module:
        network = module.Network(R.normal(size=(8, 5)) / 2, 4)
        given = {"x": R.normal(size=(4, 2, 3)), "h": R.normal(size=(2, 5))}
        report = tr.lines(network.forward, network.backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    return report, [lines[row.line - 1].strip() for row in report.wrong]


@pytest.mark.parametrize(
    ("right", "wrong"), [("", ""), ("values[left].T @ inner", "values[left].T @ above"), ("** 2)", ")")]
)
def test_a_graph_whose_nodes_are_keys_of_dicts_is_judged(tmp_path, right, wrong):
    report, lines = accused_in_turn(tmp_path, GRAPH, right, wrong, DEEP)
    assert report.ok is not bool(right)
    assert len({*lines}) == bool(right) and all(wrong in line for line in lines)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("", ""), ("total += self.steps[t].gradient", "total = self.steps[t].gradient"), ("d[t] + dh", "d[t]")],
)
def test_of_layers_that_share_their_weights_the_sum_is_compared(tmp_path, right, wrong):
    report, lines = judged_network(tmp_path, right, wrong)
    assert report.ok is not bool(right)
    assert len(lines) == bool(right) and all(wrong in line for line in lines)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("", ""),
        ("later = inner.copy()", "pass"),
        ("            h = h_next\n", "            pass\n"),
        ("(1 - hs[t + 1] ** 2)", "(1 - hs[t + 1])"),
    ],
)
def test_types_beside_names_change_nothing(tmp_path, right, wrong):
    source = ANNOTATED.replace(*FOR)
    report, lines = accused_in_turn(tmp_path, source, right, wrong, MEMORY)
    starts = {"later = inner.copy()": "later: Array = ", "            h = h_next\n": "h: Array = h0"}
    assert report.ok is not bool(right)
    assert len(lines) == bool(right) and all(starts.get(right, wrong) in line for line in lines)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(1 - hs[t + 1] ** 2)", "(1 - hs[t + 1])"),
        ("dW += x[t].T", "dW -= x[t].T"),
        ("(2 * above *", "(2 * (above + hs[t + 1]) *"),
    ],
)
def test_lines_of_a_while_are_accused_and_not_what_it_goes_by(tmp_path, right, wrong):
    report, lines = accused_in_turn(tmp_path, ANNOTATED, right, wrong, MEMORY)
    assert not report.ok
    assert len(lines) == 1 and wrong in lines[0]


def test_what_a_while_goes_by_is_not_edited_as_it_might_not_end():
    source = "def f(n, x):\n    k = n\n    while k > 0:\n        k -= 1\n        x = x + k\n    return x"
    assert sorted(Edits(ast.parse(source).body[0]).lines) == [5, 6]


def test_a_search_that_breaks_off_says_so_and_what_is_wrong(tmp_path, monkeypatch):
    def broken(self, *given):
        raise TypeError("unlike all others")

    monkeypatch.setattr(Search, "located", broken)
    source = ANNOTATED.replace(*FOR)
    report, lines = accused_in_turn(tmp_path, source, "(1 - hs[t + 1] ** 2)", "(1 - hs[t + 1])", MEMORY)
    assert not report.ok and not lines
    assert "by a mistake in tinyrnn and not in this program, with TypeError: unlike" in report.problems[0]
