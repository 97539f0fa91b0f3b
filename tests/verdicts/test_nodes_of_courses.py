"""Line verdicts on nodes of a graph, as courses hand them out: static methods that take all inputs at once and return a
list of gradients."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(0)
NODES = """
    class Node:
        def __init__(self, *parents):
            self.parents = list(parents)
            self.data = self._forward(*(parent.data for parent in parents))

    class Leaf(Node):
        def __init__(self, data):
            self.parents, self.data = [], data

        @staticmethod
        def _backward(gradient, *inputs):
            return []

    class Add(Node):
        @staticmethod
        def _forward(*inputs):
            return inputs[0] + inputs[1]

        @staticmethod
        def _backward(gradient, *inputs):
            return [gradient, gradient]

    class Linear(Node):
        @staticmethod
        def _forward(*inputs):
            return np.dot(inputs[0], inputs[1])

        @staticmethod
        def _backward(gradient, *inputs):
            return [np.dot(gradient, inputs[1].T), np.dot(inputs[0].T, gradient)]

    class Relu(Node):
        @staticmethod
        def _forward(*inputs):
            return np.maximum(inputs[0], 0)

        @staticmethod
        def _backward(gradient, *inputs):
            return [gradient * np.where(inputs[0] > 0, 1.0, 0.0)]

    class SquareLoss(Node):
        @staticmethod
        def _forward(*inputs):
            return np.mean((inputs[0] - inputs[1]) ** 2)

        @staticmethod
        def _backward(gradient, *inputs):
            return [
                gradient * 2 * (inputs[0] - inputs[1]) / inputs[0].size,
                gradient * 2 * (inputs[1] - inputs[0]) / inputs[0].size,
            ]

    def gradients(loss, leaves):
        order = []

        def visit(node):
            if node not in order:
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(loss)
        grads = {node: np.zeros_like(node.data) for node in order}
        grads[loss] = 1.0
        for node in reversed(order):
            found = node._backward(grads[node], *(parent.data for parent in node.parents))
            for parent, gradient in zip(node.parents, found):
                grads[parent] = grads[parent] + gradient
        return [grads[leaf] for leaf in leaves]

    def loss_and_gradients(x, y, W1, V1, W2):
        leaves = [Leaf(W1), Leaf(V1), Leaf(W2)]
        hidden = Relu(Add(Linear(Leaf(x), leaves[0]), Linear(Leaf(x), leaves[1])))
        more = Add(hidden, Linear(hidden, leaves[2]))
        loss = SquareLoss(more, Leaf(y))
        return loss.data, *gradients(loss, leaves)
"""
INPUTS = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 5))}
INPUTS |= {name: R.normal(size=size) for name, size in {"W1": (3, 5), "V1": (3, 5), "W2": (5, 5)}.items()}
PLANTED = {
    "as it is": ("", ""),
    "a sum's gradients are those of a product": (
        "return [gradient, gradient]",
        "return [gradient * inputs[1], gradient * inputs[0]]",
    ),
    "one of a sum's gradients": ("return [gradient, gradient]", "return [gradient, -gradient]"),
    "an activation for its slope": ("np.where(inputs[0] > 0, 1.0, 0.0)", "np.maximum(inputs[0], 0)"),
    "the second of two in a list": ("np.dot(inputs[0].T, gradient)]", "np.dot(inputs[0].T, np.abs(gradient))]"),
    "a sum, not its gradients": ("return inputs[0] + inputs[1]", "return inputs[0] - inputs[1]"),
}


@pytest.mark.parametrize("change", PLANTED.values(), ids=PLANTED)
def test_a_gradient_in_a_list_that_a_node_returns_is_accused_where_it_is(tmp_path, change):
    right, wrong = change
    report, lines = lines_accused(tmp_path, NODES, right, wrong, INPUTS)
    assert report.ok == (not right)
    assert len(lines) == (1 if right else 0)
    assert all(wrong in line for line in lines)
