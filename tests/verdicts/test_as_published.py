"""Classes as people publish them: judged without a word about how they are called."""

import linecache

import pytest
from written_modules import written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

KEEPS_RESULTS = """
    class Dense:
        def __init__(self, input_size, hidden_size):
            self.weights = np.random.default_rng(0).normal(size=(input_size, hidden_size))
        def forward(self, inputs):
            self.output = np.tanh(inputs @ self.weights)
            self.inputs = inputs
        def backward(self, dvalues):
            dz = dvalues * (1 - self.output ** 2)
            self.dweights = self.inputs.T @ dz
            self.dinputs = dz @ self.weights.T
"""
OTHER_NAME = """
    class Cell:
        def __init__(self, input_size, hidden_size):
            rng = np.random.default_rng(0)
            self.W, self.U = rng.normal(size=(hidden_size, input_size)), rng.normal(size=(hidden_size, hidden_size))
        def forward(self, x, h_prev_t):
            h_t = np.tanh(x @ self.W.T + h_prev_t @ self.U.T)
            return h_t
        def backward(self, delta, h_t, h_prev_l, h_prev_t):
            dz = delta * (1 - h_t ** 2)
            self.dW, self.dU = dz.T @ h_prev_l, dz.T @ h_prev_t
            return dz @ self.W, dz @ self.U
"""
OTHERS = OTHER_NAME.replace("(self, x, h_prev_t)", "(self, x, h)").replace("+ h_prev_t @", "+ h @")
OTHERS = OTHERS.replace("delta, h_t, h_prev_l", "delta, h, h_prev_l").replace("h_t ** 2", "h ** 2")
KEPT_BAR = """
    class Cell:
        def __init__(self, input_size, hidden_size):
            self.W = np.random.default_rng(0).normal(size=(input_size, hidden_size))
        def forward(self, x, h):
            self.x, self.h_prev = x, h
            self.h_bar = np.tanh(x @ self.W)
            return 0.5 * h + 0.5 * self.h_bar
        def backward(self, delta):
            dz = 0.5 * delta * (1 - self.h_bar ** 2)
            self.dW = self.x.T @ dz
            return dz @ self.W.T, 0.5 * delta
"""
FILLS_A_LIST = """
    class Embedding:
        def __init__(self, W):
            self.params, self.grads = [W], [np.zeros_like(W)]
        def forward(self, idx):
            (W,) = self.params
            self.idx = idx
            return W[idx]
        def backward(self, dout):
            (dW,) = self.grads
            dW[...] = 0
            np.add.at(dW, self.idx, dout)
            return None

    def example_inputs(rng):
        return {"W": rng.normal(size=(6, 3)), "idx": np.array([1, 4, 1])}
"""
ONE_STEP = """
    class Net:
        def __init__(self, input_size, hidden_size):
            self.W = np.random.default_rng(0).normal(size=(input_size, hidden_size))
        def gradients(self, x, y):
            out = x @ self.W
            loss = 0.5 * np.sum((out - y) ** 2)
            dW = x.T @ (out - y)
            return dW, loss

    def example_inputs(rng):
        return {"input_size": 3, "hidden_size": 2, "x": rng.normal(size=(4, 3)), "y": rng.normal(size=(4, 2))}
"""
CACHE_NOT_LAST = """
    class Net:
        def __init__(self, input_size, hidden_size):
            self.W = np.random.default_rng(0).normal(size=(input_size, hidden_size))
        def forward(self, x):
            h = np.tanh(x @ self.W)
            cache = {"x": x, "h": h}
            return h, cache, h[-1]
        def backward(self, dh, cache, retain_grads=True):
            dz = dh * (1 - cache["h"] ** 2)
            self.dW = cache["x"].T @ dz
            return dz @ self.W.T
"""
MEANS = """
    class Cell:
        def __init__(self, input_size, hidden_size):
            rng = np.random.default_rng(0)
            self.W, self.U = rng.normal(size=(input_size, hidden_size)), rng.normal(size=(hidden_size, hidden_size))
            self.b = rng.normal(size=hidden_size)
        def forward(self, x, h):
            self.x, self.h = x, h
            self.out = np.tanh(x @ self.W + h @ self.U + self.b)
            return self.out
        def backward(self, delta):
            dz = delta * (1 - self.out ** 2)
            self.dW = self.x.T @ dz / len(dz)
            self.dU = self.h.T @ dz / len(dz)
            self.db = dz.mean(axis=0)
            return dz @ self.W.T, dz @ self.U.T
"""
CASES = {  # the program, a mistake in one of its lines
    "results in attributes": (
        KEEPS_RESULTS,
        "self.dinputs = dz @ self.weights.T",
        "self.dinputs = dvalues @ self.weights.T",
    ),
    "an argument by another name": (OTHER_NAME, "dz = delta * (1 - h_t ** 2)", "dz = delta * (1 - h_t)"),
    "all arguments by others": (OTHERS, "dz = delta * (1 - h ** 2)", "dz = delta * (1 - h)"),
    "a forward value called bar": (KEPT_BAR, "self.dW = self.x.T @ dz", "self.dW = self.x.T @ delta"),
    "a gradient in a list": (FILLS_A_LIST, "np.add.at(dW, self.idx, dout)", "np.add.at(dW, self.idx, 2 * dout)"),
    "a loss after its gradient": (ONE_STEP, "dW = x.T @ (out - y)", "dW = x.T @ out"),
    "means over the batch": (MEANS, "self.dU = self.h.T @ dz / len(dz)", "self.dU = self.h.T @ dz"),
    "a cache that is not last": (CACHE_NOT_LAST, "self.dW = cache['x'].T @ dz", "self.dW = cache['x'].T @ dh"),
}


def judged(folder, text):
    with loaded(written(folder, program=text)) as module:
        (report,) = tr.lines(module)
    return report, {linecache.getline(report.files[row.function], row.line).strip() for row in report.wrong}


@pytest.mark.few(1)
@pytest.mark.parametrize("case", CASES)
def test_right_is_right_and_a_wrong_line_is_accused(tmp_path, case):
    text, right, wrong = CASES[case]
    text = text.replace('cache["x"].T', "cache['x'].T")
    report, lines = judged(tmp_path, text)
    assert report.ok and not lines, report
    assert right in text
    report, lines = judged(tmp_path, text.replace(right, wrong))
    assert lines == {wrong}, report


def test_a_class_that_leaves_both_passes_to_others_is_not_listed(tmp_path):
    base = '''
    class Layer:
        def forward(self, inputs):
            """What comes of some inputs."""
            raise NotImplementedError
        def backward(self, grad):
            """And their gradient."""
            raise NotImplementedError
    '''
    report, lines = judged(tmp_path, base + CACHE_NOT_LAST.replace("class Net:", "class Net(Layer):"))
    assert report.ok and not lines


TARGETS = KEEPS_RESULTS.replace("dvalues)", "inputs, targets)").replace("dvalues *", "(self.output - targets) *")
INDEX = """
    class Layer:
        def forward(self, x):
            return 2 * x
        def backward(self, dout):
            return 2 * dout[dout]
"""


@pytest.mark.parametrize(
    ("text", "why"), [(TARGETS, "wants targets, targets of a loss"), (INDEX, "arrays used as indices")]
)
def test_what_does_not_fit_what_was_made_up_is_not_judged(tmp_path, text, why):
    try:
        report, lines = judged(tmp_path, text)
    except ValueError as error:
        assert why in str(error)
    else:
        assert not lines and not report.ok and why in report.problems[0]
