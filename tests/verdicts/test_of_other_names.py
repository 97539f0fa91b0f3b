"""What a slip may have been made of, where what was meant stands nowhere in the function as it is: what another object
has, what a call gives beside the object, the product of two arrays."""

import numpy as np
import pytest
from students import accused_in_turn

R = np.random.default_rng(25)

GRAPH = """
    class Blob:
        def __init__(self, value):
            self.value, self.grad = value, np.zeros_like(value)

    class Sine:
        def __init__(self, below):
            self.below, self.above = below, Blob(np.zeros_like(below.value))

        def forward(self):
            self.above.value = np.sin(self.below.value)

        def backward(self):
            self.below.grad += np.multiply(np.cos(self.below.value), self.above.grad)

    def forward(x, W):
        first = Blob(np.exp(x @ W))
        second = Sine(first)
        second.forward()
        return second.above.value, (x, W, first, second)

    def backward(dout, cache):
        x, W, first, second = cache
        second.above.grad = dout.copy()
        second.backward()
        da = first.grad * first.value
        return da @ W.T, x.T @ da
"""


@pytest.mark.parametrize(
    "right, wrong", [("np.cos(self.below.value)", "np.cos(self.above.value)"), ("first.value\n", "first.grad\n")]
)
def test_what_another_object_of_the_graph_has_is_read(tmp_path, right, wrong):
    given = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4))}
    _, lines = accused_in_turn(tmp_path, GRAPH, right, wrong, given)
    assert len({*lines}) == 1 and all(wrong.strip() in line for line in lines)


PRODUCTS = """
    def forward(x, y, W, U, V):
        h = np.tanh(x @ W + y @ U)
        return h @ V + (h * y) @ U, (x, y, W, U, V, h)

    def backward(dout, cache):
        x, y, W, U, V, h = cache
        dhy = dout @ U.T
        dh = dout @ V.T + dhy * y
        da = dh * (1 - h ** 2)
        dx = da @ W.T
        dy = da @ U.T + dhy * h
        dU = y.T @ da + (h * y).T @ dout
        return dx, dy, x.T @ da, dU, h.T @ dout
"""
SQUARE = {"x": R.normal(size=(2, 3)), "y": R.normal(size=(2, 4)), "W": R.normal(size=(3, 4))}
SQUARE |= {"U": R.normal(size=(4, 4)), "V": R.normal(size=(4, 4))}


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("dh = dout @ V.T + dhy * y", "dh = dout @ V.T"),
        ("dy = da @ U.T + dhy * h", "dy = dhy * h"),
        ("dU = y.T @ da + (h * y).T @ dout", "dU = (h * y).T @ dout"),
    ],
)
def test_a_term_that_is_the_product_of_two_arrays_is_put_back(tmp_path, right, wrong):
    _, lines = accused_in_turn(tmp_path, PRODUCTS, right, wrong, SQUARE)
    assert len({*lines}) == 1 and all(wrong in line for line in lines)


METHODS = """
    def sigmoid(layer, x):
        return layer.top / (1 + np.exp(-x))

    def slope_of_sigmoid(layer, x):
        return sigmoid(layer, x) * (1 - sigmoid(layer, x) / layer.top)

    class Layer:
        def __init__(self, W):
            self.W, self.top = W, 3.0

        def forward(self, x):
            self.x, self.a = x, x @ self.W
            return sigmoid(self, self.a)

        def backward(self, dout):
            da = dout * self.slope(self.a)
            return da @ self.W.T, self.x.T @ da

        def slope(self, x):
            return self.squashed(self, x) * (1 - self.squashed(self, x) / self.top)

        @staticmethod
        def squashed(self, x):
            return self.top / (1 + np.exp(-x))

    def forward(x, W):
        layer = Layer(W)
        return layer.forward(x), layer

    def backward(dout, cache):
        return cache.backward(dout)
"""


def test_a_call_that_is_given_the_object_too_stands_where_its_argument_does(tmp_path):
    given = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4))}
    right, wrong = "(1 - self.squashed(self, x) / self.top)", "(1 - x / self.top)"
    _, lines = accused_in_turn(tmp_path, METHODS, right, wrong, given)
    assert len({*lines}) == 1 and all(wrong in line for line in lines)


DERIVATIVE = """
    def tanh_derivative(a):
        return 1 - np.tanh(a) ** 2

    def forward(x, W, U):
        a = x @ W
        b = np.tanh(a) @ U
        return np.tanh(b), (x, W, U, a, b)

    def backward(dout, cache):
        x, W, U, a, b = cache
        db = dout * tanh_derivative(b)
        da = db @ U.T * tanh_derivative(a)
        return da @ W.T, x.T @ da, np.tanh(a).T @ db
"""


def test_a_derivative_that_takes_its_argument_for_the_output_is_accused_though_it_would_be_right_for_that(tmp_path):
    given = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4)), "U": R.normal(size=(4, 5))}
    _, lines = accused_in_turn(tmp_path, DERIVATIVE, "1 - np.tanh(a) ** 2", "1 - a ** 2", given)
    assert len({*lines}) == 1 and all("1 - a ** 2" in line for line in lines)
