"""Subjects that keep what they need in objects: a small framework, course cells, OCR, a well-known LSTM node."""

import numpy as np

from .programs import Given, Part, Subject, above, copied, layer, numbers

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

SUBJECTS = [
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
