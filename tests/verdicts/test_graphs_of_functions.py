"""Line verdicts on graphs of functions that are objects, as DeZero's are: what all are called by is one method, what
they go back with are variables, and a decorated generator says whether a graph is kept."""

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.sources.held import unchanged

R = np.random.default_rng(0)
GRAPH = """
    import contextlib
    import weakref

    class Config:
        keeps = True

    @contextlib.contextmanager
    def setting(name, value):
        before = getattr(Config, name)
        setattr(Config, name, value)
        try:
            yield
        finally:
            setattr(Config, name, before)

    def as_variable(value):
        return value if isinstance(value, Variable) else Variable(value)

    class Variable:
        def __init__(self, data):
            self.data, self.grad, self.creator, self.generation = data, None, None, 0

        def backward(self, retain_grad=False):
            self.grad = Variable(np.ones_like(self.data))
            left = [self.creator]
            while left:
                left.sort(key=lambda one: one.generation)
                function = left.pop()
                above = [out().grad for out in function.outputs]
                with setting("keeps", False):
                    gradients = function.backward(*above)
                    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
                    for x, gradient in zip(function.inputs, gradients):
                        x.grad = gradient if x.grad is None else x.grad + gradient
                        if x.creator is not None and x.creator not in left:
                            left.append(x.creator)

        def __add__(self, other):
            return Add()(self, other)

        def __mul__(self, other):
            return Mul()(self, other)

        def __rmul__(self, other):
            return Mul()(self, other)

    class Function:
        def __call__(self, *given):
            inputs = [as_variable(x) for x in given]
            made = self.forward(*(x.data for x in inputs))
            outputs = [Variable(np.asarray(y)) for y in (made if isinstance(made, tuple) else (made,))]
            if Config.keeps:
                self.generation = max(x.generation for x in inputs)
                for out in outputs:
                    out.creator, out.generation = self, self.generation + 1
                self.inputs, self.outputs = inputs, [weakref.ref(out) for out in outputs]
            return outputs[0]

    class Add(Function):
        def forward(self, x, y):
            return x + y

        def backward(self, gy):
            return gy, gy

    class Mul(Function):
        def forward(self, x, y):
            return x * y

        def backward(self, gy):
            x, y = self.inputs
            return gy * y, gy * x

    class Square(Function):
        def forward(self, x):
            return x ** 2

        def backward(self, gy):
            x, = self.inputs
            return gy * 2 * x

    class Sin(Function):
        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            x, = self.inputs
            return gy * Variable(np.cos(x.data))

    class Total(Function):
        def forward(self, x):
            self.shape = x.shape
            return np.sum(x)

        def backward(self, gy):
            return gy * Variable(np.ones(self.shape))

    def loss_and_gradients(x, W, b, c):
        x, W, b, c = given = [Variable(array) for array in (x, W, b, c)]
        h = Sin()(x * W + b)
        cost = Total()(Square()(h) * h + c)
        cost.backward()
        return cost.data, *(variable.grad.data for variable in given)
"""
SIZE = (3, 4)
INPUTS = {name: R.normal(size=SIZE) for name in ("x", "W", "b", "c")}
CHANGES = {
    "a factor": ("return gy * 2 * x", "return gy * x"),
    "a slope": ("return gy * Variable(np.cos(x.data))", "return gy * Variable(np.sin(x.data))"),
}


def test_a_right_graph_is_right(tmp_path):
    report, lines = lines_accused(tmp_path, GRAPH, "", "", INPUTS)
    assert report.ok and not lines


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_line_of_the_one_function_that_is_wrong_is_accused(tmp_path, change):
    right, wrong = change
    report, lines = lines_accused(tmp_path, GRAPH, right, wrong, INPUTS)
    assert not report.ok and lines == {wrong}


def test_what_a_run_puts_in_a_global_dict_or_list_is_gone_when_it_is_over():
    world = {"PLACES": {"a": 0}, "LEFT": [1, 2], "__names__": []}
    with unchanged((), worlds=[world]):
        world["PLACES"]["b"] = 1
        world["LEFT"].clear()
        world["__names__"].append("x")
    assert world == {"PLACES": {"a": 0}, "LEFT": [1, 2], "__names__": ["x"]}
