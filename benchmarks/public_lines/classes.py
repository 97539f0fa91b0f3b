"""Subjects that are classes or steps of objects: layers of books and small frameworks, course cells, OCR."""

import numpy as np

from .programs import Given, Part, Subject, above, copied, layer, numbers

# deep-learning-from-scratch -------------------------------------------------------------------------------------------

BOOK, BOOK2 = "oreilly-japan/deep-learning-from-scratch", "oreilly-japan/deep-learning-from-scratch-2"
TIME, FLOAT64 = "common/time_layers.py", (("dtype='f'", "dtype='d'"),)
BASICS = Part("common/functions.py", "sigmoid softmax cross_entropy_error", module="functions")
SOFTMAX = Part("common/layers.py", "Softmax", before="from functions import softmax", module="layers")
FROM_BASICS = "from functions import sigmoid, softmax"


def recurrent(name, blocks, step=False):
    """Weights in a list `params`, their gradients in a list `grads`; batch first."""

    def make(m):
        r = numbers()
        H = 3
        weights = {"Wx": 0.7 * r(4, blocks * H), "Wh": 0.7 * r(H, blocks * H), "b": r(blocks * H)}
        states = {"h_prev": r(2, H), "c_prev": r(2, H)} if blocks == 4 else {"h_prev": r(2, H)}
        given = {"x": r(2, 4), **states} if step else {"xs": r(2, 3, 4)}

        def gradients_of(made, returned):
            returned = returned if isinstance(returned, tuple) else (returned,)
            return dict(zip(weights, made.grads, strict=True)) | dict(zip(given, returned, strict=True))

        return layer(lambda: getattr(m, name)(*weights.values()), gradients_of, weights=weights, **given)

    return make


def attention(m):
    r = numbers()

    def gradients_of(made, returned):
        return dict(zip(("hs", "h"), returned, strict=True))

    return layer(lambda: m.Attention(), gradients_of, hs=r(2, 3, 4), h=r(2, 4))


def masked_softmax(m):
    given = {"xs": numbers()(2, 3, 5), "ts": np.array([[0, -1, 1], [2, 4, -1]])}
    return layer(m.TimeSoftmaxWithLoss, lambda made, dx: {"xs": dx / above(1.0)}, **given)


def plain(name, weights, given, results, scale=1.0):
    """A layer with weights as attributes W and their gradients as dW."""

    def make(m):
        r = numbers()
        arrays = {name: scale * r(*shape) for name, shape in weights.items()}
        inputs = {n: r(*v) if isinstance(v, tuple) else v for n, v in given.items()}

        def gradients_of(made, returned):
            return {n: getattr(made, f"d{n}") for n in weights} | {results: returned}

        return layer(lambda: getattr(m, name)(*arrays.values()), gradients_of, weights=arrays, **inputs)

    return make


def softmax_with_loss(m):
    given = {"x": numbers()(4, 3), "t": np.array([0, 2, 1, 2])}
    return layer(m.SoftmaxWithLoss, lambda made, dx: {"x": dx * above(1.0)}, **given)


# frameworks and courses -----------------------------------------------------------------------------------------------

INITIALIZERS = """
rng = np.random.default_rng(1)


class Random:
    def __call__(self, shape):
        return rng.normal(size=shape)


XavierUniform = Zeros = Ones = Random


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))
"""
DOUBLE = (("np.float32", "np.float64"),)


def tinynn(name, *args, shape=(2, 3, 4)):
    """Weights in a dict `params`, their gradients in a dict `grads`; weights are made by the first forward pass."""

    def make(m):
        x = numbers()(*shape)
        first = getattr(m, name)(*args)
        first.forward(x)
        weights = {key: first.params[key] for key in first.param_names}

        def fresh():
            made = getattr(m, name)(*args)
            made.forward(x)
            made.params = weights
            return made

        return layer(fresh, lambda made, returned: dict(made.grads) | {"inputs": returned}, weights=weights, inputs=x)

    return make


def cmu_gru(m):
    """Vectors, no batch; gradients are added to attributes dW."""
    r = numbers()
    names = [f"W{g}{k}" for k in "xh" for g in "rzn"] + [f"b{g}{k}" for k in "xh" for g in "rzn"]
    shapes = {n: (3, 4) if n[0] == "W" and n[2] == "x" else (3, 3) if n[0] == "W" else (3,) for n in names}
    weights = {n: r(*shape) for n, shape in shapes.items()}

    def fresh():
        made = m.GRUCell(4, 3)
        made.init_weights(**weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"d{n}") for n in weights} | dict(zip(("x", "h_prev_t"), returned, strict=True))

    return layer(fresh, gradients_of, weights=weights, x=r(4), h_prev_t=r(3))


