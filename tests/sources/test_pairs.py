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
