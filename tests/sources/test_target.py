"""What is to be checked is said in one way, whoever checks it: what one of the tools takes, the others take."""

from types import FunctionType, ModuleType

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.sources.target import Target, target, targets

rng = np.random.default_rng(0)
X, W = rng.normal(size=(3, 4)), rng.normal(size=(4, 2))


def affine_forward(x, W):
    """x (N, D), W (D, H) -> y (N, H)."""
    y = np.tanh(x @ W)
    return y, (x, W, y)


def affine_backward(dy, cache):
    x, W, y = cache
    da = dy * (1 - y**2)
    dx = da @ W.T
    dW = x.T @ da * 2
    return dx, dW


def cube(x):
    """x (N, D) -> the sum of its cubes."""
    y = x**3
    return y.sum()


def slope_of_cube(p):
    dx = 2 * p**2
    return dx


def squares(w, t):
    """w (D,), t (D,)"""
    d = w - t
    loss = np.sum(d * d)
    dw = d
    return loss, dw


class Layer:
    """W (D, H)"""

    def __init__(self, W):
        self.W = W

    def forward(self, x):
        """x (N, D)"""
        self.x = x
        y = x @ self.W
        return y

    def backward(self, dy):
        dx = dy @ self.W.T
        self.dW = self.x.T @ dy * 2
        return dx


class OtherWords:
    """W (D, H). Its two passes go by other names, and have company."""

    def __init__(self, W):
        self.W = W

    def forward_all(self, xs):
        return [self.fprop(x) for x in xs]

    def fprop(self, x):
        """x (N, D)"""
        self.x = x
        y = x @ self.W
        return y

    def grad(self, dy):
        dx = dy @ self.W.T
        self.dW = self.x.T @ dy * 2
        return dx

    @property
    def broken(self):
        raise RuntimeError("nobody asked")


LAYER = Layer(W)
WAYS = {
    "two functions": ((affine_forward, affine_backward, (X, W)), {}),
    "two functions, inputs by name": ((affine_forward, affine_backward, {"x": X, "W": W}), {}),
    "a tuple": (((affine_forward, affine_backward, (X, W)),), {}),
    "a pair, and inputs": (((affine_forward, affine_backward), (X, W)), {}),
    "a pair without inputs": (((affine_forward, affine_backward),), {}),
    "the forward function alone": ((affine_forward,), {}),
    "the backward function alone": ((affine_backward,), {}),
    "one of them, and inputs": ((affine_forward, (X, W)), {}),
    "inputs by keyword": ((affine_forward, affine_backward), {"inputs": (X, W)}),
    "f and its gradient, of other names": ((cube, slope_of_cube, X), {}),
    "f and its gradient without a point": ((cube, slope_of_cube), {}),
    "value and gradient": ((squares, (X[0], X[1])), {"jac": True}),
    "value and gradient, told from names": ((squares,), {}),
    "an object, and inputs": ((Layer(W), X), {}),
    "an object": ((Layer(W),), {}),
    "a class": ((Layer,), {}),
    "a class with fprop and grad": ((OtherWords,), {}),
    "an object with fprop and grad": ((OtherWords(W), X), {}),
    "two methods": ((LAYER.forward, LAYER.backward, X), {}),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("way", WAYS)
def test_gradcheck_and_lines_take_the_same_and_find_the_same_mistake(way):
    given, options = WAYS[way]
    checked, judged = tr.gradcheck(*given, **options), tr.lines(*given, **options)
    wrong = [row.argument.removeprefix("self.") for row in checked.wrong]
    assert len(wrong) == 1 and [row.partner for row in judged.wrong] == wrong


def test_a_target_says_what_it_is():
    one = target((affine_forward, affine_backward))
    assert one == Target(affine_forward, affine_backward) and one.name == "affine_forward and affine_backward"
    assert (one.is_one, one.owner, one.takes_point) == (False, None, False)
    assert target(squares).is_one and target(cube, slope_of_cube).takes_point
    layer = Layer(W)
    assert target(layer).owner is layer and target(layer).about is target(Layer).about is Layer


@pytest.mark.parametrize("given", [(3,), (X,), (dict,), (Layer.forward,), (cube, slope_of_cube, X, X)])
def test_what_nothing_can_be_made_of_is_refused_by_name(given):
    for check in (tr.gradcheck, tr.lines):
        with pytest.raises(TypeError) as raised:
            check(*given)
        assert "\n" not in str(raised.value)
        assert check.__name__ in str(raised.value) or "needs an object" in str(raised.value) or len(given) == 4


def test_what_a_cell_is_made_of_is_judged_as_that_cell_and_once():
    def step(params, x, state):
        h = np.tanh(x @ params["W"] + state[0])
        return (h,), (x, h)

    def step_backward(params, cache, dstate):
        x, h = cache
        da = dstate[0] * (1 - h * h)
        return da @ params["W"].T, (da,), {"W": x.T @ da}

    class Own(tr.Elman):
        def step_backward(self, p, dh, cache):
            return super().step_backward(p, dh, cache=cache)

    module = ModuleType("homework")
    for one in (step, step_backward, affine_forward, affine_backward, Own):
        function = one if isinstance(one, type) else FunctionType(one.__code__, vars(module), one.__name__)
        function.__module__ = "homework"
        setattr(module, one.__name__, function)
    pairs = [(module.affine_forward, module.affine_backward), (module.step, module.step_backward)]
    assert [one if one is Own else one[:2] for one in targets(module, rng)[0]] == [*pairs, Own]
    module.cell = tr.StepCell(*pairs[1], params={"W": W}, input_size=4, state_sizes=2)
    module.own = Own(2, 3)
    assert [one[:2] if isinstance(one, Target) else one for one in targets(module, rng)[0]] == [
        pairs[0],
        module.cell,
        module.own,
    ]
