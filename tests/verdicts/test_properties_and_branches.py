"""Properties of classes, functions that end with a condition, and what is done for one thing and missing for another
one beside it."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(31)
SPARSE = """
    import functools

    class Net:
        def __init__(self, W, V, rho):
            self.W, self.V, self.rho = W, V, rho

        @property
        def rates(self):
            return np.mean(self.h, axis=0)

        @property
        def slope(self):
            q = self.rates
            return (1 - self.rho) / (1 - q) - self.rho / q

        @functools.cached_property
        def scale(self):
            return 1 / len(self.h)

        def forward(self, x):
            self.x = x
            self.h = 1 / (1 + np.exp(-(x @ self.W)))
            q = self.rates
            penalty = np.sum(self.rho * np.log(self.rho / q) + (1 - self.rho) * np.log((1 - self.rho) / (1 - q)))
            return self.h @ self.V, penalty

        def backward(self, d):
            dV = self.h.T @ d
            dh = d @ self.V.T + self.scale * self.slope
            dW = self.x.T @ (dh * self.h * (1 - self.h))
            return dW, dV

    def loss_and_gradients(x, y, W, V, rho):
        net = Net(W, V, rho)
        out, penalty = net.forward(x)
        dW, dV = net.backward(out - y)
        return 0.5 * np.sum((out - y) ** 2) + penalty, dW, dV
"""
GIVEN = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))}
GIVEN |= {"rho": 0.3}
TREE = """
    class Node:
        def __init__(self, x=None, left=None, right=None):
            self.x, self.left, self.right = x, left, right

    def up(node, W):
        if node.left is not None:
            node.below = up(node.left, W) + up(node.right, W)
            node.a = W @ node.below
            node.x = np.tanh(node.a)
        return node.x

    def slope(a):
        return 1 - np.tanh(a) ** 2

    def down(node, dx, W, dW, leaves):
        if node.left is None:
            leaves.append(dx)
        else:
            node.da = dx * slope(node.a)
            dW += np.outer(node.da, node.below)
            down(node.left, W.T @ node.da, W, dW, leaves)
            down(node.right, W.T @ node.da, W, dW, leaves)

    def forward(p, q, r, W, V):
        root = Node(left=Node(left=Node(p), right=Node(q)), right=Node(r))
        return V @ up(root, W) / 3, (root, W, V)

    def backward(dy, cache):
        root, W, V = cache
        dW = np.zeros_like(W)
        dV = np.zeros_like(V)
        dV += np.outer(dy, root.x)
        leaves = []
        down(root, V.T @ dy, W, dW, leaves)
        n = 3
        dW /= n
        dV /= n
        dp, dq, dr = [leaf / n for leaf in leaves]
        return dp, dq, dr, dW, dV
"""
LEAVES = {name: R.normal(size=3) for name in "pqr"} | {"W": R.normal(size=(3, 3)), "V": R.normal(size=(2, 3))}


def line_with(source, text):
    """The line of a source that a text stands in."""
    return next(line.strip() for line in source.splitlines() if text in line)


def test_right_properties_and_functions_that_end_with_a_condition_are_right(tmp_path):
    for source, given in ((SPARSE, GIVEN), (TREE, LEAVES)):
        report, lines = lines_accused(tmp_path, source, "", "", given)
        assert report.ok and not lines


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(1 - self.rho) / (1 - q) - self.rho / q", "(1 - self.rho) / (1 - q) + self.rho / q"),
        ("return 1 / len(self.h)", "return 1 / len(self.W)"),
        ("self.scale * self.slope", "self.scale + self.slope"),
    ],
)
def test_a_wrong_line_of_a_property_or_beside_one_is_accused(tmp_path, right, wrong):
    source = SPARSE.replace(right, wrong)
    assert lines_accused(tmp_path, SPARSE, right, wrong, GIVEN)[1] == {line_with(source, wrong)}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("node.da = dx * slope(node.a)", "node.da = dx * slope(node.x)"),
        ("dW += np.outer(node.da, node.below)", "dW += np.outer(node.da, node.x)"),
    ],
)
def test_what_an_object_keeps_is_put_in_where_a_function_ends_with_a_condition(tmp_path, right, wrong):
    assert lines_accused(tmp_path, TREE, right, wrong, LEAVES)[1] == {wrong}


def test_what_is_done_to_one_gradient_in_place_is_missing_for_another_one(tmp_path):
    assert lines_accused(tmp_path, TREE, "        dW /= n\n", "", LEAVES)[1] == {"dW = np.zeros_like(W)"}


def test_a_variable_that_was_worked_out_is_put_in_for_what_it_was_worked_out_from(tmp_path):
    source = """
    def forward(x, W, V):
        h = x @ W
        return np.tanh(h) @ V, (x, W, V, h)

    def backward(dy, cache):
        x, W, V, h = cache
        a = np.tanh(h)
        g = dy @ V.T
        dz = g * (1 - a * a) * 0.5 * 2
        dx = dz @ W.T
        dW = x.T @ dz
        dV = a.T @ dy
        return dx, dW, dV
"""
    given = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))}
    assert lines_accused(tmp_path, source, "dW = x.T @ dz", "dW = x.T @ (g - a)", given)[1] == {"dW = x.T @ (g - a)"}


def test_a_number_that_only_keeps_others_from_being_zero_is_no_mistake(tmp_path):
    source = """
    def forward(x, W, power):
        h = 1 / (1 + np.exp(-(x @ W)))
        y = h ** power
        return y, (x, W, power, h, y)

    def backward(dy, cache):
        x, W, power, h, y = cache
        dpower = np.sum(dy * y * np.log(h))
        dh = dy * power * y / (h + 1e-7)
        dz = dh * h * (1 - h)
        return dz @ W.T, x.T @ dz, dpower
"""
    given = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "power": 1.7}
    report, lines = lines_accused(tmp_path, source, "", "", given)
    assert not lines and "by so little" in str(report.problems)
    assert lines_accused(tmp_path, source, "dy * power * y /", "dy * y /", given)[1] == {"dh = dy * y / (h + 1e-7)"}
