"""Functions that are defined within others: backward passes that a forward pass hands on with what it knows, and those
that the tensors of a small autograd keep."""

import importlib.util

import numpy as np
import pytest

import tinyrnn as tr

HANDED_ON = """
import numpy as np

def linear(x, W, b):
    out = x @ W + b
    def backward(dout):
        dx = dout @ W.T
        dW = x.T @ dout
        db = dout.sum(axis=0)
        return dx, dW, db
    return out, backward

def tanh(x):
    y = np.tanh(x)
    def backward(dy):
        return dy * (1 - y ** 2)
    return y, backward

def forward(x, W, b):
    z, back_linear = linear(x, W, b)
    y, back_tanh = tanh(z)
    return y, (back_linear, back_tanh)

def backward(dy, cache):
    back_linear, back_tanh = cache
    dx, dW, db = back_linear(back_tanh(dy))
    return dx, dW, db
"""
TENSORS = """
import numpy as np

class Tensor:
    def __init__(self, data, children=()):
        self.data, self.children = np.asarray(data), children
        self.grad = np.zeros_like(self.data)
        def nothing():
            pass
        self.back = nothing

    def matmul(self, other):
        out = Tensor(self.data @ other.data, (self, other))
        def back():
            self.grad += out.grad @ other.data.T
            other.grad += self.data.T @ out.grad
        out.back = back
        return out

    def add(self, other):
        out = Tensor(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad.sum(axis=0)
        out.back = back
        return out

    def tanh(self):
        t = np.tanh(self.data)
        out = Tensor(t, (self,))
        def back():
            self.grad += (1 - t ** 2) * out.grad
        out.back = back
        return out

    def backward(self, grad):
        order, seen = [], set()
        def build(v):
            if id(v) not in seen:
                seen.add(id(v))
                for child in v.children:
                    build(child)
                order.append(v)
        build(self)
        self.grad = grad
        for v in reversed(order):
            v.back()

def forward(x, W, b, V):
    x, W, b, V = Tensor(x), Tensor(W), Tensor(b), Tensor(V)
    y = x.matmul(W).add(b).tanh().matmul(V)
    return y.data, (y, x, W, b, V)

def backward(dy, cache):
    y, x, W, b, V = cache
    y.backward(dy)
    return x.grad, W.grad, b.grad, V.grad
"""
KEPT = """
import numpy as np

class Output:
    def __init__(self, data, args):
        self.data, self.args = data, args

        def back(x, W, grad):
            dz = grad * (self.data > 0)
            dx = dz @ W.T
            dW = x.T @ dz
            return dx, dW

        self.back = back

def forward(x, W):
    out = Output(np.maximum(x @ W, 0), (x, W))
    return out.data, out

def backward(dy, cache):
    return cache.back(*cache.args, dy)
"""
COUNTED = """
import numpy as np

def layers(x, W):
    total = np.zeros_like(W)
    states = [x]
    def step():
        states.append(np.tanh(states[-1] @ W))
    def back(dh):
        nonlocal total
        for t in reversed(range(3)):
            dz = dh * (1 - states[t + 1] ** 2)
            total = total + states[t].T @ dz
            dh = dz @ W.T
        return dh, total
    for _ in range(3):
        step()
    return states[-1], back

def forward(x, W):
    return layers(x, W)

def backward(dy, cache):
    dx, dW = cache(dy)
    return dx, dW
"""


def judged(folder, source, right="", wrong="", **shapes):
    """(the report of a program with a mistake in it, the number of the line that is changed)."""
    at = source.index(right)
    assert source.count(right) == 1 or not right
    path = folder / "program.py"
    path.write_text(source[:at] + wrong + source[at + len(right) :])
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return tr.lines(module.forward, module.backward, given), source[:at].count("\n") + 1


