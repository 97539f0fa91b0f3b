"""Which functions belong together by their names."""

import pytest

from tinyrnn.sources.pairs import find, passes_in
from tinyrnn.sources.user_file import loaded

NAMES = {  # forward -> the backward functions that are its partner
    "norm_forward": ["norm_backward", "norm_backward_alt", "norm_backward_v2"],
    "forwardprop": ["backprop"],
    "forwardPropagation": ["backPropagation"],
    "fprop_layer": ["bprop_layer"],
    "conv_forward_naive": ["conv_backward_naive"],
    "forward_pass": ["backward_pass"],
    "forward_propagation": ["back_propagation", "back_propagation_through_time"],
}


@pytest.mark.parametrize("forward", NAMES)
def test_a_backward_function_finds_the_forward_one_of_its_name(tmp_path, forward):
    text = f"def {forward}(x):\n    return 2 * x, None\n"
    text += "".join(f"def {name}(dout, cache):\n    return 2 * dout\n" for name in NAMES[forward])
    (tmp_path / "hw.py").write_text(text)
    with loaded(tmp_path / "hw.py") as module:
        pairs, lonely = find(module)
    assert [(pair.forward.__name__, pair.backward.__name__) for pair in pairs] == [(forward, b) for b in NAMES[forward]]
    assert lonely == []


def test_the_nearer_name_comes_first_and_another_one_has_no_partner(tmp_path):
    names = ["norm_forward(x)", "norm_alt_forward(x)", *(f"{n}_backward_alt(dout, cache)" for n in ("norm", "pool"))]
    (tmp_path / "hw.py").write_text("".join(f"def {name}:\n    return 1\n" for name in names))
    with loaded(tmp_path / "hw.py") as module:
        pairs, lonely = find(module)
    assert [pair.forward.__name__ for pair in pairs] == ["norm_alt_forward"]
    assert [f.__name__ for f in lonely] == ["pool_backward_alt"]


@pytest.mark.parametrize(
    "names", ["forward backprop", "fprop bprop", "forward bptt", "forward grad", "forward_prop backward_prop"]
)
def test_a_class_has_its_passes_by_other_names(tmp_path, names):
    forward, backward = names.split()
    methods = f"    def {forward}(self, x):\n        return x\n    def {backward}(self, dout):\n        return dout\n"
    (tmp_path / "hw.py").write_text(f"class Net:\n{methods}")
    with loaded(tmp_path / "hw.py") as module:
        assert find(module) == ([module.Net], [])
        assert [f.__name__ for f in passes_in(module.Net())] == [forward, backward]


def test_hooks_and_slopes_are_no_passes(tmp_path):
    names = ["forward(self, x)", "register_backward_hook(self, dout)", "grad(self, x)", "_backward(self, dout)"]
    (tmp_path / "hw.py").write_text("class Net:\n" + "".join(f"    def {name}:\n        return 1\n" for name in names))
    with loaded(tmp_path / "hw.py") as module:
        assert find(module) == ([], []) and passes_in(module.Net) is None


STEP = """
    def {name}(self, inputs, targets, h0):
        d = self.W * inputs + h0 - targets
        loss = np.sum(d * d)
        {made} = 2 * np.sum(d * inputs)
        return {returned}
"""


@pytest.mark.parametrize(
    "name, made, returned",
    [
        ("forward_backward", "dW", "loss, dW"),
        ("compute_gradients", "grads = {}; grads['W']", "grads, loss, h0"),
        ("calculateGradient", "dldw", "dldw, loss"),
        ("loss", "grads = {}; grads['W']", "loss, grads"),
    ],
)
def test_a_class_has_one_method_that_returns_its_loss_and_the_gradients(tmp_path, name, made, returned):
    step = STEP.format(name=name, made=made, returned=returned)
    (tmp_path / "hw.py").write_text(f"import numpy as np\nclass Net:\n    W = 1.0\n{step}")
    with loaded(tmp_path / "hw.py") as module:
        assert find(module) == ([module.Net], [])
        forward, backward = passes_in(module.Net())
        assert forward is backward and forward.__name__ == name


def test_a_method_that_returns_losses_or_gradients_alone_is_no_pass(tmp_path):
    methods = """class Net:
    W = 1.0
    def costs(self, x):
        cost = self.W * x
        return cost, cost + self.W**2
    def train(self, x, losses):
        dW = x
        return x, losses
    def gradients(self, x):
        dW, db = x, x
        return dW, db
"""
    (tmp_path / "hw.py").write_text(methods)
    with loaded(tmp_path / "hw.py") as module:
        assert find(module) == ([], []) and passes_in(module.Net) is None


PAIRS = {
    "two methods of one name": "cell_forward(self, x) cell_backward(self, dout)",
    "a loss and its gradients": "compute_loss(self, x, y) compute_gradients(self, x, y)",
    "a loss, and what goes back from it": "calculate_loss(self, x, y) bptt(self, x, y)",
    "a loss, and its derivative by what it keeps": "forward(self, x, y) derivative(self)",
}


@pytest.mark.parametrize("what", PAIRS)
def test_two_methods_belong_together_by_their_names_and_arguments(tmp_path, what):
    first, second = PAIRS[what].replace(") ", ")|").split("|")
    methods = "".join(f"    def {name}:\n        return 1\n" for name in (first, second, "predict(self, x)"))
    (tmp_path / "hw.py").write_text(f"class Net:\n{methods}")
    with loaded(tmp_path / "hw.py") as module:
        assert [f.__name__ for f in passes_in(module.Net)] == [name.partition("(")[0] for name in (first, second)]


def test_of_a_step_and_all_steps_the_latter_are_judged(tmp_path):
    text = """class Net:
    def step_forward(self, x):
        return x, None
    def step_backward(self, dout, cache):
        return dout
    def all_forward(self, x):
        return self.step_forward(x)
    def all_backward(self, dout, cache):
        return self.step_backward(dout, cache)
"""
    (tmp_path / "hw.py").write_text(text)
    with loaded(tmp_path / "hw.py") as module:
        assert [f.__name__ for f in passes_in(module.Net)] == ["all_forward", "all_backward"]


def test_a_loss_belongs_to_the_function_of_its_name_that_takes_the_same(tmp_path):
    names = ["mse(a, b)", "mse_grad(a, b)", "sigmoid(z)", "sigmoid_derivative(z)"]
    (tmp_path / "hw.py").write_text("".join(f"def {name}:\n    return 1\n" for name in names))
    with loaded(tmp_path / "hw.py") as module:
        pairs, lonely = find(module)
    assert [(pair.forward.__name__, pair.backward.__name__) for pair in pairs] == [("mse", "mse_grad")] and not lonely


def test_methods_that_cannot_be_read_are_no_obstacle(tmp_path):
    text = """from typing import NamedTuple
made = {}
exec("def loss(self, x): return 1, x", made)
class Point(NamedTuple):
    x: float
class Other:
    loss = made["loss"]
    slope = lambda self, x: (x, x)
class Layer:
    loss = made["loss"]
    def forward(self, x):
        return x
    def backward(self, dout):
        return dout
"""
    (tmp_path / "hw.py").write_text(text)
    with loaded(tmp_path / "hw.py") as module:
        assert find(module) == ([module.Layer], [])
