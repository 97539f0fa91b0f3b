"""Weights and gradients in dicts of dicts, layers within layers, and passes whose helpers are spread over modules."""

import numpy as np
import pytest
from written_modules import judged, written

NODES = """
    class Node:
        def forward(self, x, h, params):
            self.x, self.h = x, h
            self.s = np.tanh(x @ params["U"]["value"] + h @ params["V"]["value"] + params["b"]["value"])
            return self.s
        def backward(self, up, params):
            da = up * (1 - self.s ** 2)
            params["U"]["deriv"] += self.x.T @ da
            params["V"]["deriv"] += self.h.T @ da
            params["b"]["deriv"] += da.sum(axis=0, keepdims=True)
            return da @ params["U"]["value"].T, da @ params["V"]["value"].T

    class Nodes:
        def __init__(self):
            r = np.random.default_rng(0)
            shapes = {"U": (4, 3), "V": (3, 3), "b": (1, 3)}
            self.params = {k: {"value": r.normal(size=s), "deriv": np.zeros(s)} for k, s in shapes.items()}
            self.nodes = [Node() for _ in range(3)]
        def forward(self, x_seq):
            h, out = np.zeros((len(x_seq), 3)), np.zeros((len(x_seq), 3, 3))
            for t in range(3):
                h = self.nodes[t].forward(x_seq[:, t], h, self.params)
                out[:, t] = h
            return out
        def backward(self, out_grad):
            h_grad, x_grad = np.zeros((len(out_grad), 3)), np.zeros((len(out_grad), 3, 4))
            for t in reversed(range(3)):
                x_grad[:, t], h_grad = self.nodes[t].backward(out_grad[:, t] + h_grad, self.params)
            return x_grad
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("", ""),
        ('params["V"]["deriv"] += self.h.T @ da', 'params["V"]["deriv"] += self.s.T @ da'),
        ('params["b"]["deriv"] += da.sum(', 'params["b"]["deriv"] += up.sum('),
    ],
)
def test_gradients_beside_their_weights_in_a_dict_of_dicts_are_compared(tmp_path, right, wrong):
    path = written(tmp_path, nodes=NODES.replace(right, wrong) if right else NODES)
    report, accused = judged(path, lambda module: module.Nodes(), x_seq=np.random.default_rng(1).normal(size=(2, 3, 4)))
    assert report.ok == (not right) and not report.not_compared, report
    assert len(accused) == bool(right) and all(text.startswith(wrong) for text in accused)


SLOPES = """
    def squash(z):
        return np.tanh(z)
    def squash_slope(z):
        return 1 - np.tanh(z) ** 2
"""
PASSES = """
    import slopes as maths
    from slopes import squash as activation
    def run_forward(layer, x):
        layer.kept = {"x": x, "z": x @ layer.w}
        return activation(layer.kept["z"])
    def run_backward(layer, up):
        da = layer.kept["da"] = up * maths.squash_slope(layer.kept["z"])
        layer.grad_w = layer.kept["x"].T @ da
        return da @ layer.w.T
"""
LAYER = """
    from passes import run_backward, run_forward
    class Base:
        def backward(self, up):
            return run_backward(self, up)
    class Layer(Base):
        def __init__(self):
            self.w = np.random.default_rng(0).normal(size=(4, 3))
        def forward(self, x):
            return run_forward(self, x)
        def backward(self, up):
            back = super().backward(up)
            return back
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "module, right, wrong",
    [
        ("", "", ""),
        ("slopes", "return 1 - np.tanh(z) ** 2", "return 1 - np.tanh(z)"),
        ("passes", 'layer.grad_w = layer.kept["x"].T @ da', 'layer.grad_w = layer.kept["x"].T @ up'),
    ],
)
def test_a_mistake_is_found_in_a_function_of_another_module_and_behind_super(tmp_path, module, right, wrong):
    sources = {"slopes": SLOPES, "passes": PASSES, "layer": LAYER}
    sources = {name: text.replace(right, wrong) if name == module else text for name, text in sources.items()}
    x = np.random.default_rng(1).normal(size=(5, 4))
    report, accused = judged(written(tmp_path, **sources), lambda module: module.Layer(), x=x)
    assert report.ok == (not module) and not report.not_compared, report
    assert accused == ({wrong} if module else set())


HELD = """
    from slopes import squash, squash_slope
    class Layer:
        def __init__(self):
            self.w, self.slope = np.random.default_rng(0).normal(size=(4, 3)), squash_slope
        def forward(self, x):
            self.x, self.z = x, x @ self.w
            return squash(self.z)
        def backward(self, up):
            da = up * self.slope(self.z)
            self.grad_w = self.x.T @ da
            return None
"""