def operations_gru(m):
    """One operation a line, and a method that knows the derivative of each operation."""
    r = numbers()
    weights = {n: r(3, 3) if n[-1] == "h" else r(3, 4) for n in ("Wzh", "Wrh", "Wh", "Wzx", "Wrx", "Wx")}

    def fresh():
        made = m.GRU_Cell(4, 3)
        vars(made).update(weights)
        return made

    def back(made):
        return made.backward(above(np.ones(3))[None])

    x, h = r(4), r(3)

    def gradients():
        made = fresh()
        made.forward(x.copy(), h.copy())
        dx, dh = back(made)
        return {n: getattr(made, f"d{n}") for n in weights} | {"x": dx[0], "h": dh[0]}

    made, given = fresh(), {"x": x, "h": h}
    arrays = given | weights
    value = lambda: float(np.sum(above(np.ones(3)) * fresh().forward(x.copy(), h.copy())))  # noqa: E731
    return Given(made.forward, made.backward, given, arrays, value, gradients)


PRINTED = ('"0000000000000"', "in_dim", "hidden_dim", "x", "h", '"delta shape is ",delta')
QUIET = tuple((f"        print({what})\n", "") for what in (*PRINTED, '"after transpose delta shape is ", delta.shape'))

NODE = """

class Step:
    def __init__(self, param):
        self.param = param

    def forward(self, x, s_prev, h_prev):
        self.node = LstmNode(self.param, LstmState(self.param.mem_cell_ct, self.param.x_dim))
        self.node.bottom_data_is(x, s_prev, h_prev)
        return self.node.state.h, self.node.state.s

    def backward(self, dh, ds):
        self.node.top_diff_is(dh, ds)
        return self.node.state.bottom_diff_s, self.node.state.bottom_diff_h
"""


def diff_lstm(m):
    """Weights w and gradients w_diff in one object, states in another; the output is s * o, without a tanh."""
    r = numbers()
    weights = {f"w{g}": r(3, 7) for g in "gifo"} | {f"b{g}": r(3) for g in "gifo"}

    def fresh():
        made = m.LstmParam(3, 4)
        vars(made).update(weights)
        return m.Step(made)

    def gradients_of(made, returned):
        found = {n: getattr(made.param, f"{n}_diff") for n in weights}
        return found | {"s_prev": returned[0], "h_prev": returned[1]}

    return layer(fresh, gradients_of, weights=weights, x=r(4), s_prev=r(3), h_prev=r(3))


HIPSTER = Part(
    "hipsternet/layer.py",
    "fc_forward fc_backward sigmoid_forward sigmoid_backward tanh_forward tanh_backward bn_forward bn_backward",
    before="import hip_utils as util\nimport types\nc = types.SimpleNamespace(eps=1e-8)",
    module="hip_layer",
)
HIPSTER_UTILS = Part("hipsternet/utils.py", "exp_running_avg softmax sigmoid", module="hip_utils")
HIPSTER_LOSS = Part(
    "hipsternet/loss.py",
    "cross_entropy dcross_entropy",
    (("    reg_loss = regularization(model, reg_type='l2', lam=lam)\n", "    reg_loss = 0\n"),),
    "import hip_utils as util",
    module="hip_loss",
)


def hipsternet(name, states):
    """One step calls layers of another module; gradients are gathered in a dict over time."""

    def make(m):
        r = numbers()
        made = getattr(m, name)(5, 4, {k: k for k in "abcde"}, {})
        made.model = {key: 0.5 * r(*np.shape(value)) for key, value in made.model.items()}
        state = [r(1, 4) for _ in range(states)]
        given = {"X_train": np.array([0, 3, 1]), "y_train": np.array([3, 1, 4])}
        given["h" if states == 1 else "state"] = state[0] if states == 1 else tuple(state)

        def run():
            return made.train_step(**copied(given))

        # their loss is the mean over the steps, their gradients those of the sum
        return Given(made.train_step, None, given, made.model, lambda: float(run()[1] * 3), lambda: run()[0])

    return make


def batch_norm(m):
    r = numbers()
    gamma, beta, x = r(4), r(4), r(5, 4)
    given = {"X": x, "gamma": gamma, "beta": beta, "cache": (np.zeros(4), np.ones(4))}

    def gradients():
        out, cache, *_ = m.bn_forward(**copied(given))
        return dict(zip(("X", "gamma", "beta"), m.bn_backward(above(out), cache), strict=True))

    arrays = {"X": x, "gamma": gamma, "beta": beta}
    value = lambda: float(np.sum(above(out := m.bn_forward(**copied(given))[0]) * out))  # noqa: E731
    return Given(m.bn_forward, m.bn_backward, given, arrays, value, gradients)