DROPPED = """
import numpy as np

def drop(x, mask, rate):
    scale = 1 / (1 - rate)
    y = x * mask * scale
    def back(dy):
        dx = dy * mask * scale
        return dx
    return y, back

def forward(x, W, mask):
    y, back = drop(np.tanh(x @ W), mask, 0.4)
    return y, (x, W, back)

def backward(dy, cache):
    x, W, back = cache
    dh = back(dy)
    da = dh * (1 - np.tanh(x @ W) ** 2)
    return da @ W.T, x.T @ da
"""
WITH_NONE = """
import numpy as np

def forward(x, W, mask=None):
    z = x @ W
    y = np.tanh(z)
    def back(dy):
        if mask is not None:
            dy = dy * mask
        dz = dy * (1 - y ** 2)
        return dz @ W.T, x.T @ dz
    return y, back

def backward(dy, cache):
    dx, dW = cache(dy)
    return dx, dW
"""


LINEAR = {"x": (3, 4), "W": (4, 5), "b": (5,)}
GRAPH = {**LINEAR, "V": (5, 2)}
LAYER = {"x": (3, 4), "W": (4, 5)}
SQUARE = {"x": (3, 4), "W": (4, 4)}


@pytest.mark.parametrize(
    "source, shapes",
    [(HANDED_ON, LINEAR), (TENSORS, GRAPH), (KEPT, LAYER), (COUNTED, SQUARE), (WITH_NONE, LAYER)],
    ids=lambda one: "",
)
def test_a_right_pass_with_functions_within_is_right_and_compared_in_full(tmp_path, source, shapes):
    report, _ = judged(tmp_path, source, **shapes)
    assert report.ok and not report.wrong and not report.problems


@pytest.mark.parametrize(
    "source, shapes, right, wrong",
    [
        (HANDED_ON, LINEAR, "dW = x.T @ dout", "dW = -x.T @ dout"),
        (HANDED_ON, LINEAR, "dy * (1 - y ** 2)", "dy * (1 - y)"),
        (HANDED_ON, LINEAR, "dout.sum(axis=0)", "dout.mean(axis=0)"),
        (TENSORS, GRAPH, "self.data.T @ out.grad", "self.data.T @ out.data"),
        (TENSORS, GRAPH, "(1 - t ** 2)", "(1 - t)"),
        (TENSORS, GRAPH, "other.grad += out.grad.sum(axis=0)", "other.grad += 2 * out.grad.sum(axis=0)"),
        (TENSORS, GRAPH, "self.grad += out.grad @ other.data.T", "self.grad -= out.grad @ other.data.T"),
        (KEPT, LAYER, "grad * (self.data > 0)", "grad * self.data"),
        (KEPT, LAYER, "dx = dz @ W.T", "dx = grad @ W.T"),
        (WITH_NONE, LAYER, "x.T @ dz", "x.T @ dy"),
        (COUNTED, SQUARE, "states[t].T @ dz", "states[t + 1].T @ dz"),
        (COUNTED, SQUARE, "total = total + states", "total = states"),
    ],
)
def test_a_wrong_line_of_a_function_within_another_is_accused(tmp_path, source, shapes, right, wrong):
    report, line = judged(tmp_path, source, right, wrong, **shapes)
    assert [row.line for row in report.wrong] == [line]


@pytest.mark.parametrize("wrong", ["dx = dy * scale", "dx = dy * mask", "dx = mask * scale"])
def test_a_function_within_may_lack_what_is_around_it_and_what_it_mentions_nowhere_else(tmp_path, wrong):
    report, line = judged(tmp_path, DROPPED, "dx = dy * mask * scale", wrong, **LAYER, mask=(3, 5))
    assert [row.line for row in report.wrong] == [line]


def test_gradients_are_taken_for_those_of_inputs_where_the_shapes_leave_one_order(tmp_path):
    source = """
def forward(x, first, W, V, b, c):
    return (x @ W + first @ V + b) * c, (x, first, W, V, b, c)

def backward(dy, cache):
    x, first, W, V, b, c = cache
    dz = dy * c
    out = [dz @ W.T, x.T @ dz, first.T @ dz, dz.sum(axis=0), (dy * (x @ W + first @ V + b)).sum(axis=0)]
    return tuple(entry for entry in out)
"""
    shapes = {"x": (3, 4), "first": (3, 5), "W": (4, 6), "V": (5, 6), "b": (6,), "c": (6,)}
    report, line = judged(tmp_path, source, "dz = dy * c", "dz = dy", **shapes)
    assert [row.line for row in report.wrong] == [line]
