"""Line verdicts on tensors that carry their gradients: each operation is judged by itself, and that tells which of
them is wrong where right values of several would do."""

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.own_numpy import Numpy

R = np.random.default_rng(0)
CLOSURES = """
    import numpy as np

    def summed_to(grad, shape):
        while grad.ndim > len(shape):
            grad = grad.sum(axis=0)
        return grad

    class Tensor:
        def __init__(self, data, parents=()):
            self.data = data
            self.grad = np.zeros_like(data)
            self.parents = parents
            self._backward = lambda: None

        def __add__(self, other):
            out = Tensor(self.data + other.data, (self, other))

            def _backward():
                self.grad += summed_to(out.grad, self.data.shape)
                other.grad += summed_to(out.grad, other.data.shape)

            out._backward = _backward
            return out

        def __mul__(self, other):
            out = Tensor(self.data * other.data, (self, other))

            def _backward():
                self.grad += summed_to(out.grad * other.data, self.data.shape)
                other.grad += summed_to(out.grad * self.data, other.data.shape)

            out._backward = _backward
            return out

        def __matmul__(self, other):
            out = Tensor(self.data @ other.data, (self, other))

            def _backward():
                self.grad += out.grad @ other.data.T
                other.grad += self.data.T @ out.grad

            out._backward = _backward
            return out

        def tanh(self):
            out = Tensor(np.tanh(self.data), (self,))

            def _backward():
                self.grad += (1 - out.data ** 2) * out.grad

            out._backward = _backward
            return out

        def softmax(self):
            e = np.exp(self.data - self.data.max(axis=1, keepdims=True))
            out = Tensor(e / e.sum(axis=1, keepdims=True), (self,))

            def _backward():
                along = np.sum(out.grad * out.data, axis=1, keepdims=True)
                self.grad += out.data * (out.grad - along)

            out._backward = _backward
            return out

        def backward(self, grad=None):
            order, seen = [], set()

            def visit(t):
                if t not in seen:
                    seen.add(t)
                    for parent in t.parents:
                        visit(parent)
                    order.append(t)

            visit(self)
            self.grad = np.ones_like(self.data) if grad is None else grad
            for t in reversed(order):
                t._backward()

    def loss_and_gradients(x, W, b, V, gate):
        x, W, b, V, gate = tensors = [Tensor(one) for one in (x, W, b, V, gate)]
        h = (x @ W + b).tanh() * gate + x @ W
        y = (h @ V).softmax()
        loss = y * y * y
        loss.backward()
        return loss.data.sum(), *(one.grad for one in tensors)
"""
GIVEN = {"x": (4, 3), "W": (3, 5), "b": (5,), "V": (5, 6), "gate": (5,)}
GIVEN = {name: R.normal(size=shape) for name, shape in GIVEN.items()}


OBJECTS = """
    import numpy as np

    class Times:
        def slopes(self, grad, made_of):
            a, b = made_of
            return grad * b.data, grad * a.data

    class Rows:
        def slopes(self, grad, made_of):
            table, rows = made_of
            found = np.zeros_like(table.data)
            for k, row in enumerate(rows):
                found[row] += grad[k]
            return (found,)

    class Largest:
        def slopes(self, grad, made_of):
            (a,) = made_of
            return ((a.data > 0) * grad,)

    class Tensor:
        def __init__(self, data, requires_grad=True):
            self.data = data
            self.requires_grad = requires_grad
            self.grad = None
            self.made_of, self.grad_fn = (), None

        def __mul__(self, other):
            made = Tensor(self.data * other.data)
            made.made_of, made.grad_fn = (self, other), Times()
            return made

        def __getitem__(self, rows):
            made = Tensor(self.data[rows])
            made.made_of, made.grad_fn = (self, rows), Rows()
            return made

        def relu(self):
            made = Tensor(np.maximum(self.data, 0))
            made.made_of, made.grad_fn = (self,), Largest()
            return made

        def backward(self, grad=None):
            grad = np.ones_like(self.data) if grad is None else grad
            if self.grad_fn is None:
                self.grad = grad if self.grad is None else self.grad + grad
                return
            for one, slope in zip(self.made_of, self.grad_fn.slopes(grad, self.made_of)):
                if isinstance(one, Tensor) and one.requires_grad:
                    one.backward(slope)

    def loss_and_gradients(rows, table, weight):
        table, weight = Tensor(table), Tensor(weight)
        loss = (table[rows] * weight * weight).relu() * table[rows]
        loss.backward()
        return loss.data.sum(), table.grad, weight.grad
"""
ROWS = {"rows": np.array([0, 2, 0, 1]), "table": R.normal(size=(3, 5)), "weight": R.normal(size=(4, 5))}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("self.grad += (1 - out.data ** 2) * out.grad", "self.grad += (1 - out.data) * out.grad"),
        ("out.grad * self.data, other.data.shape)", "out.grad * other.data, other.data.shape)"),
        ("self.grad += out.grad @ other.data.T", "self.grad = out.grad @ other.data.T"),
        ("self.grad += out.data * (out.grad - along)", "self.grad += out.data * out.grad"),
    ],
)
def test_of_tensors_with_closures_the_line_of_the_wrong_operation_is_accused(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, CLOSURES, right, wrong, GIVEN)
    assert len(lines) == 1 and wrong in lines.pop(), report


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return grad * b.data, grad * a.data", "return grad * a.data, grad * a.data"),
        ("found[row] += grad[k]", "found[row] = grad[k]"),
        ("return ((a.data > 0) * grad,)", "return (a.data * grad,)"),
    ],
)
def test_of_tensors_with_objects_for_their_slopes_it_is_too(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, OBJECTS, right, wrong, ROWS)
    assert len(lines) == 1 and wrong in lines.pop(), report


@pytest.mark.parametrize(("source", "given"), [(CLOSURES, GIVEN), (OBJECTS, ROWS)])
def test_right_tensors_are_right(tmp_path, source, given):
    report, lines = lines_accused(tmp_path, source, "", "", given)
    assert report.ok and not lines


def test_two_operations_that_are_wrong_are_both_accused(tmp_path):
    source = CLOSURES.replace("self.grad += (1 - out.data ** 2)", "self.grad += (1 - out.data)")
    wrong = "self.grad += out.data * (out.grad + along)"
    report, lines = lines_accused(tmp_path, source, "self.grad += out.data * (out.grad - along)", wrong, GIVEN)
    assert lines == {wrong, "self.grad += (1 - out.data) * out.grad"}, report


def test_an_object_that_hands_on_what_it_is_asked_for_is_copied_itself():
    class Wrapper:
        def __init__(self, array):
            self.array = array

        def __getattr__(self, name):
            return getattr(vars(self)["array"], name)

    made = deep_copy({"held": Wrapper(np.ones(3))})["held"]
    made.array[0] = 5
    assert type(made) is Wrapper and list(made.array) == [5, 1, 1]


def test_the_numpy_of_a_rewritten_function_equals_the_module_that_an_object_keeps():
    assert Numpy() == np and np == Numpy() and {np: 1}[Numpy()] == 1 and Numpy() != pytest