# others ---------------------------------------------------------------------------------------------------------------

OCR_FUNCTIONS = "sigmoid sumouter ffunc fprime gfunc gprime hfunc hprime forward_py backward_py LSTM"
OCR_BEFORE = """
import types

initial_range, rng = 1.0, np.random.default_rng(2)


def randu(*shape):
    return 2 * rng.random(shape) - 1


def sumprod(us, vs, out):
    for u, v in zip(us, vs):
        out += u * v
    return out


def summed_outer(us, vs, out):
    for u, v in zip(us, vs):
        out += np.outer(u, v)
    return out


utils = types.SimpleNamespace(sumprod=sumprod, sumouter=summed_outer)


class Network:
    pass
"""


PEEPHOLE = (("            gox[t] += WOP*state[t]", "        gox[t] += WOP*state[t]"),)


def ocr_lstm(m):
    """Peepholes; everything in arrays that are made beforehand and filled; the weight's gradient of W is DW."""
    x = numbers()(4, 2)
    names = "WGI WGF WGO WCI WIP WFP WOP".split()
    first = m.LSTM(2, 3, maxlen=6)
    weights = {n: getattr(first, n) for n in names}

    def fresh():
        made = m.LSTM(2, 3, maxlen=6)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"D{n}") for n in names} | {"xs": np.array(returned)}

    return layer(fresh, gradients_of, weights=weights, xs=x)


PYTHON3 = (("xrange", "range"), ("WGRU.shape[1] / 3", "WGRU.shape[1] // 3"), ("    @staticmethod\n", ""))
PYTHON3 += (("    def ", "def "),)
MASTRO = (("class GRU:\n", ""),)


def batched_gru(m):
    """All weights in one matrix, biases in its first row; static methods, here taken out of their class."""
    r = numbers()
    given = {"X": r(3, 2, 4), "WGRU": 0.7 * r(8, 9), "h0": r(2, 3)}
    forward, backward = m.GRU.forward, m.GRU.backward

    def gradients():
        H, _, cache = forward(**copied(given))
        return dict(zip(("X", "WGRU", "h0"), backward(above(H), cache), strict=True))

    value = lambda: float(np.sum(above(H := forward(**copied(given))[0]) * H))  # noqa: E731
    return Given(forward, backward, given, given, value, gradients)


ZHOU = (
    ("d_h = self.Whh @ temp", "d_h = self.Whh.T @ temp"),
    ("    # Update weights and biases using gradient descent.\n", "    return d_Wxh, d_Whh, d_Why, d_bh, d_by\n\n"),
    *((f"    self.{n} -= learn_rate * d_{n}\n", "") for n in ("Whh", "Wxh", "Why", "bh")),
    ("    self.by -= learn_rate * d_by", ""),
)


def many_to_one(m):
    """Only the last output counts; as published it updates the weights, here it returns their gradients instead."""
    r = numbers()
    weights = {
        n: 0.5 * r(*s) for n, s in {"Wxh": (4, 5), "Whh": (4, 4), "Why": (2, 4), "bh": (4, 1), "by": (2, 1)}.items()
    }

    def fresh():
        made = m.RNN(5, 2, 4)
        vars(made).update(weights)
        return made

    x, up = [r(5, 1) for _ in range(3)], 0.3 * above(np.ones((2, 1)))

    def gradients():
        made = fresh()
        made.forward(x)
        return dict(zip(weights, made.backprop(up.copy()), strict=True))

    made = fresh()
    value = lambda: float(np.sum(up * fresh().forward(x)[0]))  # noqa: E731
    return Given(made.forward, made.backprop, {"inputs": x}, weights, value, gradients)


TINYNN = Part("tinynn/core/layer.py", "empty Layer RNN LSTM BatchNormalization", DOUBLE, INITIALIZERS)
ACTIVATION = Part("mytorch/nn/activation.py", "Sigmoid Tanh", module="activation")
GRU_CELL = Part("mytorch/gru_cell.py", "GRUCell", before="from activation import Sigmoid, Tanh")
TIMES = Part(TIME, "RNN TimeRNN LSTM TimeLSTM GRU TimeSoftmaxWithLoss", FLOAT64, FROM_BASICS)
ATTENTION = Part("ch08/attention_layer.py", "WeightSum AttentionWeight Attention", before="from layers import Softmax")
FIRST = Part(
    "common/layers.py",
    "Affine SoftmaxWithLoss BatchNormalization Convolution",
    before="from functions import softmax, cross_entropy_error\nfrom columns import im2col, col2im",
)
COLUMNS = Part("common/util.py", "im2col col2im", module="columns")
CARRIED_TANH = (
    ("        dc = ho * dh\n        dc = l", "        dc = ho * dh + dc_next\n        dc = l"),
    ("        dc = dc + dc_next\n", ""),
)
HIPSTER_BASE = """
import hip_layer as l
import hip_loss as loss_fun
import hip_utils as util


class NeuralNet:
    def __init__(self, D, C, H, *args, **kwargs):
        self._init_model(D, C, H)
"""
WORDS = Part(
    "hipsternet/neuralnet.py",
    "RNN LSTM GRU",
    CARRIED_TANH,
    HIPSTER_BASE,
)
HIPSTERS = (HIPSTER_UTILS, HIPSTER, HIPSTER_LOSS, WORDS)