def test_a_function_that_an_object_holds_is_looked_into_and_a_gradient_that_is_kept_is_enough(tmp_path):
    x = np.random.default_rng(1).normal(size=(5, 4))
    wrong = SLOPES.replace("np.tanh(z) ** 2", "np.tanh(z)")
    right, none = judged(written(tmp_path, slopes=SLOPES, layer=HELD), lambda module: module.Layer(), x=x)
    assert right.ok and not none, right
    (tmp_path / "other").mkdir()
    _, accused = judged(written(tmp_path / "other", slopes=wrong, layer=HELD), lambda module: module.Layer(), x=x)
    assert accused == {"return 1 - np.tanh(z)"}


GATES = """
    class Product:
        def forward(self, W, x):
            return W @ x
        def backward(self, W, x, d):
            return np.outer(d, x), W.T @ d

    class Squash:
        def forward(self, z):
            return np.tanh(z)
        def backward(self, z, d):
            return (1 - self.forward(z) ** 2) * d

    product, squash = Product(), Squash()

    class Layer:
        def __init__(self):
            self.W, self.start = np.random.default_rng(0).normal(size=(3, 4)), lambda: np.zeros(3)
        def forward(self, x):
            self.x, self.z = x, product.forward(self.W, x) + self.start()
            return squash.forward(self.z)
        def backward(self, d):
            d = squash.backward(self.z, d)
            self.dW, dx = product.backward(self.W, self.x, d)
            return dx
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("", ""),
        ("return (1 - self.forward(z) ** 2) * d", "return (1 - self.forward(z)) * d"),
        ("return np.outer(d, x), W.T @ d", "return np.outer(d, x), W.T @ np.ones_like(d)"),
    ],
)
def test_methods_of_global_objects_are_looked_into_and_a_lambda_in_an_attribute_is_no_obstacle(tmp_path, right, wrong):
    path = written(tmp_path, gates=GATES.replace(right, wrong) if right else GATES)
    report, accused = judged(path, lambda module: module.Layer(), x=np.random.default_rng(1).normal(size=4))
    assert report.ok == (not right) and not report.not_compared, report
    assert accused == ({wrong} if right else set())


STACK = """
    class Model:
        def __init__(self):
            r = np.random.default_rng(0)
            self.stack = [r.normal(size=(4, 3)), r.normal(size=(3, 2))]
            self.W, self.V = np.zeros((4, 3)), np.zeros((3, 2))  # what an earlier pass left behind
        def forward(self, x):
            self.W, self.V = self.stack
            self.x, self.h = x, np.tanh(x @ self.W)
            return self.h @ self.V
        def backward(self, up):
            self.dV = self.h.T @ up
            self.dW = self.x.T @ (up @ self.V.T * (1 - self.h ** 2))
            return [0.5 * 2 * self.dW, 0.5 * 2 * self.dV]
"""


@pytest.mark.parametrize("right, wrong", [("", ""), ("(1 - self.h ** 2)", "(1 - self.h)")])
def test_an_attribute_that_the_forward_pass_sets_anew_is_no_input(tmp_path, right, wrong):
    path = written(tmp_path, model=STACK.replace(right, wrong))
    report, accused = judged(path, lambda module: module.Model(), x=np.random.default_rng(1).normal(size=(5, 4)))
    assert report.ok == (not right), report
    assert len(accused) == bool(right) and all(wrong in text for text in accused)


BASE = """
    class Module:
        def forward(self, x):
            raise NotImplementedError
        def __call__(self, x):
            return self.forward(x)
        def held(self):
            return [one for one in vars(self).values() if isinstance(one, Module)]
"""
CHAIN = """
    from base import Module

    class Chain(Module):
        def forward(self, x):
            for one in self.held():
                x = one(x)
            return x
        def backward(self, up):
            for one in reversed(self.held()):
                up = one.backward(up)
            return up
"""
NET = """
    from base import Module
    from chain import Chain

    class Line(Module):
        def __init__(self, seed):
            self.W = np.random.default_rng(seed).normal(size=(3, 3))
        def forward(self, x):
            self.x = x
            return np.tanh(x @ self.W)
        def backward(self, up):
            da = up * (1 - np.tanh(self.x @ self.W) ** 2)
            self.dW = self.x.T @ da
            return da @ self.W.T

    class Net(Chain):
        def __init__(self):
            self.first, self.second = Line(0), Line(1)
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["", "self.dW = self.x.T @ up"])
def test_a_class_between_two_modules_keeps_its_methods_and_isinstance_knows_its_objects(tmp_path, wrong):
    net = NET.replace("self.dW = self.x.T @ da", wrong) if wrong else NET
    path = written(tmp_path, base=BASE, chain=CHAIN, net=net)
    report, accused = judged(path, lambda module: module.Net(), x=np.random.default_rng(1).normal(size=(4, 3)))
    assert report.ok == (not wrong) and not report.not_compared, report
    assert accused == ({wrong} if wrong else set())