SUBJECTS = [
    Subject(BOOK2, "RNN step", (BASICS, TIMES), recurrent("RNN", 1, step=True)),
    Subject(BOOK2, "RNN over time", (BASICS, TIMES), recurrent("TimeRNN", 1)),
    Subject(BOOK2, "LSTM step", (BASICS, TIMES), recurrent("LSTM", 4, step=True)),
    Subject(BOOK2, "LSTM over time", (BASICS, TIMES), recurrent("TimeLSTM", 4)),
    Subject(BOOK2, "GRU step", (BASICS, TIMES), recurrent("GRU", 3, step=True)),
    Subject(BOOK2, "attention", (BASICS, SOFTMAX, ATTENTION), attention),
    Subject(BOOK2, "softmax over time", (BASICS, TIMES), masked_softmax),
    Subject(
        BOOK, "affine layer", (BASICS, COLUMNS, FIRST), plain("Affine", {"W": (4, 3), "b": (3,)}, {"x": (5, 4)}, "x")
    ),
    Subject(
        BOOK,
        "batch normalisation",
        (BASICS, COLUMNS, FIRST),
        plain("BatchNormalization", {"gamma": (4,), "beta": (4,)}, {"x": (5, 4)}, "x"),
    ),
    Subject(
        BOOK,
        "convolution",
        (BASICS, COLUMNS, FIRST),
        plain("Convolution", {"W": (3, 2, 3, 3), "b": (3,)}, {"x": (2, 2, 4, 4)}, "x"),
    ),
    Subject(BOOK, "softmax with loss", (BASICS, COLUMNS, FIRST), softmax_with_loss),
    Subject("borgwang/tinynn", "RNN", (TINYNN,), tinynn("RNN", 3)),
    Subject("borgwang/tinynn", "LSTM", (TINYNN,), tinynn("LSTM", 3)),
    Subject("borgwang/tinynn", "batch normalisation", (TINYNN,), tinynn("BatchNormalization", shape=(5, 4))),
    Subject("jyan1237/11785-hw3p1", "GRU cell", (ACTIVATION, GRU_CELL), cmu_gru),
    Subject(
        "nianiaele/gru-cell-in-numpy", "GRU cell", (Part("gru.py", "Sigmoid Tanh GRU_Cell", QUIET),), operations_gru
    ),
    Subject(
        "nicodjimenez/lstm",
        "LSTM step",
        (
            Part(
                "lstm.py",
                "sigmoid sigmoid_derivative tanh_derivative rand_arr LstmParam LstmState LstmNode",
                after=NODE,
            ),
        ),
        diff_lstm,
    ),
    Subject("wiseodd/hipsternet", "RNN", HIPSTERS, hipsternet("RNN", 1)),
    Subject(
        "wiseodd/hipsternet",
        "LSTM",
        HIPSTERS,
        hipsternet("LSTM", 2),
        published="tanh(c) is handed on, but what comes back for it skips the tanh",
    ),
    Subject("wiseodd/hipsternet", "GRU", HIPSTERS, hipsternet("GRU", 1)),
    Subject("wiseodd/hipsternet", "batch normalisation", (HIPSTER_UTILS, HIPSTER), batch_norm),
    Subject(
        "ocropus/ocropy",
        "peephole LSTM",
        (Part("ocrolib/lstm.py", OCR_FUNCTIONS, PEEPHOLE, OCR_BEFORE),),
        ocr_lstm,
        published="the first step has no output peephole forwards, but one backwards",
    ),
    Subject("MichaelMastro/Batched-Gated-Recurrent-Unit", "GRU", (Part("GRU.py", "GRU", PYTHON3[:2]),), batched_gru),
    Subject(
        "vzhou842/rnn-from-scratch",
        "many to one",
        (Part("rnn.py", "RNN", ZHOU, "from numpy.random import randn"),),
        many_to_one,
        published="the gradient of the state before is multiplied by Whh, not by its transpose",
    ),
]
